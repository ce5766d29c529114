//! What is copied of a file when its job lets go of its devices: it gets a temporary name, and
//! the copying goes on from there, if source and part are still what they were.
//!
//! A job that is killed meanwhile leaves it to be found by its name, as every temporary file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use rustix::fs::Stat;

use super::transfer::Reached;
use crate::engine::folder::Folder;
use crate::engine::fs;
use crate::engine::job::{Job, lock};
use crate::engine::message::EntryId;
use crate::engine::moving::Fingerprint;

/// A part of a file.
pub struct Part {
    /// Its temporary name.
    pub name: OsString,
    /// The part as it was left.
    pub made: Fingerprint,
    /// The mode that it was made with: it can be opened again, whatever that is.
    pub mode: u32,
    /// The source as it was.
    pub source: Source,
    /// How far it has come.
    pub reached: Reached,
    /// The bytes of it that are counted as progress.
    pub counted: u64,
}

/// A source as it was: also whether anybody has written to it and set its time back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Source(Fingerprint, (i64, i64));

impl Source {
    /// Of a source that was looked at.
    pub fn of(stat: &Stat) -> Source {
        Source(Fingerprint::of(stat), (stat.st_ctime, stat.st_ctime_nsec as i64))
    }
}

impl Part {
    /// Opens it in its folder, for more to be written.
    ///
    /// # Errors
    /// When it or the source is not what it was, or it cannot be opened: the file is to be
    /// copied anew, and the part is gone, if it is still there.
    pub fn open(&self, folder: &OwnedFd, source: &Stat) -> Result<OwnedFd, ()> {
        let open = || {
            let file = fs::open_to_write(folder, &self.name, self.made.identity).ok()?;
            let stat = fs::stat(&file).ok()?;
            let same = Fingerprint::of(&stat) == self.made;
            let mode_is_back =
                || fs::mode(&stat) == self.mode || fs::set_mode(&file, self.mode).is_ok();
            (same && mode_is_back()).then_some(file)
        };
        let opened = if Source::of(source) == self.source { open() } else { None };
        opened.ok_or_else(|| self.remove(folder))
    }

    fn remove(&self, folder: &OwnedFd) {
        // What has its name by now is not ours; what cannot be removed is found by its name.
        let _removed_or_not = fs::remove_if(folder, &self.name, self.made.identity);
    }
}

/// The parts of a job's files.
#[derive(Default)]
pub struct Parts {
    any: AtomicBool,
    kept: Mutex<HashMap<EntryId, (Arc<Folder>, Part)>>,
}

impl Parts {
    /// Keeps the part of an entry whose copy lies in this folder.
    pub fn keep(&self, entry: EntryId, folder: &Arc<Folder>, part: Part) {
        self.any.store(true, Relaxed);
        let _none = lock(&self.kept).insert(entry, (Arc::clone(folder), part));
    }

    /// The part of an entry, to go on with.
    pub fn take(&self, entry: EntryId) -> Option<Part> {
        self.take_with_folder(entry).map(|(_, part)| part)
    }

    fn take_with_folder(&self, entry: EntryId) -> Option<(Arc<Folder>, Part)> {
        if self.any.load(Relaxed) { lock(&self.kept).remove(&entry) } else { None }
    }

    /// Nobody is going on with the part of an entry: it is removed, if there is one.
    pub fn give_up(&self, job: &Job, entry: EntryId) {
        if let Some((folder, part)) = self.take_with_folder(entry) {
            if let Ok(folder) = folder.destination_dir(&job.folders) {
                part.remove(&folder);
            }
            job.progress.take_back(part.counted);
        }
    }

    /// Nobody is going on with any of them.
    pub fn give_up_all(&self, job: &Job) {
        let entries: Vec<EntryId> = lock(&self.kept).keys().copied().collect();
        entries.into_iter().for_each(|entry| self.give_up(job, entry));
    }
}
