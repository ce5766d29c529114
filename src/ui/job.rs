//! What the window knows of the jobs: rebuilt from the engine's events alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::engine::{
    Action as Answer, EntryCounts, EntryId, EntryState, Error, Event, JobId, JobKind, JobSpec,
    JobState, JournalId, Outcome, Phase, Plan, Question, QuestionClass, QuestionId, Report,
    ReportEntry, Route, Snapshot, Summary,
};

use super::history::History;
use super::port::Port;

/// One job.
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What it is to do.
    pub spec: JobSpec,
    /// Where it stands.
    pub state: JobState,
    /// The newest sample.
    pub snapshot: Snapshot,
    /// How its pairs of mounts are copied, as far as told.
    pub routes: Vec<Route>,
    /// Its number in the history, once it has ended and is remembered.
    pub journal: Option<JournalId>,
    /// What became of it, once it has ended.
    pub summary: Option<Summary>,
    /// Entries of an ended job that were skipped, renamed or had something set aside.
    pub told: Vec<ReportEntry>,
    /// Its entries, shared with the engine.
    pub plan: Option<Arc<Plan>>,
    /// The rate over the last two minutes.
    pub history: History,
    /// What was decided in the table of taken names and not applied.
    pub drafts: HashMap<QuestionId, Answer>,
    questions: BTreeMap<QuestionId, Question>,
    by_entry: HashMap<EntryId, QuestionId>,
    questions_changed: u64,
    compared: HashMap<QuestionId, Option<bool>>,
    failures: usize,
    refused_names: Option<QuestionId>,
    lines: Vec<EntryId>,
}

impl Job {
    fn new(id: JobId, spec: JobSpec, plan: Option<Arc<Plan>>) -> Job {
        Job {
            id,
            spec,
            state: JobState::Queued,
            snapshot: Snapshot::default(),
            routes: Vec::new(),
            journal: None,
            summary: None,
            told: Vec::new(),
            plan,
            history: History::default(),
            drafts: HashMap::new(),
            questions: BTreeMap::new(),
            by_entry: HashMap::new(),
            questions_changed: 0,
            compared: HashMap::new(),
            failures: 0,
            refused_names: None,
            lines: Vec::new(),
        }
    }

    /// Whether nothing more comes of it.
    pub fn ended(&self) -> bool {
        self.state == JobState::Ended
    }

    /// Whether the same can be done once more: what was moved is no longer there.
    pub fn can_repeat(&self) -> bool {
        let moved = |summary: &Summary| self.spec.kind == JobKind::Move && summary.entries.done > 0;
        self.summary.as_ref().is_some_and(|summary| !moved(summary))
    }

    /// Whether entries are in work, or would be but for a pause.
    pub fn moves(&self) -> bool {
        matches!(self.state, JobState::Running | JobState::Paused)
    }

    /// Whether it can be paused now.
    pub fn can_pause(&self) -> bool {
        matches!(self.state, JobState::Queued | JobState::Running | JobState::Waiting)
    }

    /// Whether entries are left that may be asked about yet.
    pub fn may_ask_more(&self) -> bool {
        let EntryCounts { total, total_is_final, done, skipped, unanswered, waiting, failed } =
            self.snapshot.entries;
        let left = total > done + skipped + unanswered + waiting + failed;
        !self.ended() && self.state != JobState::Waiting && (left || !total_is_final)
    }

    /// Questions about taken names, in the order in which they were asked.
    pub fn conflicts(&self) -> impl Iterator<Item = &Question> {
        self.questions.values().filter(|q| q.about.subject().is_conflict())
    }

    /// How many names are taken.
    pub fn conflict_count(&self) -> usize {
        self.questions.len() - self.failures - usize::from(self.refused_names.is_some())
    }

    /// The question about names that the destination refuses.
    pub fn refused_names(&self) -> Option<&Question> {
        self.questions.get(&self.refused_names?)
    }

    /// Parked failures, in the order in which they came.
    pub fn failures(&self) -> impl Iterator<Item = &Question> {
        self.questions.values().filter(|q| q.class() == QuestionClass::Failure)
    }

    /// How many failures are parked.
    pub fn failure_count(&self) -> usize {
        self.failures
    }

