//! Passing faults: an entry that failed for a reason that may pass is tried again, a few
//! times, when everything else is done; only then is anybody asked or told.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::copy::Fault;
use super::error::{Cause, ErrorKind};
use super::folder::Folder;
use super::fs::faults;
use super::job::{Job, Wish, Work, lock};
use super::plan::Block;
use super::worker::Entry;

/// How long is waited before each round of a job: what one moment brought is mostly gone in
/// the next, and a server is back after a little while.
const WAITS: [Duration; 2] = [Duration::ZERO, Duration::from_millis(250)];
/// How often a wait looks whether something else is to be done.
const LOOK: Duration = Duration::from_millis(10);

/// Entries that are going to be tried again.
#[derive(Default)]
pub struct Retries {
    round: AtomicU8,
    waiting: Mutex<Vec<Again>>,
}

struct Again {
    folder: Arc<Folder>,
    block: Arc<Block>,
    at: u32,
    fault: Fault,
    wish: Option<Box<Wish>>,
}

impl Retries {
    /// Keeps an entry for the next round; whether there is one for it.
    pub fn keep(&self, entry: Entry<'_>, wish: &Wish, fault: Fault) -> bool {
        if !may_pass(fault.kind) || usize::from(self.round.load(Relaxed)) >= WAITS.len() {
            return false;
        }
        let (folder, block) = (Arc::clone(entry.folder), Arc::clone(entry.block));
        let wish = (!wish.is_nothing()).then(|| Box::new(wish.clone()));
        lock(&self.waiting).push(Again { folder, block, at: entry.at, fault, wish });
        true
    }

    /// The works of the next round, once it is time for them; `None` when nothing is to be
    /// tried again, or something else is to be done first.
    pub fn next_round(&self, job: &Job) -> Option<Vec<Work>> {
        if lock(&self.waiting).is_empty() {
            return None;
        }
        let round = self.round.fetch_add(1, Relaxed);
        let since = Instant::now();
        let wait = WAITS.get(usize::from(round)).copied().unwrap_or_default();
        let wait = if faults::waits() { wait } else { Duration::ZERO };
        while since.elapsed() < wait && job.pool.is_quiet() && !job.control.is_cancelled() {
            std::thread::sleep(LOOK);
        }
        let again = std::mem::take(&mut *lock(&self.waiting));
        Some(again.into_iter().map(|again| again.work(false)).collect())
    }

    /// The works that end them all as failed: the job is cancelled.
    pub fn give_up(&self) -> Vec<Work> {
        let again = std::mem::take(&mut *lock(&self.waiting));
        again.into_iter().map(|again| again.work(true)).collect()
    }
}

impl Again {
    fn work(self, give_up: bool) -> Work {
        let Again { folder, block, at, fault, wish } = self;
        let wish = wish.map(|wish| *wish).unwrap_or_default();
        let wish = Wish { given_up: give_up.then_some(fault), tries: 0, ..wish };
        Work::Entry { folder, block, at, wish }
    }
}

fn may_pass(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Os(errno) if Cause::of(errno).is_some_and(Cause::may_pass))
}
