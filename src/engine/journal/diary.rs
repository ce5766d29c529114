//! A worker's own page of the journal: ends are collected and written a batch at a time.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};

use rustix::fs::Stat;

use super::record::{ENDED, Ended, Facts, How, Record, put_ended};
use super::writer::Journal;
use crate::engine::fs;
use crate::engine::plan::{Block, EntryState};

/// What an entry in work comes to, told before it ends.
#[derive(Clone, Debug, Default)]
pub struct Fate {
    /// What was done.
    pub how: How,
    /// What its copy is.
    pub facts: Facts,
    /// Its name at the destination, where that is another one.
    pub name: Option<OsString>,
}

impl Facts {
    /// What is known by a look at the copy, or at the source that it was made like.
    pub fn of(stat: &Stat) -> Facts {
        Facts {
            size: fs::size(stat),
            modified: (stat.st_mtime, stat.st_mtime_nsec as u32),
            inode: 0,
        }
    }
}

/// Bytes from which a page is written before its batch ends.
const FULL: usize = 32 * 1024;

/// A worker's page. Without a journal nothing is noted.
pub struct Diary<'a> {
    journal: Option<&'a Journal>,
    fate: RefCell<Fate>,
    page: RefCell<Vec<u8>>,
}

impl<'a> Diary<'a> {
    /// An empty page.
    pub fn new(journal: Option<&'a Journal>) -> Diary<'a> {
        Diary { journal, fate: RefCell::default(), page: RefCell::new(vec![ENDED]) }
    }

    /// Whether anything is noted.
    pub fn is_kept(&self) -> bool {
        self.journal.is_some()
    }

    /// An entry is going to be handled under a name; it is told before anything is made if
    /// it is another one.
    pub fn begin(&self, block: &Block, at: u32, name: Option<&OsStr>) {
        let Some(journal) = self.journal else { return };
        let name = name.filter(|name| *name != block.name(at));
        if let Some(name) = name {
            journal.append(&[Record::Naming(block.id(at), name.to_os_string())]);
        }
        *self.fate.borrow_mut() = Fate { name: name.map(OsStr::to_os_string), ..Fate::default() };
    }

    /// The entry in work has another name by now than the one that it was begun under.
    pub fn named(&self, block: &Block, at: u32, name: &OsStr) {
        self.fate.borrow_mut().name = (name != block.name(at)).then(|| name.to_os_string());
    }

    /// What the entry in work came to.
    pub fn note(&self, how: How, facts: Facts) {
        if self.journal.is_some() {
            let mut fate = self.fate.borrow_mut();
            (fate.how, fate.facts) = (how, facts);
        }
    }

    /// An entry has its last state.
    pub fn ended(&self, block: &Block, at: u32, state: EntryState) {
        if self.journal.is_none() {
            return;
        }
        let Fate { how, facts, name } = self.fate.take();
        let kind = block.kind(at);
        let mut page = self.page.borrow_mut();
        put_ended(&mut page, &Ended { entry: block.id(at), state, how, kind, facts, name });
        let full = page.len() >= FULL;
        drop(page);
        if full {
            self.write();
        }
    }

    /// Writes what was collected.
    pub fn write(&self) {
        let mut page = self.page.borrow_mut();
        if let Some(journal) = self.journal
            && page.len() > 1
        {
            journal.append_encoded([page.as_slice()]);
            page.truncate(1);
        }
    }
}

impl Drop for Diary<'_> {
    fn drop(&mut self) {
        self.write();
    }
}
