//! What a user says to a job that waits or runs, beside pause, cancel and answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::{Dispatch, Running};
use crate::engine::conflict::{Action, Scope};
use crate::engine::fs::disks::{Spot, one_at_a_time};
use crate::engine::job::Job;
use crate::engine::lane::Paths;
use crate::engine::message::{EntryId, Event, JobId, JobSpec, JobState, Refusal};
use crate::engine::plan::EntryState;
use crate::engine::progress::add;
use crate::engine::queue::Uses;
use crate::engine::resume;

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
                let taken =
                    !running.job.control.is_cancelled() && running.job.additions.add(&spec.sources);
                if taken {
                    running.job.progress.measure_again();
                    running.measured = false;
                    running.job.pool.wake();
                    remember(Arc::clone(&running.job), spec.sources.clone());
                } else {
                    let _before = running.job.progress.to_list.fetch_sub(1, Relaxed);
                }
                (!taken).then_some(Refusal::TooLate)
            }
        };
        if let Some(why) = refused {
            return self.tell(Event::SourcesRefused { job: id, spec, why });
        }
        self.tell(Event::SourcesAdded { job: id, sources: spec.sources });
        self.find_meetings(id);
        self.queue.set_waiting(id, false);
        self.give_turns();
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
            running.job.folders.let_go();
            running.job.pairs.let_go();
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

/// Writes later sources to the job's journal, on a thread of its own: the engine's waits for
/// no file system.
fn remember(job: Arc<Job>, sources: Vec<PathBuf>) {
    let thread = std::thread::Builder::new().name("ferry-journal".to_owned());
    // Without it only a program that is killed forgets them.
    let _detached = thread.spawn(move || resume::remember_sources(&job, &sources));
}

/// Whether sources of the one can be sources of the other.
fn is_alike(one: &JobSpec, other: &JobSpec) -> bool {
    (one.kind, &one.destination, &one.options) == (other.kind, &other.destination, &other.options)
}
