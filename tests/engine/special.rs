//! FIFOs, sockets and devices: made anew or left out, never opened for data.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use ferry::engine::{ConflictRule, JobKind, NoticeKind};

use crate::common::{
    Fs, Job, Tree, What, assert_same_tree, copy, is_root, names, read, scratch, skip,
};

const RULES: [ConflictRule; 6] = [
    ConflictRule::SkipUnanswered,
    ConflictRule::Skip,
    ConflictRule::Replace,
    ConflictRule::Newer,
    ConflictRule::Different,
    ConflictRule::KeepBoth,
];

fn specials(tree: Tree) -> Tree {
    let tree = tree.fifo("t/fifo").mode(0o640).socket("t/socket");
    if is_root() { tree.device("t/zero", 1, 5).mode(0o666) } else { tree }
}

#[test]
fn fifos_and_devices_are_made_anew_and_sockets_are_left_out_and_said() {
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = specials(Tree::new().file("t/file", "x")).make(&place).join("t");
        let run = copy([&source], &*target).verify().run().done();
        assert_same_tree(&source, &target.join("t"), &What::ALL);
        let notice = run.notice(NoticeKind::Socket).expect("a notice");
        assert_eq!((notice.count, notice.example.as_path()), (1, Path::new("t/socket")));
        assert_eq!(run.summary.entries.skipped, 1, "{:?}", run.summary);
    }
}

#[test]
fn a_special_file_given_as_a_source_does_not_hang() {
    let place = scratch();
    let source = specials(Tree::new()).make(&place.join("source")).join("t");
    let sources: Vec<_> = names(&source).iter().map(|name| source.join(name)).collect();
    copy(&sources, place.join("into")).run().done();
    assert_same_tree(&source, &place.join("into"), &What { folder_times: false, ..What::ALL });
}

#[test]
fn special_files_in_the_way_of_files_are_never_opened() {
    for kind in [JobKind::Copy, JobKind::Move] {
        for rule in RULES {
            let place = scratch();
            let tree = Tree::new().file("t/fifo", "1").file("t/socket", "2").file("t/zero", "3");
            let source = tree.make(&place.join("source")).join("t");
            let into = place.join("into");
            specials(Tree::new()).make(&into);
            let run = Job::new(kind, [&source], &into).rule(rule).verify().run();
            if rule == ConflictRule::Replace || rule == ConflictRule::Different {
                assert!(run.summary.all_done(), "{rule:?} {:?}", run.summary);
                assert_eq!(read(into.join("t/fifo")), b"1");
                assert_eq!(read(into.join("t/socket")), b"2");
                assert_eq!(read(into.join("t/zero")), b"3");
            }
            if rule == ConflictRule::Skip {
                let left = std::fs::symlink_metadata(into.join("t/fifo")).unwrap();
                assert!(left.file_type().is_fifo());
            }
        }
    }
}

#[test]
fn special_files_over_special_files_are_never_opened() {
    for rule in RULES {
        let place = scratch();
        let source = specials(Tree::new()).make(&place.join("source")).join("t");
        let into = place.join("into");
        specials(Tree::new()).make(&into);
        let run = copy([&source], &into).rule(rule).run();
        let fifo = std::fs::symlink_metadata(into.join("t/fifo")).unwrap();
        assert!(fifo.file_type().is_fifo(), "{rule:?}");
        assert_eq!(run.summary.entries.failed, 0, "{rule:?} {:?}", run.summary);
    }
}

#[test]
fn a_device_in_the_way_keeps_its_data_for_itself() {
    if !is_root() {
        skip("making a device needs root");
        return;
    }
    let place = scratch();
    let source = Tree::new().file("null", "not into the device").make(&place.join("source"));
    let into = Tree::new().device("null", 1, 3).make(&place.join("into"));
    let run = copy([source.join("null")], &into).rule(ConflictRule::SkipUnanswered).run();
    assert_eq!(run.summary.entries.unanswered, 1);
    assert_ne!(std::fs::metadata(into.join("null")).unwrap().rdev(), 0);
    copy([source.join("null")], &into).rule(ConflictRule::Replace).run().done();
    assert_eq!(read(into.join("null")), b"not into the device");
}
