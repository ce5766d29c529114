//! What was left out, and what was only there already, is said and counted as such.

use crate::place::Place;

fn taken() -> Place {
    let place = Place::new();
    let _files = place.file("tree/a", "coming").file("folder/tree/a", "there");
    place
}

#[test]
fn quiet_says_what_was_left_and_what_can_be_done() {
    let run = taken().ferry("copy --quiet tree folder");
    let _words = run.ends(1).says("tree/a").says("nobody could be asked").says("--conflict=skip");
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert!(run.err.starts_with("ferry: "), "{}", run.err);
    let run = taken().ferry("copy --quiet --conflict=skip tree folder");
    let _nothing = run.ends(0).says_nothing();
}

#[test]
fn a_folder_that_was_left_is_named_with_its_own_option() {
    let run = taken().ferry("copy --quiet --folder-conflict=ask tree folder");
    let _words = run.ends(1).says("“tree”").says("--folder-conflict");
}

#[test]
fn a_file_and_a_folder_of_one_name_are_said_to_be_that() {
    let place = Place::new();
    let _files = place.file("a", "file").file("folder/a/in", "1").file("b/in", "1");
    let _file = place.file("folder/b", "file");
    for rule in ["ask", "replace"] {
        let run = place.ferry(&format!("copy --quiet --conflict={rule} a b folder"));
        let _words = run.ends(1).says("a file and a folder").says("Rename one of the two");
        assert!(!run.err.contains("nobody"), "{}", run.err);
    }
    assert_eq!((place.read("folder/a/in"), place.read("folder/b")), ("1".into(), "file".into()));
}

#[test]
fn a_file_onto_itself_is_said_to_be_that() {
    let place = Place::new();
    let run = place.file("folder/a", "1").ferry("copy --quiet folder/a folder");
    let _words = run.ends(1).says("onto itself").says("keep-both");
    assert!(!run.err.contains("nobody"), "{}", run.err);
}

#[test]
fn with_events_it_is_said_on_standard_error_too() {
    let run = taken().ferry("copy --json tree folder");
    let _words = run.ends(1).says("nobody could be asked");
    let summary = run.out.lines().next_back().unwrap();
    assert!(summary.contains(r#""kind":"unanswered","count":1"#), "{summary}");
}

#[test]
fn folders_that_were_there_are_not_counted_as_copied() {
    let place = Place::new();
    let _files = place.file("tree/deep/a", "1234").folder("folder/tree/deep");
    let _words = place.ferry("copy tree folder").ends(0).says("Copied 1 item (4 bytes) in");
    let run = place.ferry("copy --conflict=skip tree folder");
    let _words = run.ends(0).says("Nothing was copied. 2 folders were there already, 1 skipped.");
    let _words = place.ferry("move tree elsewhere").ends(0).says("Moved 1 item in");
}

#[test]
fn an_empty_path_is_wrong_usage() {
    let place = Place::new();
    let _file = place.file("a", "1");
    for arguments in [["", "d"], ["a", ""]] {
        let output = place.command().arg("copy").args(arguments).output().unwrap();
        let _words = crate::place::Run::from(output).ends(2).says("an empty path");
    }
    assert_eq!(place.names(""), ["a"]);
}

#[test]
fn a_list_of_checksums_in_a_missing_folder_is_said_plainly() {
    let place = Place::new();
    for option in ["--checksums=no/list", "--report=no/report"] {
        let run = place.file("a", "1").ferry(&format!("copy {option} a d"));
        let _words = run.ends(1).says("the folder that it is to lie in is not there");
        assert!(!run.err.contains("longer"), "{}", run.err);
    }
}

#[test]
fn paths_in_events_and_reports_are_full() {
    let place = Place::new();
    let run = place.file("a", "1").ferry("copy --json --report=r.json ./nosuch ./a ./d/");
    let _words = run.ends(1);
    let report = place.read("r.json");
    for text in [&run.out, &report] {
        assert!(!text.contains("./"), "{text}");
        assert!(text.contains(place.at("nosuch").to_str().unwrap()), "{text}");
    }
}

#[test]
fn undo_takes_the_last_job_that_did_something_and_says_which() {
    let place = Place::new();
    let _copied = place.file("a", "1").ferry("copy --quiet a d").ends(0);
    let _nothing = place.ferry("copy --quiet --conflict=skip a d").ends(0);
    let _failed = place.ferry("copy --quiet nosuch d").ends(1);
    let _refused = place.ferry("copy --quiet a a").ends(1);
    let preview = place.ferry("undo --dry-run");
    assert!(
        preview.ends(0).out.contains("Undoing job 1 would give: 1 copy removed"),
        "{}",
        preview.out
    );
    let run = place.ferry("undo");
    let out = &run.ends(0).out;
    assert!(out.contains("The last job that can be undone: 1  "), "{out}");
    assert!(out.contains("Job 1 is undone: 1 copy removed"), "{out}");
    assert!(!out.contains(" 0 "), "{out}");
    assert!(!place.has("d/a"));
    let _none = place.ferry("undo").ends(1).says("no job to undo");
}

#[test]
fn the_history_counts_only_what_there_is() {
    let place = Place::new();
    let _copied = place.file("a", "1").ferry("copy --quiet a d").ends(0);
    let _failed = place.ferry("copy --quiet nosuch d").ends(1);
    let out = place.ferry("history").ends(0).out.clone();
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].ends_with(": 1 failed") && lines[1].ends_with(": 1 done"), "{out}");
}

