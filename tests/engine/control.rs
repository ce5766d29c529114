//! Pause, resume, cancel, shut down, in every phase.

use std::time::{Duration, Instant};

use ferry::engine::{Command, EntryState, Event, JobState, Outcome, Reflink};

use crate::common::big::big_destination;
use crate::common::{
    BIG, Session, Tree, What, assert_same_tree, big_source, copy, moving, names, one_big_copy,
    read, scratch,
};

/// A generous bound for what the engine promises within a second.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn pause_keeps_the_place_inside_a_file_and_resume_finishes_it() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(copy([big_source()], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    // Another job to the same device runs meanwhile: a pause does not hold it busy.
    let place = scratch();
    let small = Tree::new().file("f", "x").make(&place).join("f");
    let other = session.add(copy([&small], &*target));
    session.finish(other).done();
    assert_eq!(names(&target).iter().filter(|name| *name == "big").count(), 0, "half a file");
    session.send(Command::Resume { job });
    let run = session.finish(job).done();
    assert_same_tree(big_source(), &target.join("big"), &What::ALL);
    let done: Vec<u64> = run.snapshots().iter().map(|snapshot| snapshot.bytes.done).collect();
    assert!(done.is_sorted(), "went back: {done:?}");
    assert_eq!(run.summary.bytes.done, BIG);
    assert_eq!(
        run.states(),
        [JobState::Queued, JobState::Running, JobState::Paused, JobState::Running, JobState::Ended]
    );
}

#[test]
fn a_paused_job_copies_nothing() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(copy([big_source()], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    let at = session.log.len();
    let place = scratch();
    let small = Tree::new().files("t/f", 500, 1000).make(&place).join("t");
    for number in 0..5 {
        let other = session.add(copy([&small], place.join(format!("{number}"))));
        session.finish(other).done();
    }
    let told: Vec<u64> = session.log[at..]
        .iter()
        .filter_map(|event| match event {
            Event::Progress { job: of, snapshot } if *of == job => Some(snapshot.bytes.done),
            _ => None,
        })
        .collect();
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "went on: {told:?}");
    session.send(Command::Cancel { job });
    assert_eq!(session.finish(job).summary.outcome, Outcome::Cancelled);
    assert_eq!(names(&target), [""; 0]);
}

#[test]
fn a_source_that_changed_during_a_pause_is_said_to_have_changed() {
    let _one = one_big_copy();
    let (place, target) = (crate::common::big::big_place(), big_destination());
    let source = place.join("big");
    crate::common::big_file(&source);
    let mut session = Session::start();
    let job = session.add(copy([&source], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    let file = std::fs::File::options().write(true).open(&source).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"changed", 0).unwrap();
    session.send(Command::Resume { job });
    let run = session.finish(job).not_done();
    assert_eq!(run.entry("big"), EntryState::Changed);
}

#[test]
fn a_queued_job_can_be_paused_resumed_and_cancelled() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = scratch();
    let small = Tree::new().file("f", "x").make(&place).join("f");
    let mut session = Session::start();
    let big = session.add(copy([big_source()], &*target).reflink(Reflink::Never));
    session.wait_in_work(big);
    session.send(Command::Pause { job: big });
    session.wait_state(big, JobState::Paused);
    let cancelled = session.add(copy([&small], target.join("never")));
    session.send(Command::Cancel { job: cancelled });
    let run = session.finish(cancelled);
    // It was quick, or it was cancelled; nothing between.
    if run.summary.outcome == Outcome::Cancelled {
        assert_eq!(run.summary.entries.failed, 0, "{:?}", run.summary);
    } else {
        assert_eq!(read(target.join("never/f")), b"x");
    }
    session.send(Command::Resume { job: big });
    session.finish(big).done();
}

