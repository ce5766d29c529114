//! From a drop or a chooser over the destination to a job.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ferry::engine::*;
use ferry::ui::Message;
use ferry::ui::dialog::{Message as Dialog, destination};
use ferry::ui::intake;
use ferry::ui::keys::Press;
use ferry::ui::memory::Memory;
use ferry::ui::places::{Facts, Place, PlaceKind, typed_path};
use iced::keyboard::key::Named;

use crate::common::*;

fn drop_files(stage: &mut Stage, files: &[&str]) {
    for _ in files {
        stage.tell(Message::Intake(intake::Message::Hovered));
    }
    for file in files {
        stage.tell(Message::Intake(intake::Message::Dropped(file.into())));
    }
    stage.tell(Message::Intake(intake::Message::Settled(files.len())));
}

fn tell(stage: &mut Stage, message: destination::Message) {
    stage.tell(Message::Dialog(Dialog::Destination(message)));
}

fn offer(stage: &mut Stage, places: &[&str]) {
    let place = |path: &&str| Place { path: path.into(), kind: PlaceKind::InHome };
    let places = places.iter().map(place).collect();
    tell(stage, destination::Message::Offered(places));
}

fn looked(stage: &mut Stage, path: &str, facts: Facts) {
    tell(stage, destination::Message::Looked(path.into(), facts));
}

fn ext4() -> Facts {
    Facts::Folder(Space { file_system: Some("ext4".into()), free: Some(210_000_000_000) })
}

fn only_spec(stage: &Stage) -> JobSpec {
    match stage.sent().as_slice() {
        [Command::Add { spec, .. }] => spec.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_window_says_what_to_do() {
    let stage = Stage::new();
    assert!(stage.shows("Drop files or folders here, or add them. Then say where they shall go."));
    assert!(stage.shows("Add files…"));
}

#[test]
fn what_is_held_over_the_window_is_counted() {
    let mut stage = Stage::new();
    for _ in 0..3 {
        stage.tell(Message::Intake(intake::Message::Hovered));
    }
    assert!(stage.shows("Drop here to copy or move 3 items"));
    stage.tell(Message::Intake(intake::Message::HoverLeft));
    assert!(!stage.shows("Drop here to copy or move 3 items"));
}

#[test]
fn the_files_of_a_drop_become_one_job() {
    let mut stage = Stage::new();
    drop_files(&mut stage, &["/home/anna/a.txt", "/home/anna/b.txt", "/home/anna/c"]);
    assert!(stage.shows("Copy 3 items to…"));
    offer(&mut stage, &["/srv/share", "/srv/backup"]);
    looked(&mut stage, "/srv/backup", ext4());
    assert!(stage.shows("ext4 · 210 GB free"));
    stage.click("/srv/backup");
    stage.click("Copy here");
    let spec = only_spec(&stage);
    assert_eq!(spec.destination, PathBuf::from("/srv/backup"));
    assert_eq!(
        spec.sources,
        ["/home/anna/a.txt", "/home/anna/b.txt", "/home/anna/c"].map(PathBuf::from)
    );
    assert_eq!(spec.kind, JobKind::Copy);
    assert!(!stage.shows("Copy here"));
}

#[test]
fn a_drop_is_not_whole_while_more_files_come() {
    let mut stage = Stage::new();
    stage.tell(Message::Intake(intake::Message::Dropped("/a".into())));
    stage.tell(Message::Intake(intake::Message::Dropped("/b".into())));
    stage.tell(Message::Intake(intake::Message::Settled(1)));
    assert!(!stage.shows("Copy here"));
    stage.tell(Message::Intake(intake::Message::Settled(2)));
    assert!(stage.shows("Copy 2 items to…"));
}

#[test]
fn a_second_drop_joins_the_first_that_still_waits() {
    let mut stage = Stage::new();
    drop_files(&mut stage, &["/a"]);
    drop_files(&mut stage, &["/b", "/a"]);
    assert!(stage.shows("Copy 2 items to…"));
}

#[test]
fn sources_of_the_command_line_wait_for_a_destination() {
    let stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    assert!(stage.shows("Copy “letters” to…"));
    assert!(stage.sent().is_empty());
}

#[test]
fn a_destination_can_be_typed_and_started_by_the_keyboard() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    tell(&mut stage, destination::Message::Typed("/srv/new folder".into()));
    looked(&mut stage, "/srv/new folder", Facts::Missing(Space::default()));
    assert!(stage.shows("Will be made"));
    stage.key(Named::Enter);
    assert_eq!(only_spec(&stage).destination, PathBuf::from("/srv/new folder"));
}

#[test]
fn a_path_typed_at_once_is_whole() {
    for path in ["/media/cm/May and/more", "~/music/May and/more", "/dev/shm/x/to"] {
        let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
        offer(&mut stage, &["/srv/share"]);
        stage.type_at_once(path);
        assert!(stage.shows(path));
        stage.key(Named::Enter);
        let spec = only_spec(&stage);
        assert_eq!(Some(spec.destination), typed_path(path));
        assert_eq!(spec.kind, JobKind::Copy);
    }
}

#[test]
fn a_path_goes_on_where_the_field_has_lost_the_focus() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    offer(&mut stage, &["/srv/share"]);
    // Each of these comes to a window whose field has not got the focus.
    for part in ["/", "m", "edia", " c", "/m"] {
        stage.type_at_once(part);
    }
    stage.key(Named::Enter);
    let spec = only_spec(&stage);
    assert_eq!(spec.destination, PathBuf::from("/media c/m"));
    assert_eq!(spec.kind, JobKind::Copy);
}

