//! A file that is being made, until it has its name.
//!
//! A small new file is made under its name: a nameless or temporary one would cost 9 to 90 %
//! more, and it is removed again when its copy fails. A larger one has no name until it is
//! whole. One that replaces another is made under a temporary name beside it and renamed
//! over it in one step.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustix::fs::Stat;
use rustix::io::{Errno, Result};

use super::part::{Part, Source};
use super::transfer::Reached;
use super::way::Way;
use super::{At, Place, Trouble, failed, failed_or_taken};
use crate::engine::error::Operation;
use crate::engine::fs;
use crate::engine::keep::put_in_place;
use crate::engine::moving::Fingerprint;
use crate::engine::naming::{NAME_MAX, cut};

/// From this size on, in bytes, a new file has no name until it is whole.
pub const NAMELESS_FROM: u64 = 1024 * 1024;

/// What its owner needs to open a file again and write to it.
const OPENS: u32 = 0o600;

/// A file that is being made. Dropped before it is published, it is removed.
pub struct Unfinished<'a> {
    /// The open file.
    pub file: OwnedFd,
    folder: &'a OwnedFd,
    state: State<'a>,
}

enum State<'a> {
    InPlace(&'a OsStr),
    Nameless,
    Temporary(OsString),
    Published,
}

impl<'a> Unfinished<'a> {
    /// Begins a file of this size with this mode.
    ///
    /// # Errors
    /// [`Trouble::Taken`] when the name is taken and nothing is to be replaced.
    pub fn begin(place: &Place<'a>, size: u64, mode: u32) -> std::result::Result<Self, Trouble> {
        let create = failed_or_taken(Operation::Create);
        let folder = place.destination;
        if place.replace {
            return Self::temporary(place, mode).map_err(create);
        }
        // A file that another source may run into has no name before it is noted.
        if size < NAMELESS_FROM && place.made.is_none() {
            let file = fs::create(folder, place.new_name, mode).map_err(create)?;
            return Ok(Unfinished { file, folder, state: State::InPlace(place.new_name) });
        }
        if fs::stat_name(folder, place.new_name).is_ok() {
            return Err(Trouble::Taken);
        }
        if place.pair.nameless.load(Relaxed) {
            match fs::create_nameless(folder, mode) {
                Ok(file) => return Ok(Unfinished { file, folder, state: State::Nameless }),
                Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {
                    place.pair.nameless.store(false, Relaxed);
                }
                Err(errno) => return Err(create(errno)),
            }
        }
        Self::temporary(place, mode).map_err(create)
    }

    fn temporary(place: &Place<'a>, mode: u32) -> Result<Self> {
        let folder = place.destination;
        with_temporary_name(place.new_name, place.tag, |temporary| {
            let file = fs::create(folder, temporary, mode)?;
            Ok(Unfinished { file, folder, state: State::Temporary(temporary.to_os_string()) })
        })
    }

    /// Gives the finished file its name.
    ///
    /// # Errors
    /// [`Trouble::Taken`] when the name was taken meanwhile and nothing is to be replaced;
    /// the file is removed again then.
    pub fn publish(mut self, place: &Place<'a>) -> std::result::Result<(), Trouble> {
        let name = place.new_name;
        if !place.pair.destination.is_plain_local() {
            self.settle().map_err(failed(Operation::Write, At::Destination))?;
        }
        let named = match &self.state {
            State::InPlace(_) | State::Published => Ok(()),
            State::Nameless => match fs::name_nameless(&self.file, self.folder, name) {
                // No /proc here: the file's data is lost, the next try takes another way.
                Err(Errno::NOENT) => {
                    place.pair.nameless.store(false, Relaxed);
                    return Err(Trouble::OtherKind);
                }
                result => result,
            },
            State::Temporary(temporary) if place.replace => self
                .flush_before_replacing(place)
                .and_then(|()| Way::through(place, || put_in_place(place, temporary))),
            State::Temporary(temporary) => place.take_name(self.folder, temporary),
        };
        named.map_err(failed_or_taken(Operation::Publish))?;
        self.state = State::Published;
        Ok(())
    }

