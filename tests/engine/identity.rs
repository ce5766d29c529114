//! A file onto itself, a folder into itself: nothing is lost, nothing is written.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use ferry::engine::{About, Action, ConflictRule, ErrorKind, JobKind, Outcome, Reflink, Scope};

use crate::common::{
    Fs, Job, Place, Tree, What, assert_same_tree, bind, copy, names, read, scratch,
};

/// Of so many sources those that are no folders are not looked at one by one.
const MANY: usize = 300;

#[test]
fn many_sources_are_looked_at_like_few() {
    for count in [3, MANY] {
        let place = scratch();
        let tree = Tree::new().files("file ", count, 10).fifo("pipe").link("link", "nowhere");
        let from = tree.file("folder/in it", "1").folder("around/into").make(&place.join("from"));
        let into = from.join("around/into");
        let mut sources: Vec<PathBuf> = names(&from).iter().map(|name| from.join(name)).collect();
        sources.push(from.join("not there"));
        // The same once more, by another path.
        sources.push(from.join("folder/../pipe"));
        let before = names(&from);
        let run = copy(&sources, &into).rule(ConflictRule::Skip).run().not_done();
        let mut kinds = run.failure_kinds();
        kinds.sort_by_key(|kind| format!("{kind:?}"));
        let not_there = ErrorKind::Os(rustix::io::Errno::NOENT.raw_os_error());
        assert_eq!(kinds, [ErrorKind::IntoItself, not_there], "{count}");
        assert_eq!(names(&from), before, "{count}");
        let mut wanted: Vec<String> = before.into_iter().filter(|name| name != "around").collect();
        wanted.push("pipe (2)".to_owned());
        wanted.sort();
        assert_eq!(names(&into), wanted, "{count}");
        assert_eq!(read(into.join("folder/in it")), b"1");
        assert!(into.join("link").is_symlink() && !into.join("pipe").is_file());
    }
}

const RULES: [ConflictRule; 6] = [
    ConflictRule::SkipUnanswered,
    ConflictRule::Skip,
    ConflictRule::Replace,
    ConflictRule::Newer,
    ConflictRule::Different,
    ConflictRule::KeepBoth,
];

/// Runs every rule, copying and moving, over a file that is its own destination.
fn onto_itself(set_up: impl Fn(&Place) -> Option<(PathBuf, PathBuf)>) {
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in RULES {
            let place = scratch();
            let Some((source, into)) = set_up(&place) else { return };
            let before = std::fs::metadata(&source).unwrap();
            let run = Job::new(kind, [&source], &into).rule(rule).run();
            let context = format!("{kind:?} {rule:?}");
            let after = std::fs::metadata(&source)
                .unwrap_or_else(|error| panic!("{context}: the file is gone: {error}"));
            assert_eq!(read(&source), b"contents", "{context}");
            assert_eq!(after.ino(), before.ino(), "{context}");
            assert_eq!(after.mtime_nsec(), before.mtime_nsec(), "{context}");
            assert_eq!(read(into.join("file")), b"contents", "{context}");
            let found = names(&into);
            match rule {
                ConflictRule::KeepBoth if kind == JobKind::Copy => {
                    assert!(found.contains(&"file (2)".to_owned()), "{context}: {found:?}");
                    assert_eq!(read(into.join("file (2)")), b"contents");
                    assert!(run.summary.all_done(), "{context}: {:?}", run.summary);
                }
                ConflictRule::Replace => {
                    assert_eq!(found.len(), 1, "{context}: {found:?}");
                    assert!(!run.summary.all_done(), "{context}: {:?}", run.summary);
                    let same = |kind: &ErrorKind| *kind == ErrorKind::SameFile;
                    assert!(run.failure_kinds().iter().all(same), "{context}: {:?}", run.summary);
                }
                ConflictRule::KeepBoth => {}
                _ => assert_eq!(found.len(), 1, "{context}: {found:?}"),
            }
        }
    }
}

