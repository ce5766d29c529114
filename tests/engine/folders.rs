//! Folders that meet folders: merged, kept both, exchanged, and never lost.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use ferry::engine::{
    About, Action, Command, ConflictRule, EntryState, ErrorKind, FolderRule, JobKind, Outcome,
    QuestionClass, Reflink, Scope,
};

use crate::common::big::big_destination;
use crate::common::{
    Fs, Job, Session, Tree, What, assert_same_tree, big_source, copy, names, one_big_copy, read,
    scratch,
};

const KINDS: [JobKind; 2] = [JobKind::Copy, JobKind::Move];

/// A folder `t` that comes, and one that is there with other files.
fn two_folders(place: &Path, into: &Path) -> PathBuf {
    let new = Tree::new().file("t/both", "new").file("t/new/inner", "new inner");
    let source = new.make(&place.join("source")).join("t");
    Tree::new().file("t/both", "old").file("t/old/inner", "old inner").mode(0o700).make(into);
    source
}

#[test]
fn each_rule_does_what_it_says() {
    for kind in KINDS {
        for (from, to) in [(Fs::Ext4, Fs::Ext4), (Fs::Btrfs, Fs::Btrfs), (Fs::Ext4, Fs::Tmpfs)] {
            for rule in [
                FolderRule::Merge,
                FolderRule::Skip,
                FolderRule::SkipUnanswered,
                FolderRule::Replace,
                FolderRule::KeepBoth,
                FolderRule::KeepExisting,
                FolderRule::Rename,
            ] {
                let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
                let into = target.folder("into");
                let source = two_folders(&place, &into);
                let expected = Tree::new().file("t/both", "new").file("t/new/inner", "new inner");
                let expected = expected.make(&place.join("expected")).join("t");
                let what = What { times: false, folder_times: false, ..What::ALL };
                let mut job = Job::new(kind, [&source], &into).rule(ConflictRule::Replace);
                job.spec.options.rename_pattern = "{name} again".parse().unwrap();
                let run = job.folders(rule).run();
                let context = format!("{kind:?} {from:?} {to:?} {rule:?} {:?}", run.summary);
                let aside = run.aside();
                let old = |folder: &Path| {
                    assert_eq!(read(folder.join("both")), b"old", "{context}");
                    assert_eq!(read(folder.join("old/inner")), b"old inner", "{context}");
                    assert_eq!(names(folder), ["both", "old"], "{context}");
                };
                let new = |folder: &Path| assert_same_tree(&expected, folder, &what);
                let t = into.join("t");
                match rule {
                    FolderRule::Merge => {
                        assert_eq!(names(&t), ["both", "new", "old"], "{context}");
                        assert_eq!(read(t.join("both")), b"new", "{context}");
                    }
                    FolderRule::Skip | FolderRule::SkipUnanswered | FolderRule::Ask => {
                        old(&t);
                        new(&source);
                    }
                    FolderRule::Replace => {
                        new(&t);
                        old(&aside.0[0]);
                        assert!(!aside.0[0].starts_with(&into), "{context}: {:?}", aside.0);
                        assert_eq!(names(&into), ["t"], "{context}");
                    }
                    FolderRule::KeepBoth => {
                        old(&t);
                        new(&into.join("t (2)"));
                    }
                    FolderRule::KeepExisting => {
                        new(&t);
                        old(&into.join("t (2)"));
                        assert_eq!(aside.0, [into.join("t (2)")], "{context}");
                    }
                    FolderRule::Rename => {
                        old(&t);
                        new(&into.join("t again"));
                    }
                }
                let skipped = matches!(rule, FolderRule::Skip | FolderRule::SkipUnanswered);
                assert_eq!(source.exists(), kind == JobKind::Copy || skipped, "{context}");
                let unanswered = rule == FolderRule::SkipUnanswered;
                assert_eq!(run.summary.all_done(), !unanswered, "{context}");
            }
        }
    }
}

