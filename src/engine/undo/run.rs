//! One undo: first every entry, then what could go only after its source was safe, then the
//! folders from the deepest up.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::back::Back;
use super::{Left, LeftWhy, UndoReport};
use crate::engine::conflict::FileKind;
use crate::engine::error::{Error, Operation};
use crate::engine::fs::mounts::FileSystem;
use crate::engine::fs::{self, Identity};
use crate::engine::heal::{self, Found};
use crate::engine::journal::{Entry, Facts, How, Replacing, Side, Told, Way};
use crate::engine::lost;
use crate::engine::message::JobKind;
use crate::engine::trash::Trash;

/// An undo at work.
pub struct Undo<'a> {
    pub(super) told: &'a Told,
    /// Something is done, not only told.
    pub(super) acts: bool,
    pub(super) go_on: &'a mut dyn FnMut(u64) -> bool,
    pub(super) looked_at: u64,
    pub(super) report: UndoReport,
    pub(super) to: Way,
    pub(super) from: Way,
    pub(super) back: Back<'a>,
    /// Copies whose sources are there again, to be removed once these are on their device.
    safe_later: Vec<Copy>,
    /// Files that this undo took a name from: their time of change is its own doing.
    pub(super) touched: HashSet<Identity>,
    /// How many names were, or would be, taken from a folder.
    pub(super) taken: HashMap<Identity, u64>,
    /// Source folders that never went and get entries back: they get their times back, too.
    pub(super) refilled: HashSet<usize>,
    /// Folders that were opened for removing, and their modes.
    pub(super) modes: HashMap<usize, u32>,
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
        self.tell_untold();
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

    pub(super) fn path(&self, folder: usize, name: &OsStr) -> PathBuf {
        self.told.header.spec.destination.join(self.told.below(folder)).join(name)
    }

    pub(super) fn fail(&mut self, operation: Operation, path: PathBuf, errno: Errno) {
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

    fn entry(&mut self, folder: usize, opened: &Arc<OwnedFd>, name: &OsStr, entry: &Entry) {
        if entry.kind == FileKind::Folder && entry.folder.is_none() && entry.ended.is_none() {
            self.folder_in_work(opened, name);
            return self.foreign((folder, name), opened, entry);
        }
        let Some(deed) = self.deed(folder, opened, name, entry) else {
            return self.foreign((folder, name), opened, entry);
        };
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
            return match self.old_place(folder, name, copy_side, deed.in_work) {
                OldPlace::Free => self.carry_back(opened, name, copy, &stat, &path),
                OldPlace::Source => self.safe_later.push(copy),
                OldPlace::Taken => self.report.leave(path, LeftWhy::PlaceTaken),
            };
        }
        if self.remove(opened, &copy, &path) && copy.replaced.is_none() {
            self.report.removed += 1;
        }
    }

    /// Nothing at an entry's place is known to be the job's. What it may have replaced comes
    /// back where that can be; a source that is not at its place any more is told.
    fn foreign(&mut self, (folder, source): (usize, &OsStr), opened: &OwnedFd, entry: &Entry) {
        // What an exchanged folder replaced comes back when it is closed.
        if entry.folder.is_some() {
            return;
        }
        for replaced in entry.replacing.iter().filter(|replaced| is_held(replaced)) {
            let path = self.path(folder, &replaced.name);
            match fs::stat_name(opened, &replaced.name) {
                Err(Errno::NOENT) => {
                    let _told = self.bring_back(opened, replaced, false, &path);
                }
                Ok(stat) if stat.st_ino == replaced.old => {}
                _ => {
                    let old = replaced.trash.join("files").join(&replaced.kept);
                    self.report.leave_with(path, LeftWhy::OldInTrash, Some(old));
                }
            }
        }
        let is_move = self.told.header.spec.kind == JobKind::Move;
        if is_move && entry.ended.is_none() && !self.source_is_there(folder, source) {
            let stands = fs::stat_name(opened, source).is_ok();
            let is_told = |left: &Left| left.path == self.path(folder, source);
            if stands && !self.report.left.iter().any(is_told) {
                self.report.leave(self.path(folder, source), LeftWhy::NotTold);
            }
        }
    }

    /// What may be the job's, and no record tells of.
    fn tell_untold(&mut self) {
        for untold in &self.told.untold {
            if rustix::fs::lstat(&untold.path).is_ok() {
                let (path, old) = (untold.path.clone(), untold.old.clone());
                self.report.leave_with(path, LeftWhy::OldInTrash, Some(old));
            }
        }
        let spec = &self.told.header.spec;
        if spec.kind != JobKind::Move || self.told.end.is_some() {
            return;
        }
        for source in &spec.sources {
            let (Some(origin), Some(name)) = (source.parent(), source.file_name()) else {
                continue;
            };
            let root = self.told.root(origin);
            let is_told = root.is_some_and(|root| self.told.entry(root, name).is_some());
            let path = spec.destination.join(name);
            if !is_told && rustix::fs::lstat(source).is_err() && rustix::fs::lstat(&path).is_ok() {
                self.report.leave(path, LeftWhy::NotTold);
            }
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
                self.told.began(),
            );
            let doubtful = lost::may_have_replaced(&self.told.header.spec.options);
            matches!(found, Found::Whole | Found::Short).then(|| Deed {
                how: if found == Found::Whole && doubtful { How::Replaced } else { How::Made },
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
        let since = self.told.is_after((stat.st_ctime, stat.st_ctime_nsec as i64))
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
    /// another file by now, and the copy all that is left. What was `in_work` is known by a look
    /// at both: it is its beginning, or all of it.
    fn old_place(
        &mut self,
        folder: usize,
        name: &OsStr,
        copy: heal::Side<'_>,
        in_work: bool,
    ) -> OldPlace {
        let Ok(from) = self.from.to(self.told, folder) else { return OldPlace::Free };
        let stat = match fs::stat_name(&*from, name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return OldPlace::Free,
            Err(_) => return OldPlace::Taken,
        };
        if !in_work && !heal::is_copied(heal::Side { folder: &from, name, stat: &stat }, copy) {
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
    pub(super) fn bring_back(
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

    pub(super) fn note_taken(&mut self, opened: &OwnedFd) {
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
    pub(super) fn release(&self, entry: &Entry) {
        for replaced in entry.replacing.iter().filter(|_| self.acts) {
            if let Ok(trash) = Trash::at(&replaced.trash) {
                trash.release_if_for(&replaced.kept, &replaced.name);
            }
        }
    }
}

/// Whether the trash still has a replaced file.
pub(super) fn is_held(replaced: &Replacing) -> bool {
    let trash = Trash::at(&replaced.trash);
    let held = trash.ok().and_then(|trash| trash.holds(&replaced.kept));
    held.is_some_and(|held| held.inode == replaced.old)
}
