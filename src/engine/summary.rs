//! What a face is told of a job at its end.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::bytes;
use super::error::Error;
use super::message::{ByteCounts, EntryCounts, EntryId};

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every entry came to its end (not each of them well: see the counts).
    Done,
    /// Cancelled.
    Cancelled,
    /// Stopped: what is whole is kept, the rest was not begun.
    Stopped,
    /// It could not start: see the one failure.
    Refused,
}

impl Outcome {
    /// Whether the user ended the job before it was through.
    pub fn is_early(self) -> bool {
        matches!(self, Outcome::Cancelled | Outcome::Stopped)
    }
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How it ended.
    pub outcome: Outcome,
    /// Entries at the end.
    pub entries: EntryCounts,
    /// Data at the end.
    pub bytes: ByteCounts,
    /// Time it ran, pauses not counted, in milliseconds.
    pub elapsed: u64,
    /// Folders that were there already and were merged into (counted in `entries.done` too).
    #[serde(default)]
    pub merged: u64,
    /// Entries that were copied under another name.
    pub renamed: u64,
    /// Files and folders that were there before and have another name now, or are in the trash.
    pub set_aside: u64,
    /// Entries whose source changed while they were copied (counted in `failed` too).
    pub changed: u64,
    /// Entries read back and found right; 0 without `verify`.
    pub verified: u64,
    /// The first failures, at most [`FAILURES_KEPT`]; `entries.failed` counts all.
    pub failures: Vec<Failure>,
    /// What was not kept or left out, one notice a kind.
    pub notices: Vec<Notice>,
}

/// How many failures a [`Summary`] names.
pub const FAILURES_KEPT: usize = 10_000;

impl Summary {
    /// Entries that were made or moved: not the folders that were there already.
    pub fn made(&self) -> u64 {
        self.entries.done.saturating_sub(self.merged)
    }

    /// Whether every entry was copied, moved, or skipped by an explicit rule, and stands in the
    /// list of checksums where there was to be one.
    pub fn all_done(&self) -> bool {
        let of_the_job = self.failures.iter().any(|failure| failure.entry.is_none());
        let is_listed = self.notices.iter().all(|it| it.kind != NoticeKind::NotCheckable);
        self.outcome == Outcome::Done
            && self.entries.failed == 0
            && self.entries.unanswered == 0
            && is_listed
            && !of_the_job
    }
}

/// One failed entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which entry; `None` when the job itself failed.
    pub entry: Option<EntryId>,
    /// Why.
    pub error: Error,
}

/// Something that was not kept or was left out, said once a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What.
    pub kind: NoticeKind,
    /// Of how many entries.
    pub count: u64,
    /// One of them (its path below the destination).
    #[serde(with = "bytes::name")]
    pub example: PathBuf,
}

impl NoticeKind {
    /// Whether such an entry was left because nobody could be asked about it.
    pub fn is_unanswered(self) -> bool {
        matches!(
            self,
            NoticeKind::Unanswered
                | NoticeKind::TypeDiffers
                | NoticeKind::SameFile
                | NoticeKind::ForeignName
        )
    }

    /// Whether something that was wished for was left out, so that not all is done.
    pub fn is_left(self) -> bool {
        self.is_unanswered() || self == NoticeKind::NotCheckable
    }
}

/// What was not kept or was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// Sockets cannot be copied.
    Socket,
    /// Owner or group could not be kept.
    Owner,
    /// Extended attributes could not be kept.
    Xattr,
    /// Access control lists could not be kept.
    Acl,
    /// The mode could not be kept.
    Mode,
    /// Times could not be kept.
    Times,
    /// Hard links became separate copies.
    HardLink,
    /// Cloned data needs no comparison and was not verified.
    CloneNotVerified,
    /// A copy was compared, but with what memory holds of it: its device could not be read.
    VerifiedInMemory,
    /// A copy is not in the list of checksums: its name cannot stand there so that every
    /// `b3sum` finds the file by it.
    NotCheckable,
    /// A moved source was left where it was: it changed after it had been copied, or a
    /// folder still holds something that was not moved.
    SourceLeft,
    /// A name was taken and nobody could be asked.
    Unanswered,
    /// A file and a folder have one name, and nobody could be asked.
    TypeDiffers,
    /// The destination refuses the name, and nobody could be asked.
    ForeignName,
    /// It would be copied onto itself, and nobody could be asked.
    SameFile,
    /// A replaced file could not be kept: undo cannot bring it back.
    ReplacedNotKept,
    /// A replaced file that was kept was given up, for the device was full.
    ReplacedGivenUp,
    /// A replaced file that an earlier job kept was given up, for the device was full.
    EarlierGivenUp,
    /// The journal could not be written: the job cannot be resumed or undone.
    NotRemembered,
}
