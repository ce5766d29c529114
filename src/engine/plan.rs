//! All entries of a job, in the order in which they were found, with a state for each.
//!
//! The listing appends, workers set states, a face reads: nobody waits for long. Entries
//! stand in blocks, one for each run of a listing; a block never changes but for its
//! atomics, so readers hold it by `Arc`. An entry costs 24 bytes and its name; a million
//! entries must not cost more than 150 bytes each.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde::{Deserialize, Serialize};

use super::conflict::FileKind;
use super::message::EntryId;

/// Where an entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum EntryState {
    /// Not yet begun.
    Pending,
    /// In work: of a folder, that its entries are.
    InWork,
    /// Copied, linked or moved.
    Done,
    /// Done, under another name.
    Renamed,
    /// Left by a rule or an answer.
    Skipped,
    /// Left because nobody could be asked.
    Unanswered,
    /// Parked: a conflict waits for its answer.
    Asked,
    /// Failed: parked for an answer, or noted.
    Failed,
    /// Copied, but the source changed meanwhile: not to be trusted.
    Changed,
}

impl EntryState {
    /// Every state, in the order of its number.
    pub const ALL: [EntryState; 9] = [
        EntryState::Pending,
        EntryState::InWork,
        EntryState::Done,
        EntryState::Renamed,
        EntryState::Skipped,
        EntryState::Unanswered,
        EntryState::Asked,
        EntryState::Failed,
        EntryState::Changed,
    ];

    fn from_number(number: u8) -> EntryState {
        Self::ALL[usize::from(number)]
    }
}

/// A folder's number in its plan; 0 is the destination itself.
pub type FolderNumber = u32;

/// The destination: the folder that the sources' names are entries of.
pub const ROOT: FolderNumber = 0;

const UNKNOWN_SIZE: u64 = u64::MAX;

/// One entry as a face sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryView {
    /// Its number.
    pub id: EntryId,
    /// Its name (at the source).
    pub name: OsString,
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes, once it is known.
    pub size: Option<u64>,
    /// Where it stands.
    pub state: EntryState,
}

struct Record {
    folder: FolderNumber,
    name_start: u32,
    name_len: u16,
    kind: AtomicU8,
    state: AtomicU8,
    size: AtomicU64,
}

/// A run of entries that were listed together. Entries are named by their place in it.
pub struct Block {
    first: u32,
    records: Box<[Record]>,
    names: Box<[u8]>,
}

impl Block {
    /// How many entries it has.
    pub fn len(&self) -> u32 {
        self.records.len() as u32
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The number of the entry at a place.
    pub fn id(&self, at: u32) -> EntryId {
        EntryId(self.first + at)
    }

    /// The name of the entry at a place.
    pub fn name(&self, at: u32) -> &OsStr {
        let record = &self.records[at as usize];
        let start = record.name_start as usize;
        OsStr::from_bytes(&self.names[start..start + usize::from(record.name_len)])
    }

    /// What the entry at a place is.
    pub fn kind(&self, at: u32) -> FileKind {
        FileKind::from_number(self.records[at as usize].kind.load(Ordering::Relaxed))
    }

    /// The folder that the entry at a place lies in.
    pub fn folder(&self, at: u32) -> FolderNumber {
        self.records[at as usize].folder
    }

    /// The state of the entry at a place.
    pub fn state(&self, at: u32) -> EntryState {
        EntryState::from_number(self.records[at as usize].state.load(Ordering::Relaxed))
    }

    /// The size of the entry at a place in bytes, once it is known.
    pub fn size(&self, at: u32) -> Option<u64> {
        let size = self.records[at as usize].size.load(Ordering::Relaxed);
        (size != UNKNOWN_SIZE).then_some(size)
    }

    pub(crate) fn set_state(&self, at: u32, state: EntryState) {
        self.records[at as usize].state.store(state as u8, Ordering::Relaxed);
    }

    /// It is something else than the listing said.
    pub(crate) fn set_kind(&self, at: u32, kind: FileKind) {
        self.records[at as usize].kind.store(kind as u8, Ordering::Relaxed);
    }

    pub(crate) fn set_size(&self, at: u32, size: u64) {
        self.records[at as usize].size.store(size, Ordering::Relaxed);
    }

    fn view(&self, at: u32) -> EntryView {
        EntryView {
            id: self.id(at),
            name: self.name(at).to_os_string(),
            kind: self.kind(at),
            size: self.size(at),
            state: self.state(at),
        }
    }
}

/// Collects the entries of a listing before they are added to the plan together.
#[derive(Default)]
pub(crate) struct BlockBuilder {
    records: Vec<Record>,
    names: Vec<u8>,
    inodes: Vec<u64>,
}

impl BlockBuilder {
    /// Adds an entry whose inode is known, for [`BlockBuilder::sort_by_inode`].
    pub(crate) fn push_inode(
        &mut self,
        folder: FolderNumber,
        name: &OsStr,
        kind: FileKind,
        inode: u64,
    ) {
        self.push(folder, name, kind);
        self.inodes.push(inode);
    }

    /// Puts entries in the order of their inodes, which all must have been given.
    pub(crate) fn sort_by_inode(&mut self) {
        if self.inodes.is_sorted() {
            return;
        }
        let inodes = std::mem::take(&mut self.inodes);
        let mut pairs: Vec<(u64, Record)> =
            inodes.into_iter().zip(std::mem::take(&mut self.records)).collect();
        pairs.sort_unstable_by_key(|(inode, _)| *inode);
        self.records = pairs.into_iter().map(|(_, record)| record).collect();
    }