#[test]
fn letters_alone_change_nothing() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    offer(&mut stage, &["/srv/share"]);
    stage.type_at_once("mcsm");
    assert!(stage.shows("Copy “letters” to…"));
    assert!(stage.shows("Copy here"));
    stage.key(Named::Enter);
    assert_eq!(only_spec(&stage).destination, PathBuf::from("/srv/share"));
}

#[test]
fn a_file_is_no_destination() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    tell(&mut stage, destination::Message::Typed("/etc/hosts".into()));
    looked(&mut stage, "/etc/hosts", Facts::NotAFolder);
    assert!(stage.shows("This is a file, not a folder."));
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty());
    tell(&mut stage, destination::Message::Typed("some/where".into()));
    assert!(stage.shows("Give the whole path, beginning with / or ~."));
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty());
}

#[test]
fn arrows_choose_a_folder_and_alt_m_moves() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    offer(&mut stage, &["/srv/one", "/srv/two", "/srv/three"]);
    stage.key(Named::ArrowDown);
    stage.press(Press::letter('m').with(iced::keyboard::Modifiers::ALT));
    assert!(stage.shows("Move “letters” to…"));
    stage.key(Named::Enter);
    let spec = only_spec(&stage);
    assert_eq!(spec.destination, PathBuf::from("/srv/two"));
    assert_eq!(spec.kind, JobKind::Move);
}

#[test]
fn verifying_is_a_tick_for_mouse_and_keyboard() {
    let mut stage = Stage::new();
    drop_files(&mut stage, &["/a"]);
    offer(&mut stage, &["/srv/share"]);
    stage.click("Options");
    stage.click("Verify");
    stage.press(Press::letter('v').with(iced::keyboard::Modifiers::ALT));
    stage.press(Press::letter('v').with(iced::keyboard::Modifiers::ALT));
    stage.click("Copy here");
    assert!(only_spec(&stage).options.verify);
    let mut stage = Stage::new();
    drop_files(&mut stage, &["/a"]);
    offer(&mut stage, &["/srv/share"]);
    stage.press(Press::letter('v').with(iced::keyboard::Modifiers::ALT));
    stage.press(Press::letter('v').with(iced::keyboard::Modifiers::ALT));
    stage.click("Copy here");
    assert!(!only_spec(&stage).options.verify);
}

#[test]
fn what_is_kept_beside_the_data_is_said_in_the_dialog_and_remembered() {
    let mut stage = Stage::new();
    drop_files(&mut stage, &["/a"]);
    offer(&mut stage, &["/srv/share"]);
    assert!(!stage.shows("Permissions and times"), "the options are folded");
    stage.click("Options");
    stage.click("Permissions and times");
    stage.click("Verify");
    stage.click("Copy here");
    let kept = Preserve { mode: true, times: true, ..Preserve::NONE };
    let options = only_spec(&stage).options;
    assert_eq!((options.preserve, options.verify), (kept, true));
    // The next time it begins with that, and shows it.
    let _sent = stage.sent();
    drop_files(&mut stage, &["/b"]);
    offer(&mut stage, &["/srv/share"]);
    assert!(stage.shows("Permissions and times"));
    stage.click("The data alone");
    stage.click("Verify");
    stage.click("Copy here");
    let options = only_spec(&stage).options;
    assert_eq!((options.preserve, options.verify), (Preserve::NONE, false));
}

