//! Moves a file's data by the best way that the pair of mounts has.
//!
//! Ways, best first: clone ([`share`]), `copy_file_range`, read and write ([`transfer`]). When
//! a way turns out not to exist here the next one goes on at the same offset. A full disk, an exceeded quota, lack
//! of memory and an I/O error are no reason to try another way: they are failures.

use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rustix::fs::Stat;
use rustix::io::Errno;

use super::file::Source;
use super::part::Part;
use super::{At, Place, Trouble, failed};
use crate::engine::checksums::Checksum;
use crate::engine::digest::{Digest, Hashes};
use crate::engine::error::{ErrorKind, Operation};
use crate::engine::fs;
use crate::engine::message::Reflink;
use crate::engine::progress::Counters;
use crate::engine::skips::Watch;

/// Buffer for reading and writing, in bytes. Measured: 256 KiB and more were much slower.
pub const BUFFER: usize = 128 * 1024;

/// Bytes a `copy_file_range` call at the most, at the least and at first. 512 KiB to 16 MiB
/// were measured to be equal; a call cannot be interrupted, so its length is the delay of
/// pause and cancel: it adapts to the device.
const CHUNK_MOST: u64 = 8 * 1024 * 1024;
const CHUNK_LEAST: u64 = 256 * 1024;
/// See [`CHUNK_MOST`].
pub const CHUNK_FIRST: u64 = 1024 * 1024;
/// A chunk longer than this makes the next ones smaller; a quarter of it makes them larger.
const CHUNK_TIME: Duration = Duration::from_millis(40);

/// Zeros in a row that are left a hole, in bytes: a block of most file systems.
const HOLE: usize = 4096;

/// A source from this size on, in bytes, is written out before it is shared; so much at a
/// time, for pause and cancel.
const WRITE_OUT_FROM: u64 = 1024 * 1024;
const WRITE_OUT: u64 = 4 * 1024 * 1024;

/// Of a file that is not shared although it could be, less than this many bytes are read and
/// written.
const SMALL: u64 = 256 * 1024;

/// What a transfer needs beside the two files.
pub struct Means<'a> {
    /// Pause, cancel and skip.
    pub control: Watch<'a>,
    /// Where progress is counted.
    pub counters: &'a Counters,
    /// For reading and writing; grown to [`BUFFER`] at the first need.
    pub buffer: &'a mut Vec<u8>,
    /// Whether to share data.
    pub reflink: Reflink,
    /// Take a hash of the data while it is read, to compare the copy with.
    pub hash: bool,
    /// Take a checksum of the data while it is read.
    pub checksum: bool,
    /// Bytes a `copy_file_range` call; starts at [`CHUNK_FIRST`].
    pub chunk: &'a mut u64,
    /// New files get exactly the mode they are made with: no umask narrows it.
    pub exact_modes: bool,
    /// What was copied of the file before its job let go of its devices; when it does, what is
    /// copied by then.
    pub part: Option<Part>,
}

/// How far the copying of a file has come.
#[derive(Default)]
pub struct Reached {
    /// All bytes before this one are copied.
    pub offset: u64,
    /// The hashes of them.
    pub hashes: Hashes,
    /// All of the data was shared.
    pub shared: bool,
}

impl Reached {
    /// Nothing is copied; hashes are taken as asked for.
    pub fn nothing(means: &Means<'_>) -> Reached {
        let hashes = Hashes {
            digest: means.hash.then(Digest::default),
            checksum: means.checksum.then(Box::default),
        };
        Reached { hashes, ..Reached::default() }
    }
}

/// What was transferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transferred {
    /// Bytes of the file that the destination has now, holes included.
    pub bytes: u64,
    /// The data was shared.
    pub cloned: bool,
    /// The hash of the contents (see [`Digest`]), when asked for and not shared.
    pub hash: Option<u64>,
    /// Its checksum, when asked for and not shared.
    pub checksum: Option<Checksum>,
}

/// Whether the data of a source is to be shared and not copied, as far as one can know
/// before trying.
pub fn is_to_share(place: &Place<'_>, source: &Source, reflink: Reflink) -> bool {
    let size = fs::size(&source.stat);
    if size == 0 || !place.pair.clones.load(Relaxed) {
        return false;
    }
    let file_system = place.pair.source;
    // Most are surely large enough or surely too small: only the others are asked.
    reflink == Reflink::Always
        || size >= file_system.clone_from(true)
        || (size >= file_system.clone_from(false) && !has_unwritten(&source.file))
}

fn has_unwritten(file: &OwnedFd) -> bool {
    fs::cached_pages(file).is_ok_and(|pages| pages.unwritten > 0)
}

