//! Moving: a rename within a file system, across it a copy and then a removal, entry by entry.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use ferry::engine::{
    Action, ConflictRule, EntryState, ErrorKind, Event, JobState, Means, NoticeKind, Reflink, Scope,
};

use crate::common::{
    Fs, Place, Session, Tree, What, assert_same_tree, big_file, bind, copy, moving, names,
    one_big_copy, read, scratch, small_tmpfs,
};

/// Two folders on one file system, then on two.
fn both_ways(test: impl Fn(&Place, &Place)) {
    for (from, to) in [(Fs::Ext4, Fs::Ext4), (Fs::Ext4, Fs::Tmpfs), (Fs::Btrfs, Fs::Xfs)] {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        test(&place, &target);
    }
}

fn inode(path: PathBuf) -> u64 {
    std::fs::symlink_metadata(path).unwrap().ino()
}

#[test]
fn a_move_within_a_file_system_is_a_rename() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = Tree::new().file("t/a/file", "x").file("single", "y").make(&place.join("s"));
        let before = (inode(source.join("t/a/file")), inode(source.join("single")));
        let run =
            moving([source.join("t"), source.join("single")], place.join("into")).run().done();
        let into = place.join("into");
        assert_eq!((inode(into.join("t/a/file")), inode(into.join("single"))), before, "{fs:?}");
        assert_eq!(names(&source), [""; 0]);
        let renamed = run.events.iter().any(
            |event| matches!(event, Event::Route { route, .. } if route.means == Means::Rename),
        );
        assert!(renamed, "{:?}", run.events);
    }
}

#[test]
fn a_move_merges_into_a_folder_that_is_there() {
    both_ways(|place, target| {
        let source = Tree::new().file("t/new", "1").file("t/both/new", "2").file("t/sub/x", "3");
        let source = source.make(&place.join("source"));
        Tree::new().file("t/old", "4").file("t/both/old", "5").make(target);
        moving([source.join("t")], &**target).run().done();
        assert_eq!(names(&source), [""; 0]);
        assert_eq!(names(&target.join("t")), ["both", "new", "old", "sub"]);
        assert_eq!(names(&target.join("t/both")), ["new", "old"]);
        for (path, contents) in [("new", b"1"), ("both/new", b"2"), ("sub/x", b"3"), ("old", b"4")]
        {
            assert_eq!(read(target.join("t").join(path)), contents);
        }
    });
}

#[test]
fn a_skipped_entry_stays_on_both_sides() {
    for rule in [ConflictRule::Skip, ConflictRule::SkipUnanswered] {
        both_ways(|place, target| {
            let tree =
                Tree::new().file("t/a/taken", "new").file("t/a/free", "1").file("t/b/x", "2");
            let source = tree.make(&place.join("source"));
            Tree::new().file("t/a/taken", "old").make(target);
            let run = moving([source.join("t")], &**target).rule(rule).run();
            assert_eq!(run.summary.all_done(), rule == ConflictRule::Skip);
            assert_eq!(read(target.join("t/a/taken")), b"old");
            assert_eq!(read(source.join("t/a/taken")), b"new");
            assert_eq!(names(&source.join("t")), ["a"]);
            assert_eq!(names(&source.join("t/a")), ["taken"]);
            assert_eq!(names(&target.join("t")), ["a", "b"]);
            assert_eq!(names(&target.join("t/a")), ["free", "taken"]);
            assert!(run.notice(NoticeKind::SourceLeft).is_some(), "{:?}", run.summary.notices);
        });
    }
}

#[test]
fn a_moved_file_replaces_and_keeps_both() {
    both_ways(|place, target| {
        for (rule, expected) in [
            (ConflictRule::Replace, vec!["file"]),
            (ConflictRule::KeepBoth, vec!["file", "file (2)"]),
        ] {
            let name = format!("{rule:?}");
            let source = Tree::new().file("file", "new").make(&place.join(&name)).join("file");
            let into = Tree::new().file("file", "old").make(&target.join(&name).join("into"));
            moving([&source], &into).rule(rule).run().done();
            assert_eq!(names(&into), expected);
            assert_eq!(read(into.join(expected.last().unwrap())), b"new");
            assert!(!source.exists());
        }
    });
}

