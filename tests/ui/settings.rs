//! The settings: opened, changed by keys and by mouse, written, and used by the next job.

use std::fs;
use std::path::{Path, PathBuf};

use ferry::engine::*;
use ferry::settings::load_from;
use ferry::ui::dialog::{Message as Dialog, destination, settings};
use ferry::ui::keys::Press;
use ferry::ui::memory::Memory;
use ferry::ui::places::Facts;
use ferry::ui::theme::Choice;
use ferry::ui::{Message, intake};
use iced::keyboard::Modifiers;
use iced::keyboard::key::Named;
use serde_json::{Value, json};

use crate::common::*;
use crate::pictures::busy;

/// A window with a settings file; what it holds at first.
fn stage(place: &Path, held: Option<&str>) -> Stage {
    let path = file(place);
    if let Some(held) = held {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, held).expect("a file");
    }
    let mut stage = Stage::with_memory(Memory::default(), Vec::new());
    stage.window.use_settings(load_from(&path));
    stage
}

fn file(place: &Path) -> PathBuf {
    place.join("ferry/settings.json")
}

fn open(stage: &mut Stage) {
    stage.press(Press::letter(',').with(Modifiers::CTRL));
    assert!(stage.shows("Changes count at once, for the jobs that you add from now on."));
}

fn tabs(stage: &mut Stage, count: usize) {
    (0..count).for_each(|_| stage.key(Named::Tab));
}

fn tell(stage: &mut Stage, message: settings::Message) {
    stage.tell(Message::Dialog(Dialog::Settings(message)));
}

/// Waits until the file holds this: it is written in a thread of its own.
#[track_caller]
fn holds(place: &Path, expected: &Value) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let held = fs::read(file(place)).ok();
        let held: Option<Value> = held.and_then(|held| serde_json::from_slice(&held).ok());
        if held.as_ref() == Some(expected) {
            return;
        }
        assert!(std::time::Instant::now() < end, "{held:?}");
        std::thread::yield_now();
    }
}

/// What a job that is added now begins with.
fn next_options(stage: &mut Stage) -> Options {
    let picked = intake::Picked::Paths(vec!["/home/anna/a.txt".into()]);
    stage.tell(Message::Intake(intake::Message::Picked(picked)));
    let to = PathBuf::from("/srv/share");
    let typed = destination::Message::Typed(to.display().to_string());
    stage.tell(Message::Dialog(Dialog::Destination(typed)));
    let looked = destination::Message::Looked(to, Facts::Folder(Space::default()));
    stage.tell(Message::Dialog(Dialog::Destination(looked)));
    stage.click("Copy here");
    match &stage.sent()[..] {
        [Command::Add { spec, .. }] => spec.options.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn keys_alone_change_the_settings_and_the_next_job_has_them() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = stage(place.path(), None);
    open(&mut stage);
    tabs(&mut stage, 1);
    stage.key(Named::ArrowDown);
    stage.key(Named::ArrowDown);
    assert!(stage.shows("Replace"));
    tabs(&mut stage, 1);
    stage.key(Named::ArrowUp);
    tabs(&mut stage, 2);
    stage.key(Named::Enter);
    stage.key(Named::Enter);
    assert!(stage.shows("For 7 days"));
    tabs(&mut stage, 1);
    stage.key(Named::Space);
    tabs(&mut stage, 3);
    stage.key(Named::Space);
    tabs(&mut stage, 3);
    stage.key(Named::ArrowDown);
    stage.key(Named::ArrowDown);
    tabs(&mut stage, 1);
    stage.key(Named::ArrowDown);
    assert!(stage.shows("Copy under a name that it takes"));
    holds(
        place.path(),
        &json!({
            "conflict": "replace",
            "folder_conflict": "rename",
            "keep_replaced": 7,
            "verify": true,
            "preserve": ["mode", "times", "xattr", "links"],
            "workers": 2,
            "foreign_names": "map",
        }),
    );
    tabs(&mut stage, 2);
    stage.key(Named::Enter);
    assert!(!stage.shows("Replaced files"), "Enter on the last control closes");
    let options = next_options(&mut stage);
    assert_eq!(options.conflict, ConflictRule::Replace);
    assert_eq!(options.folder_conflict, FolderRule::Rename);
    assert_eq!((options.keep_replaced, options.verify), (KeepReplaced::Days(7), true));
    assert_eq!((options.preserve.owner, options.preserve.links), (false, true));
    assert_eq!(options.workers, Some(2));
    assert_eq!(options.foreign_names, ForeignRule::Map);
}

#[test]
fn the_mouse_changes_the_settings_too() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = stage(place.path(), Some(r#"{"conflict": "newer"}"#));
    open(&mut stage);
    assert!(stage.shows("Replace if newer, else skip"));
    stage.click("Compare each copy with its source");
    stage.click("Owner");
    stage.click("Hard links");
    tell(&mut stage, settings::Message::Folders(FolderRule::Ask));
    let preserve = json!(["mode", "times", "xattr"]);
    holds(
        place.path(),
        &json!({
            "conflict": "newer", "folder_conflict": "ask", "verify": true, "preserve": preserve
        }),
    );
    stage.click("Close");
    assert!(!stage.shows("Replaced files"));
    assert_eq!(next_options(&mut stage).folder_conflict, FolderRule::Ask);
}

#[test]
fn a_pattern_counts_when_it_is_one() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = stage(place.path(), None);
    open(&mut stage);
    let typed = |pattern: &str| settings::Message::Pattern(pattern.to_owned());
    tell(&mut stage, typed("{name}-{number}{ext}"));
    assert!(stage.shows("“Letter.txt” becomes “Letter-2.txt”"));
    holds(place.path(), &json!({"rename_pattern": "{name}-{number}{ext}"}));
    tell(&mut stage, typed("{colour}"));
    assert!(!stage.shows("“Letter.txt” becomes “Letter-2.txt”"));
    stage.key(Named::Escape);
    let pattern = next_options(&mut stage).rename_pattern;
    assert_eq!(pattern.to_string(), "{name}-{number}{ext}");
}

#[test]
fn colours_are_remembered_with_the_window() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = stage(place.path(), None);
    open(&mut stage);
    tabs(&mut stage, 13);
    stage.key(Named::ArrowDown);
    stage.key(Named::ArrowDown);
    assert!(stage.shows("Dark"));
    assert_eq!(stage.window.theme().map(|theme| theme.to_string()), dark());
    stage.key(Named::Escape);
    assert!(!file(place.path()).exists(), "they are no matter of jobs");
}

