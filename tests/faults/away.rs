//! A device that is taken away while a job stands still, in whatever phase, and put back: what
//! it held is unmounted, which a single open descriptor forbids, and the job goes on.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ferry::engine::faults::{Call, Faults};
use ferry::engine::{
    Command, ConflictRule, EntryId, ErrorKind, Event, JobId, JobState, Outcome, Phase, Reflink,
    Store,
};

use crate::common::{
    Job, Removable, Session, Tree, What, assert_same_tree, copy, eventually, moving, names, read,
    scratch,
};
use crate::fault::Gate;

/// A place that calls come to and stand at, from one of them on.
struct Stop {
    gate: Arc<Gate>,
    calls: Arc<AtomicUsize>,
    at: usize,
    _faults: Faults,
}

impl Stop {
    /// The nth (from 1) of the calls that are meant stands, and those after it.
    fn at(at: usize, is_meant: impl Fn(Call, &OsStr) -> bool + Send + Sync + 'static) -> Stop {
        let (gate, calls) = (Arc::<Gate>::default(), Arc::new(AtomicUsize::new(0)));
        let (hooks_gate, counted) = (Arc::clone(&gate), Arc::clone(&calls));
        let _faults = Faults::inject(move |call, name| {
            if is_meant(call, name) && counted.fetch_add(1, Ordering::SeqCst) + 1 >= at {
                hooks_gate.stand();
            }
            None
        });
        Stop { gate, calls, at, _faults }
    }

