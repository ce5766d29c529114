//! A job's number in the history, and forgetting it.

use ferry::engine::{
    ConflictRule, Engine, Event, JobSpec, JournalError, Options, Outcome, PastState, Store,
};

use crate::common::session::deadline;
use crate::common::{Tree, names, read, scratch};

#[test]
fn a_forgotten_job_keeps_what_it_made_and_nothing_for_its_undoing() {
    let place = scratch();
    let source = Tree::new().file("t/one", "new").make(&place.join("source")).join("t");
    let _there = Tree::new().file("t/one", "old").make(&place.join("to"));
    let trash = place.join("data/Trash");
    let store = Store::at(&place.join("state"), &trash);
    let (engine, mut events) = Engine::start_with(Some(store.clone()));
    let options = Options { conflict: ConflictRule::Replace, ..Options::default() };
    let destination = place.join("to");
    let spec = JobSpec { sources: vec![source], destination, options, ..JobSpec::default() };
    let job = engine.add(spec);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        loop {
            let next = tokio::time::timeout_at(deadline().into(), events.recv()).await;
            if let Event::Finished { summary, .. } = next.expect("it ends").expect("it is told") {
                assert_eq!(summary.outcome, Outcome::Done);
                return;
            }
        }
    });
    let id = engine.journal(job).expect("it is remembered");
    let all = store.history().unwrap();
    assert_eq!(
        all.iter().map(|past| (past.id, past.state)).collect::<Vec<_>>(),
        [(id, PastState::Finished)]
    );
    drop(engine);
    assert_eq!(names(&trash.join("files")).len(), 1, "the old one is kept");
    store.forget(id).unwrap();
    assert!(store.history().unwrap().is_empty());
    assert!(names(&trash.join("files")).is_empty());
    assert_eq!(read(place.join("to/t/one")), b"new");
    assert!(matches!(store.forget(id), Err(JournalError::Unknown)));
}
