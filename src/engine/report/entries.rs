//! The entries that a report tells of, by their paths.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Report, sorted};
use crate::engine::bytes;
use crate::engine::conflict::FileKind;
use crate::engine::copy::{At, Fault};
use crate::engine::error::{Error, Operation};
use crate::engine::job::lock;
use crate::engine::message::EntryId;
use crate::engine::plan::{Block, EntryState, FolderNumber, ROOT};
use crate::engine::summary::NoticeKind;

/// One entry that has something to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportEntry {
    /// Its path below the destination, by its names at the source.
    #[serde(with = "bytes::name")]
    pub path: PathBuf,
    /// What it is; `None` of a source that nobody could look at.
    pub kind: Option<FileKind>,
    /// How it ended.
    pub state: EntryState,
    /// Its source.
    #[serde(with = "bytes::name")]
    pub source_path: PathBuf,
    /// Where it was copied to, or was to be.
    #[serde(with = "bytes::name")]
    pub destination_path: PathBuf,
    /// Why it failed.
    pub error: Option<Error>,
    /// What of it was not kept.
    pub notices: Vec<NoticeKind>,
    /// Where what stood in its place was put.
    pub set_aside: Option<SetAside>,
}

/// Where something was put that stood in the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SetAside(#[serde(with = "bytes::name")] pub PathBuf);

impl Report {
    /// Every entry that was not simply done: skipped, renamed, failed, changed, left undone, or
    /// with something that was not kept or was set aside. By their sources' paths, so that two
    /// reports of one job are alike, in whatever order its folders were listed.
    pub fn entries(&self) -> impl Iterator<Item = ReportEntry> {
        let faults = sorted(&self.faults);
        let noted = sorted(&self.noted);
        let set_aside = sorted(&self.set_aside);
        let is_told = |id, state| {
            let is_noted = of_entry(&noted, id).next().is_some();
            state != EntryState::Done || is_noted || of_entry(&set_aside, id).next().is_some()
        };
        let ids = self.by_path(is_told);
        ids.into_iter().filter_map(move |id| {
            let (block, at) = self.plan.find(id)?;
            let state = block.state(at);
            // The last one counts: the others were mended.
            let fault = of_entry(&faults, id).last().map(|(_, fault)| *fault);
            let mut notices: Vec<_> = of_entry(&noted, id).map(|(_, kind)| *kind).collect();
            notices.sort_unstable_by_key(|kind| *kind as u8);
            Some(ReportEntry {
                path: self.plan.path(id).unwrap_or_default(),
                kind: self.kind(id, fault),
                state,
                source_path: self.source_path(id),
                destination_path: self.destination_path(id),
                error: fault.map(|fault| self.error(id, fault)),
                notices,
                set_aside: of_entry(&set_aside, id).next().map(|(_, to)| SetAside(to.clone())),
            })
        })
    }

    /// What an entry is; `None` of a source that nobody could look at to the end.
    pub(super) fn kind(&self, entry: EntryId, fault: Option<Fault>) -> Option<FileKind> {
        let (block, at) = self.plan.find(entry)?;
        let looking = [Operation::Inspect, Operation::Open];
        let never_seen = block.state(at) == EntryState::Failed
            && lock(&self.unseen).contains(&entry)
            && fault.is_none_or(|it| it.at == At::Source && looking.contains(&it.operation));
        (!never_seen).then(|| block.kind(at))
    }

    /// The numbers of some entries, by their sources' paths; a folder comes before what lies in
    /// it. There may be a million of them: paths are compared a folder at a time, by names.
    fn by_path(&self, is_told: impl Fn(EntryId, EntryState) -> bool) -> Vec<EntryId> {
        let mut within: HashMap<FolderNumber, Vec<EntryId>> = HashMap::new();
        // The folders that something told lies in. One that was listed twice has two numbers.
        let mut folders: HashMap<EntryId, Vec<FolderNumber>> = HashMap::new();
        let told = |block: &Block, at| is_told(block.id(at), block.state(at));
        for block in self.plan.blocks(EntryId(0)) {
            for at in (0..block.len()).filter(|at| told(&block, *at)) {
                let mut folder = block.folder(at);
                within.entry(folder).or_default().push(block.id(at));
                while let Some(above) = self.plan.folder_entry(folder) {
                    let numbers = folders.entry(above).or_default();
                    let is_new = numbers.is_empty();
                    if !numbers.contains(&folder) {
                        numbers.push(folder);
                    }
                    let Some((block, at)) = self.plan.find(above).filter(|_| is_new) else { break };
                    folder = block.folder(at);
                    if !told(&block, at) {
                        within.entry(folder).or_default().push(above);
                    }
                }
            }
        }
        let mut sorted = |folder| {
            let mut all = within.remove(&folder).unwrap_or_default();
            match folder {
                ROOT => all.sort_by_cached_key(|entry| self.source_path(*entry)),
                _ => all.sort_by_cached_key(|entry| self.plan.entry(*entry).map(|it| it.name)),
            }
            all.into_iter().rev()
        };
        let mut order = Vec::new();
        let mut next: Vec<EntryId> = sorted(ROOT).collect();
        while let Some(entry) = next.pop() {
            if self.plan.find(entry).is_some_and(|(block, at)| told(&block, at)) {
                order.push(entry);
            }
            let inside = folders.remove(&entry).unwrap_or_default();
            inside.into_iter().for_each(|folder| next.extend(sorted(folder)));
        }
        order
    }
}

fn of_entry<T>(
    sorted: &[(EntryId, T)],
    entry: EntryId,
) -> impl DoubleEndedIterator<Item = &(EntryId, T)> {
    let from = sorted.partition_point(|(id, _)| *id < entry);
    let to = sorted.partition_point(|(id, _)| *id <= entry);
    sorted[from..to].iter()
}
