//! One entry: its data, its attributes, its name.
//!
//! [`file`] makes a regular file in the order create, data, attributes, times, name;
//! [`transfer`] moves the data, [`attributes`] the rest, [`publish`] gives the name or takes
//! everything back, [`part`] keeps what a job has copied when it lets go, [`special`] makes links, FIFOs and devices.

pub mod attributes;
pub mod file;
pub mod part;
pub mod publish;
pub mod read_back;
pub mod special;
pub mod transfer;
pub mod way;

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard};

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::control::{Cancelled, Stop};
use super::error::{ErrorKind, Operation};
use super::folder::Target;
use super::fs::{self, Identity};
use super::job::lock;
use super::keep::For;
use super::made::{Made, NameOf};
use super::pair::Pair;
use super::preserve::Preserve;
use super::summary::NoticeKind;

/// Where an entry is copied from and to.
pub struct Place<'a> {
    /// The source's folder.
    pub source: &'a OwnedFd,
    /// The destination's folder.
    pub destination: &'a OwnedFd,
    /// The mounts.
    pub pair: &'a Pair,
    /// What the destination's folder hands on.
    pub target: Target,
    /// What is kept beside the data.
    pub preserve: Preserve,
    /// The entry's name at the source.
    pub name: &'a OsStr,
    /// Its name at the destination.
    pub new_name: &'a OsStr,
    /// What stands at the destination is to be replaced.
    pub replace: bool,
    /// What is replaced is to have this name then, for this entry.
    pub aside: Option<(&'a OsStr, For<'a>)>,
    /// What the job has made, where two sources may come to one name: a file is noted there
    /// before it has its name.
    pub made: Option<&'a Mutex<Made>>,
    /// The name as it is noted there, where inodes do not tell all.
    pub made_as: Option<NameOf>,
    /// For whom what is replaced is kept; `None` when it is not.
    pub keep: Option<For<'a>>,
    /// What temporary names have in them.
    pub tag: u64,
}

impl Place<'_> {
    /// Notes a file that is about to get its name.
    pub fn note_made(&self, identity: Identity) {
        if let Some(made) = self.made {
            let mut made = lock(made);
            made.note_file(identity);
            made.note_name(self.made_as);
        }
    }

    /// Gives what lies in a folder under some name the name of the entry, if that is free.
    ///
    /// # Errors
    /// `EEXIST` when it is taken, else what renaming says.
    pub fn take_name(&self, from: &OwnedFd, name: &OsStr) -> rustix::io::Result<()> {
        let _alone = self.alone();
        fs::rename_new(from, name, self.destination, self.new_name)
    }

    /// Makes the entry's folder, and notes it.
    ///
    /// # Errors
    /// What making it says.
    pub fn make_folder(&self, mode: u32) -> rustix::io::Result<()> {
        let mut alone = self.alone();
        fs::make_folder(self.destination, self.new_name, mode)?;
        if let Some(made) = &mut alone {
            made.note_name(self.made_as);
        }
        Ok(())
    }

    /// Where one folder may be two for the kernel (a FUSE driver that folds names), it holds
    /// nobody off while a name is taken there: one worker at a time does that.
    fn alone(&self) -> Option<MutexGuard<'_, Made>> {
        self.made.filter(|_| self.made_as.is_some()).map(lock)
    }
}

/// Which side failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// The source.
    Source,
    /// The destination.
    Destination,
}

/// Why an entry was not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The job was cancelled.
    Cancelled,
    /// The entry is to be skipped.
    Skipped,
    /// The job lets go of its devices: begin it anew when it goes on.
    LetGo,
    /// The name is taken at the destination.
    Taken,
    /// It is not the kind of thing that the listing said: look again.
    OtherKind,
    /// It failed.
    Failed(Operation, At, ErrorKind),
}

impl Trouble {
    /// Whether the device is full, or a quota used up.
    pub fn is_no_space(self) -> bool {
        let full = [ErrorKind::Os(libc::ENOSPC), ErrorKind::Os(libc::EDQUOT)];
        matches!(self, Trouble::Failed(_, _, kind) if full.contains(&kind))
    }
}

impl Trouble {
    /// The failure that it is; `None` after a cancel.
    pub fn fault(self) -> Option<Fault> {
        Some(match self {
            Trouble::Failed(operation, at, kind) => Fault::new(operation, at, kind),
            Trouble::Taken => {
                Fault::new(Operation::Publish, At::Destination, ErrorKind::TypeDiffers)
            }
            Trouble::OtherKind => Fault::new(Operation::Inspect, At::Source, ErrorKind::Changed),
            Trouble::Cancelled | Trouble::Skipped | Trouble::LetGo => return None,
        })
    }
}

impl From<Cancelled> for Trouble {
    fn from(_: Cancelled) -> Trouble {
        Trouble::Cancelled
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        match stop {
            Stop::Cancelled => Trouble::Cancelled,
            Stop::LetGo => Trouble::LetGo,
        }
    }
}

/// A failure without its path: what very many of them are kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fault {
    /// What was being done.
    pub operation: Operation,
    /// Which side it was done to.
    pub at: At,
    /// Why it failed.
    pub kind: ErrorKind,
}

impl Fault {
    /// What was being done, to which side, and why it failed.
    pub fn new(operation: Operation, at: At, kind: ErrorKind) -> Fault {
        Fault { operation, at, kind }
    }
}

/// A system call's failure with what was being done, for `map_err`.
pub fn failed(operation: Operation, at: At) -> impl Fn(Errno) -> Trouble {
    move |errno| Trouble::Failed(operation, at, ErrorKind::Os(errno.raw_os_error()))
}

/// As [`failed`] at the destination, but a name that is taken is [`Trouble::Taken`].
pub fn failed_or_taken(operation: Operation) -> impl Fn(Errno) -> Trouble {
    move |errno| match errno {
        Errno::EXIST => Trouble::Taken,
        errno => failed(operation, At::Destination)(errno),
    }
}

/// Attributes that could not be kept: one bit a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost(u8);

impl Lost {
    const KINDS: [NoticeKind; 5] = [
        NoticeKind::Owner,
        NoticeKind::Xattr,
        NoticeKind::Acl,
        NoticeKind::Mode,
        NoticeKind::Times,
    ];

    /// This kind was lost.
    pub fn add(&mut self, kind: NoticeKind) {
        if let Some(bit) = Self::KINDS.iter().position(|k| *k == kind) {
            self.0 |= 1 << bit;
        }
    }

    /// The kinds that were lost.
    pub fn kinds(self) -> impl Iterator<Item = NoticeKind> {
        let bits = self.0;
        (0..)
            .zip(Self::KINDS)
            .filter_map(move |(bit, kind)| (bits & (1 << bit) != 0).then_some(kind))
    }
}
