//! A job that an earlier run of the program left goes on: what it had done is trusted where
//! it is still so, what was in the middle is healed, all else is copied as ever.
//!
//! Also where a job begins to be remembered.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::Stat;

use super::conflict::{ConflictRule, FileKind};
use super::copy::Place;
use super::exchange;
use super::folder::Folder;
use super::fs;
use super::heal::{self, Found};
use super::job::{Job, Wish, Work, lock};
use super::journal::{
    self, Aside, Facts, How, JournalError, JournalId, Listed, Record, Replacing, Side, Store, Told,
    Way,
};
use super::links::{Claim, Made};
use super::lost;
use super::message::{EntryId, JobKind};
use super::moving;
use super::plan::{Block, EntryState, FolderNumber};
use super::progress::add;
use super::skips::Watch;
use super::summary::{NoticeKind, Outcome};
use super::tidy;
use super::verify::{self, Hashed};
use super::worker::{Ended, Entry, Worker};

/// Takes a job that was left, and brings to an end what was in the middle.
///
/// # Errors
/// See [`super::Engine::resume`].
pub fn take(store: &Store, id: JournalId) -> Result<(journal::Journal, Told), JournalError> {
    let (journal, mut told) = store.take(id)?;
    let is_done = told.end.as_ref().is_some_and(|end| end.outcome == Outcome::Done);
    if is_done || told.undone.is_some() {
        return Err(JournalError::Ended);
    }
    check_destination(&told)?;
    lost::recall(&mut told, &store.home_trash, Some(&journal));
    tidy::tidy(&mut told, &journal);
    journal.append(&[Record::Again]);
    Ok((journal, told))
}

/// The destination must be the folder that it was: not the empty folder that a device was
/// mounted on.
///
/// # Errors
/// [`JournalError::NoDestination`].
pub fn check_destination(told: &Told) -> Result<(), JournalError> {
    let Some(known) = told.destination.as_ref().filter(|known| known.inode != 0) else {
        return Ok(());
    };
    let same = || {
        let opened = fs::open_folder_path(&told.header.spec.destination).ok()?;
        let inode = fs::stat(&opened).ok()?.st_ino;
        Some(inode == known.inode && fs::file_system_magic(&opened).ok()? == known.magic)
    };
    if same() == Some(true) { Ok(()) } else { Err(JournalError::NoDestination) }
}

/// Begins a job's journal, where there is to be one.
pub fn remember_start(job: &Job) {
    let Some(store) = job.store.as_ref().filter(|_| job.journal().is_none()) else { return };
    match store.begin(&job.spec, job.tag, job.began) {
        Ok(journal) => {
            let _set_once = job.journal.set(journal);
            job.additions.remember(job);
        }
        Err(_) => job.report.notice(NoticeKind::NotRemembered, &job.plan, EntryId(0)),
    }
}

/// Tells the journal of sources that came later.
pub fn remember_sources(job: &Job, sources: &[PathBuf]) {
    if let Some(journal) = job.journal()
        && !sources.is_empty()
    {
        let paths = sources.iter().map(|path| fs::path::absolute(path)).collect();
        journal.append(&[Record::Sources(journal::Sources { paths })]);
    }
}

/// Tells the journal what was found in a folder, before anything of it is made.
pub fn tell_listed(job: &Job, folder: FolderNumber, origin: Option<&Path>, block: &Block) {
    if let Some(journal) = job.journal()
        && !block.is_empty()
    {
        let entries = (0..block.len()).map(|at| (block.kind(at), block.name(at).to_os_string()));
        journal.append(&[Record::Listed(Listed {
            folder,
            origin: origin.map(fs::path::absolute),
            first: block.id(0),
            entries: entries.collect(),
        })]);
    }
}

/// What an earlier run told of the destination as the place of what comes from a folder.
pub fn root_of(job: &Job, origin: &Path) -> Option<usize> {
    job.told.as_ref()?.root(&fs::path::absolute(origin))
}

/// What an earlier run told of a folder.
pub fn folder_of(job: &Job, parent: &Folder, name: &OsStr) -> Option<usize> {
    job.told.as_ref()?.entry(parent.told?, name)?.folder
}

/// When a moved folder's source was changed last, before the first run took entries from it.
pub fn modified(job: &Job, told: usize) -> Option<(i64, u32)> {
    let folders = &job.told.as_ref()?.folders;
    (job.spec.kind == JobKind::Move).then(|| folders[told].modified)
}

