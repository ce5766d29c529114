//! Copies of moved files go back to where their sources were, by the means that copied them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};

use rustix::fs::Stat;
use rustix::io::Errno;

use crate::engine::conflict::FileKind;
use crate::engine::control::Control;
use crate::engine::copy::transfer::{CHUNK_FIRST, Means};
use crate::engine::copy::{Place, Trouble, attributes, file, special};
use crate::engine::error::{ErrorKind, Operation};
use crate::engine::fs::{self, Identity};
use crate::engine::made::Made;
use crate::engine::message::{JobSpec, Reflink};
use crate::engine::pair::Pairs;
use crate::engine::preserve::Preserve;
use crate::engine::progress::Counters;
use crate::engine::skips::Watch;

/// A folder and a name in it.
type Named<'a> = (&'a Arc<OwnedFd>, &'a OsStr);

/// Carries entries back.
pub struct Back<'a> {
    spec: &'a JobSpec,
    pairs: Pairs,
    control: Control,
    counters: Counters,
    buffer: Vec<u8>,
    chunk: u64,
    /// Files with several names that are back already.
    links: HashMap<Identity, (Arc<OwnedFd>, OsString)>,
    /// Files that were made; having them, none has a name before it is whole: whoever is killed
    /// here leaves nothing that could be taken for a source.
    made: Mutex<Made>,
}

impl<'a> Back<'a> {
    /// Carries back the entries of a job.
    pub fn new(spec: &'a JobSpec) -> Back<'a> {
        let control = Control::held();
        control.hold(false);
        Back {
            spec,
            pairs: Pairs::default(),
            control,
            counters: Counters::default(),
            buffer: Vec::new(),
            chunk: CHUNK_FIRST,
            links: HashMap::new(),
            made: Mutex::default(),
        }
    }

    /// A name of a file with several that never went: the others become names of it again.
    pub fn stands(&mut self, copy: Identity, folder: &Arc<OwnedFd>, name: &OsStr) {
        let _same =
            self.links.entry(copy).or_insert_with(|| (Arc::clone(folder), name.to_os_string()));
    }

    /// Copies an entry; what has its place is not replaced.
    ///
    /// # Errors
    /// What failed, and why.
    pub fn carry(
        &mut self,
        (from, name): Named<'_>,
        (to, new_name): Named<'_>,
        stat: &Stat,
    ) -> Result<(), (Operation, ErrorKind)> {
        let os = |errno: Errno| ErrorKind::Os(errno.raw_os_error());
        let identity = fs::identity(stat);
        if let Some((folder, first)) = self.links.get(&identity) {
            let linked = fs::hard_link(&**folder, first, &**to, new_name);
            return linked.map_err(|errno| (Operation::Create, os(errno)));
        }
        let look =
            |folder: &OwnedFd| fs::stat(folder).map_err(|errno| (Operation::Inspect, os(errno)));
        let (from_stat, to_stat) = (look(from)?, look(to)?);
        let devices = (from_stat.st_dev, to_stat.st_dev);
        let (pair, _new) = self.pairs.of(self.spec, devices, &**from, &**to);
        let place = Place {
            source: from,
            destination: to,
            pair: &pair,
            target: attributes::target(&**to, &to_stat, true),
            name,
            new_name,
            replace: false,
            aside: None,
            made: Some(&self.made),
            made_as: None,
            keep: None,
            tag: 0,
            preserve: Preserve::default(),
        };
        let carried = match fs::kind(stat) {
            FileKind::File => file::open(from, name).and_then(|source| {
                let mut means = Means {
                    control: Watch::of_control(&self.control),
                    counters: &self.counters,
                    buffer: &mut self.buffer,
                    reflink: Reflink::Auto,
                    hash: false,
                    checksum: false,
                    chunk: &mut self.chunk,
                    exact_modes: false,
                    part: None,
                };
                let copied = file::copy(&place, &source, &mut means, false)?;
                let changed = Trouble::OtherKind;
                if copied.changed { Err(changed) } else { Ok(()) }
            }),
            _ => special::copy(&place, stat).map(|_lost| ()),
        };
        carried.map_err(|trouble| match trouble {
            Trouble::Failed(operation, _, kind) => (operation, kind),
            Trouble::Taken => (Operation::Create, os(Errno::EXIST)),
            Trouble::OtherKind | Trouble::Cancelled | Trouble::Skipped | Trouble::LetGo => {
                (Operation::Read, ErrorKind::Changed)
            }
        })?;
        if stat.st_nlink > 1 {
            let _none = self.links.insert(identity, (Arc::clone(to), new_name.to_os_string()));
        }
        Ok(())
    }

    /// What stands in a folder is to be on its device before its copy in another goes.
    pub fn note_stands(&self, copies: &OwnedFd, sources: &OwnedFd) {
        if let (Ok(copies_stat), Ok(sources_stat)) = (fs::stat(copies), fs::stat(sources)) {
            let devices = (copies_stat.st_dev, sources_stat.st_dev);
            let _pair = self.pairs.of(self.spec, devices, copies, sources);
        }
    }

    /// Writes what was carried back through to its devices.
    ///
    /// # Errors
    /// What flushing says: nothing may be removed then.
    pub fn flush(&self) -> Result<(), Errno> {
        let flush = |device| {
            let anchor = self.pairs.anchor(device).ok_or(Errno::MFILE)?;
            fs::flush_file_system(&*anchor)
        };
        self.pairs.destinations().into_iter().try_for_each(flush)
    }

    /// Gives a folder that was made again the attributes of the one it was moved to, and the
    /// time and the mode that it had. What cannot be kept is not: it holds what it held.
    pub fn dress(&self, like: &OwnedFd, made: &OwnedFd, modified: (i64, u32), mode: Option<u32>) {
        let (Ok(mut stat), Ok(own)) = (fs::stat(like), fs::stat(made)) else { return };
        (stat.st_mtime, stat.st_mtime_nsec) = (modified.0, modified.1.into());
        stat.st_mode = mode.map_or(stat.st_mode, |mode| stat.st_mode & !0o7777 | mode);
        let (pair, _new) = self.pairs.of(self.spec, (stat.st_dev, own.st_dev), like, made);
        let name = OsStr::new("");
        let place = Place {
            source: like,
            destination: made,
            pair: &pair,
            target: attributes::target(made, &own, true),
            name,
            new_name: name,
            replace: false,
            aside: None,
            made: None,
            made_as: None,
            keep: None,
            tag: 0,
            preserve: Preserve::default(),
        };
        let xattrs = attributes::Xattrs::of(&place, like).unwrap_or_default();
        let _kept_or_not = attributes::set(&place, like, &stat, &xattrs, made, None);
    }
}