    fn of(at: usize, wanted: Call) -> Stop {
        Stop::at(at, move |call, _| call == wanted)
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Pauses a job whose call stands there, for long.
    fn pause(&self, session: &mut Session, job: JobId) {
        eventually("a call stands", || self.calls() >= self.at);
        session.send(Command::Pause { job });
        session.wait_state(job, JobState::Paused);
        self.gate.open(true);
        session.send(Command::LetGo { job });
    }
}

/// Sends a command and waits until it is followed.
fn follow(session: &mut Session, job: JobId, command: Command) {
    session.send(command);
    // Later sources for another destination are refused, and that is told.
    session.send(Command::AddSources { job, spec: copy(["/"], "/nowhere").spec });
    session
        .wait("the refusal", |event| matches!(event, Event::SourcesRefused { .. }).then_some(()));
}

fn take_away(device: &Removable) {
    eventually("nothing is open there any more", || device.is_taken_away());
}

/// Pauses a job that stands, takes a device away and puts it back, and lets the job go on.
fn long_pause(stop: &Stop, session: &mut Session, job: JobId, device: &Removable) {
    stop.pause(session, job);
    take_away(device);
    device.put_back();
    session.send(Command::Resume { job });
}

/// Files of all sizes, a hole that is larger than all data, and folders.
fn tree() -> Tree {
    Tree::new()
        .file_of("t/a/large", 8 << 20)
        .sparse("t/a/sparse", 300 << 20, &[(290 << 20, b"island"), (299 << 20, b"another")])
        .file("t/b/small", "x")
        .file("t/b/deep/er/small", "y")
        .folder("t/empty")
}

const ROOM: u64 = 64 << 20;

fn plainly(sources: &Path, into: &Path) -> Job {
    copy([sources], into).reflink(Reflink::Never).workers(1)
}

#[test]
fn verifying_goes_on_where_it_was() {
    let Some(target) = Removable::new(ROOM) else { return };
    let place = scratch();
    let source = tree().make(&place).join("t");
    let flushed = AtomicUsize::new(0);
    let stop = Stop::at(20, move |call, _| {
        flushed.fetch_add(usize::from(call == Call::FlushFileSystem), Ordering::SeqCst);
        call == Call::Read && flushed.load(Ordering::SeqCst) > 0
    });
    let mut session = Session::start();
    let job = session.add(plainly(&source, &target).verify());
    long_pause(&stop, &mut session, job, &target);
    let run = session.finish(job).done();
    assert_eq!(run.summary.verified, 4);
    // 64 pieces of the large one, one or two of each of the others, and the end of some: none
    // of it is read twice.
    assert!(stop.calls() < 64 + 20, "{}", stop.calls());
    assert_same_tree(&source, &target.join("t"), &What::ALL);
}

#[test]
fn a_copy_that_is_changed_while_its_verifying_stands_still_is_told() {
    let Some(target) = Removable::new(ROOM) else { return };
    let place = scratch();
    let source = tree().make(&place).join("t");
    let flushed = AtomicUsize::new(0);
    let stop = Stop::at(20, move |call, _| {
        flushed.fetch_add(usize::from(call == Call::FlushFileSystem), Ordering::SeqCst);
        call == Call::Read && flushed.load(Ordering::SeqCst) > 0
    });
    let mut session = Session::start();
    let job = session.add(plainly(&source, &target).verify());
    stop.pause(&mut session, job);
    take_away(&target);
    target.put_back();
    std::fs::write(target.join("t/a/large"), "the user's own by now").unwrap();
    session.send(Command::Resume { job });
    let run = session.finish(job);
    let kinds: Vec<ErrorKind> =
        run.summary.failures.iter().map(|failure| failure.error.kind).collect();
    assert_eq!(kinds, [ErrorKind::Changed]);
    assert_eq!(read(target.join("t/a/large")), b"the user's own by now");
}

#[test]
fn a_flush_ends_and_no_other_one_begins() {
    let Some(target) = Removable::new(ROOM) else { return };
    let place = scratch();
    let source = tree().make(&place).join("t");
    // A second file system in the destination.
    std::fs::create_dir_all(target.join("t/b")).unwrap();
    let Some(_inner) = crate::common::mounts::tmpfs_over(&target.join("t/b")) else { return };
    let stop = Stop::of(1, Call::FlushFileSystem);
    let mut session = Session::start();
    let job = session.add(plainly(&source, &target).verify());
    eventually("the first flush", || stop.calls() == 1);
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    session.send(Command::LetGo { job });
    // The next one would stand there with its descriptor.
    stop.gate.open(false);
    let open = || crate::pauses::open_in(&target);
    eventually("nothing is open any more", || open() == 0);
    assert_eq!(stop.calls(), 1);
    session.send(Command::Resume { job });
    eventually("the second flush", || stop.calls() == 2);
    stop.gate.open(true);
    assert_eq!(session.finish(job).done().summary.verified, 4);
}

#[test]
fn measuring_begins_anew_and_counts_nothing_twice() {
    let Some(device) = Removable::new(ROOM) else { return };
    let target = scratch();
    let source = tree().make(&device).join("t");
    let bytes = (8 << 20) + (300 << 20) + 2;
    // The copying stands at its first file; from the measuring's fifth look on so does that.
    let writes = Arc::<Gate>::default();
    let writes_gate = Arc::clone(&writes);
    let stop = Stop::at(5, move |call, _| {
        if matches!(call, Call::Write | Call::CopyRange) {
            writes_gate.stand();
        }
        call == Call::Measure
    });
    let mut session = Session::start();
    let job = session.add(plainly(&source, &target));
    eventually("it measures", || stop.calls() >= 5);
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    stop.gate.open(true);
    writes.open(false);
    session.send(Command::LetGo { job });
    take_away(&device);
    device.put_back();
    session.send(Command::Resume { job });
    session.wait("the whole total", |event| match event {
        Event::Progress { snapshot, .. } => {
            assert!(snapshot.bytes.total.is_none_or(|total| total == bytes), "{snapshot:?}");
            (snapshot.bytes.total == Some(bytes)).then_some(())
        }
        _ => None,
    });
    writes.open(true);
    let run = session.finish(job).done();
    let copying = |phase| phase == Phase::Copying;
    for snapshot in run.snapshots().iter().filter(|snapshot| copying(snapshot.phase)) {
        assert!(snapshot.bytes.total.is_none_or(|total| total == bytes), "{snapshot:?}");
    }
    assert_same_tree(&source, &target.join("t"), &What::ALL);
}

#[test]
fn the_removing_of_a_move_goes_on() {
    let Some(device) = Removable::new(ROOM) else { return };
    let (target, kept) = (scratch(), scratch());
    let source = tree().make(&device).join("t");
    tree().make(&kept);
    let stop = Stop::of(2, Call::Remove);
    let mut session = Session::start();
    let job = session.add(moving([&source], &*target).reflink(Reflink::Never).workers(1));
    long_pause(&stop, &mut session, job, &device);
    let _run = session.finish(job).done();
    assert!(!source.exists());
    assert_same_tree(&kept.join("t"), &target.join("t"), &What { times: false, ..What::ALL });
}

#[test]
fn listing_and_closing_folders_go_on() {
    for at in [Call::List, Call::MakeFolder, Call::OpenFolder, Call::SetTimes] {
        let (Some(device), Some(target)) = (Removable::new(ROOM), Removable::new(ROOM)) else {
            return;
        };
        let source = tree().make(&device).join("t");
        for (time, taken) in [(2, &device), (4, &target), (6, &target)] {
            let into = target.join(format!("{at:?}-{time}"));
            let stop = Stop::of(time, at);
            let mut session = Session::start();
            let job = session.add(plainly(&source, &into));
            eventually("a call stands", || stop.calls() >= stop.at);
            // The call ends after the job has let go.
            follow(&mut session, job, Command::Pause { job });
            follow(&mut session, job, Command::LetGo { job });
            stop.gate.open(true);
            take_away(taken);
            taken.put_back();
            session.send(Command::Resume { job });
            let _run = session.finish(job).done();
            assert_same_tree(&source, &into.join("t"), &What::ALL);
        }
    }
}

#[test]
fn the_trash_of_what_was_replaced_is_not_kept_open() {
    let Some(target) = Removable::new(ROOM) else { return };
    let place = scratch();
    let source = Tree::new().file("t/a", "new").file("t/b", "new").make(&place).join("t");
    Tree::new().file("t/a", "old").file("t/b", "old").make(&target);
    let stop = Stop::at(2, |call, _| matches!(call, Call::Write));
    let mut session = Session::remembering(Store::at(&place.join("state"), &place.join("trash")));
    let replace = |job: Job| job.rule(ConflictRule::Replace);
    let job = session.add(replace(plainly(&source, &target)));
    long_pause(&stop, &mut session, job, &target);
    let _run = session.finish(job).done();
    let trash = names(&target).into_iter().find(|name| name.starts_with(".Trash"));
    assert_eq!(names(&target.join(trash.unwrap()).join("files")), ["a", "b"]);
    assert_eq!([read(target.join("t/a")), read(target.join("t/b"))], [b"new", b"new"]);
}

#[test]
fn the_list_of_checksums_is_made_also_where_its_own_device_is_taken_away() {
    let Some(target) = Removable::new(ROOM) else { return };
    let place = scratch();
    let source = tree().make(&place).join("t");
    // A second name is not read while it is copied, but at the end.
    std::fs::hard_link(source.join("a/large"), source.join("second name")).unwrap();
    let list = target.join("list");
    let stop = Stop::at(70, |call, _| call == Call::Read);
    let mut session = Session::start();
    let job = session.add(plainly(&source, &target).checksums(&list));
    long_pause(&stop, &mut session, job, &target);
    let _run = session.finish(job).done();
    let text = String::from_utf8(read(&list)).unwrap();
    assert_eq!(text.lines().count(), 5, "{text}");
    let of = |name: &str| text.lines().find(|line| line.ends_with(name)).unwrap().split(' ').next();
    assert_eq!(of("second name"), of("a/large"));
    assert_eq!(names(&target), ["list", "lost+found", "t"]);
}

/// The ways in which a large file's data is carried.
#[derive(Clone, Copy, Debug)]
enum How {
    InKernel,
    Verified,
    Listed,
    Replaced,
    Plain,
}

impl How {
    const ALL: [How; 5] = [How::InKernel, How::Verified, How::Listed, How::Replaced, How::Plain];

