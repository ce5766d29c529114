//! Jobs for tests: built in a line, run to their end with a deadline, and held to the
//! contract on the way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferry::engine::{
    Action, ConflictRule, EntryId, EntryState, ErrorKind, Event, FailureRule, FolderRule,
    ForeignRule, JobId, JobKind, JobSpec, JobState, Notice, NoticeKind, Options, Outcome, Phase,
    Plan, Preserve, Question, QuestionId, Reflink, Scope, Snapshot, Summary,
};

use ferry::engine::{Report, ReportEntry};

use super::session::Session;

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
            foreign_names: ForeignRule::SkipUnanswered,
            ..Options::default()
        };
        let sources: Vec<PathBuf> =
            sources.into_iter().map(|path| path.as_ref().to_path_buf()).collect();
        let destination = destination.as_ref().to_path_buf();
        Job { spec: JobSpec { kind, sources, destination, options, checksums: None } }
    }

    /// What happens to taken names.
    pub fn rule(mut self, rule: ConflictRule) -> Job {
        self.spec.options.conflict = rule;
        self
    }

    /// What happens to folders that meet.
    pub fn folders(mut self, rule: FolderRule) -> Job {
        self.spec.options.folder_conflict = rule;
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

    /// What is kept beside the data.
    pub fn preserve(mut self, preserve: Preserve) -> Job {
        self.spec.options.preserve = preserve;
        self
    }

    /// Reads copies back.
    pub fn verify(mut self) -> Job {
        self.spec.options.verify = true;
        self
    }

    /// Lists checksums.
    pub fn checksums(mut self, list: &Path) -> Job {
        self.spec.checksums = Some(list.to_path_buf());
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
    /// What there is to say of its entries.
    pub report: Option<Arc<Report>>,
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

    /// The entries that have something to say.
    pub fn told(&self) -> Vec<ReportEntry> {
        self.report.as_ref().expect("the job has a report").entries().collect()
    }

    /// Where what was set aside is now. What is in the trash goes with the result.
    pub fn aside(&self) -> Aside {
        Aside(self.told().into_iter().filter_map(|entry| entry.set_aside).map(|s| s.0).collect())
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
        let mut open: Vec<QuestionId> = Vec::new();
        for event in &self.events {
            match event {
                Event::Asked { questions, .. } => open.extend(questions.iter().map(|one| one.id)),
                Event::Settled { questions, .. } => questions.iter().for_each(|id| {
                    let asked = open.iter().position(|one| one == id);
                    let _settled = open.swap_remove(asked.expect("settled before it was asked"));
                }),
                Event::Compared { question, .. } => {
                    assert!(open.contains(question), "compared after it was settled: {event:?}");
                }
                _ => {}
            }
        }
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

/// What was set aside. Dropped, it empties the trash of it.
pub struct Aside(pub Vec<PathBuf>);

impl Drop for Aside {
    fn drop(&mut self) {
        for path in &self.0 {
            let Some(files) = path.parent().filter(|folder| folder.ends_with("files")) else {
                continue;
            };
            let mut info = path.file_name().unwrap_or_default().to_os_string();
            info.push(".trashinfo");
            let _told = std::fs::remove_file(files.with_file_name("info").join(info));
            let _gone = std::fs::remove_dir_all(path);
            // Left by others, or not empty: it stays.
            for folder in [files, &files.with_file_name("info"), files.parent().unwrap_or(files)] {
                let _gone_or_not = std::fs::remove_dir(folder);
            }
        }
    }
}
