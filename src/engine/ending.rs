//! How an entry ends: its last state, its counts, its failure or its question.

use std::sync::Arc;

use super::conflict::FileKind;
use super::copy::{At, Fault, Trouble};
use super::dispatch::Mail;
use super::error::{ErrorKind, Operation};
use super::job::Wish;
use super::message::FailureRule;
use super::parked::{Reason, Waiter};
use super::plan::{Block, EntryState};
use super::progress::add;
use super::worker::{Ended, Entry, Worker};

impl Worker<'_> {
    /// An entry has its last state.
    pub fn ended(&self, block: &Block, at: u32, state: EntryState) {
        let before = block.state(at);
        block.set_state(at, state);
        self.diary.ended(block, at, state);
        self.job.parts.give_up(self.job, block.id(at));
        let counter = match state {
            EntryState::Done | EntryState::Renamed => &self.counters.done,
            EntryState::Skipped => &self.counters.skipped,
            EntryState::Unanswered => &self.counters.unanswered,
            EntryState::Failed | EntryState::Changed => &self.counters.failed,
            EntryState::Pending | EntryState::InWork | EntryState::Asked => return,
        };
        add(counter, 1);
        if !matches!(state, EntryState::Done | EntryState::Renamed) {
            self.leave_out(block, at, before == EntryState::InWork);
        }
        if state == EntryState::Changed {
            add(&self.counters.changed, 1);
        }
        if !matches!(state, EntryState::Done | EntryState::Renamed) {
            self.job.exchanges.not_whole(block.folder(at));
        }
    }

    /// What an entry holds leaves the totals: nobody is going to copy it.
    fn leave_out(&self, block: &Block, at: u32, was_begun: bool) {
        let path = || self.job.source_path(block.id(at));
        match block.kind(at) {
            // Each entry of a folder that was listed ends for itself.
            FileKind::Folder if was_begun => {}
            FileKind::Folder => self.job.progress.leave_folder(path()),
            // As it was measured, where it was not even opened: by its path, and so not at all
            // where that is too long. It is a number for the totals, and nothing else.
            FileKind::File => {
                let measured = || std::fs::symlink_metadata(path()).map_or(0, |found| found.len());
                add(&self.counters.left, block.size(at).unwrap_or_else(measured));
            }
            _ => {}
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
                self.failure(entry, wish, trouble)
            }
            Trouble::Failed(..) => self.failure(entry, wish, trouble),
        }
    }

    /// An entry failed: it is parked with a question, or noted.
    pub fn failure(&self, entry: Entry<'_>, wish: &Wish, trouble: Trouble) -> Ended {
        let passing = trouble.fault().is_some_and(|f| self.job.retries.keep(entry, wish, f));
        if passing {
            entry.block.set_state(entry.at, EntryState::Pending);
            return Ended::Later;
        }
        if self.job.spec.options.failure == FailureRule::Record {
            self.failed_for_good(entry.block, entry.at, trouble);
            return Ended::Yes;
        }
        let Some(fault) = trouble.fault() else { return Ended::Yes };
        entry.block.set_state(entry.at, EntryState::Failed);
        add(&self.job.progress.parked_failures, 1);
        let told = !wish.is_nothing();
        self.park(entry, Reason::Failed(fault, told.then(|| Box::new(wish.clone()))));
        Ended::Later
    }

    /// An entry failed and is not to be tried again.
    pub fn note_failure(&self, block: &Block, at: u32, fault: Fault) {
        let changed = fault.kind == ErrorKind::Changed;
        self.job.report.fault(block.id(at), fault);
        self.ended(block, at, if changed { EntryState::Changed } else { EntryState::Failed });
    }

    /// An entry failed and nobody is asked.
    pub fn failed_for_good(&self, block: &Block, at: u32, trouble: Trouble) {
        if let Some(fault) = trouble.fault() {
            self.note_failure(block, at, fault);
        }
    }

    /// Parks an entry with a question.
    pub fn park(&self, entry: Entry<'_>, reason: Reason) {
        let waiter = Waiter {
            folder: Arc::clone(entry.folder),
            block: Arc::clone(entry.block),
            at: entry.at,
            reason,
        };
        if self.job.parked.park(waiter) {
            self.job.mail(Mail::Parked { job: self.job.id });
        }
    }
}
