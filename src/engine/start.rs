//! What is looked at before anything is written: sources, destination, and whether one lies
//! in the other.
//!
//! Sources are grouped by the folder they lie in and looked at by its descriptor, so that
//! five thousand files chosen one by one cost what their folder costs.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::conflict::FileKind;
use super::copy::attributes;
use super::error::{Error, ErrorKind, Operation};
use super::folder::{Folder, Pending, Reopen, Side};
use super::fs::disks::Spot;
use super::fs::mounts::{FileSystem, Location};
use super::fs::{self, Identity};
use super::job::{Job, lock};
use super::journal::{Destination, Record};
use super::lane::{self, Glance, Quick};
use super::message::{Event, FailureRule};
use super::plan::{Block, BlockBuilder, EntryState, ROOT};
use super::progress::add;
use super::resume;
use super::scan;
use super::sources::{self, Group, Named, Sources};

/// Sources that are handed to the workers together.
pub type Round = Vec<(Arc<Folder>, Arc<Block>)>;

/// What was found before anything is written.
pub struct Prepared {
    good: Vec<Inspected>,
    glance: Glance,
    /// What the destination is, or is going to be, on.
    file_system: FileSystem,
    spots: Vec<Spot>,
}

/// Looks at sources and the destination. Sources that cannot be copied have failed then.
///
/// # Errors
/// What forbids the whole job.
pub fn prepare(job: &Job, sources: &[PathBuf]) -> Result<Prepared, Error> {
    let spec = &job.spec;
    if sources.is_empty() {
        return Err(Error::new(Operation::Inspect, &spec.destination, ErrorKind::NoSources));
    }
    let (nearest, above) = above_destination(&spec.destination)?;
    let inside = Inside { above, nearest, location: OnceCell::new() };
    let Sources { groups, nameless } = sources::group(sources);
    for (source, kind) in nameless {
        let name = source.as_os_str().to_os_string();
        // Only folders have no name.
        let is_folder = (kind == ErrorKind::NoName).then_some(FileKind::Folder);
        let error = Error::new(Operation::Inspect, source, kind);
        fail(job, Path::new(""), vec![(name, is_folder, error)]);
    }
    // How large they are does not matter then: the job is not a small one.
    let many = sources.len() as u64 > lane::FEW;
    let inspected: Vec<Inspected> =
        groups.into_iter().filter_map(|group| inspect(job, group, &inside, many)).collect();
    let any_good = inspected.iter().any(|group| !group.good.is_empty());
    let ask = any_good && spec.options.failure == FailureRule::Ask;
    let device = inside.above.first().map_or(0, |identity| identity.device);
    let (glance, spots) = glance(&inspected, Spot::of(&inside.nearest, device));
    let file_system = FileSystem::of(&inside.nearest);
    let good = inspected.into_iter().filter_map(|group| group.without_bad(job, ask)).collect();
    Ok(Prepared { good, glance, file_system, spots })
}

/// What all groups come to together, and where they and the destination lie.
fn glance(groups: &[Inspected], destination: Spot) -> (Glance, Vec<Spot>) {
    let (mut all, mut spots) = (Glance::default(), vec![destination]);
    for group in groups {
        all.count += group.glance.count;
        all.bytes += group.glance.bytes;
        all.folders |= group.glance.folders;
        all.elsewhere |= group.glance.elsewhere;
        spots.extend(&group.spots);
    }
    spots[1..].sort_unstable();
    spots.dedup();
    (all, spots)
}

impl Prepared {
    /// Where the destination is, or is going to be, and then where the sources are.
    pub fn spots(&self) -> Vec<Spot> {
        self.spots.clone()
    }

    /// Whether the job is known to be quick.
    pub fn quick(&self, job: &Job) -> Quick {
        self.glance.quick(&job.spec, self.file_system)
    }

