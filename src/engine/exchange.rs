//! A folder that takes the place of a folder: made beside it under a temporary name, and
//! exchanged for it in one step once it is whole.
//!
//! The old folder goes to the trash of its file system then, or gets the next free name where
//! that cannot be; it is never removed. A new folder that is not whole does not take its
//! place: what was copied gets the next free name.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustix::io::{Errno, Result};

use super::conflict::{FileKind, FolderRule};
use super::copy::publish::with_temporary_name;
use super::copy::{At, Place, Trouble, failed};
use super::error::{ErrorKind, Operation};
use super::folder::Folder;
use super::fs::{self, Identity};
use super::job::{Job, Wish, lock};
use super::journal::{Opened, Record, Replacing};
use super::keep::{self, FolderPlace, For};
use super::naming::other_name;
use super::plan::{EntryState, FolderNumber};
use super::taken::NAMES_MOST;
use super::worker::{Ended, Entry, Worker};

/// What a folder is made to be exchanged for.
pub struct Exchange {
    /// The name that it is to have.
    pub name: OsString,
    /// What stands there now.
    pub old: Identity,
}

/// Which folders of a job are not whole, as long as any is made to be exchanged.
#[derive(Default)]
pub struct Exchanges {
    any: AtomicBool,
    not_whole: Mutex<HashSet<FolderNumber>>,
}

impl Exchanges {
    /// An entry of a folder was not copied as it should be.
    pub fn not_whole(&self, folder: FolderNumber) {
        if self.any.load(Relaxed) {
            let _new = lock(&self.not_whole).insert(folder);
        }
    }

    /// A folder's last entry has ended: whether all of it is whole. The folder above is not
    /// whole if this one is not.
    fn closed(&self, folder: &Folder) -> bool {
        if !self.any.load(Relaxed) {
            return true;
        }
        let mut not_whole = lock(&self.not_whole);
        let whole = !not_whole.remove(&folder.number);
        if let (false, Some(parent)) = (whole, &folder.parent) {
            let _new = not_whole.insert(parent.number);
        }
        whole
    }
}

/// Begins a folder that is to be exchanged for what stands under `name`.
pub fn begin(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    destination: &OwnedFd,
    name: &OsStr,
    old: Identity,
) -> Ended {
    let job = worker.job;
    job.exchanges.any.store(true, Relaxed);
    let temporary = with_temporary_name(name, job.tag, |temporary| {
        match fs::stat_name(destination, temporary) {
            Ok(_) => Err(Errno::EXIST),
            Err(Errno::NOENT) => Ok(temporary.to_os_string()),
            Err(errno) => Err(errno),
        }
    });
    let temporary = match temporary {
        Ok(temporary) => temporary,
        Err(errno) => {
            let trouble = failed(Operation::MakeFolder, At::Destination)(errno);
            return worker.failure(entry, wish, trouble);
        }
    };
    keep::tell_intent(For { job, entry: entry.id() }, old, name, &temporary);
    let wish = Wish {
        folder_rule: Some(FolderRule::Replace),
        wanted: Some(name.to_os_string()),
        name: Some(temporary),
        exchange: Some(old),
        ..wish.clone()
    };
    worker.folder(entry, &wish)
}

/// Goes on with a folder that an earlier run of the job had begun to be exchanged, and that has
/// the name `now`. Where that is another one than its temporary name it gets this again; `None`
/// when it is there no more.
pub fn go_on(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    begun: &Replacing,
    now: &OsStr,
) -> Option<Ended> {
    worker.job.exchanges.any.store(true, Relaxed);
    if now != begun.temporary {
        let destination = entry.folder.destination_dir(&worker.job.folders);
        match destination.and_then(|at| fs::rename_new(&*at, now, &*at, &begun.temporary)) {
            Ok(()) => {}
            Err(Errno::NOENT) => return None,
            Err(errno) => {
                let trouble = failed(Operation::Rename, At::Destination)(errno);
                return Some(worker.failure(entry, wish, trouble));
            }
        }
    }
    let device = entry.folder.destination.device();
    let wish = Wish {
        folder_rule: Some(FolderRule::Merge),
        wanted: Some(begun.name.clone()),
        name: Some(begun.temporary.clone()),
        exchange: Some(Identity { device, inode: begun.old }),
        again: true,
        ..wish.clone()
    };
    Some(worker.folder(entry, &wish))
}

