//! What fails on the disk: a clear message, status 1, and nothing that was not asked for.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::place::{FERRY, Place, Run};

#[test]
fn a_missing_source_does_not_keep_the_others() {
    let place = Place::new();
    let run = place.file("one", "1").ferry("copy missing one folder");
    let _words = run.ends(1).says("/missing”").says("there is no such file").says("1 failed");
    assert_eq!(place.names("folder"), ["one"]);
    let errors = run.err.lines().filter(|line| line.starts_with("ferry: ")).count();
    assert_eq!(errors, 1, "{}", run.err);
}

#[test]
fn a_missing_source_is_not_made() {
    let place = Place::new();
    let _run = place.ferry("move missing folder").ends(1);
    assert!(!place.has("missing") && !place.has("folder/missing"));
}

#[test]
fn an_unreadable_source_is_named() {
    let place = Place::new();
    let _files = place.file("tree/secret", "x").file("tree/open", "y").folder("folder");
    let mode = |path: &str, mode| {
        fs::set_permissions(place.at(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o755);
    mode("folder", 0o777);
    // Permissions do not bind root: the program runs as nobody, from where nobody can read it.
    let mut command = place.of(program_in(&place));
    let _self = command.args(["copy", "tree", "folder"]);
    if fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0) {
        let _self = command.uid(65534).gid(65534);
    }
    mode("tree/secret", 0o000);
    let run = Run::from(command.output().unwrap());
    let _words = run.ends(1).says("tree/secret").says("you do not have permission");
    assert_eq!(place.names("folder/tree"), ["open"]);
}

#[test]
fn a_destination_that_is_a_file_stays_that_file() {
    let place = Place::new();
    let run = place.file("one", "1").file("taken", "kept").ferry("copy one taken");
    let _words = run.ends(1).says("taken").says("not a folder");
    assert_eq!(place.read("taken"), "kept");
    let _run = place.ferry("move --conflict=replace one taken").ends(1);
    assert_eq!((place.read("one"), place.read("taken")), ("1".to_owned(), "kept".to_owned()));
}

#[test]
fn a_destination_below_a_file_cannot_be_made() {
    let place = Place::new();
    let run = place.file("one", "1").file("taken", "kept").ferry("copy one taken/below");
    let _words = run.ends(1).says("taken");
    assert_eq!(place.read("taken"), "kept");
}

#[test]
fn a_folder_is_not_copied_into_itself() {
    for destination in ["tree", "tree/sub", "tree/made", "link", "link/sub"] {
        let place = Place::new();
        let _files = place.file("tree/one", "1").folder("tree/sub");
        symlink(place.at("tree"), place.at("link")).unwrap();
        for kind in ["copy", "move"] {
            let run = place.ferry(&format!("{kind} --conflict=replace tree {destination}"));
            let _words = run.ends(1).says("itself");
        }
        assert_eq!(place.names("tree"), ["one", "sub"], "{destination}");
        assert!(place.names("tree/sub").is_empty());
    }
}

#[test]
fn a_file_is_not_copied_onto_itself() {
    for rule in ["skip", "replace", "newer", "different"] {
        for kind in ["copy", "move"] {
            let place = Place::new();
            let run = place.file("one", "1").ferry(&format!("{kind} --conflict={rule} one ."));
            assert!(run.status == 0 || run.status == 1, "{}", run.err);
            assert_eq!(place.read("one"), "1");
            assert_eq!(place.names(""), ["one"]);
        }
    }
    let place = Place::new();
    let _run = place.file("one.txt", "1").ferry("copy --conflict=keep-both one.txt .").ends(0);
    assert_eq!(place.names(""), ["one (2).txt", "one.txt"]);
}

#[test]
fn a_source_without_a_name_is_refused() {
    let place = Place::new();
    let _words = place.ferry("copy / folder").ends(1).says("no name");
    assert!(!place.has("folder"));
}

#[test]
fn a_list_that_is_not_there_is_a_failure_of_the_disk() {
    let place = Place::new();
    let told = |name: &str| format!("“{}”", place.at(name).display());
    let run = place.ferry("copy --files-from missing folder");
    let _words = run.ends(1).says(&told("missing")).says("Check the spelling of the path.");
    let run = place.folder("list").ferry("copy --files-from list folder");
    let _words = run.ends(1).says(&told("list")).says("a folder is there");
    let run = place.ferry("copy --files-from no/such/list folder");
    let _words = run.ends(1).says(&told("no/such/list")).says("Check the spelling of the path.");
    assert!(!place.has("folder"));
}

#[test]
fn a_name_with_control_characters_cannot_play_with_the_terminal() {
    let place = Place::new();
    let run = place.command().args(["copy", "\x1b[2J\nferry: all is well", "folder"]).output();
    let run = Run::from(run.unwrap());
    let _words = run.ends(1).says("\\u{1b}[2J\\nferry");
    assert!(!run.err.contains('\x1b'));
}

/// Puts the program where nobody may run it. `cp` does: what this process itself holds open
/// for writing while another test starts a program cannot be run (`ETXTBSY`).
fn program_in(place: &Place) -> PathBuf {
    let program = place.at("ferry");
    let copied = Command::new("cp").arg(FERRY).arg(&program).status().unwrap();
    assert!(copied.success());
    program
}

/// Runs the program as nobody, whom permissions bind; everything in the place is theirs.
fn as_nobody(place: &Place, arguments: &[&str]) -> Run {
    let program = place.at("ferry");
    let program = if program.exists() { program } else { program_in(place) };
    let mut command = place.of(program);
    let _self = command.args(arguments);
    if fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0) {
        for entry in walkdir::WalkDir::new(place.path()) {
            std::os::unix::fs::lchown(entry.unwrap().path(), Some(65534), Some(65534)).unwrap();
        }
        let _self = command.uid(65534).gid(65534);
    }
    Run::from(command.output().unwrap())
}