#[test]
fn the_options_take_the_place_of_a_folder() {
    let places = ["/1", "/2", "/3", "/4", "/5", "/6"];
    let mut stage = Stage::new();
    stage.size = (720.0, 480.0);
    drop_files(&mut stage, &["/a"]);
    offer(&mut stage, &places);
    let place = |stage: &Stage| {
        stage.look(|eye| eye.find("Copy here".to_owned()).map(|text| text.bounds().y)).unwrap()
    };
    let before = place(&stage);
    stage.click("Options");
    assert_eq!(place(&stage), before);
    assert!(before < 480.0 - 40.0);
}

#[test]
fn escape_copies_nothing() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    offer(&mut stage, &["/srv/one"]);
    stage.key(Named::Escape);
    assert!(stage.sent().is_empty());
    assert!(!stage.shows("Copy here"));
}

#[test]
fn tab_goes_through_the_buttons() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    offer(&mut stage, &["/srv/one"]);
    // The focus begins on "Copy here"; before it stands "Cancel".
    stage.press(Press::named(Named::Tab).with(iced::keyboard::Modifiers::SHIFT));
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty());
    assert!(!stage.shows("Copy here"));
}

#[test]
fn a_chooser_that_is_not_there_is_told() {
    let mut stage = Stage::new();
    stage.tell(Message::Intake(intake::Message::Picked(intake::Picked::NoChooser)));
    assert!(stage.shows("This desktop has no file chooser"));
    stage.key(Named::Enter);
    assert!(!stage.shows("This desktop has no file chooser"));
}

#[test]
fn a_folder_inside_a_source_is_refused_before_anything_starts() {
    let mut stage = Stage::with_sources(vec!["/home/anna".into()]);
    offer(&mut stage, &["/home/anna/Letters"]);
    looked(&mut stage, "/home/anna/Letters", ext4());
    let inside = |source: &str| {
        destination::Message::Around("/home/anna/Letters".into(), Some(source.into()))
    };
    tell(&mut stage, inside("/home/anna"));
    assert!(stage.shows("This folder lies in “anna”, which cannot be copied into itself."));
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty());
    // With other sources beside it, those can be copied; the warning stays.
    drop_files(&mut stage, &["/srv/film.mkv"]);
    tell(&mut stage, inside("/home/anna"));
    assert!(stage.shows("This folder lies in “anna”, which cannot be copied into itself."));
    stage.key(Named::Enter);
    assert_eq!(only_spec(&stage).sources.len(), 2);
}

#[test]
fn sources_that_are_gone_are_told_before_anything_starts() {
    let mut stage = Stage::with_sources(vec!["/a/one".into(), "/a/two".into()]);
    offer(&mut stage, &["/srv"]);
    tell(&mut stage, destination::Message::Missing(vec!["/a/one".into()]));
    assert!(stage.shows("“one” is not there."));
    tell(&mut stage, destination::Message::Missing(vec!["/a/one".into(), "/a/two".into()]));
    assert!(stage.shows("2 of them are not there, as “one”."));
    stage.key(Named::Enter);
    assert!(stage.sent().is_empty(), "nothing is left to copy");
}

#[test]
fn a_recent_folder_that_is_gone_is_not_offered() {
    let mut stage = Stage::with_sources(vec!["/home/anna/letters".into()]);
    let place = |path: &str, kind| Place { path: path.into(), kind };
    let places =
        vec![place("/media/stick", PlaceKind::Recent), place("/srv/one", PlaceKind::InHome)];
    tell(&mut stage, destination::Message::Offered(places));
    looked(&mut stage, "/media/stick", Facts::Missing(Space::default()));
    assert!(!stage.shows("/media/stick"));
    stage.key(Named::Enter);
    assert_eq!(only_spec(&stage).destination, PathBuf::from("/srv/one"));
}

