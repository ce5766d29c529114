//! Folders: made at the destination, listed in batches, closed when their last entry ends.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::conflict::{FileKind, FolderRule};
use super::control::Stop;
use super::copy::{At, Place, Trouble, attributes, failed};
use super::error::{ErrorKind, Operation};
use super::exchange::{self, Exchange};
use super::folder::{Folder, Pending, Reopen, Side, Target};
use super::fs;
use super::job::{Job, Wish, Work, lock};
use super::journal::{self, MadeAs, Record};
use super::message::{EntryId, Event};
use super::plan::{Block, BlockBuilder, EntryState};
use super::progress::add;
use super::resume;
use super::worker::Worker;

/// Files in a batch. 64 and 256 were measured to be equal.
pub const BATCH: u32 = 64;
const BATCH_LEAST: u32 = 8;
/// Entries that are added to the plan together: at first about what one `getdents64` gives,
/// so that others can begin, then more, so that more are in the order of a disk.
const BLOCK: usize = 1024;
const BLOCK_MOST: usize = 16 * 1024;
/// Bytes of the buffer for listing.
pub const LISTING: usize = 64 * 1024;

/// The mode of a folder until its last entry is made: nobody but its owner may look into it,
/// and it may be filled even when its source is read-only. The sticky bit, which means nothing
/// there, is a mark: nobody else makes such folders, and so one whose record was lost is known.
pub const FILLED: u32 = 0o1700;

/// The destination side of a folder that was just made or found.
struct Opened {
    descriptor: OwnedFd,
    stat: Stat,
    made: bool,
    followed: bool,
}

/// Opens both sides of a folder, makes the destination where it is missing, and gives the
/// folder, which is to be listed next.
///
/// # Errors
/// [`Trouble::Taken`] when something else than a folder has its name, or when the folder
/// there is the source itself.
pub fn open_folder(
    job: &Job,
    parent: &Arc<Folder>,
    (block, at): (&Arc<Block>, u32),
    place: &Place<'_>,
    wish: &Wish,
) -> Result<Arc<Folder>, Trouble> {
    let source = fs::open_folder(place.source, place.name).map_err(|errno| match errno {
        Errno::NOTDIR | Errno::LOOP => Trouble::OtherKind,
        errno => failed(Operation::Open, At::Source)(errno),
    })?;
    let stat = fs::stat(&source).map_err(failed(Operation::Inspect, At::Source))?;
    // A folder that this job made, reached through a bind mount: copying it would not end.
    if lock(&job.made_folders).contains(&fs::identity(&stat)) {
        return Err(Trouble::Failed(Operation::MakeFolder, At::Source, ErrorKind::IntoItself));
    }
    let mut opened = open_destination(place)?;
    let told = resume::folder_of(job, parent, place.name);
    if !opened.made && resume::made_folder(job, parent, place) {
        // As it is while it is filled.
        let _same_or_not = fs::set_mode(&opened.descriptor, FILLED);
        opened.made = true;
    }
    let mut stat = stat;
    if let Some(modified) = told.and_then(|told| resume::modified(job, told)) {
        // Entries that were moved away since have changed it.
        (stat.st_mtime, stat.st_mtime_nsec) = (modified.0, modified.1.into());
    }
    if fs::identity(&opened.stat) == fs::identity(&stat) {
        return Err(Trouble::Taken);
    }
    if !opened.made && !may_merge(job, wish, place, &opened) {
        return Err(Trouble::Taken);
    }
    if opened.made {
        let _new = lock(&job.made_folders).insert(fs::identity(&opened.stat));
    }
    if opened.followed || (!opened.made && may_fold(&opened, parent)) {
        job.ways_may_meet.store(true, Relaxed);
    }
    let devices = (stat.st_dev, opened.stat.st_dev);
    let (pair, new) = job.pairs.of(&job.spec, devices, &source, &opened.descriptor);
    if new {
        job.tell(Event::Route { job: job.id, route: pair.route() });
    }
    let inherits = !opened.made || parent.target.default_acl;
    let target = attributes::target(&opened.descriptor, &opened.stat, inherits);
    let emptied = place.pair.renames.load(Relaxed) && pair.renames.load(Relaxed);
    let made_as = (job.journal().is_some() && opened.made)
        .then(|| MadeAs::of(&opened.descriptor).ok())
        .flatten();
    let folder = Arc::new(Folder {
        number: job.plan.add_folder(block.id(at)),
        parent: Some(Arc::clone(parent)),
        own: Some((Arc::clone(block), at)),
        source: Side::new(place.name, &stat, Arc::new(source), Reopen::ByName),
        destination: Side::new(
            place.new_name,
            &opened.stat,
            Arc::new(opened.descriptor),
            if opened.followed { Reopen::Following } else { Reopen::ByName },
        ),
        pair,
        target,
        attributes: opened.made.then(|| Box::new(stat)),
        exchange: wish
            .exchange
            .map(|old| Exchange { name: wish.wanted.clone().unwrap_or_default(), old }),
        emptied,
        pending: Pending::default(),
        told,
    });
    if let Some(journal) = job.journal() {
        journal.append(&[Record::Opened(journal::Opened {
            entry: block.id(at),
            folder: folder.number,
            made: folder.attributes.is_some(),
            followed: opened.followed,
            modified: (stat.st_mtime, stat.st_mtime_nsec as u32),
            name: (place.new_name != place.name).then(|| place.new_name.to_os_string()),
            made_as,
            mode: Some(fs::mode(&stat)),
        })]);
    }
    job.folders.note(&folder);
    Ok(folder)
}

