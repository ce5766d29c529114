//! One job at the terminal: from its first command to its exit status.
//!
//! One thread waits for everything at once: the engine's events, signals, and the lines that
//! a user types. The first signal cancels the job, which ends within a second; the second
//! one ends the program where it stands.

use std::io::{self, BufRead, IsTerminal};
use std::mem::ManuallyDrop;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::engine::{
    Command, Engine, Error, Event, JobId, JobKind, JobSpec, JournalId, QuestionId, Store, Summary,
};
use crate::words;

use super::arguments::Shown;
use super::ask::Asker;
use super::failures::{self, Line};
use super::output::Output;
use super::progress::Progress;
use super::{ReportFile, Status, complain};

/// How long the last lines may take to be written after a signal.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The job that is run.
pub enum Begin {
    /// A new one.
    New(JobSpec),
    /// One that was left unfinished.
    Left(JournalId, JobKind),
}

/// Runs a job to its end.
///
/// # Errors
/// When the system has no means to wait for events, or the job cannot be resumed.
pub fn run(
    begin: Begin,
    face: Shown,
    report: Option<ReportFile>,
    output: Output,
) -> io::Result<Status> {
    let terminal = io::stderr().is_terminal() && !face.json;
    let can_ask = terminal && io::stdin().is_terminal();
    let progress = Progress::new(terminal && !face.quiet);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        let (engine, events) = Engine::start_with(Store::of_user());
        // Never dropped: the job has ended, and a worker that is stuck in a device that does
        // not answer must not hold the program.
        let engine = ManuallyDrop::new(engine);
        let (job, kind) = match begin {
            Begin::New(mut spec) => {
                spec.options.set_asking(can_ask);
                let kind = spec.kind;
                (engine.add(spec), kind)
            }
            Begin::Left(id, kind) => match engine.resume(id, can_ask) {
                Ok(job) => (job, kind),
                Err(error) => {
                    complain(&super::history::sentence(id, &error));
                    return Ok(Status::Incomplete);
                }
            },
        };
        let session = Session {
            engine: &engine,
            job,
            spec: JobSpec::default(),
            asker: Asker::new(job),
            shown: None,
            output,
            progress,
            report_file: report,
        };
        session.until_finished(kind, &face, events, &mut signals).await
    })
}

struct Session<'a> {
    engine: &'a Engine,
    job: JobId,
    asker: Asker,
    /// The question that stands on the terminal.
    shown: Option<QuestionId>,
    output: Output,
    progress: Progress,
    /// As the engine has it.
    spec: JobSpec,
    report_file: Option<ReportFile>,
}

