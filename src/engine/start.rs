//! What is looked at before anything is written: sources, destination, and whether one lies
//! in the other.
//!
//! Sources are grouped by the folder they lie in and looked at by its descriptor, so that
//! five thousand files chosen one by one cost what their folder costs.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::Stat;
use rustix::io::Errno;

use super::conflict::FileKind;
use super::copy::attributes;
use super::error::{Error, ErrorKind, Operation};
use super::folder::{Folder, Parts, Reopen, Side};
use super::fs::mounts::FileSystem;
use super::fs::{self, Identity};
use super::job::{Job, lock};
use super::message::Event;
use super::plan::{Block, BlockBuilder, EntryState, ROOT};
use super::progress::add;
use super::scan;

/// Sources that lie in one folder.
struct Group {
    folder: PathBuf,
    names: Vec<OsString>,
}

/// A group whose sources can be copied.
pub struct Ready {
    folder: Arc<Folder>,
    block: Arc<Block>,
}

/// Looks at sources and destination and makes the destination; gives what can be copied and
/// the destination's device. Sources that cannot be copied have failed then.
///
/// # Errors
/// What forbids the whole job.
pub fn prepare(job: &Job) -> Result<(Vec<Ready>, u64), Error> {
    let spec = &job.spec;
    let destination = &spec.destination;
    if spec.sources.is_empty() {
        return Err(Error::new(Operation::Inspect, destination, ErrorKind::NoSources));
    }
    let above = above_destination(destination)?;
    let groups = group(job);
    let mut good = Vec::new();
    for group in groups {
        let found = inspect(job, &group, &above);
        if let Some((descriptor, stat, builder)) = found {
            good.push((group, descriptor, stat, builder));
        }
    }
    if good.is_empty() {
        return Ok((Vec::new(), above.first().map_or(0, |identity| identity.device)));
    }
    let (made, stat) = make_destination(destination)?;
    let _new = lock(&job.made_folders).insert(fs::identity(&stat));
    if may_collide(&good, &made) {
        let _set_once = job.made_files.set(Mutex::default());
    }
    let made = Arc::new(made);
    let ready = good.into_iter().map(|(group, descriptor, source_stat, builder)| {
        begin(job, group, (descriptor, source_stat), (&made, &stat), builder)
    });
    Ok((ready.collect(), stat.st_dev))
}

/// Hands the sources to the workers.
pub fn hand_out(job: &Job, ready: Vec<Ready>) {
    for Ready { folder, block } in ready {
        scan::hand_out(job, 0, &folder, &block);
        // It has no entry of its own: nothing is to be done when it ends.
        let _last = folder.ended(1);
    }
}

/// The name that a source keeps, and the folder that it lies in.
fn split(source: &Path) -> Result<(PathBuf, OsString), ErrorKind> {
    let named = |path: &Path| {
        let name = path.file_name()?.to_os_string();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some((folder.unwrap_or(Path::new(".")).to_path_buf(), name))
    };
    if let Some(split) = named(source) {
        return Ok(split);
    }
    // `.` and `..` have the name of the folder that they are.
    let real = std::fs::canonicalize(source)
        .map_err(|error| ErrorKind::Os(error.raw_os_error().unwrap_or(libc::ENOENT)))?;
    named(&real).ok_or(ErrorKind::NoName)
}

fn group(job: &Job) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_folder: HashMap<PathBuf, usize> = HashMap::new();
    let mut seen: HashSet<(usize, OsString)> = HashSet::new();
    for source in &job.spec.sources {
        match split(source) {
            Ok((folder, name)) => {
                let at = *by_folder.entry(folder.clone()).or_insert_with(|| {
                    groups.push(Group { folder, names: Vec::new() });
                    groups.len() - 1
                });
                // The same source named twice is copied once.
                if seen.insert((at, name.clone())) {
                    groups[at].names.push(name);
                }
            }
            Err(kind) => {
                let name = source.as_os_str().to_os_string();
                let error = Error::new(Operation::Inspect, source, kind);
                fail(job, Path::new(""), vec![(name, error)]);
            }
        }
    }
    groups
}

type Found = (Arc<OwnedFd>, Stat, BlockBuilder);

