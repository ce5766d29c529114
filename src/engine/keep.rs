//! Replaced files are kept, so that undo can bring them back.
//!
//! The old file changes places with the new one in one step (`RENAME_EXCHANGE`) and then goes
//! to the trash of its file system; nothing is copied. Where two files cannot change places
//! the old one gets a second name in the trash first. The journal knows of it before it is
//! done, and by the old file's inode how far it came. When the device runs full, what is kept
//! there is given up, oldest first: of jobs that have ended, then of this one.

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::Stat;
use rustix::io::{Errno, Result};

use super::conflict::FileKind;
use super::copy::Place;
use super::fs::{self, Identity};
use super::job::{Job, lock};
use super::journal::{Aside, KeptFile, Record, Replacing, Store, Told};
use super::message::{EntryId, KeepReplaced};
use super::summary::NoticeKind;
use super::trash::Trash;

/// What a job keeps.
#[derive(Default)]
pub struct Keeper {
    home: PathBuf,
    /// By device; `None` where there is no trash.
    trashes: Mutex<HashMap<u64, Option<Arc<Trash>>>>,
    kept: Mutex<VecDeque<Kept>>,
    store: Option<Store>,
    earlier: Mutex<Earlier>,
}

/// What jobs keep that have ended, as far as it is known.
#[derive(Default)]
struct Earlier {
    files: VecDeque<KeptFile>,
    listed: Option<Instant>,
}

/// How long it is taken for known: listing it reads every journal.
const KNOWN: Duration = Duration::from_secs(60);

struct Kept {
    entry: EntryId,
    device: u64,
    /// The trash's path.
    trash: PathBuf,
    name: OsString,
    /// Bytes that removing it makes free.
    room: u64,
}

impl Kept {
    fn remove(&self) -> Result<()> {
        Trash::at(&self.trash)?.remove(&self.name)
    }
}

/// The entry that replaces something, for whose job the old file is kept.
#[derive(Clone, Copy)]
pub struct For<'a> {
    /// The job.
    pub job: &'a Job,
    /// The entry.
    pub entry: EntryId,
}

impl Keeper {
    /// Keeps in the trashes of the file systems; the store knows the user's own, and what other
    /// jobs keep.
    pub fn new(store: Option<Store>) -> Keeper {
        let home = store.as_ref().map(|store| store.home_trash.clone()).unwrap_or_default();
        Keeper { home, store, ..Keeper::default() }
    }

    fn trash(&self, device: u64, folder: &OwnedFd) -> Option<Arc<Trash>> {
        let mut trashes = lock(&self.trashes);
        let open = || Trash::of(folder, &self.home).ok().map(Arc::new);
        trashes.entry(device).or_insert_with(open).clone()
    }

    /// Closes the trashes; they are opened again when needed.
    pub fn close(&self) {
        lock(&self.trashes).clear();
    }

    /// Gives up files that are kept on a device, oldest first, until there is so much more
    /// room, in bytes, for this entry; whether there was any.
    pub fn give_up(&self, of: For<'_>, device: u64, wanted: u64) -> bool {
        let mut room = 0;
        let mut any = false;
        while !any || room < wanted {
            let more = wanted.saturating_sub(room);
            let given_up = self.give_up_earlier(of, device, more);
            // What can never fit is no reason to give up anything.
            let own = || match self.own_room(device) + free_room(of) >= more {
                true => self.give_up_own(of.job, device),
                false => None,
            };
            let Some(freed) = given_up.or_else(own) else { break };
            any = true;
            room += freed;
        }
        any
    }

    /// Gives up the oldest file that a job keeps which has ended, where that can be of use: the
    /// room that it makes free.
    fn give_up_earlier(&self, of: For<'_>, device: u64, wanted: u64) -> Option<u64> {
        let store = self.store.as_ref()?;
        let mut earlier = lock(&self.earlier);
        if earlier.files.is_empty() && earlier.listed.is_none_or(|listed| listed.elapsed() > KNOWN)
        {
            earlier.files = store.kept_files().unwrap_or_default().into();
            earlier.listed = Some(Instant::now());
        }
        let is_here = |file: &&KeptFile| file.device() == device && file.room > 0;
        let of_earlier: u64 = earlier.files.iter().filter(is_here).map(|file| file.room).sum();
        if of_earlier == 0 || of_earlier + self.own_room(device) + free_room(of) < wanted {
            return None;
        }
        loop {
            let place = earlier.files.iter().position(|file| is_here(&file))?;
            let file = earlier.files.remove(place)?;
            if file.give_up(store) {
                of.job.report.notice(NoticeKind::EarlierGivenUp, &of.job.plan, of.entry);
                return Some(file.room);
            }
        }
    }

