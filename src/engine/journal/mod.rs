//! What Ferry remembers of its jobs: one file a job, append-only, to resume and undo it by.
//!
//! ```text
//! header │ destination │ listed … │ opened … │ ended … │ … │ end
//! ```
//!
//! What is going to be made is written (*listed*, *naming*, *replacing*) before it is made,
//! and how it ended (*opened*, *ended*) after it. A killed job's journal may lack the last
//! ends; each of those entries is one that was listed, and whether Ferry had made it, and
//! how far, shows in the entry itself. Every record has a checksum: a torn end is cut off.
//!
//! A running job's journal is locked (`flock`): no other Ferry touches it. A face gives the
//! engine a [`Store`]; without one nothing is remembered.

pub mod codec;
mod diary;
mod history;
mod kept;
mod record;
mod store;
#[cfg(test)]
mod tests;
mod told;
mod way;
mod writer;

use std::io;

use serde::{Deserialize, Serialize};

pub use diary::Diary;
pub use history::{Past, PastState, SOURCES_NAMED};
pub use kept::{KeptFile, KeptRoom};
pub use record::{
    Aside, Destination, End, Ended, Facts, How, Listed, MadeAs, Opened, Record, Replacing, Sources,
    Totals, Unlisted,
};
pub use store::{DAYS, KEPT, Store};
pub use told::{Entry, Folder as ToldFolder, Told, Untold};
pub use way::{Side, Way};
pub use writer::Journal;

/// A job's number in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JournalId(pub u64);

/// Why a job of the history cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is no such job.
    #[error("there is no such job")]
    Unknown,
    /// A Ferry runs it, or undoes it, now.
    #[error("the job is running")]
    Running,
    /// Its journal is damaged, or was written by a later version.
    #[error("the journal cannot be understood")]
    Unreadable,
    /// It was undone: there is nothing to undo.
    #[error("the job was undone")]
    Undone,
    /// It has ended: there is nothing to resume.
    #[error("the job has ended")]
    Ended,
    /// The destination is not there, or another folder stands in its place.
    #[error("the destination is not there")]
    NoDestination,
    /// The store cannot be read or written.
    #[error("{0}")]
    Io(io::Error),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> JournalError {
        match error.kind() {
            io::ErrorKind::NotFound => JournalError::Unknown,
            _ => JournalError::Io(error),
        }
    }
}
