//! Names that exFAT and NTFS refuse: one question for the job, and nothing lost by the answer.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ferry::engine::{
    About, Action, ConflictRule, EntryState, ForeignRule, JobKind, NoticeKind, QuestionClass,
    Scope, is_foreign, mapped,
};

use crate::common::{Foreign, Job, Run, Tree, below, copy, names, read, scratch};

/// Names that one or the other refuses; no two of them become one.
const NAMES: [&[u8]; 9] = [
    b"colon:.txt",
    b"what?",
    b"<angle>",
    b"bar|",
    br"back\slash",
    b"tab\tbed",
    b"bytes\xff\xfe",
    b"quote\"s",
    b"star*",
];
/// And what NTFS alone refuses, of these drivers.
const OF_WINDOWS: [&[u8]; 5] = [b"dot.", b"space ", b"CON", b"aux.txt", b"com1.tar.gz"];

fn tree() -> Tree {
    let mut tree = Tree::new().file("t/plain", "plain");
    for name in NAMES.iter().chain(&OF_WINDOWS) {
        tree = tree.file([b"t/", *name].concat(), name);
    }
    tree.file("t/dir: one/in?ner", "inner").file("t/dir: one/plain", "below")
}

/// Looks whether everything of [`tree`] is there, under its own or its mapped name.
fn assert_all_there(kind: Foreign, folder: &Path) {
    for name in NAMES.iter().chain(&OF_WINDOWS) {
        let own = OsStr::from_bytes(name);
        let refused = kind == Foreign::Ntfs || NAMES.contains(name);
        let there = if refused { mapped(own) } else { own.to_os_string() };
        assert_eq!(read(folder.join(&there)), *name, "{kind:?} {there:?}");
    }
    assert_eq!(read(folder.join("plain")), b"plain");
    assert_eq!(read(folder.join("dir_ one/in_ner")), b"inner");
    assert_eq!(read(folder.join("dir_ one/plain")), b"below");
    assert_eq!(names(folder).len(), NAMES.len() + OF_WINDOWS.len() + 2);
}

fn mapping(kind: JobKind, source: &Path, into: &Path) -> Job {
    let mut job = Job::new(kind, [source], into);
    job.spec.options.foreign_names = ForeignRule::Map;
    job
}

/// How many names of [`tree`] are refused.
fn refused(kind: Foreign) -> u64 {
    let more = if kind == Foreign::Ntfs { OF_WINDOWS.len() } else { 0 };
    (NAMES.len() + more + 2) as u64
}

#[test]
fn refused_names_are_mapped_and_reported_in_copies_and_moves() {
    for fs in Foreign::ALL {
        let Some(mount) = fs.mount() else { continue };
        for kind in [JobKind::Copy, JobKind::Move] {
            let place = scratch();
            let source = tree().make(&place).join("t");
            let into = mount.join(format!("{kind:?}"));
            let run = mapping(kind, &source, &into).run().done();
            assert_all_there(fs, &into.join("t"));
            assert_eq!(source.exists(), kind == JobKind::Copy);
            assert_eq!(run.summary.renamed, refused(fs), "{fs:?} {kind:?}");
            let told = run.told();
            let colon = told.iter().find(|entry| entry.path.ends_with("colon:.txt")).unwrap();
            assert_eq!(colon.state, EntryState::Renamed);
            assert_eq!(colon.destination_path, into.join("t/colon_.txt"));
            let inner = told.iter().find(|entry| entry.path.ends_with("in?ner")).unwrap();
            assert_eq!(inner.destination_path, into.join("t/dir_ one/in_ner"));
            // Once more: they are the same files.
            if kind == JobKind::Copy {
                let again = mapping(kind, &source, &into).rule(ConflictRule::SizeOrTime);
                let run = again.run().done();
                assert_all_there(fs, &into.join("t"));
                assert_eq!(run.summary.entries.skipped, NAMES.len() as u64 + 8, "{fs:?}");
            }
        }
    }
}

/// Runs a job that asks, and tells how often it asked.
fn asked(job: Job, answer: Action) -> (Run, usize) {
    let mut job = job.asking();
    job.spec.options.foreign_names = ForeignRule::Ask;
    let run = job.run_answering(|question| {
        assert_eq!(question.class(), QuestionClass::ForeignName, "{question:?}");
        let About::ForeignName { examples, file_system } = &question.about else { return None };
        assert!(!file_system.is_empty());
        for example in examples {
            assert!(is_foreign(&example.name) && example.mapped == mapped(&example.name));
        }
        for other in [Action::Replace, Action::KeepBoth, Action::Retry, Action::Merge] {
            assert!(!question.about.allows(&other), "{other:?}");
        }
        Some((answer.clone(), Scope::AllOfKind))
    });
    let asked = run.questions().len();
    (run, asked)
}