    /// Makes the destination and hands the sources to the workers. Without any source that
    /// can be copied nothing is made.
    ///
    /// Of sources that come to one name the first named one has it: the others wait in rounds,
    /// each until the one before it has ended.
    ///
    /// # Errors
    /// When the destination cannot be made or opened.
    pub fn hand_out(self, job: &Job) -> Result<(), Error> {
        if self.good.is_empty() {
            return Ok(());
        }
        let (made, stat) = make_destination(job)?;
        let _new = lock(&job.made_folders).insert(fs::identity(&stat));
        let rounds = if may_collide(&self.good, &made) {
            let _set_once = job.made_files.set(Mutex::default());
            resume::note_made(job);
            rounds(self.good)
        } else {
            vec![self.good]
        };
        let made = Arc::new(made);
        let begin_all = |groups: Vec<Inspected>| {
            groups.into_iter().filter_map(|group| begin(job, group, (&made, &stat))).collect()
        };
        let mut rounds: VecDeque<Round> = rounds.into_iter().map(begin_all).collect();
        let first = rounds.pop_front().unwrap_or_default();
        // Until the last one is handed out the total is not known.
        add(&job.progress.to_list, rounds.len() as u64);
        hand_out(job, first);
        lock(&job.rounds).extend(rounds);
        Ok(())
    }
}

/// Hands a round of sources to the workers.
fn hand_out(job: &Job, round: Round) {
    for (folder, block) in round {
        scan::hand_out(job, 0, &folder, &block);
        // It has no entry of its own: nothing is to be done when it ends.
        let _last = folder.ended(1);
    }
}

/// Hands out the next round that has waited; whether there was one.
pub fn hand_out_next(job: &Job) -> bool {
    let Some(round) = lock(&job.rounds).pop_front() else { return false };
    hand_out(job, round);
    let _before = job.progress.to_list.fetch_sub(1, Relaxed);
    true
}

/// Sorts sources by how many of the same name are named before them, case aside.
fn rounds(good: Vec<Inspected>) -> Vec<Vec<Inspected>> {
    let mut places: Vec<(usize, String)> = good
        .iter()
        .flat_map(|group| &group.good)
        .map(|(named, _)| (named.place, named.name.to_string_lossy().to_lowercase()))
        .collect();
    places.sort_unstable();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut round_of: HashMap<usize, usize> = HashMap::new();
    for (place, name) in places {
        let before = seen.entry(name).or_default();
        let _new = round_of.insert(place, *before);
        *before += 1;
    }
    let mut rounds: Vec<Vec<Inspected>> = Vec::new();
    for group in good {
        let Inspected { folder, identity, good, .. } = group;
        let mut of_group: BTreeMap<usize, Vec<(Named, Option<FileKind>)>> = BTreeMap::new();
        for source in good {
            let round = round_of.get(&source.0.place).copied().unwrap_or_default();
            of_group.entry(round).or_default().push(source);
        }
        for (round, good) in of_group {
            rounds.resize_with(rounds.len().max(round + 1), Vec::new);
            let folder = folder.clone();
            let (bad, spots) = (Vec::new(), Vec::new());
            let glance = Glance::default();
            rounds[round].push(Inspected { folder, identity, good, bad, glance, spots });
        }
    }
    rounds
}

/// Where the destination lies.
struct Inside {
    above: Vec<Identity>,
    nearest: OwnedFd,
    /// Only looked up where a source lies on another mount.
    location: OnceCell<Option<Location>>,
}

impl Inside {
    fn is_on(&self, device: u64) -> bool {
        self.above.first().is_some_and(|identity| identity.device == device)
    }

    /// Whether the destination lies in this folder, by the folders above it or through a
    /// bind mount.
    fn is_in(&self, parent: &OwnedFd, name: &OsStr, stat: &Stat) -> bool {
        let through_a_mount = || {
            let folder = fs::open_folder(parent, name).ok()?;
            if fs::mount_of(&folder) == fs::mount_of(&self.nearest) {
                return None;
            }
            let destination = self.location.get_or_init(|| Location::of(&self.nearest));
            Some(destination.as_ref()?.is_below(&Location::of(&folder)?))
        };
        self.above.contains(&fs::identity(stat)) || through_a_mount().unwrap_or(false)
    }
}