#[test]
fn each_answer_does_what_it_says() {
    for kind in KINDS {
        for (action, expected) in [
            (Action::Merge, &["t"][..]),
            (Action::Skip, &["t"]),
            (Action::Replace, &["t"]),
            (Action::KeepBoth, &["t", "t (2)"]),
            (Action::KeepExisting, &["t", "t (2)"]),
            (Action::Rename("other".into()), &["other", "t"]),
            (Action::RenameBy("x{name}".parse().unwrap()), &["t", "xt"]),
        ] {
            let place = scratch();
            let into = place.join("into");
            let source = two_folders(&place, &into);
            let job = Job::new(kind, [&source], &into).asking().folders(FolderRule::Ask);
            let run = job.run_answering(|question| {
                if question.class() != QuestionClass::FolderExists {
                    return Some((Action::Replace, Scope::This));
                }
                let About::Conflict { existing_path, other_name, .. } = &question.about else {
                    panic!("{question:?}");
                };
                assert_eq!(existing_path, &into.join("t"));
                assert_eq!(other_name, "t (2)");
                assert!(!question.about.allows(&Action::ReplaceIfNewer));
                Some((action.clone(), Scope::This))
            });
            let run = run.done();
            let context = format!("{kind:?} {action:?} {:?}", run.summary);
            let _aside = run.aside();
            assert_eq!(names(&into), expected, "{context}");
            let new = matches!(action, Action::Replace | Action::KeepExisting);
            assert_eq!(into.join("t/old").exists(), !new, "{context}");
        }
    }
}

#[test]
fn a_folder_that_is_not_whole_replaces_nothing() {
    for kind in KINDS {
        for fs in [Fs::Ext4, Fs::Tmpfs] {
            let (place, Some(target)) = (scratch(), fs.place()) else { continue };
            let into = target.folder("into");
            let source = two_folders(&place, &into);
            let job = Job::new(kind, [&source], &into).folders(FolderRule::Replace);
            // No file can be cloned here.
            let run = job.reflink(Reflink::Always).run();
            let context = format!("{kind:?} {fs:?} {:?}", run.summary);
            if kind == JobKind::Move && run.entry("t") == EntryState::Done {
                // Renamed as a whole: there was nothing that could fail.
                let _aside = run.aside();
                continue;
            }
            assert_eq!(read(into.join("t/both")), b"old", "{context}");
            assert_eq!(read(into.join("t/old/inner")), b"old inner", "{context}");
            assert_eq!(read(source.join("both")), b"new", "{context}");
            assert!(run.failure_kinds().contains(&ErrorKind::NotReplaced), "{context}");
            let hidden = names(&into).into_iter().filter(|name| name.starts_with('.'));
            assert_eq!(hidden.count(), 0, "{context} {:?}", names(&into));
        }
    }
}

#[test]
fn a_cancelled_replacement_leaves_the_old_folder() {
    let _one = one_big_copy();
    let target = big_destination();
    let source = big_source().parent().unwrap();
    let there = target.join(source.file_name().unwrap());
    fs::create_dir(&there).unwrap();
    fs::write(there.join("old"), "old").unwrap();
    let mut session = Session::start();
    let job = copy([source], &*target).folders(FolderRule::Replace).reflink(Reflink::Never);
    let job = session.add(job);
    session.wait_in_work(job);
    session.send(Command::Cancel { job });
    let run = session.finish(job);
    assert_eq!(run.summary.outcome, Outcome::Cancelled);
    assert_eq!(read(there.join("old")), b"old");
    let hidden = names(&target).into_iter().filter(|name| name.starts_with('.'));
    assert_eq!(hidden.count(), 0, "{:?}", names(&target));
}

#[test]
fn a_link_to_a_folder_is_replaced_as_a_link() {
    for kind in KINDS {
        let place = scratch();
        let source = Tree::new().file("t/f", "new").make(&place.join("source")).join("t");
        let real = Tree::new().file("real/kept", "kept").make(&place).join("real");
        let into = place.folder("into");
        symlink(&real, into.join("t")).unwrap();
        let run = Job::new(kind, [&source], &into).folders(FolderRule::Replace).run().done();
        let aside = run.aside();
        assert!(fs::symlink_metadata(into.join("t")).unwrap().is_dir());
        assert_eq!(read(into.join("t/f")), b"new");
        assert_eq!(names(&real), ["kept"]);
        let _link = fs::remove_file(&aside.0[0]);
    }
}

#[test]
fn a_folder_is_not_replaced_by_itself() {
    for kind in KINDS {
        for rule in [FolderRule::Replace, FolderRule::KeepExisting, FolderRule::Merge] {
            let place = scratch();
            let tree = Tree::new().file("t/f", "kept").make(&place).join("t");
            let inode = fs::metadata(&tree).unwrap().ino();
            let run = Job::new(kind, [&tree], &*place).folders(rule).run().not_done();
            assert_eq!(read(tree.join("f")), b"kept", "{kind:?} {rule:?} {:?}", run.summary);
            assert_eq!(fs::metadata(&tree).unwrap().ino(), inode);
            assert_eq!(names(&place), ["t"]);
        }
    }
}

