//! What a killed job left in the middle: brought to one end or the other, before the job is
//! resumed or undone.
//!
//! Temporary files, known by the job's own mark in their names, are removed. A replaced file
//! that was on its way to the trash arrives there, or the place taken for it is given up:
//! its inode says how far it came. A folder that was made to be exchanged is known by its
//! record, or is empty and goes; what it was exchanged for stays under no temporary name.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::Stat;
use rustix::io::{Errno, Result};

use super::conflict::FileKind;
use super::copy::publish::temporary_mark;
use super::exchange::renamed_free;
use super::fs;
use super::heal::{self, Found};
use super::journal::{
    Aside, Ended, Entry, Facts, How, Journal, Record, Replacing, Side, Told, ToldFolder as Folder,
    Untold, Way,
};
use super::message::{EntryId, JobKind};
use super::naming::{NAME_MAX, cut};
use super::plan::EntryState;
use super::scan::LISTING;
use super::trash::Trash;

/// Brings to an end what was in the middle. Whatever cannot be opened is left: the job that
/// goes on there says why.
pub fn tidy(told: &mut Told, journal: &Journal) {
    let mark = temporary_mark(told.header.tag);
    let mut way = Way::new(Side::Destination);
    let mut sources = Way::new(Side::Source);
    let mut swept = false;
    // A folder comes after the one that it lies in, which has its last name by then.
    for folder in 0..told.folders.len() {
        let Ok(opened) = way.to(told, folder) else { continue };
        let source = sources.to(told, folder).ok();
        let source = source.as_deref();
        let mut entries = std::mem::take(&mut told.folders[folder].entries);
        let tidy = Tidy {
            folder: &opened,
            mark: &mark,
            journal,
            began: told.began(),
            moves: told.header.spec.kind == JobKind::Move,
        };
        for (path, old) in tidy.rescue(&mut entries, source, |entry| told.id(entry)) {
            let at = told.header.spec.destination.join(told.below(folder));
            told.untold.push(Untold { path: at.join(path), old: at.join(old) });
        }
        for (name, entry) in entries.iter_mut().filter(|(_, entry)| entry.ended.is_none()) {
            tidy.replaced(entry, told.id(entry));
            match entry.folder {
                Some(folder) => {
                    if let Some(name) = tidy.last_name(entry, &told.folders[folder]) {
                        told.folders[folder].name = name;
                    }
                }
                None if tidy.moves && source.is_none_or(|at| fs::stat_name(at, name).is_err()) => {
                    tidy.moved_at_last(source, name, entry);
                }
                None => {
                    tidy.remove_just_made(entry, |name| told.is_being_filled(&opened, name));
                }
            }
        }
        told.folders[folder].entries = entries;
        let is_root = told.folders[folder].parent.is_none();
        // The destination is the same folder for every origin.
        if !(is_root && std::mem::replace(&mut swept, true)) {
            // What is left of a temporary file is found again the next time.
            let _swept_or_not = sweep(&opened, &mark);
        }
    }
    // The list of checksums, which may lie anywhere.
    let list = told.header.spec.checksums.as_deref().and_then(Path::parent);
    if let Some(folder) = list.and_then(|folder| fs::open_folder_path(folder).ok()) {
        let _swept_or_not = sweep(&folder, &mark);
    }
}

/// A folder of the destination that is tidied.
struct Tidy<'a> {
    folder: &'a OwnedFd,
    mark: &'a str,
    journal: &'a Journal,
    began: (i64, i64),
    moves: bool,
}

