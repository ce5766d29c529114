//! A program that dies between any two of its doings: resumed or undone, itself to die again,
//! it comes to what it was to come to, and leaves nothing.
//!
//! From one call of the seam on every call fails, those of the journal too: what is on the
//! disk then is what a killed program leaves there.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use ferry::engine::faults::{Call, Fault, Faults};
use ferry::engine::{
    ConflictRule, Engine, Event, FolderRule, JobId, JobSpec, JournalId, Store, Summary,
};

use crate::common::session::deadline;
use crate::common::{Place, Tree, What, assert_same_tree, command, copy, moving, scratch};
use crate::fault::no_fault;

const FIRST: JournalId = JournalId(1);

/// What changes something, or tells the journal of it.
const DEEDS: [Call; 14] = [
    Call::Create,
    Call::NameNameless,
    Call::MakeFolder,
    Call::MakeNode,
    Call::MakeLink,
    Call::HardLink,
    Call::Rename,
    Call::RenameNew,
    Call::Exchange,
    Call::Remove,
    Call::RemoveFolder,
    Call::SetMode,
    Call::SetTimes,
    Call::Note,
];

/// A program that is dead from its nth deed on.
struct Dying {
    dead: Arc<AtomicBool>,
    _faults: Faults,
}

impl Dying {
    /// Also, such calls fail while it lives.
    fn at(n: usize, never: &'static [Call]) -> Dying {
        let (dead, count) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
        let is_dead = Arc::clone(&dead);
        let _faults = Faults::inject(move |call, _| {
            if DEEDS.contains(&call) && count.fetch_add(1, Ordering::SeqCst) + 1 >= n {
                is_dead.store(true, Ordering::SeqCst);
            }
            let fails = is_dead.load(Ordering::SeqCst) || never.contains(&call);
            fails.then_some(Fault::Fail(if never.contains(&call) {
                libc::EINVAL
            } else {
                libc::EACCES
            }))
        });
        Dying { dead, _faults }
    }

    /// Whether it died.
    fn died(self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }
}

/// Longer than between two times that files are dated with.
const TICK: Duration = Duration::from_millis(5);

fn clock() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap()
}

#[derive(Clone, Copy, Debug)]
struct Case {
    name: &'static str,
    moves: bool,
    conflict: ConflictRule,
    folders: FolderRule,
    /// What the file system cannot do.
    never: &'static [Call],
    /// Where the old folder is once all is done.
    old: Old,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Old {
    /// In the trash.
    Trash,
    /// In the trash, or beside where the program died just before.
    TrashOrBeside,
    /// Beside, under this name.
    Beside,
    /// It stays, and the new one is beside.
    Stays,
    /// Both are one, and replaced files in the trash.
    Merged,
}

const fn case(name: &'static str, conflict: ConflictRule, folders: FolderRule, old: Old) -> Case {
    Case { name, moves: false, conflict, folders, never: &[], old }
}

const CASES: [Case; 10] = {
    use ConflictRule as C;
    use FolderRule as F;
    [
        case("replace", C::Replace, F::Replace, Old::Trash),
        Case { moves: true, ..case("exchange", C::Replace, F::Replace, Old::Trash) },
        Case {
            never: &[Call::Exchange],
            ..case("step aside", C::Replace, F::Replace, Old::TrashOrBeside)
        },
        Case {
            moves: true,
            never: &[Call::Exchange],
            ..case("step aside, moved", C::Replace, F::Replace, Old::TrashOrBeside)
        },
        case("aside", C::KeepExisting, F::KeepExisting, Old::Beside),
        Case { moves: true, ..case("aside, moved", C::Replace, F::KeepExisting, Old::Beside) },
        case("both", C::KeepBoth, F::KeepBoth, Old::Stays),
        Case { moves: true, ..case("both, moved", C::KeepBoth, F::KeepBoth, Old::Stays) },
        case("merge", C::Replace, F::Merge, Old::Merged),
        Case { moves: true, ..case("merge, moved", C::Replace, F::Merge, Old::Merged) },
    ]
};

/// A place where a case is run once.
struct Round {
    place: Place,
    case: Case,
    spec: JobSpec,
    told: String,
}

impl Round {
    fn new(case: Case, told: String) -> Round {
        let place = scratch();
        let tree = Tree::new().folder("t").mode(0o750).file("t/a", "new a").folder("t/in");
        let tree = tree.file("t/in/b", "new b");
        let source = tree.make(&place.join("source")).join("t");
        let _reference = tree.make(&place.join("reference"));
        let old =
            Tree::new().folder("t").mode(0o750).file("t/a", "the old a").file("t/own", "theirs");
        let _before = old.make(&place.join("before"));
        let to = old.make(&place.join("to"));
        // What was there before is told by its time, which goes in steps.
        let begun = clock();
        while clock() < begun + 2 * TICK {
            std::thread::yield_now();
        }
        let job = if case.moves { moving([source], &to) } else { copy([source], &to) };
        let spec = job.rule(case.conflict).folders(case.folders).workers(1).spec;
        Round { place, case, spec, told }
    }

