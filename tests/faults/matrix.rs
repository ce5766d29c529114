//! Every error at every call, on copies, replacements and moves: the bytes are right or the
//! failure is told; nothing short, no remains, no old file lost, no source gone without its
//! copy.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ferry::engine::faults::{Call, Fault};
use ferry::engine::{ConflictRule, EntryState, JobKind, Reflink};
use walkdir::WalkDir;

use crate::common::tree::takes_xattrs;
use crate::common::{Fs, Job, Place, Run, Tree, What, differences, small_tmpfs};
use crate::fault::{Armed, CALLS, ERRORS, from_nth, nth};

/// Every kind of entry once, each of the ways that a file is made, as small as can be.
fn tree(on: &Path) -> Tree {
    let tree = Tree::new()
        .folder("t")
        .mode(0o750)
        .file("t/empty", "")
        .file_of("t/small", 5000)
        .mode(0o640)
        .file_of("t/large", (1 << 20) + 4097)
        .sparse("t/sparse", 3 << 20, &[(1 << 20, b"an island"), ((3 << 20) - 1, b"e")])
        .file("t/one", "of two names")
        .hard_link("t/two", "t/one")
        .link("t/link", "small")
        .fifo("t/fifo")
        .mode(0o620)
        .file("t/inner/file", "x")
        .folder("t/inner/empty");
    if takes_xattrs(on) {
        tree.file("t/noted", "x").xattr("user.note", "1").file("t/listed", "y").acl(1, 6)
    } else {
        tree
    }
}

/// What stands at the destination when files are replaced.
fn old() -> Tree {
    Tree::new()
        .file("t/empty", "old and not empty")
        .file("t/small", "old")
        .file_of("t/large", 300)
        .file("t/sparse", "old")
        .file("t/one", "old one")
        .file("t/two", "old two")
        .link("t/link", "old")
        .file("t/fifo", "old")
        .file("t/inner/file", "old")
}

/// One way to use the engine, and a source and a destination for it.
struct Scenario {
    name: &'static str,
    kind: JobKind,
    replaces: bool,
    verifies: bool,
    reflink: Reflink,
    /// The tree as it is to be.
    expected: PathBuf,
    /// A file system for sources of its own (a move takes them away), and one to copy to.
    from: PathBuf,
    to: PathBuf,
    old: PathBuf,
    wrong: Mutex<Vec<String>>,
}

impl Scenario {
    fn new(name: &'static str, kind: JobKind, place: &Place, from: &Path, to: &Path) -> Scenario {
        let expected = place.join(format!("{name} expected"));
        tree(place).make(&expected);
        let (from, to) = (from.join(name), to.join(name));
        std::fs::create_dir_all(&from).unwrap();
        std::fs::create_dir_all(&to).unwrap();
        let old = old().make(&place.join(format!("{name} old")));
        Scenario {
            name,
            kind,
            replaces: false,
            verifies: false,
            reflink: Reflink::Auto,
            expected,
            from,
            to,
            old,
            wrong: Mutex::default(),
        }
    }

    fn replacing(mut self) -> Scenario {
        self.replaces = true;
        self
    }

    fn verifying(mut self) -> Scenario {
        self.verifies = true;
        self
    }

    fn reflink(mut self, reflink: Reflink) -> Scenario {
        self.reflink = reflink;
        self
    }

    /// Runs it once with a fault armed; how often the call was made.
    fn run(&self, case: &str, arm: impl FnOnce() -> Armed) -> usize {
        let from = Place::new_in(&self.from);
        let source = match self.kind {
            JobKind::Copy => self.expected.join("t"),
            JobKind::Move => tree(&from).make(&from).join("t"),
        };
        let to = Place::new_in(&self.to);
        if self.replaces {
            old().make(&to);
        }
        let rule = if self.replaces { ConflictRule::Replace } else { ConflictRule::Skip };
        let mut job = Job::new(self.kind, [&source], &*to).workers(1).rule(rule);
        job = job.reflink(self.reflink);
        if self.verifies {
            job = job.verify();
        }
        let case = format!("{}: {case}", self.name);
        let armed = arm();
        let run = catch_unwind(|| job.run()).unwrap_or_else(|_| panic!("{case}: see above"));
        let calls = armed.calls();
        drop(armed);
        self.check(&case, &source, &to, &run);
        calls
    }

    /// Notes what is wrong, so that one run shows all of it.
    fn insist(&self, case: &str, right: bool, what: impl FnOnce() -> String) {
        if !right {
            self.wrong.lock().unwrap().push(format!("{case}: {}", what()));
        }
    }

