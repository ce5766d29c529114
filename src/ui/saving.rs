//! Saves the report of a job: the user chooses where, a thread of its own writes.

use std::path::PathBuf;
use std::sync::Arc;

use super::intake::{Picked, pick_new_file};
use super::places::aside;
use crate::engine::{Error, ErrorKind, JobSpec, Operation, Report, Summary};
use crate::report::{Format, write};
use crate::words;

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It is saved, or the user thought better of it.
    Ended,
    /// There is no chooser on this desktop.
    NoChooser,
    /// It could not be written, in words.
    Failed(String),
}

/// What a report is made of.
pub struct Told {
    /// What was asked for.
    pub spec: JobSpec,
    /// What became of the job.
    pub summary: Summary,
    /// What there is to say of its entries.
    pub report: Arc<Report>,
}

/// Lets the user choose a file, and writes the report there as the file's name says.
pub async fn save(told: Told) -> Saved {
    match pick_new_file("ferry-report.txt").await {
        Picked::Paths(paths) => match paths.into_iter().next() {
            Some(path) => save_to(told, path).await,
            None => Saved::Ended,
        },
        Picked::NoChooser => Saved::NoChooser,
        Picked::Nothing => Saved::Ended,
    }
}

/// Writes the report into a file.
pub async fn save_to(told: Told, path: PathBuf) -> Saved {
    let shown = path.clone();
    let written = aside(move || {
        let file = std::fs::File::create(&path)?;
        write(file, Format::of(&path), &told.spec, &told.summary, &told.report)
    });
    let errno = match written.await {
        Some(Ok(())) => return Saved::Ended,
        Some(Err(error)) => error.raw_os_error().unwrap_or(libc::EIO),
        None => libc::ETIMEDOUT,
    };
    Saved::Failed(words::error(&Error::new(Operation::Write, shown, ErrorKind::Os(errno))))
}
