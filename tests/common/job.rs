//! Jobs for tests: built in a line, run to their end with a deadline, and held to the
//! contract on the way.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ferry::engine::{
    Action, Command, ConflictRule, Engine, EntryId, EntryState, ErrorKind, Event, FailureRule,
    JobId, JobKind, JobSpec, JobState, Notice, NoticeKind, Options, Outcome, Phase, Plan, Question,
    QuestionId, Reflink, Scope, Snapshot, Summary,
};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a test waits for anything; `FERRY_TEST_SECONDS` sets another time.
pub fn deadline() -> Instant {
    let seconds = std::env::var("FERRY_TEST_SECONDS").ok().and_then(|text| text.parse().ok());
    Instant::now() + Duration::from_secs(seconds.unwrap_or(60))
}

/// A job to be run. Unless told otherwise it asks nothing: conflicts are skipped as
/// unanswered, failures are recorded.
#[derive(Clone)]
pub struct Job {
    /// What the engine gets.
    pub spec: JobSpec,
}

/// Copies into a folder.
pub fn copy<P: AsRef<Path>>(
    sources: impl IntoIterator<Item = P>,
    destination: impl AsRef<Path>,
) -> Job {
    Job::new(JobKind::Copy, sources, destination)
}

/// Moves into a folder.
pub fn moving<P: AsRef<Path>>(
    sources: impl IntoIterator<Item = P>,
    destination: impl AsRef<Path>,
) -> Job {
    Job::new(JobKind::Move, sources, destination)
}

impl Job {
    /// Copies or moves into a folder.
    pub fn new<P: AsRef<Path>>(
        kind: JobKind,
        sources: impl IntoIterator<Item = P>,
        destination: impl AsRef<Path>,
    ) -> Job {
        let options = Options {
            conflict: ConflictRule::SkipUnanswered,
            failure: FailureRule::Record,
            ..Options::default()
        };
        let sources: Vec<PathBuf> =
            sources.into_iter().map(|path| path.as_ref().to_path_buf()).collect();
        let destination = destination.as_ref().to_path_buf();
        Job { spec: JobSpec { kind, sources, destination, options } }
    }

    /// What happens to taken names.
    pub fn rule(mut self, rule: ConflictRule) -> Job {
        self.spec.options.conflict = rule;
        self
    }

    /// Asks about conflicts and failures.
    pub fn asking(mut self) -> Job {
        self.spec.options.conflict = ConflictRule::Ask;
        self.spec.options.failure = FailureRule::Ask;
        self
    }

    /// Asks about failures.
    pub fn asking_failures(mut self) -> Job {
        self.spec.options.failure = FailureRule::Ask;
        self
    }

    /// Whether data is shared.
    pub fn reflink(mut self, reflink: Reflink) -> Job {
        self.spec.options.reflink = reflink;
        self
    }

    /// Reads copies back.
    pub fn verify(mut self) -> Job {
        self.spec.options.verify = true;
        self
    }

    /// With so many workers.
    pub fn workers(mut self, workers: u16) -> Job {
        self.spec.options.workers = Some(workers);
        self
    }

    /// Runs it to its end in an engine of its own; no question may come.
    #[track_caller]
    pub fn run(self) -> Run {
        self.run_answering(|question| panic!("nothing was to be asked: {question:?}"))
    }

    /// Runs it to its end, answering each question. `None` leaves a question open.
    #[track_caller]
    pub fn run_answering(
        self,
        mut answer: impl FnMut(&Question) -> Option<(Action, Scope)>,
    ) -> Run {
        let mut session = Session::start();
        let job = session.add(self);
        session.finish_answering(job, &mut answer)
    }
}

/// A job that ended.
pub struct Run {
    /// Its number.
    pub job: JobId,
    /// What was told of it, in order.
    pub events: Vec<Event>,
    /// What became of it.
    pub summary: Summary,
    /// Its entries.
    pub plan: Option<Arc<Plan>>,
}

impl Run {
    /// Insists that every entry is done.
    #[track_caller]
    pub fn done(self) -> Run {
        assert!(self.summary.all_done(), "not all is done: {:?}", self.summary);
        self
    }