    /// Insists that nothing was wrong.
    fn end(self) {
        let wrong = self.wrong.into_inner().unwrap();
        let cut = |line: &String| line.chars().take(300).collect::<String>();
        let shown = wrong.iter().take(20).map(cut).collect::<Vec<_>>().join("\n");
        assert!(wrong.is_empty(), "{} cases are wrong:\n{shown}", wrong.len());
    }

    fn check(&self, case: &str, source: &Path, to: &Path, run: &Run) {
        let expected = self.expected.join("t");
        for found in WalkDir::new(to).min_depth(1) {
            let found = found.unwrap();
            let below = found.path().strip_prefix(to).unwrap();
            let known = self.expected.join(below).symlink_metadata().is_ok();
            self.insist(case, known, || format!("remains: {}", below.display()));
        }
        for wanted in WalkDir::new(&expected) {
            let wanted = wanted.unwrap();
            if !wanted.file_type().is_dir() {
                let below = wanted.path().strip_prefix(&self.expected).unwrap();
                self.check_file(case, source.parent().unwrap(), to, below, run);
            }
        }
        // A folder that was there keeps its own mode and times.
        if run.summary.all_done() && !self.replaces {
            let data = differences(&expected, &to.join("t"), &What::DATA);
            self.insist(case, data.is_empty(), || format!("all is said to be done: {data:?}"));
            let kept = differences(&expected, &to.join("t"), &What::ALL);
            let right = kept.is_empty() || !run.summary.notices.is_empty();
            self.insist(case, right, || format!("lost and not said: {kept:?}"));
        }
    }

    fn check_file(&self, case: &str, source: &Path, to: &Path, below: &Path, run: &Run) {
        let (wanted, made) = (self.expected.join(below), to.join(below));
        let same = |one: &Path, what: &What| differences(one, &made, what).is_empty();
        let exists = !is_missing(&made);
        let whole = exists && same(&wanted, &What::DATA);
        let was_there = self.replaces && !is_missing(&self.old.join(below));
        let is_old = was_there && exists && same(&self.old.join(below), &What::DATA);
        let path = below.display();
        let state = state(run, below);
        let told = || format!("{path} {state:?} {:?}", run.summary.failures);
        self.insist(case, exists || !was_there, || format!("lost: {}", told()));
        let right = !exists || whole || is_old;
        self.insist(case, right, || format!("neither new nor old: {}", told()));
        let is_done = matches!(state, Some(EntryState::Done | EntryState::Renamed));
        self.insist(case, !is_done || whole, || format!("done and not there: {}", told()));
        let exact = What { hard_links: false, ..What::ALL };
        let kept = !is_done || !run.summary.notices.is_empty() || same(&wanted, &exact);
        self.insist(case, kept, || {
            format!("lost and not said: {path}: {:?}", differences(&wanted, &made, &exact))
        });
        if self.kind == JobKind::Move && is_missing(&source.join(below)) {
            self.insist(case, whole, || format!("gone and not moved: {}", told()));
        }
    }
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

/// The state of an entry; `None` where a folder above it was renamed as a whole.
fn state(run: &Run, below: &Path) -> Option<EntryState> {
    let plan = run.plan.as_ref()?;
    (0..plan.len() as u32).map(ferry::engine::EntryId).find_map(|id| {
        (plan.path(id).as_deref() == Some(below))
            .then(|| plan.entry(id).map(|entry| entry.state))?
    })
}

/// Which times of a call an error is tried at: some time that differs from error to error,
/// each time for the first one; in a long run (`FERRY_SOAK`) each time for each.
fn times(calls: usize, number: usize) -> Vec<usize> {
    if calls == 0 {
        return Vec::new();
    }
    if number == 0 || std::env::var_os("FERRY_SOAK").is_some() {
        return (1..=calls).collect();
    }
    vec![1 + number * 7 % calls]
}

fn every_error_at_every_call(scenario: &Scenario, calls: &[Call]) {
    for &call in calls {
        let made = scenario.run(&format!("{call:?} counted"), || nth(call, 0, Fault::Short(0)));
        for (number, errno) in ERRORS.into_iter().enumerate() {
            // A source's file system that says it has no attributes has none.
            let no_attributes = [libc::EOPNOTSUPP, libc::ENOSYS].contains(&errno);
            if call == Call::ListXattrs && no_attributes {
                continue;
            }
            for n in times(made, number) {
                let case = format!("{call:?} {n} fails with {errno}");
                scenario.run(&case, || nth(call, n, Fault::Fail(errno)));
            }
            if made > 1 {
                let case = format!("{call:?} always fails with {errno}");
                scenario.run(&case, || from_nth(call, 1, Fault::Fail(errno)));
            }
        }
    }
}

fn short_counts_and_zeros(scenario: &Scenario) {
    for call in [Call::Read, Call::Write, Call::CopyRange] {
        let made = scenario.run(&format!("{call:?} counted"), || nth(call, 0, Fault::Short(0)));
        for (number, most) in [0, 1, 100, 4095].into_iter().enumerate() {
            for n in times(made, number) {
                let case = format!("{call:?} {n} moves {most}");
                scenario.run(&case, || nth(call, n, Fault::Short(most)));
            }
        }
        for most in [0, 4095, 65_537] {
            let case = format!("{call:?} always moves {most}");
            scenario.run(&case, || from_nth(call, 1, Fault::Short(most)));
        }
    }
}

#[test]
fn a_copy_is_right_or_said_to_have_failed() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let scenario = Scenario::new("copy", JobKind::Copy, &place, &place, &place);
    every_error_at_every_call(&scenario, &CALLS);
    short_counts_and_zeros(&scenario);
    scenario.end();
}

