//! Reads copies back from the device and compares them with what was read of their sources.
//!
//! After the flush the pages of a copy are dropped from the kernel's cache, so that reading
//! it reads the device. A wrong copy is taken away: it must not be left as a good one.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::io::Errno;
use xxhash_rust::xxh3::Xxh3;

use super::control::Cancelled;
use super::copy::transfer::BUFFER;
use super::error::{Error, ErrorKind, Operation};
use super::fs;
use super::job::Job;
use super::message::EntryId;
use super::moving::Fingerprint;
use super::plan::EntryState;
use super::progress::{Counters, add};

/// A copy and the hash of what was read of its source.
#[derive(Clone)]
pub struct Hashed {
    /// The entry.
    pub entry: EntryId,
    /// xxh3 (64 bits) of its contents.
    pub hash: u64,
    /// The copy as it was made: one that was changed since is the user's own.
    pub made: Fingerprint,
}

/// Verifies copies, all flushed before. Stops when the job is cancelled.
///
/// # Errors
/// That it was cancelled.
pub fn verify(job: &Job, counters: &Counters, copies: &[Hashed]) -> Result<(), Cancelled> {
    let mut buffer = vec![0; BUFFER];
    for copy in copies {
        job.control.checkpoint()?;
        let Some((block, at)) = job.plan.find(copy.entry) else { continue };
        let path = job.destination_path(copy.entry);
        counters.begin(copy.entry, block.size(at).unwrap_or_default());
        let kind = match read_back(job, counters, copy, &path, &mut buffer)? {
            Ok(()) => {
                add(&counters.verified, 1);
                continue;
            }
            Err(kind) => kind,
        };
        block.set_state(at, EntryState::Failed);
        job.report.failure(Some(copy.entry), Error::new(Operation::Verify, path, kind));
        counters.done_failed();
    }
    counters.rest();
    Ok(())
}

/// Reads a copy back. One that is wrong is removed; one that was changed since is not.
fn read_back(
    job: &Job,
    counters: &Counters,
    copy: &Hashed,
    path: &Path,
    buffer: &mut [u8],
) -> Result<Result<(), ErrorKind>, Cancelled> {
    let os = |errno: Errno| ErrorKind::Os(errno.raw_os_error());
    let opened = || {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let folder = fs::open_folder_path(path.parent().unwrap_or(Path::new(".")))?;
        let file = fs::open_to_read(&folder, name)?;
        let before = Fingerprint::of(&fs::stat(&file)?);
        Ok((folder, name, file, before))
    };
    let (folder, name, file, before) = match opened() {
        Ok(opened) => opened,
        Err(errno) => return Ok(Err(os(errno))),
    };
    if before != copy.made {
        return Ok(Err(ErrorKind::Changed));
    }
    let hash = match hash_from_device(job, counters, &file, buffer)? {
        Ok(hash) => hash,
        Err(errno) => return Ok(Err(os(errno))),
    };
    if hash == copy.hash {
        return Ok(Ok(()));
    }
    match fs::stat(&file) {
        Ok(stat) if Fingerprint::of(&stat) == copy.made => {
            // Gone or still there, it is told as wrong.
            let _removed_or_not = fs::remove_if(&folder, name, copy.made.identity);
            Ok(Err(ErrorKind::Mismatch))
        }
        _ => Ok(Err(ErrorKind::Changed)),
    }
}

fn hash_from_device(
    job: &Job,
    counters: &Counters,
    file: &OwnedFd,
    buffer: &mut [u8],
) -> Result<Result<u64, Errno>, Cancelled> {
    // In memory (tmpfs) there is nothing to drop: the pages are the device. Pages that
    // another program holds stay as well; it then reads what it would read.
    let _dropped_or_not = fs::drop_pages(file);
    let mut hasher = Xxh3::new();
    let mut offset = 0;
    loop {
        job.control.checkpoint()?;
        match fs::read_at(file, buffer, offset) {
            Ok(0) => return Ok(Ok(hasher.digest())),
            Ok(got) => {
                hasher.update(&buffer[..got]);
                offset += got as u64;
                add(&counters.compared, got as u64);
            }
            Err(errno) => return Ok(Err(errno)),
        }
    }
}