impl Session<'_> {
    async fn until_finished(
        mut self,
        kind: JobKind,
        face: &Shown,
        mut events: mpsc::UnboundedReceiver<Event>,
        signals: &mut Signals,
    ) -> io::Result<Status> {
        let mut lines = None;
        let mut cancelled = false;
        let finished = loop {
            tokio::select! {
                event = events.recv() => {
                    let Some(event) = event else { break None };
                    if face.json {
                        self.output.json(&event);
                    }
                    match event {
                        Event::Finished { job, summary } if job == self.job => break Some(summary),
                        event => self.event(event),
                    }
                }
                line = next(&mut lines) => self.line(line),
                () = signals.next() => {
                    cancelled = true;
                    self.engine.send(Command::Cancel { job: self.job });
                    break self.cancelled(face, &mut events, signals).await;
                }
            }
            if self.asker.current().is_some() && lines.is_none() {
                lines = Some(read_lines());
            }
            self.show_question();
        };
        self.progress.hide();
        let status = match finished {
            Some(mut summary) => {
                self.count_unanswered(&mut summary);
                self.report(kind, face, &summary);
                let mut status = Status::of(&summary);
                if let Err(error) = self.save_report(&summary) {
                    self.output.error(words::error_and_remedy(&error));
                    status = status.max(Status::Incomplete);
                }
                status
            }
            None => {
                self.output.error(words::text("engine-ended"));
                Status::Incomplete
            }
        };
        // A reader that has stopped reading is waited for, but not beyond a signal.
        let patience = async {
            if !cancelled {
                signals.next().await;
            }
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            written = self.output.finish() => {
                if let Err(error) = written && face.json {
                    // The lines are what was asked for.
                    let errno = error.raw_os_error().unwrap_or(libc::EIO);
                    let args = words::args([("reason", words::system_words(errno).into())]);
                    super::complain(&words::text_with("json-not-written", &args));
                    return Ok(status.max(Status::Incomplete));
                }
            }
            () = patience => {}
        }
        Ok(status)
    }

    fn save_report(&self, summary: &Summary) -> Result<(), Error> {
        match (&self.report_file, self.engine.report(self.job)) {
            (Some(file), Some(report)) => file.write(&self.spec, summary, &report),
            _ => Ok(()),
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Added { job, spec } if job == self.job => {
                self.asker.rename_by(spec.options.rename_pattern.clone());
                self.spec = spec;
            }
            Event::Progress { snapshot, .. } if self.shown.is_none() => {
                self.progress.show(&snapshot);
            }
            Event::Asked { questions, .. } => {
                let answers = self.asker.asked(questions);
                self.send(answers);
            }
            Event::Settled { questions, .. } => self.asker.settled(&questions),
            _ => {}
        }
    }

    /// Takes a line; `None` is the end of the input.
    fn line(&mut self, line: Option<Vec<u8>>) {
        // Whatever was typed, the cursor stands at the start of a line now; what is asked
        // next is shown anew.
        self.shown = None;
        let Some(line) = line else {
            self.output.line("");
            let answers = self.asker.input_ended();
            return self.send(answers);
        };
        let reply = self.asker.line(&line);
        if let Some(complaint) = reply.complaint {
            self.output.line(complaint);
        }
        self.send(reply.commands);
    }

    fn show_question(&mut self) {
        let current = self.asker.current();
        if current == self.shown {
            return;
        }
        if self.shown.is_some() {
            self.output.line("");
        }
        self.shown = current;
        if let Some(prompt) = self.asker.prompt() {
            self.progress.hide();
            self.output.prompt(prompt);
        }
    }

    fn send(&self, commands: Vec<Command>) {
        for command in commands {
            self.engine.send(command);
        }
    }

    /// After the first signal: waits for the job's end, but not beyond a second signal.
    async fn cancelled(
        &mut self,
        face: &Shown,
        events: &mut mpsc::UnboundedReceiver<Event>,
        signals: &mut Signals,
    ) -> Option<Summary> {
        if self.shown.take().is_some() {
            self.output.line("");
        }
        loop {
            tokio::select! {
                event = events.recv() => {
                    let event = event?;
                    if face.json {
                        self.output.json(&event);
                    }
                    if let Event::Finished { job, summary } = event && job == self.job {
                        return Some(summary);
                    }
                }
                () = signals.next() => {
                    self.progress.hide();
                    std::process::exit(Status::Cancelled as i32);
                }
            }
        }
    }

    /// The engine knows no end of input: what was skipped because of it counts as skipped.
    fn count_unanswered(&self, summary: &mut Summary) {
        let unanswered = self.asker.unanswered().min(summary.entries.skipped);
        summary.entries.skipped -= unanswered;
        summary.entries.unanswered += unanswered;
    }

    fn report(&self, kind: JobKind, face: &Shown, summary: &Summary) {
        for line in failures::lines(&summary.failures) {
            self.output.error(match line {
                Line::One(error) => words::error_and_remedy(error),
                Line::More(count) => {
                    words::text_with("failures-alike", &words::args([("count", count.into())]))
                }
            });
        }
        let unnamed = summary.entries.failed.saturating_sub(summary.failures.len() as u64);
        if unnamed > 0 {
            let args = words::args([("count", unnamed.into())]);
            self.output.error(words::text_with("more-failures", &args));
        }
        let mut unanswered = summary.entries.unanswered;
        for notice in summary.notices.iter().filter(|notice| notice.kind.is_left()) {
            let remedy = words::notice_remedy(notice.kind).unwrap_or_default();
            self.output.error(format!("{} {remedy}", words::notice(notice)));
            if notice.kind.is_unanswered() {
                unanswered = unanswered.saturating_sub(notice.count);
            }
        }
        if unanswered > 0 {
            let args = words::args([("count", unanswered.into())]);
            let left = words::text_with("left-without-answer", &args);
            self.output.error(format!("{left} {}", words::text("left-unanswered")));
        }
        if face.quiet || face.json {
            return;
        }
        for notice in summary.notices.iter().filter(|notice| !notice.kind.is_left()) {
            self.output.error(words::notice(notice));
        }
        let mut line = words::summary(kind, summary);
        if summary.outcome.is_early()
            && let Some(JournalId(job)) = self.engine.journal(self.job)
        {
            let args = words::args([("job", job.to_string().into())]);
            line = format!("{line} {}", words::text_with("can-be-resumed", &args));
        }
        self.output.line(line);
    }
}

/// The signals that ask a program to end.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Takes them from now on.
    ///
    /// # Errors
    /// When the system does not give them.
    pub fn new() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

type Lines = mpsc::UnboundedReceiver<Option<Vec<u8>>>;

/// Reads standard input by a thread of its own, since reading a terminal cannot be given up.
fn read_lines() -> Lines {
    let (sender, receiver) = mpsc::unbounded_channel();
    let ended = sender.clone();
    let thread = std::thread::Builder::new().spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = input.read_until(b'\n', &mut line);
            let line = matches!(read, Ok(1..)).then_some(line);
            let ended = line.is_none();
            if sender.send(line).is_err() || ended {
                return;
            }
        }
    });
    if thread.is_err() {
        // Nobody can answer: as at the end of the input.
        let _kept = ended.send(None);
    }
    receiver
}

/// The next line, `None` at the end of the input; waits for ever where nothing is read.
async fn next(lines: &mut Option<Lines>) -> Option<Vec<u8>> {
    if let Some(receiver) = lines
        && let Some(line) = receiver.recv().await
    {
        return line;
    }
    std::future::pending().await
}