#[test]
fn a_move_never_replaces_what_it_was_not_told_to() {
    both_ways(|place, target| {
        let source = Tree::new().file("file", "new").link("link", "new").fifo("fifo");
        let source = source.make(&place.join("source"));
        Tree::new().file("file", "old").file("link", "old").file("fifo", "old").make(target);
        let sources = ["file", "link", "fifo"].map(|name| source.join(name));
        let run = moving(&sources, &**target).run().not_done();
        assert_eq!(run.summary.entries.unanswered, 3);
        assert_eq!(names(&source), ["fifo", "file", "link"]);
        for name in ["file", "link", "fifo"] {
            assert_eq!(read(target.join(name)), b"old");
        }
    });
}

#[test]
fn a_move_across_keeps_the_source_of_what_does_not_fit() {
    let Some(small) = small_tmpfs(2 << 20, 0) else { return };
    let place = scratch();
    let tree =
        Tree::new().file_of("t/a", 200_000).file_of("t/big", 8 << 20).file_of("t/z", 200_000);
    tree.make(&place.join("expected"));
    let source = tree.make(&place.join("source")).join("t");
    let full = ErrorKind::Os(rustix::io::Errno::NOSPC.raw_os_error());
    let run = moving([&source], &*small).run().failed(1, full).not_done();
    assert_eq!(run.entry("t/big"), EntryState::Failed);
    assert_eq!(names(&source), ["big"]);
    assert_eq!(names(&small.join("t")), ["a", "z"]);
    let what = What { folder_times: false, ..What::ALL };
    for name in ["a", "z"] {
        assert_same_tree(&place.join("expected/t").join(name), &small.join("t").join(name), &what);
    }
    assert_same_tree(&place.join("expected/t/big"), &source.join("big"), &what);
}

#[test]
fn a_moved_entry_that_was_answered_with_skip_stays() {
    both_ways(|place, target| {
        let source = Tree::new().file("t/one", "1").file("t/two", "2").make(&place.join("source"));
        Tree::new().file("t/one", "old").file("t/two", "old").make(target);
        let run = moving([source.join("t")], &**target).asking().run_answering(|question| {
            let skipped = question.path.ends_with("one");
            Some((if skipped { Action::Skip } else { Action::Replace }, Scope::This))
        });
        run.done();
        assert_eq!(names(&source.join("t")), ["one"]);
        assert_eq!(read(target.join("t/one")), b"old");
        assert_eq!(read(target.join("t/two")), b"2");
    });
}

#[test]
fn a_moved_link_is_moved_and_not_what_it_points_to() {
    both_ways(|place, target| {
        let tree = Tree::new().file("kept/file", "x").link("link", "kept").link("dangling", "no");
        let source = tree.make(&place.join("source"));
        moving([source.join("link"), source.join("dangling")], &**target).run().done();
        assert_eq!(names(&source), ["kept"]);
        assert_eq!(names(&source.join("kept")), ["file"]);
        assert_eq!(std::fs::read_link(target.join("link")).unwrap(), PathBuf::from("kept"));
    });
}

#[test]
fn a_verified_move_is_verified_before_its_source_goes() {
    let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
    let tree = Tree::new().files("t/f", 50, 5000).file_of("t/large", 5 << 20);
    tree.make(&place.join("expected"));
    let source = tree.make(&place.join("source"));
    let run = moving([source.join("t")], &*target).verify().reflink(Reflink::Never).run().done();
    assert_eq!(run.summary.verified, 51);
    assert_same_tree(&place.join("expected/t"), &target.join("t"), &What::ALL);
    assert_eq!(names(&source), [""; 0]);
}

#[test]
fn what_comes_into_a_moved_folder_meanwhile_is_not_removed() {
    let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
    let source =
        Tree::new().file("t/a", "1").file("t/b", "2").make(&place.join("source")).join("t");
    Tree::new().file("t/a", "old").make(&target);
    let mut session = crate::common::Session::start();
    let job = session.add(moving([&source], &*target).asking());
    let question = session.wait_questions(job, 1).remove(0);
    std::fs::write(source.join("new"), "came later").unwrap();
    session.answer(job, question.id, Action::Replace, Scope::This);
    let run = session.finish(job);
    assert_eq!(names(&source), ["new"]);
    assert_eq!(read(source.join("new")), b"came later");
    assert_eq!(read(target.join("t/a")), b"1");
    assert!(run.notice(NoticeKind::SourceLeft).is_some(), "{:?}", run.summary.notices);
}

#[test]
fn the_times_of_moved_folders_are_kept() {
    both_ways(|place, target| {
        let tree = Tree::new().folder("t").time(1_111, 111).file("t/inner/file", "x");
        let tree = tree.folder("t/empty").time(2_222, 222);
        tree.make(&place.join("expected"));
        let source = tree.make(&place.join("source"));
        moving([source.join("t")], &**target).run().done();
        assert_same_tree(&place.join("expected/t"), &target.join("t"), &What::ALL);
    });
}

