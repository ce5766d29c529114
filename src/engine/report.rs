//! What a job has to say at its end: failures, notices, names that were changed.
//!
//! Kept small while the job runs, since a job can have a million failures: an entry's number
//! and a few bytes. Paths are put together when they are read: [`entries`] for people, [`reasons`]
//! for the journal.

mod entries;
mod reasons;

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::conflict::FileKind;
use super::copy::{At, Fault, Lost};
use super::error::Error;
use super::job::lock;
use super::message::EntryId;
use super::plan::Plan;
use super::summary::{FAILURES_KEPT, Failure, Notice, NoticeKind};

pub use entries::{ReportEntry, SetAside};

/// Collects what is to be said of one job. Shared with the face until the job is forgotten.
pub struct Report {
    plan: Arc<Plan>,
    destination: PathBuf,
    /// The folders that the sources lie in, each from an entry on.
    origins: Mutex<Vec<(EntryId, PathBuf)>>,
    /// Sources that failed before they could be begun: the journal lists none of them.
    never_listed: Mutex<HashSet<EntryId>>,
    /// Sources of which it is not known what they are: nobody could look at them.
    unseen: Mutex<HashSet<EntryId>>,
    /// Failures of the job as a whole.
    refusals: Mutex<Vec<Error>>,
    faults: Mutex<Vec<(EntryId, Fault)>>,
    notices: Mutex<Vec<Notice>>,
    /// The notices of single entries.
    noted: Mutex<Vec<(EntryId, NoticeKind)>>,
    renamed: Mutex<HashMap<EntryId, OsString>>,
    set_aside: Mutex<Vec<(EntryId, PathBuf)>>,
    /// Out of a journal that does not hold why something failed.
    lacks_reasons: bool,
}

impl Report {
    /// The report of a job that has not begun.
    pub fn new(plan: Arc<Plan>, destination: PathBuf) -> Report {
        Report {
            plan,
            destination,
            origins: Mutex::default(),
            never_listed: Mutex::default(),
            unseen: Mutex::default(),
            refusals: Mutex::default(),
            faults: Mutex::default(),
            notices: Mutex::default(),
            noted: Mutex::default(),
            renamed: Mutex::default(),
            set_aside: Mutex::default(),
            lacks_reasons: false,
        }
    }

    /// The report of a job of the history, whose journal may not hold why something failed.
    pub(super) fn of_past(plan: Arc<Plan>, destination: PathBuf, lacks_reasons: bool) -> Report {
        Report { lacks_reasons, ..Report::new(plan, destination) }
    }

    /// Whether it comes out of a journal that an older program wrote: why something failed and
    /// what was not kept is not in it.
    pub fn lacks_reasons(&self) -> bool {
        self.lacks_reasons
    }

    /// The job's entries.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The entries from this one on lie in this folder.
    pub(super) fn add_origin(&self, first: EntryId, folder: PathBuf) {
        lock(&self.origins).push((first, folder));
    }

    /// Nobody could look at this source so far.
    pub(super) fn not_seen(&self, entry: EntryId) {
        let _new = lock(&self.unseen).insert(entry);
    }

    /// A source failed before it could be begun.
    pub(super) fn not_begun(&self, entry: EntryId, kind: Option<FileKind>, error: Error) {
        let _new = lock(&self.never_listed).insert(entry);
        if kind.is_none() {
            self.not_seen(entry);
        }
        self.fault(entry, Fault { operation: error.operation, at: At::Source, kind: error.kind });
    }

    /// Whether sources were named, and none of them could be begun.
    pub(super) fn began_nothing(&self) -> bool {
        !self.plan.is_empty() && self.plan.len() == lock(&self.never_listed).len()
    }

    /// The folder that an entry of the destination itself came from.
    pub(super) fn origin(&self, entry: EntryId) -> PathBuf {
        let origins = lock(&self.origins);
        let after = origins.partition_point(|(first, _)| *first <= entry);
        after.checked_sub(1).map(|at| origins[at].1.clone()).unwrap_or_default()
    }

    /// An entry, or the job as a whole, failed for good.
    pub(super) fn failure(&self, entry: Option<EntryId>, error: Error) {
        let Some(entry) = entry else { return lock(&self.refusals).push(error) };
        let at = if error.path == self.source_path(entry) { At::Source } else { At::Destination };
        self.fault(entry, Fault { operation: error.operation, at, kind: error.kind });
    }

    /// An entry failed for good.
    pub(super) fn fault(&self, entry: EntryId, fault: Fault) {
        lock(&self.faults).push((entry, fault));
    }

