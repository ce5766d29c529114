//! One regular file: open, look, create, data, attributes, times, name.
//!
//! Nine system calls for a small file without extended attributes: `openat`, `fstat`,
//! `flistxattr`, `openat`, the data, `fstat` (did it change?), `utimensat`, and the closing
//! of both.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::Stat;

use super::attributes::{self, Xattrs};
use super::part::Part;
use super::publish::Unfinished;
use super::read_back::{Reading, Room, read_back};
use super::transfer::{self, Means, Reached, Transferred};
use super::{At, Lost, Place, Trouble, failed};
use crate::engine::conflict::FileKind;
use crate::engine::error::{ErrorKind, Operation};
use crate::engine::fs;

/// A source that was opened and looked at.
pub struct Source {
    /// Open for reading.
    pub file: OwnedFd,
    /// As it was when it was opened.
    pub stat: Stat,
}

/// Opens a source and looks at it.
///
/// # Errors
/// [`Trouble::OtherKind`] when it is not a regular file.
pub fn open(folder: &OwnedFd, name: &OsStr) -> Result<Source, Trouble> {
    use rustix::io::Errno;
    let file = fs::open_to_read(folder, name).map_err(|errno| match errno {
        // A link, a socket or a device without a driver was put there.
        Errno::LOOP | Errno::NXIO | Errno::NODEV => Trouble::OtherKind,
        errno => failed(Operation::Open, At::Source)(errno),
    })?;
    let stat = fs::stat(&file).map_err(failed(Operation::Inspect, At::Source))?;
    if fs::kind(&stat) != FileKind::File {
        return Err(Trouble::OtherKind);
    }
    Ok(Source { file, stat })
}

/// What became of a file that was copied.
pub struct Copied {
    /// Its data.
    pub data: Transferred,
    /// What of its attributes was lost.
    pub lost: Lost,
    /// The source is not what it was when it was opened.
    pub changed: bool,
    /// The copy as it was when it got its name, where that was asked for.
    pub made: Option<Stat>,
    /// It was read back and is right, and whether from the device: where it replaced a file.
    pub verified: Option<bool>,
}

/// Copies an opened source. Nothing is left when it fails; when its job lets go of its devices,
/// the part that is copied is.
///
/// # Errors
/// See [`Trouble`]; bytes counted for a failed file are the caller's to take back.
pub fn copy(
    place: &Place<'_>,
    source: &Source,
    means: &mut Means<'_>,
    look: bool,
) -> Result<Copied, Trouble> {
    let xattrs = Xattrs::of(place, &source.file)?;
    let mode = attributes::first_mode(&source.stat, place, &xattrs);
    let (made, mut reached) = begin(place, source, mode, means)?;
    let filled = fill(place, source, &made.file, &mut reached, means, (&xattrs, mode), look);
    match filled {
        Ok(copied) => {
            made.publish(place)?;
            Ok(copied)
        }
        Err(Trouble::LetGo) => {
            let counted = means.counters.in_work();
            let part = made.keep(place, &source.stat, reached);
            means.part = part.map(|part| Part { counted, ..part });
            Err(Trouble::LetGo)
        }
        Err(trouble) => Err(trouble),
    }
}

/// Gives a copy that was begun its data and its attributes.
fn fill(
    place: &Place<'_>,
    source: &Source,
    made: &OwnedFd,
    reached: &mut Reached,
    means: &mut Means<'_>,
    (xattrs, mode): (&Xattrs, u32),
    look: bool,
) -> Result<Copied, Trouble> {
    let Source { file, stat } = source;
    let data = if reached.shared {
        Transferred { bytes: fs::size(stat), cloned: true, ..Transferred::default() }
    } else {
        transfer::transfer(place, source, made, means, reached)?
    };
    let made_with = means.exact_modes.then_some(mode);
    let lost = attributes::set(place, file, stat, xattrs, made, made_with)?;
    let changed = has_changed(stat, file, data.bytes, place)?;
    // What is not to be trusted does not take the place of a file that was.
    if changed && place.replace {
        return Err(Trouble::Failed(Operation::Read, At::Source, ErrorKind::Changed));
    }
    let verified = match data.hash {
        Some(hash) if place.replace => Some(verify(made, hash, means)?),
        _ => None,
    };
    let looked = if look || place.made.is_some() {
        let stat = fs::stat(made).map_err(failed(Operation::Inspect, At::Destination))?;
        place.note_made(fs::identity(&stat));
        Some(stat)
    } else {
        None
    };
    Ok(Copied { data, lost, changed, made: looked, verified })
}

/// Reads back what is going to replace a file, and compares, while the file is still there;
/// whether it came from the device.
fn verify(made: &OwnedFd, hash: u64, means: &Means<'_>) -> Result<bool, Trouble> {
    let verify = failed(Operation::Verify, At::Destination);
    fs::flush_file(made).map_err(failed(Operation::Flush, At::Destination))?;
    let go_on = || means.control.checkpoint();
    let reading = &mut Reading::default();
    let read = read_back(made, reading, go_on, means.counters, &mut Room::default())?;
    let read = read.map_err(verify)?;
    if read.hash != hash {
        let kind = ErrorKind::Mismatch;
        return Err(Trouble::Failed(Operation::Verify, At::Destination, kind));
    }
    Ok(read.from_device)
}

/// Begins a copy, sharing the source's data where that can be, or goes on with a part of it.
fn begin<'a>(
    place: &Place<'a>,
    source: &Source,
    mode: u32,
    means: &mut Means<'_>,
) -> Result<(Unfinished<'a>, Reached), Trouble> {
    if let Some(part) = &means.part {
        let gone_on = Unfinished::go_on(place, &source.stat, part)?;
        if let (Some(made), Some(part)) = (gone_on, means.part.take()) {
            return Ok((made, part.reached));
        }
        means.counters.take_back();
    }
    if transfer::is_to_share(place, source, means.reflink) {
        // Shared in one step, it need not be nameless until it is whole, which takes longer.
        let made = Unfinished::begin(place, 0, mode)?;
        if transfer::share(place, source, &made.file, means)? {
            return Ok((made, Reached { shared: true, ..Reached::default() }));
        }
    }
    let made = Unfinished::begin(place, fs::size(&source.stat), mode)?;
    Ok((made, Reached::nothing(means)))
}

fn has_changed(
    before: &Stat,
    file: &OwnedFd,
    bytes: u64,
    place: &Place<'_>,
) -> Result<bool, Trouble> {
    if place.pair.source.sizes_are_made_up() {
        return Ok(false);
    }
    // A size of 0 outside of plain file systems says nothing.
    let told = place.pair.source.sizes_are_true() || before.st_size > 0;
    let now = fs::stat(file).map_err(failed(Operation::Inspect, At::Source))?;
    // Less was read than is there: what was made is no copy of the file at any time.
    if told && bytes < fs::size(&now) && bytes < fs::size(before) {
        return Err(Trouble::Failed(Operation::Read, At::Source, ErrorKind::Changed));
    }
    let same = now.st_size == before.st_size
        && now.st_mtime == before.st_mtime
        && now.st_mtime_nsec == before.st_mtime_nsec
        && (!told || bytes == fs::size(before));
    Ok(!same)
}
