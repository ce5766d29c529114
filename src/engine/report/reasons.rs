//! What a report takes to the journal, so that it can be had again on another day.
//!
//! Written once, at the end, and nothing of what went well: the entries of one reason together.

use std::collections::HashMap;
use std::hash::Hash;

use super::{Report, sorted};
use crate::engine::error::Error;
use crate::engine::job::lock;
use crate::engine::journal::{Record, Unlisted};
use crate::engine::message::EntryId;
use crate::engine::plan::EntryState;

impl Report {
    /// What the journal is to hold for the same report on another day, but for the states and
    /// names that it has already.
    pub(in crate::engine) fn reasons(&self) -> Vec<Record> {
        let state = |id| self.plan.find(id).map(|(block, at)| block.state(at));
        let failed = |id| matches!(state(id), Some(EntryState::Failed | EntryState::Changed));
        let mut faults = sorted(&self.faults);
        faults.retain(|(entry, _)| failed(*entry));
        // The last one counts.
        faults.reverse();
        faults.dedup_by_key(|(entry, _)| *entry);
        let never_listed = lock(&self.never_listed);
        let (unlisted, listed): (Vec<_>, Vec<_>) =
            faults.into_iter().partition(|(entry, _)| never_listed.contains(entry));
        let sources = unlisted.into_iter().map(|(entry, fault)| Unlisted {
            error: Error { path: self.source_path(entry), ..self.error(entry, fault) },
            is_source: true,
            kind: self.kind(entry, Some(fault)),
        });
        let refusals = lock(&self.refusals).clone().into_iter();
        let refusals = refusals.map(|error| Unlisted { error, is_source: false, kind: None });
        let unlisted: Vec<Unlisted> = refusals.chain(sources).collect();
        let mut records: Vec<Record> =
            alike(listed).into_iter().map(|(fault, all)| Record::Failed(fault, all)).collect();
        let noted = alike(sorted(&self.noted)).into_iter();
        records.extend(noted.map(|(kind, all)| Record::Noted(kind, all)));
        if !unlisted.is_empty() {
            records.push(Record::Unlisted(unlisted));
        }
        records
    }
}

/// The entries that the same is said of, in the order in which it was said first.
fn alike<T: Eq + Hash + Copy>(said: Vec<(EntryId, T)>) -> Vec<(T, Vec<EntryId>)> {
    let mut groups: Vec<(T, Vec<EntryId>)> = Vec::new();
    let mut places: HashMap<T, usize> = HashMap::new();
    for (entry, what) in said {
        let place = *places.entry(what).or_insert_with(|| {
            groups.push((what, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(entry);
    }
    groups
}
