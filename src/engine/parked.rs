//! Entries that wait for an answer, and the questions about them.
//!
//! A question never holds anything up: its entry is put here, everything else goes on, and
//! an answer sends it back to the workers. Questions are told in batches by the engine's
//! clock, so that a hundred thousand conflicts are not a hundred thousand messages.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::conflict::{Action, QuestionClass, Scope};
use super::folder::Folder;
use super::message::{About, EntryId, Question, QuestionId};
use super::plan::Block;

/// A parked entry.
pub struct Waiter {
    /// The folder it lies in; it stays pending there.
    pub folder: Arc<Folder>,
    /// Its block.
    pub block: Arc<Block>,
    /// Its place in the block.
    pub at: u32,
    /// What was asked.
    pub about: About,
}

/// The parked entries of one job.
#[derive(Default)]
pub struct Parked {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    waiters: HashMap<QuestionId, Waiter>,
    untold: Vec<Question>,
}

/// Questions are numbered over all jobs.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Parked {
    /// Parks an entry and keeps the question to be told.
    /// Whether it is the first that has not been told.
    pub fn park(&self, waiter: Waiter, path: std::path::PathBuf) -> bool {
        let id = QuestionId(NEXT.fetch_add(1, Ordering::Relaxed));
        let entry = waiter.block.id(waiter.at);
        let question = Question { id, entry, path, about: waiter.about.clone() };
        let mut inner = self.lock();
        inner.untold.push(question);
        let _none = inner.waiters.insert(id, waiter);
        inner.untold.len() == 1
    }

    /// The questions that have not been told.
    pub fn take_untold(&self) -> Vec<Question> {
        std::mem::take(&mut self.lock().untold)
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

    /// Takes out the entries that an answer is for: those of the scope that allow the action.
    /// An unknown question gives none.
    pub fn answered(
        &self,
        question: QuestionId,
        action: &Action,
        scope: Scope,
    ) -> Option<(QuestionClass, Taken)> {
        let mut inner = self.lock();
        let about = &inner.waiters.get(&question)?.about;
        if !about.allows(action) {
            return None;
        }
        let class = about.class();
        // One name is for one entry.
        let scope = if matches!(action, Action::Rename(_)) { Scope::This } else { scope };
        let ids: Vec<QuestionId> = match scope {
            Scope::This => vec![question],
            Scope::AllOfKind => {
                let of_kind =
                    |waiter: &Waiter| waiter.about.class() == class && waiter.about.allows(action);
                let all = inner.waiters.iter().filter(|(_, waiter)| of_kind(waiter));
                let mut ids: Vec<QuestionId> = all.map(|(id, _)| *id).collect();
                ids.sort_unstable();
                ids
            }
        };
        Some((class, inner.take(&ids)))
    }

    /// Takes out everything: the job ends.
    pub fn take_all(&self) -> Taken {
        let mut inner = self.lock();
        let mut ids: Vec<QuestionId> = inner.waiters.keys().copied().collect();
        ids.sort_unstable();
        inner.take(&ids)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn take(&mut self, ids: &[QuestionId]) -> Taken {
        let waiters = ids.iter().filter_map(|id| self.waiters.remove(id)).collect();
        let gone: HashSet<&QuestionId> = ids.iter().collect();
        let untold: HashSet<QuestionId> = self.untold.iter().map(|question| question.id).collect();
        self.untold.retain(|question| !gone.contains(&question.id));
        let told = ids.iter().copied().filter(|id| !untold.contains(id)).collect();
        Taken { waiters, told }
    }
}

/// Entries that wait no more.
pub struct Taken {
    /// The entries, in the order of their questions.
    pub waiters: Vec<Waiter>,
    /// The questions that had been told, and are settled now.
    pub told: Vec<QuestionId>,
}