/// Whether a folder that was there already is to be merged into.
fn may_merge(job: &Job, wish: &Wish, place: &Place<'_>, opened: &Opened) -> bool {
    let standing = || {
        let rules = lock(&job.rules);
        let made = lock(&job.made_folders).contains(&fs::identity(&opened.stat));
        if made || place.made.is_some_and(|made| lock(made).has_name(place.made_as)) {
            rules.folders_meet
        } else {
            rules.folder_exists
        }
    };
    wish.folder_rule.unwrap_or_else(standing) == FolderRule::Merge
}

/// Whether a folder that was there already may be one by another way, or folds names.
fn may_fold(opened: &Opened, parent: &Folder) -> bool {
    opened.stat.st_dev != parent.destination.device() || fs::folds_case(&opened.descriptor)
}

fn open_destination(place: &Place<'_>) -> Result<Opened, Trouble> {
    let made = match place.make_folder(FILLED) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(errno) => return Err(failed(Operation::MakeFolder, At::Destination)(errno)),
    };
    look_into(place, made).inspect_err(|_| {
        // Tried again, it must not be taken for one that was there before. It is empty, or
        // not ours.
        if made {
            let _removed_or_not = fs::remove_folder(place.destination, place.new_name);
        }
    })
}

fn look_into(place: &Place<'_>, made: bool) -> Result<Opened, Trouble> {
    let mut followed = false;
    let descriptor = match fs::open_folder(place.destination, place.new_name) {
        // A link to a folder is merged into, as if it were the folder.
        Err(Errno::NOTDIR | Errno::LOOP) if !made => {
            followed = true;
            fs::open_folder_followed(place.destination, place.new_name).map_err(
                |errno| match errno {
                    Errno::NOTDIR | Errno::LOOP | Errno::NOENT => Trouble::Taken,
                    errno => failed(Operation::Open, At::Destination)(errno),
                },
            )?
        }
        result => result.map_err(failed(Operation::Open, At::Destination))?,
    };
    let stat = fs::stat(&descriptor).map_err(failed(Operation::Inspect, At::Destination))?;
    Ok(Opened { descriptor, stat, made, followed })
}

/// Lists a folder: its entries go to the plan, works for them to the pool.
///
/// # Errors
/// What listing says; entries found before are copied all the same.
pub fn list_folder(worker: &mut Worker<'_>, folder: &Arc<Folder>) -> Result<(), Trouble> {
    let (job, index) = (worker.job, worker.index);
    let list = failed(Operation::List, At::Source);
    let source = folder.source_dir(&job.folders).map_err(&list)?;
    let mut buffer = std::mem::take(&mut worker.listing);
    if buffer.is_empty() {
        buffer.resize(LISTING, MaybeUninit::uninit());
    }
    // A disk has files most often in the order of their inodes, listings in that of a hash.
    let sorts = folder.pair.source.is_on_disk();
    let found = |mut builder: BlockBuilder| {
        if sorts {
            builder.sort_by_inode();
        }
        publish(job, index, folder, builder);
    };
    let mut builder = BlockBuilder::default();
    let mut block = BLOCK;
    let mut lets_go = false;
    let result = fs::list(&*source, &mut buffer, |listed| {
        // A job that lets go lists this folder to its end, and then closes it.
        match job.control.go_on() {
            Ok(()) => {}
            Err(Stop::LetGo) => lets_go = true,
            Err(Stop::Cancelled) => return Err(Errno::CANCELED),
        }
        let kind = match listed.kind {
            Some(kind) => kind,
            // Vanished since: copying it will say so.
            None => fs::stat_name(&*source, listed.name).map_or(FileKind::File, |s| fs::kind(&s)),
        };
        builder.push_inode(folder.number, listed.name, kind, listed.inode);
        if builder.len() >= block {
            found(std::mem::take(&mut builder));
            block = (block * 4).min(BLOCK_MOST);
        }
        Ok(())
    });
    found(builder);
    worker.listing = buffer;
    if lets_go {
        job.let_go();
    }
    result.map_err(|errno| match errno {
        Errno::CANCELED => Trouble::Cancelled,
        errno => list(errno),
    })
}

/// Adds a run of a folder's entries to the plan and hands them to the workers: folders
/// first, so that a worker copies the files here before it goes down, and others can take
/// the folders.
pub fn publish(job: &Job, worker: usize, folder: &Arc<Folder>, builder: BlockBuilder) {
    let block = job.plan.append(builder);
    resume::tell_listed(job, folder.number, None, &block);
    folder.expect(u64::from(block.len()));
    hand_out(job, worker, folder, &block);
}