    fn job(self, source: &Path, into: &Path, place: &Path) -> Job {
        let job = plainly(source, into);
        match self {
            How::InKernel | How::Plain => job,
            How::Verified => job.verify(),
            How::Listed => job.checksums(&place.join("list")),
            How::Replaced => job.verify().rule(ConflictRule::Replace),
        }
    }
}

/// A job that lets go in the middle of its only large file; the device is there.
struct LetGo {
    session: Session,
    job: JobId,
    stop: Stop,
    source: PathBuf,
    target: Removable,
    into: PathBuf,
    how: How,
    _place: crate::common::Place,
}

/// Pieces of 1 MiB of the large file: each is a write of eight pieces, or a call in the kernel.
const DATA: usize = 12;

impl LetGo {
    fn new(how: How) -> Option<LetGo> {
        let (place, target) = (scratch(), Removable::new(ROOM)?);
        // More than 256 MiB are counted before its data begins.
        let islands: Vec<Vec<u8>> = (1..=DATA).map(|number| vec![number as u8; 1 << 20]).collect();
        let islands: Vec<(u64, &[u8])> =
            (0..).map(|at: u64| (300 + 2 * at) << 20).zip(islands.iter().map(|i| &i[..])).collect();
        // Between two file systems the kernel copies nothing by itself.
        let within = matches!(how, How::InKernel);
        let from = if within { target.join("from") } else { place.to_path_buf() };
        Tree::new()
            .sparse("t/large", 400 << 20, &islands)
            .mode(0o400)
            .file("t/small", "x")
            .make(&from);
        let (source, into) = (from.join("t"), target.join("into"));
        if let How::Replaced = how {
            Tree::new().file("into/t/large", "old").make(&target);
        }
        let at = if within { 5 } else { 5 * 8 };
        let stop = Stop::at(at, |call, _| matches!(call, Call::Write | Call::CopyRange));
        let mut session = Session::start();
        let job = session.add(how.job(&source, &into, &place));
        stop.pause(&mut session, job);
        take_away(&target);
        target.put_back();
        Some(LetGo { session, job, stop, source, target, into, how, _place: place })
    }

    fn part(&self) -> PathBuf {
        let all = names(&self.into.join("t"));
        let part = all.iter().find(|name| name.contains(".ferry-"));
        self.into.join("t").join(part.unwrap_or_else(|| panic!("{all:?}")))
    }

