//! The engine's own thread: takes commands, gives turns, samples progress, tells events.
//!
//! It copies nothing and looks at nothing itself, so that no device can make it hang.

mod orders;

use std::collections::HashMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::additions::Added;
use super::conflict::{Action, Scope};
use super::control::Control;
use super::fs::disks::Spot;
use super::job::{Job, Memory, Wish, Work, lock};
use super::journal::{Journal, JournalId, Store, Told};
use super::lane::LITTLE;
use super::message::{ByteCounts, Command, Event, JobId, JobSpec, JobState, Phase, QuestionId};
use super::pace::Pace;
use super::parked::{Reason, Taken, Waiter};
use super::plan::EntryState;
use super::progress::Clock;
use super::queue::Queue;
use super::report::Report;
use super::sampler::Sampler;
use super::summary::Summary;
use super::{compare, measure, run, sampler, threads};

/// What reaches the engine's thread.
pub enum Mail {
    /// A face's command.
    Command(Command),
    /// A job that an earlier run of the program left is to go on.
    Resume {
        /// Its number.
        job: JobId,
        /// What it is to do.
        spec: JobSpec,
        /// Its journal, and what it tells.
        earlier: Box<(Journal, Told)>,
    },
    /// A job has looked at its sources and its destination.
    Ready {
        /// Which job.
        job: JobId,
        /// Where the destination is, and then where the sources are.
        spots: Vec<Spot>,
        /// It is known to be quick.
        quick: bool,
    },
    /// A job that waits for its turn has turned out to be small.
    Small {
        /// Which job.
        job: JobId,
    },
    /// A job has a question that has not been told.
    Parked {
        /// Which job.
        job: JobId,
    },
    /// A job has only parked entries left.
    Waiting {
        /// Which job.
        job: JobId,
    },
    /// Sources that a job got later are in its journal.
    Remembered {
        /// Which job.
        job: JobId,
    },
    /// A job has ended.
    Ended {
        /// Which job.
        job: JobId,
        /// What became of it.
        summary: Summary,
    },
}

/// Between two samples: ten a second.
const TICK: Duration = Duration::from_millis(100);
/// A job that runs longer is measured, for its totals.
const MEASURE_AFTER: Duration = Duration::from_millis(250);
/// How long ending the engine waits for a job whose system call does not return.
const PATIENCE: Duration = Duration::from_secs(2);

/// More workers than this only wait for each other.
const WORKERS_MOST: usize = 64;

/// The reports of all jobs, and so their plans, shared with the face.
pub type Reports = Arc<Mutex<HashMap<JobId, Arc<Report>>>>;

/// The numbers in the history of ended jobs, shared with the face.
pub type Journals = Arc<Mutex<HashMap<JobId, JournalId>>>;

struct Running {
    job: Arc<Job>,
    state: JobState,
    /// Since when it is paused or waits, until it lets go of its devices.
    stands_since: Option<Instant>,
    /// Where it reads and writes, until the disks there are known.
    spots: Vec<Spot>,
    /// It has the fast lane.
    quick: bool,
    sampler: Sampler,
    /// `None` where the user has said how many work.
    pace: Option<Pace>,
    clock: Option<Clock>,
    stood_still_before: Duration,
    measured: bool,
    /// Later sources that have not been told to be accepted.
    unconfirmed: Vec<Arc<Added>>,
}

/// The engine's thread.
pub struct Dispatch {
    jobs: HashMap<JobId, Running>,
    queue: Queue,
    reports: Reports,
    journals: Journals,
    store: Option<Store>,
    mail: Sender<Mail>,
    events: UnboundedSender<Event>,
    next_sample: Instant,
    /// Turns change with time: see [`Queue::changes_with_time`].
    looking: bool,
    ending: Option<Instant>,
}

impl Dispatch {
    /// A dispatcher that tells a face's channel.
    pub fn new(
        mail: Sender<Mail>,
        events: UnboundedSender<Event>,
        (reports, journals): (Reports, Journals),
        store: Option<Store>,
    ) -> Dispatch {
        Dispatch {
            jobs: HashMap::new(),
            queue: Queue::default(),
            reports,
            journals,
            store,
            mail,
            events,
            next_sample: Instant::now(),
            looking: false,
            ending: None,
        }
    }

