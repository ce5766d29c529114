//! A journal whose last records are lost: a power cut takes what was not on its device yet,
//! while what was done to the files may be.
//!
//! What the lost records told of a replaced file shows in the file itself. It lies in the
//! trash, whose information has its path; it came there after the job began, for a rename or a
//! new name changes the time of its last change; and it came into being before the job did.
//! One that was set aside has the next free name and the same marks. Both are told again here,
//! before a job is resumed or undone. An old file whose new one is in no record is reported:
//! it is not known whether this job replaced it.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::Stat;

use super::conflict::{ConflictRule, FileKind, FolderRule};
use super::fs;
use super::journal::{Aside, Entry, Journal, Record, Replacing, Side, Told, Untold, Way};
use super::message::{EntryId, KeepReplaced, Options};
use super::naming::other_name;
use super::taken::NAMES_MOST;
use super::trash::Trash;

/// Finds again what the lost end of a journal told of replaced files, and tells the journal
/// if there is one to be told. A job that came to its end has lost nothing.
pub fn recall(told: &mut Told, home: &Path, journal: Option<&Journal>) {
    if told.end.is_some() {
        return;
    }
    // Without a record of it something of the same step of the clock may be older, too.
    let is_told = told.destination.as_ref().is_some_and(|known| known.since.is_some());
    let at = told.began();
    let began = Began { at, old_until: if is_told { at } else { after(at, CLOCK_STEP) } };
    let mut trashes = Trashes { home, began, known: known(told), by_device: HashMap::new() };
    let mut way = Way::new(Side::Destination);
    for folder in 0..told.folders.len() {
        let Ok(opened) = way.to(told, folder) else { continue };
        let Ok(path) = fs::path_of(&opened) else { continue };
        let mut entries = std::mem::take(&mut told.folders[folder].entries);
        for (name, entry) in entries.iter_mut().filter(|(_, entry)| entry.ended.is_none()) {
            let id = told.id(entry);
            let before = (entry.replacing.len(), entry.asides.len());
            trashes.replaced(&opened, &path, name, entry, id);
            if may_set_aside(&told.header.spec.options) {
                set_aside(&opened, name, entry, id, began);
            }
            if let (Some(journal), Some(_)) = (journal, id) {
                let replaced = entry.replacing[before.0..].iter().cloned().map(Record::Replacing);
                let aside = entry.asides[before.1..].iter().cloned().map(Record::Aside);
                journal.append(&replaced.chain(aside).collect::<Vec<_>>());
            }
        }
        told.folders[folder].entries = entries;
    }
    // A folder's own entries may be in no record at all.
    if let Ok(destination) = fs::open_folder_path(&told.header.spec.destination) {
        trashes.rest(&destination, told);
    }
}

/// The longest step of the clock that files are dated by, in nanoseconds: a hundred a second.
const CLOCK_STEP: i64 = 10_000_000;

fn after((seconds, nanoseconds): (i64, i64), more: i64) -> (i64, i64) {
    let sum = nanoseconds + more;
    (seconds + sum / 1_000_000_000, sum % 1_000_000_000)
}

/// When a job began.
#[derive(Clone, Copy)]
struct Began {
    at: (i64, i64),
    /// What came into being before that time may be older.
    old_until: (i64, i64),
}

impl Began {
    /// Whether something that came into being at this time, if it is known, may be older.
    fn is_after(self, birth: Option<(i64, i64)>) -> bool {
        birth.is_none_or(|birth| birth < self.old_until)
    }

    /// Whether something was changed since, in any way.
    fn is_before(self, stat: &Stat) -> bool {
        changed(stat) >= self.at
    }
}

/// What the journal tells of, by its place in a trash.
fn known(told: &Told) -> HashSet<(PathBuf, OsString)> {
    let entries = told.folders.iter().flat_map(|folder| folder.entries.values());
    let all = entries.flat_map(|entry| &entry.replacing);
    all.map(|known| (known.trash.clone(), known.kept.clone())).collect()
}

/// Something in a trash that came there after the job began, and is older.
#[derive(Clone)]
struct Old {
    kept: OsString,
    stat: Stat,
}

/// What a device's trash got since the job began.
struct Got {
    trash: Trash,
    /// By the paths where they lay.
    by_path: HashMap<PathBuf, Vec<Old>>,
    /// Those whose information is lost as well.
    unnamed: Vec<Old>,
}

struct Trashes<'a> {
    home: &'a Path,
    began: Began,
    known: HashSet<(PathBuf, OsString)>,
    by_device: HashMap<u64, Option<Got>>,
}