fn one_file(place: &Place) -> PathBuf {
    Tree::new().file("folder/file", "contents").make(place).join("folder")
}

#[test]
fn a_file_is_not_lost_onto_itself_by_the_same_path() {
    onto_itself(|place| {
        let folder = one_file(place);
        Some((folder.join("file"), folder))
    });
}

#[test]
fn a_file_is_not_lost_onto_itself_through_a_linked_folder() {
    onto_itself(|place| {
        let folder = one_file(place);
        symlink(&folder, place.join("link")).unwrap();
        Some((folder.join("file"), place.join("link")))
    });
    onto_itself(|place| {
        let folder = one_file(place);
        symlink(&folder, place.join("link")).unwrap();
        Some((place.join("link/file"), folder))
    });
}

#[test]
fn a_file_is_not_lost_onto_itself_by_dots() {
    onto_itself(|place| {
        let folder = one_file(place);
        Some((folder.join("file"), folder.join("../folder/./../folder")))
    });
}

#[test]
fn a_file_is_not_lost_onto_its_hard_link() {
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in RULES {
            let place = scratch();
            Tree::new()
                .file("one/file", "contents")
                .hard_link("other/file", "one/file")
                .make(&place);
            let (source, into) = (place.join("one/file"), place.join("other"));
            let run = Job::new(kind, [&source], &into).rule(rule).run();
            let context = format!("{kind:?} {rule:?}");
            assert_eq!(read(into.join("file")), b"contents", "{context}");
            if kind == JobKind::Copy {
                assert_eq!(read(&source), b"contents", "{context}");
                let ids = [&source, &into.join("file")]
                    .map(|path| std::fs::metadata(path).unwrap().ino());
                assert_eq!(ids[0], ids[1], "{context}: still names of one file");
            }
            if rule == ConflictRule::Replace && kind == JobKind::Copy {
                assert!(!run.summary.all_done(), "{context}: {:?}", run.summary);
            }
        }
    }
}

#[test]
fn a_file_is_not_lost_onto_itself_through_a_bind_mount() {
    let place = scratch();
    let folder = one_file(&place);
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in RULES {
            let Some(mount) = bind(&folder) else { return };
            let run = Job::new(kind, [folder.join("file")], &*mount).rule(rule).run();
            let context = format!("{kind:?} {rule:?}: {:?}", run.summary);
            if rule == ConflictRule::KeepBoth {
                let found = names(&folder);
                assert!(
                    found.iter().all(|name| read(folder.join(name)) == b"contents"),
                    "{context}"
                );
                assert!(!found.is_empty(), "{context}");
                let _gone = std::fs::remove_file(folder.join("file (2)"));
                std::fs::write(folder.join("file"), "contents").unwrap();
            } else {
                assert_eq!(names(&folder), ["file"], "{context}");
                assert_eq!(read(folder.join("file")), b"contents", "{context}");
            }
        }
    }
}

#[test]
fn the_question_says_that_both_are_one_file() {
    let place = scratch();
    let folder = one_file(&place);
    let run = copy([folder.join("file")], &folder).asking().run_answering(|question| {
        let About::Conflict { same_file, .. } = &question.about else {
            panic!("{question:?}");
        };
        assert!(same_file);
        assert!(!question.about.allows(&Action::Replace));
        Some((Action::KeepBoth, Scope::This))
    });
    run.done();
    assert_eq!(names(&folder), ["file", "file (2)"]);
}

fn some_tree(place: &Place) -> PathBuf {
    let tree = Tree::new().file("a/file", "contents").file("a/b/c/inner", "inner");
    tree.make(&place.join("expected"));
    tree.make(place).join("a")
}

