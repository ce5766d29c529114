//! Counters that workers add to, and what a face is told of them.
//!
//! Workers only add to atomics of their own; the engine samples them ten times a second.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::message::{ByteCounts, Compared, EntryCounts, EntryId, InWork, Phase, Snapshot};
use super::plan::Plan;

/// What one worker has done. Aligned so that no two workers share a cache line.
#[derive(Default)]
#[repr(align(128))]
pub struct Counters {
    /// Entries copied, linked or moved.
    pub done: AtomicU64,
    /// Entries left by a rule or an answer.
    pub skipped: AtomicU64,
    /// Entries left because nobody could be asked.
    pub unanswered: AtomicU64,
    /// Entries that failed and are not parked.
    pub failed: AtomicU64,
    /// Entries whose source changed while they were copied; counted as failed too.
    pub changed: AtomicU64,
    /// Entries that got another name; counted as done too.
    pub renamed: AtomicU64,
    /// Entries verified.
    pub verified: AtomicU64,
    /// Bytes copied or cloned.
    pub bytes: AtomicU64,
    /// Bytes cloned.
    pub cloned: AtomicU64,
    /// Bytes of entries that ended without being copied.
    pub passed: AtomicU64,
    /// Bytes read back and compared.
    pub compared: AtomicU64,
    slot: Slot,
}

/// The entry that a worker has in work.
struct Slot {
    entry: AtomicU32,
    done: AtomicU64,
    size: AtomicU64,
}

const NOTHING: u32 = u32::MAX;

impl Default for Slot {
    fn default() -> Self {
        Slot { entry: AtomicU32::new(NOTHING), done: AtomicU64::new(0), size: AtomicU64::new(0) }
    }
}

impl Counters {
    /// An entry of this size is in work now.
    pub fn begin(&self, entry: EntryId, size: u64) {
        self.slot.done.store(0, Relaxed);
        self.slot.size.store(size, Relaxed);
        self.slot.entry.store(entry.0, Relaxed);
    }

    /// No entry is in work.
    pub fn rest(&self) {
        self.slot.entry.store(NOTHING, Relaxed);
    }

    /// So many more bytes of the entry in work are copied.
    pub fn advance(&self, bytes: u64) {
        let _before = self.slot.done.fetch_add(bytes, Relaxed);
        add(&self.bytes, bytes);
    }

    /// Bytes that were copied and not shared.
    pub fn moved(&self) -> u64 {
        self.bytes.load(Relaxed).saturating_sub(self.cloned.load(Relaxed))
    }

    /// An entry that had been counted as done turned out to have failed.
    pub fn done_failed(&self) {
        let _before = self.done.fetch_sub(1, Relaxed);
        add(&self.failed, 1);
    }

    /// Bytes copied of the entry in work.
    pub fn in_work(&self) -> u64 {
        self.slot.done.load(Relaxed)
    }

    /// The entry in work was begun in vain: its bytes do not count.
    pub fn take_back(&self) {
        let done = self.slot.done.swap(0, Relaxed);
        let _before = self.bytes.fetch_sub(done, Relaxed);
    }
}

/// Adds to a counter.
pub fn add(counter: &AtomicU64, n: u64) {
    let _before = counter.fetch_add(n, Relaxed);
}

/// One job's progress.
pub struct Progress {
    /// A set of counters a worker.
    pub workers: Vec<Counters>,
    /// Conflicts parked.
    pub waiting: AtomicU64,
    /// Failures parked.
    pub parked_failures: AtomicU64,
    /// Folders that are still to be listed.
    pub to_list: AtomicU64,
    /// What the measuring thread found: entries and bytes, once it is through.
    measured: AtomicBool,
    measured_entries: AtomicU64,
    measured_bytes: AtomicU64,
    phase: AtomicU32,
    /// Bytes that the verify phase is going to read.
    to_compare: AtomicU64,
    /// Bytes compared before that phase: of what replaced files.
    compared_before: AtomicU64,
}