#[test]
fn two_folders_of_a_job_replace_an_old_one_and_not_each_other() {
    for kind in KINDS {
        let place = scratch();
        Tree::new().file("one/t/f", "first").make(&place);
        Tree::new().file("two/t/f", "second").make(&place);
        let into = Tree::new().file("t/f", "old").make(&place.join("into"));
        let sources = [place.join("one/t"), place.join("two/t")];
        let run = Job::new(kind, &sources, &into).folders(FolderRule::Replace).run().done();
        let aside = run.aside();
        assert_eq!(names(&into), ["t", "t (2)"], "{kind:?} {:?}", run.summary);
        assert_eq!(read(into.join("t/f")), b"first");
        assert_eq!(read(into.join("t (2)/f")), b"second");
        assert_eq!(aside.0.len(), 1);
        assert_eq!(read(aside.0[0].join("f")), b"old");
    }
}

#[test]
fn of_two_sources_of_one_name_the_first_named_has_it() {
    for kind in KINDS {
        for workers in [1, 4] {
            for _ in 0..10 {
                let place = scratch();
                let tree = Tree::new().file("a/f", "1").file("b/f", "2").file("c/f", "3");
                tree.files("a/many", 50, 10).make(&place);
                let others = (0..50).map(|n| place.join(format!("a/many{n}")));
                // Named in another order than their folders come.
                let sources: Vec<PathBuf> =
                    others.chain(["c/f", "a/f", "b/f"].map(|path| place.join(path))).collect();
                let into = place.join("into");
                let job = Job::new(kind, &sources, &into).rule(ConflictRule::Replace);
                job.workers(workers).run().done();
                assert_eq!(read(into.join("f")), b"3", "{kind:?}");
                assert_eq!(read(into.join("f (2)")), b"1", "{kind:?}");
                assert_eq!(read(into.join("f (3)")), b"2", "{kind:?}");
            }
        }
    }
}

#[test]
fn sources_that_meet_are_asked_about_as_such_and_none_replaces_the_other() {
    let place = scratch();
    Tree::new().file("one/f", "first").make(&place);
    Tree::new().file("two/f", "second").make(&place);
    let into = place.folder("into");
    let sources = [place.join("one/f"), place.join("two/f")];
    let run = copy(&sources, &into).asking().run_answering(|question| {
        assert_eq!(question.class(), QuestionClass::SourcesMeet);
        for action in [Action::Replace, Action::ReplaceIfNewer, Action::KeepExisting] {
            assert!(!question.about.allows(&action), "{action:?}");
        }
        Some((Action::Rename("g".into()), Scope::This))
    });
    run.done();
    assert_eq!((read(into.join("f")), read(into.join("g"))), (b"first".into(), b"second".into()));
}

#[test]
fn an_answer_about_the_old_file_does_not_replace_another_source() {
    for scope in [Scope::This, Scope::AllOfKind, Scope::All] {
        let place = scratch();
        Tree::new().file("one/f", "first").make(&place);
        Tree::new().file("two/f", "second").make(&place);
        let into = Tree::new().file("f", "old").make(&place.join("into"));
        let sources = [place.join("one/f"), place.join("two/f")];
        let mut session = Session::start();
        let job = session.add(copy(&sources, &into).asking());
        let questions = session.wait_questions(job, 2);
        for question in &questions {
            session.answer(job, question.id, Action::Replace, scope);
        }
        let run = session.finish_answering(job, &mut |question| {
            assert_eq!(question.class(), QuestionClass::SourcesMeet);
            Some((Action::KeepBoth, Scope::This))
        });
        let mut kept = [read(into.join("f")), read(into.join("f (2)"))];
        kept.sort();
        assert_eq!(kept, [b"first".to_vec(), b"second".to_vec()], "{scope:?} {:?}", run.summary);
    }
}

