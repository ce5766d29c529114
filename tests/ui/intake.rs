//! From a drop or a chooser over the destination to a job.

use std::path::PathBuf;

use ferry::engine::*;
use ferry::ui::Message;
use ferry::ui::dialog::{Message as Dialog, destination};
use ferry::ui::intake;
use ferry::ui::keys::Press;
use ferry::ui::places::{Facts, Place, PlaceKind, Space, typed_path};
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
