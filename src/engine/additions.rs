//! Sources that a job gets after it was added.
//!
//! They wait here until the job's own thread has nothing else to do; once it is through with
//! copying it takes no more, and whoever comes later is told so.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once};

use super::job::{Job, lock};
use super::resume;

/// Sources that were added together.
pub struct Added {
    /// Their paths.
    pub sources: Vec<PathBuf>,
    remembered: Once,
}

impl Added {
    /// Whether a job that is killed now knows of them, as far as it is known at all.
    pub fn is_remembered(&self, job: &Job) -> bool {
        job.journal().is_none() || self.remembered.is_completed()
    }

    /// Tells the job's journal of them, if that has not been done. A job that has no journal
    /// yet tells of them when it gets one.
    pub fn remember(&self, job: &Job) {
        if job.journal().is_some() {
            self.remembered.call_once(|| resume::remember_sources(job, &self.sources));
        }
    }
}

/// The later sources of one job.
#[derive(Default)]
pub struct Additions(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Arc<Added>>,
    /// All that were ever added, for the totals and the journal.
    all: Vec<Arc<Added>>,
    closed: bool,
}

impl Additions {
    /// Adds sources; `None` when the job takes no more.
    pub fn add(&self, sources: &[PathBuf]) -> Option<Arc<Added>> {
        let mut inner = lock(&self.0);
        if inner.closed {
            return None;
        }
        let added = Arc::new(Added { sources: sources.to_vec(), remembered: Once::new() });
        inner.waiting.push_back(Arc::clone(&added));
        inner.all.push(Arc::clone(&added));
        Some(added)
    }

    /// The next sources that wait.
    pub fn take(&self) -> Option<Arc<Added>> {
        lock(&self.0).waiting.pop_front()
    }

    /// Whether sources wait.
    pub fn is_waiting(&self) -> bool {
        !lock(&self.0).waiting.is_empty()
    }

    /// Takes no more, unless some wait; whether it is closed.
    pub fn close(&self) -> bool {
        let mut inner = lock(&self.0);
        inner.closed |= inner.waiting.is_empty();
        inner.closed
    }

    /// All that were added so far.
    pub fn all(&self) -> Vec<PathBuf> {
        lock(&self.0).all.iter().flat_map(|added| added.sources.clone()).collect()
    }

    /// Tells the job's journal, which it has just got, of all that were added before.
    pub fn remember(&self, job: &Job) {
        let all = lock(&self.0).all.clone();
        all.iter().for_each(|added| added.remember(job));
    }
}
