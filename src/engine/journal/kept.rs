//! The replaced files that jobs which have ended keep for undo: counted, and given up.
//!
//! Unfinished and running jobs are left alone, and so is what the user keeps in the trash for
//! good. Nothing is written into the journals: that an old file is gone shows in the trash.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::history::PastState;
use super::writer::Journal;
use super::{JournalError, JournalId, Store};
use crate::engine::conflict::FileKind;
use crate::engine::fs::{self, Identity};
use crate::engine::trash::Trash;

/// What is kept in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRoom {
    /// How many files.
    pub files: u64,
    /// The room that they take, in bytes.
    pub bytes: u64,
    /// Since when the oldest of them is kept, in seconds since 1970; `None` without files.
    pub oldest: Option<i64>,
}

impl KeptRoom {
    fn add(&mut self, file: &KeptFile) {
        self.files += 1;
        self.bytes += file.room;
        self.oldest = Some(self.oldest.map_or(file.since.0, |oldest| oldest.min(file.since.0)));
    }
}

/// A replaced file that is kept for a job that has ended.
#[derive(Debug)]
pub struct KeptFile {
    job: JournalId,
    /// When it came to the trash: seconds since 1970 and nanoseconds.
    since: (i64, i64),
    trash: PathBuf,
    name: OsString,
    identity: Identity,
    /// Bytes that removing it makes free.
    pub room: u64,
}

impl KeptFile {
    /// The device that it lies on.
    pub fn device(&self) -> u64 {
        self.identity.device
    }

    /// Removes it for good, unless its job is being undone or resumed now; whether it did.
    pub fn give_up(&self, store: &Store) -> bool {
        let Some(_held) = store.hold(self.job) else { return false };
        let Ok(trash) = Trash::at(&self.trash) else { return false };
        // Restored or emptied by the user meanwhile, it is gone already.
        trash.holds(&self.name) == Some(self.identity) && trash.remove(&self.name).is_ok()
    }
}

impl Store {
    /// How much room the replaced files take that are kept for jobs which have ended.
    ///
    /// Looks at each of them, and so may wait for devices.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn kept(&self) -> Result<KeptRoom, JournalError> {
        let mut room = KeptRoom::default();
        self.kept_files()?.iter().for_each(|file| room.add(file));
        Ok(room)
    }

    /// Removes for good what [`Store::kept`] counts; what was removed. The jobs can be undone
    /// still, but what they replaced does not come back.
    ///
    /// # Errors
    /// When the store cannot be listed.
    pub fn free_kept(&self) -> Result<KeptRoom, JournalError> {
        let mut freed = KeptRoom::default();
        for file in self.kept_files()? {
            if file.give_up(self) {
                freed.add(&file);
            }
        }
        Ok(freed)
    }

    /// The replaced files that are kept for jobs which have ended, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be listed; journals that cannot be read are left out.
    pub(in crate::engine) fn kept_files(&self) -> Result<Vec<KeptFile>, JournalError> {
        let mut trashes = HashMap::new();
        let mut files = Vec::new();
        for number in self.numbers()? {
            self.kept_of(JournalId(number), &mut trashes, &mut files);
        }
        files.sort_by_key(|file| file.since);
        Ok(files)
    }

    fn kept_of(
        &self,
        job: JournalId,
        trashes: &mut HashMap<PathBuf, Option<Rc<Trash>>>,
        files: &mut Vec<KeptFile>,
    ) {
        let Ok(Some((past, has_replaced))) = self.past_of(job) else { return };
        if !has_replaced || matches!(past.state, PastState::Running | PastState::Unfinished) {
            return;
        }
        let Ok(told) = self.look(job) else { return };
        if !told.header.spec.options.keep_replaced.is_for_undo() {
            return;
        }
        let entries = told.folders.iter().flat_map(|folder| folder.entries.values());
        for replacing in entries.flat_map(|entry| &entry.replacing) {
            let open = || Trash::at(&replacing.trash).ok().map(Rc::new);
            let trash = trashes.entry(replacing.trash.clone()).or_insert_with(open);
            let stat = trash.as_ref().and_then(|trash| trash.stat(&replacing.kept));
            let Some(stat) = stat.filter(|stat| stat.st_ino == replacing.old) else { continue };
            // Folders are the trash's own: they are removed by hand alone.
            if fs::kind(&stat) == FileKind::Folder {
                continue;
            }
            files.push(KeptFile {
                job,
                since: (stat.st_ctime, stat.st_ctime_nsec as i64),
                trash: replacing.trash.clone(),
                name: replacing.kept.clone(),
                identity: fs::identity(&stat),
                room: fs::room(&stat),
            });
        }
    }

    /// Holds a journal for as long as it is not to be undone, resumed or forgotten.
    fn hold(&self, id: JournalId) -> Option<Journal> {
        let file = OpenOptions::new().read(true).append(true).open(self.path(id)).ok()?;
        Journal::hold(id, file).ok().flatten()
    }
}
