//! The report of a job of the history, out of its journal.
//!
//! The journal holds what became of each entry, and under which name; at its end, why entries
//! failed and what of them was not kept. Older programs did not write down the latter, and the
//! report says so.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::conflict::FileKind;
use super::error::ErrorKind;
use super::journal::{End, Entry, JournalError, JournalId, Store, Told, Totals, Unlisted};
use super::message::JobSpec;
use super::plan::{BlockBuilder, EntryState, FolderNumber, Plan, ROOT};
use super::report::Report;
use super::summary::Summary;
use super::trash::Trash;

/// A job of the history and what became of it.
pub struct PastReport {
    /// What it was to do.
    pub spec: JobSpec,
    /// What became of it, in numbers.
    pub summary: Summary,
    /// What became of its entries.
    pub report: Report,
}

impl Store {
    /// The report of a job; `None` of one that has not ended.
    ///
    /// # Errors
    /// When there is no such job, or its journal cannot be read.
    pub fn report(&self, id: JournalId) -> Result<Option<PastReport>, JournalError> {
        let told = self.look(id)?;
        let Some(end) = told.end.as_ref() else { return Ok(None) };
        let (report, counted) = entries_of(&told, end.totals.is_none());
        let summary = summary(end, &report, counted);
        Ok(Some(PastReport { spec: told.header.spec, summary, report }))
    }
}

fn summary(end: &End, report: &Report, counted: Totals) -> Summary {
    let (failures, _) = report.told();
    let totals = end.totals.clone().unwrap_or(counted);
    Summary {
        outcome: end.outcome,
        entries: end.entries,
        bytes: end.bytes,
        elapsed: end.elapsed,
        merged: totals.merged,
        renamed: totals.renamed,
        set_aside: totals.set_aside,
        changed: totals.changed,
        verified: totals.verified,
        failures,
        notices: totals.notices,
    }
}

/// The report of all entries, and what can be counted of them.
fn entries_of(told: &Told, lacks_reasons: bool) -> (Report, Totals) {
    let plan = Arc::new(Plan::default());
    let destination = told.header.spec.destination.clone();
    let report = Report::of_past(Arc::clone(&plan), destination, lacks_reasons);
    let mut counted = Totals::default();
    for failed in &told.unlisted {
        add_unlisted(&report, failed);
    }
    let mut roots: Vec<(&PathBuf, usize)> =
        told.roots.iter().map(|(origin, folder)| (origin, *folder)).collect();
    roots.sort_unstable();
    for (origin, root) in roots {
        let mut folders: Vec<(usize, FolderNumber)> = vec![(root, ROOT)];
        while let Some((folder, number)) = folders.pop() {
            let mut all: Vec<_> = told.folders[folder].entries.iter().collect();
            all.sort_unstable_by_key(|(name, _)| *name);
            let mut builder = BlockBuilder::default();
            for (name, entry) in &all {
                builder.push(number, name, entry.kind);
            }
            let block = plan.append(builder);
            if number == ROOT && !block.is_empty() {
                report.add_origin(block.id(0), origin.clone());
            }
            for (at, (name, entry)) in (0..).zip(all) {
                let id = block.id(at);
                let below = entry.folder.map(|folder| &told.folders[folder]);
                let new_name = below.map_or(entry.name(name), |folder| &folder.name);
                let is_renamed = new_name != name;
                let state = state(entry, is_renamed);
                block.set_state(at, state);
                if is_renamed {
                    report.renamed(id, new_name);
                }
                if let Some(aside) = set_aside(entry, new_name) {
                    report.set_aside(id, &aside);
                    counted.set_aside += 1;
                }
                if let Some(said) = &entry.said {
                    said.fault.into_iter().for_each(|fault| report.fault(id, fault));
                    said.notices.iter().for_each(|kind| report.noted(id, *kind));
                }
                counted.changed += u64::from(state == EntryState::Changed);
                if matches!(state, EntryState::Done | EntryState::Renamed) {
                    counted.renamed += u64::from(is_renamed);
                    counted.merged += u64::from(below.is_some_and(|folder| !folder.made));
                }
                folders.extend(entry.folder.map(|folder| (folder, plan.add_folder(id))));
            }
        }
    }
    (report, counted)
}

/// How an entry ended. What was found wrong, or stayed where it was, after it had been copied is
/// known by the reason.
fn state(entry: &Entry, is_renamed: bool) -> EntryState {
    let fault = entry.said.as_ref().and_then(|said| said.fault);
    let ended = entry.ended.as_ref().map_or(EntryState::Pending, |end| end.state);
    match (fault, ended) {
        (Some(fault), _) if fault.kind == ErrorKind::Changed => EntryState::Changed,
        (Some(_), _) => EntryState::Failed,
        (None, EntryState::Done) if is_renamed => EntryState::Renamed,
        (None, ended) => ended,
    }
}

/// Where what stood in an entry's place is: under a name beside it, or a folder in the trash.
fn set_aside(entry: &Entry, name: &OsStr) -> Option<PathBuf> {
    let beside = entry.asides.last().map(|aside| PathBuf::from(&aside.new_name));
    if entry.kind != FileKind::Folder {
        return beside;
    }
    let replaced = entry
        .replacing
        .iter()
        .rev()
        .find(|known| known.name == name && known.trash != Path::new(""));
    let in_trash = replaced.map(|known| Trash::path_of(&known.trash, &known.kept));
    match (beside, in_trash) {
        // It stepped aside for a moment, or could not be taken to the trash.
        (Some(beside), Some(path)) if path.symlink_metadata().is_err() => Some(beside),
        (beside, in_trash) => in_trash.or(beside),
    }
}

/// Puts a failure into a report that stands for no entry of the journal.
fn add_unlisted(report: &Report, failed: &Unlisted) {
    if !failed.is_source {
        return report.failure(None, failed.error.clone());
    }
    let path = &failed.error.path;
    let split = path.file_name().and_then(|name| Some((path.parent()?, name)));
    let (folder, name) = split.unwrap_or((Path::new(""), path.as_os_str()));
    let mut builder = BlockBuilder::default();
    builder.push(ROOT, name, failed.kind.unwrap_or(FileKind::File));
    let block = report.plan().append(builder);
    report.add_origin(block.id(0), folder.to_path_buf());
    block.set_state(0, EntryState::Failed);
    report.not_begun(block.id(0), failed.kind, failed.error.clone());
}