/// A folder into itself: refused before anything is written.
fn into_itself(source: &Path, into: &Path, expected: &Path) {
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in RULES {
            let run = Job::new(kind, [source], into).rule(rule).run().not_done();
            assert_same_tree(expected, source, &What::ALL);
            let said =
                |kind: &ErrorKind| matches!(kind, ErrorKind::IntoItself | ErrorKind::SameFile);
            assert!(!run.failure_kinds().is_empty(), "{:?}", run.summary);
            assert!(run.failure_kinds().iter().all(said), "{:?}", run.summary);
        }
    }
}

#[test]
fn a_folder_is_not_copied_into_itself() {
    let place = scratch();
    let source = some_tree(&place);
    into_itself(&source, &source, &place.join("expected/a"));
}

#[test]
fn a_folder_is_not_copied_into_its_child() {
    let place = scratch();
    let source = some_tree(&place);
    into_itself(&source, &source.join("b/c"), &place.join("expected/a"));
}

#[test]
fn a_folder_is_not_copied_into_a_child_that_does_not_exist_yet() {
    let place = scratch();
    let source = some_tree(&place);
    into_itself(&source, &source.join("b/new/newer"), &place.join("expected/a"));
}

#[test]
fn a_folder_is_not_copied_into_itself_through_a_link() {
    let place = scratch();
    let source = some_tree(&place);
    symlink(source.join("b"), place.join("link")).unwrap();
    into_itself(&source, &place.join("link"), &place.join("expected/a"));
    into_itself(&source, &place.join("link/c"), &place.join("expected/a"));
}

#[test]
fn a_folder_given_through_a_linked_parent_is_not_copied_into_itself() {
    let place = scratch();
    let source = some_tree(&place);
    symlink(&*place, place.join("around")).unwrap();
    into_itself(&place.join("around/a"), &source.join("b"), &place.join("expected/a"));
}

#[test]
fn a_folder_is_not_copied_into_itself_through_a_bind_mount() {
    let place = scratch();
    let source = some_tree(&place);
    let Some(mount) = bind(&source) else { return };
    into_itself(&source, &mount, &place.join("expected/a"));
    into_itself(&source, &mount.join("b"), &place.join("expected/a"));
}

#[test]
fn a_folder_is_not_copied_for_ever_into_a_bind_mount_of_its_child() {
    let place = scratch();
    let source = some_tree(&place);
    let Some(mount) = bind(&source.join("b")) else { return };
    into_itself(&source, &mount, &place.join("expected/a"));
}

#[test]
fn a_folder_beside_one_with_a_longer_name_is_not_inside_it() {
    let place = scratch();
    let source = Tree::new().file("ab/file", "x").make(&place).join("ab");
    copy([&source], place.join("abc")).run().done();
    assert_same_tree(&source, &place.join("abc/ab"), &What::ALL);
}

#[test]
fn the_other_sources_are_copied_when_one_is_the_destination_itself() {
    let place = scratch();
    let source = some_tree(&place);
    let other = Tree::new().file("other", "x").make(&place.join("o")).join("other");
    let run = copy([&source, &other], source.join("b")).run().not_done();
    // Refusing the whole job is right as well: then nothing is written.
    if run.summary.outcome == Outcome::Done {
        assert_eq!(read(source.join("b/other")), b"x");
    } else {
        assert_eq!(names(&source.join("b")), ["c"]);
    }
    assert!(!source.join("b/a").exists());
}

#[test]
fn a_folder_into_its_own_parent_keeps_all() {
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in RULES {
            let place = scratch();
            let source = some_tree(&place);
            let run = Job::new(kind, [&source], &*place).rule(rule).run();
            let context = format!("{kind:?} {rule:?} {:?}", run.summary);
            let kept = [source.clone(), place.join("a (2)")];
            let kept = kept.iter().find(|path| path.exists()).expect(&context);
            let what = What { folder_times: rule != ConflictRule::KeepBoth, ..What::ALL };
            if rule == ConflictRule::KeepBoth {
                let inner = crate::common::differences(&place.join("expected/a"), kept, &what);
                assert!(inner.iter().all(|line| line.contains("in the copy only")), "{inner:?}");
            } else {
                assert_same_tree(&place.join("expected/a"), kept, &what);
                assert_eq!(names(&place), ["a", "expected"], "{context}");
            }
        }
    }
}

