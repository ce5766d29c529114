//! Opens the folders that a journal tells of, at the destination or at the source.
//!
//! By their names from the destination or the origin down, links not followed where none was
//! followed by the job; of a long way down only the last folders stay open.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::{Errno, Result};

use super::told::Told;
use crate::engine::fs;
use crate::engine::scan::FILLED;

/// Which side's folders are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The sources'.
    Source,
    /// The destination's.
    Destination,
}

/// Folders kept open; the next one is most often near.
const KEPT: usize = 64;

/// The way down to the folders of one side.
pub struct Way {
    side: Side,
    open: VecDeque<(usize, Arc<OwnedFd>)>,
    /// Folders that were made on the way, outermost first.
    pub made: Vec<usize>,
}

impl Way {
    /// Nothing is open yet.
    pub fn new(side: Side) -> Way {
        Way { side, open: VecDeque::new(), made: Vec::new() }
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// What opening says: `ENOENT` when it is not there.
    pub fn to(&mut self, told: &Told, folder: usize) -> Result<Arc<OwnedFd>> {
        self.walk(told, folder, false)
    }

    /// Opens a folder; it and those above it are made where they are missing.
    ///
    /// # Errors
    /// What making and opening say.
    pub fn make(&mut self, told: &Told, folder: usize) -> Result<Arc<OwnedFd>> {
        self.walk(told, folder, true)
    }

    fn walk(&mut self, told: &Told, folder: usize, make: bool) -> Result<Arc<OwnedFd>> {
        let mut down = Vec::new();
        let mut at = folder;
        let mut opened = loop {
            if let Some((_, kept)) = self.open.iter().find(|(kept, _)| *kept == at) {
                break Arc::clone(kept);
            }
            match &told.folders[at].parent {
                Some((parent, _)) => {
                    down.push(at);
                    at = *parent;
                }
                None => {
                    let path = match self.side {
                        Side::Source => &told.folders[at].origin,
                        Side::Destination => &told.header.spec.destination,
                    };
                    break self.keep(at, fs::open_folder_path(path)?);
                }
            }
        };
        for next in down.into_iter().rev() {
            let known = &told.folders[next];
            let name: &OsStr = match (self.side, &known.parent) {
                (Side::Source, Some((_, name))) => name,
                _ => &known.name,
            };
            let follow = self.side == Side::Destination && known.followed;
            let open = || match follow {
                true => fs::open_folder_followed(&*opened, name),
                false => fs::open_folder(&*opened, name),
            };
            let below = match open() {
                Err(Errno::NOENT) if make => {
                    fs::make_folder(&*opened, name, FILLED)?;
                    self.made.push(next);
                    open()?
                }
                result => result?,
            };
            if self.side == Side::Destination && told.is_old(next, fs::stat(&below)?.st_ino) {
                // What was set aside or replaced is back in its place: it is none of the job's.
                return Err(Errno::NOENT);
            }
            if self.side == Side::Destination && known.made && !known.is_still(&below) {
                // Nor is one that somebody made since.
                return Err(Errno::NOENT);
            }
            opened = self.keep(next, below);
        }
        Ok(opened)
    }

    fn keep(&mut self, folder: usize, opened: OwnedFd) -> Arc<OwnedFd> {
        let opened = Arc::new(opened);
        self.open.push_back((folder, Arc::clone(&opened)));
        if self.open.len() > KEPT {
            let _closed = self.open.pop_front();
        }
        opened
    }
}
