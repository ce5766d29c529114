//! Reads copies back from the device and compares them with what was read of their sources.
//!
//! A wrong copy is taken away: it must not be left as a good one. What replaces a file is
//! read back before it takes the file's place (see [`super::copy::file`]), and not here.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rustix::io::{Errno, Result};

use super::control::{Cancelled, Stop};
use super::copy::Trouble;
use super::copy::read_back::{Reading, Room, read_back};
use super::copy::transfer::BUFFER;
use super::digest::Digest;
use super::error::{Error, ErrorKind, Operation};
use super::fs;
use super::job::Job;
use super::journal::Record;
use super::message::EntryId;
use super::moving::Fingerprint;
use super::plan::EntryState;
use super::progress::{Counters, add};
use super::skips::Watch;
use super::summary::NoticeKind;

/// Copies that the journal is told of together.
const TOLD: usize = 64;

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
pub fn verify(
    job: &Job,
    counters: &Counters,
    copies: &[Hashed],
) -> std::result::Result<(), Cancelled> {
    let mut room = Room::default();
    let mut right = Right { job, entries: Vec::new() };
    for copy in copies {
        job.stand()?;
        let Some((block, at)) = job.plan.find(copy.entry) else { continue };
        let path = job.destination_path(copy.entry);
        counters.begin(copy.entry, block.size(at).unwrap_or_default());
        // A defect of ours costs that copy alone: what is not compared is not good.
        let compared =
            catch_unwind(AssertUnwindSafe(|| compare(job, counters, copy, &path, &mut room)));
        let kind = match compared.unwrap_or(Ok(Err(ErrorKind::Internal)))? {
            Ok(from_device) => {
                add(&counters.verified, 1);
                right.note(copy.entry);
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

/// Copies that were found right, told to the journal by the batch, also at a cancel.
struct Right<'a> {
    job: &'a Job,
    entries: Vec<EntryId>,
}

impl Right<'_> {
    fn note(&mut self, entry: EntryId) {
        self.entries.push(entry);
        if self.entries.len() >= TOLD {
            self.tell();
        }
    }

    fn tell(&mut self) {
        if let (false, Some(journal)) = (self.entries.is_empty(), self.job.journal()) {
            journal.append(&[Record::Verified(std::mem::take(&mut self.entries))]);
        }
    }
}

impl Drop for Right<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}

/// The hash that a file's copy must have, read anew: its job was resumed after it was copied.
///
/// # Errors
/// What keeps it from going on; what reading says.
pub fn hash_of(
    watch: Watch<'_>,
    folder: &OwnedFd,
    name: &OsStr,
    buffer: &mut Vec<u8>,
) -> std::result::Result<Result<u64>, Trouble> {
    let file = match fs::open_to_read(folder, name) {
        Ok(file) => file,
        Err(errno) => return Ok(Err(errno)),
    };
    buffer.resize(BUFFER, 0);
    let (mut digest, mut offset) = (Digest::default(), 0);
    loop {
        watch.checkpoint()?;
        match fs::read_fully(&file, buffer, offset) {
            Ok(0) => return Ok(Ok(digest.finish())),
            Ok(read) => {
                digest.update(&buffer[..read]);
                offset += read as u64;
            }
            Err(errno) => return Ok(Err(errno)),
        }
    }
}

/// Reads a copy back; whether it came from the device. One that is wrong is removed; one
/// that was changed since is not. A job that lets go of its devices closes it in between.
fn compare(
    job: &Job,
    counters: &Counters,
    copy: &Hashed,
    path: &Path,
    room: &mut Room,
) -> std::result::Result<std::result::Result<bool, ErrorKind>, Cancelled> {
    let mut reading = Reading::default();
    loop {
        match compare_on(job, counters, copy, path, &mut reading, room) {
            Ok(compared) => return Ok(compared),
            Err(Stop::Cancelled) => return Err(Cancelled),
            Err(Stop::LetGo) => job.stand()?,
        }
    }
}

fn compare_on(
    job: &Job,
    counters: &Counters,
    copy: &Hashed,
    path: &Path,
    reading: &mut Reading,
    room: &mut Room,
) -> std::result::Result<std::result::Result<bool, ErrorKind>, Stop> {
    let os = |errno: Errno| ErrorKind::Os(errno.raw_os_error());
    let opened = || {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let folder = fs::open_folder_path(path.parent().unwrap_or(Path::new(".")))?;
        let file = fs::open_to_read(&folder, name)?;
        let before = Fingerprint::of(&fs::stat(&file)?);
        Ok::<_, Errno>((folder, name, file, before))
    };
    let (folder, name, file, before) = match opened() {
        Ok(opened) => opened,
        Err(errno) => return Ok(Err(os(errno))),
    };
    if before != copy.made {
        return Ok(Err(ErrorKind::Changed));
    }
    let read = match read_back(&file, reading, || job.control.go_on(), counters, room)? {
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
