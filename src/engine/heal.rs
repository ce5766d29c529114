//! Whether something at the destination is the job's own, and whole: asked where the journal
//! says that an entry may have been in work when the program was killed.
//!
//! A file is taken for one that the job was making only if nothing would be lost should it
//! not be: all its bytes are the source's, or were never written. Besides, it came into being
//! after the job began, where the file system tells. Times are set last, so that size and
//! time say whether it is whole.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::Stat;

use super::compare::same_contents;
use super::conflict::FileKind;
use super::fs;
use super::fs::mounts::FileSystem;
use super::journal::Facts;

/// What stands at the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Not the job's, or it cannot be told.
    Foreign,
    /// The job's copy, whole.
    Whole,
    /// As the job's copy would be, whole; who made it is not known.
    LikeWhole,
    /// The job's copy, short or without its attributes.
    Short,
}

/// One side of an entry.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The folder.
    pub folder: &'a OwnedFd,
    /// The name there.
    pub name: &'a OsStr,
    /// What it is.
    pub stat: &'a Stat,
}

/// Looks at what stands under the name of an entry that may have been in work.
pub fn judge(source: Side<'_>, existing: Side<'_>, began: (i64, i64)) -> Found {
    let kind = fs::kind(source.stat);
    if kind != fs::kind(existing.stat) || kind == FileKind::Folder {
        return Found::Foreign;
    }
    let birth = fs::birth_of_name(existing.folder, existing.name);
    if birth.is_some_and(|birth| birth < began) {
        return Found::Foreign;
    }
    let same = match kind {
        FileKind::Link => same_text(source, existing),
        FileKind::File => true,
        _ => source.stat.st_rdev == existing.stat.st_rdev,
    };
    if !same {
        return Found::Foreign;
    }
    let whole = Facts::of(source.stat).are_of(existing.stat, existing.folder);
    match (whole, birth) {
        (true, Some(_)) => Found::Whole,
        (true, None) => Found::LikeWhole,
        (false, _) if kind != FileKind::File || is_beginning(source, existing) => Found::Short,
        (false, _) => Found::Foreign,
    }
}

/// Whether what has a source's name is what a copy was made of, whole: by size and time, or
/// where times are not kept, or were set since, by contents.
pub fn is_copied(source: Side<'_>, copy: Side<'_>) -> bool {
    let kind = fs::kind(copy.stat);
    if fs::kind(source.stat) != kind || kind == FileKind::Folder {
        return false;
    }
    let is_file = kind == FileKind::File;
    if is_file && Facts::of(copy.stat).are_of(source.stat, source.folder) {
        return true;
    }
    let (ours, theirs) = ((source.folder, source.name), (copy.folder, copy.name));
    (!is_file || fs::size(source.stat) == fs::size(copy.stat))
        && same_contents(ours, theirs, (source.stat, copy.stat), || Ok(())).unwrap_or(false)
}

impl Facts {
    /// Whether this is still what was noted, as well as its file system can tell.
    pub fn are_of(&self, stat: &Stat, folder: &OwnedFd) -> bool {
        let (seconds, nanoseconds) = self.modified;
        let exactly = stat.st_mtime == seconds && stat.st_mtime_nsec as u32 == nanoseconds;
        // FAT has times of two seconds, others of one, or of a hundred nanoseconds.
        let nearly =
            || stat.st_mtime.abs_diff(seconds) <= 2 && !FileSystem::of(folder).is_plain_local();
        fs::size(stat) == self.size && (exactly || nearly())
    }
}

fn same_text(source: Side<'_>, existing: Side<'_>) -> bool {
    let ours = fs::read_link(source.folder, source.name);
    ours.is_ok() && ours == fs::read_link(existing.folder, existing.name)
}

/// Bytes that are compared at a time: what was not written reads as zeros, a block at least.
const BLOCK: usize = 4096;

/// Whether a file holds nothing but bytes of the source, or none, at each place.
fn is_beginning(source: Side<'_>, existing: Side<'_>) -> bool {
    if existing.stat.st_size > source.stat.st_size {
        return false;
    }
    let (Ok(ours), Ok(theirs)) = (
        fs::open_to_read(source.folder, source.name),
        fs::open_to_read(existing.folder, existing.name),
    ) else {
        return false;
    };
    let mut buffers = [[0; BLOCK], [0; BLOCK]];
    let mut offset = 0;
    loop {
        let [one, other] = &mut buffers;
        let Ok(read) = fs::read_fully(&theirs, other, offset) else { return false };
        if read == 0 {
            return true;
        }
        let Ok(known) = fs::read_fully(&ours, one, offset) else { return false };
        let found = &other[..read];
        let same = known >= read && one[..read] == *found;
        if !same && found.iter().any(|byte| *byte != 0) {
            return false;
        }
        offset += read as u64;
    }
}