    /// Leaves what there is of it under a temporary name, to go on with another time; `None` when
    /// that cannot be: it is removed.
    pub fn keep(mut self, place: &Place<'a>, source: &Stat, reached: Reached) -> Option<Part> {
        if let State::Nameless = self.state {
            let named = with_temporary_name(place.new_name, place.tag, |temporary| {
                fs::name_nameless(&self.file, self.folder, temporary)?;
                Ok(temporary.to_os_string())
            });
            self.state = State::Temporary(named.ok()?);
        }
        let State::Temporary(name) = &self.state else { return None };
        let name = name.clone();
        let mode = fs::mode(&fs::stat(&self.file).ok()?);
        if mode & OPENS != OPENS {
            fs::set_mode(&self.file, mode | OPENS).ok()?;
        }
        let made = Fingerprint::of(&fs::stat(&self.file).ok()?);
        self.state = State::Published;
        Some(Part { name, made, mode, source: Source::of(source), reached, counted: 0 })
    }

    /// Goes on with a part that was left; `None` when it is to be begun anew.
    ///
    /// # Errors
    /// [`Trouble::Taken`] when the name was taken meanwhile and nothing is to be replaced.
    pub fn go_on(
        place: &Place<'a>,
        source: &Stat,
        part: &Part,
    ) -> std::result::Result<Option<Self>, Trouble> {
        let folder = place.destination;
        if !place.replace && fs::stat_name(folder, place.new_name).is_ok() {
            return Err(Trouble::Taken);
        }
        let opened = part.open(folder, source).ok();
        let state = State::Temporary(part.name.clone());
        Ok(opened.map(|file| Unfinished { file, folder, state }))
    }

    /// Where a file system may find out late that there was no room, asks it now: before the
    /// name leads to the file. A second descriptor is closed for that, the first stays to
    /// know the file by.
    fn settle(&self) -> Result<()> {
        fs::flush_file(&self.file)?;
        fs::close(self.file.try_clone().map_err(|_| Errno::MFILE)?)
    }

    /// After a crash of the machine the name must lead to the old data or to the new, never
    /// to none.
    fn flush_before_replacing(&self, place: &Place<'_>) -> Result<()> {
        if place.pair.destination.rename_is_ordered() {
            // Not so when two names change places; but its data goes before them as soon as
            // it is on its way.
            let goes = place.keep.map_or(Ok(()), |_| fs::start_writing(&self.file));
            return goes.or_else(|_| fs::flush_data(&self.file));
        }
        fs::flush_data(&self.file)
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let name: &OsStr = match &self.state {
            State::Published | State::Nameless => return,
            State::InPlace(name) => name,
            State::Temporary(name) => name,
        };
        // Only what is still the file that was made here; there is nobody left to tell when
        // it cannot be removed, the entry has failed already.
        if let Ok(stat) = fs::stat(&self.file) {
            let _removed_or_not = fs::remove_if(self.folder, name, fs::identity(&stat));
        }
    }
}

/// What every temporary name of a job ends with, but for a number: nothing of the user's does.
pub fn temporary_mark(tag: u64) -> String {
    format!(".ferry-{tag:016x}-")
}

/// Calls `make` with names beside `name` until one is free: `.name.ferry-1f3a…`, cut to what
/// a file system takes.
pub fn with_temporary_name<T>(
    name: &OsStr,
    tag: u64,
    mut make: impl FnMut(&OsStr) -> Result<T>,
) -> Result<T> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    for _ in 0..1000 {
        let number = NEXT.fetch_add(1, Relaxed);
        let tail = format!("{}{number:x}", temporary_mark(tag));
        let stem = cut(name.as_bytes(), NAME_MAX - 1 - tail.len());
        let temporary = OsString::from_vec([b".", stem, tail.as_bytes()].concat());
        match make(&temporary) {
            Err(Errno::EXIST) => {}
            result => return result,
        }
    }
    Err(Errno::EXIST)
}