#[test]
fn a_verified_copy_is_right_or_said_to_have_failed() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let scenario = Scenario::new("verified", JobKind::Copy, &place, &place, &place).verifying();
    let calls = [
        Call::OpenFile,
        Call::OpenFolder,
        Call::Stat,
        Call::Read,
        Call::Write,
        Call::Seek,
        Call::FlushFileSystem,
        Call::DropPages,
        Call::Remove,
    ];
    every_error_at_every_call(&scenario, &calls);
    short_counts_and_zeros(&scenario);
    scenario.end();
}

#[test]
fn a_replaced_file_is_the_new_one_or_the_old_one() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let scenario = Scenario::new("replace", JobKind::Copy, &place, &place, &place).replacing();
    every_error_at_every_call(&scenario, &CALLS);
    short_counts_and_zeros(&scenario);
    scenario.end();
}

#[test]
fn a_verified_replacement_is_the_new_one_or_the_old_one() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let verified = Scenario::new("replace verified", JobKind::Copy, &place, &place, &place);
    let verified = verified.replacing().verifying();
    let calls = [Call::OpenFile, Call::Stat, Call::Read, Call::Write, Call::Flush, Call::Rename];
    every_error_at_every_call(&verified, &calls);
    short_counts_and_zeros(&verified);
    verified.end();
}

#[test]
fn a_source_moved_across_goes_only_when_its_copy_is_whole() {
    let (Some(place), Some(other)) = (Fs::Tmpfs.place(), small_tmpfs(64 << 20, 0)) else { return };
    let across = Scenario::new("across", JobKind::Move, &place, &place, &other);
    every_error_at_every_call(&across, &CALLS);
    short_counts_and_zeros(&across);
    across.end();
    let over = Scenario::new("over", JobKind::Move, &place, &place, &other).replacing();
    let calls = [Call::Rename, Call::Remove, Call::RemoveFolder, Call::FlushFileSystem];
    every_error_at_every_call(&over, &calls);
    over.end();
}

#[test]
fn a_source_moved_by_renaming_is_on_one_side_or_the_other() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let within = Scenario::new("within", JobKind::Move, &place, &place, &place);
    every_error_at_every_call(&within, &CALLS);
    within.end();
    let merged = Scenario::new("merged", JobKind::Move, &place, &place, &place).replacing();
    every_error_at_every_call(&merged, &CALLS);
    merged.end();
}

#[test]
fn a_clone_that_fails_leaves_the_right_bytes_or_a_failure() {
    for fs in [Fs::Btrfs, Fs::Xfs] {
        for reflink in [Reflink::Auto, Reflink::Always] {
            let Some(place) = fs.place() else { continue };
            let scenario = Scenario::new("clone", JobKind::Copy, &place, &place, &place);
            let scenario = scenario.reflink(reflink);
            let calls = [Call::Clone, Call::CachedPages, Call::WriteOut];
            every_error_at_every_call(&scenario, &calls);
            scenario.end();
        }
    }
}

#[test]
fn every_call_of_a_copy_goes_through_the_seam() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let scenario = Scenario::new("seen", JobKind::Copy, &place, &place, &place);
    let unused = [
        Call::Read,
        Call::Write,
        Call::RemoveFolder,
        Call::Remove,
        Call::Rename,
        Call::RenameNew,
        Call::Exchange,
        Call::SetOwner,
        Call::SetOwnerName,
        Call::RemoveXattr,
        Call::Clone,
        Call::Flush,
        Call::FlushData,
        Call::FlushFileSystem,
        Call::Close,
        Call::DropPages,
    ];
    for call in CALLS.into_iter().filter(|call| !unused.contains(call)) {
        let made = scenario.run("counted", || nth(call, 0, Fault::Short(0)));
        assert!(made > 0, "{call:?} does not go through the seam");
    }
}