fn dark() -> Option<String> {
    Choice::Dark.theme().map(|theme| theme.to_string())
}

#[test]
fn a_broken_file_is_told_and_set_aside_only_when_that_is_wished() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = stage(place.path(), Some("{ mine"));
    stage.key(Named::Escape);
    open(&mut stage);
    stage.click("Compare each copy with its source");
    assert_eq!(fs::read(file(place.path())).expect("a file"), b"{ mine");
    stage.click("Set it aside, begin anew");
    holds(place.path(), &json!({"verify": true}));
    stage.tell(Message::Settled(Ok(())));
    let _gone = stage.look(|eye| eye.find("Set it aside, begin anew".to_owned()).is_err());
    let aside = place.path().join("ferry/settings.broken.json");
    assert_eq!(fs::read(aside).expect("the old one"), b"{ mine");
}

#[test]
fn what_cannot_be_written_is_said_be_the_dialog_open_or_not() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = stage(place.path(), None);
    open(&mut stage);
    let failed = || Err(ferry::settings::NotWritten::Failed("No room for the settings.".into()));
    stage.tell(Message::Settled(failed()));
    assert!(stage.shows("No room for the settings."));
    stage.key(Named::Escape);
    assert!(!stage.shows("No room for the settings."));
    stage.tell(Message::Settled(failed()));
    assert!(stage.shows("No room for the settings."));
    assert!(stage.shows("The change counts until Ferry ends."));
}

/// A window whose jobs have kept something.
fn kept(place: &Path) -> Stage {
    let mut stage = stage(place, None);
    let store = Store::at(&place.join("state"), &place.join("Trash"));
    *stage.notes.store.lock().expect("the store") = Some(store);
    open(&mut stage);
    assert!(stage.shows("Counting the replaced files that are kept…"));
    let oldest = jiff::Timestamp::now().as_second() - 3 * 86_400 - 60;
    let room = KeptRoom { files: 34, bytes: 1_200_000_000, oldest: Some(oldest) };
    tell(&mut stage, settings::Message::Counted(Some(room)));
    stage
}

#[test]
fn the_room_of_replaced_files_is_given_back_after_a_question() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = kept(place.path());
    assert!(stage.shows("Replaced files kept: 1.2 GB, oldest from 3 days ago"));
    let asks = "Remove 34 old files for good? Undo cannot bring them back then.";
    tabs(&mut stage, 5);
    stage.key(Named::Enter);
    assert!(stage.shows(asks));
    stage.key(Named::Enter);
    assert!(!stage.shows(asks), "a second Enter keeps them");
    stage.click("Give the room back…");
    stage.key(Named::Escape);
    assert!(!stage.shows(asks) && stage.shows("Settings"), "Escape takes back the question alone");
    stage.click("Give the room back…");
    stage.click("Remove");
    assert!(stage.shows("Removing the replaced files that are kept…"));
    let freed = KeptRoom { files: 34, bytes: 1_200_000_000, oldest: Some(0) };
    tell(&mut stage, settings::Message::Freed(Some(freed)));
    assert!(stage.shows("1.2 GB given back."));
    tell(&mut stage, settings::Message::Counted(Some(KeptRoom::default())));
    assert!(stage.shows("No replaced files are kept."));
}

#[test]
fn pictures() {
    let place = tempfile::tempdir().expect("a folder");
    let mut stage = kept(place.path());
    crate::pictures::everywhere(&mut stage, "settings");
    tabs(&mut stage, 5);
    stage.key(Named::Enter);
    crate::pictures::everywhere(&mut stage, "settings-asks");
    let mut busy = busy();
    busy.window.use_settings(load_from(&file(place.path())));
    open(&mut busy);
    tabs(&mut busy, 3);
    crate::pictures::everywhere(&mut busy, "settings-busy");
}