    pub(crate) fn push(&mut self, folder: FolderNumber, name: &OsStr, kind: FileKind) {
        let bytes = name.as_bytes();
        self.records.push(Record {
            folder,
            name_start: self.names.len() as u32,
            name_len: bytes.len() as u16,
            kind: AtomicU8::new(kind as u8),
            state: AtomicU8::new(EntryState::Pending as u8),
            size: AtomicU64::new(UNKNOWN_SIZE),
        });
        self.names.extend_from_slice(bytes);
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }
}

/// Where a folder of the plan stands: its own entry. The root has none.
#[derive(Clone, Copy)]
struct FolderRecord {
    entry: EntryId,
}

/// All entries of a job.
pub struct Plan {
    blocks: RwLock<Blocks>,
    folders: RwLock<Vec<FolderRecord>>,
}

#[derive(Default)]
struct Blocks {
    all: Vec<Arc<Block>>,
    len: u32,
}

impl Default for Plan {
    fn default() -> Self {
        let root = FolderRecord { entry: EntryId(u32::MAX) };
        Plan { blocks: RwLock::default(), folders: RwLock::new(vec![root]) }
    }
}

impl Plan {
    /// How many entries have been found so far.
    pub fn len(&self) -> usize {
        self.read().len as usize
    }

    /// Whether none has been found yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One entry.
    pub fn entry(&self, id: EntryId) -> Option<EntryView> {
        let (block, at) = self.find(id)?;
        Some(block.view(at))
    }

    /// An entry's path below the destination (by its names at the source).
    pub fn path(&self, id: EntryId) -> Option<PathBuf> {
        let (mut block, mut at) = self.find(id)?;
        let mut names = vec![block.name(at).to_os_string()];
        while block.folder(at) != ROOT {
            (block, at) = self.find(self.folder_entry(block.folder(at))?)?;
            names.push(block.name(at).to_os_string());
        }
        Some(names.into_iter().rev().collect())
    }

    /// The blocks of entries from one number on: for lists and filters, without a lock held
    /// while they are read. The first block may begin before `from`.
    pub fn blocks(&self, from: EntryId) -> Vec<Arc<Block>> {
        let blocks = self.read();
        let start = blocks.all.partition_point(|b| b.first + b.len() <= from.0);
        blocks.all[start..].to_vec()
    }

    /// The block that holds an entry, and the entry's place in it.
    pub fn find(&self, id: EntryId) -> Option<(Arc<Block>, u32)> {
        let blocks = self.read();
        let index = blocks.all.partition_point(|b| b.first + b.len() <= id.0);
        let block = blocks.all.get(index)?;
        Some((Arc::clone(block), id.0 - block.first))
    }

    /// The entry that is a folder of the plan; `None` for the root.
    pub fn folder_entry(&self, folder: FolderNumber) -> Option<EntryId> {
        if folder == ROOT {
            return None;
        }
        let folders = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        folders.get(folder as usize).map(|record| record.entry)
    }

    /// Adds a run of entries.
    pub(crate) fn append(&self, builder: BlockBuilder) -> Arc<Block> {
        let mut blocks = self.blocks.write().unwrap_or_else(PoisonError::into_inner);
        let block = Arc::new(Block {
            first: blocks.len,
            records: builder.records.into_boxed_slice(),
            names: builder.names.into_boxed_slice(),
        });
        blocks.len += block.len();
        if !block.is_empty() {
            blocks.all.push(Arc::clone(&block));
        }
        block
    }

    /// Numbers a folder whose entries are going to be added.
    pub(crate) fn add_folder(&self, entry: EntryId) -> FolderNumber {
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.push(FolderRecord { entry });
        (folders.len() - 1) as FolderNumber
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Blocks> {
        self.blocks.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For the tests of faces, which need plans without an engine.
#[doc(hidden)]
impl Plan {
    /// Adds entries (name, kind, size, state) to the folder that is `entry`, or to the
    /// destination.
    pub fn add_sample(
        &self,
        entry: Option<EntryId>,
        entries: impl IntoIterator<Item = (OsString, FileKind, Option<u64>, EntryState)>,
    ) -> Arc<Block> {
        let folder = entry.map_or(ROOT, |entry| self.add_folder(entry));
        let mut builder = BlockBuilder::default();
        let mut facts = Vec::new();
        for (name, kind, size, state) in entries {
            builder.push(folder, &name, kind);
            facts.push((size, state));
        }
        let block = self.append(builder);
        for (at, (size, state)) in facts.into_iter().enumerate() {
            block.set_state(at as u32, state);
            if let Some(size) = size {
                block.set_size(at as u32, size);
            }
        }
        block
    }

    /// Gives an entry another state.
    pub fn set_sample_state(&self, id: EntryId, state: EntryState) {
        if let Some((block, at)) = self.find(id) {
            block.set_state(at, state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_put_in_the_order_of_their_inodes() {
        for inodes in [[3, 1, 2], [1, 2, 3], [2, 2, 1]] {
            let mut builder = BlockBuilder::default();
            for inode in inodes {
                let name = format!("file {inode}");
                builder.push_inode(ROOT, OsStr::new(&name), FileKind::File, inode);
            }
            builder.sort_by_inode();
            let block = Plan::default().append(builder);
            let mut sorted = inodes;
            sorted.sort_unstable();
            for (at, inode) in (0..).zip(sorted) {
                assert_eq!(block.name(at), OsStr::new(&format!("file {inode}")));
            }
        }
    }
}
