//! A name that is taken: gathers both sides, asks the rules, and does what they say.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::conflict::{
    ConflictRule, Decision, FileKind, QuestionClass, decide, name_is_possible, other_name,
};
use super::copy::{At, Trouble, failed};
use super::error::{ErrorKind, Operation};
use super::fs;
use super::job::{Wish, lock};
use super::message::{About, JobKind, kinds_class};
use super::plan::EntryState;
use super::progress::add;
use super::resume;
use super::skips::Watch;
use super::summary::NoticeKind;
use super::worker::{Ended, Entry, Worker};

/// How often a name that is taken and then is not is tried again: a file system that says
/// both for ever must not hold up the job.
const TRIES: u8 = 16;

/// Both sides of a conflict.
struct Sides {
    destination: Arc<OwnedFd>,
    source: Stat,
    existing: Stat,
}

/// Handles an entry whose name is taken at the destination.
pub fn handle(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish) -> Ended {
    let wanted = match &wish.name {
        Some(name) => name.clone(),
        None => entry.block.name(entry.at).to_os_string(),
    };
    if wish.rule.is_none()
        && let Some(ended) = resume::healed(worker, entry, &wanted)
    {
        return ended;
    }
    let decided = look(worker, entry, &wanted).and_then(|sides| {
        let decision = decision(worker, entry, wish, &sides, &wanted)?;
        Ok((sides, decision))
    });
    let (sides, decision) = match decided {
        Ok(decided) => decided,
        // It has gone meanwhile: the name is free again.
        Err(Trouble::OtherKind) => return again(worker, entry, wish.clone()),
        Err(trouble @ (Trouble::Cancelled | Trouble::Skipped | Trouble::LetGo)) => {
            return worker.trouble(entry, wish, trouble);
        }
        Err(trouble) => return worker.failure(entry, trouble),
    };
    entry.block.set_size(entry.at, fs::facts(&sides.source).size);
    match decision {
        Decision::Park => {
            entry.block.set_state(entry.at, EntryState::Asked);
            add(&worker.job.progress.waiting, 1);
            worker.park(entry, about(worker, entry, &sides, &wanted));
            Ended::Later
        }
        Decision::Skip => {
            worker.ended(entry.block, entry.at, EntryState::Skipped);
            Ended::Yes
        }
        Decision::SkipUnanswered => {
            let job = worker.job;
            job.report.notice(NoticeKind::Unanswered, &job.plan, entry.id());
            worker.ended(entry.block, entry.at, EntryState::Unanswered);
            Ended::Yes
        }
        Decision::KeepBoth => keep_both(worker, entry, wish, &sides),
        Decision::Replace | Decision::Compare => worker.copy(entry, wish, wish.name.clone(), true),
    }
}

/// What is to be done; [`Decision::Compare`] has been compared, and differs.
fn decision(
    worker: &Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    sides: &Sides,
    wanted: &OsStr,
) -> Result<Decision, Trouble> {
    let job = worker.job;
    let (source, existing) = (fs::facts(&sides.source), fs::facts(&sides.existing));
    let identity = fs::identity(&sides.existing);
    let same_file = fs::identity(&sides.source) == identity;
    let rules = *lock(&job.rules);
    let standing = match kinds_class(source.kind, existing.kind) {
        QuestionClass::TypeDiffers => rules.type_differs,
        _ => rules.file_exists,
    };
    let made_here = || {
        let files = job.made_files.get();
        let noted = || files.is_some_and(|files| lock(files).contains(&identity));
        // Where two ways lead to one folder: what has come into being since the job began.
        let since = || {
            let changed = (sides.existing.st_ctime, sides.existing.st_ctime_nsec as i64);
            job.ways_may_meet.load(Relaxed) && changed >= job.began
        };
        wish.rule.is_none() && (noted() || since())
    };
    let decision = match wish.rule.unwrap_or(standing) {
        // A file cannot replace itself. Of two sources that come to one name both are kept:
        // the rules are about what was there before.
        ConflictRule::Replace | ConflictRule::Newer | ConflictRule::Different if same_file => {
            let kind = ErrorKind::SameFile;
            return Err(Trouble::Failed(Operation::Create, At::Destination, kind));
        }
        ConflictRule::Skip
        | ConflictRule::Replace
        | ConflictRule::Newer
        | ConflictRule::Different
            if made_here() =>
        {
            Decision::KeepBoth
        }
        // It is where it is moved to.
        ConflictRule::KeepBoth if same_file && job.spec.kind == JobKind::Move => Decision::Skip,
        rule => decide(rule, &source, &existing),
    };
    if decision == Decision::Compare && same_contents(worker, entry, sides, wanted)? {
        return Ok(Decision::Skip);
    }
    Ok(decision)
}

fn about(worker: &Worker<'_>, entry: Entry<'_>, sides: &Sides, wanted: &OsStr) -> About {
    let source = fs::facts(&sides.source);
    About::Conflict {
        source,
        source_path: worker.job.source_path(entry.id()),
        existing: fs::facts(&sides.existing),
        existing_path: worker.job.destination_path(entry.id()).with_file_name(wanted),
        other_name: next_free(&sides.destination, wanted, source.kind),
        same_file: fs::identity(&sides.source) == fs::identity(&sides.existing),
    }
}

/// The entry goes back to the pool.
fn again(worker: &Worker<'_>, entry: Entry<'_>, wish: Wish) -> Ended {
    if wish.tries >= TRIES {
        let kind = ErrorKind::Os(libc::EEXIST);
        let trouble = Trouble::Failed(Operation::Create, At::Destination, kind);
        return worker.failure(entry, trouble);
    }
    let wish = Wish { tries: wish.tries + 1, ..wish };
    worker.job.pool.push(worker.index, [entry.work(wish)]);
    Ended::Later
}

/// Copies under the next free name.
fn keep_both(worker: &Worker<'_>, entry: Entry<'_>, wish: &Wish, sides: &Sides) -> Ended {
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
    let wish = Wish { rule: Some(ConflictRule::KeepBoth), name: Some(name), ..wish.clone() };
    again(worker, entry, wish)
}

/// The next free other name for a name; an empty one when none of the first ten thousand is.
fn next_free(folder: &OwnedFd, name: &OsStr, kind: FileKind) -> OsString {
    let others = (2..10_000).map(|number| other_name(name, kind, number));
    let mut free = others.filter(|other| fs::stat_name(folder, other).is_err());
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

/// Whether both sides are regular files with the same bytes, or links with the same text.
fn same_contents(
    worker: &Worker<'_>,
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
            let watch = Watch::of(worker.job, entry.id(), worker.counters);
            loop {
                watch.checkpoint()?;
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
        _ => Ok(sides.source.st_rdev == sides.existing.st_rdev),
    }
}