/// A group that was looked at.
struct Inspected {
    folder: PathBuf,
    identity: Identity,
    /// With what they are, where they could be looked at.
    good: Vec<(Named, Option<FileKind>)>,
    bad: Vec<(Named, Error)>,
    glance: Glance,
    spots: Vec<Spot>,
}

impl Inspected {
    /// Ends the sources that cannot be copied as failed; where failures are asked about they
    /// stay among the good ones, for a worker to find out the same and ask. `None` when
    /// nothing is left.
    fn without_bad(mut self, job: &Job, ask: bool) -> Option<Inspected> {
        let bad = std::mem::take(&mut self.bad);
        let (asked, failed): (Vec<_>, Vec<_>) =
            bad.into_iter().partition(|(_, error)| ask && matches!(error.kind, ErrorKind::Os(_)));
        self.good.extend(asked.into_iter().map(|(named, _)| (named, None)));
        if !failed.is_empty() {
            let failed = failed.into_iter().map(|(named, error)| {
                // Only folders have something in them.
                let is_folder = (error.kind == ErrorKind::IntoItself).then_some(FileKind::Folder);
                (named.name, is_folder, error)
            });
            fail(job, &self.folder, failed.collect());
        }
        (!self.good.is_empty()).then_some(self)
    }
}

/// Looks at the sources of a group; `None` when their folder cannot be opened. Of many sources
/// only folders are looked at, as far as listings tell what the others are.
fn inspect(job: &Job, group: Group, destination: &Inside, many: bool) -> Option<Inspected> {
    let Group { folder, names } = group;
    let error = |name: &OsStr, kind| Error::new(Operation::Inspect, folder.join(name), kind);
    let os = |errno: Errno| ErrorKind::Os(errno.raw_os_error());
    let (descriptor, stat) = match open_and_look(&folder) {
        Ok(opened) => opened,
        Err(errno) => {
            let failed = names.into_iter().map(|Named { name, .. }| {
                let error = error(&name, os(errno));
                (name, None, error)
            });
            fail(job, &folder, failed.collect());
            return None;
        }
    };
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let mut glance = Glance { count: names.len() as u64, ..Glance::default() };
    let mut spots: Vec<Spot> = Vec::new();
    let listed = if many { sources::listed_kinds(&descriptor, &names) } else { Vec::new() };
    // Folders are looked at: the destination may lie in them, and others be mounted there.
    if listed.iter().any(Option::is_some) {
        glance.elsewhere |= !destination.is_on(stat.st_dev);
        spots.push(Spot::of(&descriptor, stat.st_dev));
    }
    for (at, named) in names.into_iter().enumerate() {
        if let Some(Some(kind)) = listed.get(at)
            && *kind != FileKind::Folder
        {
            good.push((named, Some(*kind)));
            continue;
        }
        let name = &named.name;
        let kind = match fs::stat_name(&descriptor, name) {
            Ok(stat)
                if fs::kind(&stat) == FileKind::Folder
                    && destination.is_in(&descriptor, name, &stat) =>
            {
                Err(ErrorKind::IntoItself)
            }
            Ok(stat) => {
                let kind = fs::kind(&stat);
                glance.bytes += if kind == FileKind::File { fs::size(&stat) } else { 0 };
                glance.folders |= kind == FileKind::Folder;
                glance.elsewhere |= !destination.is_on(stat.st_dev);
                if spots.iter().all(|spot| spot.device != stat.st_dev) {
                    spots.push(Spot::of(&descriptor, stat.st_dev));
                }
                Ok(kind)
            }
            // Moved already, or copied before it went: done.
            Err(Errno::NOENT) if resume::is_done_without(job, &folder, name) => continue,
            Err(errno) => Err(os(errno)),
        };
        match kind {
            Ok(kind) => good.push((named, Some(kind))),
            Err(kind) => {
                let error = error(name, kind);
                bad.push((named, error));
            }
        }
    }
    // Not kept open: sources may lie in thousands of folders, and wait for their turn.
    let identity = fs::identity(&stat);
    Some(Inspected { folder, identity, good, bad, glance, spots })
}

