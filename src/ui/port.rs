//! The way to the engine: commands out, events in.
//!
//! The window holds a [`Port`] and not the engine, so that tests can hold the other end.

use std::sync::Arc;

use iced::futures::stream::{self, Stream};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::engine::{Command, Engine, Event, JobId, JobSpec, Plan};

/// What the window needs of the engine.
pub trait Port {
    /// Puts a job at the end of the queue.
    fn add(&self, spec: JobSpec) -> JobId;
    /// Sends a command; returns at once.
    fn send(&self, command: Command);
    /// The entries of a job, shared with the engine.
    fn plan(&self, job: JobId) -> Option<Arc<Plan>>;
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
}

/// The most events that reach the window at once: each arrival costs a new view.
const BATCH: usize = 1024;

/// The engine's events, those that have gathered together. Of a job's samples in one batch
/// only the last is kept.
pub fn events(receiver: UnboundedReceiver<Event>) -> impl Stream<Item = Vec<Event>> {
    stream::unfold(receiver, |mut receiver| async move {
        let mut batch = Vec::new();
        let count = receiver.recv_many(&mut batch, BATCH).await;
        (count > 0).then(|| (newest_samples(batch), receiver))
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
