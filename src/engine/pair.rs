//! What a pair of mounts can do together: found out once a pair, not once a file.

use std::collections::{BTreeSet, HashMap};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::fs::mounts::FileSystem;
use super::fs::{self, Identity};
use super::job::lock;
use super::message::{JobKind, JobSpec, Means, Reflink, Route};

/// A source mount and a destination mount. The abilities begin as "try it" where the file
/// systems' kinds allow hope, and are switched off by the first refusal.
pub struct Pair {
    /// The source's file system.
    pub source: FileSystem,
    /// The destination's file system.
    pub destination: FileSystem,
    /// Whole files can be shared.
    pub clones: AtomicBool,
    /// `copy_file_range` works.
    pub ranges: AtomicBool,
    /// `O_TMPFILE` works at the destination.
    pub nameless: AtomicBool,
    /// The source's file system has extended attributes.
    pub xattrs: AtomicBool,
    /// The destination leaves out a dot or space at the end of a name; once it is known.
    pub alters_ends: OnceLock<bool>,
    /// A rename leads from one to the other.
    pub renames: AtomicBool,
    /// A folder of the destination, for flushing its file system.
    anchor: Mutex<Anchor>,
}

/// A folder to flush a file system by.
enum Anchor {
    Open(Arc<OwnedFd>),
    /// It was let go; its path and its identity.
    Closed(PathBuf, Identity),
    /// There was no descriptor left.
    Missing,
}

impl Anchor {
    fn of(folder: impl AsFd) -> Anchor {
        let own = folder.as_fd().try_clone_to_owned();
        own.map_or(Anchor::Missing, |own| Anchor::Open(Arc::new(own)))
    }

    fn let_go(&mut self) {
        if let Anchor::Open(folder) = self {
            let known = fs::path_of(&**folder).and_then(|path| Ok((path, fs::stat(&**folder)?)));
            *self = known
                .map_or(Anchor::Missing, |(path, stat)| Anchor::Closed(path, fs::identity(&stat)));
        }
    }

    fn folder(&mut self) -> Option<Arc<OwnedFd>> {
        if let Anchor::Closed(path, identity) = self {
            let again = fs::open_folder_path(path).ok()?;
            if fs::identity(&fs::stat(&again).ok()?) != *identity {
                return None;
            }
            *self = Anchor::Open(Arc::new(again));
        }
        match self {
            Anchor::Open(folder) => Some(Arc::clone(folder)),
            _ => None,
        }
    }
}

impl Pair {
    fn new(spec: &JobSpec, source_dir: impl AsFd, destination_dir: impl AsFd) -> Pair {
        let source = FileSystem::of(source_dir);
        let destination = FileSystem::of(&destination_dir);
        let options = &spec.options;
        let same = source == destination;
        let clones = options.reflink != Reflink::Never && same && source.may_clone();
        // On a file system with clones `copy_file_range` shares data too, which nobody
        // wants who said never; where hole reports lie, plain reads are the only safe way.
        let ranges = same
            && source.is_plain_local()
            && !(options.reflink == Reflink::Never && source.may_clone());
        Pair {
            source,
            destination,
            clones: AtomicBool::new(clones || options.reflink == Reflink::Always),
            ranges: AtomicBool::new(ranges),
            nameless: AtomicBool::new(destination.is_plain_local()),
            xattrs: AtomicBool::new(true),
            alters_ends: OnceLock::new(),
            renames: AtomicBool::new(spec.kind == JobKind::Move && same),
            anchor: Mutex::new(Anchor::of(&destination_dir)),
        }
    }

    /// The route that this pair takes now.
    pub fn route(&self) -> Route {
        let means = if self.renames.load(Relaxed) {
            Means::Rename
        } else if self.clones.load(Relaxed) {
            Means::Clone
        } else if self.ranges.load(Relaxed) {
            Means::InKernel
        } else {
            Means::ReadWrite
        };
        Route {
            means,
            source_type: self.source.name().to_owned(),
            destination_type: self.destination.name().to_owned(),
        }
    }
}

/// The pairs of one job, by the numbers of their devices.
#[derive(Default)]
pub struct Pairs(Mutex<HashMap<(u64, u64), Arc<Pair>>>);

impl Pairs {
    /// The pair of two open folders; and whether it is new.
    pub fn of(
        &self,
        spec: &JobSpec,
        devices: (u64, u64),
        source: impl AsFd,
        destination: impl AsFd,
    ) -> (Arc<Pair>, bool) {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pair) = pairs.get(&devices) {
            return (Arc::clone(pair), false);
        }
        let pair = Arc::new(Pair::new(spec, source, destination));
        let _none = pairs.insert(devices, Arc::clone(&pair));
        (pair, true)
    }

    /// The numbers of the devices of all destination file systems.
    pub fn destinations(&self) -> BTreeSet<u64> {
        let pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.keys().map(|(_, device)| *device).collect()
    }

    /// A folder of a destination file system, to flush it by; `None` where there was no
    /// descriptor left, or another one is there by now.
    pub fn anchor(&self, device: u64) -> Option<Arc<OwnedFd>> {
        let pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut there = pairs.iter().filter(|((_, of), _)| *of == device);
        there.find_map(|(_, pair)| lock(&pair.anchor).folder())
    }

    /// Closes the folders that file systems are flushed by; they open again when needed.
    pub fn let_go(&self) {
        let pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.values().for_each(|pair| lock(&pair.anchor).let_go());
    }

    /// Whether a destination may be taken away at any moment: "done" means on the device.
    pub fn to_removable(&self) -> bool {
        let pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.iter().any(|((_, device), pair)| pair.destination.is_removable(*device))
    }
}
