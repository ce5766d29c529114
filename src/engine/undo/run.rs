//! One undo: first every entry, then what could go only after its source was safe, then the
//! folders from the deepest up.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::back::Back;
use super::{LeftWhy, UndoReport};
use crate::engine::conflict::FileKind;
use crate::engine::error::{Error, Operation};
use crate::engine::fs::mounts::FileSystem;
use crate::engine::fs::{self, Identity};
use crate::engine::heal::{self, Found};
use crate::engine::journal::{Entry, Facts, How, Replacing, Side, Told, Way};
use crate::engine::message::JobKind;
use crate::engine::scan::LISTING;
use crate::engine::trash::Trash;

/// An undo at work.
pub struct Undo<'a> {
    told: &'a Told,
    /// Something is done, not only told.
    acts: bool,
    go_on: &'a mut dyn FnMut(u64) -> bool,
    looked_at: u64,
    report: UndoReport,
    to: Way,
    from: Way,
    back: Back<'a>,
    /// Copies whose sources are there again, to be removed once these are on their device.
    safe_later: Vec<Copy>,
    /// Files that this undo took a name from: their time of change is its own doing.
    touched: HashSet<Identity>,
    /// How many names were, or would be, taken from a folder.
    taken: HashMap<Identity, u64>,
    /// Source folders that never went and get entries back: they get their times back, too.
    refilled: HashSet<usize>,
    /// Folders that were opened for removing, and their modes.
    modes: HashMap<usize, u32>,
}

/// A copy at the destination.
struct Copy {
    folder: usize,
    name: OsString,
    identity: Identity,
    replaced: Option<Replacing>,
    /// Its source was not there, and is again.
    carried: bool,
}

/// What stands where a copy was moved from.
enum OldPlace {
    /// Nothing.
    Free,
    /// The source: it never went, or it is there again.
    Source,
    /// Something else.
    Taken,
}

/// What is to be taken back of an entry.
struct Deed<'a> {
    how: How,
    kind: FileKind,
    facts: Facts,
    name: &'a OsStr,
    /// Known by its looks alone: it was in work when the program was killed.
    in_work: bool,
}

