//! The folder with the journals of all jobs.
//!
//! `$XDG_STATE_HOME/ferry/jobs/<number>.journal`, for nobody but the user. Journals of ended
//! jobs are kept for [`DAYS`] days and at most [`KEPT`] of them.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::record::{Header, Record, SCHEMA};
use super::told::Told;
use super::writer::Journal;
use super::{JournalError, JournalId};
use crate::engine::fs::path;
use crate::engine::message::JobSpec;

/// How many days the journal of an ended job is kept.
pub const DAYS: i64 = 30;
/// How many journals of ended jobs are kept.
pub const KEPT: usize = 100;

/// Where journals lie, and the user's trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    pub(super) jobs: PathBuf,
    pub(in crate::engine) home_trash: PathBuf,
}

impl Store {
    /// The user's own store, by the XDG base directories; `None` for a user without a home.
    pub fn of_user() -> Option<Store> {
        let folders = etcetera::base_strategy::Xdg::new().ok()?;
        let state = folders.state_dir()?;
        Some(Store::at(&state.join("ferry"), &folders.data_dir().join("Trash")))
    }

    /// A store in a folder, with the trash of the file system that it lies on.
    pub fn at(folder: &Path, home_trash: &Path) -> Store {
        Store { jobs: folder.join("jobs"), home_trash: home_trash.to_path_buf() }
    }

    /// Begins the journal of a job.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(in crate::engine) fn begin(
        &self,
        spec: &JobSpec,
        tag: u64,
        began: (i64, i64),
    ) -> io::Result<Journal> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.jobs)?;
        let numbers = self.numbers()?;
        let mut number = numbers.iter().copied().max().unwrap_or(0);
        self.prune(numbers);
        let journal = loop {
            number += 1;
            let mut options = OpenOptions::new();
            let _options = options.append(true).read(true).create_new(true).mode(0o600);
            match options.open(self.path(JournalId(number))) {
                Ok(file) => match Journal::hold(JournalId(number), file)? {
                    Some(journal) => break journal,
                    None => continue,
                },
                // Another Ferry has just taken the number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        };
        let header = Header { schema: SCHEMA, tag, began, spec: absolute(spec) };
        journal.append(&[Record::Header(Box::new(header))]);
        if journal.is_broken() {
            let _removed_or_not = fs::remove_file(self.path(journal.id));
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(journal)
    }

    /// Takes hold of a journal and reads it.
    ///
    /// # Errors
    /// When there is none, another Ferry holds it, or it cannot be read.
    pub(in crate::engine) fn take(&self, id: JournalId) -> Result<(Journal, Told), JournalError> {
        let file = OpenOptions::new().read(true).append(true).open(self.path(id))?;
        let written = file.metadata()?.mtime();
        let journal = Journal::hold(id, file)?.ok_or(JournalError::Running)?;
        let mut told = Told::read(&journal.read()?).ok_or(JournalError::Unreadable)?;
        told.written = written;
        journal.go_on_at(told.valid)?;
        Ok((journal, told))
    }

    /// Reads a journal without holding it.
    ///
    /// # Errors
    /// When there is none or it cannot be read.
    pub(in crate::engine) fn look(&self, id: JournalId) -> Result<Told, JournalError> {
        Told::read(&fs::read(self.path(id))?).ok_or(JournalError::Unreadable)
    }

    pub(super) fn path(&self, id: JournalId) -> PathBuf {
        self.jobs.join(format!("{}.journal", id.0))
    }

    /// The numbers of all journals, in no order.
    pub(super) fn numbers(&self) -> io::Result<Vec<u64>> {
        let entries = match fs::read_dir(&self.jobs) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let number = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.ok()?;
            // A FIFO would hold up whoever opens it.
            if !entry.file_type().is_ok_and(|kind| kind.is_file()) {
                return None;
            }
            let name = entry.file_name();
            name.to_str()?.strip_suffix(".journal")?.parse().ok()
        };
        Ok(entries.filter_map(number).collect())
    }

    /// Whether a running Ferry holds a journal.
    pub(super) fn is_held(file: &File) -> bool {
        use rustix::fs::{FlockOperation, flock};
        // A shared lock, so that two who look do not take each other for the job.
        let looked = flock(file, FlockOperation::NonBlockingLockShared);
        let _let_go = flock(file, FlockOperation::Unlock);
        looked == Err(rustix::io::Errno::WOULDBLOCK)
    }
}

/// The same job, wherever it is read.
fn absolute(spec: &JobSpec) -> JobSpec {
    JobSpec {
        sources: spec.sources.iter().map(|source| path::absolute(source)).collect(),
        destination: path::absolute(&spec.destination),
        kind: spec.kind,
        options: spec.options.clone(),
        checksums: spec.checksums.clone(),
    }
}