#[test]
fn looks_at_real_folders_find_what_lies_in_what() {
    let dir = tempfile::tempdir().unwrap();
    let (source, inner) = (dir.path().join("source"), dir.path().join("source/inner"));
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::create_dir(dir.path().join("sourceful")).unwrap();
    std::os::unix::fs::symlink(&inner, dir.path().join("link")).unwrap();
    let sources = [dir.path().join("other"), source.clone()];
    let around = |below: &str| source_around(&dir.path().join(below), &sources);
    for inside in ["source", "source/inner", "source/new/er", "link", "link/new"] {
        assert_eq!(around(inside), Some(source.as_path()), "{inside}");
    }
    for outside in ["", "sourceful", "other", "new"] {
        assert_eq!(around(outside), None, "{outside}");
    }
}

#[test]
fn colours_and_the_last_folder_are_remembered() {
    use std::os::unix::ffi::OsStringExt;
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state/ferry/window.json");
    let odd = PathBuf::from(OsString::from_vec(b"/srv/\xff\n".to_vec()));
    let mut stage = Stage::with_memory(Memory::at(file.clone()), vec!["/a".into()]);
    stage.tell(Message::Header(ferry::ui::screen::header::Message::NextTheme));
    let theme = stage.window.theme().map(|theme| theme.to_string());
    tell(&mut stage, destination::Message::Picked(intake::Picked::Paths(vec![odd.clone()])));
    stage.key(Named::Enter);
    assert_eq!(only_spec(&stage).destination, odd);
    let deadline = Instant::now() + Duration::from_secs(10);
    while Memory::at(file.clone()).recent().is_empty() {
        assert!(Instant::now() < deadline, "nothing was written");
        std::thread::yield_now();
    }
    let memory = Memory::at(file.clone());
    assert_eq!(memory.recent(), [odd]);
    let again = Stage::with_memory(memory, Vec::new());
    assert_eq!(again.window.theme().map(|theme| theme.to_string()), theme);
    std::fs::write(&file, "{ torn").unwrap();
    assert!(Memory::at(file).recent().is_empty());
}

#[test]
fn sources_can_join_a_job_that_goes_to_the_same_place() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Photos"], "/srv/share"), Plan::default());
    drop_files(&mut stage, &["/home/anna/b.txt"]);
    offer(&mut stage, &["/srv/backup", "/srv/share"]);
    assert!(!stage.shows("Add to “Photos”, which goes there too"));
    stage.click("/srv/share");
    stage.click("Add to “Photos”, which goes there too");
    stage.key(Named::Enter);
    let wanted = spec(&["/home/anna/b.txt"], "/srv/share");
    assert_eq!(stage.sent(), [Command::AddSources { job, spec: wanted.clone() }]);
    // What cannot join is a job of its own.
    stage.event(Event::SourcesRefused { job, spec: wanted.clone(), why: Refusal::TooLate });
    assert_eq!(only_spec(&stage), wanted);
    // Nobody joins unasked.
    drop_files(&mut stage, &["/home/anna/c.txt"]);
    offer(&mut stage, &["/srv/share"]);
    stage.key(Named::Enter);
    assert_eq!(only_spec(&stage).destination, PathBuf::from("/srv/share"));
}

#[test]
fn what_the_user_has_settled_is_what_a_job_begins_with() {
    let settings = ferry::settings::Settings {
        conflict: Some(ConflictRule::Newer),
        folder_conflict: Some(FolderRule::Ask),
        verify: Some(true),
        ..Default::default()
    };
    let complaints = vec!["The settings have “tea”.".to_owned()];
    let mut stage = Stage::new();
    stage.window.use_settings(ferry::settings::Loaded {
        settings,
        complaints,
        ..Default::default()
    });
    assert!(stage.shows("The settings have “tea”."));
    stage.key(Named::Escape);
    assert!(!stage.shows("The settings have “tea”."));
    drop_files(&mut stage, &["/home/anna/a.txt"]);
    offer(&mut stage, &["/srv/share"]);
    stage.click("/srv/share");
    stage.click("Copy here");
    let spec = only_spec(&stage);
    assert_eq!(spec.options.conflict, ConflictRule::Newer);
    assert_eq!(spec.options.folder_conflict, FolderRule::Ask);
    assert!(spec.options.verify);
}
