//! The copying: no window, no words for people, no bus.
//!
//! [`Engine::start`] gives the rope to send [`Command`]s by and the channel of [`Event`]s.

mod additions;
mod ahead;
pub(crate) mod bytes;
mod checksums;
mod conflict;
mod control;
mod copy;
mod digest;
mod dispatch;
mod ending;
mod error;
mod folder;
mod fs;
mod job;
mod lane;
mod links;
mod look;
mod measure;
mod message;
mod moving;
mod once;
mod pair;
mod parked;
mod plan;
mod pool;
mod preserve;
mod progress;
mod queue;
mod report;
mod run;
mod scan;
mod skips;
mod start;
mod summary;
mod taken;
mod verify;
mod worker;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;

pub use conflict::{
    Action, ConflictRule, Decision, FileFacts, FileKind, NAME_MAX, QuestionClass, Scope, cut,
    decide, name_is_possible, other_name,
};
pub use error::{Error, ErrorKind, Operation};
#[cfg(debug_assertions)]
pub use fs::faults;
pub use fs::mounts::{Mount, mounts};
pub use look::{Space, source_around, space};
pub use message::*;
pub use plan::{Block, EntryState, EntryView, Plan};
pub use preserve::Preserve;
pub use summary::*;

use dispatch::{Dispatch, Mail, Plans};

/// The engine's handle. Dropping it cancels every job and waits until they have ended, at
/// most a few seconds where a system call does not return.
pub struct Engine {
    mail: Sender<Mail>,
    plans: Plans,
    next_job: AtomicU64,
    /// In a mutex only so that a window can share the handle.
    ended: Mutex<Receiver<()>>,
}

/// How long dropping the engine waits; longer than the engine waits for its jobs.
const END: Duration = Duration::from_secs(3);

impl Engine {
    /// Starts the engine on threads of its own.
    ///
    /// # Panics
    /// When the system has no thread to give.
    pub fn start() -> (Engine, mpsc::UnboundedReceiver<Event>) {
        fs::ignore_file_size_signal();
        let (events, receiver) = mpsc::unbounded_channel();
        let (mail, inbox) = std::sync::mpsc::channel();
        let (alive, ended) = std::sync::mpsc::channel();
        let plans: Plans = Arc::new(Mutex::new(HashMap::new()));
        let dispatch = Dispatch::new(mail.clone(), events, Arc::clone(&plans));
        let thread = std::thread::Builder::new().name("ferry-engine".to_owned());
        let _detached = thread
            .spawn(move || {
                let _alive: Sender<()> = alive;
                dispatch.run(&inbox);
            })
            .expect("a program without threads cannot copy");
        (Engine { mail, plans, next_job: AtomicU64::new(1), ended: Mutex::new(ended) }, receiver)
    }

    /// Puts a job at the end of the queue.
    pub fn add(&self, spec: JobSpec) -> JobId {
        let job = JobId(self.next_job.fetch_add(1, Ordering::Relaxed));
        self.send(Command::Add { job, spec });
        job
    }

    /// Sends a command; returns at once. After [`Command::ShutDown`] nobody hears it.
    pub fn send(&self, command: Command) {
        let _heard_or_not = self.mail.send(Mail::Command(command));
    }

    /// The entries of a job, shared with the engine, until the job is forgotten.
    pub fn plan(&self, job: JobId) -> Option<Arc<Plan>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.send(Command::ShutDown);
        // Nothing is ever sent: the channel closes when the engine's thread ends.
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ended_or_late = ended.recv_timeout(END);
    }
}
