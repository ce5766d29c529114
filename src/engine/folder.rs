//! A folder in work: both sides' descriptors, and what is to be set when its last entry ends.
//!
//! Descriptors are bounded: only the folders used last keep theirs open. A closed one is
//! opened again by its names from the nearest open ancestor, and must then still be the
//! folder it was.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use rustix::fs::Stat;
use rustix::io::Errno;

use super::exchange::Exchange;
use super::fs::{self, Identity};
use super::pair::Pair;
use super::plan::{Block, FolderNumber};

/// How many folders keep their two descriptors open: few enough for eight jobs and the
/// window within the usual limit of 1024 descriptors.
const OPEN_FOLDERS: usize = 48;

/// How a folder whose descriptor was closed is opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reopen {
    /// By its name in the folder above.
    ByName,
    /// By its name in the folder above, which is a link to it.
    Following,
    /// By its path: a source's own folder.
    ByPath(PathBuf),
    /// By its path, and only closed when the job lets go of its devices: the destination,
    /// which somebody may move meanwhile.
    Kept(PathBuf),
}

/// One side of a folder.
pub struct Side {
    name: OsString,
    /// The name that it got later.
    later_name: OnceLock<OsString>,
    identity: Identity,
    reopen: Reopen,
    descriptor: Mutex<Option<Arc<OwnedFd>>>,
}

impl Side {
    /// An open side.
    pub fn new(name: &OsStr, stat: &Stat, descriptor: Arc<OwnedFd>, reopen: Reopen) -> Side {
        Side {
            name: name.to_os_string(),
            later_name: OnceLock::new(),
            identity: fs::identity(stat),
            reopen,
            descriptor: Mutex::new(Some(descriptor)),
        }
    }

    /// Its name.
    pub fn name(&self) -> &OsStr {
        self.later_name.get().unwrap_or(&self.name)
    }

    /// It was made under a temporary name and has this one now.
    pub fn now_named(&self, name: &OsStr) {
        let _once = self.later_name.set(name.to_os_string());
    }

    /// The number of its device.
    pub fn device(&self) -> u64 {
        self.identity.device
    }

    fn open(&self) -> Option<Arc<OwnedFd>> {
        self.descriptor.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, descriptor: &Arc<OwnedFd>) {
        let mut slot = self.descriptor.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Arc::clone(descriptor));
    }

    /// A descriptor that was opened again, if it still leads to the same folder.
    fn same(&self, descriptor: OwnedFd) -> Result<Arc<OwnedFd>, Errno> {
        if fs::identity(&fs::stat(&descriptor)?) != self.identity {
            return Err(Errno::STALE);
        }
        Ok(Arc::new(descriptor))
    }

    /// As [`Side::same`], and keeps it.
    fn opened_again(
        &self,
        descriptor: OwnedFd,
        note: impl FnOnce(),
    ) -> Result<Arc<OwnedFd>, Errno> {
        let descriptor = self.same(descriptor)?;
        self.keep(&descriptor);
        note();
        Ok(descriptor)
    }

    fn close(&self) {
        if !matches!(self.reopen, Reopen::Kept(_)) {
            self.let_go();
        }
    }

    fn let_go(&self) {
        *self.descriptor.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What a destination folder does to files made in it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The group it hands on, when it is setgid.
    pub group: Option<u32>,
    /// It has a default ACL, which new files would inherit.
    pub default_acl: bool,
}

/// A folder in work.
pub struct Folder {
    /// Its number in the plan; entries of several sources' folders lie in number 0.
    pub number: FolderNumber,
    /// The folder it lies in; `None` for a source's own folder.
    pub parent: Option<Arc<Folder>>,
    /// Its own entry; `None` for a source's own folder.
    pub own: Option<(Arc<Block>, u32)>,
    /// Its source.
    pub source: Side,
    /// Its destination.
    pub destination: Side,
    /// The mounts.
    pub pair: Arc<Pair>,
    /// What files made in it inherit.
    pub target: Target,
    /// Its source's attributes, when the job made the destination and must set them.
    pub attributes: Option<Box<Stat>>,
    /// It is made to be exchanged for another one.
    pub exchange: Option<Exchange>,
    /// Its entries are renamed away; remove it when it is empty then.
    pub emptied: bool,
    /// What is still to end.
    pub pending: Pending,
    /// What an earlier run of the job told of it: its place there.
    pub told: Option<usize>,
}

/// Entries of a folder that have not ended, and one while it is being listed.
pub struct Pending(AtomicU64);

impl Default for Pending {
    /// A folder that is going to be listed.
    fn default() -> Self {
        Pending(AtomicU64::new(1))
    }
}

