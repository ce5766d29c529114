//! How an entry ends: its last state, its counts, its failure or its question.

use std::sync::Arc;

use super::copy::{At, Trouble};
use super::dispatch::Mail;
use super::error::{Error, ErrorKind, Operation};
use super::job::Wish;
use super::message::{About, EntryId, FailureRule};
use super::parked::Waiter;
use super::plan::{Block, EntryState};
use super::progress::add;
use super::worker::{Ended, Entry, Worker};

impl Worker<'_> {
    /// An entry has its last state.
    pub fn ended(&self, block: &Block, at: u32, state: EntryState) {
        block.set_state(at, state);
        self.diary.ended(block, at, state);
        let counter = match state {
            EntryState::Done | EntryState::Renamed => &self.counters.done,
            EntryState::Skipped => &self.counters.skipped,
            EntryState::Unanswered => &self.counters.unanswered,
            EntryState::Failed | EntryState::Changed => &self.counters.failed,
            EntryState::Pending | EntryState::InWork | EntryState::Asked => return,
        };
        add(counter, 1);
        let is_passed =
            matches!(state, EntryState::Skipped | EntryState::Unanswered | EntryState::Failed);
        if is_passed {
            add(&self.counters.passed, block.size(at).unwrap_or_default());
        }
        if state == EntryState::Changed {
            add(&self.counters.changed, 1);
        }
    }

    pub fn trouble(&mut self, entry: Entry<'_>, wish: &Wish, trouble: Trouble) -> Ended {
        match trouble {
            Trouble::Cancelled => {
                entry.block.set_state(entry.at, EntryState::Pending);
                Ended::Yes
            }
            Trouble::LetGo => {
                entry.block.set_state(entry.at, EntryState::Pending);
                self.job.pool.push(self.index, [entry.work(wish.clone())]);
                Ended::Later
            }
            Trouble::Skipped => {
                self.ended(entry.block, entry.at, EntryState::Skipped);
                Ended::Yes
            }
            Trouble::Taken => super::taken::handle(self, entry, wish),
            Trouble::OtherKind => {
                let trouble = Trouble::Failed(Operation::Inspect, At::Source, ErrorKind::Changed);
                self.failure(entry, trouble)
            }
            Trouble::Failed(..) => self.failure(entry, trouble),
        }
    }

    /// An entry failed: it is parked with a question, or noted.
    pub fn failure(&self, entry: Entry<'_>, trouble: Trouble) -> Ended {
        if self.job.spec.options.failure == FailureRule::Record {
            self.failed_for_good(entry.block, entry.at, trouble);
            return Ended::Yes;
        }
        let Some(error) = self.error(entry.id(), trouble) else { return Ended::Yes };
        entry.block.set_state(entry.at, EntryState::Failed);
        add(&self.job.progress.parked_failures, 1);
        self.park(entry, About::Failure { error });
        Ended::Later
    }

    /// An entry failed and is not to be tried again.
    pub fn give_up(&self, entry: Entry<'_>, error: Error) {
        self.note_failure(entry.block, entry.at, error);
    }

    pub fn note_failure(&self, block: &Block, at: u32, error: Error) {
        let changed = error.kind == ErrorKind::Changed;
        self.job.report.failure(Some(block.id(at)), error);
        self.ended(block, at, if changed { EntryState::Changed } else { EntryState::Failed });
    }

    /// An entry failed and nobody is asked.
    pub fn failed_for_good(&self, block: &Block, at: u32, trouble: Trouble) {
        let entry = block.id(at);
        if let Some(error) = self.error(entry, trouble) {
            self.note_failure(block, at, error);
        }
    }

    fn error(&self, entry: EntryId, trouble: Trouble) -> Option<Error> {
        let (operation, side, kind) = match trouble {
            Trouble::Failed(operation, side, kind) => (operation, side, kind),
            Trouble::Taken => (Operation::Publish, At::Destination, ErrorKind::TypeDiffers),
            Trouble::OtherKind => (Operation::Inspect, At::Source, ErrorKind::Changed),
            Trouble::Cancelled | Trouble::Skipped | Trouble::LetGo => return None,
        };
        let path = match side {
            At::Source => self.job.source_path(entry),
            At::Destination => self.job.destination_path(entry),
        };
        Some(Error::new(operation, path, kind))
    }

    /// Parks an entry with a question.
    pub fn park(&self, entry: Entry<'_>, about: About) {
        let waiter = Waiter {
            folder: Arc::clone(entry.folder),
            block: Arc::clone(entry.block),
            at: entry.at,
            about,
        };
        let path = self.job.plan.path(entry.id()).unwrap_or_default();
        if self.job.parked.park(waiter, path) {
            self.job.mail(Mail::Parked { job: self.job.id });
        }
    }
}