    /// The room that this job's kept files take on a device.
    fn own_room(&self, device: u64) -> u64 {
        lock(&self.kept).iter().filter(|kept| kept.device == device).map(|kept| kept.room).sum()
    }

    /// Gives up the oldest file that this job keeps there: the room that it makes free.
    fn give_up_own(&self, job: &Job, device: u64) -> Option<u64> {
        loop {
            let oldest = {
                let mut kept = lock(&self.kept);
                let place = kept.iter().position(|kept| kept.device == device)?;
                kept.remove(place)?
            };
            // Emptied by the user meanwhile: the next one.
            if oldest.remove().is_ok() {
                if let Some(journal) = job.journal() {
                    journal.append(&[Record::GivenUp(vec![oldest.entry])]);
                }
                job.report.notice(NoticeKind::ReplacedGivenUp, &job.plan, oldest.entry);
                return Some(oldest.room);
            }
        }
    }

    /// Removes all that is kept: the job has ended, and the user wanted it no longer.
    pub fn let_go(&self, job: &Job) {
        job.told.as_ref().into_iter().for_each(Told::remove_kept);
        let all = std::mem::take(&mut *lock(&self.kept));
        for kept in &all {
            // Restored or emptied by the user meanwhile, it is gone already.
            let _removed_or_gone = kept.remove();
        }
        if let Some(journal) = job.journal()
            && !all.is_empty()
        {
            journal.append(&[Record::GivenUp(all.iter().map(|kept| kept.entry).collect())]);
        }
    }
}

/// A place in the trash that was taken for an old file.
struct Reserved<'a> {
    of: For<'a>,
    trash: Arc<Trash>,
    kept: OsString,
    device: u64,
    room: u64,
}

impl<'a> Reserved<'a> {
    /// Takes a place and tells the journal; `None`, and a notice, where there is none.
    fn take(of: For<'a>, place: &Place<'_>, old: &Stat, temporary: &OsStr) -> Option<Self> {
        let keeper = &of.job.keeper;
        let taken = keeper.trash(old.st_dev, place.destination).and_then(|trash| {
            let path = fs::path_of(place.destination).ok()?.join(place.new_name);
            let names = (place.new_name, temporary);
            let tell = |kept: &OsStr| tell_replacing(of, old.st_ino, names, (&trash.path, kept));
            let kept = trash.reserve(&path, tell).ok()?;
            let room = fs::room(old);
            Some(Reserved { of, trash, kept, device: old.st_dev, room })
        });
        if taken.is_none() {
            reserved_nothing(of);
        }
        taken
    }

    fn note(self) {
        let Reserved { of, trash, kept: name, device, room } = self;
        let trash = trash.path.clone();
        // The user's to empty, and nobody else's.
        if of.job.spec.options.keep_replaced == KeepReplaced::Trash {
            return;
        }
        lock(&of.job.keeper.kept).push_back(Kept { entry: of.entry, device, trash, name, room });
    }

    /// The old file's second name in the trash is not needed.
    fn unlink(self) {
        // Both were made here, a moment ago.
        let _removed_or_not = self.trash.remove(&self.kept);
    }
}

/// Tells the journal what is going to be set aside, and under which name.
pub fn tell_aside(of: For<'_>, old: Identity, name: &OsStr, new_name: &OsStr) {
    if let Some(journal) = of.job.journal() {
        journal.append(&[Record::Aside(Aside {
            entry: of.entry,
            old: old.inode,
            name: name.to_os_string(),
            new_name: new_name.to_os_string(),
        })]);
    }
}

/// Tells the journal what a folder is made for, before it is made under a temporary name.
pub fn tell_intent(of: For<'_>, old: Identity, name: &OsStr, temporary: &OsStr) {
    tell_replacing(of, old.inode, (name, temporary), (Path::new(""), OsStr::new("")));
}

/// A place in the trash for an old folder.
pub struct FolderPlace {
    trash: Arc<Trash>,
    kept: OsString,
}

impl FolderPlace {
    /// Takes one and tells the journal, before the old folder changes places with the new one,
    /// which stands under a temporary name; `None` where there is no trash.
    pub fn take(
        of: For<'_>,
        folder: &OwnedFd,
        name: &OsStr,
        temporary: &OsStr,
        old: Identity,
    ) -> Option<FolderPlace> {
        let trash = of.job.keeper.trash(old.device, folder)?;
        let path = fs::path_of(folder).ok()?.join(name);
        let kept = trash.reserve(&path, |kept| {
            tell_replacing(of, old.inode, (name, temporary), (&trash.path, kept));
        });
        let kept = kept.ok()?;
        Some(FolderPlace { trash, kept })
    }

    /// Moves the old folder there; gives its path.
    ///
    /// # Errors
    /// What renaming says; the place is given up then.
    pub fn put(self, folder: &OwnedFd, name: &OsStr) -> Result<PathBuf> {
        match self.trash.put(folder, name, &self.kept) {
            Ok(()) => Ok(Trash::path_of(&self.trash.path, &self.kept)),
            Err(errno) => {
                self.give_up();
                Err(errno)
            }
        }
    }

