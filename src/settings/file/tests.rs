//! The settings' file: what is read from it, and what is left of it after it was written.

use super::*;
use crate::engine::DAYS;

fn loaded(text: &str) -> Loaded {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    load_from(file.path())
}

#[test]
fn settings_are_read() {
    let Loaded { settings, complaints, .. } = loaded(
        r#"{"conflict": "keep-both", "folder_conflict": "keep_existing",
            "rename_pattern": "{name}-{number}{ext}", "keep_replaced": 7, "verify": true,
            "preserve": "mode, times", "workers": 3}"#,
    );
    assert_eq!(complaints, [""; 0]);
    assert_eq!(settings.conflict, Some(ConflictRule::KeepBoth));
    assert_eq!(settings.folder_conflict, Some(FolderRule::KeepExisting));
    assert_eq!(settings.rename_pattern.clone().unwrap().to_string(), "{name}-{number}{ext}");
    let options = settings.options();
    assert_eq!((options.keep_replaced, options.verify), (KeepReplaced::Days(7), true));
    let preserve = Preserve { mode: true, times: true, ..Preserve::NONE };
    assert_eq!((options.preserve, options.workers), (preserve, Some(3)));
}

#[test]
fn no_file_is_no_complaint() {
    let path = Path::new("/nonexistent/settings.json");
    let expected = Loaded { file: Some(path.to_path_buf()), ..Loaded::default() };
    assert_eq!(load_from(path), expected);
}

#[test]
fn what_is_wrong_is_told_and_the_rest_is_used() {
    for (text, told) in [
        (r#"{"conflict": "skip", "colour": "red"}"#, "colour"),
        (r#"{"conflict": "skip", "folder_conflict": "burn"}"#, "folder_conflict"),
        (r#"{"conflict": "skip", "folder_conflict": "skip_unanswered"}"#, "folder_conflict"),
        (r#"{"conflict": "skip", "rename_pattern": "{x}"}"#, "rename_pattern"),
        (r#"{"conflict": "skip", "rename_pattern": 7}"#, "rename_pattern"),
        (r#"{"conflict": "skip", "keep_replaced": 0}"#, "keep_replaced"),
        (r#"{"conflict": "skip", "keep_replaced": 31}"#, "keep_replaced"),
        (r#"{"conflict": "skip", "keep_replaced": "forever"}"#, "keep_replaced"),
        (r#"{"conflict": "skip", "verify": "yes"}"#, "verify"),
        (r#"{"conflict": "skip", "preserve": ["mode", "colour"]}"#, "preserve"),
        (r#"{"conflict": "skip", "preserve": true}"#, "preserve"),
        (r#"{"conflict": "skip", "workers": 0}"#, "workers"),
        (r#"{"conflict": "skip", "workers": 65}"#, "workers"),
        (r#"{"conflict": "skip", "workers": -1}"#, "workers"),
    ] {
        let Loaded { settings, complaints, .. } = loaded(text);
        assert_eq!(
            settings,
            Settings { conflict: Some(ConflictRule::Skip), ..Settings::default() }
        );
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert!(complaints[0].contains(told), "{complaints:?}");
    }
    for broken in ["", "{", "[]", "7", "{\"conflict\"}", "\0"] {
        let Loaded { settings, complaints, .. } = loaded(broken);
        assert_eq!(settings, Settings::default(), "{broken}");
        assert_eq!(complaints.len(), 1, "{broken}");
    }
}

fn every_kind() -> Settings {
    Settings {
        foreign_names: Some(ForeignRule::Map),
        conflict: Some(ConflictRule::SizeOrTime),
        folder_conflict: Some(FolderRule::KeepBoth),
        rename_pattern: Some("{number} {name}".parse().unwrap()),
        keep_replaced: Some(KeepReplaced::Days(DAYS as u16)),
        verify: Some(false),
        preserve: Some(Preserve { times: true, links: true, ..Preserve::NONE }),
        workers: Some(Workers::Number(64)),
    }
}

#[test]
fn what_is_written_is_read_again() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("config/ferry/settings.json");
    let words = [KeepReplaced::Undo, KeepReplaced::Trash, KeepReplaced::Job, KeepReplaced::No];
    let keeps = words.map(|keep| Settings { keep_replaced: Some(keep), ..every_kind() });
    let preserved = [Preserve::ALL, Preserve::NONE];
    let preserved = preserved.map(|kept| Settings { preserve: Some(kept), ..every_kind() });
    let automatic = Settings { workers: Some(Workers::Automatic), ..every_kind() };
    let all = [every_kind()].into_iter().chain(keeps).chain(preserved).chain([automatic]);
    for settings in all {
        let book = Book::of(&load_from(&path));
        book.note(&settings);
        assert_eq!(book.write(false), Ok(()));
        let expected = Loaded { settings, file: Some(path.clone()), ..Loaded::default() };
        assert_eq!(load_from(&path), expected);
    }
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 1, "no temporary file is left");
}

#[test]
fn what_was_not_changed_stays_as_it_stands_in_the_file() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("settings.json");
    fs::write(&path, r#"{"tea": [1], "conflict": "burn", "verify": true, "workers": 2}"#).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let loaded = load_from(&path);
    let book = Book::of(&loaded);
    // Somebody edits the file meanwhile.
    let text = fs::read_to_string(&path).unwrap().replace("true", "false");
    fs::write(&path, text).unwrap();
    book.note(&Settings { workers: Some(Workers::Number(5)), ..loaded.settings });
    assert_eq!(book.write(false), Ok(()));
    let value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let expected =
        serde_json::json!({"tea": [1], "conflict": "burn", "verify": false, "workers": 5});
    assert_eq!(value, expected);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_broken_file_is_told_and_is_set_aside_only_when_that_is_wished() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("settings.json");
    for number in ["", "-2"] {
        fs::write(&path, "{ mine").unwrap();
        let loaded = load_from(&path);
        assert!(loaded.broken);
        let book = Book::of(&loaded);
        book.note(&every_kind());
        assert_eq!(book.write(false), Err(NotWritten::Broken));
        assert_eq!(fs::read(&path).unwrap(), b"{ mine");
        assert_eq!(book.write(true), Ok(()));
        assert_eq!(load_from(&path).settings, every_kind());
        let aside = place.path().join(format!("settings.broken{number}.json"));
        assert_eq!(fs::read(aside).unwrap(), b"{ mine");
    }
}

#[test]
fn a_file_that_is_a_link_stays_one() {
    let place = tempfile::tempdir().unwrap();
    let (path, real) = (place.path().join("settings.json"), place.path().join("real.json"));
    fs::write(&real, "{}").unwrap();
    std::os::unix::fs::symlink(&real, &path).unwrap();
    let book = Book::of(&load_from(&path));
    book.note(&every_kind());
    assert_eq!(book.write(false), Ok(()));
    assert_eq!(load_from(&real).settings, every_kind());
    assert!(path.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn what_cannot_be_written_is_told() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    let path = place.path().join("file/settings.json");
    let book = Book { path: Some(path), ..Book::default() };
    book.note(&every_kind());
    assert!(matches!(book.write(false), Err(NotWritten::Failed(_))));
    assert!(matches!(Book::default().write(false), Err(NotWritten::Failed(_))));
}