#[test]
fn the_same_source_twice_is_not_lost() {
    for (kind, reflink) in [(JobKind::Copy, Reflink::Auto), (JobKind::Move, Reflink::Never)] {
        for rule in RULES {
            let place = scratch();
            let source = Tree::new().file("file", "contents").make(&place.join("s")).join("file");
            let into = place.join("into");
            Job::new(kind, [&source, &source], &into).rule(rule).reflink(reflink).run();
            assert_eq!(read(into.join("file")), b"contents", "{kind:?} {rule:?}");
        }
    }
}

/// All contents below a folder, sorted.
fn contents_below(folder: &Path) -> Vec<Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let mut contents: Vec<Vec<u8>> = files.map(|entry| read(entry.path())).collect();
    contents.sort();
    contents
}

#[test]
fn two_sources_of_one_name_are_a_conflict_and_neither_is_lost() {
    for kind in [JobKind::Move, JobKind::Copy] {
        for rule in RULES {
            for fs in [Fs::Ext4, Fs::Tmpfs] {
                let (place, Some(target)) = (scratch(), fs.place()) else { continue };
                let into = target.folder("into");
                Tree::new().file("one/file", "1").file("two/file", "2").make(&target.join("same"));
                Tree::new().file("one/file", "3").file("two/file", "4").make(&place);
                let sources = [
                    target.join("same/one/file"),
                    target.join("same/two/file"),
                    place.join("one/file"),
                    place.join("two/file"),
                ];
                let run = Job::new(kind, &sources, &into).rule(rule).run();
                let context = format!("{kind:?} {rule:?} {:?}", run.summary);
                let mut kept = contents_below(&into);
                kept.extend(sources.iter().filter(|path| path.exists()).map(read));
                kept.sort();
                kept.dedup();
                assert_eq!(kept, [b"1", b"2", b"3", b"4"], "{context}");
                let may_replace = matches!(
                    rule,
                    ConflictRule::Replace | ConflictRule::Newer | ConflictRule::Different
                );
                if may_replace {
                    assert_eq!(contents_below(&into), [b"1", b"2", b"3", b"4"], "{context}");
                }
            }
        }
    }
}

#[test]
fn two_folders_of_one_name_are_merged_and_no_file_of_them_is_lost() {
    for kind in [JobKind::Move, JobKind::Copy] {
        for _ in 0..20 {
            let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
            let tree = |number: u8| Tree::new().files("t/f", 30, usize::from(number));
            tree(1).make(&place.join("one"));
            tree(2).make(&target.join("two"));
            let sources = [place.join("one/t"), target.join("two/t")];
            let into = target.folder("into");
            let job = Job::new(kind, &sources, &into).rule(ConflictRule::Replace);
            let run = job.run().done();
            let all = contents_below(&into);
            assert_eq!(all.len(), 60, "{kind:?} {:?}", run.summary);
        }
    }
}

#[test]
fn sources_that_meet_through_a_link_in_the_destination_are_all_kept() {
    for kind in [JobKind::Move, JobKind::Copy] {
        for rule in [ConflictRule::Replace, ConflictRule::Newer, ConflictRule::Different] {
            let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
            Tree::new().file("s/t/x/f", "XXX").file("s/t/y/f", "YYY").make(&place);
            Tree::new().folder("t/y").link("t/x", "y").make(&target);
            let run = Job::new(kind, [place.join("s/t")], &*target).rule(rule).run();
            let all = contents_below(&target);
            assert_eq!(all, [b"XXX", b"YYY"], "{kind:?} {rule:?} {:?}", run.summary);
        }
    }
}
