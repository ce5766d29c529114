//! Entries that the user has said to skip while their job runs.
//!
//! Whoever handles an entry looks here before it and between its chunks: while nothing is to
//! be skipped that is one relaxed load.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::control::Control;
use super::copy::Trouble;
use super::job::{Job, lock};
use super::message::EntryId;
use super::plan::Plan;

/// The entries of one job that are to be skipped.
#[derive(Default)]
pub struct Skips {
    any: AtomicBool,
    entries: Mutex<HashSet<EntryId>>,
    declined: Mutex<Vec<EntryId>>,
}

impl Skips {
    /// Skips an entry, and everything that lies in it.
    pub fn add(&self, entry: EntryId) {
        let _new = lock(&self.entries).insert(entry);
        self.any.store(true, Relaxed);
    }

    /// Keeps what the user said to skip, in whatever way, for the journal.
    pub fn decline(&self, entries: &[EntryId]) {
        lock(&self.declined).extend_from_slice(entries);
    }

    /// All that the user said to skip.
    pub fn declined(&self) -> Vec<EntryId> {
        lock(&self.declined).clone()
    }

    /// Whether an entry is to be skipped: it, or a folder above it.
    #[inline]
    pub fn has(&self, plan: &Plan, entry: EntryId) -> bool {
        self.any.load(Relaxed) && self.look(plan, entry)
    }

    #[cold]
    fn look(&self, plan: &Plan, entry: EntryId) -> bool {
        let entries = lock(&self.entries);
        let mut at = Some(entry);
        while let Some(id) = at {
            if entries.contains(&id) {
                return true;
            }
            at = plan.find(id).and_then(|(block, at)| plan.folder_entry(block.folder(at)));
        }
        false
    }
}

/// What is looked at between the chunks of one entry.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    control: &'a Control,
    entry: Option<(&'a Job, EntryId)>,
}

impl<'a> Watch<'a> {
    /// For an entry.
    pub fn of(job: &'a Job, entry: EntryId) -> Watch<'a> {
        Watch { control: &job.control, entry: Some((job, entry)) }
    }

    /// For what is no entry of a job.
    pub fn of_control(control: &'a Control) -> Watch<'a> {
        Watch { control, entry: None }
    }

    /// Goes on at once, waits while the job stands still, or says why to go no further.
    ///
    /// # Errors
    /// That the job is cancelled, the entry is to be skipped, or the job lets go of its devices:
    /// then the entry comes again when it goes on.
    #[inline]
    pub fn checkpoint(&self) -> Result<(), Trouble> {
        let Some((job, entry)) = self.entry else {
            return Ok(self.control.checkpoint()?);
        };
        self.control.go_on()?;
        if job.skips.has(&job.plan, entry) { Err(Trouble::Skipped) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::conflict::FileKind;
    use crate::engine::plan::EntryState;

    #[test]
    fn what_lies_in_a_skipped_folder_is_skipped_and_nothing_else() {
        let plan = Plan::default();
        let entry = |name: &str| (name.into(), FileKind::Folder, None, EntryState::Pending);
        let top = plan.add_sample(None, [entry("a"), entry("b")]);
        let inner = plan.add_sample(Some(top.id(0)), [entry("inner")]);
        let deep = plan.add_sample(Some(inner.id(0)), [entry("deep")]);
        let skips = Skips::default();
        assert!(!skips.has(&plan, top.id(0)));
        skips.add(top.id(0));
        for id in [top.id(0), inner.id(0), deep.id(0)] {
            assert!(skips.has(&plan, id), "{id:?}");
        }
        assert!(!skips.has(&plan, top.id(1)));
    }
}
