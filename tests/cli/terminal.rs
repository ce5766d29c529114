//! Questions at a terminal. `script` (util-linux) gives the program one and types the input.

use std::io::Write;
use std::process::Stdio;

use crate::place::{FERRY, Place, Run};

/// Runs the program at a terminal with typed lines, the end of the input behind them.
fn typed(place: &Place, arguments: &str, input: &str) -> Run {
    let mut child = place
        .of("script")
        .args(["--quiet", "--return", "--command", &format!("'{FERRY}' {arguments}"), "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let mut run = Run::from(child.wait_with_output().unwrap());
    // A terminal is one stream.
    run.err.push_str(&run.out);
    run
}

fn taken() -> Place {
    let place = Place::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        let _files = place
            .file(format!("tree/{name}"), "coming")
            .file(format!("folder/tree/{name}"), "there");
    }
    place
}

fn held(place: &Place) -> [String; 3] {
    ["a.txt", "b.txt", "c.txt"].map(|name| place.read(format!("folder/tree/{name}")))
}

#[test]
fn each_conflict_is_asked_and_answered() {
    let place = taken();
    let run = typed(&place, "copy --workers=1 tree folder", "r\ns\nk\n");
    let _words = run.ends(0).says("is already there").says("keep both").says("1 skipped");
    let mut replaced = held(&place);
    replaced.sort();
    assert_eq!(replaced, ["coming", "there", "there"]);
    assert_eq!(place.names("folder/tree").len(), 4);
}

#[test]
fn a_capital_answers_for_all() {
    let place = taken();
    let _run = typed(&place, "copy tree folder", "R\n").ends(0);
    assert_eq!(held(&place), ["coming", "coming", "coming"]);
}

#[test]
fn a_new_name_can_be_typed() {
    let place = Place::new();
    let _files = place.file("a", "coming").file("folder/a", "there");
    let _run = typed(&place, "copy a folder", "rename x/y\nrename\nnew name\n").ends(0);
    assert_eq!(
        (place.read("folder/a"), place.read("folder/new name")),
        ("there".into(), "coming".into())
    );
}

#[test]
fn nothing_typed_is_no_answer() {
    let place = taken();
    let _words = typed(&place, "copy tree folder", "\n\n\n").ends(1).says("3 left undecided");
    assert_eq!(held(&place), ["there", "there", "there"]);
}

#[test]
fn the_end_of_the_input_leaves_the_rest() {
    let place = taken();
    let _words = typed(&place, "copy tree folder", "r\n").ends(1).says("2 left undecided");
    let mut replaced = held(&place);
    replaced.sort();
    assert_eq!(replaced, ["coming", "there", "there"]);
}

#[test]
fn a_bar_is_drawn_at_a_terminal_and_nowhere_else() {
    let place = Place::within("/dev/shm");
    // So many that the job lasts longer than the first tenth of a second.
    std::fs::create_dir(place.at("tree")).unwrap();
    for number in 0..40_000 {
        std::fs::write(place.at(format!("tree/{number}")), "x").unwrap();
    }
    let run = typed(&place, "copy tree folder", "");
    // Filled, or still empty where the job was over before its total was counted.
    let drawn = |err: &str| err.contains('━') || err.contains('╌');
    assert!(drawn(&run.ends(0).says("items").err), "{}", run.err);
    let run = place.ferry("copy tree other");
    assert!(!run.ends(0).err.contains('\x1b'), "{}", run.err);
    let run = typed(&place, "copy --quiet tree third", "");
    assert!(!drawn(&run.ends(0).err), "{}", run.err);
}

#[test]
fn a_capital_with_a_mark_answers_for_all_kinds() {
    let place = taken();
    let _files = place.file("tree/x", "file").file("folder/tree/x/inner", "kept");
    let _run = typed(&place, "copy --workers=1 tree folder", "K!\n").ends(0);
    assert_eq!(held(&place), ["there", "there", "there"]);
    assert_eq!(place.names("folder/tree").len(), 8);
}

#[test]
fn a_folder_is_asked_about_when_that_is_wished() {
    for (letter, names) in [("m", vec!["tree"]), ("k", vec!["tree", "tree (2)"])] {
        let place = taken();
        let arguments = "copy --conflict=replace --folder-conflict=ask tree folder";
        let _words = typed(&place, arguments, &format!("{letter}\n"))
            .ends(0)
            .says("The folder “tree” is already there")
            .says("m merge");
        assert_eq!(place.names("folder"), names);
    }
}

#[test]
fn sources_that_meet_are_told_apart_from_what_was_there() {
    let place = Place::new();
    let _files = place.file("one/f", "1").file("two/f", "2");
    let run = typed(&place, "copy one/f two/f folder", "r\nk\n");
    let _words = run.ends(0).says("another source of this job").says("one of the letters");
    assert_eq!((place.read("folder/f"), place.read("folder/f (2)")), ("1".into(), "2".into()));
}
