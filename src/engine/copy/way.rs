//! Making way: what is done before a finished file takes the place of something else.
//!
//! What one source of the job made is never replaced by another one. What is to be kept under
//! another name gets it first, as a second name where it can have one, so that its own is at
//! no time without a file.

use std::sync::MutexGuard;

use rustix::io::{Errno, Result};

use super::Place;
use crate::engine::conflict::FileKind;
use crate::engine::fs::{self, Identity};
use crate::engine::job::lock;
use crate::engine::keep;
use crate::engine::made::Made;

/// The place is free to be taken. Dropped before that, what was set aside gets its name
/// back.
pub struct Way<'a> {
    place: &'a Place<'a>,
    set_aside: Option<SetAside>,
    /// Held until the name is taken: nobody else's file comes there meanwhile.
    made: Option<MutexGuard<'a, Made>>,
}

struct SetAside {
    identity: Identity,
    linked: bool,
}

impl<'a> Way<'a> {
    /// Makes way.
    ///
    /// # Errors
    /// `EEXIST` when another source of the job made what is there, or when the name for what
    /// is set aside is taken.
    fn make(place: &'a Place<'a>) -> Result<Way<'a>> {
        let (folder, name) = (place.destination, place.new_name);
        let made = place.made.map(lock);
        let mut way = Way { place, set_aside: None, made };
        if way.made.is_none() && place.aside.is_none() {
            return Ok(way);
        }
        let existing = match fs::stat_name(folder, name) {
            Ok(existing) => existing,
            Err(Errno::NOENT) => return Ok(way),
            Err(errno) => return Err(errno),
        };
        let identity = fs::identity(&existing);
        if way.made.as_ref().is_some_and(|made| made.has(identity, place.made_as)) {
            return Err(Errno::EXIST);
        }
        if let Some((aside, of)) = place.aside {
            keep::tell_aside(of, identity, name, aside);
            let linked = if fs::kind(&existing) == FileKind::Folder {
                fs::rename_new(folder, name, folder, aside)?;
                false
            } else {
                match fs::hard_link(folder, name, folder, aside) {
                    Ok(()) => true,
                    Err(Errno::EXIST) => return Err(Errno::EXIST),
                    // Not every file, or file system, takes a second name.
                    Err(_) => {
                        fs::rename_new(folder, name, folder, aside)?;
                        false
                    }
                }
            };
            way.set_aside = Some(SetAside { identity, linked });
        }
        Ok(way)
    }

    /// Makes way and takes the name by a call.
    ///
    /// # Errors
    /// As [`Way::make`], or what the call says: what was set aside has its name back then.
    pub fn through(place: &'a Place<'a>, take: impl FnOnce() -> Result<()>) -> Result<()> {
        let mut way = Way::make(place)?;
        take()?;
        way.set_aside = None;
        Ok(())
    }
}

impl Drop for Way<'_> {
    fn drop(&mut self) {
        let Some(SetAside { identity, linked }) = self.set_aside.take() else { return };
        let Some((aside, _)) = self.place.aside else { return };
        let (folder, name) = (self.place.destination, self.place.new_name);
        let own = fs::stat_name(folder, name).is_ok_and(|stat| fs::identity(&stat) == identity);
        // Where it fails, the file has its other name: nothing is lost.
        let _back_or_not = match (linked, own) {
            (true, true) => fs::remove_if(folder, aside, identity),
            _ => fs::rename_new(folder, aside, folder, name),
        };
    }
}
