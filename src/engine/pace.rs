//! Whether a worker more brings anything, found out while a job runs.
//!
//! Now and then a job works with a worker less for some tenths of a second, in turn with all of
//! them, and goes on with the smaller number if the larger was not clearly faster each time.
//! Pure: it is told what was done by when, and says how many may work.

use std::time::Duration;

/// A job that ends earlier pays for nothing.
const BEGIN: Duration = Duration::from_secs(3);
/// How long one number of workers is looked at.
const WINDOW: Duration = Duration::from_millis(300);
/// Until the next look: a second worker that brings 40 % costs less than 1 % by it.
const AGAIN: Duration = Duration::from_secs(30);
/// How often both numbers are looked at in turn.
const PAIRS: usize = 3;
/// A worker more brings something from this factor on.
const BRINGS: f64 = 1.1;

/// How many workers of a job may work.
pub struct Pace {
    most: usize,
    now: usize,
    next: Duration,
    /// The next look is for a larger number, where there is one.
    up: bool,
    trial: Option<Trial>,
}

/// Two numbers that are compared.
struct Trial {
    larger: usize,
    /// Rates of the windows so far: of the larger number, then of the smaller, and so on.
    rates: Vec<f64>,
    begun: (Duration, f64),
}

impl Trial {
    fn is_of_larger(&self) -> bool {
        self.rates.len().is_multiple_of(2)
    }

    fn workers(&self) -> usize {
        if self.is_of_larger() { self.larger } else { self.larger - 1 }
    }

    /// The larger number was not faster, each time.
    fn brings_nothing(&self) -> bool {
        let brings_nothing = |pair: &[f64]| pair[1] > 0.0 && pair[0] < pair[1] * BRINGS;
        self.rates.chunks_exact(2).all(brings_nothing)
    }
}

impl Pace {
    /// Of a job with so many workers at the most.
    pub fn new(most: usize) -> Pace {
        Pace { most, now: most, next: BEGIN, up: false, trial: None }
    }

    /// How many may work from now on. `at` is the time that the job has run, `work` what was
    /// done by then, `busy` how many are at work.
    pub fn look(&mut self, at: Duration, work: f64, busy: usize) -> usize {
        let Some(trial) = &mut self.trial else {
            if at >= self.next && self.most > 1 {
                let larger = if self.up { self.now + 1 } else { self.now };
                let larger = larger.clamp(2, self.most);
                self.trial = Some(Trial { larger, rates: Vec::new(), begun: (at, work) });
            }
            return self.workers();
        };
        let (since, before) = trial.begun;
        let seconds = at.saturating_sub(since).as_secs_f64();
        if seconds < WINDOW.as_secs_f64() {
            return self.workers();
        }
        // Some are in the middle of large files, or there is too little to do for all: the
        // number says nothing.
        if busy != trial.workers() {
            let larger = trial.larger;
            return self.settle(at, self.now.min(larger));
        }
        trial.rates.push((work - before) / seconds);
        trial.begun = (at, work);
        if trial.rates.len() < 2 * PAIRS {
            return self.workers();
        }
        let larger = trial.larger;
        let brings_nothing = trial.brings_nothing();
        self.settle(at, if brings_nothing { larger - 1 } else { larger })
    }

    fn settle(&mut self, at: Duration, workers: usize) -> usize {
        // One that was of no use is followed at once by the question about the next one.
        let fewer = workers < self.now && workers > 1;
        (self.trial, self.now) = (None, workers);
        self.up = !fewer && (!self.up || workers == 1) && workers < self.most;
        self.next = if fewer { at } else { at + AGAIN };
        workers
    }

    fn workers(&self) -> usize {
        self.trial.as_ref().map_or(self.now, Trial::workers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs for so many seconds where each number of workers has its rate, looked at ten times
    /// a second; how many may work at each look.
    fn run(pace: &mut Pace, from: u64, seconds: u64, rate: impl Fn(usize) -> f64) -> Vec<usize> {
        let (mut work, mut workers) = (0.0, pace.workers());
        let look = |tick: u64| {
            work += rate(workers) / 10.0;
            workers = pace.look(Duration::from_millis(tick * 100), work, workers);
            workers
        };
        (from * 10..(from + seconds) * 10).map(look).collect()
    }

    #[test]
    fn a_short_job_has_all_its_workers_all_the_time() {
        let all = run(&mut Pace::new(4), 0, 3, |_| 1.0);
        assert!(all.iter().all(|workers| *workers == 4), "{all:?}");
    }

    #[test]
    fn workers_that_bring_nothing_rest_one_after_the_other() {
        let all = run(&mut Pace::new(4), 0, 12, |_| 100.0);
        assert_eq!(all.last(), Some(&1), "{all:?}");
        let two = run(&mut Pace::new(4), 0, 12, |workers| 100.0 * workers.min(2) as f64);
        assert_eq!(two.last(), Some(&2), "{two:?}");
    }

    #[test]
    fn workers_that_bring_something_stay_and_looking_costs_little() {
        for most in [1, 2, 4] {
            let all = run(&mut Pace::new(most), 0, 120, |workers| 70.0 + 30.0 * workers as f64);
            let fewer = all.iter().filter(|workers| **workers < most).count();
            assert!(fewer * 25 < all.len(), "{most}: {fewer} of {}", all.len());
            assert_eq!(all.last(), Some(&most));
        }
    }

    #[test]
    fn what_changes_is_found_out_later() {
        let mut pace = Pace::new(2);
        let before = run(&mut pace, 0, 10, |_| 100.0);
        assert_eq!(before.last(), Some(&1));
        let after = run(&mut pace, 10, 40, |workers| 100.0 * workers as f64);
        assert_eq!(after.last(), Some(&2), "{after:?}");
    }

    #[test]
    fn a_rate_that_swings_by_itself_is_no_reason() {
        let mut pace = Pace::new(2);
        let mut work = 0.0;
        for tick in 0..600_u64 {
            // Twice as fast in some tenths of a second, whoever works.
            work += if tick / 7 % 2 == 0 { 100.0 } else { 200.0 } * pace.workers() as f64;
            let busy = pace.workers();
            let _workers = pace.look(Duration::from_millis(tick * 100), work, busy);
        }
        assert_eq!(pace.now, 2);
    }

    #[test]
    fn nothing_is_learned_while_others_are_at_work_or_nothing_is_done() {
        for (work, busy) in [(100.0, 2), (0.0, 1), (100.0, 1)] {
            let mut pace = Pace::new(2);
            for tick in 0..300_u64 {
                let at = Duration::from_millis(tick * 100);
                let busy = if work == 0.0 { pace.workers() } else { busy };
                let _workers = pace.look(at, work * tick as f64, busy);
            }
            assert_eq!(pace.now, 2);
        }
    }
}
