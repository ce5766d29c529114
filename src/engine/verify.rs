//! Reads copies back from the device and compares them with what was read of their sources.
//!
//! After the flush the pages of a copy are dropped from the kernel's cache, so that reading
//! it reads the device. A wrong copy is taken away: it must not be left as a good one.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

use rustix::io::Errno;
use xxhash_rust::xxh3::Xxh3;

use super::control::Cancelled;
use super::copy::transfer::BUFFER;
use super::error::{Error, ErrorKind, Operation};
use super::fs;
use super::job::Job;
use super::message::EntryId;
use super::plan::EntryState;
use super::progress::{Counters, add};

/// A copy and the hash of what was read of its source.
pub struct Hashed {
    /// The entry.
    pub entry: EntryId,
    /// xxh3 (64 bits) of its contents.
    pub hash: u64,
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
        let kind = match hash_from_device(job, counters, &path, &mut buffer)? {
            Ok(hash) if hash == copy.hash => {
                add(&counters.verified, 1);
                continue;
            }
            Ok(_) => ErrorKind::Mismatch,
            Err(errno) => ErrorKind::Os(errno.raw_os_error()),
        };
        if kind == ErrorKind::Mismatch
            && let Ok(()) = remove(&path)
        {
            block.set_size(at, 0);
        }
        block.set_state(at, EntryState::Failed);
        job.report.failure(Some(copy.entry), Error::new(Operation::Verify, path, kind));
        let _before = counters.done.fetch_sub(1, Relaxed);
        add(&counters.failed, 1);
    }
    counters.rest();
    Ok(())
}

fn open(path: &Path) -> Result<OwnedFd, Errno> {
    let name = path.file_name().ok_or(Errno::INVAL)?;
    let folder = fs::open_folder_path(path.parent().unwrap_or(Path::new(".")))?;
    fs::open_to_read(folder, name)
}

fn remove(path: &Path) -> Result<(), Errno> {
    let name = path.file_name().ok_or(Errno::INVAL)?;
    fs::remove(fs::open_folder_path(path.parent().unwrap_or(Path::new(".")))?, name)
}

fn hash_from_device(
    job: &Job,
    counters: &Counters,
    path: &Path,
    buffer: &mut [u8],
) -> Result<Result<u64, Errno>, Cancelled> {
    let file = match open(path) {
        Ok(file) => file,
        Err(errno) => return Ok(Err(errno)),
    };
    // In memory (tmpfs) there is nothing to drop: the pages are the device. Pages that
    // another program holds stay as well; it then reads what it would read.
    let _dropped_or_not = fs::drop_pages(&file);
    let mut hasher = Xxh3::new();
    let mut offset = 0;
    loop {
        job.control.checkpoint()?;
        match fs::read_at(&file, buffer, offset) {
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
