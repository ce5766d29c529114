//! A journal that is being written, by all workers of its job.
//!
//! Each append is one `write`: what a killed program has written is in the kernel's hands.
//! When the disk that the journal lies on is full the job goes on without it, and says so.
//!
//! A power cut may take its last records, and so what it takes must not matter. Copies are
//! found and judged without it. A replaced file lies in the trash, where its information
//! tells of it, and the data of what replaced it goes to the disk before. Of a renamed source
//! only the undo is lost. What only the journal knows of is synced: that sources are going to
//! be removed, and that an old folder stands under a temporary name for a moment. Syncing
//! every record would cost more than the copying of small files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use rustix::fs::FlockOperation;

use super::JournalId;
use super::codec::frame;
use super::record::Record;
use crate::engine::fs::faults::{self, Call};
use crate::engine::job::lock;

/// One job's journal. Whoever has it holds the job: another Ferry leaves it alone.
pub struct Journal {
    /// Its number.
    pub id: JournalId,
    inner: Mutex<Inner>,
    broken: AtomicBool,
}

struct Inner {
    file: File,
    offset: u64,
    scratch: Vec<u8>,
    released: bool,
}

/// Somebody who lists the history holds a journal for a moment.
const LOOKS: u32 = 5;
const LOOK: Duration = Duration::from_millis(5);

impl Drop for Journal {
    fn drop(&mut self) {
        self.release();
    }
}

impl Journal {
    /// Holds a journal's file; `None` when another one holds it.
    ///
    /// # Errors
    /// What locking says.
    pub fn hold(id: JournalId, file: File) -> io::Result<Option<Journal>> {
        for last in (0..LOOKS).rev() {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(rustix::io::Errno::WOULDBLOCK) if last == 0 => return Ok(None),
                Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(LOOK),
                Err(errno) => return Err(errno.into()),
            }
        }
        let inner = Inner { file, offset: 0, scratch: Vec::new(), released: false };
        Ok(Some(Journal { id, inner: Mutex::new(inner), broken: AtomicBool::new(false) }))
    }

    /// The whole file.
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let _length = lock(&self.inner).file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Goes on writing at this offset: a torn end after it is cut off.
    pub(super) fn go_on_at(&self, offset: u64) -> io::Result<()> {
        let mut inner = lock(&self.inner);
        inner.file.set_len(offset)?;
        inner.offset = offset;
        Ok(())
    }

    /// Appends records together.
    pub fn append(&self, records: &[Record]) {
        let payloads: Vec<Vec<u8>> = records.iter().map(Record::encode).collect();
        self.append_encoded(payloads.iter().map(Vec::as_slice));
    }

    /// Appends encoded records together.
    pub fn append_encoded<'a>(&self, payloads: impl IntoIterator<Item = &'a [u8]>) {
        if self.is_broken() {
            return;
        }
        let mut inner = lock(&self.inner);
        // Another one may have it by now.
        if inner.released {
            return;
        }
        let allowed = faults::before(Call::Note);
        let mut scratch = std::mem::take(&mut inner.scratch);
        scratch.clear();
        for payload in payloads {
            let offset = inner.offset + scratch.len() as u64;
            frame(payload, offset, &mut scratch);
        }
        // Opened for appending: whatever is written goes to the end.
        match allowed.map_err(io::Error::from).and_then(|()| inner.file.write_all(&scratch)) {
            Ok(()) => inner.offset += scratch.len() as u64,
            Err(_) => {
                self.broken.store(true, Relaxed);
                // A torn end is known as such all the same.
                let _cut_or_torn = inner.file.set_len(inner.offset);
            }
        }
        inner.scratch = scratch;
    }

    /// Writes it through to its device: before anything is removed that only it knows of.
    pub fn sync(&self) {
        // A device that refuses shows at the next append.
        let _synced_or_not = rustix::fs::fdatasync(lock(&self.inner).file.as_fd());
    }

    /// Lets it go: the job has ended, and nothing more is written.
    pub fn release(&self) {
        // Not by closing the file alone: a program that is being started may have it as well.
        let mut inner = lock(&self.inner);
        inner.released = true;
        let _let_go = rustix::fs::flock(&inner.file, FlockOperation::Unlock);
    }

    /// Whether it could not be written any more.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Relaxed)
    }
}
