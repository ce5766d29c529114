//! Whether two files have the same contents: for the rule, and beside the job for a dialog.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use rustix::fs::Stat;

use super::conflict::FileKind;
use super::copy::{At, Trouble, failed};
use super::error::Operation;
use super::folder::Folder;
use super::fs;
use super::job::{Job, lock};
use super::message::{Event, QuestionId};
use super::parked::{Reason, Waiter};
use super::threads;

/// Bytes that are read of each side at a time.
const BUFFER: usize = 128 * 1024;

/// Whether both sides are regular files with the same bytes, or links with the same text.
///
/// # Errors
/// What reading says, or what keeps it from going on.
pub fn same_contents(
    (source_dir, name): (&OwnedFd, &OsStr),
    (destination, wanted): (&OwnedFd, &OsStr),
    (source_stat, existing_stat): (&Stat, &Stat),
    go_on: impl Fn() -> Result<(), Trouble>,
) -> Result<bool, Trouble> {
    let read_source = failed(Operation::Read, At::Source);
    let read = failed(Operation::Read, At::Destination);
    match fs::kind(source_stat) {
        FileKind::Link => {
            let ours = fs::read_link(source_dir, name).map_err(read_source)?;
            Ok(ours == fs::read_link(destination, wanted).map_err(read)?)
        }
        FileKind::File => {
            let source = fs::open_to_read(source_dir, name).map_err(&read_source)?;
            let existing = fs::open_to_read(destination, wanted).map_err(&read)?;
            let mut buffers = [vec![0; BUFFER], vec![0; BUFFER]];
            let mut offset = 0;
            loop {
                go_on()?;
                let [ours, theirs] = &mut buffers;
                let got = fs::read_fully(&source, ours, offset).map_err(&read_source)?;
                if got != fs::read_fully(&existing, theirs, offset).map_err(&read)?
                    || ours[..got] != theirs[..got]
                {
                    return Ok(false);
                }
                if got == 0 {
                    return Ok(true);
                }
                offset += got as u64;
            }
        }
        // Nothing to compare: the same kind of FIFO or device is the same.
        _ => Ok(source_stat.st_rdev == existing_stat.st_rdev),
    }
}

/// What is compared beside a job: one question at a time, the one wished for last.
#[derive(Default)]
pub struct Comparing(Mutex<Wanted>);

#[derive(Default)]
struct Wanted {
    next: Option<QuestionId>,
    runs: bool,
}

/// Compares the two sides of a question on a thread of its own; what is compared now is
/// given up for it.
pub fn start(job: &Arc<Job>, question: QuestionId) {
    let mut wanted = lock(&job.comparing.0);
    wanted.next = Some(question);
    if std::mem::replace(&mut wanted.runs, true) {
        return;
    }
    drop(wanted);
    let its_job = Arc::clone(job);
    let compare = move || {
        // A defect of ours is no reason to compare nothing ever after.
        if catch_unwind(AssertUnwindSafe(|| run(&its_job))).is_err() {
            give_up(&its_job);
        }
    };
    if threads::start("ferry-compare", compare).is_err() {
        give_up(job);
    }
}

/// What is wished for is not compared: nobody knows whether it is equal.
fn give_up(job: &Job) {
    let mut wanted = lock(&job.comparing.0);
    wanted.runs = false;
    let unread = wanted.next.take();
    drop(wanted);
    if let Some(question) = unread {
        let event = Event::Compared { job: job.id, question, equal: None };
        job.parked.tell_of(question, job, event);
    }
}

fn run(job: &Job) {
    loop {
        let question = {
            let mut wanted = lock(&job.comparing.0);
            let Some(next) = wanted.next.take() else {
                wanted.runs = false;
                return;
            };
            next
        };
        let go_on = || {
            let stop = lock(&job.comparing.0).next.is_some() || job.control.is_cancelled();
            if stop { Err(Trouble::Cancelled) } else { Ok(()) }
        };
        let Some(Some(sides)) = job.parked.look(question, Sides::of) else { continue };
        let compared = sides.compare(job, go_on);
        if job.control.has_let_go() {
            // What was opened for it.
            job.let_go();
        }
        match compared {
            Err(Trouble::Cancelled) => {}
            compared => {
                let equal = compared.ok();
                let event = Event::Compared { job: job.id, question, equal };
                job.parked.tell_of(question, job, event);
            }
        }
    }
}

/// Where both sides of a question are.
struct Sides {
    folder: Arc<Folder>,
    name: OsString,
    wanted: OsString,
}

impl Sides {
    fn of(waiter: &Waiter) -> Option<Sides> {
        let Reason::Taken(clash) = &waiter.reason else { return None };
        let name = waiter.block.name(waiter.at).to_os_string();
        let wanted = clash.wanted.clone().unwrap_or_else(|| name.clone());
        Some(Sides { folder: Arc::clone(&waiter.folder), name, wanted })
    }

    fn compare(&self, job: &Job, go_on: impl Fn() -> Result<(), Trouble>) -> Result<bool, Trouble> {
        let inspect_source = failed(Operation::Inspect, At::Source);
        let inspect = failed(Operation::Inspect, At::Destination);
        let source_dir = self.folder.source_dir(&job.folders).map_err(&inspect_source)?;
        let destination = self.folder.destination_dir(&job.folders).map_err(&inspect)?;
        let source = fs::stat_name(&*source_dir, &self.name).map_err(inspect_source)?;
        let existing = fs::stat_name(&*destination, &self.wanted).map_err(inspect)?;
        let kinds = [fs::kind(&source), fs::kind(&existing)];
        if kinds[0] != kinds[1]
            || (kinds[0] == FileKind::File && source.st_size != existing.st_size)
        {
            return Ok(false);
        }
        let ours = (&*source_dir, self.name.as_os_str());
        same_contents(ours, (&destination, &self.wanted), (&source, &existing), go_on)
    }
}
