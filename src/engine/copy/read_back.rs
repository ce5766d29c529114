//! Reads a flushed copy back from its device.
//!
//! Its pages are dropped from the kernel's cache, and the kernel is asked whether they are
//! gone (`cachestat`, Linux 6.5). Where they are not, or nobody can tell, it is read past the
//! cache (`O_DIRECT`). Where that cannot be either, it is read as it comes, and that is said.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, Result};

use super::transfer::BUFFER;
use crate::engine::control::{Cancelled, Control};
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

/// Reads all of an open file, which was flushed before. Counts what is compared.
///
/// # Errors
/// That the job was cancelled; what reading says.
pub fn read_back(
    file: &OwnedFd,
    control: &Control,
    counters: &Counters,
    room: &mut Room,
) -> std::result::Result<Result<ReadBack>, Cancelled> {
    let kind = FileSystem::of(file);
    // In memory there is no device behind the pages.
    let mut from_device = kind.is_memory() || drop_pages(file);
    let direct = if from_device { None } else { fs::open_direct(file).ok() };
    if let Some(direct) = &direct {
        match read(direct, kind, control, counters, room)? {
            Ok(hash) => return Ok(Ok(ReadBack { hash, from_device: true })),
            // Not in this way, then.
            Err(Errno::INVAL) => from_device = false,
            Err(errno) => return Ok(Err(errno)),
        }
    }
    let hash = read(file, kind, control, counters, room)?;
    Ok(hash.map(|hash| ReadBack { hash, from_device }))
}

/// Whether no page of a file is left in memory.
fn drop_pages(file: &OwnedFd) -> bool {
    // Pages that have only just been written may take a second time.
    (0..2).any(|_| {
        fs::drop_pages(file).is_ok() && fs::cached_pages(file).is_ok_and(|pages| pages.cached == 0)
    })
}

fn read(
    file: &OwnedFd,
    kind: FileSystem,
    control: &Control,
    counters: &Counters,
    room: &mut Room,
) -> std::result::Result<Result<u64>, Cancelled> {
    let mut digest = Digest::default();
    let mut offset = 0;
    loop {
        let (start, end) = if kind.is_plain_local() {
            match fs::next_data(file, offset) {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(errno) => return Ok(Err(errno)),
            }
        } else {
            (offset, u64::MAX)
        };
        digest.skip(start - offset);
        add(&counters.compared, start - offset);
        offset = start;
        while offset < end {
            control.checkpoint()?;
            let wanted = (end - offset).min(BUFFER as u64) as usize;
            match fs::read_at(file, &mut room.aligned()[..wanted.next_multiple_of(ALIGNED)], offset)
            {
                // Shorter than it was: the hash says so.
                Ok(0) => return Ok(Ok(digest.finish())),
                Ok(got) => {
                    let got = got.min(wanted);
                    digest.update(&room.aligned()[..got]);
                    offset += got as u64;
                    add(&counters.compared, got as u64);
                }
                Err(errno) => return Ok(Err(errno)),
            }
        }
    }
    // What is left is a hole.
    let size = match fs::stat(file) {
        Ok(stat) => fs::size(&stat),
        Err(errno) => return Ok(Err(errno)),
    };
    digest.skip(size.saturating_sub(offset));
    add(&counters.compared, size.saturating_sub(offset));
    Ok(Ok(digest.finish()))
}
