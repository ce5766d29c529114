//! Totals of a job that lasts: counts entries and adds up sizes ahead of the copying.
//!
//! Only for the progress shown, so whatever cannot be looked at is left out here; copying it
//! will say why. A short job is never measured: it would pay for what nobody sees. A long one
//! measures with the time of the processors that its copying leaves: of equal rank, measuring
//! took an eighth of them from 200 000 small files on two cores.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

use walkdir::WalkDir;

use super::control::Stop;
use super::fs::faults::{self, Call};
use super::job::Job;
use super::threads;

const NAME: &str = "ferry-measure";

/// How much less this thread counts than the copying ones, where all want a processor.
const NICE: i32 = 10;

/// Measures a job's sources on a thread of its own, until the job ends; whether there was one.
/// Without it the job goes on without a total.
pub fn start(job: &Arc<Job>) -> bool {
    let job = Arc::clone(job);
    threads::start(NAME, move || measure(&job)).is_ok()
}

/// Measures the folders that were left out since the last time, on a thread of its own.
pub fn start_left(job: &Arc<Job>) {
    let folders = job.progress.take_left_folders();
    if folders.is_empty() {
        return;
    }
    let (its_job, its_folders) = (Arc::clone(job), folders.clone());
    let started = threads::start(NAME, move || {
        for folder in its_folders {
            let Some((entries, bytes)) = walk(&its_job, [&folder]) else { return };
            // The folder itself is counted where it ended.
            its_job.progress.set_left(entries.saturating_sub(1), bytes);
        }
    });
    if started.is_err() {
        // Another time.
        folders.into_iter().for_each(|folder| job.progress.leave_folder(folder));
    }
}

fn measure(job: &Job) {
    let later = job.additions.all();
    let Some((entries, bytes)) = walk(job, job.spec.sources.iter().chain(&later)) else { return };
    // With still more sources by now, whoever measures those tells all.
    if job.additions.all().len() == later.len() {
        job.progress.set_measured(entries, bytes);
    }
}

/// Entries and bytes of some sources; `None` when the job has ended meanwhile. Stands still
/// while the job does.
fn walk<'a>(job: &Job, sources: impl IntoIterator<Item = &'a PathBuf>) -> Option<(u64, u64)> {
    // Of Linux's threads each has a rank of its own. Refused, it counts like the others.
    let _set_or_not = rustix::process::setpriority_process(None, NICE);
    let sources: Vec<&PathBuf> = sources.into_iter().collect();
    loop {
        match walk_on(job, &sources) {
            Ok(found) => return Some(found),
            Err(Stop::Cancelled) => return None,
            // Nothing of it is told yet: it begins anew.
            Err(Stop::LetGo) => job.stand().ok()?,
        }
    }
}

/// The same in one go, with folders open.
fn walk_on(job: &Job, sources: &[&PathBuf]) -> Result<(u64, u64), Stop> {
    let (mut entries, mut bytes) = (0, 0);
    // A file with several names is copied once.
    let mut seen = HashSet::new();
    for source in sources {
        for entry in WalkDir::new(source).follow_root_links(false) {
            job.control.go_on()?;
            if job.pool.is_closed() {
                return Err(Stop::Cancelled);
            }
            let Ok(entry) = entry else { continue };
            if faults::named(Call::Measure, entry.file_name()).is_err() {
                continue;
            }
            entries += 1;
            if entry.file_type().is_file()
                && let Ok(metadata) = entry.metadata()
                && (metadata.nlink() == 1 || seen.insert((metadata.dev(), metadata.ino())))
            {
                bytes += metadata.size();
            }
        }
    }
    Ok((entries, bytes))
}
