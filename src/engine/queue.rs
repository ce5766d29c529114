//! Which jobs may run now: one job writes to a device at a time, others run beside it.
//!
//! Pure: told what happens, it says whose turn it is. A job that is paused or waits for
//! answers gives its turn away.

use std::time::{Duration, Instant};

use super::message::{JobId, JobState};

/// How long later jobs wait for an earlier one's device to be known.
const LOOK: Duration = Duration::from_millis(500);

/// How long a cancelled job that does not end keeps its turn.
const ENDING: Duration = Duration::from_secs(5);

/// A job in the queue.
struct Queued {
    job: JobId,
    /// The destination's device; `None` until it has been looked at.
    device: Option<u64>,
    added: Instant,
    has_turn: bool,
    paused: bool,
    waiting: bool,
    cancelled: Option<Instant>,
}

impl Queued {
    fn wants_turn(&self) -> bool {
        self.device.is_some() && !self.paused && !self.waiting && self.cancelled.is_none()
    }

    /// A cancelled job writes until it has ended; one that a device holds fast holds up the
    /// others only for a while.
    fn may_still_write(&self) -> bool {
        self.cancelled.is_some_and(|since| since.elapsed() < ENDING)
    }

    fn is_being_looked_at(&self) -> bool {
        self.device.is_none() && self.cancelled.is_none() && self.added.elapsed() < LOOK
    }

    fn state(&self) -> JobState {
        match self {
            Queued { cancelled: Some(_), .. } => JobState::Cancelling,
            Queued { paused: true, .. } => JobState::Paused,
            Queued { waiting: true, .. } => JobState::Waiting,
            Queued { has_turn: true, .. } => JobState::Running,
            _ => JobState::Queued,
        }
    }
}

/// The jobs that have not ended, first to run first.
#[derive(Default)]
pub struct Queue(Vec<Queued>);

impl Queue {
    /// Puts a job at the end.
    pub fn add(&mut self, job: JobId) {
        self.0.push(Queued {
            job,
            device: None,
            added: Instant::now(),
            has_turn: false,
            paused: false,
            waiting: false,
            cancelled: None,
        });
    }

    /// A job's destination has been looked at.
    pub fn set_device(&mut self, job: JobId, device: u64) {
        self.change(job, |queued| queued.device = Some(device));
    }

    /// A job is paused or goes on.
    pub fn set_paused(&mut self, job: JobId, paused: bool) {
        self.change(job, |queued| queued.paused = paused);
    }

    /// A job waits for answers or has got one.
    pub fn set_waiting(&mut self, job: JobId, waiting: bool) {
        self.change(job, |queued| queued.waiting = waiting);
    }

    /// A job is cancelled.
    pub fn cancel(&mut self, job: JobId) {
        self.change(job, |queued| queued.cancelled = Some(Instant::now()));
    }

    /// A job has ended.
    pub fn remove(&mut self, job: JobId) {
        self.0.retain(|queued| queued.job != job);
    }

    /// Puts a job before another, or last; whether that changed anything.
    pub fn reorder(&mut self, job: JobId, before: Option<JobId>) -> bool {
        let place = |queue: &Vec<Queued>, job| queue.iter().position(|q| q.job == job);
        let Some(from) = place(&self.0, job) else { return false };
        if before == Some(job) || before.is_some_and(|other| place(&self.0, other).is_none()) {
            return false;
        }
        let queued = self.0.remove(from);
        let to = before.and_then(|other| place(&self.0, other)).unwrap_or(self.0.len());
        self.0.insert(to, queued);
        to != from
    }

    /// The jobs in their order.
    pub fn order(&self) -> Vec<JobId> {
        self.0.iter().map(|queued| queued.job).collect()
    }

    /// Whether turns change with time: a job's device is still to be known, or a cancelled
    /// one is still to end.
    pub fn changes_with_time(&self) -> bool {
        self.0.iter().any(|queued| queued.is_being_looked_at() || queued.may_still_write())
    }

    /// Gives each device's turn to the first job that wants it and has none to wait for; all
    /// jobs with whether they have a turn now, and their states.
    pub fn turns(&mut self) -> Vec<(JobId, bool, JobState)> {
        for queued in &mut self.0 {
            queued.has_turn &= queued.wants_turn() || queued.may_still_write();
        }
        for at in 0..self.0.len() {
            // Which device an earlier job wants may be known in a moment; one on a mount that
            // does not answer holds up nobody for long.
            if self.0[at].is_being_looked_at() {
                break;
            }
            let taken = |queued: &Queued| queued.has_turn && queued.device == self.0[at].device;
            if self.0[at].wants_turn() && !self.0[at].has_turn && !self.0.iter().any(taken) {
                self.0[at].has_turn = true;
            }
        }
        self.0.iter().map(|queued| (queued.job, queued.has_turn, queued.state())).collect()
    }

    fn change(&mut self, job: JobId, change: impl FnOnce(&mut Queued)) {
        if let Some(queued) = self.0.iter_mut().find(|queued| queued.job == job) {
            change(queued);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(devices: &[u64]) -> Queue {
        let mut queue = Queue::default();
        for (number, device) in (1..).zip(devices) {
            queue.add(JobId(number));
            queue.set_device(JobId(number), *device);
        }
        queue
    }

    fn running(queue: &mut Queue) -> Vec<u64> {
        let turns = queue.turns();
        turns.into_iter().filter(|(_, turn, _)| *turn).map(|(job, ..)| job.0).collect()
    }

    #[test]
    fn one_job_a_device_and_others_beside_it() {
        let mut queue = queue(&[7, 7, 8]);
        assert_eq!(running(&mut queue), [1, 3]);
        queue.remove(JobId(1));
        assert_eq!(running(&mut queue), [2, 3]);
    }

    #[test]
    fn a_job_that_is_paused_or_waits_gives_its_turn_away_and_queues_again() {
        let mut queue = queue(&[7, 7]);
        assert_eq!(running(&mut queue), [1]);
        queue.set_paused(JobId(1), true);
        assert_eq!(running(&mut queue), [2]);
        queue.set_paused(JobId(1), false);
        assert_eq!(running(&mut queue), [2]);
        queue.set_waiting(JobId(2), true);
        assert_eq!(running(&mut queue), [1]);
    }

    #[test]
    fn reordering_moves_a_job_and_takes_nobodys_turn() {
        let mut queue = queue(&[7, 7, 7]);
        assert_eq!(running(&mut queue), [1]);
        assert!(queue.reorder(JobId(3), Some(JobId(1))));
        assert_eq!(queue.order(), [JobId(3), JobId(1), JobId(2)]);
        assert_eq!(running(&mut queue), [1]);
        queue.remove(JobId(1));
        assert_eq!(running(&mut queue), [3]);
        assert!(queue.reorder(JobId(3), None));
        assert!(!queue.reorder(JobId(3), None));
        assert!(!queue.reorder(JobId(9), None));
    }

    #[test]
    fn a_job_whose_destination_has_not_been_looked_at_has_no_turn() {
        let mut queue = Queue::default();
        queue.add(JobId(1));
        assert_eq!(queue.turns(), [(JobId(1), false, JobState::Queued)]);
    }
}
