//! Names that are taken: every rule, and what happens when nobody can be asked.

use crate::place::Place;

const OLD: u64 = 1_000_000_000;
const NEW: u64 = 1_600_000_000;

/// Three names that are taken: once the source is newer, once older, once equal.
fn taken() -> Place {
    let place = Place::new();
    let _files = place
        .file("tree/newer.txt", "coming, newer")
        .dated("tree/newer.txt", NEW)
        .file("tree/older.txt", "coming, older")
        .dated("tree/older.txt", OLD)
        .file("tree/equal.txt", "equal")
        .dated("tree/equal.txt", OLD)
        .file("tree/free.txt", "free")
        .file("folder/tree/newer.txt", "there before")
        .dated("folder/tree/newer.txt", OLD)
        .file("folder/tree/older.txt", "there before")
        .dated("folder/tree/older.txt", NEW)
        .file("folder/tree/equal.txt", "equal")
        .dated("folder/tree/equal.txt", NEW);
    place
}

/// What the names that were taken hold after a copy.
fn held(place: &Place) -> [String; 3] {
    assert_eq!(place.read("folder/tree/free.txt"), "free");
    ["newer.txt", "older.txt", "equal.txt"].map(|name| place.read(format!("folder/tree/{name}")))
}

#[test]
fn skip_leaves_what_is_there_and_is_done() {
    let place = taken();
    let _words = place.ferry("copy --conflict=skip tree folder").ends(0).says("3 skipped");
    assert_eq!(held(&place), ["there before", "there before", "equal"]);
}

#[test]
fn replace_takes_the_source() {
    let place = taken();
    let _run = place.ferry("copy --conflict=replace tree folder").ends(0);
    assert_eq!(held(&place), ["coming, newer", "coming, older", "equal"]);
    assert_eq!(place.names("folder/tree").len(), 4);
}

#[test]
fn newer_takes_only_newer_sources() {
    let place = taken();
    let _words = place.ferry("copy --conflict=newer tree folder").ends(0).says("2 skipped");
    assert_eq!(held(&place), ["coming, newer", "there before", "equal"]);
}

#[test]
fn different_leaves_equal_contents() {
    let place = taken();
    let _words = place.ferry("copy --conflict=different tree folder").ends(0).says("1 skipped");
    assert_eq!(held(&place), ["coming, newer", "coming, older", "equal"]);
}

#[test]
fn different_compares_bytes_and_not_sizes_alone() {
    let place = Place::new();
    let _files = place.file("a", "one").file("folder/a", "two");
    let _run = place.ferry("copy --conflict=different a folder").ends(0);
    assert_eq!(place.read("folder/a"), "one");
}

#[test]
fn keep_both_finds_another_name() {
    let place = taken();
    let _words =
        place.ferry("copy --conflict=keep-both tree folder").ends(0).says("3 under another name");
    assert_eq!(held(&place), ["there before", "there before", "equal"]);
    assert_eq!(place.read("folder/tree/newer (2).txt"), "coming, newer");
    assert_eq!(place.read("folder/tree/older (2).txt"), "coming, older");
}

#[test]
fn without_a_terminal_nothing_is_replaced_and_the_status_tells() {
    for arguments in
        ["copy tree folder", "copy --conflict=ask tree folder", "copy --json tree folder"]
    {
        let place = taken();
        let _run = place.ferry(arguments).ends(1);
        assert_eq!(held(&place), ["there before", "there before", "equal"]);
    }
    let _words = taken().ferry("copy tree folder").ends(1).says("3 left undecided");
}

#[test]
fn a_rule_never_puts_a_file_in_a_folders_place() {
    let place = Place::new();
    let _files = place.file("x", "file").file("folder/x/inside", "kept");
    let _run = place.ferry("copy --conflict=replace x folder").ends(1);
    assert_eq!(place.read("folder/x/inside"), "kept");
    let _files = place.file("y/inside", "coming").file("folder/y", "kept");
    let _run = place.ferry("copy --conflict=replace y folder").ends(1);
    assert_eq!(place.read("folder/y"), "kept");
}