#[test]
fn what_is_no_number_of_a_job_is_said_to_be_that() {
    let place = Place::new();
    for command in ["undo", "resume", "redo", "history"] {
        for word in ["abc", "-1x", "1.5"] {
            let run = place.ferry(&format!("{command} -- {word}"));
            let _words = run.ends(2).says("no number of a job").says("ferry history");
        }
    }
}

/// What is advised does help, folders too.
#[test]
fn what_is_advised_is_of_use() {
    let (file_and_folder, folder_and_file) = (["a", "folder/a/in"], ["a/in", "folder/a"]);
    let (file, folder, folders) = (["a"], ["a/in"], ["a/in", "folder/a/in"]);
    let cases: [(&[&str], &str, &[&str]); 6] = [
        (&file_and_folder, "copy a folder", &["--conflict=keep-both"]),
        (&folder_and_file, "copy a folder", &["--conflict=keep-both"]),
        (&folder_and_file, "copy --folder-conflict=ask a folder", &["--conflict=keep-both"]),
        (&file, "copy a .", &["--conflict=keep-both"]),
        (&folder, "copy a .", &["--conflict=keep-both"]),
        (
            &folders,
            "copy --folder-conflict=ask a folder",
            &["--folder-conflict=skip", "--folder-conflict=keep-both"],
        ),
    ];
    for (files, arguments, advices) in cases {
        for advice in advices {
            let place = Place::new();
            for path in files {
                let _file = place.file(path, "1");
            }
            let option = advice.split('=').next().unwrap();
            let _words = place.ferry(arguments).ends(1).says("left undecided").says(option);
            let arguments: Vec<&str> =
                arguments.split(' ').filter(|it| !it.starts_with(option)).collect();
            let run = place.ferry(&format!("{} {advice}", arguments.join(" ")));
            let _done = run.ends(0);
        }
    }
}

#[test]
fn nobody_is_blamed_for_an_answer_that_could_not_be_given() {
    for arguments in ["copy tree folder", "copy --report r.txt --quiet tree folder"] {
        let place = taken();
        let run = place.ferry(arguments);
        let report = if place.has("r.txt") { place.read("r.txt") } else { String::new() };
        let told = format!("{}{report}", run.ends(1).err);
        assert!(!told.contains("want of an answer"), "{told}");
        assert!(told.contains("nobody could be asked"), "{told}");
    }
}
