//! Moving: a rename where one file system holds both sides; else, once everything is copied
//! and on the device, the sources are removed, entry by entry.
//!
//! Only what is still what was copied is removed. A folder goes when it is empty.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;
use rustix::io::{Errno, Result};

use super::conflict::FileKind;
use super::copy::publish::with_temporary_name;
use super::copy::{Place, Trouble, failed_or_taken};
use super::error::{Error, Operation};
use super::fs::{self, Identity};
use super::job::{Job, Wish};
use super::message::{EntryId, NoticeKind};
use super::plan::EntryState;
use super::worker::{Ended, Entry, Worker};

/// A copied source as it was when it was copied.
pub struct Moved {
    entry: EntryId,
    identity: Identity,
    size: i64,
    modified: (i64, i64),
}

impl Moved {
    /// Remembers a source.
    pub fn new(entry: EntryId, stat: &Stat) -> Moved {
        Moved {
            entry,
            identity: fs::identity(stat),
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec as i64),
        }
    }

    fn is_still(&self, stat: &Stat) -> bool {
        let now = Moved::new(self.entry, stat);
        (now.identity, now.size, now.modified) == (self.identity, self.size, self.modified)
    }
}

/// Moves an entry by renaming it, where that can be; `None` when it must be copied, or when
/// it is a folder that meets a folder and is to be merged.
///
/// # Errors
/// [`Trouble::Taken`] when the name is taken and nothing is to be replaced.
pub fn by_rename(
    worker: &Worker<'_>,
    entry: Entry<'_>,
    place: &Place<'_>,
    wish: &Wish,
) -> std::result::Result<Option<Ended>, Trouble> {
    if !place.pair.renames.load(Relaxed) {
        return Ok(None);
    }
    let (from, to) = (place.source, place.destination);
    let renamed = if place.replace {
        fs::rename(from, place.name, to, place.new_name)
    } else {
        fs::rename_new(from, place.name, to, place.new_name)
    };
    match renamed {
        Ok(()) => {}
        Err(Errno::XDEV) => {
            place.pair.renames.store(false, Relaxed);
            let route = place.pair.route();
            worker.job.tell(super::message::Event::Route { job: worker.job.id, route });
            return Ok(None);
        }
        Err(Errno::EXIST) if both_folders(place, entry) && wish.name.is_none() => return Ok(None),
        Err(errno) => return Err(failed_or_taken(Operation::Rename)(errno)),
    }
    let name_differs = place.new_name != place.name;
    let state = if name_differs && entry.block.kind(entry.at) == FileKind::Folder {
        worker.job.report.renamed(entry.id(), place.new_name);
        super::progress::add(&worker.counters.renamed, 1);
        EntryState::Renamed
    } else {
        EntryState::Done
    };
    worker.ended(entry.block, entry.at, state);
    Ok(Some(Ended::Yes))
}

fn both_folders(place: &Place<'_>, entry: Entry<'_>) -> bool {
    let existing = || fs::stat_followed(place.destination, place.new_name);
    entry.block.kind(entry.at) == FileKind::Folder
        && existing().is_ok_and(|stat| fs::kind(&stat) == FileKind::Folder)
}

/// Makes a hard link to a copy, replacing what stands there or not.
///
/// # Errors
/// What linking says; `EEXIST` when the name is taken and nothing is to be replaced.
pub fn link(made: &OwnedFd, name: &OsStr, place: &Place<'_>) -> Result<()> {
    let (folder, new_name) = (place.destination, place.new_name);
    if !place.replace {
        return fs::hard_link(made, name, folder, new_name);
    }
    // Renaming one name of a file onto another does nothing: such a name is there already.
    let ours = fs::identity(&fs::stat_name(made, name)?);
    if fs::stat_name(folder, new_name).is_ok_and(|stat| fs::identity(&stat) == ours) {
        return Ok(());
    }
    with_temporary_name(new_name, |temporary| {
        fs::hard_link(made, name, folder, temporary)?;
        fs::rename(folder, temporary, folder, new_name).inspect_err(|_| {
            let _removed_or_not = fs::remove(folder, temporary);
        })
    })
}

/// Removes the sources of a move that were copied, after all copies were flushed: files
/// first, then folders from the deepest up. Stops when the job is cancelled.
pub fn remove_sources(job: &Job, mut moved: Vec<Moved>) {
    moved.sort_unstable_by_key(|moved| moved.entry);
    let mut folders = SourceFolders::default();
    for source in &moved {
        if job.control.checkpoint().is_err() {
            return;
        }
        remove_one(job, source, &mut folders);
    }
    for block in job.plan.blocks(EntryId(0)).into_iter().rev() {
        for at in (0..block.len()).rev() {
            let copied = matches!(block.state(at), EntryState::Done | EntryState::Renamed);
            // Moved by a rename, it is not there any more.
            if block.kind(at) != FileKind::Folder || !copied {
                continue;
            }
            if job.control.checkpoint().is_err() {
                return;
            }
            remove_folder(job, block.id(at), block.name(at), &mut folders);
        }
    }
}

fn remove_one(job: &Job, source: &Moved, folders: &mut SourceFolders) {
    let Some((block, at)) = job.plan.find(source.entry) else { return };
    // Found wrong when it was verified.
    if !matches!(block.state(at), EntryState::Done | EntryState::Renamed) {
        return;
    }
    let name = block.name(at);
    let removed = folders.above(job, source.entry).and_then(|folder| {
        if !source.is_still(&fs::stat_name(&*folder, name)?) {
            return Ok(false);
        }
        fs::remove(&*folder, name).map(|()| true)
    });
    match removed {
        Ok(true) | Err(Errno::NOENT) => {}
        Ok(false) => job.report.notice(NoticeKind::SourceLeft, &job.plan, source.entry),
        Err(errno) => {
            not_removed(job, source.entry, errno);
            block.set_state(at, EntryState::Failed);
            // It had been counted as done.
            let counters = &job.progress.workers[0];
            let _before = counters.done.fetch_sub(1, Relaxed);
            super::progress::add(&counters.failed, 1);
        }
    }
}

fn remove_folder(job: &Job, entry: EntryId, name: &OsStr, folders: &mut SourceFolders) {
    let removed = folders.above(job, entry).and_then(|above| fs::remove_folder(&*above, name));
    match removed {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(_) => job.report.notice(NoticeKind::SourceLeft, &job.plan, entry),
    }
}

fn not_removed(job: &Job, entry: EntryId, errno: Errno) {
    let path = job.source_path(entry);
    job.report.failure(Some(entry), Error::os(Operation::Remove, path, errno));
}

/// Opens the folders of sources, keeping the last one.
#[derive(Default)]
struct SourceFolders {
    last: Option<(PathBuf, Arc<OwnedFd>)>,
}

impl SourceFolders {
    fn above(&mut self, job: &Job, entry: EntryId) -> Result<Arc<OwnedFd>> {
        let path = job.source_path(entry);
        let path = path.parent().unwrap_or(Path::new("."));
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if let Some((last, descriptor)) = &self.last
            && last == path
        {
            return Ok(Arc::clone(descriptor));
        }
        let descriptor = Arc::new(fs::open_folder_path(path)?);
        self.last = Some((path.to_path_buf(), Arc::clone(&descriptor)));
        Ok(descriptor)
    }
}
