//! The report of a job of the history, out of its journal.
//!
//! The journal holds what became of each entry, and under which name. Why something failed and
//! what was not kept it does not hold, and the report says so.

use std::path::PathBuf;
use std::sync::Arc;

use super::journal::{JournalError, JournalId, Store, Told};
use super::message::{ByteCounts, EntryCounts, JobSpec};
use super::plan::{BlockBuilder, EntryState, FolderNumber, Plan, ROOT};
use super::report::Report;
use super::summary::{Outcome, Summary};

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
        let (outcome, entries, bytes, elapsed) = (end.outcome, end.entries, end.bytes, end.elapsed);
        let mut counts = Counts::default();
        let report = entries_of(&told, &mut counts);
        let summary = summary((outcome, entries, bytes, elapsed), &counts);
        Ok(Some(PastReport { spec: told.header.spec, summary, report }))
    }
}

#[derive(Default)]
struct Counts {
    merged: u64,
    renamed: u64,
    changed: u64,
    set_aside: u64,
}

fn summary(
    (outcome, entries, bytes, elapsed): (Outcome, EntryCounts, ByteCounts, u64),
    counts: &Counts,
) -> Summary {
    Summary {
        outcome,
        entries,
        bytes,
        elapsed,
        merged: counts.merged,
        renamed: counts.renamed,
        set_aside: counts.set_aside,
        changed: counts.changed,
        verified: 0,
        failures: Vec::new(),
        notices: Vec::new(),
    }
}

fn entries_of(told: &Told, counts: &mut Counts) -> Report {
    let plan = Arc::new(Plan::default());
    let report = Report::of_past(Arc::clone(&plan), told.header.spec.destination.clone());
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
                let state = entry.ended.as_ref().map_or(EntryState::Pending, |end| end.state);
                let new_name = below.map_or(entry.name(name), |folder| &folder.name);
                let state = match state {
                    EntryState::Done if new_name != name => EntryState::Renamed,
                    state => state,
                };
                block.set_state(at, state);
                if new_name != name {
                    report.renamed(id, new_name);
                }
                if let Some(aside) = entry.asides.last() {
                    report.set_aside(id, aside.new_name.as_ref());
                    counts.set_aside += 1;
                }
                counts.changed += u64::from(state == EntryState::Changed);
                if matches!(state, EntryState::Done | EntryState::Renamed) {
                    counts.renamed += u64::from(new_name != name);
                    counts.merged += u64::from(below.is_some_and(|folder| !folder.made));
                }
                folders.extend(entry.folder.map(|folder| (folder, plan.add_folder(id))));
            }
        }
    }
    report
}
