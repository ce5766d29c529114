//! The list of entries: tabs, names, a million rows.

use ferry::engine::*;
use ferry::ui::Message;
use ferry::ui::screen::matches::{Matches, Tab};
use ferry::ui::screen::{detail, entries};
use iced::keyboard::key::Named;
use std::time::Duration;

use crate::common::*;

fn stage(count: usize) -> Stage {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Photos 2026"], "/srv/backup"), photos(count));
    stage.event(Event::State { job, state: JobState::Running });
    stage
}

fn find(stage: &mut Stage, name: &str) {
    let message = entries::Message::Find(name.into());
    stage.tell(Message::Detail(detail::Message::Entries(message)));
}

#[test]
fn entries_are_shown_with_their_states() {
    let mut stage = stage(3);
    stage.size.1 = 1000.0;
    for words in ["IMG_20260714_201311.jpg", "copied", "6.1 MB", "waits for you", "failed"] {
        assert!(stage.shows(words), "{words}");
    }
}

#[test]
fn a_tab_shows_one_kind_of_state() {
    let mut stage = stage(3);
    stage.click("Failed");
    assert!(stage.shows("старый архив.zip"));
    assert!(stage.shows("live.log"));
    assert!(!stage.shows("IMG_20260714_201311.jpg"));
    stage.click("Done");
    assert!(stage.shows("notes: june?.txt"));
    assert!(!stage.shows("старый архив.zip"));
    stage.key(Named::ArrowLeft);
    assert!(stage.shows("left alone.txt"));
}

#[test]
fn a_file_in_work_is_shown_once() {
    let mut stage = stage(300);
    stage.size.1 = 1000.0;
    let snapshot = sample(1000, 36_400_000);
    stage.event(Event::Progress { job: JobId(1), snapshot });
    let film = "IMG_20260714_201502.mp4";
    assert_eq!(stage.count(film), 1, "above the list");
    assert_eq!(stage.count("IMG_20260714_201311.jpg"), 1, "its neighbour");
    find(&mut stage, "201502");
    assert_eq!(stage.count(film), 1, "found by its name");
    find(&mut stage, "");
    stage.event(Event::State { job: JobId(1), state: JobState::Waiting });
    assert_eq!(stage.count(film), 1, "in the list of a job that rests");
}

#[test]
fn a_folder_is_not_in_work_itself() {
    let mut stage = stage(3);
    assert!(stage.shows("being filled"));
    stage.event(Event::Progress { job: JobId(1), snapshot: sample(1000, 36_400_000) });
    stage.click("In work 2");
    assert!(!stage.shows("being filled"));
    find(&mut stage, "photos");
    assert!(!stage.shows("being filled"), "a search by state agrees with the count");
}

#[test]
fn what_is_done_is_counted() {
    let mut stage = stage(3);
    stage.event(Event::Progress { job: JobId(1), snapshot: sample(1000, 36_400_000) });
    assert!(stage.shows("Done 18\u{202f}420"));
}

#[test]
fn a_name_is_found_in_any_case_and_script() {
    let mut stage = stage(100);
    find(&mut stage, "АРХИВ");
    assert!(stage.shows("старый архив.zip"));
    assert!(!stage.shows("live.log"));
    find(&mut stage, "LIVE");
    assert!(stage.shows("live.log"));
    find(&mut stage, "no such thing");
    assert!(stage.shows("No name with “no such thing” here."));
}

#[test]
fn a_parked_entry_leads_to_its_question_and_a_failed_one_is_tried_again() {
    let mut stage = stage(3);
    stage.size.1 = 1000.0;
    let job = JobId(1);
    let questions = vec![
        conflict(1, 4, "Photos 2026/Rīga, vecpilsēta.xcf"),
        failure(2, 5, "Photos 2026/старый архив.zip", 5),
    ];
    stage.event(Event::Asked { job, questions });
    stage.click("failed · Retry");
    let retry =
        Command::Answer { job, question: QuestionId(2), action: Action::Retry, scope: Scope::This };
    assert_eq!(stage.sent(), [retry]);
    stage.click("waits for you");
    assert!(stage.shows("“Rīga, vecpilsēta.xcf” is already there"));
}

#[test]
fn entries_that_are_listed_later_are_found_too() {
    let plan = photos(3);
    let mut matches = Matches::default();
    matches.set(Tab::All, "new");
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(matches.len(&plan), 0);
    let block = plan.add_sample(None, [file("New.txt", 1, EntryState::Pending)]);
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(matches.get(0), Some(block.id(0)));
}