impl Tidy<'_> {
    fn look(&self, name: &OsStr) -> Option<Stat> {
        fs::stat_name(self.folder, name).ok()
    }

    /// What has one of the job's temporary names and is not its own gets a name that the user
    /// can find: it had changed places with what replaces it, and the record of that is lost.
    /// Gives the names that were replaced, and the new ones of what had them, where no entry
    /// knows of it.
    fn rescue(
        &self,
        entries: &mut HashMap<OsString, Entry>,
        source: Option<&OwnedFd>,
        id: impl Fn(&Entry) -> Option<EntryId>,
    ) -> Vec<(OsString, OsString)> {
        let mut untold = Vec::new();
        for temporary in temporaries(self.folder, self.mark).unwrap_or_default() {
            let is_told = |entry: &Entry| {
                entry.names.contains(&temporary)
                    || entry.replacing.iter().any(|known| known.temporary == temporary)
            };
            let Some(stat) = self.look(&temporary) else { continue };
            if entries.values().any(is_told) || (self.moves && fs::kind(&stat) == FileKind::Folder)
            {
                continue;
            }
            let stem = stem(&temporary, self.mark).to_os_string();
            let known = entries.keys().find(|name| is_cut_to(name, &stem, &temporary)).cloned();
            let name = known.clone().unwrap_or(stem);
            if self.is_own(&temporary, &stat, source.zip(known.as_deref())) {
                continue;
            }
            let mut entry = known.as_ref().and_then(|name| entries.get_mut(name));
            let entry_id = entry.as_deref().and_then(&id);
            let aside = |new_name: &OsStr| Aside {
                entry: entry_id.unwrap_or(EntryId(0)),
                old: stat.st_ino,
                name: name.clone(),
                new_name: new_name.to_os_string(),
            };
            let tell = |free: &OsStr| {
                if entry_id.is_some() {
                    self.journal.append(&[Record::Aside(aside(free))]);
                }
            };
            let Ok(free) = renamed_free(self.folder, &temporary, &name, tell) else { continue };
            match &mut entry {
                Some(entry) => entry.asides.push(aside(&free)),
                None => untold.push((name, free)),
            }
        }
        untold
    }

    /// Whether what has a temporary name was being made by the job: it came into being since
    /// the job began, or holds nothing but what is to be copied.
    fn is_own(&self, temporary: &OsStr, stat: &Stat, of: Option<(&OwnedFd, &OsStr)>) -> bool {
        if let Some(birth) = fs::birth_of_name(self.folder, temporary) {
            return birth >= self.began;
        }
        let copy = heal::Side { folder: self.folder, name: temporary, stat };
        let judge = |(folder, name): (&OwnedFd, &OsStr)| {
            let stat = fs::stat_name(folder, name).ok()?;
            Some(heal::judge(heal::Side { folder, name, stat: &stat }, copy, self.began))
        };
        of.and_then(judge).is_some_and(|found| found != Found::Foreign)
    }

    /// Something there that no entry is to replace.
    fn look_new(&self, entry: &Entry, name: &OsStr) -> Option<Stat> {
        let is_old = |stat: &Stat| entry.replacing.iter().any(|known| known.old == stat.st_ino);
        self.look(name).filter(|stat| !is_old(stat))
    }

    /// Ends the replacing, and the setting aside, of what an entry takes the place of.
    fn replaced(&self, entry: &mut Entry, id: Option<EntryId>) {
        entry.replacing.retain(|replacing| settle(self.folder, replacing));
        for begun in entry.replacing.iter().filter(|known| known.trash.as_os_str().is_empty()) {
            let holds_old = |stat: Stat| stat.st_ino == begun.old;
            if !self.look(&begun.temporary).is_some_and(holds_old) {
                continue;
            }
            // It had changed places with the new one, and no trash takes it.
            let aside = |new_name: &OsStr| Aside {
                entry: id.unwrap_or(EntryId(0)),
                old: begun.old,
                name: begun.name.clone(),
                new_name: new_name.to_os_string(),
            };
            let tell = |free: &OsStr| {
                if id.is_some() {
                    self.journal.append(&[Record::Aside(aside(free))]);
                }
            };
            if let Ok(free) = renamed_free(self.folder, &begun.temporary, &begun.name, tell) {
                entry.asides.push(aside(&free));
            }
        }
        entry.asides.retain(|aside| settle_aside(self.folder, aside));
    }

    /// The name that a folder which was made under a temporary one has got by now; or that one,
    /// where it was about to go on under it again.
    fn last_name(&self, entry: &Entry, folder: &Folder) -> Option<OsString> {
        let known = &folder.name;
        if self.look(known).is_some() {
            return None;
        }
        let exchanged = entry.replacing.iter().filter(|begun| begun.temporary == *known);
        let names = exchanged.map(|begun| &begun.name).chain(entry.names.iter().rev());
        let again = entry.replacing.iter().map(|begun| &begun.temporary);
        let mut names: Box<dyn Iterator<Item = &OsString>> =
            if is_temporary(known, self.mark) { Box::new(names) } else { Box::new(again) };
        let is_it = |name: &&OsString| {
            let birth = fs::birth_of_name(self.folder, name);
            let is_still =
                || fs::open_folder(self.folder, name).is_ok_and(|opened| folder.is_still(&opened));
            self.look_new(entry, name).is_some_and(|stat| fs::kind(&stat) == FileKind::Folder)
                && is_still()
                && birth.is_none_or(|birth| birth >= self.began)
        };
        names.find(is_it).cloned()
    }

    /// Removes the folder that was made for an entry, and that the journal does not know of
    /// yet: it is empty, and nobody but the user may look into it.
    fn remove_just_made(&self, entry: &Entry, as_made: impl Fn(&OsStr) -> bool) {
        let temporary = entry.replacing.iter().map(|begun| &begun.temporary);
        for name in temporary.chain(&entry.names).filter(|name| !name.is_empty()) {
            let birth = fs::birth_of_name(self.folder, name);
            let ours =
                is_temporary(name, self.mark) || birth.is_some_and(|birth| birth >= self.began);
            if ours && self.look_new(entry, name).is_some() && as_made(name) {
                // One that holds something is somebody's.
                let _removed_or_not = fs::remove_folder(self.folder, name);
            }
        }
    }

    /// A source that was renamed when the program was killed: it is at the destination and
    /// not at its place, and older than the job, though its name there is not.
    fn moved_at_last(&self, source: Option<&OwnedFd>, name: &OsStr, entry: &mut Entry) {
        let all = entry.names.iter().rev().map(OsString::as_os_str).chain([name]);
        for new_name in all {
            let Some(stat) = self.look_new(entry, new_name) else { continue };
            // A folder on its way to the place of another one: it goes the whole way another
            // time.
            if let Some(source) = source.filter(|_| is_temporary(new_name, self.mark)) {
                let _back_or_not = fs::rename_new(self.folder, new_name, source, name);
                return;
            }
            let renamed = (stat.st_ctime, stat.st_ctime_nsec as i64) >= self.began;
            let birth = fs::birth_of_name(self.folder, new_name);
            let is_older = birth.is_some_and(|birth| birth < self.began);
            let same_kind =
                (fs::kind(&stat) == FileKind::Folder) == (entry.kind == FileKind::Folder);
            // A folder that got entries since is more likely the user's, into which the source's
            // were merged: the records of that may be lost.
            let is_merged = fs::kind(&stat) == FileKind::Folder
                && (stat.st_mtime, stat.st_mtime_nsec as i64) >= self.began;
            if renamed && is_older && same_kind && !is_merged {
                entry.ended = Some(Ended {
                    entry: EntryId(0),
                    state: EntryState::Done,
                    how: How::Moved,
                    kind: fs::kind(&stat),
                    facts: Facts { inode: stat.st_ino, ..Facts::of(&stat) },
                    name: (new_name != name).then(|| new_name.to_os_string()),
                });
                return;
            }
        }
    }
}

