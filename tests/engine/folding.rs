//! File systems of other systems: names that fold, coarse times, no links. Nothing is lost by
//! any of that.

use std::path::Path;

use ferry::engine::{
    ConflictRule, EntryState, ErrorKind, FolderRule, JobKind, NoticeKind, QuestionClass,
};

use crate::common::{Foreign, Job, Tree, copy, names, read, scratch};

/// The contents of all files below a folder, sorted.
fn contents(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(String::from_utf8(read(path)).unwrap());
            }
        }
    }
    found.sort();
    found
}

/// Names that are one for exFAT, in folders that are one, too.
fn folded() -> Tree {
    Tree::new()
        .file("t/Case", "1")
        .file("t/case", "2")
        .file("t/CASE", "3")
        .file("t/É.txt", "4")
        .file("t/é.txt", "5")
        .file("t/Docs/x", "6")
        .file("t/docs/X", "7")
        .file("t/docs/own", "8")
}

const RULES: [ConflictRule; 8] = [
    ConflictRule::Skip,
    ConflictRule::Replace,
    ConflictRule::Newer,
    ConflictRule::Different,
    ConflictRule::SizeOrTime,
    ConflictRule::KeepBoth,
    ConflictRule::KeepExisting,
    ConflictRule::Rename,
];

#[test]
fn sources_that_fold_to_one_name_are_all_kept_whatever_the_rule() {
    let Some(mount) = Foreign::Exfat.mount() else { return };
    let folder_rules = [FolderRule::Merge, FolderRule::Skip, FolderRule::Replace];
    for kind in [JobKind::Copy, JobKind::Move] {
        for (number, rule) in RULES.into_iter().enumerate() {
            for folders in folder_rules {
                let place = scratch();
                let source = folded().make(&place).join("t");
                let into = mount.join(format!("{kind:?} {number} {folders:?}"));
                let run = Job::new(kind, [&source], &into).rule(rule).folders(folders).run();
                let there = [into.join("t"), into.join("t/Docs")].map(|at| names(&at));
                let context = format!("{kind:?} {rule:?} {folders:?}: {there:?} {:?}", run.summary);
                assert!(run.summary.all_done(), "{context}");
                assert_eq!(contents(&into), ["1", "2", "3", "4", "5", "6", "7", "8"], "{context}");
                assert_eq!(source.exists(), kind == JobKind::Copy, "{context}");
            }
        }
    }
}

#[test]
fn sources_of_several_folders_that_fold_to_one_name_are_all_kept() {
    let Some(mount) = Foreign::Exfat.mount() else { return };
    for rule in [ConflictRule::Replace, ConflictRule::Different] {
        let place = scratch();
        let tree =
            Tree::new().file("a/X", "1").file("b/x", "2").file("c/d/y", "3").file("e/D/Y", "4");
        let from = tree.make(&place);
        let sources = ["a/X", "b/x", "c/d", "e/D"].map(|path| from.join(path));
        let into = mount.join(format!("{rule:?}"));
        copy(&sources, &into).rule(rule).run().done();
        assert_eq!(contents(&into), ["1", "2", "3", "4"], "{rule:?}");
    }
}

#[test]
fn sources_that_fold_to_one_name_are_asked_about_as_such() {
    let Some(mount) = Foreign::Exfat.mount() else { return };
    let place = scratch();
    let source = Tree::new().file("t/Case", "1").file("t/case", "2").make(&place).join("t");
    let run = copy([&source], &*mount).asking().run_answering(|question| {
        assert_eq!(question.class(), QuestionClass::SourcesMeet, "{question:?}");
        Some((ferry::engine::Action::KeepBoth, ferry::engine::Scope::This))
    });
    assert_eq!(run.questions().len(), 1);
    assert_eq!(contents(&mount.join("t")), ["1", "2"]);
    // Nobody can be asked: the first is there, the other is told to be left.
    let other = mount.join("other");
    let run = copy([&source], &other).run().not_done();
    assert_eq!(run.summary.entries.unanswered, 1);
    assert!(run.notice(NoticeKind::Unanswered).is_some());
    assert_eq!(contents(&other).len(), 1);
}

#[test]
fn what_was_there_is_replaced_under_whatever_case() {
    let Some(mount) = Foreign::Exfat.mount() else { return };
    let place = scratch();
    let source = Tree::new().file("t/Case", "new").make(&place).join("t");
    let _old = Tree::new().file("t/case", "old").make(&mount);
    copy([&source], &*mount).rule(ConflictRule::Replace).run().done();
    assert_eq!(contents(&mount.join("t")), ["new"]);
}

#[test]
fn times_are_compared_in_the_steps_of_the_destination() {
    for kind in Foreign::ALL {
        let Some(mount) = kind.mount() else { continue };
        let place = scratch();
        let tree = Tree::new()
            .file("t/a", "a")
            .time(1_600_000_000, 123_456_789)
            .file("t/b", "b")
            .time(1_600_000_001, 999_999_999)
            .file("t/c", "c")
            .time(1_600_000_003, 50);
        let source = tree.make(&place).join("t");
        copy([&source], &*mount).run().done();
        for rule in [ConflictRule::Newer, ConflictRule::SizeOrTime] {
            let run = copy([&source], &*mount).rule(rule).run().done();
            assert_eq!(run.summary.entries.skipped, 3, "{kind:?} {rule:?}: {:?}", run.summary);
        }
        // What is really newer is.
        let newer = Tree::new().file("t/a", "A").time(1_600_000_002, 200_000_000);
        let newer = newer.make(&place.join("newer")).join("t");
        copy([newer], &*mount).rule(ConflictRule::Newer).run().done();
        assert_eq!(read(mount.join("t/a")), b"A");
    }
}

#[test]
fn a_link_that_cannot_be_made_is_told_and_takes_nothing_away() {
    let Some(mount) = Foreign::Exfat.mount() else { return };
    for rule in [ConflictRule::SkipUnanswered, ConflictRule::Replace] {
        let place = scratch();
        let source = Tree::new().link("t/link", "to").file("t/file", "f").make(&place).join("t");
        let into = mount.join(format!("{rule:?}"));
        let _old = Tree::new().file("t/link", "old").make(&into);
        let run = copy([&source], &into).rule(rule).run().not_done();
        assert_eq!(names(&into.join("t")), ["file", "link"]);
        assert_eq!(read(into.join("t/link")), b"old");
        if rule == ConflictRule::Replace {
            assert_eq!(run.entry("t/link"), EntryState::Failed);
            let _run = run.failed(1, ErrorKind::NoLinks);
        }
    }
    let place = scratch();
    let source = Tree::new().link("t/link", "to").make(&place).join("t");
    let run = copy([&source], mount.join("new")).run();
    let _run = run.failed(1, ErrorKind::NoLinks);
    assert!(names(&mount.join("new/t")).is_empty());
}