/// The first source that a destination lies in: it would be copied into itself.
pub fn source_around<'a>(destination: &Path, sources: &'a [PathBuf]) -> Option<&'a Path> {
    let (nearest, above) = above_destination(destination).ok()?;
    let inside = Inside { above, nearest, location: OnceCell::new() };
    let is_around = |source: &&PathBuf| {
        let Ok((folder, name)) = sources::split(source) else { return false };
        let Ok(folder) = fs::open_folder_path(&folder) else { return false };
        fs::stat_name(&folder, &name).is_ok_and(|stat| {
            fs::kind(&stat) == FileKind::Folder && inside.is_in(&folder, &name, &stat)
        })
    };
    sources.iter().find(is_around).map(PathBuf::as_path)
}

/// Puts sources that cannot be copied into the plan, as failed, with what they are where that is
/// known.
fn fail(job: &Job, folder: &Path, sources: Vec<(OsString, Option<FileKind>, Error)>) {
    let mut builder = BlockBuilder::default();
    for (name, kind, _) in &sources {
        builder.push(ROOT, name, kind.unwrap_or(FileKind::File));
    }
    let block = job.plan.append(builder);
    job.report.add_origin(block.id(0), folder.to_path_buf());
    for (at, (_, kind, error)) in (0..).zip(sources) {
        block.set_state(at, EntryState::Failed);
        add(&job.progress.workers[0].failed, 1);
        job.report.not_begun(block.id(at), kind, error);
    }
}

/// The destination or the nearest folder above it that exists, and the identities of it and
/// all folders above it.
fn above_destination(destination: &Path) -> Result<(OwnedFd, Vec<Identity>), Error> {
    let fault = |path: &Path, errno: Errno| match errno {
        Errno::NOTDIR => Error::new(Operation::Inspect, path, ErrorKind::NotAFolder),
        errno => Error::os(Operation::Inspect, path, errno),
    };
    let mut path = destination;
    let nearest = loop {
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match fs::open_folder_path(here) {
            Ok(folder) => break folder,
            // A dangling link is in the way of making the folder; making it says so. Above
            // `.` there is nothing more to try: it was removed.
            Err(Errno::NOENT) if !path.as_os_str().is_empty() && path != Path::new("/") => {
                path = path.parent().unwrap_or(Path::new(""));
            }
            Err(errno) => return Err(fault(here, errno)),
        }
    };
    let mut identities = Vec::new();
    let mut at = nearest.try_clone().map_err(|_| fault(path, Errno::MFILE))?;
    loop {
        let stat = fs::stat(&at).map_err(|errno| fault(path, errno))?;
        if identities.last() == Some(&fs::identity(&stat)) {
            return Ok((nearest, identities));
        }
        identities.push(fs::identity(&stat));
        at = match fs::open_folder(&at, OsStr::new("..")) {
            Ok(above) => above,
            // What may not be looked at is no source of ours.
            Err(_) => return Ok((nearest, identities)),
        };
    }
}

fn make_destination(job: &Job) -> Result<(OwnedFd, Stat), Error> {
    let destination = &job.spec.destination;
    let missing = missing_folders(destination);
    let since = job.told.is_none().then(|| after_what_is_there(destination));
    let tell = |made: &[PathBuf], inode, magic| {
        if let Some(journal) = job.journal() {
            let made = made.to_vec();
            journal.append(&[Record::Destination(Destination { inode, magic, since, made })]);
        }
    };
    if !missing.is_empty() {
        tell(&missing, 0, 0);
    }
    std::fs::create_dir_all(destination).map_err(|error| {
        let errno = error.raw_os_error().unwrap_or(libc::EIO);
        let kind = match errno {
            libc::EEXIST | libc::ENOTDIR => ErrorKind::NotAFolder,
            errno => ErrorKind::Os(errno),
        };
        Error::new(Operation::MakeFolder, destination, kind)
    })?;
    let (opened, stat) = open_and_look(destination)
        .map_err(|errno| Error::os(Operation::Open, destination, errno))?;
    tell(&missing, stat.st_ino, fs::file_system_magic(&opened).unwrap_or_default());
    Ok((opened, stat))
}