impl<'a> Undo<'a> {
    /// An undo of a job; `acts` when it is not only to be told what would be done.
    pub fn new(told: &'a Told, acts: bool, go_on: &'a mut dyn FnMut(u64) -> bool) -> Undo<'a> {
        Undo {
            told,
            acts,
            go_on,
            looked_at: 0,
            report: UndoReport::default(),
            to: Way::new(Side::Destination),
            from: Way::new(Side::Source),
            back: Back::new(&told.header.spec),
            safe_later: Vec::new(),
            touched: HashSet::new(),
            taken: HashMap::new(),
            refilled: HashSet::new(),
            modes: HashMap::new(),
        }
    }

    /// Does it.
    pub fn run(mut self) -> UndoReport {
        if self.acts && self.told.header.spec.kind == JobKind::Move {
            self.look_for_links();
        }
        for folder in (0..self.told.folders.len()).rev() {
            if !self.folder(folder) {
                return self.report;
            }
        }
        self.remove_safe();
        for folder in (0..self.told.folders.len()).rev() {
            self.close(folder);
        }
        for folder in (0..self.told.folders.len()).rev() {
            self.restore(folder);
        }
        self.remove_destination();
        self.report
    }

    /// Of a move that was not finished some names of a file may have gone and others not.
    fn look_for_links(&mut self) {
        let told = self.told;
        for folder in 0..told.folders.len() {
            let (Ok(to), Ok(from)) = (self.to.to(told, folder), self.from.to(told, folder)) else {
                continue;
            };
            for (name, entry) in &told.folders[folder].entries {
                if entry.kind == FileKind::Folder {
                    continue;
                }
                let Ok(source) = fs::stat_name(&*from, name) else { continue };
                let new_name = entry.name(name);
                if let Ok(copy) = fs::stat_name(&*to, new_name)
                    && copy.st_nlink > 1
                    && heal::is_copied(
                        heal::Side { folder: &from, name, stat: &source },
                        heal::Side { folder: &to, name: new_name, stat: &copy },
                    )
                {
                    self.back.stands(fs::identity(&copy), &from, name);
                }
            }
        }
    }

    fn path(&self, folder: usize, name: &OsStr) -> PathBuf {
        self.told.header.spec.destination.join(self.told.below(folder)).join(name)
    }

    fn fail(&mut self, operation: Operation, path: PathBuf, errno: Errno) {
        self.report.failures.push(Error::os(operation, path, errno));
    }

    /// Takes back the entries of a folder; whether to go on.
    fn folder(&mut self, folder: usize) -> bool {
        let told = self.told;
        let opened = match self.to.to(told, folder) {
            Ok(opened) => opened,
            Err(Errno::NOENT) => {
                self.report.gone += told.folders[folder].entries.len() as u64;
                return true;
            }
            Err(errno) => {
                let path = self.path(folder, OsStr::new(""));
                self.fail(Operation::Open, path, errno);
                return true;
            }
        };
        if self.acts && told.folders[folder].made {
            self.let_in(folder, &opened);
        }
        for (name, entry) in &told.folders[folder].entries {
            self.looked_at += 1;
            if !(self.go_on)(self.looked_at) {
                return false;
            }
            self.entry(folder, &opened, name, entry);
        }
        true
    }

    /// A folder that the job made may be closed to its owner.
    fn let_in(&mut self, folder: usize, opened: &OwnedFd) {
        const OWN: u32 = 0o700;
        if let Ok(stat) = fs::stat(opened)
            && fs::mode(&stat) & OWN != OWN
            && fs::set_mode(opened, fs::mode(&stat) | OWN).is_ok()
        {
            let _none = self.modes.insert(folder, fs::mode(&stat));
        }
    }

    fn entry(&mut self, folder: usize, opened: &Arc<OwnedFd>, name: &OsStr, entry: &Entry) {
        if entry.kind == FileKind::Folder && entry.folder.is_none() && entry.ended.is_none() {
            return self.folder_in_work(opened, name);
        }
        let Some(deed) = self.deed(folder, opened, name, entry) else { return };
        let path = self.path(folder, deed.name);
        let replaced = entry.replacing.iter().rev().find(|replacing| replacing.name == deed.name);
        let stat = match fs::stat_name(&**opened, deed.name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => {
                return self.is_gone((folder, name), opened, &path, &deed, replaced);
            }
            Err(errno) => return self.fail(Operation::Inspect, path, errno),
        };
        if entry.is_old(deed.name, stat.st_ino) {
            // An undo that did not come to its end brought it back.
            self.report.gone += 1;
            return self.release(entry);
        }
        if !deed.in_work
            && !self.is_unchanged(&deed, &stat, opened)
            && !self.was_linked((folder, name), &deed, &stat, opened)
        {
            return self.report.leave(path, LeftWhy::Changed);
        }
        let copy = Copy {
            folder,
            name: deed.name.to_os_string(),
            identity: fs::identity(&stat),
            replaced: replaced.cloned(),
            carried: false,
        };
        if deed.how == How::Moved {
            return self.move_back(opened, name, copy, &path);
        }
        let lacks = match replaced {
            Some(replaced) => !is_held(replaced),
            None => deed.how == How::Replaced,
        };
        if lacks {
            return self.report.leave(path, LeftWhy::ReplacedGone);
        }
        if self.told.header.spec.kind == JobKind::Move {
            let copy_side = heal::Side { folder: opened, name: deed.name, stat: &stat };
            return match self.old_place(folder, name, copy_side) {
                OldPlace::Free => self.carry_back(opened, name, copy, &stat, &path),
                OldPlace::Source => self.safe_later.push(copy),
                OldPlace::Taken => self.report.leave(path, LeftWhy::PlaceTaken),
            };
        }
        if self.remove(opened, &copy, &path) && copy.replaced.is_none() {
            self.report.removed += 1;
        }
    }

    /// A folder that may just have been made when the program was killed: it is empty then.
    fn folder_in_work(&mut self, opened: &OwnedFd, name: &OsStr) {
        let birth = fs::birth_of_name(opened, name);
        if birth.is_none_or(|birth| birth < self.told.header.began) {
            return;
        }
        let empty = || self.would_be_left_empty(&fs::open_folder(opened, name)?);
        let removed = match self.acts {
            true => fs::remove_folder(opened, name),
            false => empty(),
        };
        if removed.is_ok() {
            self.report.folders_removed += 1;
            self.note_taken(opened);
        }
    }

    fn deed<'e>(
        &mut self,
        folder: usize,
        opened: &OwnedFd,
        name: &'e OsStr,
        entry: &'e Entry,
    ) -> Option<Deed<'e>> {
        if let Some(ended) = &entry.ended {
            let (how, kind, facts) = (ended.how, ended.kind, ended.facts);
            let wanted = matches!(how, How::Made | How::Replaced | How::Moved);
            let name = entry.name(name);
            return wanted.then_some(Deed { how, kind, facts, name, in_work: false });
        }
        // It may have been in work when the program was killed: what looks like the job's own.
        let source_dir = self.from.to(self.told, folder).ok()?;
        let source = fs::stat_name(&*source_dir, name).ok()?;
        let mut candidates =
            std::iter::once(name).chain(entry.names.iter().map(OsString::as_os_str));
        candidates.find_map(|candidate| {
            let existing = fs::stat_name(opened, candidate).ok()?;
            let found = heal::judge(
                heal::Side { folder: &source_dir, name, stat: &source },
                heal::Side { folder: opened, name: candidate, stat: &existing },
                self.told.header.began,
            );
            matches!(found, Found::Whole | Found::Short).then(|| Deed {
                how: How::Made,
                kind: fs::kind(&existing),
                facts: Facts::of(&existing),
                name: candidate,
                in_work: true,
            })
        })
    }

    fn is_unchanged(&self, deed: &Deed<'_>, stat: &Stat, opened: &OwnedFd) -> bool {
        if fs::kind(stat) != deed.kind {
            return false;
        }
        if deed.how == How::Moved {
            // What was done to it since stays done to it, at its old place.
            return deed.facts.inode == stat.st_ino;
        }
        // Any change since the job's end. A server has a clock of its own.
        let since = stat.st_ctime > self.told.ended_at() + 1
            && FileSystem::of(opened).is_plain_local()
            && !self.touched.contains(&fs::identity(stat));
        deed.facts.are_of(stat, opened) && !since
    }

    /// Whether nothing was done to a copy but that it got another name: then nothing is lost
    /// with the job's. A source with several names has copies with as many.
    fn was_linked(
        &mut self,
        (folder, source): (usize, &OsStr),
        deed: &Deed<'_>,
        stat: &Stat,
        opened: &OwnedFd,
    ) -> bool {
        let mut had_one = || {
            let from = self.from.to(self.told, folder).ok()?;
            Some(fs::stat_name(&*from, source).ok()?.st_nlink == 1)
        };
        stat.st_nlink > 1
            && fs::kind(stat) == FileKind::File
            && deed.kind == FileKind::File
            && deed.facts.are_of(stat, opened)
            && had_one() == Some(true)
    }

    /// What stands where a copy was moved from. That the name is there says nothing: it may be
    /// another file by now, and the copy all that is left.
    fn old_place(&mut self, folder: usize, name: &OsStr, copy: heal::Side<'_>) -> OldPlace {
        let Ok(from) = self.from.to(self.told, folder) else { return OldPlace::Free };
        let stat = match fs::stat_name(&*from, name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return OldPlace::Free,
            Err(_) => return OldPlace::Taken,
        };
        if !heal::is_copied(heal::Side { folder: &from, name, stat: &stat }, copy) {
            return OldPlace::Taken;
        }
        // An undo that was killed may have carried it back: it must be on its device.
        self.back.note_stands(copy.folder, &from);
        OldPlace::Source
    }

    fn source_is_there(&mut self, folder: usize, name: &OsStr) -> bool {
        let opened = self.from.to(self.told, folder);
        opened.is_ok_and(|opened| fs::stat_name(&*opened, name).is_ok())
    }

    /// Nothing of an entry is there: only what it had replaced can come back.
    fn is_gone(
        &mut self,
        (folder, source): (usize, &OsStr),
        opened: &Arc<OwnedFd>,
        path: &Path,
        deed: &Deed<'_>,
        replaced: Option<&Replacing>,
    ) {
        self.report.gone += 1;
        let moved = deed.how == How::Moved || self.told.header.spec.kind == JobKind::Move;
        if moved && !self.source_is_there(folder, source) {
            self.report.leave(path.to_path_buf(), LeftWhy::NotThere);
        }
        if let Some(replaced) = replaced.filter(|replaced| is_held(replaced)) {
            let _told = self.bring_back(opened, replaced, false, path);
        }
    }

    /// Brings a replaced file back, in the place of what is there or not.
    fn bring_back(
        &mut self,
        opened: &OwnedFd,
        replaced: &Replacing,
        replace: bool,
        path: &Path,
    ) -> bool {
        let take =
            || Trash::at(&replaced.trash)?.take(&replaced.kept, opened, &replaced.name, replace);
        let result = if self.acts { take() } else { Ok(()) };
        match result {
            Ok(()) => {
                self.report.brought_back += 1;
                true
            }
            Err(errno) => {
                self.fail(Operation::Rename, path.to_path_buf(), errno);
                false
            }
        }
    }

    /// Removes a copy; what it had replaced comes back in its place, in one step.
    fn remove(&mut self, opened: &OwnedFd, copy: &Copy, path: &Path) -> bool {
        if let Some(replaced) = &copy.replaced {
            let back = self.bring_back(opened, replaced, true, path);
            let _new = self.touched.insert(copy.identity);
            return back;
        }
        let removed = match self.acts {
            true => fs::remove_if(opened, &copy.name, copy.identity),
            false => Ok(()),
        };
        match removed {
            Ok(()) => {
                let _new = self.touched.insert(copy.identity);
                self.note_taken(opened);
                true
            }
            Err(errno) => {
                self.fail(Operation::Remove, path.to_path_buf(), errno);
                false
            }
        }
    }

    fn note_taken(&mut self, opened: &OwnedFd) {
        if let Ok(stat) = fs::stat(opened) {
            *self.taken.entry(fs::identity(&stat)).or_default() += 1;
        }
    }

    /// Renames what was renamed back to its place.
    fn move_back(&mut self, opened: &Arc<OwnedFd>, name: &OsStr, copy: Copy, path: &Path) {
        let (told, folder) = (self.told, copy.folder);
        let taken = self.source_is_there(folder, name);
        let renamed = match (self.acts, taken) {
            (_, true) => Err(Errno::EXIST),
            (false, false) => Ok(()),
            (true, false) => self
                .from
                .make(told, folder)
                .and_then(|source| fs::rename_new(&**opened, &copy.name, &*source, name)),
        };
        match renamed {
            Ok(()) => {
                self.report.moved_back += 1;
                match copy.replaced.as_ref().filter(|replaced| is_held(replaced)) {
                    Some(replaced) => {
                        let _told = self.bring_back(opened, replaced, false, path);
                    }
                    None => self.note_taken(opened),
                }
            }
            Err(Errno::EXIST) => self.report.leave(path.to_path_buf(), LeftWhy::PlaceTaken),
            Err(errno) => self.fail(Operation::Rename, path.to_path_buf(), errno),
        }
    }

    /// Copies what was copied and then removed at its source back to its place.
    fn carry_back(
        &mut self,
        opened: &Arc<OwnedFd>,
        name: &OsStr,
        copy: Copy,
        stat: &Stat,
        path: &Path,
    ) {
        if self.acts {
            let source = match self.from.make(self.told, copy.folder) {
                Ok(source) => source,
                Err(errno) => {
                    let path = self.told.source(copy.folder);
                    return self.fail(Operation::MakeFolder, path, errno);
                }
            };
            self.note_refilled(copy.folder, &source);
            if let Err((operation, kind)) =
                self.back.carry((opened, &copy.name), (&source, name), stat)
            {
                let error = Error::new(operation, path, kind);
                return self.report.failures.push(error);
            }
        }
        self.safe_later.push(Copy { carried: true, ..copy });
    }

    /// Remembers a source folder that entries come back to, unless somebody has changed it
    /// since the job.
    fn note_refilled(&mut self, folder: usize, source: &OwnedFd) {
        let unchanged = |stat: &Stat| stat.st_mtime <= self.told.ended_at() + 1;
        if !self.from.made.contains(&folder) && fs::stat(source).is_ok_and(|s| unchanged(&s)) {
            let _new = self.refilled.insert(folder);
        }
    }

    /// The sources of moved entries are there again: once they are on their devices, the
    /// copies go.
    fn remove_safe(&mut self) {
        let all = std::mem::take(&mut self.safe_later);
        if self.acts
            && !all.is_empty()
            && let Err(errno) = self.back.flush()
        {
            let path = self.told.header.spec.destination.clone();
            return self.fail(Operation::Flush, path, errno);
        }
        for copy in all {
            let path = self.path(copy.folder, &copy.name);
            let Ok(opened) = self.to.to(self.told, copy.folder) else { continue };
            let replaces = copy.replaced.is_some();
            match (self.remove(&opened, &copy, &path), copy.carried) {
                (true, true) => self.report.moved_back += 1,
                (true, false) if !replaces => self.report.removed += 1,
                _ => {}
            }
        }
    }

    /// What came back from the trash has no information there.
    fn release(&self, entry: &Entry) {
        for replaced in entry.replacing.iter().filter(|_| self.acts) {
            if let Ok(trash) = Trash::at(&replaced.trash) {
                trash.release_if_for(&replaced.kept, &replaced.name);
            }
        }
    }

    /// Whether a source's folder was made again by an undo that did not come to its end: it is
    /// as it was made, and younger than the job.
    fn is_half_made(&mut self, folder: usize) -> bool {
        let told = self.told;
        let Some((parent, name)) = &told.folders[folder].parent else { return false };
        let Ok(above) = self.from.to(told, *parent) else { return false };
        let birth = fs::birth_of_name(&*above, name);
        self.acts
            && told.header.spec.kind == JobKind::Move
            && birth.is_some_and(|(seconds, _)| seconds >= told.ended_at())
            && fs::stat_name(&*above, name).is_ok_and(|stat| fs::mode(&stat) == 0o700)
    }

    /// Gives a source folder that was made again its attributes, and removes the folder at
    /// the destination if the job made it and it is empty.
    fn close(&mut self, folder: usize) {
        let (told, known) = (self.told, &self.told.folders[folder]);
        let Some((parent, _)) = &known.parent else { return };
        // A moved folder that had nothing in it.
        if self.acts
            && told.header.spec.kind == JobKind::Move
            && self.to.to(told, folder).is_ok()
            && let Err(errno) = self.from.make(told, folder)
        {
            return self.fail(Operation::MakeFolder, told.source(folder), errno);
        }
        if (self.from.made.contains(&folder) || self.is_half_made(folder))
            && let (Ok(made), Ok(like)) = (self.from.to(told, folder), self.to.to(told, folder))
        {
            let mode = self.modes.get(&folder).copied();
            self.back.dress(&like, &made, known.modified, mode);
        }
        if self.refilled.contains(&folder)
            && let Ok(source) = self.from.to(told, folder)
            && let Ok(mut stat) = fs::stat(&*source)
        {
            (stat.st_mtime, stat.st_mtime_nsec) = (known.modified.0, known.modified.1.into());
            // It holds what it held; when that was is the least of it.
            let _set_or_not = fs::set_times(&*source, &fs::times(&stat));
        }
        if !known.made {
            return;
        }
        let Ok(above) = self.to.to(told, *parent) else { return };
        let is_old = |stat: Stat| told.is_old(folder, stat.st_ino);
        if fs::stat_name(&*above, &known.name).is_ok_and(is_old) {
            let entry = known.parent.as_ref().and_then(|(parent, name)| told.entry(*parent, name));
            return entry.into_iter().for_each(|entry| self.release(entry));
        }
        let removed = match self.acts {
            true => fs::remove_folder(&*above, &known.name),
            false => self.would_be_empty(folder),
        };
        let replaced = told.exchanged_for(folder).filter(|replaced| is_held(replaced));
        match (removed, replaced) {
            (Ok(()), None) => {
                self.report.folders_removed += 1;
                self.note_taken(&above);
            }
            // Of what the user has removed or renamed, the place is free as well.
            (removed @ (Ok(()) | Err(Errno::NOENT)), Some(replaced)) => {
                self.report.folders_removed += u64::from(removed.is_ok());
                let path = self.path(folder, OsStr::new(""));
                let _told = self.bring_back(&above, replaced, false, &path);
            }
            (Err(Errno::NOENT), None) => {}
            (Err(Errno::NOTEMPTY | Errno::EXIST), _) => {
                let path = self.path(folder, OsStr::new(""));
                let told = self.report.left.iter().any(|left| left.path.starts_with(&path))
                    || self.report.failures.iter().any(|error| error.path.starts_with(&path));
                if !told {
                    self.report.leave(path, LeftWhy::NotEmpty);
                }
                self.shut(folder);
            }
            (Err(errno), _) => {
                let path = self.path(folder, OsStr::new(""));
                self.fail(Operation::Remove, path, errno);
                self.shut(folder);
            }
        }
    }

    /// What was set aside in a folder gets its name back.
    fn restore(&mut self, folder: usize) {
        let told = self.told;
        let asides = || told.folders[folder].entries.values().flat_map(|entry| &entry.asides);
        if asides().next().is_none() {
            return;
        }
        let Ok(opened) = self.to.to(told, folder) else { return };
        for aside in asides() {
            let found = fs::stat_name(&*opened, &aside.new_name);
            let path = self.path(folder, &aside.name);
            if found.map_or(true, |stat| stat.st_ino != aside.old)
                || self.report.left.iter().any(|left| left.path == path)
            {
                continue;
            }
            let renamed = match self.acts {
                true => fs::rename_new(&*opened, &aside.new_name, &*opened, &aside.name),
                false => Ok(()),
            };
            match renamed {
                Ok(()) => self.report.brought_back += 1,
                Err(Errno::EXIST) => {
                    let path = self.path(folder, &aside.new_name);
                    self.report.leave(path, LeftWhy::PlaceTaken);
                }
                Err(errno) => self.fail(Operation::Rename, path, errno),
            }
        }
    }

    fn shut(&mut self, folder: usize) {
        if let Some(mode) = self.modes.remove(&folder)
            && let Ok(opened) = self.to.to(self.told, folder)
        {
            // It stays open to its owner, which harms nobody.
            let _set_or_not = fs::set_mode(&*opened, mode);
        }
    }

    fn would_be_empty(&mut self, folder: usize) -> Result<(), Errno> {
        let opened = self.to.to(self.told, folder)?;
        self.would_be_left_empty(&opened)
    }

    fn would_be_left_empty(&self, opened: &OwnedFd) -> Result<(), Errno> {
        let taken = self.taken.get(&fs::identity(&fs::stat(opened)?)).copied().unwrap_or(0);
        let mut names = 0;
        let listed = fs::open_folder(opened, OsStr::new("."))?;
        fs::list(&listed, &mut vec![MaybeUninit::uninit(); LISTING], |_| {
            names += 1;
            Ok(())
        })?;
        if names == taken { Ok(()) } else { Err(Errno::NOTEMPTY) }
    }

    /// Removes the folders that were made to have the destination, where they are empty.
    fn remove_destination(&mut self) {
        let made = self.told.destination.iter().flat_map(|known| known.made.iter().rev());
        for path in made {
            let removed = match self.acts {
                true => rustix::fs::rmdir(path),
                false => {
                    fs::open_folder_path(path).and_then(|opened| self.would_be_left_empty(&opened))
                }
            };
            if removed.is_err() {
                // In use for something else by now, or gone.
                return;
            }
            self.report.folders_removed += 1;
            if let Some(above) = path.parent()
                && let Ok(above) = fs::open_folder_path(above)
            {
                self.note_taken(&above);
            }
        }
    }
}

/// Whether the trash still has a replaced file.
fn is_held(replaced: &Replacing) -> bool {
    let trash = Trash::at(&replaced.trash);
    let held = trash.ok().and_then(|trash| trash.holds(&replaced.kept));
    held.is_some_and(|held| held.inode == replaced.old)
}
