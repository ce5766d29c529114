//! Samples of a job's counters: rates, the part that is done, and the time left.
//!
//! The part is one of bytes where there are any, else one of entries, and what was left out is
//! in neither of its sides. The time left comes from both: creating a file takes its time,
//! however little is in it.

use std::time::Duration;

use super::message::{Compared, Phase, Snapshot};
use super::plan::Plan;
use super::progress::Progress;

/// Turns samples into rates, a fraction that never goes back, and a time left.
pub struct Sampler {
    last: Option<Sample>,
    rate: Smoothed,
    entry_rate: Smoothed,
    left_out_rate: Smoothed,
    /// What entries and bytes weigh together, of late and over a longer time.
    work_rate: Smoothed,
    long_work_rate: Smoothed,
    long_byte_rate: Smoothed,
    fraction: f64,
    phase: Phase,
}

struct Sample {
    at: Duration,
    moved: u64,
    done: u64,
    left_out: u64,
    /// Bytes that count as work: those moved and those shared.
    bytes: u64,
}

/// What is still to be done.
struct Rest {
    entries: u64,
    bytes: u64,
}

/// An exponentially smoothed rate.
struct Smoothed {
    constant: f64,
    value: f64,
    seen: f64,
}

/// Time constants of the smoothing, in seconds.
const SMOOTH: f64 = 2.0;
const SMOOTH_LONG: f64 = 8.0;
/// Seconds of samples before a rate is told.
const SETTLED: f64 = 0.45;
/// Seconds of samples before a time left is told.
const LEFT_SETTLED: f64 = 1.4;
/// What an entry weighs beside its bytes: creating a file takes about as long as copying
/// this many.
const ENTRY_WEIGHT: f64 = 65_536.0;
/// How far the rate of late and that of a longer time may lie apart, when a time left is told.
const STEADY: f64 = 2.0;
/// What is left may be foreseen from what was done only if that was not nearly all of the
/// other kind (bytes, entries): its part in the work at least.
const SEEN_LEAST: f64 = 0.125;

impl Smoothed {
    fn over(constant: f64) -> Smoothed {
        Smoothed { constant, value: 0.0, seen: 0.0 }
    }

    fn add(&mut self, value: f64, seconds: f64) {
        self.seen += seconds;
        // The first samples weigh as in a plain mean, so that the start does not pull.
        let share = (seconds / self.constant).max(seconds / self.seen).min(1.0);
        self.value += (value - self.value) * share;
    }

    fn get(&self, after: f64) -> Option<f64> {
        (self.seen >= after).then_some(self.value)
    }
}

impl Default for Sampler {
    fn default() -> Self {
        Sampler {
            last: None,
            rate: Smoothed::over(SMOOTH),
            entry_rate: Smoothed::over(SMOOTH),
            left_out_rate: Smoothed::over(SMOOTH),
            work_rate: Smoothed::over(SMOOTH),
            long_work_rate: Smoothed::over(SMOOTH_LONG),
            long_byte_rate: Smoothed::over(SMOOTH_LONG),
            fraction: 0.0,
            phase: Phase::Copying,
        }
    }
}