    /// Insists that something is not done.
    #[track_caller]
    pub fn not_done(self) -> Run {
        assert!(!self.summary.all_done(), "all is said to be done: {:?}", self.summary);
        self
    }

    /// The kinds of the failures.
    pub fn failure_kinds(&self) -> Vec<ErrorKind> {
        self.summary.failures.iter().map(|failure| failure.error.kind).collect()
    }

    /// Insists that so many entries failed, each of one kind.
    #[track_caller]
    pub fn failed(self, count: u64, kind: ErrorKind) -> Run {
        assert_eq!(self.summary.entries.failed, count, "{:?}", self.summary);
        assert!(self.failure_kinds().iter().all(|&found| found == kind), "{:?}", self.summary);
        self
    }

    /// A notice.
    pub fn notice(&self, kind: NoticeKind) -> Option<&Notice> {
        self.summary.notices.iter().find(|notice| notice.kind == kind)
    }

    /// All questions that were asked.
    pub fn questions(&self) -> Vec<Question> {
        let mut all = Vec::new();
        for event in &self.events {
            if let Event::Asked { questions, .. } = event {
                all.extend(questions.iter().cloned());
            }
        }
        all
    }

    /// The samples.
    pub fn snapshots(&self) -> Vec<&Snapshot> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Progress { snapshot, .. } => Some(snapshot),
                _ => None,
            })
            .collect()
    }

    /// The states the job went through.
    pub fn states(&self) -> Vec<JobState> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::State { state, .. } => Some(*state),
                _ => None,
            })
            .collect()
    }

    /// The state of an entry, by its path below the destination.
    #[track_caller]
    pub fn entry(&self, path: &str) -> EntryState {
        let plan = self.plan.as_ref().expect("the job has a plan");
        (0..plan.len() as u32)
            .find(|&id| plan.path(EntryId(id)).as_deref() == Some(Path::new(path)))
            .and_then(|id| plan.entry(EntryId(id)))
            .unwrap_or_else(|| panic!("no entry {path}"))
            .state
    }

    /// What every job owes to whoever listens, whatever became of it.
    #[track_caller]
    pub fn check_contract(&self) {
        let states = self.states();
        assert!(matches!(self.events.first(), Some(Event::Added { .. })), "{:?}", self.events);
        assert_eq!(states.first(), Some(&JobState::Queued), "{states:?}");
        assert_eq!(states.last(), Some(&JobState::Ended), "{states:?}");
        assert!(matches!(self.events.last(), Some(Event::Finished { .. })), "{:?}", self.events);
        assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "a state twice: {states:?}");
        self.check_progress();
        self.check_questions();
        let entries = &self.summary.entries;
        assert_eq!(entries.waiting, 0, "ended with open questions: {entries:?}");
        if self.summary.outcome == Outcome::Done {
            let ended = entries.done + entries.skipped + entries.unanswered + entries.failed;
            assert!(entries.total_is_final, "{entries:?}");
            assert_eq!(ended, entries.total, "the counts do not sum: {entries:?}");
            if let Some(total) = self.summary.bytes.total {
                assert!(self.summary.bytes.done <= total, "{:?}", self.summary.bytes);
            }
        }
        assert!(self.summary.bytes.cloned <= self.summary.bytes.done, "{:?}", self.summary.bytes);
        let named = self.summary.failures.iter().filter(|failure| failure.entry.is_some()).count();
        assert_eq!(entries.failed, named as u64, "each is named: {:?}", self.summary);
    }

    #[track_caller]
    fn check_progress(&self) {
        let mut last: Option<(Phase, f64)> = None;
        for snapshot in self.snapshots() {
            if let Some(fraction) = snapshot.fraction {
                assert!((0.0..=1.0).contains(&fraction), "{snapshot:?}");
                if let Some((phase, before)) = last
                    && phase == snapshot.phase
                {
                    assert!(fraction >= before, "back from {before} to {fraction} in {phase:?}");
                }
                last = Some((snapshot.phase, fraction));
            }
            assert!(snapshot.rate.is_none_or(|rate| rate < 1 << 40), "{snapshot:?}");
        }
    }

    #[track_caller]
    fn check_questions(&self) {
        let asked: Vec<QuestionId> = self.questions().iter().map(|question| question.id).collect();
        let mut once = asked.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), asked.len(), "a question was asked twice: {asked:?}");
        let settled: Vec<QuestionId> = self
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Settled { questions, .. } => Some(questions.clone()),
                _ => None,
            })
            .flatten()
            .collect();
        assert!(settled.iter().all(|id| asked.contains(id)), "{settled:?} of {asked:?}");
        let mut settled_once = settled.clone();
        settled_once.sort();
        settled_once.dedup();
        assert_eq!(settled_once.len(), settled.len(), "settled twice: {settled:?}");
        if self.summary.outcome == Outcome::Done {
            assert_eq!(settled_once, once, "each question is settled before the job is done");
        }
    }
}