    /// How many questions wait.
    pub fn question_count(&self) -> usize {
        self.questions.len()
    }

    /// An open question.
    pub fn question(&self, id: QuestionId) -> Option<&Question> {
        self.questions.get(&id)
    }

    /// Whether both sides of a question have the same contents: `None` while they are not
    /// compared, `Some(None)` when they could not be read.
    pub fn compared(&self, id: QuestionId) -> Option<Option<bool>> {
        self.compared.get(&id).copied()
    }

    /// The open question about an entry.
    pub fn question_about(&self, entry: EntryId) -> Option<&Question> {
        self.questions.get(self.by_entry.get(&entry)?)
    }

    /// Why an entry failed, as far as it is known.
    pub fn failure_of(&self, entry: EntryId) -> Option<&Error> {
        if let Some(Question { about: crate::engine::About::Failure { error }, .. }) =
            self.question_about(entry)
        {
            return Some(error);
        }
        let failures = &self.summary.as_ref()?.failures;
        failures.iter().find(|failure| failure.entry == Some(entry)).map(|failure| &failure.error)
    }

    /// The entries that stand apart above the list: those in work, and where nothing new came
    /// in the place of one, that one still. As many as were ever in work at once, so that the
    /// list below never jumps, and each in its place for as long as it is in work.
    pub fn lines(&self) -> &[EntryId] {
        &self.lines
    }

    fn take_lines(&mut self) {
        let in_work = |entry: EntryId| self.snapshot.in_work.iter().any(|w| w.entry == entry);
        for work in &self.snapshot.in_work {
            if self.lines.contains(&work.entry) {
                continue;
            }
            match self.lines.iter().position(|line| !in_work(*line)) {
                Some(free) => self.lines[free] = work.entry,
                None => self.lines.push(work.entry),
            }
        }
    }

    /// Whether it waits for its turn after it had begun.
    pub fn waits_to_go_on(&self) -> bool {
        self.state == JobState::Queued && self.snapshot.elapsed > 0
    }

    /// How many entries were left out: skipped, not answered, failed.
    pub fn left_out(&self) -> u64 {
        let EntryCounts { skipped, unanswered, failed, .. } = self.snapshot.entries;
        skipped + unanswered + failed
    }

    /// What it is busy with; of a job that does not run, copying.
    pub fn busy_with(&self) -> Phase {
        if self.state == JobState::Running { self.snapshot.phase } else { Phase::Copying }
    }

    /// The part that is done, from 0 to 1: of the data where there is any, so that it agrees
    /// with the bytes that are told beside it; of the verifying, once all is copied.
    pub fn fraction(&self) -> Option<f64> {
        match &self.summary {
            Some(summary) if summary.all_done() => Some(1.0),
            Some(Summary { outcome: Outcome::Done, entries, .. }) => {
                // What failed is not done, and the figure must not round it away.
                let through = (entries.done + entries.skipped) as f64;
                let part = self.bytes_part();
                part.or_else(|| Some((through / entries.total.max(1) as f64).min(0.99)))
            }
            // Ended early.
            Some(_) => self.whole_part().map(|part| part.min(0.99)),
            // All is copied, and what goes on cannot be measured: the bar stays full.
            None if matches!(self.busy_with(), Phase::Flushing | Phase::Removing) => Some(1.0),
            None if self.busy_with() == Phase::Copying => {
                let part = self.bytes_part().or(self.snapshot.fraction);
                part.or_else(|| self.entries_through())
            }
            None => self.snapshot.fraction,
        }
    }

    /// The part of the data that is done.
    fn bytes_part(&self) -> Option<f64> {
        let bytes = &self.snapshot.bytes;
        let total = bytes.total.filter(|total| *total > 0)?;
        Some((bytes.done as f64 / total as f64).min(1.0))
    }

    /// The part that stays when a job is cancelled: what was begun is not there.
    fn whole_part(&self) -> Option<f64> {
        let entries = &self.snapshot.entries;
        let of_entries = || {
            (entries.total_is_final && entries.total > 0)
                .then(|| entries.done as f64 / entries.total as f64)
        };
        self.bytes_part().or_else(of_entries)
    }

