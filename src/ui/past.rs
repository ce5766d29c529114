//! The jobs of earlier days: what the window knows of the history, and what it does with it.
//!
//! The store lies on a disk, and undoing looks at devices: all of it is done in threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use iced::Task;

use super::places::{aside, in_thread};
use super::port::Port;
use crate::engine::{JobId, JobSpec, JournalError, JournalId, Past, Store, UndoReport};
use crate::words::text;

/// What happens with the history.
#[derive(Clone, Debug)]
pub enum Message {
    /// The jobs so far.
    Listed(Vec<Past>),
    /// A job goes on, or cannot: in words why.
    Resumed(JournalId, Result<JobId, String>),
    /// What a job was to do, to do it again.
    Again(Result<Box<JobSpec>, String>),
    /// A job was forgotten, or cannot be.
    Forgotten(Result<(), String>),
}

/// Lists the jobs so far.
pub fn list(store: Store) -> Task<Message> {
    let listed = aside(move || store.history().unwrap_or_default());
    Task::perform(listed, |listed| Message::Listed(listed.unwrap_or_default()))
}

/// Lets a job go on.
pub fn resume(port: Arc<dyn Port>, id: JournalId) -> Task<Message> {
    let resumed = in_thread(move || port.resume(id).map_err(|error| words(&error)));
    Task::perform(resumed, move |resumed| {
        Message::Resumed(id, resumed.unwrap_or_else(|| Err(text("window-past-no-thread"))))
    })
}

/// Reads what a job was to do.
pub fn again(store: Store, id: JournalId) -> Task<Message> {
    let read = in_thread(move || store.spec(id).map(Box::new).map_err(|error| words(&error)));
    Task::perform(read, |read| {
        Message::Again(read.unwrap_or_else(|| Err(text("window-past-no-thread"))))
    })
}

/// Forgets a job; what it has copied stays.
pub fn forget(store: Store, id: JournalId) -> Task<Message> {
    let forgotten = in_thread(move || store.forget(id).map_err(|error| words(&error)));
    Task::perform(forgotten, |forgotten| {
        Message::Forgotten(forgotten.unwrap_or_else(|| Err(text("window-past-no-thread"))))
    })
}

/// An undo under way: how far it is, and whether it shall stop.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    looked_at: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// How many entries were looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.load(Relaxed)
    }

    /// Stops it after the entry that it is at.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }
}

/// Looks what an undo would do.
pub async fn preview(store: Store, id: JournalId) -> Result<UndoReport, String> {
    let looked = in_thread(move || store.preview_undo(id).map_err(|error| words(&error))).await;
    looked.unwrap_or_else(|| Err(text("window-past-no-thread")))
}

/// Undoes a job.
pub async fn undo(store: Store, id: JournalId, progress: Progress) -> Result<UndoReport, String> {
    let go_on = move |looked_at| {
        progress.looked_at.store(looked_at, Relaxed);
        !progress.stop.load(Relaxed)
    };
    let undone = in_thread(move || {
        let mut go_on = go_on;
        store.undo(id, &mut go_on).map_err(|error| words(&error))
    });
    undone.await.unwrap_or_else(|| Err(text("window-past-no-thread")))
}

/// Why a job of the history cannot be had, in words.
fn words(error: &JournalError) -> String {
    text(match error {
        JournalError::Unknown => "window-past-unknown",
        JournalError::Running => "window-past-running",
        JournalError::Unreadable => "window-past-unreadable",
        JournalError::Undone => "window-past-undone",
        JournalError::Ended => "window-past-ended",
        JournalError::NoDestination => "window-past-no-destination",
        JournalError::Io(_) => "window-past-io",
    })
}