/// Whether an earlier run made the folder that stands at a place, and may not have come to
/// set its attributes.
pub fn made_folder(job: &Job, parent: &Folder, place: &Place<'_>) -> bool {
    let known = || {
        let told = job.told.as_ref()?;
        let entry = told.entry(parent.told?, place.name)?;
        let birth = fs::birth_of_name(place.destination, place.new_name);
        let since = birth.is_some_and(|birth| birth >= job.began);
        Some(match entry.folder {
            Some(folder) => {
                let known = &told.folders[folder];
                let is_still = || {
                    let opened = fs::open_folder(place.destination, place.new_name);
                    opened.is_ok_and(|opened| known.is_still(&opened))
                };
                known.made && (since || birth.is_none()) && is_still()
            }
            None => {
                entry.ended.is_none()
                    && since
                    && told.is_being_filled(place.destination, place.new_name)
            }
        })
    };
    known().unwrap_or(false)
}

/// Whether a source that is not there any more was done by an earlier run.
pub fn is_done_without(job: &Job, origin: &Path, name: &OsStr) -> bool {
    let known = || {
        let told = job.told.as_ref()?;
        let entry = told.entry(root_of(job, origin)?, name)?;
        // A moved folder is removed once nothing is left in it.
        let emptied = || job.spec.kind == JobKind::Move && entry.folder.is_some();
        Some(entry.ended.as_ref().map_or_else(emptied, |ended| is_done(ended.state)))
    };
    known().unwrap_or(false)
}

/// Notes every file that an earlier run made: two sources may come to one of their names.
pub fn note_made(job: &Job) {
    let (Some(told), Some(made)) = (&job.told, job.made_files.get()) else { return };
    let mut way = Way::new(Side::Destination);
    for (folder, known) in told.folders.iter().enumerate() {
        let Ok(opened) = way.to(told, folder) else { continue };
        for (name, entry) in &known.entries {
            let Some(ended) = entry.ended.as_ref().filter(|ended| ended.how != How::Nothing) else {
                continue;
            };
            if let Ok(stat) = fs::stat_name(&*opened, entry.name(name))
                && ended.facts.are_of(&stat, &opened)
            {
                lock(made).note_file(fs::identity(&stat));
            }
        }
    }
}

/// What an earlier run could not keep of an entry is said again: it is still so.
fn carry_notices(job: &Job, entry: Entry<'_>, known: &journal::Entry) {
    // These are found out anew.
    let of_this_run = [NoticeKind::NotCheckable, NoticeKind::SourceLeft];
    let said = known.said.iter().flat_map(|said| &said.notices);
    for kind in said.filter(|kind| !of_this_run.contains(kind)) {
        job.report.notice(*kind, &job.plan, entry.id());
    }
}

fn is_done(state: EntryState) -> bool {
    matches!(state, EntryState::Done | EntryState::Renamed)
}

/// Both folders of an entry.
struct Folders {
    source: Arc<OwnedFd>,
    destination: Arc<OwnedFd>,
}

impl Folders {
    fn of(worker: &Worker<'_>, entry: Entry<'_>) -> Option<Folders> {
        let open = &worker.job.folders;
        Some(Folders {
            source: entry.folder.source_dir(open).ok()?,
            destination: entry.folder.destination_dir(open).ok()?,
        })
    }
}

