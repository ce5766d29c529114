//! What a user says to a job that waits or runs, beside pause, cancel and answers.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::{Dispatch, Mail, Running};
use crate::engine::additions::Added;
use crate::engine::conflict::{Action, Scope};
use crate::engine::fs::disks::{Spot, one_at_a_time};
use crate::engine::job::Job;
use crate::engine::journal::Record;
use crate::engine::lane::Paths;
use crate::engine::message::{EntryId, Event, JobId, JobSpec, JobState, Refusal};
use crate::engine::plan::EntryState;
use crate::engine::progress::add;
use crate::engine::queue::Uses;
use crate::engine::threads;

/// A job that has been paused or has waited for so long lets go of its devices.
const STANDS: Duration = Duration::from_secs(30);

impl Dispatch {
    pub(super) fn ready(&mut self, id: JobId, spots: Vec<Spot>, quick: bool) {
        let Some(running) = self.jobs.get_mut(&id) else { return };
        let writes = spots.first().map_or(0, |spot| spot.device);
        running.spots = spots;
        running.quick = quick;
        self.queue.set_uses(id, Uses { writes, disks: Vec::new() });
        self.queue.set_quick(id, quick);
        self.give_turns();
    }

    pub(super) fn set_quick(&mut self, id: JobId, quick: bool) {
        let Some(running) = self.jobs.get_mut(&id) else { return };
        running.quick = quick;
        self.queue.set_quick(id, quick);
        self.give_turns();
    }

    pub(super) fn run_now(&mut self, id: JobId) {
        let Some(running) = self.jobs.get(&id) else { return };
        running.job.control.pause(false);
        self.queue.run_now(id);
        self.give_turns();
    }

    pub(super) fn add_sources(&mut self, id: JobId, spec: JobSpec) {
        let refused = match self.jobs.get_mut(&id) {
            None => Some(Refusal::TooLate),
            Some(Running { job, .. }) if !is_alike(&job.spec, &spec) => Some(Refusal::Differs),
            Some(running) => {
                // Listed only later: the total is not known before.
                add(&running.job.progress.to_list, 1);
                let cancelled = running.job.control.is_cancelled();
                let added =
                    (!cancelled).then(|| running.job.additions.add(&spec.sources)).flatten();
                if let Some(added) = &added {
                    running.job.progress.measure_again();
                    running.measured = false;
                    running.unconfirmed.push(Arc::clone(added));
                    if running.job.journal().is_some() {
                        remember(Arc::clone(&running.job), Arc::clone(added));
                    }
                    running.job.pool.wake();
                } else {
                    let _before = running.job.progress.to_list.fetch_sub(1, Relaxed);
                }
                added.is_none().then_some(Refusal::TooLate)
            }
        };
        if let Some(why) = refused {
            return self.tell(Event::SourcesRefused { job: id, spec, why });
        }
        self.remembered(id);
        self.find_meetings(id);
        self.queue.set_waiting(id, false);
        self.give_turns();
    }

    /// Later sources are in the journal: a job that is killed now knows of them.
    pub(super) fn remembered(&mut self, id: JobId) {
        let Some(running) = self.jobs.get_mut(&id) else { return };
        // In the order in which they came.
        let all = &mut running.unconfirmed;
        let told = all.iter().take_while(|added| added.is_remembered(&running.job)).count();
        for added in all.drain(..told).collect::<Vec<_>>() {
            self.tell(Event::SourcesAdded { job: id, sources: added.sources.clone() });
        }
    }

    /// Finds the jobs that touch the same paths as this one.
    pub(super) fn find_meetings(&mut self, id: JobId) {
        if self.jobs.len() < 2 {
            return;
        }
        let paths = |job: &Job| Paths::of(&job.spec, &job.additions.all());
        let Some(running) = self.jobs.get(&id) else { return };
        let own = paths(&running.job);
        for (other, running) in self.jobs.iter().filter(|(other, _)| **other != id) {
            if own.meet(&paths(&running.job)) {
                self.queue.set_meeting(id, *other);
            }
        }
    }

    pub(super) fn skip(&mut self, id: JobId, entry: EntryId) {
        let Some(running) = self.jobs.get(&id) else { return };
        let job = &running.job;
        let Some((block, at)) = job.plan.find(entry) else { return };
        let state = block.state(at);
        if matches!(state, EntryState::Pending | EntryState::InWork | EntryState::Asked) {
            job.skips.add(entry);
            decline(job, vec![entry]);
        }
        // What failed is given up, as by an answer.
        if let Some(question) = job.parked.question_of(entry) {
            self.answer(id, question, &Action::Skip, Scope::This);
        }
    }

    /// A job that stands still closes what it holds open.
    pub(super) fn let_go(&mut self, id: JobId) {
        let Some(running) = self.jobs.get_mut(&id) else { return };
        if matches!(running.state, JobState::Paused | JobState::Waiting) {
            running.stands_since = None;
            running.job.control.let_go();
            running.job.let_go();
        }
    }

    /// The next job that has stood still for long, and when.
    pub(super) fn next_to_let_go(&self) -> Option<(Instant, JobId)> {
        let stands =
            |(id, running): (&JobId, &Running)| Some((running.stands_since? + STANDS, *id));
        self.jobs.iter().filter_map(stands).min()
    }

    /// Finds the disks that serve one job at a time; with a single job nobody needs to know.
    pub(super) fn find_disks(&mut self) {
        if self.jobs.len() < 2 {
            return;
        }
        for (id, running) in &mut self.jobs {
            let spots = std::mem::take(&mut running.spots);
            if let Some(destination) = spots.first() {
                let (writes, disks) = (destination.device, one_at_a_time(&spots));
                self.queue.set_uses(*id, Uses { writes, disks });
            }
        }
    }
}

/// Writes later sources to the job's journal, and says so.
fn remember(job: Arc<Job>, added: Arc<Added>) {
    on_a_thread(move || {
        added.remember(&job);
        job.mail(Mail::Remembered { job: job.id });
    });
}

/// Writes to the job's journal what the user said to skip, now and at the job's end.
pub(super) fn decline(job: &Arc<Job>, entries: Vec<EntryId>) {
    job.skips.decline(&entries);
    if job.journal().is_some() {
        let job = Arc::clone(job);
        on_a_thread(move || {
            if let Some(journal) = job.journal() {
                journal.append(&[Record::Declined(entries)]);
            }
        });
    }
}

/// On a thread of its own: the engine's waits for no file system.
fn on_a_thread(call: impl FnOnce() + Send + 'static) {
    // Without it the engine waits for the journal this once: nothing else would tell of it.
    threads::start_or_here("ferry-journal", call);
}

/// Whether sources of the one can be sources of the other.
fn is_alike(one: &JobSpec, other: &JobSpec) -> bool {
    (one.kind, &one.destination, &one.options) == (other.kind, &other.destination, &other.options)
}