#[test]
fn a_source_that_may_not_be_taken_away_is_named_and_not_the_destination() {
    for (closed, named) in [("tree", "tree/one"), ("tree/sub", "tree/sub"), ("folder", "folder/")] {
        let place = Place::new();
        let _files = place.file("tree/one", "1").file("tree/sub/two", "2").folder("folder");
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(place.at(closed), fs::Permissions::from_mode(0o555)).unwrap();
        let run = as_nobody(&place, &["move", "tree/one", "tree/sub", "folder"]);
        let _words = run.ends(1).says(named).says("you do not have permission");
        let blamed = run.err.contains(&format!("“{}", place.at("folder").display()));
        assert_eq!(blamed, closed == "folder", "{closed}: {}", run.err);
        fs::set_permissions(place.at(closed), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// The same where nothing can be renamed: what was copied cannot be taken away then.
#[test]
fn across_file_systems_too_a_source_that_stays_is_named_and_not_the_destination() {
    if !std::path::Path::new("/dev/shm").is_dir() {
        return;
    }
    for (closed, named) in [("tree", "tree/one"), ("tree/sub", "tree/sub/two"), ("", "tree")] {
        let place = Place::new();
        let elsewhere = Place::within("/dev/shm");
        let _files = place.file("tree/one", "1").file("tree/sub/two", "2");
        let mode = |mode| fs::Permissions::from_mode(mode);
        fs::set_permissions(place.path(), mode(0o755)).unwrap();
        fs::set_permissions(elsewhere.path(), mode(0o777)).unwrap();
        let to = elsewhere.at("").display().to_string();
        let _program = program_in(&place);
        fs::set_permissions(place.at(closed), mode(0o555)).unwrap();
        let run = as_nobody(&place, &["move", "tree", &to]);
        let source = place.at(named).display().to_string();
        let sentence = format!("Could not remove “{source}”: you do not have permission.");
        let _words = run.ends(1).says(&sentence).says("change the folder that it lies in");
        assert!(!run.err.contains(&format!("“{to}")), "{closed}: {}", run.err);
        fs::set_permissions(place.at(closed), mode(0o755)).unwrap();
    }
}