impl Folder {
    /// So many entries more are to end.
    pub fn expect(&self, entries: u64) {
        let _before = self.pending.0.fetch_add(entries, Ordering::Relaxed);
    }

    /// So many entries have ended; whether they were the last.
    pub fn ended(&self, entries: u64) -> bool {
        entries > 0 && self.pending.0.fetch_sub(entries, Ordering::AcqRel) == entries
    }

    /// The source's descriptor.
    ///
    /// # Errors
    /// `ESTALE` when another folder stands there now, else what opening says.
    pub fn source_dir(self: &Arc<Self>, open: &OpenFolders) -> Result<Arc<OwnedFd>, Errno> {
        self.descriptor(open, |folder| &folder.source)
    }

    /// The destination's descriptor.
    ///
    /// # Errors
    /// As [`Folder::source_dir`].
    pub fn destination_dir(self: &Arc<Self>, open: &OpenFolders) -> Result<Arc<OwnedFd>, Errno> {
        self.descriptor(open, |folder| &folder.destination)
    }

    /// Opens the folder above again from this one, where it was closed and this one is open:
    /// so a chain of thousands of folders is closed without walking down to each of them.
    pub fn lend_to_parent(&self, open: &OpenFolders) {
        let Some(parent) = &self.parent else { return };
        let sides: [fn(&Folder) -> &Side; 2] =
            [|folder| &folder.source, |folder| &folder.destination];
        for side in sides {
            let own = side(self);
            if side(parent).open().is_none()
                && own.reopen == Reopen::ByName
                && let Some(descriptor) = own.open()
                && let Ok(above) = fs::open_folder(&*descriptor, OsStr::new(".."))
            {
                // Another one by now: it is opened by name then, or not at all.
                let _same_or_not = side(parent).opened_again(above, || open.note(parent));
            }
        }
    }

    /// Closes both sides; they open again when needed.
    pub fn close(&self) {
        self.source.close();
        self.destination.close();
    }

    fn descriptor(
        self: &Arc<Self>,
        open: &OpenFolders,
        side: fn(&Folder) -> &Side,
    ) -> Result<Arc<OwnedFd>, Errno> {
        let mut closed: Vec<Arc<Folder>> = Vec::new();
        let mut at = Arc::clone(self);
        let mut descriptor = loop {
            if let Some(descriptor) = side(&at).open() {
                break descriptor;
            }
            if let Reopen::ByPath(path) | Reopen::Kept(path) = &side(&at).reopen {
                break side(&at).opened_again(fs::open_folder_path(path)?, || open.note(&at))?;
            }
            let parent = at.parent.clone().ok_or(Errno::STALE)?;
            closed.push(std::mem::replace(&mut at, parent));
        };
        let near = closed.len().min(OPEN_FOLDERS / 4);
        for (above, folder) in closed.into_iter().enumerate().rev() {
            let side = side(&folder);
            let below = match side.reopen {
                Reopen::Following => fs::open_folder_followed(&*descriptor, side.name()),
                _ => fs::open_folder(&*descriptor, side.name()),
            };
            // Of a long way down only the last folders are kept open: what is near is needed
            // next.
            descriptor = if above < near {
                side.opened_again(below?, || open.note(&folder))?
            } else {
                side.same(below?)?
            };
        }
        Ok(descriptor)
    }
}

impl Drop for Folder {
    /// Lets a chain of folders go one by one: dropping them one inside the other would need
    /// as much stack as the tree is deep.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut folder) = next.and_then(Arc::into_inner) {
            next = folder.parent.take();
        }
    }
}

/// The folders of a job that hold descriptors.
#[derive(Default)]
pub struct OpenFolders {
    /// In the order in which they were opened.
    open: Mutex<VecDeque<Weak<Folder>>>,
    /// Those whose destination stays open.
    kept: Mutex<Vec<Weak<Folder>>>,
}

impl OpenFolders {
    /// A folder was opened: closes the one that was opened longest ago, if they are many.
    pub fn note(&self, folder: &Arc<Folder>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back(Arc::downgrade(folder));
        let oldest = if open.len() > OPEN_FOLDERS { open.pop_front() } else { None };
        drop(open);
        if let Some(folder) = oldest.and_then(|weak| weak.upgrade()) {
            folder.close();
        }
    }

    /// A folder's destination stays open until the job lets go of its devices.
    pub fn keep(&self, folder: &Arc<Folder>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(Arc::downgrade(folder));
    }

    /// Closes all of them, those that are kept too; they open again when needed.
    pub fn let_go(&self) {
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for folder in open.into_iter().chain(kept).filter_map(|folder| folder.upgrade()) {
            folder.source.let_go();
            folder.destination.let_go();
        }
    }
}
