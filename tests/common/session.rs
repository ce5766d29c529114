//! An engine and whoever listens to it: every wait has a deadline and says what it was for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ferry::engine::{
    Action, Command, Engine, Event, JobId, JobState, Plan, Question, QuestionId, Scope, Snapshot,
    Store,
};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedReceiver;

use super::job::{Job, Run};

/// How long a test waits for anything; `FERRY_TEST_SECONDS` sets another time.
pub fn deadline() -> Instant {
    let seconds = std::env::var("FERRY_TEST_SECONDS").ok().and_then(|text| text.parse().ok());
    Instant::now() + Duration::from_secs(seconds.unwrap_or(60))
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
        Session::of(Engine::start())
    }

    /// Starts an engine that remembers its jobs.
    pub fn remembering(store: Store) -> Session {
        Session::of(Engine::start_with(Some(store)))
    }

    fn of((engine, receiver): (Engine, UnboundedReceiver<Event>)) -> Session {
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

    /// What is told within a time, if anything is.
    pub fn hear(&mut self, time: Duration) -> Option<Event> {
        let receiver = &mut self.receiver;
        let next = self
            .runtime
            .block_on(async { tokio::time::timeout(time, receiver.recv()).await.ok().flatten() });
        self.log.extend(next.clone());
        next
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
        let report = self.engine().report(job);
        let run = Run { job, events, summary, plan: self.plan(job), report };
        run.check_contract();
        run
    }

    /// Runs a job to its end, answering the questions of all jobs alike from now on.
    #[track_caller]
    pub fn finish_all_answering(&mut self, job: JobId, action: Action) -> Run {
        let ended = |log: &[Event]| log.iter().any(|event| is_end(event, job));
        let end = deadline();
        while !ended(&self.log) {
            if let Event::Asked { job: of, questions } =
                self.next(&format!("the end of {job:?}"), end)
            {
                for question in &questions {
                    self.answer(of, question.id, action.clone(), Scope::This);
                }
            }
        }
        self.finish_answering(job, &mut |_| None)
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
        | Event::SourcesAdded { job, .. }
        | Event::Compared { job, .. }
        | Event::Finished { job, .. } => Some(*job),
        // A refusal may come after the last word about the job.
        Event::SourcesRefused { .. } | Event::Order { .. } | Event::Stopped => None,
    }
}
