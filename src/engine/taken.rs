//! A name that is taken: gathers both sides, asks the rules, and does what they say.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::compare::same_contents;
use super::conflict::{
    ConflictRule, Decision, FileFacts, FileKind, FolderRule, decide, decide_folder,
};
use super::copy::{At, Trouble, failed};
use super::error::{ErrorKind, Operation};
use super::exchange;
use super::foreign_names::mapped;
use super::fs;
use super::job::{Wish, lock};
use super::keep::{self, For};
use super::message::JobKind;
use super::naming::{NamePattern, name_is_possible, other_name};
use super::parked::{Clash, Reason};
use super::plan::EntryState;
use super::progress::add;
use super::resume;
use super::skips::Watch;
use super::summary::NoticeKind;
use super::worker::{Ended, Entry, Over, Worker};

/// How often a name that is taken and then is not is tried again: a file system that says
/// both for ever must not hold up the job.
pub const TRIES: u8 = 16;

/// How many other names are looked at.
pub const NAMES_MOST: u64 = 10_000;

/// The steps in which file systems keep times, in nanoseconds: FAT two seconds, exFAT ten
/// milliseconds, others milli- and microseconds, NTFS (and servers of it) a hundred nanoseconds.
const STEPS: [i128; 5] = [2_000_000_000, 10_000_000, 1_000_000, 1000, 100];

/// Both sides of a conflict.
pub struct Sides {
    /// The destination's folder.
    pub destination: Arc<OwnedFd>,
    /// What is coming.
    source: Stat,
    /// What is there; of a folder that meets a link to a folder, that folder.
    existing: Stat,
    /// What stands under the name itself.
    named: Stat,
}

impl Sides {
    fn folders(&self) -> bool {
        [&self.source, &self.existing].iter().all(|stat| fs::kind(stat) == FileKind::Folder)
    }

    fn same_file(&self) -> bool {
        fs::identity(&self.source) == fs::identity(&self.existing)
    }

    fn why_unanswered(&self) -> NoticeKind {
        let is_folder = |stat| fs::kind(stat) == FileKind::Folder;
        if self.same_file() {
            NoticeKind::SameFile
        } else if is_folder(&self.source) != is_folder(&self.existing) {
            NoticeKind::TypeDiffers
        } else {
            NoticeKind::Unanswered
        }
    }

    /// What both sides are; times that the destination cannot tell apart are equal.
    fn facts(&self, entry: Entry<'_>) -> (FileFacts, FileFacts) {
        let (mut source, existing) = (fs::facts(&self.source), fs::facts(&self.existing));
        let coarse = !entry.folder.pair.destination.is_plain_local();
        if coarse && cannot_be_told_apart(source.modified(), existing.modified()) {
            source.modified_seconds = existing.modified_seconds;
            source.modified_nanoseconds = existing.modified_nanoseconds;
        }
        (source, existing)
    }
}

/// Whether a time may be kept as another one, which lies on a step of its file system.
fn cannot_be_told_apart(source: (i64, u32), kept: (i64, u32)) -> bool {
    let nanoseconds = |(seconds, part)| i128::from(seconds) * 1_000_000_000 + i128::from(part);
    // Two seconds have no odd numbers, but some file systems that have one second round.
    let lies_on = |step: i128| i128::from(kept.1) % step.min(1_000_000_000) == 0;
    let step = STEPS.into_iter().find(|step| lies_on(*step));
    step.is_some_and(|step| (nanoseconds(source) - nanoseconds(kept)).abs() < step)
}

