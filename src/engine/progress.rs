//! Counters that workers add to.
//!
//! Workers only add to atomics of their own; the engine samples them ten times a second (see
//! [`super::sampler`]).
//!
//! Every byte that the measuring thread found ends in one of two counters: it is copied, or
//! it is left (skipped, failed, changed, there already). What is left leaves the total.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::job::lock;
use super::message::{ByteCounts, EntryCounts, EntryId, InWork, Phase};
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
    /// Bytes that nobody is going to copy: of what was left out, or is there already.
    pub left: AtomicU64,
    /// Folders that were there already; counted as done too.
    pub merged: AtomicU64,
    /// Entries moved by a rename, which moves no data; counted as done too.
    pub by_rename: AtomicU64,
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

    /// So many bytes of the entry in work were copied before, and are counted.
    pub fn go_on_at(&self, bytes: u64) {
        self.slot.done.store(bytes, Relaxed);
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
    /// Folders that were left out as a whole, and of which nobody knows yet what is in them.
    left_folders: Mutex<Vec<PathBuf>>,
    /// What was in such folders.
    left_entries: AtomicU64,
    left_bytes: AtomicU64,
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
            left_folders: Mutex::default(),
            left_entries: AtomicU64::new(0),
            left_bytes: AtomicU64::new(0),
        }
    }

    /// The sum of one counter over all workers.
    pub fn sum(&self, counter: impl Fn(&Counters) -> &AtomicU64) -> u64 {
        // One worker may take back what another one has counted.
        let each = self.workers.iter().map(|worker| counter(worker).load(Relaxed));
        each.fold(0, u64::wrapping_add)
    }

    /// So many bytes that are counted were copied in vain.
    pub fn take_back(&self, bytes: u64) {
        let _before = self.workers[0].bytes.fetch_sub(bytes, Relaxed);
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

    /// A folder is left out with all that is in it, which was not listed.
    pub fn leave_folder(&self, source: PathBuf) {
        lock(&self.left_folders).push(source);
    }

    /// The folders that were left out and are still to be measured.
    pub fn take_left_folders(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *lock(&self.left_folders))
    }

    /// So much is in a folder that was left out.
    pub fn set_left(&self, entries: u64, bytes: u64) {
        add(&self.left_entries, entries);
        add(&self.left_bytes, bytes);
    }

    /// What is to be found and to be copied in all, without what was left out.
    fn measured(&self) -> Option<(u64, u64)> {
        self.measured.load(std::sync::atomic::Ordering::Acquire).then(|| {
            let left = self.sum(|c| &c.left).wrapping_add(self.left_bytes.load(Relaxed));
            let entries = self.measured_entries.load(Relaxed);
            (
                entries.saturating_sub(self.left_entries.load(Relaxed)),
                self.measured_bytes.load(Relaxed).saturating_sub(left),
            )
        })
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

    /// Bytes that the verify phase has read, and how many it is going to.
    pub fn compared(&self) -> (u64, u64) {
        let all = self.sum(|c| &c.compared);
        (all.saturating_sub(self.compared_before.load(Relaxed)), self.to_compare.load(Relaxed))
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

    /// Entries that are left out for good: not those that wait for an answer.
    pub fn left_out(&self) -> u64 {
        self.sum(|c| &c.skipped) + self.sum(|c| &c.unanswered) + self.sum(|c| &c.failed)
    }

    /// The counts of data now.
    pub fn bytes(&self) -> ByteCounts {
        let done = self.sum(|c| &c.bytes);
        let total = match self.phase() {
            // A file may have had less in it than was measured.
            Phase::Flushing | Phase::Verifying | Phase::Removing => Some(done),
            Phase::Copying if self.only_renames(done) => None,
            Phase::Copying => self.measured().map(|(_, bytes)| bytes.max(done)),
        };
        ByteCounts { done, cloned: self.sum(|c| &c.cloned), total }
    }

    /// Whether entries are moved by renaming them, and none by copying so far.
    pub fn only_renames(&self, bytes_done: u64) -> bool {
        bytes_done == 0 && self.sum(|c| &c.by_rename) > 0
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