#[test]
fn a_skipped_source_is_not_moved() {
    let place = taken();
    let _run = place.ferry("move --conflict=skip tree folder").ends(0);
    assert_eq!(place.names("tree"), ["equal.txt", "newer.txt", "older.txt"]);
    assert_eq!(held(&place), ["there before", "there before", "equal"]);
}

#[test]
fn folders_have_rules_of_their_own() {
    for (rule, names, old_stays) in [
        ("merge", &["tree"][..], true),
        ("skip", &["tree"], true),
        ("keep-both", &["tree", "tree (2)"], true),
        ("keep-existing", &["tree", "tree (2)"], false),
        ("rename", &["again tree", "tree"], true),
    ] {
        let place = Place::new();
        let _files = place.file("tree/new", "coming").file("folder/tree/old", "there before");
        let _run = place
            .ferry(&format!(
                "copy --folder-conflict={rule} --rename-pattern=again_{{name}} tree folder"
            ))
            .ends(0);
        let names: Vec<String> =
            names.iter().map(|name| name.replace("again ", "again_")).collect();
        assert_eq!(place.names("folder"), names, "{rule}");
        assert_eq!(place.has("folder/tree/old"), old_stays, "{rule}");
    }
}

#[test]
fn a_replaced_folder_goes_to_the_trash() {
    let place = Place::new();
    let _files = place.file("tree/new", "coming").file("folder/tree/old", "there before");
    let mut command = place.command();
    let _self = command.env("XDG_DATA_HOME", place.at("data"));
    let run = command.args(["copy", "--folder-conflict=replace", "tree", "folder"]).output();
    let _words = crate::place::Run::from(run.unwrap()).ends(0).says("1 that was there set aside");
    assert_eq!(place.names("folder/tree"), ["new"]);
    assert_eq!(place.read("data/Trash/files/tree/old"), "there before");
    let info = place.read("data/Trash/info/tree.trashinfo");
    assert!(info.starts_with("[Trash Info]\nPath=/"), "{info}");
    assert!(info.contains("/folder/tree\nDeletionDate=2"), "{info}");
}

#[test]
fn without_a_terminal_a_folder_that_is_to_be_asked_about_is_left() {
    let place = taken();
    let _words = place
        .ferry("copy --folder-conflict=ask --conflict=replace tree folder")
        .ends(1)
        .says("1 left undecided");
    assert!(!place.has("folder/tree/free.txt"));
}

#[test]
fn a_pattern_gives_names() {
    let place = Place::new();
    let _files = place.file("a.txt", "1").dated("a.txt", NEW).file("folder/a.txt", "old");
    for expected in ["a 2.txt", "a 3.txt"] {
        let _run = place
            .command()
            .args([
                "copy",
                "--conflict=rename",
                "--rename-pattern={name} {number}{ext}",
                "a.txt",
                "folder",
            ])
            .status()
            .unwrap();
        assert_eq!(place.read(format!("folder/{expected}")), "1");
    }
    assert_eq!(place.read("folder/a.txt"), "old");
}

#[test]
fn size_or_time_reads_no_contents() {
    let place = Place::new();
    let _files = place
        .file("tree/alike", "new")
        .dated("tree/alike", OLD)
        .file("folder/tree/alike", "old")
        .dated("folder/tree/alike", OLD)
        .file("tree/other", "new")
        .dated("tree/other", OLD)
        .file("folder/tree/other", "old")
        .dated("folder/tree/other", NEW);
    let _words = place.ferry("copy --conflict=size-or-time tree folder").ends(0).says("1 skipped");
    assert_eq!(place.read("folder/tree/alike"), "old");
    assert_eq!(place.read("folder/tree/other"), "new");
}

#[test]
fn the_first_named_of_two_sources_has_the_name() {
    let place = Place::new();
    let _files = place.file("one/f", "1").file("two/f", "2");
    for (arguments, first) in [("two/f one/f", "2"), ("one/f two/f", "1")] {
        let _run = place.ferry(&format!("copy {arguments} {first}")).ends(1);
        assert_eq!(place.read(format!("{first}/f")), first);
    }
}
