//! A folder that is to replace another one, interrupted on the way and resumed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferry::engine::faults::{Call, Faults};
use ferry::engine::{
    Command, Engine, Event, FolderRule, JobId, JobSpec, JobState, JournalId, Outcome, Reflink,
    Store, Summary,
};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::common::{Place, Tree, What, assert_same_tree, copy, eventually, names, read, scratch};
use crate::fault::{Gate, no_fault};

const FIRST: JournalId = JournalId(1);

fn store(place: &Path) -> Store {
    Store::at(&place.join("state"), &place.join("data/Trash"))
}

fn end(events: &mut UnboundedReceiver<Event>) -> Summary {
    loop {
        if let Event::Finished { summary, .. } = events.blocking_recv().expect("it ends") {
            return summary;
        }
    }
}

/// Two folders that come, and two of these names that are there.
fn set_up(place: &Place) -> JobSpec {
    let tree = Tree::new().files("t/comes ", 3, 10).files("t/inner/comes ", 3, 10);
    let source = tree.files("u/comes ", 3, 10).make(&place.join("source"));
    Tree::new().file("t/old", "old t").file("u/old", "old u").make(&place.join("to"));
    let job = copy([source.join("t"), source.join("u")], place.join("to"));
    job.folders(FolderRule::Replace).reflink(Reflink::Never).workers(1).spec
}

/// Begins the job, or goes on with it, and interrupts it when the nth file is going to be made.
fn interrupted(place: &Place, spec: Option<JobSpec>, n: usize, by: fn(JobId) -> Command) {
    let (gate, count) = (Arc::<Gate>::default(), Arc::<AtomicUsize>::default());
    let (stands, counts) = (Arc::clone(&gate), Arc::clone(&count));
    // Other tests' files are none of these.
    let comes = |call, name: &OsStr| call == Call::Create && name.as_bytes().starts_with(b"comes ");
    let faults = Faults::inject(move |call, name| {
        if comes(call, name) && counts.fetch_add(1, Ordering::SeqCst) + 1 == n {
            stands.stand();
        }
        None
    });
    let (engine, mut events) = Engine::start_with(Some(store(place)));
    let job = match spec {
        Some(spec) => engine.add(spec),
        None => engine.resume(FIRST, false).unwrap(),
    };
    eventually("the file is going to be made", || count.load(Ordering::SeqCst) >= n);
    engine.send(by(job));
    let cancelling = |event| matches!(event, Event::State { state: JobState::Cancelling, .. });
    eventually("the job is told", || events.try_recv().is_ok_and(cancelling));
    gate.open(true);
    let summary = end(&mut events);
    assert!(matches!(summary.outcome, Outcome::Cancelled | Outcome::Stopped), "{summary:?}");
    drop(engine);
    drop(faults);
}

fn resumed(place: &Place) -> Summary {
    let _none = no_fault();
    let (engine, mut events) = Engine::start_with(Some(store(place)));
    let _job = engine.resume(FIRST, false).unwrap();
    end(&mut events)
}

fn both_are_replaced(place: &Place, context: &str) {
    let what = What { folder_times: false, ..What::ALL };
    assert_eq!(names(&place.join("to")), ["t", "u"], "{context}");
    for name in ["t", "u"] {
        let to = place.join("to").join(name);
        assert_same_tree(&place.join("source").join(name), &to, &what);
        let kept = place.join("data/Trash/files").join(name).join("old");
        assert_eq!(read(kept), format!("old {name}").as_bytes(), "{context}");
    }
}

fn both_are_back(place: &Place, context: &str) {
    let _none = no_fault();
    let report = store(place).undo(FIRST, &mut |_| true).unwrap();
    assert!(report.is_whole(), "{context}: {report:?}");
    assert_eq!(names(&place.join("to")), ["t", "u"], "{context}");
    for name in ["t", "u"] {
        let to = place.join("to").join(name);
        assert_eq!(names(&to), ["old"], "{context}");
        assert_eq!(read(to.join("old")), format!("old {name}").as_bytes(), "{context}");
    }
}

const WAYS: [fn(JobId) -> Command; 2] =
    [|job| Command::Cancel { job }, |job| Command::Stop { job }];

#[test]
fn a_replacement_that_was_interrupted_is_finished_by_resuming() {
    for (way, by) in WAYS.into_iter().enumerate() {
        for n in [1, 2, 5, 8] {
            let context = format!("way {way}, file {n}");
            let place = scratch();
            let spec = set_up(&place);
            interrupted(&place, Some(spec), n, by);
            for name in ["t", "u"] {
                assert!(names(&place.join("to")).contains(&name.to_owned()), "{context}");
            }
            let summary = resumed(&place);
            assert!(summary.all_done(), "{context}: {summary:?}");
            both_are_replaced(&place, &context);
            both_are_back(&place, &context);
        }
    }
}

#[test]
fn one_that_was_interrupted_twice_is_finished_too() {
    for by in WAYS {
        let place = scratch();
        let spec = set_up(&place);
        interrupted(&place, Some(spec), 2, by);
        interrupted(&place, None, 2, by);
        let summary = resumed(&place);
        assert!(summary.all_done(), "{summary:?}");
        both_are_replaced(&place, "twice");
        both_are_back(&place, "twice");
    }
}

/// The rule of the job replaces it as well, and keeps it as well.
#[test]
fn what_came_to_the_place_meanwhile_is_kept() {
    let place = scratch();
    let spec = set_up(&place);
    interrupted(&place, Some(spec), 2, WAYS[0]);
    let to = place.join("to/t");
    std::fs::rename(&to, place.join("mine")).unwrap();
    Tree::new().file("other", "another").make(&to);
    let _summary = resumed(&place);
    let held = [to, place.join("data/Trash/files/t")].map(|folder| folder.join("other"));
    assert!(held.iter().any(|path| std::fs::read(path).is_ok_and(|bytes| bytes == b"another")));
    assert_eq!(read(place.join("mine/old")), b"old t");
    let hidden = names(&place.join("to")).into_iter().filter(|name| name.starts_with('.'));
    assert_eq!(hidden.count(), 0);
}
