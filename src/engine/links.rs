//! Hard links within a job stay hard links.
//!
//! The first name of a file is copied; the others are linked to the copy once it is there.
//! Only files with several names are looked up here.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::folder::Folder;
use super::fs::Identity;
use super::job::Wish;
use super::moving::Fingerprint;
use super::plan::Block;
use super::verify::Hashed;

/// A name that waits for the first one's copy, with what was answered about it.
pub type Later = (Arc<Folder>, Arc<Block>, u32, Wish);

/// The first name's copy.
#[derive(Clone)]
pub struct Made {
    /// The folder it lies in.
    pub folder: Arc<Folder>,
    /// Its name there.
    pub name: OsString,
    /// The copy itself.
    pub copy: Identity,
    /// The source, as it was when it was copied.
    pub source: Fingerprint,
    /// What it is verified by.
    pub hashed: Option<Hashed>,
}

/// What to do with one name of a file that has several.
pub enum Claim {
    /// It is the first: copy it, then say how it ended.
    First,
    /// The first one is being copied: it comes back afterwards.
    Later,
    /// Link it to this copy.
    Link(Made),
}

enum Links {
    Copying(Vec<Later>),
    Made(Made),
}

/// The files of a job that have several names.
#[derive(Default)]
pub struct HardLinks(Mutex<HashMap<Identity, Links>>);

impl HardLinks {
    /// Says what is to be done with a name of a file.
    pub fn claim(&self, file: Identity, later: impl FnOnce() -> Later) -> Claim {
        let mut links = self.lock();
        match links.get_mut(&file) {
            None => {
                let _none = links.insert(file, Links::Copying(Vec::new()));
                Claim::First
            }
            Some(Links::Copying(waiting)) => {
                waiting.push(later());
                Claim::Later
            }
            Some(Links::Made(made)) => Claim::Link(made.clone()),
        }
    }

    /// The first name's copy is there; gives the names that waited for it.
    pub fn made(&self, file: Identity, made: Made) -> Vec<Later> {
        waiting(self.lock().insert(file, Links::Made(made)))
    }

    /// The first name was not copied: the next one is the first; gives those that waited.
    pub fn given_up(&self, file: Identity) -> Vec<Later> {
        waiting(self.lock().remove(&file))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Links>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn waiting(links: Option<Links>) -> Vec<Later> {
    match links {
        Some(Links::Copying(waiting)) => waiting,
        _ => Vec::new(),
    }
}
