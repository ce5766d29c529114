//! The way to the engine: commands out, events in.
//!
//! The window holds a [`Port`] and not the engine, so that tests can hold the other end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use iced::futures::stream::{self, Stream};
use rustix::time::ClockId;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::engine::{
    Command, Engine, Event, JobId, JobSpec, JournalError, JournalId, Plan, Report, Store,
};

/// What the window needs of the engine.
pub trait Port: Send + Sync {
    /// Puts a job at the end of the queue.
    fn add(&self, spec: JobSpec) -> JobId;
    /// Sends a command; returns at once.
    fn send(&self, command: Command);
    /// The entries of a job, shared with the engine.
    fn plan(&self, job: JobId) -> Option<Arc<Plan>>;
    /// Where jobs are remembered, if they are.
    fn store(&self) -> Option<Store>;
    /// The number in the history of a job of this session.
    fn journal(&self, job: JobId) -> Option<JournalId>;
    /// Lets a job of the history go on. May wait for its device.
    ///
    /// # Errors
    /// As [`Engine::resume`].
    fn resume(&self, id: JournalId) -> Result<JobId, JournalError>;
    /// What there is to say of a job's entries, shared with the engine.
    fn report(&self, job: JobId) -> Option<Arc<Report>>;
}

impl Port for Engine {
    fn add(&self, spec: JobSpec) -> JobId {
        Engine::add(self, spec)
    }

    fn send(&self, command: Command) {
        Engine::send(self, command);
    }

    fn plan(&self, job: JobId) -> Option<Arc<Plan>> {
        Engine::plan(self, job)
    }

    fn store(&self) -> Option<Store> {
        Engine::store(self).cloned()
    }

    fn journal(&self, job: JobId) -> Option<JournalId> {
        Engine::journal(self, job)
    }

    fn resume(&self, id: JournalId) -> Result<JobId, JournalError> {
        Engine::resume(self, id, true)
    }

    fn report(&self, job: JobId) -> Option<Arc<Report>> {
        Engine::report(self, job)
    }
}

/// The most events that reach the window at once: each arrival costs a new view.
const BATCH: usize = 1024;

/// The least and the longest time between two views that only show newer samples: the
/// engine's samples come every 100 ms, and less than two and a half a second are no picture.
const BETWEEN: (Duration, Duration) = (Duration::from_millis(100), Duration::from_millis(400));

/// Which part of all processors may go into views while a job runs: a sixty-fourth.
const PART: u32 = 64;

/// How often the window shows newer samples: drawing one costs 5 to 20 ms of a processor, and
/// with few of them that time is the copying's.
#[derive(Clone, Default)]
pub struct Pace(Arc<Times>);

/// In nanoseconds of the window's thread.
#[derive(Default)]
struct Times {
    view: AtomicU64,
    noted: AtomicU64,
}

impl Pace {
    /// Events have reached the window: what its thread did since the last ones was a view.
    pub fn note(&self) {
        let now = rustix::time::clock_gettime(ClockId::ThreadCPUTime);
        let now = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
        let before = self.0.noted.swap(now, Relaxed);
        if before > 0 {
            self.took(Duration::from_nanos(now.saturating_sub(before)));
        }
    }

    /// A view took so much of the processor. One longer than the others counts for little.
    fn took(&self, view: Duration) {
        let nanoseconds = u64::try_from(view.min(BETWEEN.1).as_nanos()).unwrap_or(u64::MAX);
        let before = self.0.view.load(Relaxed);
        self.0.view.store(before - before / 4 + nanoseconds / 4, Relaxed);
    }

    /// The time between two views with so many processors.
    fn between(&self, processors: u32) -> Duration {
        let view = Duration::from_nanos(self.0.view.load(Relaxed));
        (view * PART / processors.max(1)).clamp(BETWEEN.0, BETWEEN.1)
    }
}

/// The engine's events, those that have gathered together. Of a job's samples in one batch
/// only the last is kept; a batch of nothing else waits a little, all else is told at once.
pub fn events(receiver: UnboundedReceiver<Event>, pace: Pace) -> impl Stream<Item = Vec<Event>> {
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
    stream::unfold((receiver, pace, None), move |(mut receiver, pace, last)| async move {
        let mut batch = Vec::new();
        let mut count = receiver.recv_many(&mut batch, BATCH).await;
        let open = count > 0;
        let between = pace.between(processors);
        let waits =
            last.map_or(Duration::ZERO, |last: Instant| between.saturating_sub(last.elapsed()));
        let until = tokio::time::Instant::now() + waits;
        while count > 0 && batch.iter().all(|event| matches!(event, Event::Progress { .. })) {
            let more = tokio::time::timeout_at(until, receiver.recv_many(&mut batch, BATCH));
            match more.await {
                Ok(received) => count = received,
                Err(_time_is_up) => break,
            }
        }
        open.then(|| (newest_samples(batch), (receiver, pace, Some(Instant::now()))))
    })
}

fn newest_samples(batch: Vec<Event>) -> Vec<Event> {
    let mut seen: Vec<JobId> = Vec::new();
    let mut kept: Vec<Event> = Vec::with_capacity(batch.len());
    for event in batch.into_iter().rev() {
        if let Event::Progress { job, .. } = event {
            if seen.contains(&job) {
                continue;
            }
            seen.push(job);
        }
        kept.push(event);
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{JobState, Snapshot};

    #[test]
    fn samples_alone_wait_a_little_and_nothing_else_does() {
        use iced::futures::StreamExt;
        let job = JobId(1);
        let sample = |elapsed| Event::Progress {
            job,
            snapshot: Snapshot { elapsed, ..Snapshot::default() },
        };
        let state = Event::State { job, state: JobState::Paused };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(async {
            let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
            let send = |event| sender.send(event).expect("an open channel");
            let mut events = std::pin::pin!(events(receiver, Pace::default()));
            send(sample(1));
            assert_eq!(events.next().await, Some(vec![sample(1)]), "the first one");
            let since = Instant::now();
            send(sample(2));
            send(sample(3));
            assert_eq!(events.next().await, Some(vec![sample(3)]));
            assert!(since.elapsed() > BETWEEN.0 / 2, "{:?}", since.elapsed());
            send(sample(4));
            send(state.clone());
            assert_eq!(events.next().await, Some(vec![sample(4), state]));
            drop(sender);
            assert_eq!(events.next().await, None);
        });
    }

    #[test]
    fn the_dearer_views_are_the_rarer_they_become() {
        let after = |views: &[u64], processors| {
            let pace = Pace::default();
            views.iter().for_each(|view| pace.took(Duration::from_millis(*view)));
            pace.between(processors).as_millis()
        };
        assert_eq!(after(&[], 2), 100);
        let steady = [20; 40];
        assert!((300..=320).contains(&after(&steady, 4)), "{}", after(&steady, 4));
        assert_eq!(after(&steady, 16), 100);
        assert_eq!(after(&[200; 40], 2), 400);
        // One that took long is soon forgotten.
        let once = [&[5_000][..], &[5; 20]].concat();
        assert_eq!(after(&once, 4), 100);
    }

    #[test]
    fn of_a_jobs_samples_the_last_is_kept() {
        let job = JobId(1);
        let sample = |elapsed| Event::Progress {
            job,
            snapshot: Snapshot { elapsed, ..Snapshot::default() },
        };
        let state = Event::State { job, state: JobState::Running };
        let kept = newest_samples(vec![sample(1), state.clone(), sample(2), sample(3)]);
        assert_eq!(kept, [state, sample(3)]);
    }
}