/// Handles an entry whose name is taken at the destination.
pub fn handle(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish) -> Ended {
    let own = entry.block.name(entry.at);
    let wanted = wish.name.clone().or_else(|| wish.wanted.clone());
    let wanted = wanted.unwrap_or_else(|| own.to_os_string());
    if wish.rule.is_none()
        && let Some(ended) = resume::healed(worker, entry, &wanted)
    {
        return ended;
    }
    let decided = look(worker, entry, &wanted).and_then(|sides| {
        let made_here = made_here(worker, entry, &sides, &wanted);
        let decision = decision(worker, entry, wish, &sides, made_here, &wanted)?;
        Ok((sides, made_here, decision))
    });
    let (sides, made_here, decision) = match decided {
        Ok(decided) => decided,
        // It has gone meanwhile: the name is free again.
        Err(Trouble::OtherKind) => return again(worker, entry, wish.clone()),
        Err(trouble @ (Trouble::Cancelled | Trouble::Skipped | Trouble::LetGo)) => {
            return worker.trouble(entry, wish, trouble);
        }
        Err(trouble) => return worker.failure(entry, wish, trouble),
    };
    entry.block.set_size(entry.at, fs::facts(&sides.source).size);
    let name = wish.name.clone();
    match decision {
        Decision::Park => {
            entry.block.set_state(entry.at, EntryState::Asked);
            add(&worker.job.progress.waiting, 1);
            let clash = clash(&sides, &wanted, own, made_here);
            worker.park(entry, Reason::Taken(Box::new(clash)));
            Ended::Later
        }
        Decision::Skip => {
            worker.ended(entry.block, entry.at, EntryState::Skipped);
            Ended::Yes
        }
        Decision::SkipUnanswered => {
            let job = worker.job;
            job.report.notice(sides.why_unanswered(), &job.plan, entry.id());
            worker.ended(entry.block, entry.at, EntryState::Unanswered);
            Ended::Yes
        }
        // It could not be merged, though it looks as if it could.
        Decision::Merge if wish.folder_rule == Some(FolderRule::Merge) => {
            again(worker, entry, wish.clone())
        }
        Decision::Merge => {
            worker.folder(entry, &Wish { folder_rule: Some(FolderRule::Merge), ..wish.clone() })
        }
        Decision::KeepBoth => keep_both(worker, entry, wish, &sides, None),
        Decision::Rename => {
            let pattern =
                wish.pattern.clone().unwrap_or_else(|| lock(&worker.job.rules).pattern.clone());
            keep_both(worker, entry, wish, &sides, Some(&pattern))
        }
        Decision::KeepExisting => keep_existing(worker, entry, wish, &sides, &wanted),
        Decision::Replace if sides.folders() => exchange::begin(
            worker,
            entry,
            wish,
            &sides.destination,
            &wanted,
            fs::identity(&sides.named),
        ),
        Decision::Replace | Decision::Compare => worker.copy(entry, wish, name, Over::Existing),
    }
}

/// Whether what is there was made by this job: two of its sources come to one name.
fn made_here(worker: &Worker<'_>, entry: Entry<'_>, sides: &Sides, wanted: &OsStr) -> bool {
    let job = worker.job;
    let identity = fs::identity(&sides.existing);
    let name = worker.name_as_made(entry, wanted);
    let made = job.made_files.get();
    if fs::kind(&sides.existing) == FileKind::Folder {
        let by_name = || made.is_some_and(|made| lock(made).has_name(name));
        return lock(&job.made_folders).contains(&identity) || by_name();
    }
    let noted = made.is_some_and(|made| lock(made).has(identity, name));
    // Where two ways lead to one folder: what has come into being since the job began.
    let since = || {
        let changed = (sides.existing.st_ctime, sides.existing.st_ctime_nsec as i64);
        job.ways_may_meet.load(Relaxed) && changed >= job.began
    };
    noted || since()
}

