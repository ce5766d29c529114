//! Entries that wait for an answer, and the questions about them.
//!
//! A question never holds anything up: its entry is put here, everything else goes on, and
//! an answer sends it back to the workers. Questions are told in batches by the engine's
//! clock, and of very many only the first: what waits here costs about a hundred bytes an
//! entry, its paths are put together when it is told.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::conflict::{Action, FileFacts, Scope, Subject};
use super::copy::Fault;
use super::folder::Folder;
use super::foreign_names::mapped;
use super::job::{Job, Wish};
use super::message::{About, EntryId, Event, MappedName, Question, QuestionId};
use super::naming::other_name;
use super::plan::Block;

/// Questions that a face has before it at a time; answered ones make room for more.
pub const TOLD_MOST: usize = 10_000;

/// How many refused names a question tells.
const EXAMPLES: usize = 5;

/// A parked entry.
pub struct Waiter {
    /// The folder it lies in; it stays pending there.
    pub folder: Arc<Folder>,
    /// Its block.
    pub block: Arc<Block>,
    /// Its place in the block.
    pub at: u32,
    /// Why it waits.
    pub reason: Reason,
}

/// Why an entry waits.
pub enum Reason {
    /// Its name is taken.
    Taken(Box<Clash>),
    /// Its name is refused, with what had been answered about it before.
    Foreign(Box<Wish>),
    /// It failed, with what had been answered about it before.
    Failed(Fault, Option<Box<Wish>>),
}

/// Both sides of a conflict, as far as the question tells of them.
pub struct Clash {
    /// What is coming.
    pub source: FileFacts,
    /// What is there.
    pub existing: FileFacts,
    /// The name that is taken, where it is not the entry's own.
    pub wanted: Option<OsString>,
    /// Which of the other names is free; `None` when none of very many is.
    pub free: Option<u64>,
    /// Both are one and the same.
    pub same_file: bool,
    /// What is there was made by this job.
    pub sources_meet: bool,
}

impl Waiter {
    /// What it is about, as far as answers go.
    pub fn subject(&self) -> Subject {
        match &self.reason {
            Reason::Failed(..) => Subject::FAILURE,
            Reason::Foreign(_) => Subject::FOREIGN_NAME,
            Reason::Taken(clash) => {
                Subject::of(&clash.source, &clash.existing, clash.same_file, clash.sources_meet)
            }
        }
    }

    /// A refused name, and the one in its place.
    fn mapped_name(&self) -> MappedName {
        let own = self.block.name(self.at);
        let name = match &self.reason {
            Reason::Foreign(wish) => wish.name.as_deref().unwrap_or(own),
            _ => own,
        };
        MappedName { name: name.to_os_string(), mapped: mapped(name) }
    }

    fn question(&self, job: &Job, id: QuestionId, followers: &VecDeque<Waiter>) -> Question {
        let entry = self.block.id(self.at);
        let path = job.plan.path(entry).unwrap_or_default();
        let about = match &self.reason {
            Reason::Foreign(_) => {
                let all = std::iter::once(self).chain(followers);
                About::ForeignName {
                    examples: all.take(EXAMPLES).map(Waiter::mapped_name).collect(),
                    file_system: self.folder.pair.destination.name().to_owned(),
                }
            }
            Reason::Failed(fault, _) => About::Failure { error: job.report.error(entry, *fault) },
            Reason::Taken(clash) => {
                let own = self.block.name(self.at);
                let name = clash.wanted.as_deref().unwrap_or(own);
                let other = |number| other_name(name, clash.source.kind, number);
                About::Conflict {
                    source: clash.source,
                    source_path: job.report.source_path(entry),
                    existing: clash.existing,
                    existing_path: job.report.destination_path(entry).with_file_name(name),
                    other_name: clash.free.map(other).unwrap_or_default(),
                    same_file: clash.same_file,
                    sources_meet: clash.sources_meet,
                }
            }
        };
        Question { id, entry, path, about }
    }
}

/// The parked entries of one job.
#[derive(Default)]
pub struct Parked {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    waiters: BTreeMap<QuestionId, Waiter>,
    /// Questions up to this one have been told.
    told: QuestionId,
    /// How many of them are open.
    open: usize,
    /// The one about refused names: there is never more than one.
    foreign: Option<QuestionId>,
    /// The other entries with such names.
    followers: VecDeque<Waiter>,
}

impl Inner {
    /// The next entry with a refused name is asked about, where none is.
    fn ask_next_foreign(&mut self) {
        if self.foreign.is_none()
            && let Some(waiter) = self.followers.pop_front()
        {
            let id = QuestionId(NEXT.fetch_add(1, Ordering::Relaxed));
            self.foreign = Some(id);
            let _none = self.waiters.insert(id, waiter);
        }
    }
}