/// Ends an entry as an earlier run had ended it, if that is still so; `None` when it is to be
/// handled as ever.
pub fn settled(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish) -> Option<Ended> {
    let told = worker.job.told.as_ref()?;
    if wish.rule.is_some() || wish.name.is_some() || wish.tries > 0 {
        return None;
    }
    let name = entry.block.name(entry.at);
    let known = told.entry(entry.folder.told?, name)?;
    if known.declined && !known.ended.as_ref().is_some_and(|ended| is_done(ended.state)) {
        if known.folder.is_none() {
            remove_begun(worker, entry, known);
            worker.ended(entry.block, entry.at, EntryState::Skipped);
            return Some(Ended::Yes);
        }
        // What lies in it is skipped, and it is closed as ever.
        worker.job.skips.add(entry.id());
    }
    if entry.block.kind(entry.at) == FileKind::Folder {
        let folder = &told.folders[known.folder?];
        // It goes on to take the place of the one that it was begun for, also where a cancel
        // had given it another name meanwhile.
        let by_name = |begun: &&Replacing| begun.temporary == folder.name;
        let begun = known.replacing.iter().rev().find(by_name);
        let renamed = || known.replacing.last().filter(|b| folder.made && folder.name != b.name);
        if let Some(begun) = begun.or_else(renamed) {
            return exchange::go_on(worker, entry, wish, begun, &folder.name);
        }
        // It goes on under the name that it was begun with.
        let wish = Wish { name: Some(folder.name.clone()), again: true, ..wish.clone() };
        return (folder.name != name).then(|| worker.folder(entry, &wish));
    }
    let folders = Folders::of(worker, entry)?;
    let source = fs::stat_name(&*folders.source, name).ok()?;
    match &known.ended {
        Some(before) => {
            let new_name = known.name(name);
            let existing = fs::stat_name(&*folders.destination, new_name).ok()?;
            match before.state {
                EntryState::Skipped if worker.job.spec.options.conflict == ConflictRule::Ask => {
                    worker.ended(entry.block, entry.at, EntryState::Skipped);
                    Some(Ended::Yes)
                }
                _ if !matches!(before.how, How::Made | How::Replaced) => None,
                _ if !is_as_noted(&before.facts, before.kind, &existing, &folders) => None,
                state if is_done(state) && before.facts.are_of(&source, &folders.source) => {
                    let hash = match known.verified {
                        true => None,
                        false => match hash_of(worker, entry, wish, &folders, &source) {
                            Ok(hash) => hash,
                            Err(ended) => return ended,
                        },
                    };
                    let both = (&source, &existing);
                    carry_notices(worker.job, entry, known);
                    Some(accept(worker, entry, both, new_name, How::Trusted, hash))
                }
                // A move may have taken the source away: then this copy is all that is left,
                // and what has the name now is another file.
                state if is_done(state) && worker.job.spec.kind == JobKind::Move => None,
                // The source is another one by now.
                _ => Some(make_again(worker, entry, wish, new_name)),
            }
        }
        None => known.names.iter().find_map(|other| {
            let existing = fs::stat_name(&*folders.destination, other).ok()?;
            heal(worker, entry, wish, &folders, (&source, &existing), other)
        }),
    }
}

/// What a copy of an earlier run is to be compared with, if it is.
///
/// # Errors
/// How the entry ended, when it cannot go on now; `None` when its source cannot be read, which
/// copying it will say.
fn hash_of(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    folders: &Folders,
    source: &Stat,
) -> Result<Option<u64>, Option<Ended>> {
    if !worker.job.spec.options.verify || fs::kind(source) != FileKind::File {
        return Ok(None);
    }
    let name = entry.block.name(entry.at);
    let watch = Watch::of(worker.job, entry.id());
    let mut buffer = std::mem::take(&mut worker.buffer);
    let hash = verify::hash_of(watch, &folders.source, name, &mut buffer);
    worker.buffer = buffer;
    match hash {
        Ok(hash) => hash.map(Some).map_err(|_| None),
        Err(trouble) => Err(Some(worker.trouble(entry, wish, trouble))),
    }
}

fn is_as_noted(facts: &Facts, kind: FileKind, existing: &Stat, folders: &Folders) -> bool {
    fs::kind(existing) == kind && facts.are_of(existing, &folders.destination)
}

/// Heals an entry whose name is taken by what an earlier run was making when it was killed;
/// `None` when it is something else.
pub fn healed(worker: &mut Worker<'_>, entry: Entry<'_>, wanted: &OsStr) -> Option<Ended> {
    let told = worker.job.told.as_ref()?;
    let name = entry.block.name(entry.at);
    let known = told.entry(entry.folder.told?, name)?;
    let is_folder = entry.block.kind(entry.at) == FileKind::Folder;
    if wanted != name || known.ended.is_some() || is_folder {
        return None;
    }
    let folders = Folders::of(worker, entry)?;
    let source = fs::stat_name(&*folders.source, name).ok()?;
    let existing = fs::stat_name(&*folders.destination, wanted).ok()?;
    heal(worker, entry, &Wish::default(), &folders, (&source, &existing), wanted)
}

fn heal(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    wish: &Wish,
    folders: &Folders,
    (source, existing): (&Stat, &Stat),
    new_name: &OsStr,
) -> Option<Ended> {
    let name = entry.block.name(entry.at);
    let found = heal::judge(
        heal::Side { folder: &folders.source, name, stat: source },
        heal::Side { folder: &folders.destination, name: new_name, stat: existing },
        worker.job.began,
    );
    match found {
        Found::Foreign => None,
        Found::Whole | Found::LikeWhole => {
            let hash = match hash_of(worker, entry, wish, folders, source) {
                Ok(hash) => hash,
                Err(ended) => return ended,
            };
            let how = match found {
                Found::Whole if lost::may_have_replaced(&worker.job.spec.options) => How::Replaced,
                Found::Whole => How::Made,
                _ => How::Nothing,
            };
            tell_again(worker, entry);
            Some(accept(worker, entry, (source, existing), new_name, how, hash))
        }
        Found::Short => Some(make_again(worker, entry, wish, new_name)),
    }
}

