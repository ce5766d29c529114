//! `--help`, `--version`, and what is refused before anything is touched.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use crate::place::{FERRY, Place, Run};

/// Compares with a golden file; `FERRY_GOLDEN=write` writes it anew.
#[track_caller]
pub fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli").join(name);
    if std::env::var_os("FERRY_GOLDEN").is_some_and(|wish| wish == "write") {
        fs::write(&path, actual).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap();
    assert_eq!(actual, golden, "{} differs: FERRY_GOLDEN=write writes it anew", path.display());
}

#[cfg(feature = "gui")]
#[test]
fn help_is_as_agreed() {
    golden("help.txt", &Place::new().ferry("--help").ends(0).out);
}

#[test]
fn help_of_copy_and_move_is_as_agreed() {
    golden("help-copy.txt", &Place::new().ferry("copy --help").ends(0).out);
    golden("help-move.txt", &Place::new().ferry("move --help").ends(0).out);
}

#[test]
fn help_of_what_is_about_earlier_jobs_is_as_agreed() {
    for command in ["resume", "undo", "redo", "free", "history"] {
        let help = Place::new().ferry(&format!("{command} --help"));
        golden(&format!("help-{command}.txt"), &help.ends(0).out);
    }
}

#[test]
fn the_version_is_told() {
    let run = Place::new().ferry("--version");
    assert_eq!(run.ends(0).out, format!("ferry {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_usage_ends_with_2_and_touches_nothing() {
    for arguments in [
        "copy",
        "move",
        "copy source",
        "copy --unknown source folder",
        "copy --conflict=perhaps source folder",
        "copy --reflink=perhaps source folder",
        "copy --workers=0 source folder",
        "copy --workers=x source folder",
        "copy --workers=65 source folder",
        "copy --keep-replaced=31 source folder",
        "copy --keep-replaced=perhaps source folder",
        "copy --workers source folder",
        "copy --files-from list",
        "copy --json=yes source folder",
        "coppy source folder",
        "--verify",
    ] {
        let place = Place::new();
        let _files = place.file("source", "bytes").file("list", "source\0");
        let run = place.ferry(arguments);
        assert_eq!(run.ends(2).out, "", "{arguments}");
        let _words = run.says("ferry: ").says("--help");
        assert_eq!(place.names(""), ["list", "source"], "{arguments}");
    }
}

#[test]
fn an_empty_list_is_wrong_usage() {
    for list in ["", "\0", "\0\0\0"] {
        let place = Place::new();
        let _words = place
            .ferry_fed("copy --files-from - folder", list.as_bytes())
            .ends(2)
            .says("names no file");
        let _words = place
            .file("list", list)
            .ferry("copy --files-from list folder")
            .ends(2)
            .says("names no file");
        assert!(!place.has("folder"));
    }
}

#[cfg(not(feature = "gui"))]
#[test]
fn without_a_window_a_command_is_needed() {
    let place = Place::new();
    let _words = place.ferry("").ends(2).says("Usage:");
}

/// What hands type that know `cp` and `mv`: said in one sentence, and nothing is done.
#[test]
fn options_of_cp_are_explained() {
    let table = [
        ("-r", "folders are taken with all that is in them"),
        ("-R", "folders are taken with all that is in them"),
        ("--recursive", "folders are taken with all that is in them"),
        ("-a", "all attributes are kept"),
        ("--archive", "all attributes are kept"),
        ("-p", "all attributes are kept"),
        ("-v", "--report=FILE"),
        ("--verbose", "--report=FILE"),
        ("-f", "--conflict=replace"),
        ("--force", "--conflict=replace"),
        ("-i", "--conflict=ask"),
        ("-n", "--conflict=skip"),
        ("-u", "--conflict=newer"),
        ("-b", "--conflict=keep-existing"),
        ("-t", "the last path is the folder"),
        ("-P", "links are copied as links"),
        ("-L", "links are copied as links"),
        ("-s", "copies are made, not links"),
        // Written together, the first one is explained.
        ("-rf", "folders are taken with all that is in them"),
        ("-av", "all attributes are kept"),
    ];
    for command in ["copy", "move"] {
        for (option, part) in table {
            let place = Place::new();
            let _files = place.file("tree/a", "1");
            for arguments in [format!("{option} tree folder"), format!("tree folder {option}")] {
                let run = place.ferry(&format!("{command} {arguments}"));
                let _words = run.ends(2).says(part).says(&format!("Usage: ferry {command}"));
                let named = if option.starts_with("--") { option } else { &option[..2] };
                assert!(run.err.starts_with(&format!("ferry: {named} is not ")), "{}", run.err);
                assert!(!run.err.contains("tip:") && !run.err.contains("to pass"), "{}", run.err);
                assert_eq!(place.names(""), ["tree"]);
            }
        }
    }
    // Nor is it advised to write it as a name where no name can stand.
    for arguments in ["undo --report r.txt", "history -l", "free --json", "resume -v", "redo -f"] {
        let run = Place::new().ferry(arguments);
        let _words = run.ends(2).says("ferry: unexpected argument");
        assert!(!run.err.contains("as a value"), "{}", run.err);
    }
    // A name with a dash goes after `--`, as ever.
    let place = Place::new();
    let _copied = place.file("-r", "1").ferry("copy -- -r folder").ends(0);
    assert!(place.has("folder/-r"));
}

#[cfg(feature = "gui")]
#[test]
fn a_name_that_is_neither_a_command_nor_there_is_wrong_usage() {
    for name in ["nosuchfile", "cp", "coppy"] {
        let run = Place::new().ferry(name);
        let _words = run.ends(2).says(&format!("no command and no file '{name}'"));
        assert!(run.err.starts_with("ferry: there is"), "{}", run.err);
    }
}

#[test]
fn a_number_that_no_job_has_is_told_with_status_1() {
    let place = Place::new();
    for earlier in [false, true] {
        for command in ["undo", "undo --dry-run", "resume", "redo", "history"] {
            let run = place.ferry(&format!("{command} 99"));
            let _words = run.ends(1).says("ferry: There is no job 99.");
            assert_eq!(run.out, "", "{command}");
        }
        if !earlier {
            let _one = place.file("a", "1").ferry("copy --quiet a folder").ends(0);
        }
    }
}

/// Whatever is printed on standard output is what was asked for.
#[test]
fn what_cannot_be_printed_is_told() {
    let place = Place::new();
    let _one = place.file("a", "1").ferry("copy --quiet a folder").ends(0);
    let printing = [
        "--help",
        "--version",
        "copy --help",
        "history",
        "history --json",
        "history 1",
        "free",
        "free --dry-run",
        "undo --dry-run",
        "undo --dry-run --json",
        "undo --json",
        "copy --json a other",
    ];
    for arguments in printing {
        let mut command = place.command();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let _self = command.args(arguments.split_whitespace()).stdout(Stdio::from(full));
        let run = Run::from(command.spawn().unwrap().wait_with_output().unwrap());
        let _words = run.ends(1).says("ferry: Not all").says("no space left on device");
    }
    // One who has read enough is no device that is full.
    for arguments in printing {
        let mut child = place.command().args(arguments.split_whitespace()).spawn().unwrap();
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert!(!run.err.contains("Not all"), "{arguments}: {}", run.err);
    }
}

#[test]
fn the_help_names_the_program_and_not_its_file() {
    let place = Place::new();
    let other = place.at("another-name");
    std::os::unix::fs::symlink(FERRY, &other).unwrap();
    for arguments in [&["--help"][..], &["undo", "--help"], &["history", "--help"], &["copy"]] {
        let output = place.of(&other).args(arguments).output().unwrap();
        let run = Run::from(output);
        let text = format!("{}{}", run.out, run.err);
        assert!(text.contains("Usage: ferry") && !text.contains("another-name"), "{text}");
    }
}

/// Errors, warnings and wrong usage begin alike; only results do not.
#[test]
fn every_message_begins_with_the_name_of_the_program() {
    let place = Place::new();
    let _files = place.file("tree/a", "1").file("folder/tree/a", "2").file("list", "a\n");
    let _settings = place.file("config/ferry/settings.json", "{\"tea\": 1}");
    let _socket = std::os::unix::net::UnixListener::bind(place.at("tree/socket")).unwrap();
    let mut told = 0;
    for arguments in [
        "copy tree missing folder",
        "copy --conflict=skip tree folder",
        "copy --files-from list folder",
        "copy --files-from nolist folder",
        "copy --report no/such.txt tree folder",
        "copy tree folder/tree/a",
        "copy --unknown tree folder",
        "copy --quiet",
        "undo 99",
        "resume",
        "redo",
        "history --report r.txt",
    ] {
        let mut command = place.command();
        let _self = command.env("XDG_CONFIG_HOME", place.at("config"));
        let run = Run::from(command.args(arguments.split_whitespace()).output().unwrap());
        // The usage follows the sentence that tells what is wrong with it.
        let sentences = run.err.split("\n\n").next().unwrap().lines();
        let plain = |line: &&str| !line.starts_with("ferry: ");
        let others: Vec<&str> = sentences.filter(plain).collect();
        let result = ["Copied ", "Nothing was "];
        let all_known = others.iter().all(|line| result.iter().any(|it| line.starts_with(it)));
        assert!(all_known && others.len() <= 1, "{arguments}: {}", run.err);
        told += run.err.matches("ferry: ").count();
    }
    assert!(told >= 14, "{told}");
}