#[test]
fn a_move_between_two_mounts_of_one_file_system_copies_and_removes() {
    let Some(place) = Fs::Ext4.place() else { return };
    let tree = Tree::new().files("t/f", 20, 3000).file("t/a/b/c", "x").folder("t/empty");
    tree.make(&place.join("expected"));
    tree.make(&place.join("source"));
    let Some(mount) = bind(&place) else { return };
    // The kernel renames nothing from one mount to another, though both are one device.
    let run = moving([mount.join("source/t")], place.join("into")).run().done();
    let routes = run.events.iter().filter_map(|event| match event {
        Event::Route { route, .. } => Some(route.means),
        _ => None,
    });
    let routes: Vec<Means> = routes.collect();
    assert_eq!(routes.first(), Some(&Means::Rename));
    assert_ne!(routes.last(), Some(&Means::Rename), "{routes:?}");
    assert_same_tree(&place.join("expected/t"), &place.join("into/t"), &What::ALL);
    assert_eq!(names(&place.join("source")), [""; 0]);
}

#[test]
fn a_move_that_is_no_rename_after_all_leaves_the_fast_lane() {
    let _one = one_big_copy();
    let Some(place) = Fs::Btrfs.place() else { return };
    Tree::new().folder("source").folder("other").make(&place);
    big_file(&place.join("source/big"));
    big_file(&place.join("other/big"));
    let Some(mount) = bind(&place) else { return };
    let mut session = Session::start();
    let long = copy([place.join("other/big")], place.join("long")).reflink(Reflink::Never);
    let long = session.add(long);
    session.wait_in_work(long);
    let quick = moving([mount.join("source/big")], place.join("into")).reflink(Reflink::Never);
    let quick = session.add(quick);
    session.wait_state(quick, JobState::Running);
    session.wait_state(quick, JobState::Queued);
    session.finish(long).done();
    session.finish(quick).done();
    assert_same_tree(
        &place.join("other/big"),
        &place.join("into/big"),
        &What { times: false, holes: false, ..What::ALL },
    );
    assert!(!place.join("source/big").exists());
}

#[test]
fn a_source_that_is_its_own_destination_through_another_mount_stays_whole() {
    for fs in [Fs::Ext4, Fs::Btrfs] {
        let Some(place) = fs.place() else { return };
        let source = Tree::new().file("t/a", "1").file("t/deep/b", "2").make(&place);
        let Some(mount) = bind(&place) else { return };
        for rule in [
            ConflictRule::Replace,
            ConflictRule::KeepBoth,
            ConflictRule::Skip,
            ConflictRule::Different,
            ConflictRule::Newer,
        ] {
            let _run = moving([source.join("t")], &*mount).rule(rule).run();
            assert_eq!(names(&place), ["t"], "{rule:?}");
            assert_eq!(names(&place.join("t")), ["a", "deep"], "{rule:?}");
            assert_eq!(read(place.join("t/a")), b"1");
            assert_eq!(read(place.join("t/deep/b")), b"2");
        }
    }
}

#[test]
fn what_stays_of_a_moved_tree_is_told_entry_by_entry() {
    both_ways(|place, target| {
        let tree = Tree::new().file("t/goes/x", "1").file("t/stays/taken", "2");
        let tree = tree.file("t/stays/goes", "3").socket("t/socket/s").folder("t/hollow");
        let source = tree.make(&place.join("source"));
        Tree::new().file("t/stays/taken", "old").folder("t/socket").make(target);
        let run = moving([source.join("t")], &**target).run().not_done();
        assert_eq!(run.entry("t/stays/taken"), EntryState::Unanswered);
        assert_eq!(run.entry("t/stays/goes"), EntryState::Done);
        // Within a file system a socket is moved along; across it cannot be copied.
        let socket_stays = source.join("t/socket/s").exists();
        let left: &[&str] = if socket_stays { &["socket", "stays"] } else { &["stays"] };
        assert_eq!(names(&source.join("t")), left);
        assert_eq!(names(&source.join("t/stays")), ["taken"]);
        assert_eq!(names(&target.join("t/goes")), ["x"]);
        let notice = run.notice(NoticeKind::SourceLeft).expect("what stayed is said");
        assert_eq!(notice.count, 1 + left.len() as u64, "{notice:?}");
        assert_eq!(run.notice(NoticeKind::Socket).is_some(), socket_stays);
    });
}
