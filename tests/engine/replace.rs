//! A file is replaced by a whole one, in one step, or stays; no short file has a final name.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ferry::engine::{
    About, Action, Command, ConflictRule, EntryState, ErrorKind, JobKind, Outcome, Reflink, Scope,
};

use crate::common::big::big_destination;
use crate::common::{
    BIG, Fs, Job, Session, Tree, What, assert_same_tree, big_source, copy, names, one_big_copy,
    read, same_device, scratch, skip, small_ext4, small_tmpfs,
};

const FULL: ErrorKind = ErrorKind::Os(rustix::io::Errno::NOSPC.raw_os_error());

/// Runs a test on a tmpfs and an ext4 of about four megabytes of room.
fn on_small_disks(test: impl Fn(&Path)) {
    if let Some(small) = small_tmpfs(4 << 20, 0) {
        test(&small);
    }
    if let Some(small) = small_ext4(8 << 20) {
        // What mkfs leaves there is none of the tests' business.
        std::fs::create_dir(small.join("room")).unwrap();
        test(&small.join("room"));
    }
}

#[test]
fn the_old_file_survives_a_full_disk() {
    on_small_disks(|small| {
        let place = scratch();
        let source = Tree::new().file_of("f", 16 << 20).make(&place).join("f");
        let old = Tree::new().file_of("f", 100_000).xattr("user.old", "1").mode(0o640);
        let kept = old.make(&place.join("old"));
        old.make(small);
        let run = copy([&source], small).rule(ConflictRule::Replace).run();
        run.failed(1, FULL).not_done();
        assert_same_tree(&kept.join("f"), &small.join("f"), &What::ALL);
        assert_eq!(names(small), ["f"]);
    });
}

#[test]
fn on_a_full_disk_what_fits_is_still_copied_and_nothing_short_is_left() {
    for workers in [1, 2, 4] {
        on_small_disks(|small| {
            let place = scratch();
            let tree = Tree::new()
                .files("t/a", 20, 10_000)
                .file_of("t/big", 16 << 20)
                .file_of("t/middle/large", 17 << 20)
                .files("t/z", 20, 10_000);
            let source = tree.make(&place).join("t");
            let job = copy([&source], small).workers(workers);
            let run = job.run().not_done();
            // With several workers a small file can meet the moment in which a large one
            // has all the room: then it is a failure too, without remains.
            let failed = run.summary.entries.failed;
            assert!(failed >= 2, "{:?}", run.summary);
            assert!(workers > 1 || failed == 2, "{:?}", run.summary);
            assert!(run.failure_kinds().iter().all(|&kind| kind == FULL), "{:?}", run.summary);
            assert_eq!(run.entry("t/big"), EntryState::Failed);
            let left = names(&small.join("t"));
            assert_eq!(left.len() as u64, 41 - (failed - 2), "{left:?}");
            for name in left.iter().filter(|name| *name != "middle") {
                assert_eq!(read(small.join("t").join(name)), read(source.join(name)), "{name}");
            }
            assert_eq!(names(&small.join("t/middle")), [""; 0]);
            std::fs::remove_dir_all(small.join("t")).unwrap();
        });
    }
}

#[test]
fn a_full_disk_is_asked_about_and_tried_again_when_there_is_room() {
    on_small_disks(|small| {
        let place = scratch();
        let source = Tree::new().file_of("f", 2 << 20).make(&place).join("f");
        Tree::new().file("f", "old").make(small);
        let room = rustix::fs::statvfs(small).unwrap();
        let filler = room.f_bavail * room.f_frsize - (1 << 20);
        Tree::new().file_of("filler", filler as usize).make(small);
        let mut session = Session::start();
        let job = copy([&source], small).rule(ConflictRule::Replace).asking_failures();
        let job = session.add(job);
        let question = session.wait_questions(job, 1).remove(0);
        assert!(matches!(&question.about, About::Failure { error } if error.kind == FULL));
        assert_eq!(read(small.join("f")), b"old");
        assert_eq!(names(small), ["f", "filler"]);
        std::fs::remove_file(small.join("filler")).unwrap();
        session.answer(job, question.id, Action::Retry, Scope::This);
        session.finish(job).done();
        assert_eq!(read(small.join("f")), read(&source));
    });
}

#[test]
fn a_full_disk_without_room_for_one_more_file_is_said() {
    let Some(small) = small_tmpfs(4 << 20, 8) else { return };
    let place = scratch();
    let source = Tree::new().files("t/f", 20, 10).make(&place).join("t");
    let run = copy([&source], &*small).run().not_done();
    let run = run.failed(run_failed(&small), FULL);
    assert!(run.summary.entries.done > 3, "{:?}", run.summary);
}

fn run_failed(small: &Path) -> u64 {
    20 - names(&small.join("t")).len() as u64
}

#[test]
fn replacing_is_one_step_under_another_inode() {
    for (from, to) in [(Fs::Ext4, Fs::Ext4), (Fs::Btrfs, Fs::Btrfs), (Fs::Xfs, Fs::Tmpfs)] {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source =
            Tree::new().file_of("small", 10).file_of("large", 3 << 20).make(&place.join("s"));
        let into = Tree::new().file_of("small", 20).file_of("large", 10).make(&target.join("into"));
        // Whoever has the old file open keeps it whole.
        let open = std::fs::File::open(into.join("small")).unwrap();
        let sources = [source.join("small"), source.join("large")];
        copy(&sources, &into).rule(ConflictRule::Replace).run().done();
        assert_eq!(open.metadata().unwrap().len(), 20);
        let new = std::fs::metadata(into.join("small")).unwrap();
        assert_ne!(open.metadata().unwrap().ino(), new.ino());
        assert_same_tree(&source, &into, &What { folder_times: false, ..What::ALL });
    }
}