impl Wish {
    /// The wish as it was before the folder was begun to be exchanged; an empty folder that
    /// was made for it is taken away.
    pub fn without_exchange(&self, destination: Option<&OwnedFd>) -> Wish {
        if let (Some(_), Some(folder), Some(name)) = (self.exchange, destination, &self.name) {
            let _removed_or_not = fs::remove_folder(folder, name);
        }
        match self.exchange {
            Some(_) => Wish { exchange: None, name: self.wanted.clone(), ..self.clone() },
            None => self.clone(),
        }
    }
}

/// A folder's entries have all ended: it is exchanged for the old one if it was made for
/// that.
///
/// # Errors
/// When it could not take the old one's place; it has another name then.
pub fn finish(worker: &Worker<'_>, folder: &Arc<Folder>) -> std::result::Result<(), Trouble> {
    let job = worker.job;
    let whole = job.exchanges.closed(folder);
    let (Some(exchange), Some((block, at))) = (&folder.exchange, &folder.own) else {
        return Ok(());
    };
    let entry = block.id(*at);
    let whole = whole && block.state(*at) == EntryState::InWork && !job.control.is_cancelled();
    let publish = failed(Operation::Publish, At::Destination);
    let Some(parent) = &folder.parent else { return Ok(()) };
    let destination = parent.destination_dir(&job.folders).map_err(&publish)?;
    let temporary = folder.destination.name().to_os_string();
    let Exchange { name, old } = exchange;
    let problem = if whole {
        match take_place(For { job, entry }, &destination, &temporary, name, *old) {
            Ok(()) => {
                now_named(job, folder, name);
                return Ok(());
            }
            Err(errno) => publish(errno),
        }
    } else {
        Trouble::Failed(Operation::Publish, At::Destination, ErrorKind::NotReplaced)
    };
    // Nothing of it was copied: nothing is to be kept.
    if fs::remove_folder(&*destination, &temporary).is_err()
        && let Ok(free) = rename_free(For { job, entry }, &destination, &temporary, name)
    {
        job.report.renamed(entry, &free);
        now_named(job, folder, &free);
    }
    Err(problem)
}

/// A folder has its last name; the journal knows it by that one from now on.
fn now_named(job: &Job, folder: &Folder, name: &OsStr) {
    folder.destination.now_named(name);
    if let (Some(journal), Some((block, at))) = (job.journal(), &folder.own) {
        let modified = folder.attributes.as_deref();
        let modified = modified.map_or((0, 0), |stat| (stat.st_mtime, stat.st_mtime_nsec as u32));
        journal.append(&[Record::Opened(Opened {
            entry: block.id(*at),
            folder: folder.number,
            made: true,
            followed: false,
            modified,
            name: (name != block.name(*at)).then(|| name.to_os_string()),
            // It is the same folder as before.
            made_as: None,
            mode: None,
        })]);
    }
}

/// A folder that was moved to a temporary name is exchanged for the old one.
///
/// # Errors
/// When it could not take the old one's place; it is where it came from then.
pub fn finish_moved(
    worker: &Worker<'_>,
    entry: Entry<'_>,
    place: &Place<'_>,
    name: &OsStr,
    old: Identity,
) -> std::result::Result<(), Trouble> {
    let (job, folder, temporary) = (worker.job, place.destination, place.new_name);
    match take_place(For { job, entry: entry.id() }, folder, temporary, name, old) {
        Ok(()) => {
            worker.diary.named(entry.block, entry.at, name);
            Ok(())
        }
        Err(errno) => {
            let back = fs::rename_new(folder, temporary, place.source, place.name);
            if back.is_err()
                && let Ok(free) =
                    rename_free(For { job, entry: entry.id() }, folder, temporary, name)
            {
                job.report.renamed(entry.id(), &free);
                worker.diary.named(entry.block, entry.at, &free);
            }
            Err(failed(Operation::Rename, At::Destination)(errno))
        }
    }
}

