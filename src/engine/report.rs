//! What a job has to say at its end: failures, notices, names that were changed.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::copy::Lost;
use super::error::Error;
use super::message::EntryId;
use super::plan::Plan;
use super::summary::{FAILURES_KEPT, Failure, Notice, NoticeKind};

/// Collects what is to be said.
#[derive(Default)]
pub struct Report {
    failures: Mutex<Vec<Failure>>,
    notices: Mutex<Vec<Notice>>,
    renamed: Mutex<HashMap<EntryId, OsString>>,
}

impl Report {
    /// An entry, or the job, failed for good.
    pub fn failure(&self, entry: Option<EntryId>, error: Error) {
        let mut failures = lock(&self.failures);
        if failures.len() < FAILURES_KEPT {
            failures.push(Failure { entry, error });
        }
    }

    /// Something of an entry was not kept.
    pub fn notice(&self, kind: NoticeKind, plan: &Plan, entry: EntryId) {
        let mut notices = lock(&self.notices);
        match notices.iter_mut().find(|notice| notice.kind == kind) {
            Some(notice) => notice.count += 1,
            None => {
                let example = plan.path(entry).unwrap_or_default();
                notices.push(Notice { kind, count: 1, example });
            }
        }
    }

    /// Attributes of an entry were lost.
    pub fn lost(&self, lost: Lost, plan: &Plan, entry: EntryId) {
        for kind in lost.kinds() {
            self.notice(kind, plan, entry);
        }
    }

    /// An entry got another name at the destination.
    pub fn renamed(&self, entry: EntryId, name: &OsStr) {
        let _before = lock(&self.renamed).insert(entry, name.to_os_string());
    }

    /// An entry's path below the destination, by the names it has there.
    pub fn destination_path(&self, plan: &Plan, entry: EntryId) -> Option<PathBuf> {
        let renamed = lock(&self.renamed);
        if renamed.is_empty() {
            return plan.path(entry);
        }
        let mut names = Vec::new();
        let mut at = Some(entry);
        while let Some(id) = at {
            let (block, place) = plan.find(id)?;
            let name = renamed.get(&id).cloned();
            names.push(name.unwrap_or_else(|| block.name(place).to_os_string()));
            at = plan.folder_entry(block.folder(place));
        }
        Some(names.into_iter().rev().collect())
    }

    /// All failures and notices.
    pub fn take(&self) -> (Vec<Failure>, Vec<Notice>) {
        (std::mem::take(&mut lock(&self.failures)), std::mem::take(&mut lock(&self.notices)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