/// What is to be done; [`Decision::Compare`] has been compared, and differs.
fn decision(
    worker: &Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    sides: &Sides,
    made_here: bool,
    wanted: &OsStr,
) -> Result<Decision, Trouble> {
    let job = worker.job;
    let (source, existing) = sides.facts(entry);
    let rules = lock(&job.rules).clone();
    let same_file = sides.same_file();
    let type_differs = (source.kind == FileKind::Folder) != (existing.kind == FileKind::Folder);
    let standing = match (made_here, type_differs) {
        (true, _) => rules.sources_meet,
        (false, true) => rules.type_differs,
        (false, false) => rules.file_exists,
    };
    if sides.folders() {
        let standing = if made_here { rules.folders_meet } else { rules.folder_exists };
        let rule = match wish.folder_rule.unwrap_or(standing) {
            // An answer about what was there before is none about what another source made.
            FolderRule::Replace | FolderRule::KeepExisting if made_here => rules.folders_meet,
            rule => rule,
        };
        match rule {
            // A folder is not merged into itself: it is ruled as a file would be.
            FolderRule::Merge | FolderRule::Replace | FolderRule::KeepExisting if same_file => {}
            FolderRule::KeepBoth if same_file && job.spec.kind == JobKind::Move => {
                return Ok(Decision::Skip);
            }
            rule => return Ok(decide_folder(rule)),
        }
    }
    let rule = match wish.rule.unwrap_or(standing) {
        // Of two sources that come to one name none replaces the other.
        ConflictRule::Replace
        | ConflictRule::Newer
        | ConflictRule::Different
        | ConflictRule::SizeOrTime
        | ConflictRule::KeepExisting
            if made_here =>
        {
            rules.sources_meet
        }
        rule => rule,
    };
    let decision = match rule {
        // A file cannot replace itself.
        ConflictRule::Replace
        | ConflictRule::Newer
        | ConflictRule::Different
        | ConflictRule::SizeOrTime
        | ConflictRule::KeepExisting
            if same_file =>
        {
            let kind = ErrorKind::SameFile;
            return Err(Trouble::Failed(Operation::Create, At::Destination, kind));
        }
        // It is where it is moved to.
        ConflictRule::KeepBoth if same_file && job.spec.kind == JobKind::Move => Decision::Skip,
        rule => decide(rule, &source, &existing),
    };
    if decision == Decision::Compare {
        let read_source = failed(Operation::Read, At::Source);
        let folder = entry.folder.source_dir(&job.folders).map_err(read_source)?;
        let (name, sources) = (entry.block.name(entry.at), (&sides.source, &sides.existing));
        let watch = Watch::of(job, entry.id());
        let ours = (&*folder, name);
        if same_contents(ours, (&sides.destination, wanted), sources, || watch.checkpoint())? {
            return Ok(Decision::Skip);
        }
    }
    Ok(decision)
}

fn clash(sides: &Sides, wanted: &OsStr, own: &OsStr, sources_meet: bool) -> Clash {
    let source = fs::facts(&sides.source);
    Clash {
        source,
        existing: fs::facts(&sides.existing),
        wanted: (wanted != own).then(|| wanted.to_os_string()),
        free: free_number(&sides.destination, |number| other_name(wanted, source.kind, number)),
        same_file: sides.same_file(),
        sources_meet,
    }
}

/// The entry goes back to the pool.
fn again(worker: &Worker<'_>, entry: Entry<'_>, wish: Wish) -> Ended {
    if wish.tries >= TRIES {
        let kind = ErrorKind::Os(libc::EEXIST);
        let trouble = Trouble::Failed(Operation::Create, At::Destination, kind);
        return worker.failure(entry, &wish, trouble);
    }
    let wish = Wish { tries: wish.tries + 1, ..wish };
    worker.job.pool.push(worker.index, [entry.work(wish)]);
    Ended::Later
}

