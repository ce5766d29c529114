//! Which jobs may run now.
//!
//! One job writes to a device at a time, and a disk that serves one job at a time has one;
//! other devices run beside it. Jobs that are known to be quick have a lane of their own on
//! each device, so that they do not wait behind a long copy. Two jobs that touch one path
//! run in their order, whatever their devices are.
//!
//! Pure: told what happens, it says whose turn it is. A job that is paused or waits for
//! answers gives its turn away.

use std::time::{Duration, Instant};

use super::message::{JobId, JobState};

/// How long later jobs wait for an earlier one's device to be known.
const LOOK: Duration = Duration::from_millis(500);

/// How long a cancelled job that does not end keeps its turn.
const ENDING: Duration = Duration::from_secs(5);

/// How long a quick job holds up the other quick ones: a rename of a folder takes a moment,
/// a clone of a million files does not.
const QUICK: Duration = Duration::from_secs(2);

/// The devices that a job keeps busy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The destination's device.
    pub writes: u64,
    /// Disks, read or written, that serve one job at a time.
    pub disks: Vec<u64>,
}

impl Uses {
    fn clash(&self, other: &Uses) -> bool {
        self.writes == other.writes || self.disks.iter().any(|disk| other.disks.contains(disk))
    }
}

/// A job in the queue.
struct Queued {
    job: JobId,
    /// `None` until it has been looked at.
    uses: Option<Uses>,
    added: Instant,
    /// Since when it has its turn.
    turn: Option<Instant>,
    /// The user wants it beside the others.
    now: bool,
    /// It takes the fast lane.
    quick: bool,
    /// Jobs that touch the same paths: whichever stands first goes first.
    meets: Vec<JobId>,
    paused: bool,
    waiting: bool,
    cancelled: Option<Instant>,
}

impl Queued {
    fn wants_turn(&self) -> bool {
        self.uses.is_some() && !self.paused && !self.waiting && self.cancelled.is_none()
    }

    /// A cancelled job writes until it has ended; one that a device holds fast holds up the
    /// others only for a while.
    fn may_still_write(&self) -> bool {
        self.cancelled.is_some_and(|since| since.elapsed() < ENDING)
    }

    fn is_being_looked_at(&self) -> bool {
        self.uses.is_none() && self.cancelled.is_none() && self.added.elapsed() < LOOK
    }

    fn is_in_the_lane(&self) -> bool {
        self.quick && self.turn.is_some_and(|since| since.elapsed() < QUICK)
    }

    /// Whether it has the turn that the other one waits for.
    fn is_in_the_way_of(&self, other: &Queued) -> bool {
        let (Some(uses), Some(wanted)) = (&self.uses, &other.uses) else { return false };
        let takes = if other.quick { self.is_in_the_lane() } else { !self.quick };
        self.turn.is_some() && takes && uses.clash(wanted)
    }

