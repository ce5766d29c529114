//! A model of a job: whatever a user says in whatever order, and whatever fails meanwhile, no
//! job reaches a state that it must not, loses an entry, leaves something unfinished behind,
//! or ends without a summary.
//!
//! What the commands, their order, and the faults are is decided by a seed, and a case that
//! fails is made smaller. `FERRY_MODEL_CASES` runs more of them, `FERRY_MODEL_SEED` others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ferry::engine::faults::{Call, Fault, Faults};
use ferry::engine::{
    Action, Command, ConflictRule, EntryId, Event, JobId, JobKind, JobSpec, JobState, Outcome,
    QuestionId, Reflink, Scope,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::common::{Fs, Job, Place, Session, pattern, scratch};
use crate::fault::Gate;

/// What happens, one after the other.
#[derive(Clone, Debug)]
enum Step {
    Add {
        moves: bool,
        here: bool,
        asks: bool,
        replaces: bool,
        verify: bool,
    },
    Pause(usize),
    Resume(usize),
    Cancel(usize),
    Stop(usize),
    LetGo(usize),
    RunNow(usize),
    Reorder(usize, Option<usize>),
    AddSources(usize),
    Skip(usize, u32),
    Answer(usize, usize, Reply, bool),
    /// A source vanishes.
    Vanish(usize, usize),
    Forget(usize),
    /// The calls that stand still go on.
    GoOn,
    /// So many events are waited for, each for a moment at most.
    Hear(u8),
}

#[derive(Clone, Copy, Debug)]
enum Reply {
    Skip,
    Replace,
    KeepBoth,
    Retry,
}

/// One of the calls of a kind fails.
#[derive(Clone, Copy, Debug)]
struct Planned {
    call: Call,
    time: usize,
    errno: i32,
}

#[derive(Clone, Debug)]
struct Case {
    steps: Vec<Step>,
    faults: Vec<Planned>,
    /// These calls stand still, so that something is said in the middle of a file.
    stalls: Vec<(Call, usize)>,
    /// At the end all is answered and ends by itself; or the engine is shut down as it is.
    to_the_end: bool,
}

fn steps() -> impl Strategy<Value = Step> {
    let job = 0_usize..6;
    let reply =
        prop::sample::select(vec![Reply::Skip, Reply::Replace, Reply::KeepBoth, Reply::Retry]);
    let add = any::<[bool; 5]>().prop_map(|[moves, here, asks, replaces, verify]| Step::Add {
        moves,
        here,
        asks,
        replaces,
        verify,
    });
    prop_oneof![
        5 => add,
        3 => job.clone().prop_map(Step::Pause),
        3 => job.clone().prop_map(Step::Resume),
        1 => job.clone().prop_map(Step::Cancel),
        1 => job.clone().prop_map(Step::Stop),
        2 => job.clone().prop_map(Step::LetGo),
        1 => job.clone().prop_map(Step::RunNow),
        1 => (job.clone(), prop::option::of(job.clone())).prop_map(|(a, b)| Step::Reorder(a, b)),
        2 => job.clone().prop_map(Step::AddSources),
        2 => (job.clone(), 0_u32..20).prop_map(|(job, entry)| Step::Skip(job, entry)),
        4 => (job.clone(), 0_usize..5, reply, any::<bool>())
            .prop_map(|(job, at, reply, all)| Step::Answer(job, at, reply, all)),
        1 => (job.clone(), 0..NAMES.len()).prop_map(|(job, file)| Step::Vanish(job, file)),
        1 => job.prop_map(Step::Forget),
        3 => Just(Step::GoOn),
        6 => (1_u8..12).prop_map(Step::Hear),
    ]
}

fn planned() -> impl Strategy<Value = Planned> {
    // None of those by which what is unfinished is taken away again.
    let calls = vec![
        Call::OpenFolder,
        Call::OpenFile,
        Call::Create,
        Call::CreateNameless,
        Call::NameNameless,
        Call::MakeFolder,
        Call::Rename,
        Call::RenameNew,
        Call::CopyRange,
        Call::Read,
        Call::Write,
        Call::SetTimes,
        Call::FlushFileSystem,
        Call::List,
        Call::Clone,
    ];
    let errors = vec![libc::EIO, libc::ENOSPC, libc::EACCES];
    let (call, errno) = (prop::sample::select(calls), prop::sample::select(errors));
    (call, 0_usize..12, errno).prop_map(|(call, time, errno)| Planned { call, time, errno })
}

fn stalls() -> impl Strategy<Value = (Call, usize)> {
    let calls = vec![
        Call::CopyRange,
        Call::CopyRange,
        Call::Write,
        Call::Write,
        Call::Read,
        Call::OpenFile,
        Call::Create,
        Call::RenameNew,
        Call::FlushFileSystem,
        Call::List,
        Call::Remove,
    ];
    (prop::sample::select(calls), 0_usize..40)
}

fn cases() -> impl Strategy<Value = Case> {
    let steps = prop::collection::vec(steps(), 1..30);
    let faults = prop::collection::vec(planned(), 0..4);
    let stalls = prop::collection::vec(stalls(), 0..8);
    (steps, faults, stalls, any::<bool>()).prop_map(|(steps, faults, stalls, to_the_end)| Case {
        steps,
        faults,
        stalls,
        to_the_end,
    })
}

/// The files of each job's source, and their sizes: some have a name only when they are whole.
const NAMES: [(&str, usize); 6] = [
    ("t/a", 100),
    ("t/deep/b", 70_000),
    ("t/deep/c", 1),
    ("t/large", 3 << 20),
    ("single", 5000),
    ("t/other/d", 12),
];

/// What is at a conflicting name before.
const OLD: [&str; 2] = ["t/a", "single"];

/// Contents that tell whose they are.
fn contents(job: usize, file: usize) -> Vec<u8> {
    let (_, size) = NAMES[file];
    let mut bytes = pattern(size, (job * 100 + file) as u64);
    let mark = format!("{job} {file} ");
    let len = mark.len().min(size);
    bytes[..len].copy_from_slice(&mark.as_bytes()[..len]);
    bytes
}

fn write(path: &Path, contents: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, contents).unwrap();
}