    /// The part of the entries that is through: for a job that came to rest before there
    /// was anything better to tell.
    fn entries_through(&self) -> Option<f64> {
        let entries = &self.snapshot.entries;
        let rests = self.state != JobState::Running && entries.total_is_final;
        let through = (entries.done + entries.skipped + entries.unanswered) as f64;
        (rests && entries.total > 0).then(|| through / entries.total as f64)
    }

    /// Counts the changes of its questions.
    pub fn questions_changed(&self) -> u64 {
        self.questions_changed
    }

    fn ask(&mut self, questions: Vec<Question>) {
        self.questions_changed += 1;
        for question in questions {
            if question.class() == QuestionClass::Failure {
                self.failures += 1;
            }
            if question.class() == QuestionClass::ForeignName {
                self.refused_names = Some(question.id);
            }
            let _earlier = self.by_entry.insert(question.entry, question.id);
            let _earlier = self.questions.insert(question.id, question);
        }
    }

    fn settle(&mut self, ids: &[QuestionId]) {
        self.questions_changed += 1;
        for id in ids {
            let Some(question) = self.questions.remove(id) else { continue };
            let _compared = self.compared.remove(id);
            let _draft = self.drafts.remove(id);
            if question.class() == QuestionClass::Failure {
                self.failures -= 1;
            }
            if self.refused_names == Some(*id) {
                self.refused_names = None;
            }
            if self.by_entry.get(&question.entry) == Some(id) {
                let _id = self.by_entry.remove(&question.entry);
            }
        }
    }

    fn end(&mut self, summary: Summary) {
        self.state = JobState::Ended;
        self.snapshot.entries = summary.entries;
        self.snapshot.bytes = summary.bytes;
        self.snapshot.elapsed = summary.elapsed;
        self.snapshot.in_work.clear();
        self.snapshot.left = None;
        self.summary = Some(summary);
        self.questions.clear();
        self.by_entry.clear();
        self.compared.clear();
        self.drafts.clear();
        self.failures = 0;
        self.refused_names = None;
    }
}

/// How many entries of a kind the end of a job tells of; the list has them all.
const TOLD: usize = 50;

/// The entries that the end of a job tells of beside its failures: what was set aside for
/// them, those under another name, those left out. Looks at every entry: not for the window's
/// own thread.
pub fn notable(report: &Report) -> Vec<ReportEntry> {
    let mut kinds: [Vec<ReportEntry>; 3] = Default::default();
    for entry in report.entries() {
        let kind = match entry.state {
            _ if entry.set_aside.is_some() => 0,
            EntryState::Renamed => 1,
            EntryState::Skipped | EntryState::Unanswered => 2,
            _ => continue,
        };
        if kinds[kind].len() < TOLD {
            // What was not kept is told once for all of them.
            kinds[kind].push(ReportEntry { notices: Vec::new(), ..entry });
        }
        if kinds.iter().all(|kind| kind.len() == TOLD) {
            break;
        }
    }
    kinds.concat()
}

/// All jobs, first to run first; ended ones keep their place.
#[derive(Default)]
pub struct Jobs {
    all: Vec<Job>,
    chosen: Option<JobId>,
}

impl Jobs {
    /// The jobs in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Job> {
        self.all.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A job by its number.
    pub fn get(&self, id: JobId) -> Option<&Job> {
        self.all.iter().find(|job| job.id == id)
    }

    /// The chosen job.
    pub fn chosen(&self) -> Option<&Job> {
        self.get(self.chosen?)
    }

    /// The chosen job's number.
    pub fn chosen_id(&self) -> Option<JobId> {
        self.chosen
    }

    /// Chooses a job.
    pub fn choose(&mut self, id: JobId) {
        if self.get(id).is_some() {
            self.chosen = Some(id);
        }
    }

    /// Chooses the job `steps` places on.
    pub fn choose_by(&mut self, steps: isize) {
        let at = self.all.iter().position(|job| Some(job.id) == self.chosen);
        let at = at.map_or(0, |at| at.saturating_add_signed(steps));
        if let Some(job) = self.all.get(at.min(self.all.len().saturating_sub(1))) {
            self.chosen = Some(job.id);
        }
    }

