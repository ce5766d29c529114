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
    /// Something was pushed, no work is left or in hand, or the pool was closed.
    changed: Condvar,
}

struct Inner<W> {
    stacks: Vec<VecDeque<W>>,
    /// Works pushed and not yet ended.
    open: usize,
    /// How often something was pushed.
    pushes: u64,
    closed: bool,
    /// Workers with a number from this one on rest.
    allowed: usize,
}

impl<W> Pool<W> {
    /// A pool for this many workers.
    pub fn new(workers: usize) -> Pool<W> {
        let stacks = (0..workers.max(1)).map(|_| VecDeque::new()).collect();
        let inner = Inner { stacks, open: 0, pushes: 0, closed: false, allowed: usize::MAX };
        Pool { inner: Mutex::new(inner), changed: Condvar::new() }
    }

    /// Puts works on a worker's stack; the last of them is taken first.
    pub fn push(&self, worker: usize, works: impl IntoIterator<Item = W>) {
        let mut inner = self.lock();
        let before = inner.open;
        let stack = worker % inner.stacks.len();
        for work in works {
            inner.stacks[stack].push_back(work);
            inner.open += 1;
        }
        if inner.open > before {
            inner.pushes += 1;
            drop(inner);
            self.changed.notify_all();
        }
    }

    /// Takes a work, waiting for one; `None` when the pool is closed. Each taken work is to
    /// be ended with [`Pool::end`].
    pub fn take(&self, worker: usize) -> Option<W> {
        self.take_until(worker, |inner| inner.closed.then_some(())).ok()
    }

    /// The same for the worker that leads the others.
    ///
    /// # Errors
    /// When no work is left or in hand: how often something had been pushed by then.
    pub fn take_until_quiet(&self, worker: usize) -> Result<W, u64> {
        self.take_until(worker, |inner| (inner.open == 0).then_some(inner.pushes))
    }

    fn take_until<E>(&self, worker: usize, ended: impl Fn(&Inner<W>) -> Option<E>) -> Result<W, E> {
        let mut inner = self.lock();
        loop {
            // The others take what is on the stack of one that rests.
            let rests = worker >= inner.allowed && !inner.closed;
            if !rests && let Some(work) = inner.stacks[worker].pop_back() {
                return Ok(work);
            }
            if !rests && let Some(work) = inner.stacks.iter_mut().find_map(VecDeque::pop_front) {
                return Ok(work);
            }
            if let Some(end) = ended(&inner) {
                return Err(end);
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A taken work has ended (after whatever it pushed).
    pub fn end(&self) {
        let mut inner = self.lock();
        inner.open -= 1;
        if inner.open == 0 {
            drop(inner);
            self.changed.notify_all();
        }
    }

    /// So many workers may take works from now on; the first one always may.
    pub fn allow(&self, workers: usize) {
        let mut inner = self.lock();
        let more = workers > inner.allowed;
        inner.allowed = workers.max(1);
        drop(inner);
        if more {
            self.changed.notify_all();
        }
    }

    /// How many works are in hand.
    pub fn in_hand(&self) -> usize {
        let inner = self.lock();
        let waiting: usize = inner.stacks.iter().map(VecDeque::len).sum();
        inner.open.saturating_sub(waiting)
    }

    /// How many works are left or in hand.
    pub fn open(&self) -> usize {
        self.lock().open
    }

    /// Keeps the pool from being quiet until it is ended like a taken work: for somebody who
    /// is going to push.
    pub fn begin(&self) {
        self.lock().open += 1;
    }

    /// Whether no work is left or in hand.
    pub fn is_quiet(&self) -> bool {
        self.open() == 0
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Waits until something was pushed since so many pushes (it may have ended again by
    /// now), or until `stop` holds; look again with [`Pool::wake`].
    pub fn wait_for_push(&self, since: u64, stop: impl Fn() -> bool) {
        let mut inner = self.lock();
        while inner.pushes == since && !stop() {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes whoever waits.
    pub fn wake(&self) {
        let _order = self.lock();
        self.changed.notify_all();
    }

    /// Lets the workers go once nothing is left.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
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
    fn a_worker_that_rests_takes_nothing_until_it_may_and_the_others_take_what_it_had() {
        let pool = std::sync::Arc::new(Pool::new(2));
        pool.allow(1);
        pool.push(1, [1, 2]);
        let other = {
            let pool = std::sync::Arc::clone(&pool);
            std::thread::spawn(move || pool.take(1))
        };
        assert_eq!(pool.take(0), Some(1));
        assert_eq!(pool.in_hand(), 1);
        pool.allow(2);
        assert_eq!(other.join().expect("it goes on"), Some(2));
        pool.allow(0);
        pool.push(1, [3]);
        assert_eq!(pool.take(0), Some(3));
    }

    #[test]
    fn a_closed_pool_gives_what_is_left_and_then_none() {
        let pool = Pool::new(1);
        pool.push(0, [1]);
        pool.close();
        assert_eq!((pool.take(0), pool.take(0)), (Some(1), None));
    }

    #[test]
    fn the_leader_waits_for_the_last_work_of_the_others() {
        let pool = std::sync::Arc::new(Pool::new(2));
        pool.push(0, [1]);
        assert_eq!(pool.take(1), Some(1));
        let leader = {
            let pool = std::sync::Arc::clone(&pool);
            std::thread::spawn(move || {
                let last = pool.take_until_quiet(0);
                pool.end();
                (last, pool.take_until_quiet(0))
            })
        };
        pool.push(1, [2]);
        pool.end();
        assert_eq!(leader.join().expect("the leader ends"), (Ok(2), Err(2)));
        pool.close();
        assert_eq!(pool.take(1), None);
    }

    #[test]
    fn a_push_that_has_ended_again_is_not_missed() {
        let pool = Pool::new(1);
        let seen = pool.take_until_quiet(0).expect_err("nothing was pushed");
        pool.push(0, [1]);
        assert_eq!(pool.take(0), Some(1));
        pool.end();
        pool.wait_for_push(seen, || false);
        assert!(pool.is_quiet());
    }
}