struct Known {
    job: JobId,
    spec: JobSpec,
    vanished: BTreeSet<usize>,
}

struct World {
    session: Session,
    gate: Arc<Gate>,
    here: Place,
    there: Place,
    jobs: Vec<Known>,
}

impl World {
    fn new() -> World {
        let here = scratch();
        let there = Fs::Tmpfs.place().unwrap_or_else(scratch);
        World { session: Session::start(), gate: Arc::default(), here, there, jobs: Vec::new() }
    }

    fn source(&self, number: usize) -> PathBuf {
        self.here.join(format!("source {number}"))
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Add { moves, here, asks, replaces, verify } => {
                self.add(*moves, *here, *asks, *replaces, *verify);
            }
            Step::Pause(at) => self.send(*at, |job| Command::Pause { job }),
            Step::Resume(at) => self.send(*at, |job| Command::Resume { job }),
            Step::Cancel(at) => self.send(*at, |job| Command::Cancel { job }),
            Step::Stop(at) => self.send(*at, |job| Command::Stop { job }),
            Step::LetGo(at) => self.send(*at, |job| Command::LetGo { job }),
            Step::RunNow(at) => self.send(*at, |job| Command::RunNow { job }),
            Step::Forget(at) => self.send(*at, |job| Command::Forget { job }),
            Step::Reorder(at, before) => {
                let before = before.and_then(|at| self.jobs.get(at)).map(|known| known.job);
                self.send(*at, |job| Command::Reorder { job, before });
            }
            Step::AddSources(at) => {
                let Some(known) = self.jobs.get(*at) else { return };
                let more = self.source(*at).join("more");
                write(&more, b"more");
                let spec = JobSpec { sources: vec![more], ..known.spec.clone() };
                self.session.send(Command::AddSources { job: known.job, spec });
            }
            Step::Skip(at, entry) => {
                let entry = EntryId(*entry);
                self.send(*at, |job| Command::SkipEntry { job, entry });
            }
            Step::Answer(at, which, reply, all) => {
                let Some(known) = self.jobs.get(*at) else { return };
                let open = self.open(known.job);
                let Some(question) = open.get(which % open.len().max(1)) else { return };
                let action = match reply {
                    Reply::Skip => Action::Skip,
                    Reply::Replace => Action::Replace,
                    Reply::KeepBoth => Action::KeepBoth,
                    Reply::Retry => Action::Retry,
                };
                let scope = if *all { Scope::AllOfKind } else { Scope::This };
                self.session.answer(known.job, *question, action, scope);
            }
            Step::Vanish(at, file) => {
                let path = self.source(*at).join(NAMES[*file].0);
                if let Some(known) = self.jobs.get_mut(*at)
                    && known.spec.kind == JobKind::Copy
                {
                    let _gone = std::fs::remove_file(path);
                    let _new = known.vanished.insert(*file);
                }
            }
            Step::GoOn => self.gate.open(false),
            Step::Hear(count) => {
                for _ in 0..*count {
                    if self.session.hear(Duration::from_millis(5)).is_none() {
                        return;
                    }
                }
            }
        }
    }

    fn send(&self, at: usize, command: impl FnOnce(JobId) -> Command) {
        if let Some(known) = self.jobs.get(at) {
            self.session.send(command(known.job));
        }
    }

    fn add(&mut self, moves: bool, here: bool, asks: bool, replaces: bool, verify: bool) {
        let number = self.jobs.len();
        if number == 6 {
            return;
        }
        let source = self.source(number);
        for (file, (name, _)) in NAMES.iter().enumerate() {
            write(&source.join(name), &contents(number, file));
        }
        let place = if here { &self.here } else { &self.there };
        let into = place.join(format!("into {number}"));
        for name in OLD {
            write(&into.join(name), b"old");
        }
        let kind = if moves { JobKind::Move } else { JobKind::Copy };
        let mut job = Job::new(kind, [source.join("t"), source.join("single")], into);
        job = job.reflink(Reflink::Never).workers(2);
        if asks {
            job = job.asking();
        } else if replaces {
            job = job.rule(ConflictRule::Replace);
        }
        if verify {
            job = job.verify();
        }
        let spec = job.spec.clone();
        let job = self.session.add(job);
        self.jobs.push(Known { job, spec, vanished: BTreeSet::new() });
    }

    /// The questions of a job that are open, as far as it was told.
    fn open(&self, of: JobId) -> Vec<QuestionId> {
        let mut open = Vec::new();
        for event in &self.session.log {
            match event {
                Event::Asked { job, questions } if *job == of => {
                    open.extend(questions.iter().map(|question| question.id));
                }
                Event::Settled { job, questions } if *job == of => {
                    open.retain(|id| !questions.contains(id));
                }
                _ => {}
            }
        }
        open
    }

    /// Lets every job come to its end, whatever it takes.
    fn finish_all(&mut self) {
        for known in &self.jobs {
            self.session.send(Command::Resume { job: known.job });
        }
        let jobs: Vec<JobId> = self.jobs.iter().map(|known| known.job).collect();
        for job in jobs {
            for question in self.open(job) {
                self.session.answer(job, question, Action::Skip, Scope::This);
            }
            let _run = self.session.finish_all_answering(job, Action::Skip);
        }
    }

    /// Holds everything that was told, and everything that is there, to the model.
    fn check(&self) -> Result<(), TestCaseError> {
        let mut states: HashMap<JobId, JobState> = HashMap::new();
        let mut outcomes: BTreeMap<JobId, Outcome> = BTreeMap::new();
        for event in &self.session.log {
            match event {
                Event::State { job, state } => {
                    let before = states.insert(*job, *state);
                    prop_assert!(is_legal(before, *state), "{before:?} to {state:?} of {job:?}");
                }
                Event::Finished { job, summary } => {
                    let again = outcomes.insert(*job, summary.outcome);
                    prop_assert!(again.is_none(), "{job:?} ended twice");
                    let entries = &summary.entries;
                    prop_assert_eq!(entries.waiting, 0);
                    let ended =
                        entries.done + entries.skipped + entries.unanswered + entries.failed;
                    if summary.outcome == Outcome::Done {
                        prop_assert_eq!(ended, entries.total, "{:?}", entries);
                    }
                    prop_assert!(ended <= entries.total, "{entries:?}");
                }
                _ => {}
            }
        }
        for (number, known) in self.jobs.iter().enumerate() {
            prop_assert!(outcomes.contains_key(&known.job), "{:?} has no summary", known.job);
            self.check_files(number, known)?;
        }
        Ok(())
    }

    fn check_files(&self, number: usize, known: &Known) -> Result<(), TestCaseError> {
        let mut good: BTreeMap<Vec<u8>, OsString> = BTreeMap::new();
        let _old = good.insert(b"old".to_vec(), "old".into());
        let _more = good.insert(b"more".to_vec(), "more".into());
        for (file, (name, _)) in NAMES.iter().enumerate() {
            let _new = good.insert(contents(number, file), name.into());
        }
        let mut seen = BTreeSet::new();
        for entry in walkdir::WalkDir::new(&known.spec.destination).into_iter().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            prop_assert!(!name.contains(".ferry-"), "left behind: {:?}", entry.path());
            if entry.file_type().is_file() {
                let bytes = std::fs::read(entry.path()).unwrap();
                prop_assert!(good.contains_key(&bytes), "not whole: {:?}", entry.path());
                let _new = seen.insert(bytes);
            }
        }
        for (file, (name, _)) in NAMES.iter().enumerate() {
            let there = self.source(number).join(name);
            let wanted = contents(number, file);
            let stays = std::fs::read(&there).is_ok_and(|bytes| bytes == wanted);
            let is_safe = match known.spec.kind {
                JobKind::Copy => stays || known.vanished.contains(&file),
                JobKind::Move => stays || seen.contains(&wanted),
            };
            prop_assert!(is_safe, "{name} of {number} is lost");
        }
        Ok(())
    }
}

