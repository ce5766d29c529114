//! A name that is taken: gathers both sides, asks the rules, and does what they say.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::conflict::{
    ConflictRule, Decision, FileKind, QuestionClass, decide, name_is_possible, other_name,
};
use super::copy::{At, Trouble, failed};
use super::error::{ErrorKind, Operation};
use super::fs;
use super::job::{Wish, lock};
use super::message::{About, JobKind};
use super::plan::EntryState;
use super::progress::add;
use super::worker::{Ended, Entry, Worker};

/// How often a name that is taken and then is not is tried again.
const TRIES: u32 = 16;

/// Both sides of a conflict.
struct Sides {
    destination: Arc<OwnedFd>,
    source: Stat,
    existing: Stat,
}

/// Handles an entry whose name is taken at the destination.
pub fn handle(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish) -> Ended {
    for _ in 0..TRIES {
        let wanted = match &wish.name {
            Some(name) => name.clone(),
            None => entry.block.name(entry.at).to_os_string(),
        };
        let sides = match look(worker, entry, &wanted) {
            Ok(sides) => sides,
            // It has gone meanwhile: the name is free again.
            Err(Trouble::OtherKind) => return again(worker, entry, wish),
            Err(trouble) => return worker.failure(entry, trouble),
        };
        let same_file = fs::identity(&sides.source) == fs::identity(&sides.existing);
        let (source, existing) = (fs::facts(&sides.source), fs::facts(&sides.existing));
        let about = About::Conflict {
            source,
            source_path: worker.job.source_path(entry.id()),
            existing,
            existing_path: existing_path(worker, entry, &wanted),
            other_name: next_free(&sides.destination, &wanted, source.kind),
            same_file,
        };
        let rules = *lock(&worker.job.rules);
        let standing = match about.class() {
            QuestionClass::TypeDiffers => rules.type_differs,
            _ => rules.file_exists,
        };
        let rule = wish.rule.unwrap_or(standing);
        let made_here = wish.rule.is_none()
            && worker
                .job
                .made_files
                .get()
                .is_some_and(|files| lock(files).contains(&fs::identity(&sides.existing)));
        let moves = worker.job.spec.kind == JobKind::Move;
        let decision = match rule {
            // A file cannot replace itself, and one source does not replace another's copy.
            ConflictRule::Replace | ConflictRule::Newer | ConflictRule::Different if same_file => {
                let kind = ErrorKind::SameFile;
                let trouble = Trouble::Failed(Operation::Create, At::Destination, kind);
                return worker.failure(entry, trouble);
            }
            ConflictRule::Replace | ConflictRule::Newer | ConflictRule::Different if made_here => {
                Decision::KeepBoth
            }
            // It is where it is moved to.
            ConflictRule::KeepBoth if same_file && moves => Decision::Skip,
            rule => decide(rule, &source, &existing),
        };
        let decision = match decision {
            Decision::Compare => match same_contents(worker, entry, &sides, &wanted) {
                Ok(true) => Decision::Skip,
                Ok(false) => Decision::Replace,
                Err(Trouble::Cancelled) => return Ended::Yes,
                Err(trouble) => return worker.failure(entry, trouble),
            },
            decision => decision,
        };
        match decision {
            Decision::Park => {
                entry.block.set_size(entry.at, source.size);
                entry.block.set_state(entry.at, EntryState::Asked);
                add(&worker.job.progress.waiting, 1);
                worker.park(entry, about);
                return Ended::Later;
            }
            Decision::Skip => {
                worker.ended(entry.block, entry.at, EntryState::Skipped);
                return Ended::Yes;
            }
            Decision::SkipUnanswered => {
                worker.ended(entry.block, entry.at, EntryState::Unanswered);
                return Ended::Yes;
            }
            Decision::Replace => {
                return worker.copy(entry, wish, wish.name.clone(), true);
            }
            // Decided above.
            Decision::Compare => {}
            Decision::KeepBoth => return keep_both(worker, entry, wish, &sides),
        }
    }
    let trouble = Trouble::Failed(Operation::Create, At::Destination, ErrorKind::Os(libc::EEXIST));
    worker.failure(entry, trouble)
}