    fn state(&self) -> JobState {
        match self {
            Queued { cancelled: Some(_), .. } => JobState::Cancelling,
            Queued { paused: true, .. } => JobState::Paused,
            Queued { waiting: true, .. } => JobState::Waiting,
            Queued { turn: Some(_), .. } => JobState::Running,
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
            uses: None,
            added: Instant::now(),
            turn: None,
            now: false,
            quick: false,
            meets: Vec::new(),
            paused: false,
            waiting: false,
            cancelled: None,
        });
    }

    /// A job has been looked at.
    pub fn set_uses(&mut self, job: JobId, uses: Uses) {
        self.change(job, |queued| queued.uses = Some(uses));
    }

    /// A job is known to be quick, or has turned out not to be: then it goes on where nobody
    /// else has the turn, and else waits for its own.
    pub fn set_quick(&mut self, job: JobId, quick: bool) {
        self.change(job, |queued| queued.quick = quick);
        let Some(at) = self.place(job) else { return };
        let stays = quick || self.0[at].now || !self.is_clashing(at);
        self.0[at].turn = self.0[at].turn.filter(|_| stays);
    }

    /// These two jobs touch the same paths.
    pub fn set_meeting(&mut self, one: JobId, other: JobId) {
        for (job, met) in [(one, other), (other, one)] {
            self.change(job, |queued| {
                if !queued.meets.contains(&met) {
                    queued.meets.push(met);
                }
            });
        }
    }

    /// A job is to run beside the others; a paused one goes on.
    pub fn run_now(&mut self, job: JobId) {
        self.change(job, |queued| (queued.now, queued.paused) = (true, false));
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
        self.change(job, |queued| {
            let _since = queued.cancelled.get_or_insert_with(Instant::now);
        });
    }

    /// A job has ended.
    pub fn remove(&mut self, job: JobId) {
        self.0.retain(|queued| queued.job != job);
    }

    /// Puts a job before another, or last; whether that changed anything.
    pub fn reorder(&mut self, job: JobId, before: Option<JobId>) -> bool {
        let Some(from) = self.place(job) else { return false };
        if before == Some(job) || before.is_some_and(|other| self.place(other).is_none()) {
            return false;
        }
        let queued = self.0.remove(from);
        let to = before.and_then(|other| self.place(other)).unwrap_or(self.0.len());
        self.0.insert(to, queued);
        to != from
    }

    /// The jobs in their order.
    pub fn order(&self) -> Vec<JobId> {
        self.0.iter().map(|queued| queued.job).collect()
    }

    /// Whether turns change with time: a job's device is still to be known, a cancelled one
    /// is still to end, or the fast lane is taken.
    pub fn changes_with_time(&self) -> bool {
        self.0.iter().any(|queued| {
            queued.is_being_looked_at() || queued.may_still_write() || queued.is_in_the_lane()
        })
    }

    /// Gives turns to the jobs that want one and have none to wait for; all jobs with whether
    /// they have a turn now, and their states.
    pub fn turns(&mut self) -> Vec<(JobId, bool, JobState)> {
        for queued in &mut self.0 {
            let keeps = queued.wants_turn() || queued.may_still_write();
            queued.turn = queued.turn.filter(|_| keeps);
        }
        let mut all_known = true;
        for at in 0..self.0.len() {
            // Which device an earlier job wants may be known in a moment; one on a mount that
            // does not answer holds up nobody for long.
            all_known &= !self.0[at].is_being_looked_at();
            let queued = &self.0[at];
            if queued.turn.is_some() || !queued.wants_turn() {
                continue;
            }
            let free = || all_known && !self.has_to_wait(at) && !self.is_clashing(at);
            if queued.now || free() {
                self.0[at].turn = Some(Instant::now());
            }
        }
        let all = self.0.iter();
        all.map(|queued| (queued.job, queued.turn.is_some(), queued.state())).collect()
    }

    /// Whether somebody else has the turn that this one wants.
    fn is_clashing(&self, at: usize) -> bool {
        let others = self.0.iter().enumerate().filter(|(place, _)| *place != at);
        others.into_iter().any(|(_, other)| other.is_in_the_way_of(&self.0[at]))
    }

    /// Whether a job that touches the same paths goes first.
    fn has_to_wait(&self, at: usize) -> bool {
        self.0[at].meets.iter().filter_map(|met| self.place(*met)).any(|place| {
            let met = &self.0[place];
            met.turn.is_some() || (place < at && met.wants_turn())
        })
    }

    fn place(&self, job: JobId) -> Option<usize> {
        self.0.iter().position(|queued| queued.job == job)
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
            queue.set_uses(JobId(number), Uses { writes: *device, disks: vec![] });
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

    #[test]
    fn quick_jobs_pass_a_long_one_one_after_the_other() {
        let mut queue = queue(&[7, 7, 7, 7]);
        queue.set_quick(JobId(2), true);
        queue.set_quick(JobId(3), true);
        assert_eq!(running(&mut queue), [1, 2]);
        queue.remove(JobId(2));
        assert_eq!(running(&mut queue), [1, 3]);
        queue.remove(JobId(1));
        assert_eq!(running(&mut queue), [3, 4]);
    }

    #[test]
    fn a_job_that_is_not_quick_after_all_waits_for_its_turn_where_somebody_has_it() {
        let mut queue = queue(&[7, 7, 8]);
        for job in [2, 3] {
            queue.set_quick(JobId(job), true);
        }
        assert_eq!(running(&mut queue), [1, 2, 3]);
        for job in [2, 3] {
            queue.set_quick(JobId(job), false);
        }
        assert_eq!(running(&mut queue), [1, 3]);
    }

    #[test]
    fn run_now_runs_beside_the_others_and_lets_a_paused_job_go_on() {
        let mut queue = queue(&[7, 7, 7]);
        queue.set_paused(JobId(3), true);
        assert_eq!(running(&mut queue), [1]);
        queue.run_now(JobId(2));
        queue.run_now(JobId(3));
        assert_eq!(running(&mut queue), [1, 2, 3]);
        queue.set_paused(JobId(2), true);
        assert_eq!(running(&mut queue), [1, 3]);
        queue.set_paused(JobId(2), false);
        assert_eq!(running(&mut queue), [1, 2, 3]);
    }

    #[test]
    fn a_disk_that_serves_one_job_is_not_read_by_one_and_written_by_another() {
        let mut queue = queue(&[7, 8, 9]);
        queue.set_uses(JobId(1), Uses { writes: 7, disks: vec![1] });
        queue.set_uses(JobId(2), Uses { writes: 8, disks: vec![2, 1] });
        queue.set_uses(JobId(3), Uses { writes: 9, disks: vec![2] });
        assert_eq!(running(&mut queue), [1, 3]);
    }

    #[test]
    fn jobs_that_touch_one_path_run_in_the_order_of_the_queue() {
        let mut queue = queue(&[7, 8]);
        queue.set_quick(JobId(2), true);
        queue.set_meeting(JobId(1), JobId(2));
        assert_eq!(running(&mut queue), [1]);
        queue.set_paused(JobId(1), true);
        assert_eq!(running(&mut queue), [2]);
        queue.set_paused(JobId(1), false);
        assert_eq!(running(&mut queue), [2]);
        queue.remove(JobId(2));
        assert_eq!(running(&mut queue), [1]);
    }

    #[test]
    fn run_now_does_not_wait_for_a_job_that_is_being_looked_at() {
        let mut queue = Queue::default();
        queue.add(JobId(1));
        queue.add(JobId(2));
        queue.set_uses(JobId(2), Uses::default());
        assert_eq!(running(&mut queue), [0; 0]);
        queue.run_now(JobId(2));
        assert_eq!(running(&mut queue), [2]);
    }
}