    /// Lets it go on to its end: the copy is right, and nothing else is left.
    fn end(mut self) -> usize {
        self.session.send(Command::Resume { job: self.job });
        let run = self.session.finish(self.job).done();
        assert_eq!(run.summary.bytes.done, (400 << 20) + 1, "{:?}", self.how);
        let merged = matches!(self.how, How::Replaced);
        let what = What { folder_times: !merged, ..What::ALL };
        assert_same_tree(&self.source, &self.into.join("t"), &what);
        self.stop.calls()
    }
}

#[test]
fn a_large_file_goes_on_where_it_was() {
    for how in How::ALL {
        let Some(it) = LetGo::new(how) else { return };
        let part = it.part();
        let mode = std::os::unix::fs::PermissionsExt::mode(&part.metadata().unwrap().permissions());
        assert_eq!(mode & 0o077, 0, "{how:?}: nobody else looks into it");
        let calls = it.end();
        let once = if matches!(how, How::InKernel) { DATA } else { DATA * 8 };
        // The small file, and calls that find an end.
        assert!(calls < once + 8, "{how:?}: {calls} calls, nothing is copied twice");
    }
}

#[test]
fn a_large_file_whose_source_is_another_one_by_now_is_begun_anew() {
    for how in How::ALL {
        let Some(it) = LetGo::new(how) else { return };
        let large = it.source.join("large");
        let before = large.metadata().unwrap();
        let changed = std::fs::File::options().write(true).open(&large).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&changed, &[99; 4096], 300 << 20).unwrap();
        // Size and time say nothing of it.
        changed.set_modified(before.modified().unwrap()).unwrap();
        assert_eq!(large.metadata().unwrap().len(), before.len());
        it.end();
    }
}

#[test]
fn a_large_file_whose_part_is_another_one_by_now_is_begun_anew() {
    for how in How::ALL {
        let Some(it) = LetGo::new(how) else { return };
        let part = std::fs::File::options().write(true).open(it.part()).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&part, &[99; 4096], 300 << 20).unwrap();
        drop(part);
        it.end();
    }
    for how in How::ALL {
        let Some(it) = LetGo::new(how) else { return };
        std::fs::remove_file(it.part()).unwrap();
        it.end();
    }
}

#[test]
fn a_large_file_is_not_put_over_one_that_came_meanwhile() {
    let Some(mut it) = LetGo::new(How::InKernel) else { return };
    std::fs::write(it.into.join("t/large"), "new").unwrap();
    it.session.send(Command::Resume { job: it.job });
    let run = it.session.finish(it.job);
    assert_eq!(run.summary.entries.unanswered, 1);
    assert_eq!(run.summary.bytes.done, 1);
    assert_eq!(read(it.into.join("t/large")), b"new");
    assert_eq!(names(&it.into.join("t")), ["large", "small"]);
}

#[test]
fn nothing_is_left_of_a_large_file_that_is_cancelled_or_skipped_meanwhile() {
    for how in How::ALL {
        let Some(mut it) = LetGo::new(how) else { return };
        it.part();
        it.session.send(Command::Cancel { job: it.job });
        let run = it.session.finish(it.job);
        assert_eq!(run.summary.outcome, Outcome::Cancelled);
        assert!(run.summary.bytes.done <= 1, "{:?}", run.summary.bytes);
        let old = matches!(how, How::Replaced);
        let left = names(&it.into.join("t"));
        assert!(left.iter().all(|name| name == "small" || (old && name == "large")), "{left:?}");
    }
    for how in How::ALL {
        let Some(mut it) = LetGo::new(how) else { return };
        let plan = it.session.plan(it.job).unwrap();
        let all = (0..plan.len() as u32).map(EntryId);
        let large = all.rev().find(|id| plan.path(*id).is_some_and(|path| path.ends_with("large")));
        it.session.send(Command::SkipEntry { job: it.job, entry: large.unwrap() });
        it.session.send(Command::Resume { job: it.job });
        let run = it.session.finish(it.job);
        assert_eq!((run.summary.entries.skipped, run.summary.bytes.done), (1, 1));
        let old = matches!(how, How::Replaced);
        let wanted = if old { vec!["large", "small"] } else { vec!["small"] };
        assert_eq!(names(&it.into.join("t")), wanted);
        if old {
            assert_eq!(read(it.into.join("t/large")), b"old");
        }
    }
    // What is not on its device cannot be removed, and is no reason to hang.
    let Some(mut it) = LetGo::new(How::InKernel) else { return };
    take_away(&it.target);
    it.session.send(Command::Cancel { job: it.job });
    assert_eq!(it.session.finish(it.job).summary.outcome, Outcome::Cancelled);
}
