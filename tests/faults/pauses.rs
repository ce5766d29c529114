//! What is said while a system call is on its way: at a known place inside a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferry::engine::faults::{Call, Faults};
use ferry::engine::{Command, EntryState, JobId, JobState, Outcome, Reflink};

use crate::common::{
    Fs, Place, Session, Tree, What, assert_same_tree, copy, eventually, names, scratch,
};
use crate::fault::Gate;

/// A job that stands in the middle of its only large file, with that call of the file.
struct InTheMiddle {
    session: Session,
    job: JobId,
    gate: Arc<Gate>,
    source: PathBuf,
    place: Place,
    target: Place,
    _faults: Faults,
}

impl InTheMiddle {
    fn new() -> Option<InTheMiddle> {
        let (place, target) = (scratch(), Fs::Tmpfs.place()?);
        let source = Tree::new().file_of("t/large", 8 << 20).file("t/small", "x").make(&place);
        let source = source.join("t");
        let (gate, writes) = (Arc::<Gate>::default(), AtomicUsize::new(0));
        let reached = Arc::new(AtomicUsize::new(0));
        let hook = (Arc::clone(&gate), Arc::clone(&reached));
        let faults = Faults::inject(move |call, _| {
            let (gate, reached) = &hook;
            if call == Call::Write && writes.fetch_add(1, Ordering::SeqCst) == 20 {
                reached.store(1, Ordering::SeqCst);
                gate.stand();
            }
            None
        });
        let mut session = Session::start();
        let job = session.add(copy([&source], &*target).reflink(Reflink::Never).workers(1));
        eventually("it stands in the middle", || reached.load(Ordering::SeqCst) == 1);
        Some(InTheMiddle { session, job, gate, source, place, target, _faults: faults })
    }
}

/// The descriptors of this process that lead into a folder.
pub fn open_in(folder: &Path) -> usize {
    let all = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let all = all.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    all.filter(|path| path.starts_with(folder)).count()
}

#[test]
fn a_paused_job_lets_go_in_the_middle_of_a_file_and_goes_on() {
    let Some(mut it) = InTheMiddle::new() else { return };
    let job = it.job;
    it.session.send(Command::Pause { job });
    it.session.wait_state(job, JobState::Paused);
    it.gate.open(true);
    assert!(open_in(&it.target) > 0 && open_in(&it.place) > 0);
    it.session.send(Command::LetGo { job });
    let open = || open_in(&it.target) + open_in(&it.place);
    eventually("nothing is open any more", || open() == 0);
    it.session.send(Command::Resume { job });
    let run = it.session.finish(job).done();
    assert_eq!(run.summary.bytes.done, (8 << 20) + 1);
    assert_same_tree(&it.source, &it.target.join("t"), &What::ALL);
}

#[test]
fn a_job_that_let_go_can_be_cancelled_and_leaves_nothing_short() {
    let Some(mut it) = InTheMiddle::new() else { return };
    let job = it.job;
    it.session.send(Command::Pause { job });
    it.session.send(Command::LetGo { job });
    it.gate.open(true);
    it.session.send(Command::Cancel { job });
    assert_eq!(it.session.finish(job).summary.outcome, Outcome::Cancelled);
    let left = names(&it.target.join("t"));
    assert!(left.iter().all(|name| name == "small"), "{left:?}");
}

#[test]
fn a_file_that_is_skipped_while_its_job_is_paused_is_skipped_when_it_goes_on() {
    let Some(mut it) = InTheMiddle::new() else { return };
    let job = it.job;
    it.session.send(Command::Pause { job });
    let plan = it.session.plan(job).unwrap();
    let large = (0..plan.len() as u32).map(ferry::engine::EntryId);
    let mut large = large.filter(|id| plan.path(*id).is_some_and(|path| path.ends_with("large")));
    it.session.send(Command::SkipEntry { job, entry: large.next().unwrap() });
    it.gate.open(true);
    it.session.send(Command::Resume { job });
    let run = it.session.finish(job).done();
    assert_eq!(run.entry("t/large"), EntryState::Skipped);
    assert_eq!(names(&it.target.join("t")), ["small"]);
}