/// Questions are numbered over all jobs.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Parked {
    /// Parks an entry and keeps the question to be told.
    /// Whether it is the first that has not been told.
    pub fn park(&self, waiter: Waiter) -> bool {
        let mut inner = self.lock();
        let is_foreign = matches!(waiter.reason, Reason::Foreign(_));
        if is_foreign && inner.foreign.is_some() {
            inner.followers.push_back(waiter);
            return false;
        }
        let first = inner.waiters.keys().next_back().is_none_or(|last| *last <= inner.told);
        // Numbered under the lock: in one job they are told in their order.
        let id = QuestionId(NEXT.fetch_add(1, Ordering::Relaxed));
        let _none = inner.waiters.insert(id, waiter);
        if is_foreign {
            inner.foreign = Some(id);
        }
        first
    }

    /// Tells the next questions that have not been told: under the lock, so that none of them
    /// is told to be settled before.
    pub fn tell_untold(&self, job: &Job) {
        let mut inner = self.lock();
        let room = TOLD_MOST.saturating_sub(inner.open);
        let untold = inner.waiters.range((Bound::Excluded(inner.told), Bound::Unbounded));
        let questions: Vec<Question> = untold
            .take(room)
            .map(|(id, waiter)| waiter.question(job, *id, &inner.followers))
            .collect();
        if let Some(last) = questions.last() {
            inner.told = last.id;
            inner.open += questions.len();
            job.tell(Event::Asked { job: job.id, questions });
        }
    }

    /// Tells something about a question, unless it is settled.
    pub fn tell_of(&self, question: QuestionId, job: &Job, event: Event) {
        let inner = self.lock();
        if inner.waiters.contains_key(&question) {
            job.tell(event);
        }
    }

    /// The question about an entry.
    pub fn question_of(&self, entry: EntryId) -> Option<QuestionId> {
        let inner = self.lock();
        let about = |waiter: &Waiter| waiter.block.id(waiter.at) == entry;
        inner.waiters.iter().find(|(_, waiter)| about(waiter)).map(|(id, _)| *id)
    }

    /// Whether nothing is parked.
    pub fn is_empty(&self) -> bool {
        self.lock().waiters.is_empty()
    }

    /// Looks at a parked entry.
    pub fn look<T>(&self, question: QuestionId, look: impl FnOnce(&Waiter) -> T) -> Option<T> {
        self.lock().waiters.get(&question).map(look)
    }

    /// Takes out the entries that an answer is for: those of the scope that allow the action.
    /// An unknown question gives none. With them comes which of their questions had been told.
    pub fn answered(&self, question: QuestionId, action: &Action, scope: Scope) -> Option<Taken> {
        let mut inner = self.lock();
        let asked = inner.waiters.get(&question)?.subject();
        if !asked.allows(action) {
            return None;
        }
        let reached = |id: QuestionId, waiter: &Waiter| {
            id == question || asked.reaches(waiter.subject(), action, scope)
        };
        let ids: Vec<QuestionId> = match scope {
            Scope::This => vec![question],
            _ => {
                let all = inner.waiters.iter().filter(|(id, waiter)| reached(**id, waiter));
                all.map(|(id, _)| *id).collect()
            }
        };
        let mut taken: Vec<Waiter> = ids.iter().filter_map(|id| inner.waiters.remove(id)).collect();
        if asked == Subject::FOREIGN_NAME {
            inner.foreign = None;
            if scope != Scope::This {
                taken.extend(std::mem::take(&mut inner.followers));
            }
            inner.ask_next_foreign();
        }
        let told = ids.into_iter().filter(|id| *id <= inner.told).collect::<Vec<_>>();
        inner.open -= told.len();
        Some(Taken { waiters: taken, told })
    }

    /// Takes out everything, and tells that it is settled: the job ends.
    pub fn take_all(&self, job: &Job) -> Vec<Waiter> {
        let mut inner = self.lock();
        let all = std::mem::take(&mut inner.waiters);
        let followers = std::mem::take(&mut inner.followers);
        inner.foreign = None;
        let questions: Vec<QuestionId> =
            all.keys().copied().filter(|id| *id <= inner.told).collect();
        inner.open = 0;
        if !questions.is_empty() {
            job.tell(Event::Settled { job: job.id, questions });
        }
        all.into_values().chain(followers).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Entries that wait no more.
pub struct Taken {
    /// The entries, in the order of their questions.
    pub waiters: Vec<Waiter>,
    /// The questions that had been told, and are settled now.
    pub told: Vec<QuestionId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_failures_are_light() {
        assert!(size_of::<Waiter>() <= 48, "{} bytes", size_of::<Waiter>());
    }
}