impl Trashes<'_> {
    fn of(&mut self, folder: &OwnedFd) -> Option<&mut Got> {
        let device = fs::stat(folder).ok()?.st_dev;
        if !self.by_device.contains_key(&device) {
            let got = Trash::there(folder, self.home).ok().map(|trash| self.look(trash));
            let _none = self.by_device.insert(device, got);
        }
        self.by_device.get_mut(&device)?.as_mut()
    }

    fn look(&self, trash: Trash) -> Got {
        let mut got = Got { trash, by_path: HashMap::new(), unnamed: Vec::new() };
        for kept in got.trash.names().unwrap_or_default() {
            let Some(stat) = got.trash.stat(&kept) else { continue };
            let is_older = self.began.is_after(got.trash.birth(&kept));
            let is_told = self.known.contains(&(got.trash.path.clone(), kept.clone()));
            if !is_older || is_told || !self.began.is_before(&stat) {
                continue;
            }
            match got.trash.original(&kept) {
                Some(path) => got.by_path.entry(path).or_default().push(Old { kept, stat }),
                None => got.unnamed.push(Old { kept, stat }),
            }
        }
        got
    }

    /// What an entry has replaced, by any name that it may have.
    fn replaced(
        &mut self,
        folder: &OwnedFd,
        path: &Path,
        name: &OsStr,
        entry: &mut Entry,
        id: Option<EntryId>,
    ) {
        let names: Vec<OsString> = std::iter::once(name.to_os_string())
            .chain(entry.names.iter().cloned())
            .chain(entry.replacing.iter().map(|begun| begun.name.clone()))
            .collect();
        for name in names {
            let told = |known: &Replacing| known.name == name && !known.kept.is_empty();
            if entry.replacing.iter().any(told) {
                continue;
            }
            let Some(got) = self.of(folder) else { return };
            let Some(old) = got.take(&path.join(&name)) else { continue };
            entry.replacing.push(Replacing {
                entry: id.unwrap_or(EntryId(0)),
                old: old.stat.st_ino,
                name,
                temporary: OsString::new(),
                trash: got.trash.path.clone(),
                kept: old.kept,
            });
        }
    }

    /// What lay in the destination, and whose place was taken by something that no record
    /// tells of.
    fn rest(&mut self, destination: &OwnedFd, told: &mut Told) {
        let began = self.began;
        let Ok(root) = fs::path_of(destination) else { return };
        let _looked = self.of(destination).is_some();
        for got in self.by_device.values().flatten() {
            let files = got.trash.path.join("files");
            for (path, olds) in &got.by_path {
                let Ok(below) = path.strip_prefix(&root) else { continue };
                if is_new(path, began) {
                    let path = told.header.spec.destination.join(below);
                    told.untold.extend(
                        olds.iter()
                            .map(|old| Untold { path: path.clone(), old: files.join(&old.kept) }),
                    );
                }
            }
        }
    }
}

impl Got {
    /// The first that came from a path: the later ones were the user's to throw away.
    fn take(&mut self, path: &Path) -> Option<Old> {
        if let Some(olds) = self.by_path.get_mut(path) {
            let first = (0..olds.len()).min_by_key(|at| changed(&olds[*at].stat))?;
            let old = olds.remove(first);
            if olds.is_empty() {
                let _empty = self.by_path.remove(path);
            }
            return Some(old);
        }
        let name = path.file_name()?;
        let at = self.unnamed.iter().position(|old| is_numbered(&old.kept, name))?;
        Some(self.unnamed.swap_remove(at))
    }
}

/// Whether a name in a trash is this one, or this one with a number.
fn is_numbered(kept: &OsStr, name: &OsStr) -> bool {
    kept.as_bytes().strip_prefix(name.as_bytes()).is_some_and(|tail| {
        tail.is_empty()
            || tail
                .strip_prefix(b".")
                .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
    })
}

fn changed(stat: &Stat) -> (i64, i64) {
    (stat.st_ctime, stat.st_ctime_nsec as i64)
}

/// Whether what stands at a path came there, or into being, after the job began.
fn is_new(path: &Path, began: Began) -> bool {
    rustix::fs::lstat(path).is_ok_and(|stat| began.is_before(&stat))
}

/// Whether a whole copy that no record tells the end of may have taken the place of something
/// that is kept nowhere.
pub fn may_have_replaced(options: &Options) -> bool {
    let replaces = matches!(
        options.conflict,
        ConflictRule::Ask
            | ConflictRule::Replace
            | ConflictRule::Newer
            | ConflictRule::Different
            | ConflictRule::SizeOrTime
    );
    replaces && matches!(options.keep_replaced, KeepReplaced::No | KeepReplaced::Job)
}

/// Whether a job may have given what is there another name; an answer may have said so.
fn may_set_aside(options: &Options) -> bool {
    matches!(options.conflict, ConflictRule::KeepExisting | ConflictRule::Ask)
        || matches!(options.folder_conflict, FolderRule::KeepExisting | FolderRule::Ask)
}

/// What was set aside for an entry: older than the job, renamed since it began, to the last of
/// the names that are taken one after another.
fn set_aside(folder: &OwnedFd, name: &OsStr, entry: &mut Entry, id: Option<EntryId>, began: Began) {
    let look = |name: &OsStr| fs::stat_name(folder, name).ok();
    let stands = look(name).is_some_and(|stat| !began.is_before(&stat));
    if stands || !entry.asides.is_empty() {
        return;
    }
    let found = [FileKind::File, FileKind::Folder].into_iter().find_map(|kind| {
        let names = (2..NAMES_MOST).map(|number| other_name(name, kind, number));
        let taken = names.map_while(|other| look(&other).map(|stat| (other, stat)));
        taken
            .filter(|(_, stat)| (fs::kind(stat) == FileKind::Folder) == (kind == FileKind::Folder))
            .filter(|(_, stat)| began.is_before(stat))
            .filter(|(other, _)| began.is_after(fs::birth_of_name(folder, other)))
            .last()
    });
    if let Some((new_name, stat)) = found {
        let name = name.to_os_string();
        let entry_id = id.unwrap_or(EntryId(0));
        entry.asides.push(Aside { entry: entry_id, old: stat.st_ino, name, new_name });
    }
}
