//! What the engine tells, how much of it, and what it leaves behind.
//!
//! Every run of every test is held to the contract's order and sums as well: see
//! `Run::check_contract`.

use ferry::engine::{EntryState, Event, JobState, Outcome, Phase, Reflink};

use crate::common::big::big_destination;
use crate::common::process::Child;
use crate::common::{
    BIG, Session, Tree, big_source, copy, eventually, moving, names, one_big_copy, scratch,
};
use crate::test_name;

#[test]
fn a_job_is_told_from_added_to_finished() {
    let place = scratch();
    let source = Tree::new().files("t/f", 10, 100).make(&place.join("source")).join("t");
    let job = copy([&source], place.join("into"));
    let spec = job.spec.clone();
    let run = job.run().done();
    assert_eq!(run.events[0], Event::Added { job: run.job, spec });
    assert_eq!(run.states(), [JobState::Queued, JobState::Running, JobState::Ended]);
    let summary = &run.summary;
    assert_eq!(summary.outcome, Outcome::Done);
    assert_eq!(summary.entries.total, 11, "ten files and their folder");
    assert_eq!(summary.entries.done, 11);
    assert_eq!(summary.bytes.done, 1000);
    let routes = run.events.iter().filter(|event| matches!(event, Event::Route { .. })).count();
    assert_eq!(routes, 1);
}

#[test]
fn progress_is_sampled_and_never_goes_back() {
    let _one = one_big_copy();
    let target = big_destination();
    let run = copy([big_source()], &*target).reflink(Reflink::Never).verify().run().done();
    let snapshots = run.snapshots();
    assert!(!snapshots.is_empty());
    let most = run.summary.elapsed / 100 + 10;
    assert!(snapshots.len() as u64 <= most, "{} in {} ms", snapshots.len(), run.summary.elapsed);
    for pair in snapshots.windows(2) {
        assert!(pair[0].bytes.done <= pair[1].bytes.done, "{pair:#?}");
        assert!(pair[0].elapsed <= pair[1].elapsed, "{pair:#?}");
    }
    let rated: Vec<u64> = snapshots.iter().filter_map(|snapshot| snapshot.rate).collect();
    assert!(rated.iter().all(|&rate| rate > 0), "{rated:?}");
    assert_eq!(run.summary.bytes.done, BIG);
    assert_eq!(run.summary.verified, 1);
    let verifying: Vec<_> =
        snapshots.iter().filter(|snapshot| snapshot.phase == Phase::Verifying).collect();
    assert!(!verifying.is_empty(), "{snapshots:#?}");
    for snapshot in &snapshots {
        let total = snapshot.compared.map(|compared| compared.total);
        assert_eq!(total, (snapshot.phase == Phase::Verifying).then_some(BIG), "{snapshot:#?}");
    }
    assert!(verifying.iter().any(|snapshot| snapshot.compared.unwrap().done > 0));
}

#[test]
fn many_files_are_not_told_one_by_one() {
    let place = scratch();
    let source = Tree::new().files("t/f", 5000, 10).make(&place.join("source")).join("t");
    let run = copy([&source], place.join("into")).run().done();
    let most = run.summary.elapsed / 100 + 30;
    assert!(run.events.len() as u64 <= most, "{} events", run.events.len());
    let plan = run.plan.as_ref().expect("a plan");
    assert_eq!(plan.len(), 5001);
    for block in plan.blocks(ferry::engine::EntryId(0)) {
        for at in 0..block.len() {
            assert_eq!(block.state(at), EntryState::Done, "{:?}", block.name(at));
        }
    }
}

#[test]
fn empty_files_folders_and_jobs_of_them_come_to_their_end() {
    let place = scratch();
    let tree = Tree::new().folder("nothing").file("t/empty", "").folder("t/folder").file("t/0", "");
    let source = tree.make(&place.join("source"));
    for name in ["nothing", "t"] {
        let run = copy([source.join(name)], place.join("into")).run().done();
        assert_eq!(run.summary.bytes.done, 0);
        for snapshot in run.snapshots() {
            assert!(snapshot.fraction.is_none_or(f64::is_finite), "{snapshot:?}");
        }
    }
}

#[test]
fn a_skipped_or_failed_entry_is_never_all_done() {
    let place = scratch();
    let source = Tree::new().file("f", "new").make(&place.join("source"));
    let into = Tree::new().file("f", "old").make(&place.join("into"));
    copy([source.join("f")], &into).run().not_done();
    copy([source.join("f"), source.join("missing")], place.join("other")).run().not_done();
    moving([source.join("f")], &into).run().not_done();
}

#[test]
fn many_jobs_leave_no_descriptors_and_no_threads() {
    Child::of(test_name!()).run(|| {
        let place = scratch();
        let tree = Tree::new().files("t/f", 50, 1000).file_of("t/large", 2 << 20);
        let tree = tree.file("t/a/b/c", "x").fifo("t/fifo").link("t/link", "x");
        let source = tree.make(&place.join("source")).join("t");
        let count =
            |what: &str| names(std::path::Path::new("/proc/self").join(what).as_path()).len();
        let before = (count("fd"), count("task"));
        let mut session = Session::start();
        let mut round = |number: usize| {
            let into = place.join(format!("{number}"));
            let job = session.add(copy([&source], &into).verify().workers(4));
            session.finish(job).done();
            let job = session.add(copy([&source], &into));
            session.finish(job).not_done();
            let job = session.add(moving([into.join("t")], into.join("moved")));
            session.finish(job).done();
            let job = session.add(copy([place.join("missing")], &into));
            session.finish(job).not_done();
        };
        (0..5).for_each(&mut round);
        let after_few = (count("fd"), count("task"));
        (5..40).for_each(&mut round);
        // One more or less may be just ending.
        eventually("no more descriptors than after a few jobs", || count("fd") <= after_few.0 + 1);
        eventually("no more threads than after a few jobs", || count("task") <= after_few.1 + 1);
        drop(session);
        eventually("no descriptor after the engine", || count("fd") <= before.0);
        eventually("no thread after the engine", || count("task") <= before.1);
    });
}

#[test]
fn a_reader_that_goes_away_does_not_stop_the_engine() {
    let place = scratch();
    let source = Tree::new().files("t/f", 100, 1000).make(&place.join("source")).join("t");
    let into = place.join("into");
    let (engine, receiver) = ferry::engine::Engine::start();
    drop(receiver);
    let _job = engine.add(copy([&source], &into).spec);
    eventually("all files without anyone listening", || {
        std::fs::read_dir(into.join("t")).is_ok_and(|entries| entries.count() == 100)
    });
    drop(engine);
}

#[test]
fn two_engines_do_not_disturb_each_other() {
    let place = scratch();
    let source = Tree::new().files("t/f", 200, 1000).make(&place.join("source")).join("t");
    let mut sessions: Vec<Session> = (0..4).map(|_| Session::start()).collect();
    let jobs: Vec<_> = sessions
        .iter_mut()
        .enumerate()
        .map(|(number, session)| session.add(copy([&source], place.join(format!("{number}")))))
        .collect();
    for (session, job) in sessions.iter_mut().zip(jobs) {
        session.finish(job).done();
    }
}
