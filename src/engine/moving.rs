//! Moving: a rename where one file system holds both sides; else, once everything is copied
//! and on the device, the sources are removed, entry by entry.
//!
//! Only what is still what was copied is removed. A folder goes when it is empty.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;
use rustix::io::{Errno, Result};

use super::conflict::{FileKind, FolderRule};
use super::control::{Cancelled, Stop};
use super::copy::publish::with_temporary_name;
use super::copy::way::Way;
use super::copy::{At, Fault, Place, Trouble, failed, failed_or_taken};
use super::error::{Error, ErrorKind, Operation};
use super::exchange;
use super::fs::{self, Identity};
use super::job::{Job, Wish};
use super::journal::{Facts, How};
use super::keep;
use super::message::EntryId;
use super::plan::{Block, EntryState, FolderNumber};
use super::progress::add;
use super::summary::NoticeKind;
use super::worker::{Ended, Entry, Worker};

/// A file as it was at one moment: whether it is still the same shows in its identity, size
/// and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Which file it is.
    pub identity: Identity,
    size: i64,
    modified: (i64, i64),
}

impl Fingerprint {
    /// The fingerprint of what was looked at.
    pub fn of(stat: &Stat) -> Fingerprint {
        Fingerprint {
            identity: fs::identity(stat),
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec as i64),
        }
    }
}

/// A copied source as it was when it was copied.
pub struct Moved {
    /// The entry.
    pub entry: EntryId,
    /// The source.
    pub source: Fingerprint,
    /// When it was last changed in any way, where it had one name: what a copy that took its
    /// place, seen through another mount, cannot have.
    changed: Option<(i64, i64)>,
}

impl Moved {
    /// Remembers a source.
    pub fn new(entry: EntryId, stat: &Stat) -> Moved {
        // Removing one of several names changes the time for the others.
        let changed = (stat.st_nlink == 1).then_some((stat.st_ctime, stat.st_ctime_nsec as i64));
        Moved { entry, source: Fingerprint::of(stat), changed }
    }

