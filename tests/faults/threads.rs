//! Threads that the system does not give: what they were for is done all the same, or told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferry::engine::faults::{Call, Fault, Faults};
use ferry::engine::{
    Action, Command, ConflictRule, Engine, ErrorKind, Event, Operation, Outcome, Reflink, Scope,
    Store,
};

use crate::common::{
    Fs, Session, Tree, What, assert_same_tree, copy, eventually, moving, read, scratch,
};
use crate::fault::Gate;

/// No thread of this name; how many were wished for.
fn none_of(name: &'static str) -> (Arc<AtomicUsize>, Faults) {
    let wished = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&wished);
    let faults = Faults::inject(move |call, of| {
        let refused = call == Call::Thread && of == name;
        counted.fetch_add(usize::from(refused), Ordering::SeqCst);
        refused.then_some(Fault::Fail(libc::EAGAIN))
    });
    (wished, faults)
}

fn tree() -> Tree {
    Tree::new().files("t/many-", 300, 100).file_of("t/large", 3 << 20).files("t/in/many-", 90, 1)
}

#[test]
fn copying_and_verifying_need_no_second_thread() {
    for name in ["ferry-worker", "ferry-verify", "ferry-measure", "ferry-journal"] {
        let (place, target) = (scratch(), scratch());
        let source = tree().make(&place).join("t");
        let (wished, faults) = none_of(name);
        let job = copy([&source], &*target).reflink(Reflink::Never).verify().workers(4);
        let run = job.run().done();
        drop(faults);
        assert_eq!(run.summary.verified, 391, "{name}");
        assert_same_tree(&source, &target.join("t"), &What::ALL);
        let is_needed = matches!(name, "ferry-worker" | "ferry-verify");
        // The others are only wished for where it lasts, or is remembered.
        assert!(wished.load(Ordering::SeqCst) > 0 || !is_needed, "{name}");
    }
}

#[test]
fn without_a_flush_nothing_is_removed_and_it_is_told() {
    let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
    let source = tree().make(&place).join("t");
    let (_wished, _faults) = none_of("ferry-flush");
    let run = moving([&source], &*target).run();
    let failures = &run.summary.failures;
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].error.operation, Operation::Flush);
    assert_eq!(failures[0].error.kind, ErrorKind::Os(libc::EAGAIN));
    assert_same_tree(&source, &target.join("t"), &What::ALL);
}

#[test]
fn a_job_without_a_thread_is_refused_and_the_next_one_runs() {
    let (place, target) = (scratch(), scratch());
    let source = Tree::new().file("a", "1").make(&place).join("a");
    let (_wished, faults) = none_of("ferry-job");
    let mut session = Session::start();
    let job = session.add(copy([&source], &*target));
    let run = session.finish(job);
    assert_eq!(run.summary.outcome, Outcome::Refused);
    assert_eq!(run.summary.failures[0].error.kind, ErrorKind::Os(libc::EAGAIN));
    drop(faults);
    let _none = crate::fault::no_fault();
    let job = session.add(copy([&source], &*target));
    let _run = session.finish(job).done();
}

#[test]
fn an_engine_without_a_thread_has_ended() {
    let (_wished, _faults) = none_of("ferry-engine");
    let (engine, mut events) = Engine::start();
    engine.send(Command::ShutDown);
    assert_eq!(events.blocking_recv(), None);
}

#[test]
fn what_cannot_be_compared_is_told_and_can_be_another_time() {
    let (place, target) = (scratch(), scratch());
    let source = Tree::new().file("a", "1").make(&place).join("a");
    Tree::new().file("a", "1").make(&target);
    let (wished, faults) = none_of("ferry-compare");
    let mut session = Session::start();
    let job = session.add(copy([&source], &*target).rule(ConflictRule::Ask));
    let question = session.wait_questions(job, 1).remove(0).id;
    let compared = |session: &mut Session| {
        session.send(Command::Compare { job, question });
        session.wait("the comparison", |event| match event {
            Event::Compared { equal, .. } => Some(*equal),
            _ => None,
        })
    };
    for time in 1..3 {
        assert_eq!(compared(&mut session), None);
        assert_eq!(wished.load(Ordering::SeqCst), time);
    }
    drop(faults);
    let _none = crate::fault::no_fault();
    assert_eq!(compared(&mut session), Some(true));
    session.answer(job, question, Action::Skip, Scope::This);
    let _run = session.finish(job);
}

#[test]
fn later_sources_are_remembered_and_confirmed() {
    let (place, target) = (scratch(), scratch());
    let first = Tree::new().file_of("first", 1 << 20).make(&place).join("first");
    let second = Tree::new().file("second", "2").make(&place).join("second");
    let gate = Arc::<Gate>::default();
    let writes = Arc::clone(&gate);
    let begun = Arc::new(AtomicUsize::new(0));
    let begins = Arc::clone(&begun);
    let _faults = Faults::inject(move |call, of| {
        if matches!(call, Call::Write | Call::CopyRange) {
            begins.fetch_add(1, Ordering::SeqCst);
            writes.stand();
        }
        (call == Call::Thread && of == "ferry-journal").then_some(Fault::Fail(libc::EAGAIN))
    });
    let store = || Store::at(&place.join("state"), &place.join("trash"));
    let mut session = Session::remembering(store());
    let job = session.add(copy([&first], &*target).reflink(Reflink::Never));
    eventually("it copies", || begun.load(Ordering::SeqCst) > 0);
    let spec = copy([&second], &*target).reflink(Reflink::Never).spec;
    session.send(Command::AddSources { job, spec });
    // While the first one stands: nobody else would tell.
    session.wait("they are accepted", |event| match event {
        Event::SourcesAdded { sources, .. } => (*sources == [&*second]).then_some(()),
        _ => None,
    });
    gate.open(true);
    let _run = session.finish(job).done();
    assert_eq!(read(target.join("second")), b"2");
}

#[test]
fn totals_are_told_as_soon_as_there_is_a_thread() {
    let (place, target) = (scratch(), scratch());
    let source = tree().make(&place).join("t");
    let gate = Arc::<Gate>::default();
    let (writes, refused) = (Arc::clone(&gate), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&refused);
    let _faults = Faults::inject(move |call, of| {
        if matches!(call, Call::Write | Call::CopyRange) {
            writes.stand();
        }
        let refused = call == Call::Thread
            && of == "ferry-measure"
            && counted.fetch_add(1, Ordering::SeqCst) < 3;
        refused.then_some(Fault::Fail(libc::EAGAIN))
    });
    let mut session = Session::start();
    let job = session.add(copy([&source], &*target).reflink(Reflink::Never));
    session.wait("the total", |event| match event {
        Event::Progress { snapshot, .. } => snapshot.bytes.total,
        _ => None,
    });
    assert!(refused.load(Ordering::SeqCst) > 3);
    gate.open(true);
    let _run = session.finish(job).done();
}
