//! Reads copies back from the device and compares them with what was read of their sources.
//!
//! A wrong copy is taken away: it must not be left as a good one. What replaces a file is
//! read back before it takes the file's place (see [`super::copy::file`]), and not here.

use std::path::Path;

use rustix::io::Errno;

use super::control::Cancelled;
use super::copy::read_back::{Room, read_back};
use super::error::{Error, ErrorKind, Operation};
use super::fs;
use super::job::Job;
use super::message::EntryId;
use super::moving::Fingerprint;
use super::plan::EntryState;
use super::progress::{Counters, add};
use super::summary::NoticeKind;

/// A copy and the hash of what was read of its source.
#[derive(Clone)]
pub struct Hashed {
    /// The entry.
    pub entry: EntryId,
    /// The hash of what was read of its source (see [`super::digest::Digest`]).
    pub hash: u64,
    /// The copy as it was made: one that was changed since is the user's own.
    pub made: Fingerprint,
}

/// Verifies copies, all flushed before. Stops when the job is cancelled.
///
/// # Errors
/// That it was cancelled.
pub fn verify(job: &Job, counters: &Counters, copies: &[Hashed]) -> Result<(), Cancelled> {
    let mut room = Room::default();
    for copy in copies {
        job.control.checkpoint()?;
        let Some((block, at)) = job.plan.find(copy.entry) else { continue };
        let path = job.destination_path(copy.entry);
        counters.begin(copy.entry, block.size(at).unwrap_or_default());
        let kind = match compare(job, counters, copy, &path, &mut room)? {
            Ok(from_device) => {
                add(&counters.verified, 1);
                if !from_device {
                    job.report.notice(NoticeKind::VerifiedInMemory, &job.plan, copy.entry);
                }
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

/// Reads a copy back; whether it came from the device. One that is wrong is removed; one
/// that was changed since is not.
fn compare(
    job: &Job,
    counters: &Counters,
    copy: &Hashed,
    path: &Path,
    room: &mut Room,
) -> Result<Result<bool, ErrorKind>, Cancelled> {
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
    let read = match read_back(&file, &job.control, counters, room)? {
        Ok(read) => read,
        Err(errno) => return Ok(Err(os(errno))),
    };
    if read.hash == copy.hash {
        return Ok(Ok(read.from_device));
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