    /// It is not needed.
    pub fn give_up(self) {
        self.trash.release(&self.kept);
    }
}

/// Tells the journal what is going to be replaced by what stands, or will, under a temporary
/// name, and where in a trash the old one goes; nowhere yet, when that is not known.
fn tell_replacing(
    of: For<'_>,
    old: u64,
    (name, temporary): (&OsStr, &OsStr),
    (trash, kept): (&Path, &OsStr),
) {
    if let Some(journal) = of.job.journal() {
        journal.append(&[Record::Replacing(Replacing {
            entry: of.entry,
            old,
            name: name.to_os_string(),
            temporary: temporary.to_os_string(),
            trash: trash.to_path_buf(),
            kept: kept.to_os_string(),
        })]);
    }
}

/// What is free where the job copies to; what is not known is nothing.
fn free_room(of: For<'_>) -> u64 {
    let folder = fs::open_folder_path(&of.job.spec.destination);
    folder.ok().and_then(fs::free_space).unwrap_or_default()
}

fn reserved_nothing(of: For<'_>) {
    of.job.report.notice(NoticeKind::ReplacedNotKept, &of.job.plan, of.entry);
}

/// Gives a finished file, which stands under a temporary name beside it, its name, and keeps
/// what had it.
///
/// # Errors
/// What renaming says; nothing has changed then.
pub fn put_in_place(place: &Place<'_>, temporary: &OsStr) -> Result<()> {
    let (folder, name) = (place.destination, place.new_name);
    let plainly = || fs::rename(folder, temporary, folder, name);
    let Some(of) = place.keep else { return plainly() };
    let Ok(old) = fs::stat_name(folder, name) else { return plainly() };
    if fs::kind(&old) == FileKind::Folder {
        return Err(Errno::ISDIR);
    }
    let Some(reserved) = Reserved::take(of, place, &old, temporary) else { return plainly() };
    match fs::exchange(folder, temporary, name) {
        Ok(()) => {}
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            return link_and_rename(place, reserved, plainly);
        }
        Err(errno) => {
            reserved.trash.release(&reserved.kept);
            // It has gone meanwhile.
            return if errno == Errno::NOENT { plainly() } else { Err(errno) };
        }
    }
    // Another program may have put something else there in the last moment.
    if let Ok(now) = fs::stat_name(folder, temporary)
        && fs::identity(&now) != fs::identity(&old)
    {
        if fs::kind(&now) == FileKind::Folder {
            fs::exchange(folder, temporary, name)?;
            reserved.trash.release(&reserved.kept);
            return Err(Errno::ISDIR);
        }
        let (names, trash) = ((place.new_name, temporary), reserved.trash.path.as_path());
        tell_replacing(of, now.st_ino, names, (trash, &reserved.kept));
    }
    if reserved.trash.put(folder, temporary, &reserved.kept).is_ok() {
        reserved.note();
        return Ok(());
    }
    // No rename leads there after all. It must not be left in the user's folder, and was to
    // be replaced.
    reserved.trash.release(&reserved.kept);
    reserved_nothing(of);
    let _removed_or_not = fs::remove(folder, temporary);
    Ok(())
}

fn link_and_rename(
    place: &Place<'_>,
    reserved: Reserved<'_>,
    rename: impl FnOnce() -> Result<()>,
) -> Result<()> {
    if reserved.trash.link(place.destination, place.new_name, &reserved.kept).is_err() {
        reserved.trash.release(&reserved.kept);
        reserved_nothing(reserved.of);
        return rename();
    }
    match rename() {
        Ok(()) => {
            reserved.note();
            Ok(())
        }
        Err(errno) => {
            reserved.unlink();
            Err(errno)
        }
    }
}

/// Renames a source over what stands at the destination, and keeps that.
///
/// # Errors
/// What renaming says; nothing has changed then.
pub fn rename_over(place: &Place<'_>) -> Result<()> {
    let plainly = || fs::rename(place.source, place.name, place.destination, place.new_name);
    let Some(of) = place.keep else { return plainly() };
    let Ok(old) = fs::stat_name(place.destination, place.new_name) else { return plainly() };
    // What the rename refuses is not to be kept.
    if fs::kind(&old) == FileKind::Folder {
        return plainly();
    }
    match Reserved::take(of, place, &old, OsStr::new("")) {
        Some(reserved) => link_and_rename(place, reserved, plainly),
        None => plainly(),
    }
}

/// Whether a job keeps what it replaces.
pub fn is_wanted(job: &Job) -> bool {
    job.spec.options.keep_replaced != KeepReplaced::No && job.journal().is_some()
}