    fn is_still(&self, stat: &Stat) -> bool {
        let now = Moved::new(self.entry, stat);
        now.source == self.source && (self.changed.is_none() || now.changed == self.changed)
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
    if place.made.is_some() {
        // Another source may bring a folder of the same name: they are merged, entry by
        // entry, so that each file is noted.
        if entry.block.kind(entry.at) == FileKind::Folder {
            return Ok(None);
        }
        if let Ok(stat) = fs::stat_name(from, place.name) {
            place.note_made(fs::identity(&stat));
        }
    }
    let renamed = if place.replace {
        Way::through(place, || keep::rename_over(place))
    } else {
        place.take_name(from, place.name)
    };
    match renamed {
        Ok(()) => {}
        Err(Errno::XDEV) => {
            place.pair.renames.store(false, Relaxed);
            let route = place.pair.route();
            worker.job.tell(super::message::Event::Route { job: worker.job.id, route });
            return Ok(None);
        }
        Err(Errno::EXIST) if both_folders(place, entry) && may_merge(wish) => return Ok(None),
        Err(errno) if source_is_closed(from, place.name, errno) => {
            return Err(failed(Operation::Remove, At::Source)(errno));
        }
        Err(errno) => return Err(failed_or_taken(Operation::Publish)(errno)),
    }
    add(&worker.counters.by_rename, 1);
    if worker.diary.is_kept()
        && let Ok(stat) = fs::stat_name(to, place.new_name)
    {
        worker.diary.note(How::Moved, Facts { inode: stat.st_ino, ..Facts::of(&stat) });
    }
    if let (Some(old), Some(name)) = (wish.exchange, &wish.wanted) {
        exchange::finish_moved(worker, entry, place, name, old)?;
        worker.ended(entry.block, entry.at, EntryState::Done);
        return Ok(Some(Ended::Yes));
    }
    let name_differs = place.new_name != place.name;
    let state = if name_differs && entry.block.kind(entry.at) == FileKind::Folder {
        worker.job.report.renamed(entry.id(), place.new_name);
        add(&worker.counters.renamed, 1);
        EntryState::Renamed
    } else {
        EntryState::Done
    };
    worker.job.list_unread(entry.id());
    worker.ended(entry.block, entry.at, state);
    Ok(Some(Ended::Yes))
}

/// Whether a rename failed because of the folder that the source lies in, or of the source
/// itself, and not because of the destination.
fn source_is_closed(from: &OwnedFd, name: &OsStr, errno: Errno) -> bool {
    if !matches!(errno, Errno::ACCESS | Errno::PERM | Errno::ROFS) {
        return false;
    }
    if fs::may_change(from).is_err() {
        return true;
    }
    let user = rustix::process::geteuid().as_raw();
    let (Ok(folder), Ok(source)) = (fs::stat(from), fs::stat_name(from, name)) else {
        return false;
    };
    // In a sticky folder only the owners of file and folder may.
    let sticky = fs::mode(&folder) & 0o1000 != 0;
    let others = sticky && user != 0 && folder.st_uid != user && source.st_uid != user;
    // A folder that moves to another one is itself changed: its `..` is.
    let closed_folder = fs::kind(&source) == FileKind::Folder
        && fs::open_folder(from, name).and_then(fs::may_change).is_err();
    others || closed_folder
}

/// Whether a folder may be merged into another one: its name is its own, or the answer said so.
fn may_merge(wish: &Wish) -> bool {
    wish.name.is_none() || wish.again || wish.folder_rule == Some(FolderRule::Merge)
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
pub fn link(made: &OwnedFd, name: &OsStr, copy: Identity, place: &Place<'_>) -> Result<()> {
    let (folder, new_name) = (place.destination, place.new_name);
    // Another file may have taken the copy's name meanwhile.
    let link = |new_name: &OsStr| {
        fs::hard_link(made, name, folder, new_name)?;
        match fs::stat_name(folder, new_name).map(|stat| fs::identity(&stat)) {
            Ok(linked) if linked == copy => Ok(()),
            linked => {
                // The name was free and is ours; the file has another one.
                let _removed_or_not = fs::remove(folder, new_name);
                Err(linked.err().unwrap_or(Errno::STALE))
            }
        }
    };
    if !place.replace {
        return link(new_name);
    }
    // Renaming one name of a file onto another does nothing: such a name is there already.
    if fs::stat_name(folder, new_name).is_ok_and(|stat| fs::identity(&stat) == copy) {
        return Ok(());
    }
    with_temporary_name(new_name, place.tag, |temporary| {
        link(temporary)?;
        let named = Way::through(place, || keep::put_in_place(place, temporary));
        named.inspect_err(|_| {
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
        if folders.go_on(job).is_err() {
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
            if folders.go_on(job).is_err() {
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
        Ok(false) => {
            job.report.notice(NoticeKind::SourceLeft, &job.plan, source.entry);
            let fault = Fault::new(Operation::Remove, At::Source, ErrorKind::Changed);
            job.report.fault(source.entry, fault);
            block.set_state(at, EntryState::Changed);
            // It had been counted as done.
            job.progress.workers[0].done_failed();
            add(&job.progress.workers[0].changed, 1);
        }
        Err(errno) => {
            not_removed(job, source.entry, errno);
        }
    }
}

fn remove_folder(job: &Job, entry: EntryId, name: &OsStr, folders: &mut SourceFolders) {
    let removed = folders.above(job, entry).and_then(|above| fs::remove_folder(&*above, name));
    match removed {
        Ok(()) | Err(Errno::NOENT) => {}
        // What is left in it says why.
        Err(Errno::NOTEMPTY | Errno::EXIST) => {
            job.report.notice(NoticeKind::SourceLeft, &job.plan, entry);
        }
        Err(errno) => not_removed(job, entry, errno),
    }
}

fn not_removed(job: &Job, entry: EntryId, errno: Errno) {
    let path = job.source_path(entry);
    job.report.failure(Some(entry), Error::os(Operation::Remove, path, errno));
    if let Some((block, at)) = job.plan.find(entry) {
        block.set_state(at, EntryState::Failed);
    }
    // It had been counted as done.
    job.progress.workers[0].done_failed();
}

/// Opens the folders of sources, keeping the last ones: the next source is most often near.
#[derive(Default)]
struct SourceFolders {
    /// The folder that the sources of a group lie in.
    origin: PathBuf,
    /// Open folders, each but the first lying in the one before it.
    open: VecDeque<(FolderNumber, Arc<OwnedFd>)>,
}

impl SourceFolders {
    /// Descriptors that are kept.
    const KEPT: usize = 64;

    /// Goes on, or stands still while the job does: then nothing is kept open for long.
    fn go_on(&mut self, job: &Job) -> std::result::Result<(), Cancelled> {
        match job.control.go_on() {
            Ok(()) => Ok(()),
            Err(Stop::Cancelled) => Err(Cancelled),
            Err(Stop::LetGo) => {
                self.open.clear();
                job.stand()
            }
        }
    }

    /// The folder that an entry's source lies in.
    fn above(&mut self, job: &Job, entry: EntryId) -> Result<Arc<OwnedFd>> {
        // Upwards to a folder that is open, or to the group's own.
        let mut way: Vec<(FolderNumber, Arc<Block>, u32)> = Vec::new();
        let (mut block, mut at) = job.plan.find(entry).ok_or(Errno::NOENT)?;
        loop {
            let folder = block.folder(at);
            let is_open = self.open.iter().rposition(|(open, _)| *open == folder);
            match (job.plan.folder_entry(folder), is_open) {
                (Some(_), Some(place)) => {
                    self.open.truncate(place + 1);
                    break;
                }
                (Some(own), None) => {
                    (block, at) = job.plan.find(own).ok_or(Errno::NOENT)?;
                    way.push((folder, Arc::clone(&block), at));
                }
                (None, is_open) => {
                    self.start_at(job.report.origin(block.id(at)), folder, is_open)?;
                    break;
                }
            }
        }
        for (folder, block, at) in way.into_iter().rev() {
            let (_, above) = self.open.back().ok_or(Errno::NOENT)?;
            let next = Arc::new(fs::open_folder(&**above, block.name(at))?);
            self.open.push_back((folder, next));
            if self.open.len() > Self::KEPT {
                let _closed = self.open.pop_front();
            }
        }
        let (_, last) = self.open.back().ok_or(Errno::NOENT)?;
        Ok(Arc::clone(last))
    }

    fn start_at(
        &mut self,
        origin: PathBuf,
        root: FolderNumber,
        is_open: Option<usize>,
    ) -> Result<()> {
        if let Some(place) = is_open
            && origin == self.origin
        {
            self.open.truncate(place + 1);
            return Ok(());
        }
        self.open.clear();
        self.open.push_back((root, Arc::new(fs::open_folder_path(&origin)?)));
        self.origin = origin;
        Ok(())
    }
}