    /// Something of an entry was not kept.
    pub(super) fn notice(&self, kind: NoticeKind, plan: &Plan, entry: EntryId) {
        // The others show in the entry's state, or are nothing to be sorry for.
        let silent = [
            NoticeKind::CloneNotVerified,
            NoticeKind::VerifiedInMemory,
            NoticeKind::Unanswered,
            NoticeKind::NotRemembered,
            NoticeKind::EarlierGivenUp,
        ];
        if !silent.contains(&kind) {
            lock(&self.noted).push((entry, kind));
        }
        let mut notices = lock(&self.notices);
        match notices.iter_mut().find(|notice| notice.kind == kind) {
            Some(notice) => notice.count += 1,
            None => {
                let example = plan.path(entry).unwrap_or_default();
                notices.push(Notice { kind, count: 1, example });
            }
        }
    }

    /// Something of an entry was not kept, which was counted before.
    pub(super) fn noted(&self, entry: EntryId, kind: NoticeKind) {
        lock(&self.noted).push((entry, kind));
    }

    /// Attributes of an entry were lost.
    pub(super) fn lost(&self, lost: Lost, plan: &Plan, entry: EntryId) {
        for kind in lost.kinds() {
            self.notice(kind, plan, entry);
        }
    }

    /// An entry got another name at the destination.
    pub(super) fn renamed(&self, entry: EntryId, name: &OsStr) {
        let _before = lock(&self.renamed).insert(entry, name.to_os_string());
    }

    /// What stood in an entry's place was put there: a name beside it, or a path.
    pub(super) fn set_aside(&self, entry: EntryId, place: &Path) {
        let place = self.destination_path(entry).with_file_name("").join(place);
        lock(&self.set_aside).push((entry, place));
    }

    /// How many entries have something set aside for them.
    pub(super) fn set_aside_count(&self) -> u64 {
        lock(&self.set_aside).len() as u64
    }

    /// The full path of an entry's source.
    pub fn source_path(&self, entry: EntryId) -> PathBuf {
        let mut top = entry;
        while let Some((block, at)) = self.plan.find(top) {
            match self.plan.folder_entry(block.folder(at)) {
                Some(folder) => top = folder,
                None => break,
            }
        }
        let path = self.plan.path(entry).unwrap_or_default();
        join(&self.origin(top), &path)
    }

    /// The full path of an entry at the destination, by the names it has there.
    pub fn destination_path(&self, entry: EntryId) -> PathBuf {
        join(&self.destination, &self.path_there(entry).unwrap_or_default())
    }

    /// An entry's path below the destination, by the names it has there.
    pub(super) fn path_there(&self, entry: EntryId) -> Option<PathBuf> {
        let renamed = lock(&self.renamed);
        if renamed.is_empty() {
            return self.plan.path(entry);
        }
        let mut names = Vec::new();
        let mut at = Some(entry);
        while let Some(id) = at {
            let (block, place) = self.plan.find(id)?;
            let name = renamed.get(&id).cloned();
            names.push(name.unwrap_or_else(|| block.name(place).to_os_string()));
            at = self.plan.folder_entry(block.folder(place));
        }
        Some(names.into_iter().rev().collect())
    }

    /// A fault of an entry with the path that it is about.
    pub(super) fn error(&self, entry: EntryId, fault: Fault) -> Error {
        let path = match fault.at {
            At::Source => self.source_path(entry),
            At::Destination => self.destination_path(entry),
        };
        Error::new(fault.operation, path, fault.kind)
    }

    /// The first failures, and all notices, for the summary.
    pub(super) fn told(&self) -> (Vec<Failure>, Vec<Notice>) {
        let of_the_job = lock(&self.refusals).clone();
        let of_the_job = of_the_job.into_iter().map(|error| Failure { entry: None, error });
        let faults: Vec<_> = lock(&self.faults).iter().take(FAILURES_KEPT).copied().collect();
        let faults = faults
            .into_iter()
            .map(|(entry, fault)| Failure { entry: Some(entry), error: self.error(entry, fault) });
        let failures = of_the_job.chain(faults).take(FAILURES_KEPT).collect();
        (failures, lock(&self.notices).clone())
    }

    /// Failures of the job as a whole.
    pub fn refusals(&self) -> Vec<Error> {
        lock(&self.refusals).clone()
    }
}

/// What was said of entries, by their numbers; of one entry in the order in which it was said.
fn sorted<T: Clone>(said: &Mutex<Vec<(EntryId, T)>>) -> Vec<(EntryId, T)> {
    let mut said = lock(said).clone();
    said.sort_by_key(|(entry, _)| *entry);
    said
}

fn join(folder: &Path, below: &Path) -> PathBuf {
    match () {
        () if folder.as_os_str().is_empty() => below.to_path_buf(),
        // A source without a name stands in the plan by its path.
        () if below.is_absolute() => folder.to_path_buf(),
        () => folder.join(below),
    }
}
