//! The jobs of earlier days: offered at the start, listed, undone.

use ferry::engine::*;
use ferry::ui::Message;
use ferry::ui::dialog::{Message as Dialog, undo};
use ferry::ui::past;
use iced::keyboard::key::Named;

use crate::common::*;
use crate::pictures::{busy, summary};

fn past(id: u64, state: PastState, source: &str) -> Past {
    let ended = !matches!(state, PastState::Running | PastState::Unfinished);
    Past {
        id: JournalId(id),
        state,
        began: 1_784_000_000 - 86_400 * id as i64,
        kind: JobKind::Copy,
        sources: vec![source.into()],
        source_count: id,
        destination: "/srv/Archive".into(),
        entries: ended.then(|| summary(1_200, 0).entries),
        bytes: ended.then(|| summary(1_200, 0).bytes),
        merged: ended.then_some(0),
    }
}

/// A window that remembers jobs, in a store where nothing is.
fn stage(jobs: Vec<Past>) -> Stage {
    let mut stage = busy();
    let store = Store::at("/nonexistent/ferry".as_ref(), "/nonexistent/Trash".as_ref());
    *stage.notes.store.lock().unwrap() = Some(store);
    stage.tell(Message::Past(past::Message::Listed(jobs)));
    stage
}

fn history(jobs: Vec<Past>) -> Stage {
    let mut stage = stage(jobs.clone());
    stage.letter('h');
    stage.tell(Message::Past(past::Message::Listed(jobs)));
    stage
}

fn every_state() -> Vec<Past> {
    use PastState::{Cancelled, Finished, Refused, Running, Undone, Unfinished};
    let states = [Running, Unfinished, Finished, Cancelled, Refused, Undone];
    let named = |(at, state)| past(at as u64 + 1, state, &format!("/home/anna/{state:?}"));
    states.into_iter().enumerate().map(named).collect()
}

fn report() -> UndoReport {
    let left = ["/srv/Archive/a changed file.txt", "/srv/Archive/folder"];
    let why = [LeftWhy::Changed, LeftWhy::NotEmpty];
    UndoReport {
        removed: 1_198,
        brought_back: 2,
        left: left
            .into_iter()
            .zip(why)
            .map(|(path, why)| Left { path: path.into(), why, old: None })
            .collect(),
        left_count: 2,
        ..UndoReport::default()
    }
}

fn tell_undo(stage: &mut Stage, message: undo::Message) {
    stage.tell(Message::Dialog(Dialog::Undo(message)));
}

#[test]
fn an_unfinished_job_is_offered_at_the_start() {
    let mut stage = stage(vec![past(1, PastState::Unfinished, "/home/anna/Letters from home")]);
    assert!(stage.shows("“Letters from home” to “Archive” was not finished."));
    stage.click("Discard");
    assert!(stage.shows("Forget this job?"));
    stage.click("Keep it");
    stage.tell(Message::Past(past::Message::Resumed(JournalId(1), Ok(JobId(9)))));
    assert!(!stage.shows("“Letters from home” to “Archive” was not finished."));
}

#[test]
fn several_unfinished_jobs_lead_to_the_history() {
    let unfinished = |id| past(id, PastState::Unfinished, "/a");
    let mut stage = stage(vec![unfinished(1), unfinished(2), past(3, PastState::Finished, "/b")]);
    assert!(stage.shows("2 jobs were not finished."));
    stage.click("Look");
    assert!(stage.shows("History"));
    stage.key(Named::Escape);
    stage.click("Later");
    assert!(!stage.shows("2 jobs were not finished."));
}

#[test]
fn a_job_that_cannot_go_on_says_why() {
    let mut stage = stage(vec![past(1, PastState::Unfinished, "/a")]);
    let why = Err("The destination of this job is not there".to_owned());
    stage.tell(Message::Past(past::Message::Resumed(JournalId(1), why)));
    assert!(stage.shows("The destination of this job is not there"));
    stage.key(Named::Enter);
    assert!(stage.shows("“a” to “Archive” was not finished."), "it is offered still");
}

#[test]
fn the_history_names_jobs_and_where_they_stand() {
    let stage = history(every_state());
    for words in ["runs", "not finished", "copied", "cancelled", "could not start", "undone"] {
        assert!(stage.shows(words), "{words}");
    }
    assert!(stage.shows("Finished and 2 more"));
}

#[test]
fn a_job_of_the_history_is_undone_after_a_preview() {
    let mut stage = history(every_state());
    stage.letter('u');
    assert!(stage.shows("History"), "a job that runs is not undone");
    stage.key(Named::ArrowDown);
    stage.key(Named::ArrowDown);
    stage.letter('u');
    assert!(stage.shows("Undo “Finished and 2 more”?"));
    assert!(!stage.try_click("Undo"), "not before it is known what it does");
    tell_undo(&mut stage, undo::Message::Previewed(JournalId(9), Ok(UndoReport::default())));
    assert!(stage.shows("Looking what is there…"), "that was of another job");
    tell_undo(&mut stage, undo::Message::Previewed(JournalId(3), Ok(report())));
    for words in [
        "1 198 copies will be removed",
        "2 replaced files will come back",
        "2 items stay as they are:",
        "changed since",
        "holds something else",
    ] {
        assert!(stage.shows(words), "{words}");
    }
    stage.click("Undo");
    assert!(stage.shows("Stop"));
    tell_undo(&mut stage, undo::Message::Undone(JournalId(3), Ok(report())));
    assert!(stage.shows("1 198 copies were removed"));
    stage.key(Named::Enter);
    assert!(!stage.shows("1 198 copies were removed"));
}

#[test]
fn where_nothing_can_be_undone_nothing_is_offered() {
    let mut stage = history(vec![past(1, PastState::Finished, "/a")]);
    stage.letter('u');
    tell_undo(&mut stage, undo::Message::Previewed(JournalId(1), Ok(UndoReport::default())));
    assert!(stage.shows("There is nothing to take back."));
    assert!(!stage.try_click("Undo"));
    stage.key(Named::Escape);
    stage.letter('h');
    stage.tell(Message::Past(past::Message::Listed(vec![past(2, PastState::Finished, "/b")])));
    stage.letter('u');
    let why = Err("The destination of this job is not there".to_owned());
    tell_undo(&mut stage, undo::Message::Previewed(JournalId(2), why));
    assert!(stage.shows("The destination of this job is not there"));
}

#[test]
fn an_ended_job_of_this_session_can_be_undone() {
    let mut stage = stage(Vec::new());
    stage.event(Event::Finished { job: JobId(1), summary: summary(29_000, 0) });
    stage.click("Undo");
    assert!(stage.shows("Undo “Photos 2026 and 3 more”?"));
}

#[test]
fn a_job_is_done_again_from_the_history() {
    let mut stage = history(every_state());
    let spec = spec(&["/a"], "/b");
    stage.tell(Message::Past(past::Message::Again(Ok(Box::new(spec.clone())))));
    let [Command::Add { spec: again, .. }] = &stage.sent()[..] else { panic!("one job") };
    assert_eq!(*again, spec);
    assert!(!stage.shows("History"));
}

#[test]
fn pictures() {
    let mut stage = history(every_state());
    crate::pictures::everywhere(&mut stage, "history");
    stage.key(Named::ArrowDown);
    stage.letter('u');
    tell_undo(&mut stage, undo::Message::Previewed(JournalId(2), Ok(report())));
    crate::pictures::everywhere(&mut stage, "undo");
    let left = self::stage(vec![past(1, PastState::Unfinished, "/home/anna/Letters")]);
    crate::pictures::everywhere(&mut { left }, "left");
}
