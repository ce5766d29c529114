//! The work of one job, shared by its workers.
//!
//! Each worker has a stack of its own and takes from its top; one that has nothing takes the
//! oldest of another's, which is most often a whole folder. So workers stay in folders of
//! their own, where creating files makes them wait for no one (the kernel serialises creates
//! in one folder), and a deep tree is walked depth first with few works waiting. One lock is
//! enough: a work is a batch of up to 64 files, about two milliseconds.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A set of stacks of works.
pub struct Pool<W> {
    inner: Mutex<Inner<W>>,
    /// Something was pushed, or the pool was closed.
    more: Condvar,
    /// No work is left or in hand.
    quiet: Condvar,
}

struct Inner<W> {
    stacks: Vec<VecDeque<W>>,
    /// Works pushed and not yet ended.
    open: usize,
    /// How many works were ever pushed.
    pushed: u64,
    closed: bool,
}

impl<W> Pool<W> {
    /// A pool for this many workers.
    pub fn new(workers: usize) -> Pool<W> {
        let stacks = (0..workers.max(1)).map(|_| VecDeque::new()).collect();
        let inner = Inner { stacks, open: 0, pushed: 0, closed: false };
        Pool { inner: Mutex::new(inner), more: Condvar::new(), quiet: Condvar::new() }
    }

    /// Puts works on a worker's stack; the last of them is taken first.
    pub fn push(&self, worker: usize, works: impl IntoIterator<Item = W>) {
        let mut inner = self.lock();
        let before = inner.open;
        let stack = worker % inner.stacks.len();
        for work in works {
            inner.stacks[stack].push_back(work);
            inner.open += 1;
            inner.pushed += 1;
        }
        if inner.open > before {
            drop(inner);
            self.more.notify_all();
        }
    }

    /// Takes a work, waiting for one; `None` when the pool is closed. Each taken work is to
    /// be ended with [`Pool::end`].
    pub fn take(&self, worker: usize) -> Option<W> {
        let mut inner = self.lock();
        loop {
            if let Some(work) = inner.stacks[worker].pop_back() {
                return Some(work);
            }
            if let Some(work) = inner.stacks.iter_mut().find_map(VecDeque::pop_front) {
                return Some(work);
            }
            if inner.closed {
                return None;
            }
            inner = self.more.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A taken work has ended (after whatever it pushed).
    pub fn end(&self) {
        let mut inner = self.lock();
        inner.open -= 1;
        if inner.open == 0 {
            drop(inner);
            self.quiet.notify_all();
        }
    }

    /// Waits until no work is left or in hand.
    pub fn wait_until_quiet(&self) {
        let mut inner = self.lock();
        while inner.open > 0 {
            inner = self.quiet.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Keeps the pool from being quiet until it is ended like a taken work: for somebody who
    /// is going to push.
    pub fn begin(&self) {
        self.lock().open += 1;
    }

    /// Whether no work is left or in hand.
    pub fn is_quiet(&self) -> bool {
        self.lock().open == 0
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// How many works were ever pushed: to be told of later ones.
    pub fn pushed(&self) -> u64 {
        self.lock().pushed
    }

    /// Waits until more was pushed than this many, or until `stop` holds; look again with
    /// [`Pool::wake`]. Not until there is work: it may be done before the waiter is awake.
    pub fn wait_for_more(&self, pushed: u64, stop: impl Fn() -> bool) {
        let mut inner = self.lock();
        while inner.pushed == pushed && !stop() {
            inner = self.more.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes whoever waits.
    pub fn wake(&self) {
        let _order = self.lock();
        self.more.notify_all();
    }

    /// Lets the workers go once nothing is left.
    pub fn close(&self) {
        self.lock().closed = true;
        self.more.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Inner<W>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Pool;

    #[test]
    fn a_worker_takes_its_newest_and_another_its_oldest() {
        let pool = Pool::new(2);
        pool.push(0, [1, 2, 3]);
        assert_eq!((pool.take(0), pool.take(1), pool.take(1)), (Some(3), Some(1), Some(2)));
    }

    #[test]
    fn a_closed_pool_gives_what_is_left_and_then_none() {
        let pool = Pool::new(1);
        pool.push(0, [1]);
        pool.close();
        assert_eq!((pool.take(0), pool.take(0)), (Some(1), None));
    }

    #[test]
    fn it_is_quiet_only_when_the_last_work_has_ended() {
        let pool = std::sync::Arc::new(Pool::new(1));
        pool.push(0, [1, 2]);
        let worker = {
            let pool = std::sync::Arc::clone(&pool);
            std::thread::spawn(move || {
                let mut ended = 0;
                while pool.take(0).is_some() {
                    ended += 1;
                    pool.end();
                }
                ended
            })
        };
        pool.wait_until_quiet();
        pool.close();
        assert_eq!(worker.join().expect("the worker ends"), 2);
    }
}