/// Ends the replacing of a file or folder; whether it was replaced and is kept, or has its
/// place still.
fn settle(folder: &OwnedFd, replacing: &Replacing) -> bool {
    let Replacing { old, name, temporary, trash, kept, .. } = replacing;
    // A folder that was begun to be exchanged and is not whole.
    if trash.as_os_str().is_empty() {
        return true;
    }
    let Ok(trash) = Trash::again_at(trash) else { return false };
    let inode_of = |name: &OsStr| fs::stat_name(folder, name).ok().map(|stat| stat.st_ino);
    if !temporary.is_empty() && inode_of(temporary) == Some(*old) {
        // It had changed places with the new one.
        return trash.put(folder, temporary, kept).is_ok();
    }
    let arrived = trash.holds(kept).is_some_and(|held| held.inode == *old);
    if arrived && inode_of(name) != Some(*old) {
        return true;
    }
    if arrived {
        // A second name of what is still in its place.
        let _removed_or_not = trash.remove(kept);
    } else {
        trash.release_if_for(kept, name);
    }
    // It is in its place still or again, and must not be taken for the job's own.
    inode_of(name) == Some(*old)
}

/// Ends the setting aside of something; whether it has its other name, or its own.
fn settle_aside(folder: &OwnedFd, aside: &Aside) -> bool {
    let Aside { old, name, new_name, .. } = aside;
    let look = |name: &OsStr| fs::stat_name(folder, name).ok();
    match (look(name), look(new_name)) {
        // It had got its second name alone.
        (Some(stat), Some(other)) if stat.st_ino == *old && other.st_ino == *old => {
            let _removed_or_not = fs::remove_if(folder, new_name, fs::identity(&other));
            true
        }
        (None, Some(other)) if other.st_ino == *old => {
            let _back_or_not = fs::rename_new(folder, new_name, folder, name);
            true
        }
        (_, Some(other)) if other.st_ino == *old => true,
        // In its place still or again, it must not be taken for the job's own.
        (Some(stat), _) => stat.st_ino == *old,
        _ => false,
    }
}