#[test]
fn it_is_asked_once_for_the_job() {
    for fs in Foreign::ALL {
        let Some(mount) = fs.mount() else { continue };
        for workers in [1, 4] {
            let place = scratch();
            let source = tree().make(&place).join("t");
            let into = mount.join(format!("map {workers}"));
            let (run, times) = asked(copy([&source], &into).workers(workers), Action::MapName);
            assert_eq!(times, 1, "{fs:?}");
            let _done = run.done();
            assert_all_there(fs, &into.join("t"));

            let into = mount.join(format!("skip {workers}"));
            let (run, times) = asked(copy([&source], &into).workers(workers), Action::Skip);
            assert_eq!(times, 1, "{fs:?}");
            let run = run.done();
            // What lies in the folder was never found.
            assert_eq!(run.summary.entries.skipped, refused(fs) - 1, "{fs:?}");
            assert_eq!(run.summary.renamed, 0);
            assert_eq!(read(into.join("t/plain")), b"plain");
        }
    }
}

#[test]
fn one_can_be_answered_and_the_next_is_asked_about() {
    let Some(mount) = Foreign::Exfat.mount() else { return };
    let place = scratch();
    let tree = Tree::new().file("t/a:", "1").file("t/b:", "2").file("t/c:", "3");
    let source = tree.make(&place).join("t");
    let mut job = copy([&source], &*mount).asking().workers(1);
    job.spec.options.foreign_names = ForeignRule::Ask;
    let mut answers = [
        (Action::Skip, Scope::This),
        (Action::MapName, Scope::This),
        (Action::MapName, Scope::All),
    ]
    .into_iter();
    let run = job.run_answering(|_| answers.next()).done();
    assert_eq!(run.questions().len(), 3);
    assert_eq!((run.summary.entries.skipped, run.summary.renamed), (1, 2));
    assert_eq!(names(&mount.join("t")).len(), 2);
}

#[test]
fn nobody_to_ask_leaves_them_and_says_so() {
    for fs in Foreign::ALL {
        let Some(mount) = fs.mount() else { continue };
        for kind in [JobKind::Copy, JobKind::Move] {
            let place = scratch();
            let source = tree().make(&place).join("t");
            let into = mount.join(format!("{kind:?}"));
            let run = Job::new(kind, [&source], &into).run().not_done();
            assert_eq!(run.summary.entries.unanswered, refused(fs) - 1, "{fs:?} {kind:?}");
            assert_eq!(run.notice(NoticeKind::ForeignName).unwrap().count, refused(fs) - 1);
            assert_eq!(read(into.join("t/plain")), b"plain");
            for name in NAMES {
                assert_eq!(read(below(&source, name)), name);
            }
        }
    }
}

#[test]
fn names_that_are_mapped_to_one_are_all_kept_whatever_the_rule() {
    for fs in Foreign::ALL {
        let Some(mount) = fs.mount() else { continue };
        let rules = [ConflictRule::Replace, ConflictRule::Skip, ConflictRule::Different];
        for (number, rule) in rules.into_iter().enumerate() {
            let place = scratch();
            let tree = Tree::new()
                .file("t/a:b", "1")
                .file("t/a?b", "2")
                .file("t/a_b", "3")
                .file("t/d:/x", "4")
                .file("t/d_/x", "5");
            let source = tree.make(&place).join("t");
            let into = mount.join(number.to_string());
            let run = mapping(JobKind::Copy, &source, &into).rule(rule).run().done();
            let mut found: Vec<_> = names(&into.join("t"))
                .into_iter()
                .filter(|name| name.starts_with('a'))
                .map(|name| read(into.join("t").join(name)))
                .collect();
            found.sort();
            assert_eq!(found, [b"1", b"2", b"3"], "{fs:?} {rule:?} {:?}", run.summary);
            let below = |name: &str| read(into.join("t/d_").join(name));
            let mut found = names(&into.join("t/d_")).iter().map(|n| below(n)).collect::<Vec<_>>();
            found.sort();
            assert_eq!(found, [b"4", b"5"], "{fs:?} {rule:?}");
        }
    }
}

#[test]
fn any_byte_is_a_name_where_it_is_none_for_windows_alone() {
    let place = scratch();
    let source = tree().make(&place).join("t");
    let run = copy([&source], place.join("into")).run().done();
    assert_eq!(run.summary.renamed, 0);
    for name in NAMES.iter().chain(&OF_WINDOWS) {
        assert_eq!(read(below(&place.join("into/t"), name)), *name);
    }
}
