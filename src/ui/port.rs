//! The way to the engine: commands out, events in.
//!
//! The window holds a [`Port`] and not the engine, so that tests can hold the other end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use iced::futures::stream::{self, Stream};
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

/// The least time between two views that only show newer samples: drawing one costs 20 ms
/// of a processor that copies meanwhile.
const BETWEEN: Duration = Duration::from_millis(200);

/// The engine's events, those that have gathered together. Of a job's samples in one batch
/// only the last is kept; a batch of nothing else waits a little, all else is told at once.
pub fn events(receiver: UnboundedReceiver<Event>) -> impl Stream<Item = Vec<Event>> {
    stream::unfold((receiver, None), |(mut receiver, last)| async move {
        let mut batch = Vec::new();
        let mut count = receiver.recv_many(&mut batch, BATCH).await;
        let open = count > 0;
        let waits =
            last.map_or(Duration::ZERO, |last: Instant| BETWEEN.saturating_sub(last.elapsed()));
        let until = tokio::time::Instant::now() + waits;
        while count > 0 && batch.iter().all(|event| matches!(event, Event::Progress { .. })) {
            let more = tokio::time::timeout_at(until, receiver.recv_many(&mut batch, BATCH));
            match more.await {
                Ok(received) => count = received,
                Err(_time_is_up) => break,
            }
        }
        open.then(|| (newest_samples(batch), (receiver, Some(Instant::now()))))
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
            let mut events = std::pin::pin!(events(receiver));
            send(sample(1));
            assert_eq!(events.next().await, Some(vec![sample(1)]), "the first one");
            let since = Instant::now();
            send(sample(2));
            send(sample(3));
            assert_eq!(events.next().await, Some(vec![sample(3)]));
            assert!(since.elapsed() > BETWEEN / 2, "{:?}", since.elapsed());
            send(sample(4));
            send(state.clone());
            assert_eq!(events.next().await, Some(vec![sample(4), state]));
            drop(sender);
            assert_eq!(events.next().await, None);
        });
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