#[test]
fn a_users_own_part_files_are_the_users() {
    let place = scratch();
    let source = Tree::new().file_of("f", 3 << 20).make(&place.join("source")).join("f");
    let own = ["f.part", ".f.part", "f~", ".f.tmp", ".f.ferry", "f.partial~", ".f.swp"];
    let mut old = Tree::new().file("f", "old");
    for name in own {
        old = old.file(name, "the user's");
    }
    let into = old.make(&place.join("into"));
    copy([&source], &into).rule(ConflictRule::Replace).run().done();
    assert_eq!(names(&into).len(), own.len() + 1);
    for name in own {
        assert_eq!(read(into.join(name)), b"the user's");
    }
}

#[test]
fn cancel_leaves_no_short_file_and_keeps_what_is_whole() {
    let _one = one_big_copy();
    for kind in [JobKind::Copy, JobKind::Move] {
        let big = big_source();
        let target = big_destination();
        if kind == JobKind::Move && same_device(big, &target) {
            skip("no second file system");
            continue;
        }
        let place = scratch();
        let small = Tree::new().file("t/whole", "whole").make(&place);
        // The small one first, as a job of its own: it is whole before the cancel.
        copy([small.join("t")], &*target).run().done();
        let mut session = Session::start();
        let job = if kind == JobKind::Copy {
            copy([big], &*target)
        } else {
            // Only a copy of the shared file may be moved; cancelled, it stays.
            Job::new(kind, [big], &*target)
        };
        let job = session.add(job.reflink(Reflink::Never));
        session.wait_in_work(job);
        session.send(Command::Cancel { job });
        let run = session.finish(job);
        assert_eq!(run.summary.outcome, Outcome::Cancelled);
        assert!(!run.summary.all_done());
        assert_eq!(names(&target), ["t"], "remains");
        assert_eq!(read(target.join("t/whole")), b"whole");
        assert_eq!(std::fs::metadata(big).unwrap().len(), BIG, "the source stays");
    }
}

#[test]
fn the_old_file_survives_a_cancel() {
    let _one = one_big_copy();
    let target = big_destination();
    std::fs::write(target.join("big"), "the old file").unwrap();
    let mut session = Session::start();
    let job = copy([big_source()], &*target).rule(ConflictRule::Replace);
    let job = session.add(job.reflink(Reflink::Never));
    session.wait_in_work(job);
    session.send(Command::Cancel { job });
    session.finish(job);
    assert_eq!(names(&target), ["big"]);
    assert_eq!(read(target.join("big")), b"the old file");
}

#[test]
fn the_folders_of_a_cancelled_copy_have_their_times_and_modes() {
    let _one = one_big_copy();
    let (source, target) = (crate::common::big::big_place(), big_destination());
    let tree = Tree::new().folder("t").mode(0o750).time(1_234, 567).file("t/a/small", "x");
    let tree = tree.make(&source).join("t");
    copy([big_source()], &tree).run().done();
    crate::common::tree::set_time(&tree, 1_234, 567).unwrap();
    let mut session = Session::start();
    let job = session.add(copy([&tree], &*target).reflink(Reflink::Never).workers(1));
    session.wait_in_work(job);
    session.send(Command::Cancel { job });
    session.finish(job);
    let copied = std::fs::metadata(target.join("t")).unwrap();
    assert_eq!((copied.mode() & 0o7777, copied.mtime(), copied.mtime_nsec()), (0o750, 1_234, 567));
}

#[test]
fn a_file_never_takes_the_place_of_a_folder_nor_the_reverse() {
    let rules = [
        ConflictRule::SkipUnanswered,
        ConflictRule::Skip,
        ConflictRule::Replace,
        ConflictRule::Newer,
        ConflictRule::Different,
        ConflictRule::KeepBoth,
    ];
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in rules {
            let place = scratch();
            let tree = Tree::new().file("one", "file").file("two/inner", "in a folder");
            let source = tree.make(&place.join("source"));
            let old = Tree::new().file("one/inner", "old in a folder").file("two", "old file");
            let into = old.make(&place.join("into"));
            let sources = [source.join("one"), source.join("two")];
            let run = Job::new(kind, &sources, &into).rule(rule).run();
            let context = format!("{kind:?} {rule:?} {:?}", run.summary);
            assert_eq!(read(into.join("one/inner")), b"old in a folder", "{context}");
            assert_eq!(read(into.join("two")), b"old file", "{context}");
            if rule == ConflictRule::KeepBoth {
                assert!(run.summary.all_done(), "{context}");
                assert_eq!(read(into.join("one (2)")), b"file", "{context}");
                assert_eq!(read(into.join("two (2)/inner")), b"in a folder", "{context}");
            } else {
                assert_eq!(names(&into), ["one", "two"], "{context}");
                assert_eq!(read(source.join("one")), b"file", "{context}");
                assert_eq!(read(source.join("two/inner")), b"in a folder", "{context}");
                assert_eq!(run.summary.all_done(), rule == ConflictRule::Skip, "{context}");
            }
        }
    }
}