/// Exchanges what stands under a temporary name for the old folder, and puts that away: to the
/// trash, or to the next free name.
fn take_place(
    of: For<'_>,
    folder: &OwnedFd,
    temporary: &OsStr,
    name: &OsStr,
    old: Identity,
) -> Result<()> {
    match fs::stat_name(folder, name) {
        Err(Errno::NOENT) => return fs::rename_new(folder, temporary, folder, name),
        Err(errno) => return Err(errno),
        // Something that nobody was asked about.
        Ok(stat) if fs::identity(&stat) != old => return Err(Errno::EXIST),
        Ok(_) => {}
    }
    let place = FolderPlace::take(of, folder, name, temporary, old);
    if let Some(journal) = of.job.journal() {
        journal.sync();
    }
    match fs::exchange(folder, temporary, name) {
        Ok(()) => {
            // Another one may have come to its place just before.
            if let Err(errno) = is_there(folder, temporary, old) {
                fs::exchange(folder, temporary, name)?;
                place.into_iter().for_each(FolderPlace::give_up);
                return Err(errno);
            }
        }
        // Few file systems cannot: the old one steps aside, for a moment.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            return step_aside(of, folder, temporary, name, (place, old));
        }
        Err(errno) => {
            place.into_iter().for_each(FolderPlace::give_up);
            return Err(errno);
        }
    }
    let put = place.ok_or(Errno::XDEV).and_then(|place| place.put(folder, temporary));
    let path = put.unwrap_or_else(|_| {
        // No rename leads to any trash. It must not be left under a name that nobody knows.
        let free = aside_free(of, folder, temporary, name, old);
        PathBuf::from(free.unwrap_or_else(|_| temporary.to_os_string()))
    });
    of.job.report.set_aside(of.entry, &path);
    Ok(())
}

fn step_aside(
    of: For<'_>,
    folder: &OwnedFd,
    temporary: &OsStr,
    name: &OsStr,
    (place, old): (Option<FolderPlace>, Identity),
) -> Result<()> {
    let is_old = is_there(folder, name, old);
    let left = match is_old.and_then(|()| aside_free(of, folder, name, name, old)) {
        Ok(left) => left,
        Err(errno) => {
            place.into_iter().for_each(FolderPlace::give_up);
            return Err(errno);
        }
    };
    match fs::rename_new(folder, temporary, folder, name) {
        Ok(()) => {
            let put = place.ok_or(Errno::XDEV).and_then(|place| place.put(folder, &left));
            of.job.report.set_aside(of.entry, &put.unwrap_or_else(|_| PathBuf::from(left)));
            Ok(())
        }
        Err(errno) => {
            place.into_iter().for_each(FolderPlace::give_up);
            let _back_or_under_its_other_name = fs::rename_new(folder, &left, folder, name);
            Err(errno)
        }
    }
}

/// That a name leads to this folder, and not to one that nobody was asked about.
fn is_there(folder: &OwnedFd, name: &OsStr, old: Identity) -> Result<()> {
    match fs::identity(&fs::stat_name(folder, name)?) == old {
        true => Ok(()),
        false => Err(Errno::EXIST),
    }
}

/// Gives the old folder the next free name, and tells the journal before.
fn aside_free(
    of: For<'_>,
    folder: &OwnedFd,
    from: &OsStr,
    name: &OsStr,
    old: Identity,
) -> Result<OsString> {
    renamed_free(folder, from, name, |free| keep::tell_aside(of, old, name, free))
}

/// Gives what was made the next free other name of a name, and tells the journal before.
fn rename_free(of: For<'_>, folder: &OwnedFd, from: &OsStr, name: &OsStr) -> Result<OsString> {
    renamed_free(folder, from, name, |free| {
        if let Some(journal) = of.job.journal() {
            journal.append(&[Record::Naming(of.entry, free.to_os_string())]);
        }
    })
}

/// Renames to the next free other name of a name, after that was told; gives it.
///
/// # Errors
/// What renaming says.
pub fn renamed_free(
    folder: &OwnedFd,
    from: &OsStr,
    name: &OsStr,
    mut tell: impl FnMut(&OsStr),
) -> Result<OsString> {
    for number in 2..NAMES_MOST {
        let free = other_name(name, FileKind::Folder, number);
        if fs::stat_name(folder, &free).is_ok() {
            continue;
        }
        tell(&free);
        match fs::rename_new(folder, from, folder, &free) {
            Err(Errno::EXIST) => {}
            result => return result.map(|()| free),
        }
    }
    Err(Errno::EXIST)
}