/// A time that nothing in a folder is dated as late as: the clock that files are dated by has
/// steps of some milliseconds, and what was put there in this one could be taken for what the
/// job is going to make. Waited for only where there is anything to be mistaken.
fn after_what_is_there(folder: &Path) -> (i64, i64) {
    let start = fs::file_clock();
    let has_any = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    while has_any && fs::file_clock() == start {
        std::thread::sleep(CLOCK_LOOK);
    }
    fs::file_clock()
}

/// How often the clock is looked at for its next step.
const CLOCK_LOOK: Duration = Duration::from_micros(250);

/// The folders that are to be made to have a folder, outermost first.
fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let folder = fs::path::absolute(folder);
    let missing = |path: &&Path| rustix::fs::stat(*path).is_err();
    let mut all: Vec<_> = folder.ancestors().take_while(missing).map(Path::to_path_buf).collect();
    all.reverse();
    all
}

fn open_and_look(folder: &Path) -> Result<(OwnedFd, Stat), Errno> {
    let opened = fs::open_folder_path(folder)?;
    let stat = fs::stat(&opened)?;
    Ok((opened, stat))
}

/// Whether two entries of the job may come to one name: two sources have one, or the
/// destination may fold names.
fn may_collide(good: &[Inspected], made: &OwnedFd) -> bool {
    let mut names = HashSet::new();
    let mut all = good.iter().flat_map(|group| &group.good);
    // In one folder every name is there once.
    let twice = good.len() > 1 && all.any(|(named, _)| !names.insert(&named.name));
    twice || !FileSystem::of(made).is_plain_local() || fs::folds_case(made)
}

fn begin(
    job: &Job,
    group: Inspected,
    (made, stat): (&Arc<OwnedFd>, &Stat),
) -> Option<(Arc<Folder>, Arc<Block>)> {
    let Inspected { folder, identity, good, .. } = group;
    let opened = open_and_look(&folder).and_then(|(opened, stat)| {
        if fs::identity(&stat) == identity { Ok((opened, stat)) } else { Err(Errno::STALE) }
    });
    let (descriptor, source_stat) = match opened {
        Ok(opened) => opened,
        Err(errno) => {
            let failed = good.into_iter().map(|(Named { name, .. }, kind)| {
                let error = Error::os(Operation::Open, folder.join(&name), errno);
                (name, kind, error)
            });
            fail(job, &folder, failed.collect());
            return None;
        }
    };
    let descriptor = Arc::new(descriptor);
    let mut builder = BlockBuilder::default();
    for (named, kind) in &good {
        builder.push(ROOT, &named.name, kind.unwrap_or(FileKind::File));
    }
    let block = job.plan.append(builder);
    job.report.add_origin(block.id(0), folder.clone());
    for (at, _) in (0..).zip(&good).filter(|(_, (_, kind))| kind.is_none()) {
        job.report.not_seen(block.id(at));
    }
    resume::tell_listed(job, ROOT, Some(&folder), &block);
    let devices = (source_stat.st_dev, stat.st_dev);
    let (pair, new) = job.pairs.of(&job.spec, devices, &descriptor, made);
    if new {
        job.tell(Event::Route { job: job.id, route: pair.route() });
    }
    let told = resume::root_of(job, &folder);
    let reopen = Reopen::ByPath(folder);
    let kept = Reopen::Kept(job.spec.destination.clone());
    let folder = Arc::new(Folder {
        number: ROOT,
        parent: None,
        own: None,
        source: Side::new(OsStr::new(""), &source_stat, descriptor, reopen),
        destination: Side::new(OsStr::new(""), stat, Arc::clone(made), kept),
        pair,
        target: attributes::target(made, stat, true),
        attributes: None,
        exchange: None,
        emptied: false,
        pending: Pending::default(),
        told,
    });
    folder.expect(u64::from(block.len()));
    job.folders.note(&folder);
    job.folders.keep(&folder);
    Some((folder, block))
}
