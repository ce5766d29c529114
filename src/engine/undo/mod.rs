//! Taking back what a job did, by its journal.
//!
//! What was made is removed, what was replaced comes back from the trash, what was moved goes
//! back to its place, and folders that the job made go when they are empty. What was changed
//! since is left, and named: its size, its time, its kind, or the time of its last change of
//! any kind are not what the job left behind. So a second undo finds nothing to do. Other
//! permissions are such a change: somebody wanted the file so. Another name, a hard link, is
//! none: what the file holds stays there under that name. What has another name or lies in
//! another folder by now is not there any more, and stays.
//!
//! [`Store::preview_undo`] tells what [`Store::undo`] would do. Both look at the devices and
//! take as long as these do: a window calls them from a thread of its own.

mod back;
mod folders;
mod run;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::bytes;
use super::error::Error;
use super::fs;
use super::journal::{JournalError, JournalId, Record, Store, Told};
use super::lost::recall;
use super::message::JobSpec;
use super::resume::check_destination;
use super::tidy::tidy;

use run::Undo;

/// What an undo did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoReport {
    /// Copies that were removed.
    pub removed: u64,
    /// Replaced files that came back, each in the place of its copy.
    pub brought_back: u64,
    /// Moved files and folders that went back to their places.
    pub moved_back: u64,
    /// Folders that were removed: made by the job, and empty.
    pub folders_removed: u64,
    /// Entries of which nothing is there any more.
    pub gone: u64,
    /// What was left, at most [`LEFT_NAMED`].
    pub left: Vec<Left>,
    /// How many were left.
    pub left_count: u64,
    /// What failed.
    pub failures: Vec<Error>,
}

/// How many of the left an [`UndoReport`] names.
pub const LEFT_NAMED: usize = 10_000;

/// Something that an undo left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// What.
    #[serde(with = "bytes::name")]
    pub path: PathBuf,
    /// Why.
    pub why: LeftWhy,
    /// Where the old one is that it stands, or may stand, in the place of.
    #[serde(default, with = "bytes::optional")]
    pub old: Option<PathBuf>,
}

/// Why something was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftWhy {
    /// It was changed since.
    Changed,
    /// The file that it replaced is kept no longer: it is the only one there is.
    ReplacedGone,
    /// Something else has its old place.
    PlaceTaken,
    /// It was moved, and is not where it was moved to.
    NotThere,
    /// The folder holds something that the job did not make.
    NotEmpty,
    /// An older one lies in the trash, and no record tells whether the job replaced it.
    OldInTrash,
    /// What the job had set aside to have its name is not there any more.
    AsideGone,
    /// Its source is gone, and the record of its move was lost.
    NotTold,
}

impl UndoReport {
    /// Whether nothing of the job is left.
    pub fn is_whole(&self) -> bool {
        self.left_count == 0 && self.failures.is_empty()
    }

    /// Whether anything is taken back.
    pub fn does_anything(&self) -> bool {
        self.removed + self.brought_back + self.moved_back + self.folders_removed > 0
    }

    fn leave(&mut self, path: PathBuf, why: LeftWhy) {
        self.leave_with(path, why, None);
    }

    fn leave_with(&mut self, path: PathBuf, why: LeftWhy, old: Option<PathBuf>) {
        self.left_count += 1;
        if self.left.len() < LEFT_NAMED {
            self.left.push(Left { path, why, old });
        }
    }
}

impl Store {
    /// What undoing a job would do.
    ///
    /// # Errors
    /// As [`Store::undo`].
    pub fn preview_undo(&self, id: JournalId) -> Result<UndoReport, JournalError> {
        let (_held, mut told) = self.take(id)?;
        if told.undone.is_some_and(|(_, whole)| whole) {
            return Err(JournalError::Undone);
        }
        check_destination(&told)?;
        recall(&mut told, &self.home_trash, None);
        Ok(Undo::new(&told, false, &mut |_| true).run())
    }

    /// Undoes a job. `go_on` is told how many entries were looked at, and says whether to go
    /// on; what an undo that was stopped left can be undone later.
    ///
    /// # Errors
    /// When there is no such job, it is running, it was undone, or its destination is not
    /// there. What fails at single entries is in the report.
    pub fn undo(
        &self,
        id: JournalId,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<UndoReport, JournalError> {
        let (journal, mut told) = self.take(id)?;
        if told.undone.is_some_and(|(_, whole)| whole) {
            return Err(JournalError::Undone);
        }
        check_destination(&told)?;
        recall(&mut told, &self.home_trash, Some(&journal));
        tidy(&mut told, &journal);
        let mut stopped = false;
        let report = Undo::new(&told, true, &mut |entries| {
            stopped |= !go_on(entries);
            !stopped
        })
        .run();
        journal.append(&[Record::Undone(fs::now().0, report.is_whole() && !stopped)]);
        Ok(report)
    }

    /// Whether a job was killed while it worked: what it has left is told by no preview.
    pub fn was_killed_at_work(&self, id: JournalId) -> bool {
        let is_open = |told: &Told| {
            let mut entries = told.folders.iter().flat_map(|folder| folder.entries.values());
            told.end.is_none() && entries.any(|entry| entry.ended.is_none())
        };
        self.look(id).is_ok_and(|told| is_open(&told))
    }

    /// What a job was to do: to do it again.
    ///
    /// # Errors
    /// When there is no such job, or its journal cannot be read.
    pub fn spec(&self, id: JournalId) -> Result<JobSpec, JournalError> {
        Ok(self.look(id)?.header.spec)
    }
}