/// The names in a folder that are the job's temporary ones.
fn temporaries(folder: &OwnedFd, mark: &str) -> Result<Vec<OsString>> {
    let mut buffer = vec![MaybeUninit::uninit(); LISTING];
    let mut found: Vec<OsString> = Vec::new();
    // A descriptor of its own: reading a folder moves its place.
    let listed = fs::open_folder(folder, OsStr::new("."))?;
    fs::list(&listed, &mut buffer, |listed| {
        if is_temporary(listed.name, mark) {
            found.push(listed.name.to_os_string());
        }
        Ok(())
    })?;
    Ok(found)
}

/// Removes the job's temporary files from a folder.
fn sweep(folder: &OwnedFd, mark: &str) -> Result<()> {
    temporaries(folder, mark)?.iter().try_for_each(|name| match fs::remove(folder, name) {
        // A folder is known by the journal.
        Err(Errno::ISDIR | Errno::PERM) => Ok(()),
        result => result,
    })
}

/// The name that a temporary one was made of, cut or not.
fn stem<'a>(temporary: &'a OsStr, mark: &str) -> &'a OsStr {
    let bytes = temporary.as_bytes();
    let end = bytes.windows(mark.len()).rposition(|part| part == mark.as_bytes());
    OsStr::from_bytes(bytes.get(1..end.unwrap_or(bytes.len())).unwrap_or_default())
}

/// Whether a temporary name was made of this one.
fn is_cut_to(name: &OsStr, stem: &OsStr, temporary: &OsStr) -> bool {
    let rest = temporary.len() - stem.len();
    cut(name.as_bytes(), NAME_MAX - rest) == stem.as_bytes()
}

fn is_temporary(name: &OsStr, mark: &str) -> bool {
    let bytes = name.as_bytes();
    let number = bytes.iter().rposition(|byte| *byte == b'-').map_or(0, |dash| dash + 1);
    let digits = &bytes[number..];
    bytes.starts_with(b".")
        && bytes[..number].ends_with(mark.as_bytes())
        && !digits.is_empty()
        && digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_jobs_own_temporary_names_are_known() {
        let mark = temporary_mark(0x1f);
        let is = |name: &str| is_temporary(OsStr::new(name), &mark);
        assert_eq!(stem(OsStr::new(".a b.ferry-000000000000001f-0"), &mark), "a b");
        assert!(is(".a.ferry-000000000000001f-0") && is("..ferry-000000000000001f-a3"));
        for name in [
            "a.ferry-000000000000001f-0",
            ".a.ferry-000000000000001e-0",
            ".a.ferry-000000000000001f-",
            ".a.ferry-000000000000001f-0.txt",
            ".a.ferry-12-0",
        ] {
            assert!(!is(name), "{name}");
        }
    }
}
