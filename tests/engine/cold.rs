//! Sources that are not in the cache: read ahead, and right all the same.

use std::fs::File;
use std::path::Path;

use rustix::fs::Advice;

use crate::common::{Fs, Tree, What, assert_same_tree, copy, moving, names};

/// More than a batch, of many kinds, so that what is opened ahead is not always next.
fn many(tree: Tree) -> Tree {
    (0..150).fold(tree, |tree, n| match n % 10 {
        0 => tree.fifo(format!("t/{n:03}")),
        1 => tree.link(format!("t/{n:03}"), "002"),
        2 => tree.file(format!("t/{n:03}"), ""),
        3 => tree.file(format!("t/{n:03}"), vec![n as u8; 300_000]),
        _ => tree.file(format!("t/{n:03}"), format!("contents of {n}")),
    })
}

/// Writes a folder's files through to the device and out of the cache.
fn make_cold(folder: &Path) {
    for name in names(folder) {
        let path = folder.join(name);
        if path.symlink_metadata().unwrap().is_file() {
            let file = File::open(path).unwrap();
            file.sync_all().unwrap();
            rustix::fs::fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        }
    }
}

#[test]
fn cold_sources_are_copied_and_moved_right() {
    for (from, to) in [Fs::Ext4, Fs::Xfs, Fs::Btrfs].map(|fs| (fs, Fs::Tmpfs)) {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = many(Tree::new()).make(&place).join("t");
        make_cold(&source);
        copy([&source], &*target).run().done();
        assert_same_tree(&source, &target.join("t"), &What::ALL);
        make_cold(&source);
        moving([&source], target.join("moved")).run().done();
        assert_same_tree(&target.join("t"), &target.join("moved/t"), &What::ALL);
        assert!(!source.exists());
    }
}

#[test]
fn cold_sources_whose_names_are_taken_do_not_disturb_the_next() {
    for from in [Fs::Ext4, Fs::Xfs, Fs::Btrfs] {
        let Some(place) = from.place() else { continue };
        let source = many(Tree::new()).make(&place.join("source")).join("t");
        let into = place.join("into");
        let there = (0..150).step_by(3);
        let there = there.fold(Tree::new(), |t, n| t.file(format!("t/{n:03}"), "was here"));
        let _made = there.make(&into);
        make_cold(&source);
        let run = copy([&source], &into).run();
        assert_eq!(run.summary.entries.unanswered, 50, "{:?}", run.summary);
        for n in 0..150 {
            let (one, other) = (source.join(format!("{n:03}")), into.join(format!("t/{n:03}")));
            if n % 3 == 0 {
                assert_eq!(std::fs::read(other).unwrap(), b"was here");
            } else {
                assert_same_tree(&one, &other, &What::ALL);
            }
        }
    }
}