/// The changes that are drawn in `engine/job.rs`.
fn is_legal(before: Option<JobState>, after: JobState) -> bool {
    use JobState::{Cancelling, Ended, Paused, Queued, Running, Waiting};
    match before {
        None => after == Queued,
        Some(Queued) => matches!(after, Running | Paused | Waiting | Cancelling | Ended),
        Some(Running) => matches!(after, Queued | Paused | Waiting | Cancelling | Ended),
        Some(Paused) => matches!(after, Queued | Running | Waiting | Cancelling | Ended),
        Some(Waiting) => matches!(after, Queued | Running | Paused | Cancelling),
        Some(Cancelling) => after == Ended,
        Some(Ended) => false,
    }
}

fn run(case: &Case) -> Result<(), TestCaseError> {
    let mut world = World::new();
    let counts: Mutex<HashMap<Call, usize>> = Mutex::default();
    let (planned, stalls) = (case.faults.clone(), case.stalls.clone());
    let gate = Arc::clone(&world.gate);
    let faults = Faults::inject(move |call, _| {
        let time = {
            let mut counts = counts.lock().unwrap();
            let count = counts.entry(call).or_default();
            *count += 1;
            *count - 1
        };
        if stalls.contains(&(call, time)) {
            gate.stand();
        }
        let hit = planned.iter().find(|fault| fault.call == call && fault.time == time);
        hit.map(|fault| Fault::Fail(fault.errno))
    });
    for step in &case.steps {
        world.step(step);
    }
    world.gate.open(true);
    if case.to_the_end {
        world.finish_all();
    }
    world.session.shut_down();
    drop(faults);
    world.check()
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn whatever_is_said_and_fails_no_job_leaves_the_model() {
    let config = Config {
        cases: number("FERRY_MODEL_CASES", 60) as u32,
        max_shrink_iters: 300,
        failure_persistence: None,
        ..Config::default()
    };
    let mut seed = [7; 32];
    seed[..8].copy_from_slice(&number("FERRY_MODEL_SEED", 1).to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let outcome = TestRunner::new_with_rng(config, rng).run(&cases(), |case| run(&case));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