impl Progress {
    /// Progress for this many workers.
    pub fn new(workers: usize) -> Progress {
        Progress {
            workers: (0..workers).map(|_| Counters::default()).collect(),
            waiting: AtomicU64::new(0),
            parked_failures: AtomicU64::new(0),
            to_list: AtomicU64::new(0),
            measured: AtomicBool::new(false),
            measured_entries: AtomicU64::new(0),
            measured_bytes: AtomicU64::new(0),
            phase: AtomicU32::new(0),
            to_compare: AtomicU64::new(0),
            compared_before: AtomicU64::new(0),
        }
    }

    /// The sum of one counter over all workers.
    pub fn sum(&self, counter: impl Fn(&Counters) -> &AtomicU64) -> u64 {
        // One worker may take back what another one has counted.
        let each = self.workers.iter().map(|worker| counter(worker).load(Relaxed));
        each.fold(0, u64::wrapping_add)
    }

    /// The measuring thread is through.
    pub fn set_measured(&self, entries: u64, bytes: u64) {
        self.measured_entries.store(entries, Relaxed);
        self.measured_bytes.store(bytes, Relaxed);
        self.measured.store(true, std::sync::atomic::Ordering::Release);
    }

    /// There is more than the measuring thread had found.
    pub fn measure_again(&self) {
        self.measured.store(false, std::sync::atomic::Ordering::Release);
    }

    fn measured(&self) -> Option<(u64, u64)> {
        self.measured
            .load(std::sync::atomic::Ordering::Acquire)
            .then(|| (self.measured_entries.load(Relaxed), self.measured_bytes.load(Relaxed)))
    }

    /// The job is busy with this now.
    pub fn set_phase(&self, phase: Phase) {
        self.phase.store(phase as u32, Relaxed);
    }

    /// What the job is busy with.
    pub fn phase(&self) -> Phase {
        const ALL: [Phase; 4] =
            [Phase::Copying, Phase::Flushing, Phase::Verifying, Phase::Removing];
        ALL[self.phase.load(Relaxed) as usize]
    }

    /// The verify phase is going to read so many bytes.
    pub fn set_to_compare(&self, bytes: u64) {
        self.compared_before.store(self.sum(|c| &c.compared), Relaxed);
        self.to_compare.store(bytes, Relaxed);
    }

    fn compared_before(&self) -> u64 {
        self.compared_before.load(Relaxed)
    }

    /// The counts of entries now.
    pub fn entries(&self, plan: &Plan) -> EntryCounts {
        let all_listed = self.to_list.load(Relaxed) == 0;
        let found = plan.len() as u64;
        let measured = self.measured().map(|(entries, _)| entries.max(found));
        let total = if all_listed { found } else { measured.unwrap_or(found) };
        let total_is_final = all_listed || measured.is_some();
        EntryCounts {
            total,
            total_is_final,
            done: self.sum(|c| &c.done),
            skipped: self.sum(|c| &c.skipped),
            unanswered: self.sum(|c| &c.unanswered),
            waiting: self.waiting.load(Relaxed),
            failed: self.sum(|c| &c.failed) + self.parked_failures.load(Relaxed),
        }
    }

    /// The counts of data now.
    pub fn bytes(&self) -> ByteCounts {
        let done = self.sum(|c| &c.bytes);
        ByteCounts {
            done,
            cloned: self.sum(|c| &c.cloned),
            total: self.measured().map(|(_, bytes)| bytes.max(done)),
        }
    }

    /// The entries in work.
    pub fn in_work(&self, plan: &Plan) -> Vec<InWork> {
        let of = |counters: &Counters| {
            let entry = EntryId(counters.slot.entry.load(Relaxed));
            if entry.0 == NOTHING {
                return None;
            }
            let path: PathBuf = plan.path(entry)?;
            let size = counters.slot.size.load(Relaxed);
            Some(InWork { entry, path, done: counters.slot.done.load(Relaxed).min(size), size })
        };
        self.workers.iter().filter_map(of).collect()
    }
}

/// Turns samples into rates, a fraction that never goes back, and a time left.
pub struct Sampler {
    last: Option<Sample>,
    rate: Smoothed,
    entry_rate: Smoothed,
    fraction_rate: Smoothed,
    fraction: f64,
    phase: Phase,
}

