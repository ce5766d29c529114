//! What a killed job left in the middle: brought to one end or the other, before the job is
//! resumed or undone.
//!
//! Temporary files, known by the job's own mark in their names, are removed. A replaced file
//! that was on its way to the trash arrives there, or the place taken for it is given up:
//! its inode says how far it came.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::{Errno, Result};

use super::conflict::FileKind;
use super::copy::publish::temporary_mark;
use super::fs;
use super::journal::{Aside, Ended, Entry, Facts, How, Replacing, Side, Told, Way};
use super::message::{EntryId, JobKind};
use super::plan::EntryState;
use super::scan::LISTING;
use super::trash::Trash;

/// Brings to an end what was in the middle. Whatever cannot be opened is left: the job that
/// goes on there says why.
pub fn tidy(told: &mut Told) {
    let mark = temporary_mark(told.header.tag);
    let mut way = Way::new(Side::Destination);
    let mut sources = Way::new(Side::Source);
    let mut swept = false;
    // Folders that had taken the places of others: they have their last names.
    let mut arrived: Vec<(usize, OsString)> = Vec::new();
    for folder in 0..told.folders.len() {
        let Ok(opened) = way.to(told, folder) else { continue };
        let source = sources.to(told, folder).ok();
        let (kind, began) = (told.header.spec.kind, told.header.began);
        for (name, entry) in &mut told.folders[folder].entries {
            if entry.ended.is_some() {
                continue;
            }
            entry.replacing.retain(|replacing| {
                let stays = settle(&opened, replacing);
                if stays && is_in_place(&opened, replacing) {
                    arrived.extend(entry.folder.map(|folder| (folder, replacing.name.clone())));
                }
                stays
            });
            entry.asides.retain(|aside| settle_aside(&opened, aside));
            if kind == JobKind::Move {
                moved_at_last(&opened, source.as_deref(), name, entry, (began, &mark));
            }
        }
        let is_root = told.folders[folder].parent.is_none();
        // The destination is the same folder for every origin.
        if !(is_root && std::mem::replace(&mut swept, true)) {
            // What is left of a temporary file is found again the next time.
            let _swept_or_not = sweep(&opened, &mark);
        }
    }
    for (folder, name) in arrived {
        told.folders[folder].name = name;
    }
    // The list of checksums, which may lie anywhere.
    let list = told.header.spec.checksums.as_deref().and_then(Path::parent);
    if let Some(folder) = list.and_then(|folder| fs::open_folder_path(folder).ok()) {
        let _swept_or_not = sweep(&folder, &mark);
    }
}

/// Whether the old one has left its place, so that the new one has it.
fn is_in_place(folder: &OwnedFd, replacing: &Replacing) -> bool {
    !replacing.trash.as_os_str().is_empty()
        && fs::stat_name(folder, &replacing.name).is_ok_and(|stat| stat.st_ino != replacing.old)
}

/// Ends the replacing of a file or folder; whether it was replaced and is kept, or is still to
/// be replaced.
fn settle(folder: &OwnedFd, replacing: &Replacing) -> bool {
    let Replacing { old, name, temporary, trash, kept, .. } = replacing;
    // A folder that was begun to be exchanged and is not whole.
    if trash.as_os_str().is_empty() {
        return true;
    }
    let Ok(trash) = Trash::at(trash) else { return false };
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
    false
}

/// Ends the setting aside of something; whether it has its other name.
fn settle_aside(folder: &OwnedFd, aside: &Aside) -> bool {
    let Aside { old, name, new_name, .. } = aside;
    let look = |name: &OsStr| fs::stat_name(folder, name).ok();
    match (look(name), look(new_name)) {
        // It had got its second name alone.
        (Some(stat), Some(other)) if stat.st_ino == *old && other.st_ino == *old => {
            let _removed_or_not = fs::remove_if(folder, new_name, fs::identity(&other));
            false
        }
        (None, Some(other)) if other.st_ino == *old => {
            fs::rename_new(folder, new_name, folder, name).is_err()
        }
        (_, Some(other)) => other.st_ino == *old,
        _ => false,
    }
}

/// A source that was renamed when the program was killed: it is at the destination and not
/// at its place, and older than the job, though its name there is not.
fn moved_at_last(
    folder: &OwnedFd,
    source: Option<&OwnedFd>,
    name: &OsStr,
    entry: &mut Entry,
    (began, mark): ((i64, i64), &str),
) {
    let is_there = |source: &OwnedFd| fs::stat_name(source, name).is_ok();
    if entry.folder.is_some() || source.is_some_and(is_there) {
        return;
    }
    let other = entry.names.last();
    let new_name = other.map_or(name, OsString::as_os_str);
    let Ok(stat) = fs::stat_name(folder, new_name) else { return };
    // A folder on its way to the place of another one: it goes the whole way another time.
    if let Some(source) = source.filter(|_| is_temporary(new_name, mark)) {
        let _back_or_not = fs::rename_new(folder, new_name, source, name);
        return;
    }
    let renamed = (stat.st_ctime, stat.st_ctime_nsec as i64) >= began;
    let is_older = fs::birth_of_name(folder, new_name).is_some_and(|birth| birth < began);
    let same_kind = (fs::kind(&stat) == FileKind::Folder) == (entry.kind == FileKind::Folder);
    if renamed && is_older && same_kind {
        entry.ended = Some(Ended {
            entry: EntryId(0),
            state: EntryState::Done,
            how: How::Moved,
            kind: fs::kind(&stat),
            facts: Facts { inode: stat.st_ino, ..Facts::of(&stat) },
            name: other.cloned(),
        });
    }
}

/// Removes the job's temporary files from a folder.
fn sweep(folder: &OwnedFd, mark: &str) -> Result<()> {
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
    found.iter().try_for_each(|name| match fs::remove(folder, name) {
        // A folder is known by the journal.
        Err(Errno::ISDIR | Errno::PERM) => Ok(()),
        result => result,
    })
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