/// An engine and whoever listens to it.
pub struct Session {
    engine: Option<Engine>,
    receiver: UnboundedReceiver<Event>,
    runtime: Runtime,
    /// All that was told, in order.
    pub log: Vec<Event>,
}

impl Session {
    /// Starts an engine.
    pub fn start() -> Session {
        let (engine, receiver) = Engine::start();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Session { engine: Some(engine), receiver, runtime, log: Vec::new() }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    /// Puts a job in the queue.
    pub fn add(&mut self, job: Job) -> JobId {
        self.engine().add(job.spec)
    }

    /// Sends a command.
    pub fn send(&self, command: Command) {
        self.engine().send(command);
    }

    /// Answers a question.
    pub fn answer(&self, job: JobId, question: QuestionId, action: Action, scope: Scope) {
        self.send(Command::Answer { job, question, action, scope });
    }

    /// The entries of a job.
    pub fn plan(&self, job: JobId) -> Option<Arc<Plan>> {
        self.engine().plan(job)
    }

    /// What is told next, or `None` when the engine has ended.
    #[track_caller]
    pub fn next_or_end(&mut self, what: &str, end: Instant) -> Option<Event> {
        let receiver = &mut self.receiver;
        let next = self.runtime.block_on(async {
            // A stream of samples without end must not keep the time from being up.
            if Instant::now() > end {
                return None;
            }
            tokio::time::timeout_at(end.into(), receiver.recv()).await.ok()
        });
        if let Some(event) = next {
            self.log.extend(event.clone());
            return event;
        }
        self.give_up(&format!("in time never: {what}"))
    }

    /// What is told next.
    #[track_caller]
    fn next(&mut self, what: &str, end: Instant) -> Event {
        match self.next_or_end(what, end) {
            Some(event) => event,
            None => self.give_up(&format!("the engine ended before: {what}")),
        }
    }

    #[track_caller]
    fn give_up(&self, why: &str) -> ! {
        let is_sample = |event: &&Event| matches!(event, Event::Progress { .. });
        let told: Vec<&Event> = self.log.iter().filter(|event| !is_sample(event)).collect();
        let last = told[told.len().saturating_sub(15)..].iter().copied();
        let sample = self.log.iter().rfind(is_sample);
        let lines: Vec<String> = last.chain(sample).map(|event| format!("  {event:?}")).collect();
        panic!("{why}; told at last, and the last sample:\n{}", lines.join("\n"))
    }

    /// Waits until something that is told gives an answer.
    #[track_caller]
    pub fn wait<T>(&mut self, what: &str, mut found: impl FnMut(&Event) -> Option<T>) -> T {
        let end = deadline();
        loop {
            let event = self.next(what, end);
            if let Some(answer) = found(&event) {
                return answer;
            }
        }
    }

    /// Waits until a job reaches a state.
    #[track_caller]
    pub fn wait_state(&mut self, job: JobId, wanted: JobState) {
        self.wait(&format!("{job:?} {wanted:?}"), |event| match event {
            Event::State { job: of, state } if *of == job && *state == wanted => Some(()),
            _ => None,
        });
    }

    /// Waits until a job has a file in work of which some bytes, but not all, are copied.
    #[track_caller]
    pub fn wait_in_work(&mut self, job: JobId) -> Snapshot {
        self.wait("a file in work", |event| match event {
            Event::Progress { job: of, snapshot } if *of == job => {
                let begun = |done: u64, size: u64| done > 0 && done < size;
                let work = snapshot.in_work.iter().any(|work| begun(work.done, work.size));
                work.then(|| snapshot.clone())
            }
            Event::Finished { job: of, .. } if *of == job => {
                panic!("it ended before any file was seen in work")
            }
            _ => None,
        })
    }

    /// Waits for so many questions of a job, and until it waits for nothing else.
    #[track_caller]
    pub fn wait_questions(&mut self, job: JobId, count: usize) -> Vec<Question> {
        let mut found = Vec::new();
        let mut waits = false;
        let end = deadline();
        while found.len() < count || !waits {
            match self.next(&format!("{count} questions and a waiting job, have {found:?}"), end) {
                Event::Asked { job: of, questions } if of == job => found.extend(questions),
                Event::State { job: of, state } if of == job => {
                    waits = state == JobState::Waiting;
                }
                Event::Finished { job: of, summary } if of == job => {
                    panic!("ended with {} of {count} questions: {summary:#?}", found.len())
                }
                _ => {}
            }
        }
        assert_eq!(found.len(), count, "{found:#?}");
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found
    }

    /// Runs a job to its end; no question may come.
    #[track_caller]
    pub fn finish(&mut self, job: JobId) -> Run {
        self.finish_answering(job, &mut |question| panic!("nothing was to be asked: {question:?}"))
    }

    /// Runs a job to its end, answering each question that comes from now on.
    #[track_caller]
    pub fn finish_answering(
        &mut self,
        job: JobId,
        answer: &mut dyn FnMut(&Question) -> Option<(Action, Scope)>,
    ) -> Run {
        let ended = |log: &[Event]| log.iter().any(|event| is_end(event, job));
        let end = deadline();
        while !ended(&self.log) {
            if let Event::Asked { job: of, questions } =
                self.next(&format!("the end of {job:?}"), end)
                && of == job
            {
                for question in &questions {
                    if let Some((action, scope)) = answer(question) {
                        self.answer(job, question.id, action, scope);
                    }
                }
            }
        }
        let events: Vec<Event> =
            self.log.iter().filter(|event| of_job(event) == Some(job)).cloned().collect();
        let summary = events
            .iter()
            .find_map(|event| match event {
                Event::Finished { summary, .. } => Some(summary.clone()),
                _ => None,
            })
            .unwrap();
        let run = Run { job, events, summary, plan: self.plan(job) };
        run.check_contract();
        run
    }

    /// Shuts the engine down and waits for its last word.
    #[track_caller]
    pub fn shut_down(&mut self) {
        self.send(Command::ShutDown);
        self.wait("the engine's last word", |event| matches!(event, Event::Stopped).then_some(()));
        assert_eq!(
            self.next_or_end("the closed channel", deadline()),
            None,
            "told after the last word"
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(engine) = self.engine.take() else { return };
        if std::thread::panicking() {
            // A test that fails because the engine hangs must not hang in its end.
            std::mem::forget(engine);
            return;
        }
        let (ended, wait) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            drop(engine);
            ended.send(()).unwrap_or(());
        });
        assert!(
            wait.recv_timeout(deadline() - Instant::now()).is_ok(),
            "the dropped engine does not end"
        );
    }
}

fn is_end(event: &Event, job: JobId) -> bool {
    matches!(event, Event::Finished { job: of, .. } if *of == job)
}

/// The job that an event is about.
pub fn of_job(event: &Event) -> Option<JobId> {
    match event {
        Event::Added { job, .. }
        | Event::State { job, .. }
        | Event::Route { job, .. }
        | Event::Progress { job, .. }
        | Event::Asked { job, .. }
        | Event::Settled { job, .. }
        | Event::Finished { job, .. } => Some(*job),
        Event::Order { .. } | Event::Stopped => None,
    }
}
