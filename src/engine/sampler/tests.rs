use super::*;
use crate::engine::conflict::FileKind;
use crate::engine::plan::EntryState;
use crate::engine::progress::add;

/// Entries of a plan, so that there is a number of them.
fn plan(entries: usize) -> Plan {
    let plan = Plan::default();
    let entry = |at: usize| (at.to_string().into(), FileKind::File, None, EntryState::Pending);
    let _block = plan.add_sample(None, (0..entries).map(entry));
    plan
}

const MEGA: u64 = 1_000_000;

#[test]
fn the_fraction_never_goes_back_when_the_total_grows() {
    let (progress, plan) = (Progress::new(1), Plan::default());
    let mut sampler = Sampler::default();
    let mut at = |bytes: u64, total: u64, ms: u64| {
        progress.workers[0].advance(bytes);
        progress.set_measured(0, total);
        sampler.sample(&progress, &plan, Duration::from_millis(ms)).fraction
    };
    assert_eq!(at(50, 100, 100), Some(0.5));
    assert_eq!(at(0, 200, 200), Some(0.5));
    assert_eq!(at(200, 200, 300), Some(1.0));
}

#[test]
fn rates_are_told_only_when_they_mean_something_and_do_not_count_clones() {
    let (progress, plan) = (Progress::new(1), Plan::default());
    let mut sampler = Sampler::default();
    let mut rates = Vec::new();
    for step in 0..10_u64 {
        progress.workers[0].advance(1000);
        add(&progress.workers[0].cloned, 500);
        let ran = Duration::from_millis(step * 100);
        rates.push(sampler.sample(&progress, &plan, ran).rate);
    }
    assert_eq!(rates[1], None);
    assert!(rates[9].is_some_and(|rate| (4990..=5010).contains(&rate)), "{rates:?}");
}

#[test]
fn nothing_to_do_is_no_fraction_and_not_nan() {
    let (progress, plan) = (Progress::new(1), Plan::default());
    progress.set_measured(0, 0);
    assert_eq!(Sampler::default().sample(&progress, &plan, Duration::ZERO).fraction, None);
}

/// Two of three files of 1 GB are skipped or fail while 4 MB of the third are copied at 2 MB/s.
#[test]
fn what_is_left_out_leaves_the_totals_and_the_time_left() {
    let (progress, plan) = (Progress::new(1), plan(3));
    progress.set_measured(3, 3000 * MEGA);
    let mut sampler = Sampler::default();
    let counters = &progress.workers[0];
    let mut last = None;
    for step in 0..40 {
        counters.advance(MEGA / 5);
        if step == 5 || step == 30 {
            add(if step == 5 { &counters.skipped } else { &counters.failed }, 1);
            add(&counters.left, 1000 * MEGA);
        }
        last = Some(sampler.sample(&progress, &plan, Duration::from_millis(step * 100)));
    }
    let snapshot = last.unwrap();
    assert_eq!(snapshot.bytes.total, Some(1000 * MEGA));
    assert_eq!(snapshot.fraction, Some(0.008), "8 MB of 1000 MB");
    assert_eq!(snapshot.entries.wanted(), 1);
    let left = snapshot.left.unwrap();
    assert!((480_000..520_000).contains(&left), "{left} ms at 2 MB/s for 992 MB");
}

#[test]
fn without_bytes_the_part_is_one_of_the_items_that_are_not_left_out() {
    let (progress, plan) = (Progress::new(1), plan(10));
    progress.set_measured(10, 0);
    let counters = &progress.workers[0];
    add(&counters.done, 2);
    add(&counters.skipped, 4);
    add(&counters.unanswered, 1);
    add(&counters.failed, 1);
    let snapshot = Sampler::default().sample(&progress, &plan, Duration::ZERO);
    assert_eq!(snapshot.fraction, Some(0.5));
    assert_eq!(snapshot.entries.wanted(), 4);
}

#[test]
fn no_part_is_told_before_the_bytes_are_known() {
    let (progress, plan) = (Progress::new(1), plan(10));
    add(&progress.workers[0].done, 9);
    let snapshot = Sampler::default().sample(&progress, &plan, Duration::ZERO);
    assert!(snapshot.entries.total_is_final);
    assert_eq!((snapshot.fraction, snapshot.left), (None, None));
}