/// The entry goes back to the pool.
fn again(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish) -> Ended {
    let work = super::job::Work::Entry {
        folder: Arc::clone(entry.folder),
        block: Arc::clone(entry.block),
        at: entry.at,
        wish: wish.clone(),
    };
    worker.job.pool.push(worker.index, [work]);
    Ended::Later
}

/// Copies under the next free name.
fn keep_both(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish, sides: &Sides) -> Ended {
    // A name that was found here and then taken is not the base of the next one.
    let base = match (&wish.rule, &wish.name) {
        (None, Some(name)) => name.clone(),
        _ => entry.block.name(entry.at).to_os_string(),
    };
    let name = next_free(&sides.destination, &base, fs::kind(&sides.source));
    if !name_is_possible(&name) {
        let trouble = Trouble::Failed(Operation::Create, At::Destination, ErrorKind::BadName);
        return worker.failure(entry, trouble);
    }
    again(
        worker,
        entry,
        &Wish { rule: Some(ConflictRule::KeepBoth), name: Some(name), given_up: None },
    )
}

/// The next free other name for a name.
fn next_free(folder: &OwnedFd, name: &OsStr, kind: FileKind) -> OsString {
    let others = (2..).map(|number| other_name(name, kind, number));
    let mut free = others.filter(|other| fs::stat_name(folder, other).is_err());
    // The numbers do not end before a free name is found.
    free.next().unwrap_or_default()
}

/// Looks at both sides.
///
/// # Errors
/// [`Trouble::OtherKind`] when nothing stands at the destination any more.
fn look(worker: &Worker<'_>, entry: Entry<'_>, wanted: &OsStr) -> Result<Sides, Trouble> {
    let open = &worker.job.folders;
    let inspect_source = failed(Operation::Inspect, At::Source);
    let inspect = failed(Operation::Inspect, At::Destination);
    let source_dir = entry.folder.source_dir(open).map_err(&inspect_source)?;
    let destination = entry.folder.destination_dir(open).map_err(&inspect)?;
    let source = fs::stat_name(&*source_dir, entry.block.name(entry.at)).map_err(inspect_source)?;
    let existing = match fs::stat_name(&*destination, wanted) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Err(Trouble::OtherKind),
        Err(errno) => return Err(inspect(errno)),
    };
    Ok(Sides { destination, source, existing })
}

fn existing_path(worker: &Worker<'_>, entry: Entry<'_>, wanted: &OsStr) -> std::path::PathBuf {
    worker.job.destination_path(entry.id()).with_file_name(wanted)
}

/// Whether both sides are regular files with the same bytes, or links with the same text.
fn same_contents(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    sides: &Sides,
    wanted: &OsStr,
) -> Result<bool, Trouble> {
    let read_source = failed(Operation::Read, At::Source);
    let read = failed(Operation::Read, At::Destination);
    let source_dir = entry.folder.source_dir(&worker.job.folders).map_err(&read_source)?;
    let name = entry.block.name(entry.at);
    match fs::kind(&sides.source) {
        FileKind::Link => {
            let ours = fs::read_link(&*source_dir, name).map_err(read_source)?;
            Ok(ours == fs::read_link(&*sides.destination, wanted).map_err(read)?)
        }
        FileKind::File => {
            let source = fs::open_to_read(&*source_dir, name).map_err(&read_source)?;
            let existing = fs::open_to_read(&*sides.destination, wanted).map_err(&read)?;
            let mut buffers = [vec![0; 128 * 1024], vec![0; 128 * 1024]];
            let mut offset = 0;
            loop {
                worker.job.control.checkpoint()?;
                let [ours, theirs] = &mut buffers;
                let got = fill(&source, ours, offset).map_err(&read_source)?;
                if got != fill(&existing, theirs, offset).map_err(&read)?
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
        _ => Ok(sides.source.st_rdev == sides.existing.st_rdev),
    }
}

/// Fills a buffer from an offset as far as the file goes; how many bytes.
fn fill(file: &OwnedFd, buffer: &mut [u8], offset: u64) -> Result<usize, Errno> {
    let mut filled = 0;
    while filled < buffer.len() {
        match fs::read_at(file, &mut buffer[filled..], offset + filled as u64)? {
            0 => break,
            got => filled += got,
        }
    }
    Ok(filled)
}