/// Looks at the sources of a group; `None` when none of them can be copied.
fn inspect(job: &Job, group: &Group, above: &[Identity]) -> Option<Found> {
    let error = |name: &OsStr, kind| {
        (name.to_os_string(), Error::new(Operation::Inspect, group.folder.join(name), kind))
    };
    let os = |errno: Errno| ErrorKind::Os(errno.raw_os_error());
    let opened = fs::open_folder_path(&group.folder).and_then(|folder| {
        let stat = fs::stat(&folder)?;
        Ok((folder, stat))
    });
    let (folder, stat) = match opened {
        Ok(opened) => opened,
        Err(errno) => {
            let failed = group.names.iter().map(|name| error(name, os(errno)));
            fail(job, &group.folder, failed.collect());
            return None;
        }
    };
    let mut builder = BlockBuilder::default();
    let mut failed = Vec::new();
    for name in &group.names {
        match fs::stat_name(&folder, name) {
            Ok(stat)
                if fs::kind(&stat) == FileKind::Folder && above.contains(&fs::identity(&stat)) =>
            {
                failed.push(error(name, ErrorKind::IntoItself));
            }
            Ok(stat) => builder.push(ROOT, name, fs::kind(&stat)),
            Err(errno) => failed.push(error(name, os(errno))),
        }
    }
    if !failed.is_empty() {
        fail(job, &group.folder, failed);
    }
    (builder.len() > 0).then(|| (Arc::new(folder), stat, builder))
}

/// Puts sources that cannot be copied into the plan, as failed.
fn fail(job: &Job, folder: &Path, sources: Vec<(OsString, Error)>) {
    let mut builder = BlockBuilder::default();
    for (name, _) in &sources {
        builder.push(ROOT, name, FileKind::File);
    }
    let block = job.plan.append(builder);
    job.origins.add(block.id(0), folder.to_path_buf());
    for (at, (_, error)) in (0..).zip(sources) {
        block.set_state(at, EntryState::Failed);
        add(&job.progress.workers[0].failed, 1);
        job.report.failure(Some(block.id(at)), error);
    }
}

/// The identities of the destination and all folders above it, as far as they exist.
fn above_destination(destination: &Path) -> Result<Vec<Identity>, Error> {
    let fault = |path: &Path, errno: Errno| match errno {
        Errno::NOTDIR => Error::new(Operation::Inspect, path, ErrorKind::NotAFolder),
        errno => Error::os(Operation::Inspect, path, errno),
    };
    let mut path = destination;
    let nearest = loop {
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match fs::open_folder_path(here) {
            Ok(folder) => break folder,
            // A dangling link is in the way of making the folder; making it says so.
            Err(Errno::NOENT) => path = path.parent().unwrap_or(Path::new(".")),
            Err(errno) => return Err(fault(here, errno)),
        }
    };
    let mut identities = Vec::new();
    let mut at = nearest;
    loop {
        let stat = fs::stat(&at).map_err(|errno| fault(path, errno))?;
        if identities.last() == Some(&fs::identity(&stat)) {
            return Ok(identities);
        }
        identities.push(fs::identity(&stat));
        at = match fs::open_folder(&at, OsStr::new("..")) {
            Ok(above) => above,
            // What may not be looked at is no source of ours.
            Err(_) => return Ok(identities),
        };
    }
}

fn make_destination(destination: &Path) -> Result<(OwnedFd, Stat), Error> {
    std::fs::create_dir_all(destination).map_err(|error| {
        let errno = error.raw_os_error().unwrap_or(libc::EIO);
        let kind = match errno {
            libc::EEXIST | libc::ENOTDIR => ErrorKind::NotAFolder,
            errno => ErrorKind::Os(errno),
        };
        Error::new(Operation::MakeFolder, destination, kind)
    })?;
    fs::open_folder_path(destination)
        .and_then(|folder| {
            let stat = fs::stat(&folder)?;
            Ok((folder, stat))
        })
        .map_err(|errno| Error::os(Operation::Open, destination, errno))
}

/// Whether two entries of the job may come to one name: two sources have one, or the
/// destination may fold names.
fn may_collide(good: &[(Group, Arc<OwnedFd>, Stat, BlockBuilder)], made: &OwnedFd) -> bool {
    let mut names = HashSet::new();
    let mut all = good.iter().flat_map(|(group, ..)| &group.names);
    all.any(|name| !names.insert(name)) || !FileSystem::of(made).is_plain_local()
}

fn begin(
    job: &Job,
    group: Group,
    (descriptor, source_stat): (Arc<OwnedFd>, Stat),
    (made, stat): (&Arc<OwnedFd>, &Stat),
    builder: BlockBuilder,
) -> Ready {
    let block = job.plan.append(builder);
    job.origins.add(block.id(0), group.folder.clone());
    let devices = (source_stat.st_dev, stat.st_dev);
    let (pair, new) = job.pairs.of(&job.spec, devices, &descriptor, made);
    if new {
        job.tell(Event::Route { job: job.id, route: pair.route() });
    }
    let reopen = Reopen::ByPath(group.folder);
    let folder = Folder::new(Parts {
        number: ROOT,
        parent: None,
        own: None,
        source: Side::new(OsStr::new(""), &source_stat, descriptor, reopen),
        destination: Side::new(OsStr::new(""), stat, Arc::clone(made), Reopen::Never),
        pair,
        target: attributes::target(made, stat, true),
        attributes: None,
        emptied: false,
    });
    folder.expect(u64::from(block.len()));
    job.folders.note(&folder);
    Ready { folder, block }
}