#[test]
fn a_file_and_a_folder_of_one_name_can_be_kept_both_ways() {
    for kind in KINDS {
        let place = scratch();
        let tree = Tree::new().file("one", "file").file("two/inner", "in a folder");
        let source = tree.make(&place.join("source"));
        let old = Tree::new().file("one/inner", "old in a folder").file("two", "old file");
        let into = old.make(&place.join("into"));
        let sources = [source.join("one"), source.join("two")];
        let run = Job::new(kind, &sources, &into).rule(ConflictRule::KeepExisting).run().done();
        let context = format!("{kind:?} {:?}", run.summary);
        assert_eq!(read(into.join("one")), b"file", "{context}");
        assert_eq!(read(into.join("one (2)/inner")), b"old in a folder", "{context}");
        assert_eq!(read(into.join("two/inner")), b"in a folder", "{context}");
        assert_eq!(read(into.join("two (2)")), b"old file", "{context}");
        assert_eq!(run.summary.set_aside, 2, "{context}");
    }
}

#[test]
fn what_is_kept_under_another_name_keeps_its_inode_and_its_name_is_never_empty() {
    for (from, to) in [(Fs::Ext4, Fs::Ext4), (Fs::Xfs, Fs::Btrfs), (Fs::Ext4, Fs::Tmpfs)] {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = Tree::new().file_of("f.txt", 2 << 20).link("l", "new").make(&place.join("s"));
        let into = target.folder("into");
        Tree::new().file("f.txt", "old").file("f (2).txt", "in the way").make(&into);
        symlink("old", into.join("l")).unwrap();
        let inode = fs::metadata(into.join("f.txt")).unwrap().ino();
        let sources = [source.join("f.txt"), source.join("l")];
        copy(&sources, &into).rule(ConflictRule::KeepExisting).run().done();
        assert_eq!(names(&into), ["f (2).txt", "f (3).txt", "f.txt", "l", "l (2)"]);
        assert_eq!(fs::metadata(into.join("f (3).txt")).unwrap().ino(), inode);
        assert_eq!(read(into.join("f (3).txt")), b"old");
        assert_eq!(read(into.join("f (2).txt")), b"in the way");
        assert_eq!(read(into.join("f.txt")), read(source.join("f.txt")));
        assert_eq!(fs::read_link(into.join("l")).unwrap(), Path::new("new"));
        assert_eq!(fs::read_link(into.join("l (2)")).unwrap(), Path::new("old"));
    }
}

#[test]
fn a_replaced_folder_keeps_its_hard_links_modes_and_times() {
    let place = scratch();
    let tree = Tree::new()
        .folder("t")
        .mode(0o555)
        .time(1_000, 7)
        .file("t/sub/one", "same")
        .hard_link("u/two", "t/sub/one");
    let source = tree.make(&place.join("source"));
    fs::set_permissions(source.join("t"), fs::Permissions::from_mode(0o750)).unwrap();
    let into = Tree::new().file("t/x", "old").make(&place.join("into"));
    let sources = [source.join("t"), source.join("u")];
    let run = copy(&sources, &into).folders(FolderRule::Replace).workers(1).run().done();
    let _aside = run.aside();
    let what = What::ALL;
    assert_same_tree(&source.join("t"), &into.join("t"), &what);
    let inode = |path| fs::metadata(into.join(path)).unwrap().ino();
    assert_eq!(inode("t/sub/one"), inode("u/two"));
}

#[test]
fn contents_are_compared_beside_the_job() {
    for (old, equal) in [("same bytes", true), ("SAME bytes", false), ("longer than that", false)] {
        let place = scratch();
        let source = Tree::new().file("f", "same bytes").make(&place.join("source")).join("f");
        let into = Tree::new().file("f", old).make(&place.join("into"));
        let mut session = Session::start();
        let job = session.add(copy([&source], &into).asking());
        let asked = session.wait_questions(job, 1).remove(0).id;
        session.send(Command::Compare { job, question: asked });
        let told = session.wait("the comparison", |event| match event {
            ferry::engine::Event::Compared { question, equal, .. } => Some((*question, *equal)),
            _ => None,
        });
        assert_eq!(told, (asked, Some(equal)));
        session.answer(job, asked, Action::Skip, Scope::This);
        session.finish(job).done();
    }
}

#[test]
fn a_skipped_entry_keeps_the_old_folder_in_its_place() {
    let place = scratch();
    let source = Tree::new().file("d/a", "new").socket("d/s").make(&place.join("source")).join("d");
    let into = place.join("into");
    Tree::new().file("d/a", "old").file("d/s", "the only one").make(&into);
    let run = copy([&source], &into).folders(FolderRule::Replace).run();
    assert_eq!(read(into.join("d/s")), b"the only one", "{:?}", run.summary);
    assert_eq!(read(into.join("d (2)/a")), b"new");
}