#[test]
fn what_waits_for_an_answer_is_not_done_and_not_left_out() {
    let (progress, plan) = (Progress::new(1), plan(4));
    progress.set_measured(4, 400);
    progress.workers[0].advance(200);
    add(&progress.workers[0].done, 2);
    add(&progress.waiting, 1);
    add(&progress.parked_failures, 1);
    let snapshot = Sampler::default().sample(&progress, &plan, Duration::ZERO);
    assert_eq!(snapshot.fraction, Some(0.5));
    assert_eq!(snapshot.bytes.total, Some(400));
}

#[test]
fn all_bytes_are_not_all_while_items_are_left() {
    let (progress, plan) = (Progress::new(1), plan(2));
    progress.set_measured(2, 10);
    progress.workers[0].advance(10);
    add(&progress.workers[0].done, 1);
    let fraction = Sampler::default().sample(&progress, &plan, Duration::ZERO).fraction.unwrap();
    assert!(fraction < 1.0 && fraction > 0.99, "{fraction}");
}

#[test]
fn moving_by_renames_is_told_in_items_for_no_byte_moves() {
    let (progress, plan) = (Progress::new(1), plan(4));
    progress.set_measured(4, 5000 * MEGA);
    add(&progress.workers[0].done, 1);
    add(&progress.workers[0].by_rename, 1);
    let snapshot = Sampler::default().sample(&progress, &plan, Duration::ZERO);
    assert_eq!((snapshot.fraction, snapshot.bytes.total), (Some(0.25), None));
}

/// The times left that are told in ten seconds, at so many entries and bytes a tenth of one.
fn times_left(
    found: usize,
    bytes: u64,
    step: impl Fn(u64) -> (u64, u64),
) -> Vec<(u64, Option<u64>)> {
    let (progress, plan) = (Progress::new(1), plan(found));
    progress.set_measured(found as u64, bytes);
    let mut sampler = Sampler::default();
    let mut told = Vec::new();
    for at in 0..100 {
        let (done, copied) = step(at);
        add(&progress.workers[0].done, done);
        progress.workers[0].advance(copied);
        let snapshot = sampler.sample(&progress, &plan, Duration::from_millis(at * 100));
        told.push((at * 100, snapshot.left));
    }
    told
}

#[test]
fn small_files_take_their_time_by_their_number() {
    // 100 a second, of 100 bytes: 10 000 of them take 100 seconds.
    for (at, left) in times_left(10_000, 10_000 * 100, |_| (10, 1000)) {
        let truth = 100_000 - at;
        match left {
            None => assert!(at < 1500, "nothing is told at {at} ms"),
            Some(left) => assert!(left.abs_diff(truth) < 2000, "{left} for {truth} ms"),
        }
    }
}

#[test]
fn the_time_left_is_not_told_from_what_says_nothing_of_the_rest() {
    // Files of 100 bytes, and one of 100 GB among those that are left; and the reverse.
    let small_first = times_left(10_000, 100_000 * MEGA, |_| (10, 1000));
    assert!(small_first.iter().all(|(_, left)| left.is_none()), "{small_first:?}");
    let big_first = times_left(100_000, 1000 * MEGA, |_| (0, 9 * MEGA));
    assert!(big_first.iter().all(|(_, left)| left.is_none()), "{big_first:?}");
}

#[test]
fn the_time_left_is_not_told_while_the_rate_leaps() {
    let leaping = |at: u64| (0, if at < 50 { 10 * MEGA } else { MEGA / 2 });
    let told = times_left(1, 100_000 * MEGA, leaping);
    assert!(told[40].1.is_some(), "{told:?}");
    assert!(told[65..90].iter().any(|(_, left)| left.is_none()), "{told:?}");
}

#[test]
fn a_failure_in_the_middle_of_a_file_takes_its_bytes_out_again() {
    let (progress, plan) = (Progress::new(1), plan(2));
    progress.set_measured(2, 200);
    let counters = &progress.workers[0];
    let mut sampler = Sampler::default();
    counters.advance(90);
    let before = sampler.sample(&progress, &plan, Duration::from_millis(100));
    assert_eq!(before.fraction, Some(0.45));
    counters.take_back();
    add(&counters.failed, 1);
    add(&counters.left, 100);
    let after = sampler.sample(&progress, &plan, Duration::from_millis(200));
    assert_eq!((after.bytes.done, after.bytes.total), (0, Some(100)));
    assert_eq!(after.fraction, Some(0.45), "never back");
}