#[test]
fn entries_stand_by_name_within_their_folders() {
    let plan = Plan::default();
    let pending = |name| file(name, 1, EntryState::Pending);
    let folder = plan.add_sample(None, ["b", "C", "a"].map(pending)).id(0);
    let block = plan.add_sample(Some(folder), ["10", "0", "1"].map(pending));
    let names = |matches: &Matches, count: usize| -> Vec<String> {
        let name = |at| plan.entry(matches.get(at).unwrap()).unwrap().name.into_string().unwrap();
        (0..count).map(name).collect()
    };
    let mut matches = Matches::default();
    matches.set(Tab::All, "");
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(names(&matches, 6), ["a", "b", "C", "0", "1", "10"]);
    // What the list has not seen yet stands at the end, and nothing stands twice.
    let _later = plan.add_sample(None, [pending("A")]);
    assert_eq!(names(&matches, 7), ["a", "b", "C", "0", "1", "10", "A"]);
    plan.set_sample_state(block.id(0), EntryState::Failed);
    plan.set_sample_state(block.id(1), EntryState::Failed);
    matches.set(Tab::Failed, "");
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(names(&matches, 2), ["0", "10"]);
    matches.set(Tab::All, "1");
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(names(&matches, 2), ["1", "10"]);
}

#[test]
fn a_changed_state_is_seen_by_the_next_search() {
    let plan = photos(3);
    let mut matches = Matches::default();
    matches.set(Tab::Waiting, "");
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(matches.len(&plan), 1);
    plan.set_sample_state(EntryId(4), EntryState::Done);
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(matches.len(&plan), 0);
}

#[test]
fn a_search_over_a_million_entries_goes_in_steps_and_keeps_its_place() {
    let plan = Plan::default();
    for part in 0..1000 {
        let names =
            (0..1000).map(|at| file(&format!("file_{}", part * 1000 + at), 1, EntryState::Done));
        let _block = plan.add_sample(None, names.collect::<Vec<_>>());
    }
    let mut matches = Matches::default();
    matches.set(Tab::Done, "_99999");
    let mut steps = 1;
    while matches.step(&plan, Duration::ZERO) {
        steps += 1;
    }
    assert!(steps > 100, "{steps}");
    assert_eq!(matches.len(&plan), 11);
    assert_eq!(
        matches.get(10).and_then(|id| plan.entry(id)).expect("an entry").name,
        "file_999999"
    );
}

#[test]
fn the_end_of_a_million_rows_is_reached() {
    let mut stage = Stage::new();
    let plan = Plan::default();
    for part in 0..100 {
        let names = (0..10_000)
            .map(|at| file(&format!("file_{}", part * 10_000 + at), 1, EntryState::Done));
        let _block = plan.add_sample(None, names.collect::<Vec<_>>());
    }
    let _job = stage.job(1, spec(&["/million"], "/srv"), plan);
    stage.key(Named::End);
    assert!(stage.shows("file_999999"));
    stage.key(Named::PageUp);
    assert!(!stage.shows("file_999999"));
    stage.key(Named::Home);
    assert!(stage.shows("file_0"));
}

#[test]
fn many_entries_are_arranged_aside_and_stand_by_name() {
    let plan = Plan::default();
    let sample = |number: u32| file(&format!("file {number:05}"), 1, EntryState::Done);
    let _block = plan.add_sample(None, (0..5_000).rev().map(sample));
    let mut matches = Matches::default();
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(matches.get(0), Some(EntryId(0)), "in the order of the disk at first");
    assert!(matches.wants_order(&plan));
    assert!(!matches.wants_order(&plan), "once is enough");
    matches.set_order(Some(ferry::ui::screen::matches::arranged(&plan)));
    assert_eq!(matches.get(0), Some(EntryId(4_999)));
    assert_eq!(matches.place_in_all(EntryId(4_999)), 0);
    assert!(!matches.wants_order(&plan));
    // What a search by state finds stands in the same order.
    matches.set(Tab::Done, "");
    assert!(!matches.step(&plan, Duration::from_secs(1)));
    assert_eq!(matches.get(1), Some(EntryId(4_998)));
}

#[test]
fn no_line_stands_empty_while_the_job_runs() {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Photos 2026"], "/srv"), photos(3));
    stage.event(Event::State { job, state: JobState::Running });
    stage.event(Event::Progress { job, snapshot: sample(1000, 5) });
    let place = |stage: &Stage, name: &str| {
        stage.look(|eye| eye.find(name.to_owned()).map(|text| text.bounds().y)).expect("a row")
    };
    let (first, folder) =
        (place(&stage, "IMG_20260714_201502.mp4"), place(&stage, "notes: june?.txt"));
    // One ends and nothing new begins: it stays, and the list below does not jump.
    let mut snapshot = sample(1200, 5);
    let _ended = snapshot.in_work.remove(0);
    stage.event(Event::Progress { job, snapshot });
    assert_eq!(place(&stage, "IMG_20260714_201502.mp4"), first);
    assert_eq!(place(&stage, "notes: june?.txt"), folder);
    assert_eq!(stage.count("IMG_20260714_201502.mp4"), 1);
    // Another one takes its place.
    let mut snapshot = sample(1400, 5);
    snapshot.in_work[0] = InWork {
        entry: EntryId(6),
        path: "Photos 2026/notes: june?.txt".into(),
        done: 1,
        size: 4000,
    };
    stage.event(Event::Progress { job, snapshot });
    assert_eq!(place(&stage, "notes: june?.txt"), first);
}