#[test]
fn pause_and_resume_again_and_again_lose_nothing() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = scratch();
    let small = Tree::new().files("t/f", 2000, 100).make(&place).join("t");
    let mut session = Session::start();
    let job = copy([small.as_path(), big_source()], &*target).reflink(Reflink::Never).workers(2);
    let job = session.add(job);
    for _ in 0..50 {
        session.send(Command::Pause { job });
        session.send(Command::Resume { job });
    }
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    session.send(Command::Pause { job });
    session.send(Command::Resume { job });
    session.send(Command::Resume { job });
    session.finish(job).done();
    assert_same_tree(big_source(), &target.join("big"), &What::ALL);
    assert_same_tree(&small, &target.join("t"), &What::ALL);
}

#[test]
fn cancel_answers_soon_while_a_big_file_is_copied() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(copy([big_source()], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    let asked = Instant::now();
    session.send(Command::Cancel { job });
    let run = session.finish(job);
    assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
    assert_eq!(run.summary.outcome, Outcome::Cancelled);
    assert_eq!(names(&target), [""; 0]);
}

#[test]
fn cancel_at_any_number_of_files_leaves_only_whole_ones() {
    let place = scratch();
    let source = Tree::new().files("t/f", 3000, 3000).make(&place).join("t");
    for round in 0..10 {
        let into = place.join(format!("into {round}"));
        let mut session = Session::start();
        let job = session.add(copy([&source], &into).workers(2));
        session.wait_state(job, JobState::Running);
        // Sooner or later in it, as the machine has it.
        for _ in 0..round * 20_000 {
            std::hint::black_box(round);
        }
        session.send(Command::Cancel { job });
        let run = session.finish(job);
        let left = if into.join("t").exists() { names(&into.join("t")) } else { vec![] };
        for name in &left {
            assert_eq!(read(into.join("t").join(name)), read(source.join(name)), "{name}");
        }
        if run.summary.outcome == Outcome::Cancelled {
            let done = run.summary.entries.done;
            assert!(done <= left.len() as u64 + 1, "{done} said, {} there", left.len());
        }
    }
}

#[test]
fn a_cancelled_move_has_every_file_on_at_least_one_side_and_whole() {
    let (place, target) = (scratch(), big_destination());
    let tree = Tree::new().files("t/f", 2000, 1000);
    let expected = tree.make(&place.join("expected")).join("t");
    for round in 0..6 {
        let source = tree.make(&place.join(format!("source {round}"))).join("t");
        let into = target.join(format!("into {round}"));
        let mut session = Session::start();
        let job = session.add(moving([&source], &into).workers(2));
        if round % 2 == 0 {
            session.wait_state(job, JobState::Running);
        } else {
            session.wait("progress", |event| {
                matches!(event, Event::Progress { .. } | Event::Finished { .. }).then_some(())
            });
        }
        session.send(Command::Cancel { job });
        session.finish(job);
        for name in names(&expected) {
            let sides = [source.join(&name), into.join("t").join(&name)];
            let there: Vec<_> = sides.iter().filter(|path| path.exists()).collect();
            assert!(!there.is_empty(), "{name} is gone in round {round}");
            for side in there {
                assert_eq!(read(side), read(expected.join(&name)), "{}", side.display());
            }
        }
    }
}

#[test]
fn shutting_down_ends_soon_while_a_big_file_is_copied() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(copy([big_source()], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    let queued = session.add(copy([big_source()], target.join("queued")).reflink(Reflink::Never));
    let asked = Instant::now();
    session.shut_down();
    assert!(asked.elapsed() < SOON, "{:?}", asked.elapsed());
    for job in [job, queued] {
        assert_eq!(session.finish(job).summary.outcome, Outcome::Cancelled);
    }
    let mut left = names(&target);
    left.retain(|name| name != "queued");
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_dropped_engine_leaves_no_short_file() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(copy([big_source()], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    drop(session);
    assert_eq!(names(&target), [""; 0]);
}

#[test]
fn an_idle_engine_shuts_down() {
    let mut session = Session::start();
    session.shut_down();
    assert_eq!(session.log, [Event::Stopped]);
    session.send(Command::ShutDown);
}
