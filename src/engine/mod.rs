//! The copying: no window, no words for people, no bus.
//!
//! [`Engine::start`] gives the rope to send [`Command`]s by and the channel of [`Event`]s.

mod additions;
mod ahead;
pub(crate) mod bytes;
mod checksums;
mod compare;
mod conflict;
mod control;
mod copy;
mod digest;
mod dispatch;
mod ending;
mod error;
mod exchange;
mod folder;
mod foreign;
mod foreign_names;
mod fs;
mod heal;
mod job;
mod journal;
mod keep;
mod lane;
mod links;
mod look;
mod lost;
mod made;
mod measure;
mod message;
mod moving;
mod naming;
mod once;
mod pace;
mod pair;
mod parked;
mod past;
mod plan;
mod pool;
mod preserve;
mod progress;
mod queue;
mod report;
mod resume;
mod retry;
mod run;
mod sampler;
mod scan;
mod skips;
mod sources;
mod start;
mod summary;
mod taken;
mod threads;
mod tidy;
mod trash;
mod undo;
mod verify;
mod worker;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;

pub use conflict::{
    Action, ConflictRule, Decision, FileFacts, FileKind, FolderRule, ForeignRule, QuestionClass,
    Scope, Subject, decide, decide_folder,
};
pub use error::{Cause, Error, ErrorKind, Operation};
pub use foreign_names::{is_foreign, mapped};
#[cfg(debug_assertions)]
pub use fs::faults;
pub use fs::mounts::{Mount, mounts};
pub use fs::path::is_plain as path_is_plain;
pub use journal::{
    DAYS, JournalError, JournalId, KEPT, KeptRoom, Past, PastState, SOURCES_NAMED, Store,
};
pub use look::{Space, source_around, space};
pub use message::*;
pub use naming::{NAME_MAX, NamePattern, PatternError, cut, name_is_possible, other_name};
pub use past::PastReport;
pub use plan::{Block, EntryState, EntryView, Plan};
pub use preserve::Preserve;
pub use report::{Report, ReportEntry, SetAside};
pub use summary::*;
pub use undo::{LEFT_NAMED, Left, LeftWhy, UndoReport};

use dispatch::{Dispatch, Journals, Mail, Reports};

/// The engine's handle. Dropping it cancels every job and waits until they have ended, at
/// most a few seconds where a system call does not return.
pub struct Engine {
    mail: Sender<Mail>,
    reports: Reports,
    journals: Journals,
    store: Option<Store>,
    next_job: AtomicU64,
    /// In a mutex only so that a window can share the handle.
    ended: Mutex<Receiver<()>>,
}

/// How long dropping the engine waits; longer than the engine waits for its jobs.
const END: Duration = Duration::from_secs(3);

impl Engine {
    /// Starts the engine on threads of its own. Where the system has none to give the channel
    /// is closed, as it is when the engine has ended.
    pub fn start() -> (Engine, mpsc::UnboundedReceiver<Event>) {
        Self::start_with(None)
    }

    /// As [`Engine::start`]; with a store jobs are remembered, to be resumed and undone, and
    /// what they replace is kept.
    pub fn start_with(store: Option<Store>) -> (Engine, mpsc::UnboundedReceiver<Event>) {
        fs::ignore_file_size_signal();
        let (events, receiver) = mpsc::unbounded_channel();
        let (mail, inbox) = std::sync::mpsc::channel();
        let (alive, ended) = std::sync::mpsc::channel();
        let reports: Reports = Arc::new(Mutex::new(HashMap::new()));
        let journals = Journals::default();
        let shared = (Arc::clone(&reports), Arc::clone(&journals));
        let dispatch = Dispatch::new(mail.clone(), events, shared, store.clone());
        // Without it the other ends of the channels are gone.
        let _started_or_ended = threads::start("ferry-engine", move || {
            let _alive: Sender<()> = alive;
            dispatch.run(&inbox);
        });
        let (next_job, ended) = (AtomicU64::new(1), Mutex::new(ended));
        (Engine { mail, reports, journals, store, next_job, ended }, receiver)
    }

    /// Lets a job go on that an earlier run of the program left, or that was cancelled.
    ///
    /// What is whole is trusted, what was in the middle is made anew; see
    /// [`Store::unfinished`] for what there is.
    ///
    /// # Errors
    /// When there is no such job, it is running, it came to its end, or its destination is
    /// not there.
    ///
    /// Looks at the destination, and so may wait for its device. Where nobody can be asked
    /// now, a job that asked is told so.
    pub fn resume(&self, id: JournalId, can_ask: bool) -> Result<JobId, JournalError> {
        let store = self.store.as_ref().ok_or(JournalError::Unknown)?;
        let earlier = resume::take(store, id)?;
        let job = JobId(self.next_job.fetch_add(1, Ordering::Relaxed));
        let mut spec = earlier.1.header.spec.clone();
        spec.options.set_asking(can_ask);
        let _heard_or_not = self.mail.send(Mail::Resume { job, spec, earlier: Box::new(earlier) });
        Ok(job)
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

    /// Where jobs are remembered.
    pub fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// The number in the history of an ended job of this engine, until it is forgotten.
    pub fn journal(&self, job: JobId) -> Option<JournalId> {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner).get(&job).copied()
    }

    /// The entries of a job, shared with the engine, until the job is forgotten.
    pub fn plan(&self, job: JobId) -> Option<Arc<Plan>> {
        Some(Arc::clone(self.report(job)?.plan()))
    }

    /// What there is to say of a job's entries, until the job is forgotten; complete once it
    /// has ended.
    pub fn report(&self, job: JobId) -> Option<Arc<Report>> {
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).get(&job).cloned()
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