    fn store(&self) -> Store {
        Store::at(&self.place.join("state"), &self.place.join("data/Trash"))
    }

    /// Runs it, or lets it go on, until it ends or dies at its nth deed; whether it died.
    fn run(&self, again: bool, n: usize) -> bool {
        let dying = Dying::at(n, self.case.never);
        let summary = self.engine(again);
        if !dying.died() {
            let summary = summary.unwrap_or_else(|| panic!("{}: refused", self.told));
            assert!(summary.all_done(), "{}: {summary:?}", self.told);
            return false;
        }
        true
    }

    fn engine(&self, again: bool) -> Option<Summary> {
        let (engine, mut events) = Engine::start_with(Some(self.store()));
        let _job: JobId = match again {
            true => engine.resume(FIRST, false).ok()?,
            false => engine.add(self.spec.clone()),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            loop {
                let next = tokio::time::timeout_at(deadline().into(), events.recv()).await;
                if let Event::Finished { summary, .. } = next.expect("it ends").expect("it is told")
                {
                    return Some(summary);
                }
            }
        })
    }

    /// Undoes it, or dies while it does; whether it died.
    fn undo_until(&self, n: usize) -> bool {
        let dying = Dying::at(n, self.case.never);
        let _report_or_not = self.store().undo(FIRST, &mut |_| true);
        dying.died()
    }

    fn is_remembered(&self) -> bool {
        !self.store().history().unwrap().is_empty()
    }

    /// It is what it was to be.
    fn check_whole(&self) {
        let (to, told) = (self.place.join("to"), &self.told);
        let path = |text: &str| self.place.join(text);
        let same = |one: &Path, other: &Path, times: bool| {
            assert!(other.exists(), "{told}: {} is missing\n{}", other.display(), self.list());
            assert_same_tree(one, other, &What { folder_times: times, ..What::ALL });
        };
        let files = self.place.join("data/Trash/files");
        let beside = to.join("t (2)").exists();
        match self.case.old {
            Old::TrashOrBeside if beside => {
                same(&path("reference/t"), &to.join("t"), true);
                same(&path("before/t"), &to.join("t (2)"), true);
            }
            Old::Trash | Old::TrashOrBeside => {
                same(&path("reference/t"), &to.join("t"), true);
                same(&path("before/t"), &files.join("t"), true);
            }
            Old::Beside => {
                same(&path("reference/t"), &to.join("t"), true);
                same(&path("before/t"), &to.join("t (2)"), true);
            }
            Old::Stays => {
                same(&path("before/t"), &to.join("t"), true);
                same(&path("reference/t"), &to.join("t (2)"), true);
            }
            Old::Merged => {
                for (from, made) in [("reference/t/a", "a"), ("reference/t/in", "in")] {
                    same(&path(from), &to.join("t").join(made), true);
                }
                same(&path("before/t/own"), &to.join("t/own"), true);
                same(&path("before/t/a"), &files.join("a"), true);
            }
        }
        let two = match self.case.old {
            Old::TrashOrBeside => beside,
            old => matches!(old, Old::Beside | Old::Stays),
        };
        let count = std::fs::read_dir(&to).unwrap().count();
        assert_eq!(count, if two { 2 } else { 1 }, "{told}: more is there\n{}", self.list());
        assert_eq!(path("source/t").exists(), !self.case.moves, "{told}");
        self.nothing_temporary();
    }

