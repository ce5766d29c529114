//! `--help`, `--version`, and what is refused before anything is touched.

use std::fs;
use std::path::Path;

use crate::place::Place;

/// Compares with a golden file; `FERRY_GOLDEN=write` writes it anew.
#[track_caller]
fn golden(name: &str, actual: &str) {
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
        let _words = run.says("error:").says("--help");
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