/// Copies under the next free name, or the next that the pattern makes.
fn keep_both(
    worker: &Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    sides: &Sides,
    pattern: Option<&NamePattern>,
) -> Ended {
    let own = || entry.block.name(entry.at).to_os_string();
    let base = wish.wanted.clone().unwrap_or_else(own);
    let facts = fs::facts(&sides.source);
    let made = |number| match pattern {
        Some(pattern) if wish.maps => mapped(&pattern.apply(&base, &facts, number)),
        Some(pattern) => pattern.apply(&base, &facts, number),
        None => other_name(&base, facts.kind, number),
    };
    let name = free_number(&sides.destination, made).map(made).unwrap_or_default();
    if !name_is_possible(&name) {
        let trouble = Trouble::Failed(Operation::Create, At::Destination, ErrorKind::BadName);
        return worker.failure(entry, wish, trouble);
    }
    let (rule, folder_rule) = match pattern {
        Some(_) => (ConflictRule::Rename, FolderRule::Rename),
        None => (ConflictRule::KeepBoth, FolderRule::KeepBoth),
    };
    let wish = Wish {
        rule: Some(rule),
        folder_rule: Some(folder_rule),
        pattern: pattern.cloned(),
        name: Some(name),
        ..wish.clone()
    };
    again(worker, entry, wish)
}

/// What is there gets the next free name, the entry its own.
fn keep_existing(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    sides: &Sides,
    wanted: &OsStr,
) -> Ended {
    let kind = fs::kind(&sides.named);
    let made = |number| other_name(wanted, kind, number);
    let Some(aside) = free_number(&sides.destination, made).map(made) else {
        let trouble = Trouble::Failed(Operation::Create, At::Destination, ErrorKind::BadName);
        return worker.failure(entry, wish, trouble);
    };
    if entry.block.kind(entry.at) != FileKind::Folder {
        return worker.copy(entry, wish, wish.name.clone(), Over::SetAside(aside));
    }
    // A folder is set aside before the new one is made: each has a name at every moment.
    let of = For { job: worker.job, entry: entry.id() };
    keep::tell_aside(of, fs::identity(&sides.named), wanted, &aside);
    match fs::rename_new(&*sides.destination, wanted, &*sides.destination, &aside) {
        Ok(()) => worker.job.report.set_aside(entry.id(), aside.as_ref()),
        // Taken meanwhile: the next one.
        Err(Errno::EXIST | Errno::NOENT) => {}
        Err(errno) => {
            let trouble = failed(Operation::Rename, At::Destination)(errno);
            return worker.failure(entry, wish, trouble);
        }
    }
    again(worker, entry, wish.clone())
}

/// The first number from 2 on whose name is free in a folder; `None` when none of the first
/// ten thousand is.
pub fn free_number(folder: &OwnedFd, name: impl Fn(u64) -> OsString) -> Option<u64> {
    (2..NAMES_MOST).find(|number| fs::stat_name(folder, &name(*number)).is_err())
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
    let named = match fs::stat_name(&*destination, wanted) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Err(Trouble::OtherKind),
        Err(errno) => return Err(inspect(errno)),
    };
    // A link to a folder is to a folder what that folder is.
    let followed = (fs::kind(&source) == FileKind::Folder && fs::kind(&named) == FileKind::Link)
        .then(|| fs::stat_followed(&*destination, wanted).ok())
        .flatten()
        .filter(|stat| fs::kind(stat) == FileKind::Folder);
    Ok(Sides { destination, source, existing: followed.unwrap_or(named), named })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_apart_in_the_steps_that_they_are_kept_in() {
        for (source, kept, same) in [
            // FAT, exFAT, NTFS.
            ((101, 999_999_999), (100, 0), true),
            ((102, 0), (100, 0), false),
            ((99, 500), (100, 0), true),
            ((-1, 0), (0, 0), true),
            ((100, 129_999_999), (100, 120_000_000), true),
            ((100, 130_000_000), (100, 120_000_000), false),
            ((101, 120_000_000), (100, 120_000_000), false),
            ((100, 123_456_789), (100, 123_456_700), true),
            ((100, 123_456_801), (100, 123_456_700), false),
            ((100, 123_456_789), (100, 123_456_788), false),
            ((100, 123_456_789), (100, 123_000_000), true),
        ] {
            assert_eq!(cannot_be_told_apart(source, kept), same, "{source:?} {kept:?}");
        }
    }
}