    fn nothing_temporary(&self) {
        let left = command("find", &[&self.place.join(""), &"-name", &"*.ferry-*"]);
        assert_eq!(left, "", "{}: temporary files are left\n{}", self.told, self.list());
    }

    fn list(&self) -> String {
        command("find", &[&self.place.join("")])
    }

    /// Undoes it: everything is as before the job.
    fn undo(&self) {
        let told = &self.told;
        if self.is_remembered() {
            let _other_tests_have_faults = no_fault();
            let report = self.store().undo(FIRST, &mut |_| true);
            let report = report.unwrap_or_else(|error| panic!("{told}: {error}"));
            assert!(report.is_whole(), "{told}: {report:?}");
        }
        self.check_nothing();
    }

    fn check_nothing(&self) {
        let (to, told) = (self.place.join("to"), &self.told);
        let same = |one: PathBuf, other: PathBuf, times: bool| {
            assert!(other.exists(), "{told}: {} is missing\n{}", other.display(), self.list());
            assert_same_tree(&one, &other, &What { folder_times: times, ..What::ALL });
        };
        let count = std::fs::read_dir(&to).unwrap().count();
        assert_eq!(count, 1, "{told}: more is there\n{}", self.list());
        same(self.place.join("before/t"), to.join("t"), self.case.old != Old::Merged);
        let merged = self.case.moves && self.case.old == Old::Merged;
        same(self.place.join("reference/t"), self.place.join("source/t"), !merged);
        let trash = self.place.join("data/Trash");
        if trash.exists() {
            let left = command("find", &[&trash, &"!", &"-type", &"d"]);
            assert_eq!(left, "", "{told}: the trash holds what came back");
        }
        self.nothing_temporary();
    }
}

/// Runs every case so that it dies at each of its deeds, with what follows; all that went
/// wrong is told together.
fn each_death(follows: impl Fn(usize, Round)) {
    let mut wrong = Vec::new();
    for case in CASES {
        for n in 1.. {
            let told = format!("{}, dead at {n}", case.name);
            let mut lived = false;
            let round = catch_unwind(AssertUnwindSafe(|| {
                let round = Round::new(case, told.clone());
                lived = !round.run(false, n);
                if lived {
                    round.check_whole();
                    round.undo();
                } else {
                    follows(n, round);
                }
            }));
            if round.is_err() {
                wrong.push(told);
            }
            if lived {
                assert!(n > 10, "{}: {n} deeds", case.name);
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn resume(round: &Round) {
    let begun = round.is_remembered();
    let _lived = round.run(begun, usize::MAX);
    round.check_whole();
}

#[test]
fn dead_at_any_deed_and_resumed_a_job_comes_to_its_end() {
    each_death(|_, round| {
        resume(&round);
        round.undo();
    });
}

#[test]
fn dead_at_any_deed_and_undone_a_job_leaves_nothing() {
    each_death(|_, round| round.undo());
}

#[test]
fn dead_again_while_it_is_resumed_or_undone_nothing_is_lost() {
    each_death(|n, mut round| {
        if !round.is_remembered() {
            return;
        }
        let second = 1 + n * 7 % 31;
        round.told = format!("{}, again at {second}", round.told);
        let undoes = n % 3 == 0;
        let died = match undoes {
            true => round.undo_until(second),
            false => round.run(true, second),
        };
        match (died, undoes, n % 2 == 0) {
            (false, true, _) => round.check_nothing(),
            (false, false, _) => round.check_whole(),
            (true, false, true) => {
                resume(&round);
                round.undo();
            }
            (true, ..) => round.undo(),
        }
    });
}