/// Shares all data of a file with an empty one; whether that could be. Counts every byte as
/// progress.
///
/// # Errors
/// A failure that no other way would mend, or that the job was cancelled.
pub fn share(
    place: &Place<'_>,
    source: &Source,
    destination: &OwnedFd,
    means: &Means<'_>,
) -> Result<bool, Trouble> {
    let size = fs::size(&source.stat);
    write_out(source, size, means)?;
    match fs::clone_data(&source.file, destination) {
        Ok(()) => {
            means.counters.advance(size);
            Ok(true)
        }
        Err(errno @ (Errno::IO | Errno::NOSPC | Errno::DQUOT | Errno::NOMEM | Errno::FBIG)) => {
            Err(failed(Operation::Clone, At::Destination)(errno))
        }
        Err(_) if means.reflink == Reflink::Always => {
            Err(Trouble::Failed(Operation::Clone, At::Destination, ErrorKind::CannotClone))
        }
        // Of this pair: no clones between them. Others (EINVAL: one is NOCOW, the other is
        // not; EPERM, ETXTBSY: of this file alone) leave the hope for the next file.
        Err(errno) => {
            if matches!(errno, Errno::XDEV | Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS) {
                place.pair.clones.store(false, Relaxed);
            }
            Ok(false)
        }
    }
}

/// Writes a large source's data out before it is shared. The clone would do it holding the
/// file's lock, and whoever reads the file would wait for all of it (1.2 s for 2 GiB, the
/// worst reader 20 ms this way); Linux does the same by itself from 7.4 on.
fn write_out(source: &Source, size: u64, means: &Means<'_>) -> Result<(), Trouble> {
    if size < WRITE_OUT_FROM {
        return Ok(());
    }
    // Of a clean file each call costs next to nothing; to ask first (`cachestat`) costs half a
    // clone for 5 MB.
    for offset in (0..size).step_by(WRITE_OUT as usize) {
        means.control.checkpoint()?;
        // One that cannot be written out fails to be cloned, too, and says why.
        if fs::write_out(&source.file, offset, WRITE_OUT).is_err() {
            break;
        }
    }
    Ok(())
}

/// Transfers all data of a file from where an earlier call has come to, by copying it. Counts
/// every byte as progress.
///
/// # Errors
/// A failure of either side, or what keeps it from going on; the destination is short then.
pub fn transfer(
    place: &Place<'_>,
    source: &Source,
    destination: &OwnedFd,
    means: &mut Means<'_>,
    reached: &mut Reached,
) -> Result<Transferred, Trouble> {
    let Source { file, stat } = source;
    let size = fs::size(stat);
    let told = place.pair.source.sizes_are_true();
    let has_holes = is_sparse(stat, size);
    let bytes = if told && size == 0 {
        0
    } else if has_holes && place.pair.source.is_plain_local() {
        sparse(place, file, size, destination, means, reached)?
    } else if has_holes {
        find_holes(file, destination, means, reached)?
    } else {
        let end = if told { size } else { u64::MAX };
        stretch(place, file, end, destination, means, reached)?;
        reached.offset
    };
    let hashes = &reached.hashes;
    Ok(Transferred {
        bytes,
        cloned: false,
        hash: hashes.digest.clone().map(Digest::finish),
        checksum: hashes.checksum.as_ref().map(|hasher| hasher.finalize().into()),
    })
}

fn is_sparse(stat: &Stat, size: u64) -> bool {
    // Fewer blocks than the size needs. One block less may be the rounding of a compressed
    // or inline file; asking for its holes costs two calls and finds none.
    (stat.st_blocks as u64) < size / 512
}

fn sparse(
    place: &Place<'_>,
    source: &OwnedFd,
    size: u64,
    destination: &OwnedFd,
    means: &mut Means<'_>,
    reached: &mut Reached,
) -> Result<u64, Trouble> {
    // The size first: holes are then what no data is written to, also the one at the end.
    fs::set_size(destination, size).map_err(failed(Operation::Write, At::Destination))?;
    while reached.offset < size {
        means.control.checkpoint()?;
        let offset = reached.offset;
        let found = fs::next_data(source, offset).map_err(failed(Operation::Read, At::Source))?;
        let (start, end) = match found {
            Some((start, end)) => (start.min(size), end.min(size)),
            // Only a hole is left, or the file has become shorter: that is no hole.
            None => {
                let now = fs::stat(source).map_err(failed(Operation::Inspect, At::Source))?;
                (size, size.min(fs::size(&now)))
            }
        };
        if end < start {
            return shorter(destination, end.max(offset));
        }
        skip(start, means, reached)?;
        stretch(place, source, end, destination, means, reached)?;
        if reached.offset < end {
            return shorter(destination, reached.offset);
        }
    }
    Ok(size)
}

/// Leaves a hole.
fn skip(upto: u64, means: &Means<'_>, reached: &mut Reached) -> Result<(), Trouble> {
    // A checksum must be told each zero, which takes its time.
    let piece = if reached.hashes.checksum.is_some() { CHUNK_FIRST } else { u64::MAX };
    while reached.offset < upto {
        means.control.checkpoint()?;
        let length = piece.min(upto - reached.offset);
        reached.hashes.skip(length);
        reached.offset += length;
        means.counters.advance(length);
    }
    Ok(())
}

/// The source ended before its size: so does the copy, without padding.
fn shorter(destination: &OwnedFd, size: u64) -> Result<u64, Trouble> {
    fs::set_size(destination, size).map_err(failed(Operation::Write, At::Destination))?;
    Ok(size)
}