/// Hands a block's entries to the workers.
pub fn hand_out(job: &Job, worker: usize, folder: &Arc<Folder>, block: &Arc<Block>) {
    let is_folder = |at: &u32| block.kind(*at) == FileKind::Folder;
    let folders: Vec<u32> = (0..block.len()).filter(is_folder).collect();
    add(&job.progress.to_list, folders.len() as u64);
    let folder_works = folders.iter().map(|at| Work::Folder {
        parent: Arc::clone(folder),
        block: Arc::clone(block),
        at: *at,
        wish: Wish::default(),
    });
    let mut works: Vec<Work> = folder_works.collect();
    // Runs between folders, cut into batches: small ones where there is little else to do,
    // so that no worker ends long after the others.
    let workers = job.progress.workers.len();
    let batch = match job.pool.open() {
        open if open > workers => BATCH,
        _ => block.len().div_ceil(4 * workers as u32).clamp(BATCH_LEAST, BATCH),
    };
    let mut start = 0;
    for end in folders.iter().copied().chain([block.len()]) {
        let mut from = start;
        while from < end {
            let to = end.min(from + batch);
            works.push(Work::Batch {
                folder: Arc::clone(folder),
                block: Arc::clone(block),
                places: from..to,
            });
            from = to;
        }
        start = end + 1;
    }
    job.pool.push(worker, works);
}

/// So many entries of a folder have ended. When they were the last, the folder gets its
/// attributes, its times last of all, and counts as ended in the folder above, and so on.
pub fn entries_ended(worker: &Worker<'_>, folder: &Arc<Folder>, entries: u64) {
    if !folder.ended(entries) {
        return;
    }
    let mut at = Arc::clone(folder);
    loop {
        close_folder(worker, &at);
        match at.parent.clone() {
            Some(parent) if parent.ended(1) => at = parent,
            _ => return,
        }
    }
}

fn close_folder(worker: &Worker<'_>, folder: &Arc<Folder>) {
    let job = worker.job;
    let Some((block, at)) = &folder.own else { return };
    let entry = block.id(*at);
    worker.diary.begin(block, *at, None);
    // Before its own mode may forbid to look through it.
    folder.lend_to_parent(&job.folders);
    let set = match &folder.attributes {
        Some(stat) => set_attributes(worker, folder, stat, entry),
        None => Ok(()),
    };
    let exchanged = exchange::finish(worker, folder);
    let set = set.and(exchanged);
    let removed = if folder.emptied && set.is_ok() { remove_emptied(job, folder) } else { Ok(()) };
    folder.close();
    match set.and(removed) {
        Ok(()) => {
            // Of a cancelled job some of it may be missing.
            if job.control.is_cancelled() && block.state(*at) == EntryState::InWork {
                block.set_state(*at, EntryState::Pending);
            } else if block.state(*at) == EntryState::InWork {
                if folder.attributes.is_none() {
                    add(&worker.counters.merged, 1);
                }
                let renamed = folder.destination.name() != block.name(*at);
                let state = if renamed { EntryState::Renamed } else { EntryState::Done };
                worker.ended(block, *at, state);
            }
        }
        // A folder that could not be listed has failed already.
        Err(_) if block.state(*at) != EntryState::InWork => {}
        Err(trouble) => worker.failed_for_good(block, *at, trouble),
    }
}

fn set_attributes(
    worker: &Worker<'_>,
    folder: &Arc<Folder>,
    stat: &Stat,
    entry: EntryId,
) -> Result<(), Trouble> {
    let job = worker.job;
    let source = folder.source_dir(&job.folders).map_err(failed(Operation::Inspect, At::Source))?;
    let made = folder
        .destination_dir(&job.folders)
        .map_err(failed(Operation::SetAttributes, At::Destination))?;
    let name = block_name(folder);
    let parent_target = folder.parent.as_ref().map_or(folder.target, |parent| parent.target);
    let place = Place {
        source: &source,
        destination: &made,
        pair: &folder.pair,
        target: Target { default_acl: folder.target.default_acl, ..parent_target },
        preserve: job.spec.options.preserve,
        name: &name,
        new_name: &name,
        replace: false,
        aside: None,
        made: None,
        made_as: None,
        keep: None,
        tag: job.tag,
    };
    let xattrs = attributes::Xattrs::of(&place, &source)?;
    let lost = attributes::set(&place, &source, stat, &xattrs, &made, None)?;
    job.report.lost(lost, &job.plan, entry);
    Ok(())
}

fn block_name(folder: &Folder) -> std::ffi::OsString {
    folder.own.as_ref().map(|(block, at)| block.name(*at).to_os_string()).unwrap_or_default()
}

/// Removes a source folder whose entries were renamed away. One that still holds something
/// stays: its entries say why.
fn remove_emptied(job: &Job, folder: &Arc<Folder>) -> Result<(), Trouble> {
    let remove = failed(Operation::Remove, At::Source);
    let Some(parent) = &folder.parent else { return Ok(()) };
    let parent = parent.source_dir(&job.folders).map_err(&remove)?;
    match fs::remove_folder(&*parent, &block_name(folder)) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        // Said when the sources are gone through at the end.
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
        Err(errno) => Err(remove(errno)),
    }
}
