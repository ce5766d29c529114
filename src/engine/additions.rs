//! Sources that a job gets after it was added.
//!
//! They wait here until the job's own thread has nothing else to do; once it is through with
//! copying it takes no more, and whoever comes later is told so.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Mutex;

use super::job::lock;

/// The later sources of one job.
#[derive(Default)]
pub struct Additions(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Vec<PathBuf>>,
    /// All that were ever added, for the totals.
    all: Vec<PathBuf>,
    closed: bool,
}

impl Additions {
    /// Adds sources; whether the job still takes them.
    pub fn add(&self, sources: &[PathBuf]) -> bool {
        let mut inner = lock(&self.0);
        if !inner.closed {
            inner.waiting.push_back(sources.to_vec());
            inner.all.extend_from_slice(sources);
        }
        !inner.closed
    }

    /// The next sources that wait.
    pub fn take(&self) -> Option<Vec<PathBuf>> {
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
        lock(&self.0).all.clone()
    }
}