/// Copies one stretch of data, up to `end` or to where the source ends.
fn stretch(
    place: &Place<'_>,
    source: &OwnedFd,
    end: u64,
    destination: &OwnedFd,
    means: &mut Means<'_>,
    reached: &mut Reached,
) -> Result<(), Trouble> {
    // Where clones can be had, `copy_file_range` is one: this was found too small for it.
    let small = end.saturating_sub(reached.offset) < SMALL && place.pair.clones.load(Relaxed);
    if reached.hashes.is_empty() && place.pair.ranges.load(Relaxed) && !small {
        in_kernel(place, source, end, destination, means, reached)?;
    }
    // `copy_file_range` answering 0 is no proof of the end; reading is.
    if reached.offset < end {
        read_write(source, end, means, reached, |data, at| write_all(destination, data, at))?;
    }
    Ok(())
}

/// Goes on with `copy_file_range` for as long as it works.
fn in_kernel(
    place: &Place<'_>,
    source: &OwnedFd,
    end: u64,
    destination: &OwnedFd,
    means: &mut Means<'_>,
    reached: &mut Reached,
) -> Result<(), Trouble> {
    let (mut from, mut to) = (reached.offset, reached.offset);
    while to < end {
        means.control.checkpoint()?;
        let length = (*means.chunk).min(end - to);
        let begun = (length >= CHUNK_LEAST).then(Instant::now);
        match fs::copy_range(source, &mut from, destination, &mut to, length) {
            Ok(0) => break,
            Ok(copied) => {
                means.counters.advance(copied);
                reached.offset = to;
            }
            Err(errno @ (Errno::IO | Errno::NOSPC | Errno::DQUOT | Errno::NOMEM | Errno::FBIG)) => {
                if errno == Errno::IO {
                    is_readable(source, from, length)?;
                }
                return Err(failed(Operation::Write, At::Destination)(errno));
            }
            Err(errno) => {
                if matches!(errno, Errno::XDEV | Errno::NOSYS | Errno::OPNOTSUPP) {
                    place.pair.ranges.store(false, Relaxed);
                }
                break;
            }
        }
        if let Some(begun) = begun {
            let took = begun.elapsed();
            if took > CHUNK_TIME {
                *means.chunk = (*means.chunk / 2).max(CHUNK_LEAST);
            } else if took < CHUNK_TIME / 4 {
                *means.chunk = (*means.chunk * 2).min(CHUNK_MOST);
            }
        }
    }
    Ok(())
}

/// One call for both sides failed: reading tells whether it was the source.
fn is_readable(source: &OwnedFd, start: u64, length: u64) -> Result<(), Trouble> {
    let mut buffer = vec![0; BUFFER];
    for offset in (start..start + length).step_by(BUFFER) {
        let _bytes = fs::read_at(source, &mut buffer, offset)
            .map_err(failed(Operation::Read, At::Source))?;
    }
    Ok(())
}

/// Copies a file with holes whose file system's word about them is not to be trusted: all of
/// it is read, and blocks of zeros are not written; how many bytes it has.
fn find_holes(
    source: &OwnedFd,
    destination: &OwnedFd,
    means: &mut Means<'_>,
    reached: &mut Reached,
) -> Result<u64, Trouble> {
    const ZEROS: [u8; HOLE] = [0; HOLE];
    read_write(source, u64::MAX, means, reached, |data, at| {
        let mut written = 0;
        for (number, block) in data.chunks(HOLE).enumerate() {
            let start = number * HOLE;
            if *block == ZEROS[..block.len()] {
                write_all(destination, &data[written..start], at + written as u64)?;
                written = start + block.len();
            }
        }
        write_all(destination, &data[written..], at + written as u64)
    })?;
    let bytes = reached.offset;
    fs::set_size(destination, bytes).map_err(failed(Operation::Write, At::Destination))?;
    Ok(bytes)
}

/// Reads, and writes by a function of the caller's, up to `end` or to where the source ends.
fn read_write(
    source: &OwnedFd,
    end: u64,
    means: &mut Means<'_>,
    reached: &mut Reached,
    mut write: impl FnMut(&[u8], u64) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    if means.buffer.len() < BUFFER {
        means.buffer.resize(BUFFER, 0);
    }
    while reached.offset < end {
        means.control.checkpoint()?;
        let offset = reached.offset;
        let room = (end - offset).min(BUFFER as u64) as usize;
        let read = fs::read_at(source, &mut means.buffer[..room], offset)
            .map_err(failed(Operation::Read, At::Source))?;
        if read == 0 {
            break;
        }
        let data = &means.buffer[..read];
        write(data, offset)?;
        reached.hashes.update(data);
        reached.offset += read as u64;
        means.counters.advance(read as u64);
    }
    Ok(())
}

fn write_all(destination: &OwnedFd, mut data: &[u8], mut offset: u64) -> Result<(), Trouble> {
    while !data.is_empty() {
        let written = fs::write_at(destination, data, offset)
            .map_err(failed(Operation::Write, At::Destination))?;
        if written == 0 {
            return Err(failed(Operation::Write, At::Destination)(Errno::IO));
        }
        data = &data[written..];
        offset += written as u64;
    }
    Ok(())
}
