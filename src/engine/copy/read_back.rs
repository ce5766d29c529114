//! Reads a flushed copy back from its device.
//!
//! Its pages are dropped from the kernel's cache, and the kernel is asked whether they are
//! gone (`cachestat`, Linux 6.5). Where they are not, or nobody can tell, it is read past the
//! cache (`O_DIRECT`). Where that cannot be either, it is read as it comes, and that is said.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, Result};

use super::transfer::BUFFER;
use crate::engine::digest::Digest;
use crate::engine::fs::{self, mounts::FileSystem};
use crate::engine::progress::{Counters, add};

/// What reading past the cache wants of addresses and offsets, in bytes: enough for every
/// device.
const ALIGNED: usize = 4096;

/// What was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBack {
    /// The hash of the contents (see [`Digest`]).
    pub hash: u64,
    /// They came from the device, not from memory.
    pub from_device: bool,
}

/// Room to read into.
pub struct Room(Vec<u8>);

impl Default for Room {
    fn default() -> Self {
        Room(vec![0; BUFFER + ALIGNED])
    }
}

impl Room {
    fn aligned(&mut self) -> &mut [u8] {
        let at = self.0.as_ptr().align_offset(ALIGNED).min(ALIGNED);
        &mut self.0[at..at + BUFFER]
    }
}

/// How far a file was read back: its descriptor may be closed in between.
pub struct Reading {
    digest: Digest,
    offset: u64,
    from_device: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Reading { digest: Digest::default(), offset: 0, from_device: true }
    }
}

/// Reads an open file, which was flushed before, to its end. Counts what is compared. What
/// `go_on` says ends it; it goes on from there with the same reading.
///
/// # Errors
/// What `go_on` says; what reading says.
pub fn read_back<E>(
    file: &OwnedFd,
    reading: &mut Reading,
    go_on: impl Fn() -> std::result::Result<(), E>,
    counters: &Counters,
    room: &mut Room,
) -> std::result::Result<Result<ReadBack>, E> {
    let kind = FileSystem::of(file);
    // In memory there is no device behind the pages.
    let gone = kind.is_memory() || drop_pages(file);
    let direct = if gone { None } else { fs::open_direct(file).ok() };
    if let Some(direct) = &direct {
        match read(direct, kind, reading, &go_on, counters, room)? {
            // Not in this way, then.
            Err(Errno::INVAL) => {}
            read => return Ok(read.map(|()| reading.end())),
        }
    }
    reading.from_device &= gone;
    let read = read(file, kind, reading, &go_on, counters, room)?;
    Ok(read.map(|()| reading.end()))
}

impl Reading {
    fn end(&mut self) -> ReadBack {
        let hash = std::mem::take(&mut self.digest).finish();
        ReadBack { hash, from_device: self.from_device }
    }

    fn skip(&mut self, upto: u64, counters: &Counters) {
        let hole = upto.saturating_sub(self.offset);
        self.digest.skip(hole);
        add(&counters.compared, hole);
        self.offset += hole;
    }
}

/// Whether no page of a file is left in memory.
fn drop_pages(file: &OwnedFd) -> bool {
    // Pages that have only just been written may take a second time.
    (0..2).any(|_| {
        fs::drop_pages(file).is_ok() && fs::cached_pages(file).is_ok_and(|pages| pages.cached == 0)
    })
}

fn read<E>(
    file: &OwnedFd,
    kind: FileSystem,
    reading: &mut Reading,
    go_on: &impl Fn() -> std::result::Result<(), E>,
    counters: &Counters,
    room: &mut Room,
) -> std::result::Result<Result<()>, E> {
    loop {
        let (start, end) = if kind.is_plain_local() {
            match fs::next_data(file, reading.offset) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(errno) => return Ok(Err(errno)),
            }
        } else {
            (reading.offset, u64::MAX)
        };
        reading.skip(start, counters);
        while reading.offset < end {
            go_on()?;
            let wanted = (end - reading.offset).min(BUFFER as u64) as usize;
            let room = &mut room.aligned()[..wanted.next_multiple_of(ALIGNED)];
            match fs::read_at(file, room, reading.offset) {
                // Shorter than it was: the hash says so.
                Ok(0) => return Ok(Ok(())),
                Ok(got) => {
                    let got = got.min(wanted);
                    reading.digest.update(&room[..got]);
                    reading.offset += got as u64;
                    add(&counters.compared, got as u64);
                }
                Err(errno) => return Ok(Err(errno)),
            }
        }
    }
    // What is left is a hole.
    match fs::stat(file) {
        Ok(stat) => reading.skip(fs::size(&stat), counters),
        Err(errno) => return Ok(Err(errno)),
    }
    Ok(Ok(()))
}