    /// Works until it is told to shut down.
    pub fn run(mut self, inbox: &Receiver<Mail>) {
        loop {
            let mail = if let Some(wait) = self.wait() {
                match inbox.recv_timeout(wait) {
                    Ok(mail) => Some(mail),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            } else {
                match inbox.recv() {
                    Ok(mail) => Some(mail),
                    Err(_) => break,
                }
            };
            if let Some(mail) = mail {
                self.handle(mail);
            }
            while let Some((at, job)) = self.next_to_let_go()
                && at <= Instant::now()
            {
                self.let_go(job);
            }
            if self.next_sample <= Instant::now() {
                if self.looking {
                    self.give_turns();
                }
                self.sample_all();
                self.next_sample = Instant::now() + TICK;
            }
            if let Some(since) = self.ending
                && (self.jobs.is_empty() || since.elapsed() > PATIENCE)
            {
                break;
            }
        }
        self.tell(Event::Stopped);
    }

    /// How long to wait for mail: for ever when nothing runs.
    fn wait(&self) -> Option<Duration> {
        let runs =
            |running: &Running| matches!(running.state, JobState::Running | JobState::Cancelling);
        let ticks = self.ending.is_some() || self.looking || self.jobs.values().any(runs);
        let next =
            if ticks { Some(self.next_sample) } else { self.next_to_let_go().map(|(at, _)| at) };
        next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    fn handle(&mut self, mail: Mail) {
        match mail {
            Mail::Command(command) => self.command(command),
            Mail::Resume { job, spec, earlier } => self.add(job, spec, Some(*earlier)),
            Mail::Ready { job, spots, quick } => self.ready(job, spots, quick),
            Mail::Small { job } => self.set_quick(job, true),
            Mail::Parked { job } => self.parked(job),
            Mail::Waiting { job } => self.waiting(job),
            Mail::Remembered { job } => self.remembered(job),
            Mail::Ended { job, summary } => self.ended(job, summary),
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Add { job, spec } => self.add(job, spec, None),
            Command::Pause { job } => self.pause(job, true),
            Command::Resume { job } => self.pause(job, false),
            Command::Cancel { job } => self.end(job, Control::cancel),
            Command::Stop { job } => self.end(job, Control::stop),
            Command::LetGo { job } => self.let_go(job),
            Command::RunNow { job } => self.run_now(job),
            Command::AddSources { job, spec } => self.add_sources(job, spec),
            Command::SkipEntry { job, entry } => self.skip(job, entry),
            Command::Answer { job, question, action, scope } => {
                self.answer(job, question, &action, scope);
            }
            Command::Compare { job, question } => {
                if let Some(running) = self.jobs.get(&job) {
                    compare::start(&running.job, question);
                }
            }
            Command::Reorder { job, before } => {
                if self.queue.reorder(job, before) {
                    self.give_turns();
                    self.tell(Event::Order { jobs: self.queue.order() });
                }
            }
            Command::Forget { job } => {
                if !self.jobs.contains_key(&job) {
                    let _report = lock(&self.reports).remove(&job);
                    let _journal = lock(&self.journals).remove(&job);
                }
            }
            Command::ShutDown => {
                self.ending = Some(Instant::now());
                let jobs: Vec<JobId> = self.jobs.keys().copied().collect();
                for job in jobs {
                    self.end(job, Control::cancel);
                }
            }
        }
    }

    fn add(&mut self, id: JobId, spec: JobSpec, earlier: Option<(Journal, Told)>) {
        if self.ending.is_some() || self.jobs.contains_key(&id) {
            return;
        }
        let workers = workers(&spec);
        let memory = Memory { store: self.store.clone(), earlier };
        let (mail, events) = (self.mail.clone(), self.events.clone());
        let job = Job::new(id, spec.clone(), workers, memory, mail, events);
        let job = Arc::new(job);
        let _none = lock(&self.reports).insert(id, Arc::clone(&job.report));
        self.queue.add(id);
        self.tell(Event::Added { job: id, spec });
        self.tell(Event::State { job: id, state: JobState::Queued });
        self.tell(Event::Order { jobs: self.queue.order() });
        let running = Running {
            job: Arc::clone(&job),
            state: JobState::Queued,
            stands_since: None,
            spots: Vec::new(),
            quick: false,
            sampler: Sampler::default(),
            pace: job.spec.options.workers.is_none().then(|| Pace::new(workers)),
            clock: None,
            stood_still_before: Duration::ZERO,
            measured: false,
            unconfirmed: Vec::new(),
        };
        let _none = self.jobs.insert(id, running);
        self.find_meetings(id);
        self.give_turns();
        let its_job = Arc::clone(&job);
        if threads::start("ferry-job", move || run::run(&its_job)).is_err() {
            self.ended(id, run::not_started(&job));
        }
    }

    fn pause(&mut self, id: JobId, paused: bool) {
        let Some(running) = self.jobs.get(&id) else { return };
        running.job.control.pause(paused);
        self.queue.set_paused(id, paused);
        self.give_turns();
    }

    fn end(&mut self, id: JobId, how: impl FnOnce(&Control)) {
        let Some(running) = self.jobs.get(&id) else { return };
        how(&running.job.control);
        running.job.pool.wake();
        self.queue.cancel(id);
        self.give_turns();
    }

    fn answer(&mut self, id: JobId, question: QuestionId, action: &Action, scope: Scope) {
        let Some(running) = self.jobs.get(&id) else { return };
        let job = Arc::clone(&running.job);
        // While it is begun the pool is not quiet, and the job does not end.
        job.pool.begin();
        // Remembered before: what is parked from now on knows of it.
        let asked = job.parked.look(question, Waiter::subject);
        if let Some(asked) = asked.filter(|asked| asked.allows(action)) {
            lock(&job.rules).remember(asked, action, scope);
        }
        if let Some(Taken { waiters, told }) = job.parked.answered(question, action, scope) {
            if *action == Action::Skip {
                let entries = waiters.iter().map(|waiter| waiter.block.id(waiter.at)).collect();
                orders::decline(&job, entries);
            }
            job.pool.push(0, waiters.into_iter().map(|waiter| answered(waiter, &job, action)));
            // Nobody needs to know that what was not told is settled.
            if !told.is_empty() {
                self.tell(Event::Settled { job: id, questions: told });
            }
            self.queue.set_waiting(id, false);
            self.give_turns();
            // One that is asked about in the place of the answered one.
            self.parked(id);
        }
        job.pool.end();
    }

    /// A running job's questions are told with its next sample; one that has just lost its
    /// turn has none.
    fn parked(&mut self, id: JobId) {
        if let Some(running) = self.jobs.get_mut(&id)
            && running.state != JobState::Running
        {
            let _bytes = sample(running, &self.events);
        }
    }

    fn waiting(&mut self, id: JobId) {
        let Some(running) = self.jobs.get_mut(&id) else { return };
        // An answer may have come in between.
        let job = &running.job;
        if job.additions.is_waiting() || !job.pool.is_quiet() || job.parked.is_empty() {
            return;
        }
        let _bytes = sample(running, &self.events);
        self.queue.set_waiting(id, true);
        self.give_turns();
    }

    fn ended(&mut self, id: JobId, summary: Summary) {
        let Some(mut running) = self.jobs.remove(&id) else { return };
        let _bytes = sample(&mut running, &self.events);
        if let Some(journal) = running.job.journal() {
            let _none = lock(&self.journals).insert(id, journal.id);
        }
        for added in running.unconfirmed {
            self.tell(Event::SourcesAdded { job: id, sources: added.sources.clone() });
        }
        self.queue.remove(id);
        self.tell(Event::Order { jobs: self.queue.order() });
        self.tell(Event::State { job: id, state: JobState::Ended });
        self.tell(Event::Finished { job: id, summary });
        self.give_turns();
    }

    /// Lets every job have its turn or takes it back, and tells states that changed.
    fn give_turns(&mut self) {
        self.find_disks();
        self.looking = self.queue.changes_with_time();
        for (id, turn, state) in self.queue.turns() {
            let Some(running) = self.jobs.get_mut(&id) else { continue };
            running.job.control.hold(!turn);
            if turn && running.clock.is_none() {
                running.clock = Some(Clock::start());
                running.stood_still_before = running.job.control.stood_still();
            }
            if running.state != state {
                if running.state == JobState::Running {
                    let _bytes = sample(running, &self.events);
                }
                let stands = matches!(state, JobState::Paused | JobState::Waiting);
                running.stands_since = stands.then(Instant::now);
                running.state = state;
                let _gone_or_not = self.events.send(Event::State { job: id, state });
            }
        }
    }

    fn sample_all(&mut self) {
        let mut slow = Vec::new();
        for (id, running) in &mut self.jobs {
            if matches!(running.state, JobState::Running | JobState::Cancelling) {
                let bytes = sample(running, &self.events).unwrap_or_default();
                if running.quick && bytes.done.saturating_sub(bytes.cloned) > LITTLE {
                    slow.push(*id);
                }
            }
        }
        // No rename or clone after all.
        for id in slow {
            self.set_quick(id, false);
        }
    }

    fn tell(&self, event: Event) {
        // A face that has gone is told nothing.
        let _gone_or_not = self.events.send(event);
    }
}

/// Tells the new questions and the progress of a job.
fn sample(running: &mut Running, events: &UnboundedSender<Event>) -> Option<ByteCounts> {
    let job = &running.job;
    job.parked.tell_untold(job);
    let clock = running.clock.as_ref()?;
    let stood_still = job.control.stood_still().saturating_sub(running.stood_still_before);
    let elapsed = clock.ran(stood_still);
    if elapsed > MEASURE_AFTER && !running.measured {
        running.measured = measure::start(job);
    }
    if running.measured {
        measure::start_left(job);
    }
    let snapshot = running.sampler.sample(&job.progress, &job.plan, elapsed);
    let bytes = snapshot.bytes;
    if let (Some(pace), Phase::Copying) = (&mut running.pace, snapshot.phase) {
        let done = sampler::work(snapshot.entries.done as f64, bytes.done as f64);
        job.pool.allow(pace.look(elapsed, done, job.pool.in_hand()));
    }
    let _gone_or_not = events.send(Event::Progress { job: job.id, snapshot });
    Some(bytes)
}

/// How many workers a job has: as many as there are processors, at most four. The second
/// brings 39 to 44 %; a third and fourth on two processors brought nothing.
fn workers(spec: &JobSpec) -> usize {
    // Not `available_parallelism`: it reads cgroup files, a tenth of a small job's time.
    let processors = || rustix::thread::sched_getaffinity(None).map_or(2, |set| set.count());
    let wanted = spec.options.workers.map_or_else(|| processors().min(4) as usize, usize::from);
    wanted.clamp(1, WORKERS_MOST)
}

/// The work that an answer makes of a parked entry.
fn answered(waiter: Waiter, job: &Job, action: &Action) -> Work {
    let (counter, wish) = match waiter.reason {
        Reason::Failed(fault, wish) => {
            let given_up = (*action == Action::Skip).then_some(fault);
            let wish = wish.map(|wish| *wish).unwrap_or_default();
            (&job.progress.parked_failures, Wish { given_up, tries: 0, ..wish })
        }
        Reason::Foreign(wish) => {
            let foreign = action.as_foreign_rule();
            (&job.progress.waiting, Wish { foreign, ..*wish })
        }
        Reason::Taken(clash) => {
            let wanted = match action {
                Action::Rename(name) => Some(name.clone()),
                _ => clash.wanted,
            };
            let pattern = match action {
                Action::RenameBy(pattern) => Some(pattern.clone()),
                _ => None,
            };
            let wish = Wish {
                rule: action.as_rule(),
                folder_rule: action.as_folder_rule(),
                pattern,
                name: wanted.clone(),
                wanted,
                ..Wish::default()
            };
            (&job.progress.waiting, wish)
        }
    };
    let _before = counter.fetch_sub(1, Relaxed);
    // Decided; it waits for a worker.
    waiter.block.set_state(waiter.at, EntryState::Pending);
    Work::Entry { folder: waiter.folder, block: waiter.block, at: waiter.at, wish }
}