struct Sample {
    at: Duration,
    moved: u64,
    ended: u64,
    fraction: Option<f64>,
}

/// An exponentially smoothed rate; means something after [`SETTLED`] of samples.
#[derive(Default)]
struct Smoothed {
    value: f64,
    seen: f64,
}

/// Time constant of the smoothing, in seconds.
const SMOOTH: f64 = 2.0;
/// Seconds of samples before a rate is told.
const SETTLED: f64 = 0.45;
/// Seconds of samples before a time left is told.
const LEFT_SETTLED: f64 = 0.9;
/// What an entry weighs beside its bytes: creating a file takes about as long as copying
/// this many.
const ENTRY_WEIGHT: f64 = 65_536.0;

impl Smoothed {
    fn add(&mut self, value: f64, seconds: f64) {
        self.seen += seconds;
        // The first samples weigh as in a plain mean, so that the start does not pull.
        let share = (seconds / SMOOTH).max(seconds / self.seen).min(1.0);
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
            rate: Smoothed::default(),
            entry_rate: Smoothed::default(),
            fraction_rate: Smoothed::default(),
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
        let ended = entries.done + entries.skipped + entries.unanswered + entries.failed;
        let to_compare = progress.to_compare.load(Relaxed);
        let compared = progress.sum(|c| &c.compared).saturating_sub(progress.compared_before());
        let fraction = match phase {
            Phase::Copying => {
                let passed = progress.sum(|c| &c.passed);
                copied_fraction(&entries, &bytes, bytes.done + passed, ended)
            }
            Phase::Verifying => Some((compared as f64 / to_compare.max(1) as f64).min(1.0)),
            Phase::Flushing | Phase::Removing => None,
        };
        if let Some(fraction) = fraction {
            self.fraction = self.fraction.max(fraction);
        }
        let fraction = fraction.map(|_| self.fraction);
        let moved = match phase {
            Phase::Verifying => compared,
            _ => bytes.done.saturating_sub(bytes.cloned),
        };
        self.learn(Sample { at: elapsed, moved, ended, fraction });
        Snapshot {
            phase,
            entries,
            bytes,
            compared: (phase == Phase::Verifying)
                .then(|| Compared { done: compared.min(to_compare), total: to_compare }),
            fraction,
            rate: self.rate.get(SETTLED).map(|rate| rate as u64),
            entry_rate: self.entry_rate.get(SETTLED).map(|rate| rate as u64),
            left: self.left(),
            elapsed: elapsed.as_millis() as u64,
            in_work: progress.in_work(plan),
        }
    }

    fn learn(&mut self, sample: Sample) {
        if let Some(last) = &self.last {
            let seconds = sample.at.saturating_sub(last.at).as_secs_f64();
            // A pause between two samples leaves no time to speak of.
            if seconds > 0.01 {
                let per_second =
                    |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
                self.rate.add(per_second(sample.moved, last.moved), seconds);
                self.entry_rate.add(per_second(sample.ended, last.ended), seconds);
                if let (Some(now), Some(before)) = (sample.fraction, last.fraction) {
                    self.fraction_rate.add((now - before).max(0.0) / seconds, seconds);
                }
            } else {
                return;
            }
        }
        self.last = Some(sample);
    }

    fn left(&self) -> Option<u64> {
        let rate = self.fraction_rate.get(LEFT_SETTLED).filter(|rate| *rate > 1e-7)?;
        Some(((1.0 - self.fraction) / rate * 1000.0) as u64)
    }
}

fn copied_fraction(
    entries: &EntryCounts,
    bytes: &ByteCounts,
    through: u64,
    ended: u64,
) -> Option<f64> {
    let total_bytes = bytes.total?;
    let all = total_bytes as f64 + entries.total as f64 * ENTRY_WEIGHT;
    let done = through as f64 + ended as f64 * ENTRY_WEIGHT;
    if all <= 0.0 { None } else { Some((done / all).clamp(0.0, 1.0)) }
}

/// When a job began, and how long it really ran.
pub struct Clock(Instant);

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// The time since the start but for the time that the job stood still.
    pub fn ran(&self, stood_still: Duration) -> Duration {
        self.0.elapsed().saturating_sub(stood_still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
