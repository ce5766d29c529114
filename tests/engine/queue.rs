//! Which jobs run when: one writer a device, and an order that can be changed.

use std::path::Path;

use ferry::engine::{Command, Event, JobId, JobState, Reflink};

use crate::common::big::big_destination;
use crate::common::{Job, Session, Tree, big_source, copy, names, one_big_copy, scratch};

fn big_copy(into: &Path) -> Job {
    copy([big_source()], into).reflink(Reflink::Never)
}

/// Where an event stands in all that was told.
fn place_of(session: &Session, wanted: impl Fn(&Event) -> bool) -> usize {
    session.log.iter().position(wanted).expect("was told")
}

fn began(session: &Session, of: JobId) -> usize {
    place_of(
        session,
        |event| matches!(event, Event::State { job, state: JobState::Running } if *job == of),
    )
}

/// All changes of state, in order.
fn states(session: &Session) -> Vec<(JobId, JobState)> {
    session
        .log
        .iter()
        .filter_map(|event| match event {
            Event::State { job, state } => Some((*job, *state)),
            _ => None,
        })
        .collect()
}

fn ended(session: &Session, of: JobId) -> usize {
    place_of(
        session,
        |event| matches!(event, Event::State { job, state: JobState::Ended } if *job == of),
    )
}

#[test]
fn two_jobs_to_one_device_wait_for_each_other() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let jobs = ["one", "two"].map(|name| session.add(big_copy(&target.join(name))));
    for job in jobs {
        session.finish(job).done();
    }
    let running = states(&session).into_iter().filter(|(_, state)| *state != JobState::Queued);
    let turns: Vec<JobId> = running.map(|(job, _)| job).collect();
    assert!(turns == [turns[0], turns[0], turns[3], turns[3]], "{:?}", states(&session));
}

#[test]
fn jobs_to_one_device_run_in_the_order_in_which_they_were_added() {
    let _one = one_big_copy();
    for _ in 0..5 {
        let target = big_destination();
        let mut session = Session::start();
        let jobs = ["one", "two", "three"].map(|name| session.add(big_copy(&target.join(name))));
        let first = session.wait("the first that runs", |event| match event {
            Event::State { job, state: JobState::Running } => Some(*job),
            _ => None,
        });
        assert_eq!(first, jobs[0]);
        session.shut_down();
    }
}

#[test]
fn jobs_to_different_devices_run_at_the_same_time() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = crate::common::Place::new_in(big_source().parent().unwrap());
    let mut session = Session::start();
    let first = session.add(big_copy(&target));
    session.wait_in_work(first);
    // A second big job, so that no lane for small ones lets it through.
    let second = session.add(big_copy(&place));
    session.wait_in_work(second);
    for job in [first, second] {
        session.send(Command::Cancel { job });
        session.finish(job);
    }
    assert!(began(&session, second) < ended(&session, first));
}

#[test]
fn the_order_of_waiting_jobs_can_be_changed() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let a = session.add(big_copy(&target.join("a")));
    session.wait_in_work(a);
    let [b, c, d] = ["b", "c", "d"].map(|name| session.add(big_copy(&target.join(name))));
    session.send(Command::Reorder { job: d, before: Some(b) });
    session.send(Command::Reorder { job: b, before: None });
    session.wait("the new order", |event| {
        matches!(event, Event::Order { jobs } if *jobs == [a, d, c, b]).then_some(())
    });
    for job in [a, d, c, b] {
        session.finish(job).done();
    }
    let order = [a, d, c, b].map(|job| began(&session, job));
    assert!(order.is_sorted(), "{order:?} {:?}", states(&session));
}

#[test]
fn a_job_that_waits_for_its_turn_can_be_cancelled() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let first = session.add(big_copy(&target.join("first")));
    session.wait_in_work(first);
    let second = session.add(big_copy(&target.join("second")));
    session.send(Command::Cancel { job: second });
    let run = session.finish(second);
    assert!(!run.states().contains(&JobState::Running), "{:?}", run.states());
    assert!(!target.join("second").exists());
    session.send(Command::Cancel { job: first });
    session.finish(first);
}

#[test]
fn many_small_jobs_all_end_and_in_their_order_are_numbered() {
    let place = scratch();
    let source = Tree::new().files("t/f", 5, 100).make(&place.join("source")).join("t");
    let mut session = Session::start();
    let jobs: Vec<JobId> = (0..100)
        .map(|number| session.add(copy([&source], place.join(format!("into {number}")))))
        .collect();
    assert!(jobs.is_sorted(), "{jobs:?}");
    for &job in &jobs {
        session.finish(job).done();
    }
    for number in 0..100 {
        assert_eq!(names(&place.join(format!("into {number}/t"))).len(), 5);
    }
    session.shut_down();
    let last = session.log.iter().rev().find_map(|event| match event {
        Event::Order { jobs } => Some(jobs.clone()),
        _ => None,
    });
    assert!(last.is_none_or(|jobs| jobs.is_empty()), "ended jobs are in no queue");
}