impl Sampler {
    /// A snapshot of a job that has run for `elapsed`.
    pub fn sample(&mut self, progress: &Progress, plan: &Plan, elapsed: Duration) -> Snapshot {
        let phase = progress.phase();
        if phase != self.phase {
            *self = Sampler { phase, ..Sampler::default() };
        }
        let entries = progress.entries(plan);
        let bytes = progress.bytes();
        let (compared, to_compare) = progress.compared();
        let left_out = progress.left_out();
        // What waits for an answer is not left out: it may still be copied.
        let wanted = entries.total.saturating_sub(left_out);
        let rest_entries = wanted.saturating_sub(entries.done);
        let (part, rest) = match phase {
            Phase::Copying => {
                let of_bytes = bytes.total.filter(|total| *total > 0);
                let no_data = bytes.total == Some(0) || progress.only_renames(bytes.done);
                let part = match of_bytes {
                    Some(total) => Some(part(bytes.done, total)),
                    None => (no_data && entries.total_is_final && wanted > 0)
                        .then(|| part(entries.done, wanted)),
                };
                // All bytes may be there before the last empty file is.
                let part = part.map(|part| if rest_entries > 0 { part.min(0.999) } else { part });
                let rest_bytes = of_bytes.map_or(0, |total| total - bytes.done.min(total));
                let known = entries.total_is_final && (of_bytes.is_some() || no_data);
                (part, known.then_some(Rest { entries: rest_entries, bytes: rest_bytes }))
            }
            Phase::Verifying => {
                let rest = Rest { entries: 0, bytes: to_compare.saturating_sub(compared) };
                (Some(part(compared, to_compare.max(1))), Some(rest))
            }
            Phase::Flushing | Phase::Removing => (None, None),
        };
        if let Some(part) = part {
            self.fraction = self.fraction.max(part);
        }
        let (moved, worked) = match phase {
            Phase::Verifying => (compared, compared),
            _ => (bytes.done.saturating_sub(bytes.cloned), bytes.done),
        };
        self.learn(Sample { at: elapsed, moved, done: entries.done, left_out, bytes: worked });
        Snapshot {
            phase,
            entries,
            bytes,
            compared: (phase == Phase::Verifying)
                .then(|| Compared { done: compared.min(to_compare), total: to_compare }),
            fraction: part.map(|_| self.fraction),
            rate: self.rate.get(SETTLED).map(|rate| rate as u64),
            entry_rate: self.entry_rate.get(SETTLED).map(|rate| rate as u64),
            left: rest.and_then(|rest| self.left(&rest)),
            elapsed: elapsed.as_millis() as u64,
            in_work: progress.in_work(plan),
        }
    }

    fn learn(&mut self, sample: Sample) {
        if let Some(last) = &self.last {
            let seconds = sample.at.saturating_sub(last.at).as_secs_f64();
            // A pause between two samples leaves no time to speak of.
            if seconds <= 0.01 {
                return;
            }
            let per_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
            let done = per_second(sample.done, last.done);
            let bytes = per_second(sample.bytes, last.bytes);
            self.rate.add(per_second(sample.moved, last.moved), seconds);
            self.entry_rate.add(done, seconds);
            self.left_out_rate.add(per_second(sample.left_out, last.left_out), seconds);
            let work = work(done, bytes);
            self.work_rate.add(work, seconds);
            self.long_work_rate.add(work, seconds);
            self.long_byte_rate.add(bytes, seconds);
        }
        self.last = Some(sample);
    }

    /// The time left in milliseconds, in whole seconds; `None` where nobody can know it.
    fn left(&self, rest: &Rest) -> Option<u64> {
        let (of_late, long) =
            (self.work_rate.get(LEFT_SETTLED)?, self.long_work_rate.get(LEFT_SETTLED)?);
        let all = work(rest.entries as f64, rest.bytes as f64);
        let steady = of_late.max(long) <= of_late.min(long) * STEADY;
        // Where most is left out, nobody can tell what of the rest will be.
        let chosen = self.left_out_rate.value <= self.entry_rate.value.max(1.0);
        let seen = self.long_byte_rate.value / long;
        let ahead = rest.bytes as f64 / all;
        let alike = if ahead > 0.5 { seen >= SEEN_LEAST } else { 1.0 - seen >= SEEN_LEAST };
        let known = all > 0.0 && long > 1e-3 && steady && chosen && alike;
        known.then(|| ((all / long).ceil() as u64).saturating_mul(1000))
    }
}

/// What entries and bytes weigh together.
pub fn work(entries: f64, bytes: f64) -> f64 {
    bytes + entries * ENTRY_WEIGHT
}

fn part(done: u64, all: u64) -> f64 {
    (done as f64 / all as f64).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
