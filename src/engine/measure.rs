//! Totals of a job that lasts: counts entries and adds up sizes ahead of the copying.
//!
//! Only for the progress shown, so whatever cannot be looked at is left out here; copying it
//! will say why. A short job is never measured: it would pay for what nobody sees.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use walkdir::WalkDir;

use super::job::Job;

/// Measures a job's sources on a thread of its own, until the job ends.
pub fn start(job: &Arc<Job>) {
    let job = Arc::clone(job);
    let thread = std::thread::Builder::new().name("ferry-measure".to_owned());
    // Without it the job goes on without a total.
    let _measured_or_not = thread.spawn(move || measure(&job));
}

fn measure(job: &Job) {
    let (mut entries, mut bytes) = (0, 0);
    // A file with several names is copied once.
    let mut seen = HashSet::new();
    let later = job.additions.all();
    for source in job.spec.sources.iter().chain(&later) {
        for entry in WalkDir::new(source).follow_root_links(false) {
            if job.control.is_cancelled() || job.pool.is_closed() {
                return;
            }
            let Ok(entry) = entry else { continue };
            entries += 1;
            if entry.file_type().is_file()
                && let Ok(metadata) = entry.metadata()
                && (metadata.nlink() == 1 || seen.insert((metadata.dev(), metadata.ino())))
            {
                bytes += metadata.size();
            }
        }
    }
    // With still more sources by now, whoever measures those tells all.
    if job.additions.all().len() == later.len() {
        job.progress.set_measured(entries, bytes);
    }
}
