//! The folders of an undo: those that the job made go when they are empty, those that it
//! emptied get their attributes back, and what was set aside in them its name.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::LeftWhy;
use super::run::{Undo, is_held};
use crate::engine::error::Operation;
use crate::engine::fs;
use crate::engine::journal::Aside;
use crate::engine::message::JobKind;
use crate::engine::scan::{FILLED, LISTING};

impl Undo<'_> {
    /// A folder that the job made may be closed to its owner.
    pub(super) fn let_in(&mut self, folder: usize, opened: &OwnedFd) {
        const OWN: u32 = 0o700;
        if let Ok(stat) = fs::stat(opened)
            && fs::mode(&stat) & OWN != OWN
            && fs::set_mode(opened, fs::mode(&stat) | OWN).is_ok()
        {
            let _none = self.modes.insert(folder, fs::mode(&stat));
        }
    }

    /// A folder that may just have been made when the program was killed: it is empty then.
    pub(super) fn folder_in_work(&mut self, opened: &OwnedFd, name: &OsStr) {
        let birth = fs::birth_of_name(opened, name);
        let since = birth.is_some_and(|birth| birth >= self.told.began());
        if !since || !self.told.is_being_filled(opened, name) {
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

    /// Whether a source's folder was made again by an undo that did not come to its end: it is
    /// as it was made, and younger than the job.
    fn is_half_made(&mut self, folder: usize) -> bool {
        let told = self.told;
        let Some((parent, name)) = &told.folders[folder].parent else { return false };
        let Ok(above) = self.from.to(told, *parent) else { return false };
        let birth = fs::birth_of_name(&*above, name);
        let marked = |stat: Stat| fs::mode(&stat) & !0o2000 == FILLED;
        self.acts
            && told.header.spec.kind == JobKind::Move
            && birth.is_some_and(|(seconds, _)| seconds >= told.ended_at())
            && fs::stat_name(&*above, name).is_ok_and(marked)
    }

    /// Gives a source folder that was made again its attributes, and removes the folder at
    /// the destination if the job made it and it is empty.
    pub(super) fn close(&mut self, folder: usize) {
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
            // A merged one has the mode of what was there; that of its source is told.
            let mode = known.mode.or_else(|| self.modes.get(&folder).copied());
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
        let replaced = told.exchanged_for(folder).filter(|replaced| is_held(replaced));
        let old = replaced.map(|replaced| replaced.trash.join("files").join(&replaced.kept));
        if fs::open_folder(&*above, &known.name).is_ok_and(|found| !known.is_still(&found)) {
            // The user's own, by now: the old one cannot come back to its place.
            if old.is_some() {
                let path = self.path(folder, OsStr::new(""));
                self.report.leave_with(path, LeftWhy::PlaceTaken, old);
            }
            return;
        }
        let removed = match self.acts {
            true => fs::remove_folder(&*above, &known.name),
            false => self.would_be_empty(folder),
        };
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
                if !told || old.is_some() {
                    self.report.leave_with(path, LeftWhy::NotEmpty, old);
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
    pub(super) fn restore(&mut self, folder: usize) {
        let told = self.told;
        let entries = || told.folders[folder].entries.values().filter(|e| !e.asides.is_empty());
        if entries().next().is_none() {
            return;
        }
        let Ok(opened) = self.to.to(told, folder) else { return };
        let is_at = |name: &OsStr, inode: u64| {
            fs::stat_name(&*opened, name).is_ok_and(|stat| stat.st_ino == inode)
        };
        for entry in entries() {
            // The names that were taken in the last moment are told as well.
            let there = entry.asides.iter().rev().find(|aside| is_at(&aside.new_name, aside.old));
            match (there, entry.asides.last()) {
                (Some(aside), _) => self.restore_one(folder, &opened, aside),
                (None, Some(aside)) if !is_at(&aside.name, aside.old) => {
                    let path = self.path(folder, &aside.new_name);
                    self.report.leave(path, LeftWhy::AsideGone);
                }
                _ => {}
            }
        }
    }

    fn restore_one(&mut self, folder: usize, opened: &OwnedFd, aside: &Aside) {
        let path = self.path(folder, &aside.name);
        if self.report.left.iter().any(|left| left.path == path) {
            return;
        }
        let renamed = match self.acts {
            true => fs::rename_new(opened, &aside.new_name, opened, &aside.name),
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
    pub(super) fn remove_destination(&mut self) {
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