    /// Forgets a job; the next one is chosen in its place.
    pub fn remove(&mut self, id: JobId) {
        let Some(at) = self.all.iter().position(|job| job.id == id) else { return };
        let _job = self.all.remove(at);
        if self.chosen == Some(id) {
            let next = self.all.get(at).or(self.all.last());
            self.chosen = next.map(|job| job.id);
        }
    }

    /// What is to be told of an ended job's entries.
    pub fn set_told(&mut self, id: JobId, told: Vec<ReportEntry>) {
        self.with(id, |job| job.told = told);
    }

    /// Keeps what was decided about a job's taken names and not applied.
    pub fn keep_drafts(&mut self, id: JobId, drafts: HashMap<QuestionId, Answer>) {
        self.with(id, |job| job.drafts = drafts);
    }

    /// Jobs that have not ended.
    pub fn open(&self) -> impl Iterator<Item = &Job> {
        self.all.iter().filter(|job| !job.ended())
    }

    /// Where a waiting job would go when moved one place: the job to run before.
    /// `None` when it cannot move that way; `Some(None)` puts it last.
    pub fn reordered(&self, id: JobId, earlier: bool) -> Option<Option<JobId>> {
        let waiting: Vec<JobId> =
            self.all.iter().filter(|job| job.state == JobState::Queued).map(|job| job.id).collect();
        let at = waiting.iter().position(|job| *job == id)?;
        if earlier {
            Some(Some(*waiting.get(at.checked_sub(1)?)?))
        } else {
            let _next = waiting.get(at + 1)?;
            Some(waiting.get(at + 2).copied())
        }
    }

    /// A waiting job that was dragged from a place of the list to a gap in it (0 is above the
    /// first): which one, and the job to run before. `None` when that changes nothing.
    pub fn dragged(&self, from: usize, gap: usize) -> Option<(JobId, Option<JobId>)> {
        let job = self.all.get(from).filter(|job| job.state == JobState::Queued)?.id;
        let waiting = |job: &&Job| job.state == JobState::Queued;
        let before = self.all.iter().skip(gap).find(waiting).map(|job| job.id);
        let next = self.all.iter().skip(from + 1).find(waiting).map(|job| job.id);
        (before != Some(job) && before != next).then_some((job, before))
    }

    /// Takes in an event; tells the job whose questions or entries may have changed.
    pub fn apply(&mut self, event: Event, port: &dyn Port) {
        match event {
            Event::Added { job, spec } => {
                self.all.push(Job::new(job, spec, port.plan(job)));
                self.chosen = Some(job);
            }
            Event::State { job, state } => self.with(job, |job| job.state = state),
            Event::Route { job, route } => self.with(job, |job| {
                if !job.routes.contains(&route) {
                    job.routes.push(route);
                }
            }),
            Event::Progress { job, snapshot } => self.with(job, |job| {
                if job.plan.is_none() {
                    job.plan = port.plan(job.id);
                }
                job.history.push(snapshot.elapsed, snapshot.rate);
                job.snapshot = snapshot;
                job.take_lines();
            }),
            Event::Asked { job, questions } => self.with(job, |job| job.ask(questions)),
            Event::Settled { job, questions } => self.with(job, |job| job.settle(&questions)),
            Event::Compared { job, question, equal } => self.with(job, |job| {
                let _earlier = job.compared.insert(question, equal);
            }),
            Event::Finished { job, summary } => self.with(job, |job| {
                if job.plan.is_none() {
                    job.plan = port.plan(job.id);
                }
                job.journal = port.journal(job.id);
                job.end(summary);
            }),
            Event::SourcesAdded { job, sources } => {
                self.with(job, |job| job.spec.sources.extend(sources));
            }
            Event::SourcesRefused { spec, .. } => {
                let _job = port.add(spec);
            }
            Event::Order { jobs } => self.order(&jobs),
            Event::Stopped => {}
        }
    }

    fn with(&mut self, id: JobId, change: impl FnOnce(&mut Job)) {
        if let Some(job) = self.all.iter_mut().find(|job| job.id == id) {
            change(job);
        }
    }