/// Tells what an entry took the place of under its new number: the run that told it last may
/// have been one of those before the last.
fn tell_again(worker: &Worker<'_>, entry: Entry<'_>) {
    let (Some(told), Some(journal)) = (&worker.job.told, worker.job.journal()) else { return };
    let known = entry.folder.told.and_then(|at| told.entry(at, entry.block.name(entry.at)));
    let Some(known) = known.filter(|known| told.id(known).is_none()) else { return };
    let id = entry.id();
    let replaced = known.replacing.iter().cloned();
    let aside = known.asides.iter().cloned();
    let replaced = replaced.map(|known| Record::Replacing(Replacing { entry: id, ..known }));
    let aside = aside.map(|known| Record::Aside(Aside { entry: id, ..known }));
    journal.append(&replaced.chain(aside).collect::<Vec<_>>());
}

/// Removes what an earlier run was making of an entry that the user then said to skip.
fn remove_begun(worker: &Worker<'_>, entry: Entry<'_>, known: &journal::Entry) {
    let Some(folders) = Folders::of(worker, entry) else { return };
    let name = entry.block.name(entry.at);
    let Ok(source) = fs::stat_name(&*folders.source, name) else { return };
    let all = std::iter::once(name).chain(known.names.iter().map(OsString::as_os_str));
    for new_name in all.filter(|_| known.ended.is_none()) {
        let Ok(existing) = fs::stat_name(&*folders.destination, new_name) else { continue };
        let found = heal::judge(
            heal::Side { folder: &folders.source, name, stat: &source },
            heal::Side { folder: &folders.destination, name: new_name, stat: &existing },
            worker.job.began,
        );
        // A whole one may as well stay.
        if found == Found::Short {
            let identity = fs::identity(&existing);
            let _removed_or_not = fs::remove_if(&*folders.destination, new_name, identity);
        }
    }
}

/// Makes an entry in the place of what an earlier run had made of it.
fn make_again(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish, new_name: &OsStr) -> Ended {
    let name = (new_name != entry.block.name(entry.at)).then(|| new_name.to_os_string());
    worker.copy_over_own(entry, wish, name)
}

/// An entry is done: its copy is there, and is going to be verified where there is a hash.
fn accept(
    worker: &mut Worker<'_>,
    entry: Entry<'_>,
    (source, existing): (&Stat, &Stat),
    new_name: &OsStr,
    how: How,
    hash: Option<u64>,
) -> Ended {
    let job = worker.job;
    let mut waiting = Vec::new();
    if source.st_nlink > 1 {
        let identity = fs::identity(source);
        let (folder, block) = (Arc::clone(entry.folder), Arc::clone(entry.block));
        let later = || (folder, block, entry.at, Wish::default());
        match job.hard_links.claim(identity, later) {
            Claim::Later => return Ended::Later,
            // It is to be a name of the first one's copy, and is a file of its own.
            Claim::Link(made) if made.copy != fs::identity(existing) => {
                return make_again(worker, entry, &Wish::default(), new_name);
            }
            Claim::Link(_) => {}
            Claim::First => {
                waiting = job.hard_links.made(
                    identity,
                    Made {
                        folder: Arc::clone(entry.folder),
                        name: new_name.to_os_string(),
                        copy: fs::identity(existing),
                        source: moving::Fingerprint::of(source),
                        hashed: None,
                    },
                );
            }
        }
    }
    if let Some(made) = job.made_files.get() {
        lock(made).note_file(fs::identity(existing));
    }
    let differs = new_name != entry.block.name(entry.at);
    entry.block.set_kind(entry.at, fs::kind(source));
    entry.block.set_size(entry.at, fs::size(source));
    add(&worker.counters.left, fs::size(source));
    worker.remember_moved(entry, source);
    job.list_unread(entry.id());
    worker.diary.begin(entry.block, entry.at, Some(new_name));
    worker.diary.note(how, Facts::of(existing));
    let state = if differs { EntryState::Renamed } else { EntryState::Done };
    worker.ended(entry.block, entry.at, state);
    if let Some(hash) = hash {
        let made = moving::Fingerprint::of(existing);
        worker.hashed.push(Hashed { entry: entry.id(), hash, made });
    }
    if differs {
        job.report.renamed(entry.id(), new_name);
        add(&worker.counters.renamed, 1);
    }
    let works = waiting.into_iter().map(|(folder, block, at, wish)| Work::Entry {
        folder,
        block,
        at,
        wish,
    });
    job.pool.push(worker.index, works);
    Ended::Yes
}
