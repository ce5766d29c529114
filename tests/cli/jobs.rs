//! Copies and moves that go well, with every option.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use crate::place::Place;

#[test]
fn sources_keep_their_names_in_a_folder_that_is_made() {
    let place = Place::new();
    let _files = place.file("one", "1").file("tree/deep/two", "2").folder("tree/empty");
    let _words = place.ferry("copy one tree folder").ends(0).says("Copied 5 items");
    assert_eq!(place.read("folder/one"), "1");
    assert_eq!(place.read("folder/tree/deep/two"), "2");
    assert!(place.at("folder/tree/empty").is_dir());
    assert_eq!(place.read("one"), "1");
}

#[test]
fn nothing_but_the_summary_is_said_of_a_good_copy() {
    let place = Place::new();
    let run = place.file("one", "1").ferry("copy one folder");
    assert_eq!(run.ends(0).err.lines().count(), 1, "{}", run.err);
    assert_eq!(run.out, "");
}

#[test]
fn a_moved_source_is_gone() {
    let place = Place::new();
    let _files = place.file("one", "1").file("tree/two", "2");
    let _words = place.ferry("move one tree folder").ends(0).says("Moved");
    assert_eq!(place.read("folder/one"), "1");
    assert_eq!(place.read("folder/tree/two"), "2");
    assert_eq!(place.names(""), ["folder"]);
}

#[test]
fn a_move_across_file_systems_removes_the_source() {
    let (place, memory) = (Place::new(), Place::within("/dev/shm"));
    let _files = place.file("tree/one", "1").file("tree/deep/two", "2");
    let run = place.command().args(["move", "tree"]).arg(memory.path()).output().unwrap();
    let _run = crate::place::Run::from(run).ends(0);
    assert_eq!(memory.read("tree/one"), "1");
    assert_eq!(memory.read("tree/deep/two"), "2");
    assert!(!place.has("tree"));
}

#[test]
fn folders_that_meet_are_merged() {
    let place = Place::new();
    let _files = place.file("tree/new", "new").file("folder/tree/old", "old");
    let _run = place.ferry("copy tree folder").ends(0);
    assert_eq!(place.names("folder/tree"), ["new", "old"]);
}

#[test]
fn names_are_bytes() {
    let place = Place::new();
    for name in [&b"caf\xe9"[..], b"new\nline", b"-n", b"a b", b"'\"%2f", b" ", b"\x1b[31m"] {
        let name = OsStr::from_bytes(name);
        let _file = place.file(name, "bytes");
        let run = place.command().args(["copy", "--"]).arg(name).arg("folder").output().unwrap();
        let run = crate::place::Run::from(run);
        let _run = run.ends(0);
        assert_eq!(fs::read(place.at("folder").join(name)).unwrap(), b"bytes");
        assert!(!run.err.contains('\x1b'));
    }
}

#[test]
fn many_arguments_are_copied() {
    let place = Place::new();
    let names: Vec<String> = (0..5000).map(|number| format!("file-{number}")).collect();
    for name in &names {
        let _file = place.file(name, name);
    }
    let run = place.command().arg("copy").args(&names).arg("folder").output().unwrap();
    let _run = crate::place::Run::from(run).ends(0);
    for name in &names {
        assert_eq!(place.read(format!("folder/{name}")), *name);
    }
}

#[test]
fn a_list_names_sources_between_nuls() {
    let place = Place::new();
    let _files = place.file("a b", "1").file("new\nline", "2").file("last", "3").file("extra", "4");
    let _run = place.ferry_fed("copy --files-from - folder", b"a b\0new\nline\0last").ends(0);
    assert_eq!(place.names("folder"), ["a b", "last", "new\nline"]);
    let _run = place.file("list", "a b\0").ferry("copy --files-from list extra other").ends(0);
    assert_eq!(place.names("other"), ["a b", "extra"]);
}

#[test]
fn a_list_of_lines_is_explained() {
    let place = Place::new();
    let _files = place.file("a", "1").file("b", "2");
    let _words = place.ferry_fed("copy --files-from - folder", b"a\nb\n").ends(1).says("-print0");
    assert!(!place.has("folder/a"));
}

#[test]
fn workers_can_be_chosen() {
    for workers in ["1", "2", "7", "64"] {
        let place = Place::new();
        for number in 0..50 {
            let _file = place.file(format!("tree/{number}"), &number.to_string());
        }
        let _run = place.ferry(&format!("copy --workers {workers} tree folder")).ends(0);
        for number in 0..50 {
            assert_eq!(place.read(format!("folder/tree/{number}")), number.to_string());
        }
    }
}

#[test]
fn verified_files_are_counted() {
    let place = Place::new();
    let _files = place.file("tree/one", "1").file("tree/two", "2");
    let _words =
        place.ferry("copy --verify --reflink=never tree folder").ends(0).says("2 verified");
}

#[test]
fn real_copies_can_be_demanded() {
    let place = Place::new();
    let run = place.file("one", "1").ferry("copy --reflink=never --json one folder");
    let _run = run.ends(0);
    assert_eq!(place.read("folder/one"), "1");
    assert_ne!(
        fs::metadata(place.at("one")).unwrap().ino(),
        fs::metadata(place.at("folder/one")).unwrap().ino()
    );
}

#[test]
fn clones_cannot_be_demanded_of_a_file_system_without_them() {
    let place = Place::within("/dev/shm");
    let run = place.file("one", "1").ferry("copy --reflink=always one folder");
    let _words = run.ends(1).says("cannot be cloned");
    assert!(!place.has("folder/one"));
}

#[test]
fn quiet_says_nothing_when_all_is_done() {
    let place = Place::new();
    let _run = place.file("one", "1").ferry("copy --quiet one folder").ends(0).says_nothing();
    let _run = place.ferry("copy --quiet --conflict=skip one folder").ends(0).says_nothing();
}

#[test]
fn quiet_still_tells_errors() {
    let place = Place::new();
    let run = place.ferry("copy --quiet missing folder");
    assert_eq!(run.ends(1).says("missing").err.lines().count(), 1, "{}", run.err);
}

#[test]
fn a_limit_of_file_sizes_is_a_failure_and_not_the_end() {
    let place = Place::new();
    let big = "x".repeat(900_000);
    let _ready = place.file("big", &big).file("small", "1").folder("old").file("old/big", "old");
    for (options, into) in [("", "new"), ("--conflict=replace", "old")] {
        let ferry = env!("CARGO_BIN_EXE_ferry");
        let limited = format!("ulimit -f 300; exec {ferry} copy {options} big small {into}");
        let status = std::process::Command::new("bash")
            .args(["-c", &limited])
            .current_dir(place.path())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1), "{into}");
        assert_eq!(place.read(format!("{into}/small")), "1");
    }
    assert_eq!(place.names("new"), ["small"]);
    assert_eq!(place.names("old"), ["big", "small"]);
    assert_eq!(place.read("old/big"), "old");
}