    /// Ended jobs stay where they are; the open ones take the given order among themselves.
    fn order(&mut self, ids: &[JobId]) {
        let place = |id: JobId| ids.iter().position(|other| *other == id);
        let places: Vec<usize> =
            (0..self.all.len()).filter(|&at| place(self.all[at].id).is_some()).collect();
        let mut ordered: Vec<usize> = places.clone();
        ordered.sort_by_key(|&at| place(self.all[at].id));
        let mut jobs: Vec<Option<Job>> =
            std::mem::take(&mut self.all).into_iter().map(Some).collect();
        let mut target: Vec<usize> = (0..jobs.len()).collect();
        for (to, from) in places.into_iter().zip(ordered) {
            target[to] = from;
        }
        self.all = target.into_iter().filter_map(|from| jobs[from].take()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Command;

    struct Nowhere;

    impl Port for Nowhere {
        fn add(&self, _spec: JobSpec) -> JobId {
            JobId(0)
        }
        fn send(&self, _command: Command) {}
        fn plan(&self, _job: JobId) -> Option<Arc<Plan>> {
            None
        }
        fn store(&self) -> Option<crate::engine::Store> {
            None
        }
        fn journal(&self, _job: JobId) -> Option<JournalId> {
            None
        }
        fn resume(&self, _id: JournalId) -> Result<JobId, crate::engine::JournalError> {
            Err(crate::engine::JournalError::Unknown)
        }
        fn report(&self, _job: JobId) -> Option<Arc<crate::engine::Report>> {
            None
        }
    }

    fn jobs(count: u64) -> Jobs {
        let mut jobs = Jobs::default();
        for id in 1..=count {
            jobs.apply(Event::Added { job: JobId(id), spec: JobSpec::default() }, &Nowhere);
        }
        jobs
    }

    fn order(jobs: &Jobs) -> Vec<u64> {
        jobs.iter().map(|job| job.id.0).collect()
    }

    #[test]
    fn the_queues_order_leaves_ended_jobs_in_place() {
        let mut jobs = jobs(4);
        jobs.apply(Event::State { job: JobId(2), state: JobState::Ended }, &Nowhere);
        jobs.apply(Event::Order { jobs: vec![JobId(4), JobId(1), JobId(3)] }, &Nowhere);
        assert_eq!(order(&jobs), [4, 2, 1, 3]);
    }

    #[test]
    fn a_waiting_job_moves_among_the_waiting() {
        let mut jobs = jobs(4);
        jobs.apply(Event::State { job: JobId(1), state: JobState::Running }, &Nowhere);
        assert_eq!(jobs.reordered(JobId(3), true), Some(Some(JobId(2))));
        assert_eq!(jobs.reordered(JobId(2), true), None);
        assert_eq!(jobs.reordered(JobId(2), false), Some(Some(JobId(4))));
        assert_eq!(jobs.reordered(JobId(3), false), Some(None));
        assert_eq!(jobs.reordered(JobId(4), false), None);
        assert_eq!(jobs.reordered(JobId(1), false), None);
    }

    #[test]
    fn a_waiting_job_is_dragged_before_another() {
        let mut jobs = jobs(4);
        jobs.apply(Event::State { job: JobId(1), state: JobState::Running }, &Nowhere);
        let moved = |from, gap| jobs.dragged(from, gap).map(|(job, before)| (job.0, before));
        assert_eq!(moved(3, 1), Some((4, Some(JobId(2)))));
        assert_eq!(moved(3, 0), Some((4, Some(JobId(2)))), "above one that runs");
        assert_eq!(moved(1, 4), Some((2, None)));
        assert_eq!(moved(1, 3), Some((2, Some(JobId(4)))));
        assert_eq!(moved(1, 0), None, "it is the first that waits");
        assert_eq!(moved(3, 4), None);
        assert_eq!(moved(0, 3), None, "it runs");
        assert_eq!(moved(9, 0), None);
    }

    #[test]
    fn removing_the_chosen_job_chooses_its_neighbour() {
        let mut jobs = jobs(3);
        jobs.choose(JobId(2));
        jobs.remove(JobId(2));
        assert_eq!(jobs.chosen().map(|job| job.id), Some(JobId(3)));
        jobs.remove(JobId(3));
        assert_eq!(jobs.chosen().map(|job| job.id), Some(JobId(1)));
    }
}
