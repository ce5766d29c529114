//! What is kept when not all is asked for: the rest is not lost, and nothing is said of it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ferry::engine::{ConflictRule, NoticeKind, Preserve};

use crate::common::process::{Child, NOBODY};
use crate::common::tree::takes_xattrs;
use crate::common::{Fs, Tree, What, assert_same_tree, copy, is_root, scratch, skip};
use crate::test_name;

fn tree(on: &Path) -> Tree {
    let mut tree = Tree::new()
        .folder("t")
        .mode(0o750)
        .file("t/plain", "x")
        .mode(0o640)
        .file_of("t/large", 3 << 20)
        .mode(0o604)
        .folder("t/folder")
        .mode(0o700)
        .file("t/folder/file", "x")
        .fifo("t/fifo")
        .mode(0o620)
        .link("t/link", "plain")
        .file("t/one", "of two names")
        .hard_link("t/two", "t/one");
    if takes_xattrs(on) {
        tree = tree.file("t/noted", "x").xattr("user.note", "1");
    }
    if is_root() {
        tree = tree.file("t/owned", "x").owner(12, 34).mode(0o4755);
    }
    tree
}

/// What `What` looks at when this is kept.
fn what(kept: Preserve) -> What {
    What {
        times: kept.times,
        folder_times: kept.times,
        modes: kept.mode && kept.owner,
        owner: kept.owner,
        xattrs: kept.xattrs && kept.mode,
        hard_links: kept.links,
        ..What::ALL
    }
}

fn now() -> i64 {
    rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec
}

#[test]
fn each_thing_alone_and_all_but_it_are_kept() {
    let change = |from: Preserve, number: usize, value: bool| match number {
        0 => Preserve { mode: value, ..from },
        1 => Preserve { times: value, ..from },
        2 => Preserve { owner: value, ..from },
        3 => Preserve { xattrs: value, ..from },
        _ => Preserve { links: value, ..from },
    };
    let mut sets = vec![Preserve::ALL, Preserve::NONE];
    for number in 0..5 {
        sets.push(change(Preserve::NONE, number, true));
        sets.push(change(Preserve::ALL, number, false));
    }
    for fs in [Fs::Ext4, Fs::Btrfs, Fs::Tmpfs] {
        let Some(place) = fs.place() else { continue };
        let source = tree(&place).make(&place).join("t");
        for (number, kept) in sets.iter().enumerate() {
            let into = place.join(number.to_string());
            let began = now() - 1;
            for rule in [ConflictRule::Skip, ConflictRule::Replace] {
                let run = copy([&source], &into).rule(rule).preserve(*kept).run().done();
                // A folder that was there and is filled has a time of its own.
                let folder_times = kept.times && rule == ConflictRule::Skip;
                let what = What { folder_times, ..what(*kept) };
                assert_same_tree(&source, &into.join("t"), &what);
                assert_eq!(run.summary.notices, [], "{kept:?}");
            }
            let made = |path: &str| std::fs::symlink_metadata(into.join("t").join(path)).unwrap();
            for path in ["plain", "large", "fifo", "link"] {
                assert_eq!(made(path).mtime() < began, kept.times, "{path} {kept:?}");
            }
            assert_eq!(made("one").ino() == made("two").ino(), kept.links, "{kept:?}");
            if is_root() {
                let owned = made("owned");
                assert_eq!((owned.uid(), owned.gid()) == (12, 34), kept.owner, "{kept:?}");
                // Setuid is kept only where its owner is.
                assert_eq!(owned.mode() & 0o4000 != 0, kept.owner && kept.mode, "{kept:?}");
            }
            if takes_xattrs(&place) {
                let path = into.join("t/noted");
                let noted = rustix::fs::lgetxattr(&path, "user.note", &mut [0; 9][..]).is_ok();
                assert_eq!(noted, kept.xattrs, "{kept:?}");
            }
        }
    }
}

#[test]
fn without_modes_the_umask_narrows_what_is_made() {
    Child::of(test_name!()).umask(0o027).run(|| {
        let place = scratch();
        let tree = Tree::new()
            .folder("t")
            .mode(0o777)
            .file("t/all", "x")
            .mode(0o777)
            .file("t/private", "x")
            .mode(0o600)
            .file_of("t/large", 3 << 20)
            .mode(0o666)
            .folder("t/folder")
            .mode(0o555)
            .file("t/folder/file", "x")
            .fifo("t/fifo")
            .mode(0o666);
        let source = tree.make(&place.join("source")).join("t");
        copy([&source], place.join("into")).preserve(Preserve::NONE).run().done();
        let mode = |path: &str| {
            let path = place.join("into/t").join(path);
            std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
        };
        let modes = ["", "all", "private", "large", "folder", "fifo"]
            .map(|path| format!("{:o}", mode(path)));
        assert_eq!(modes, ["750", "750", "600", "640", "550", "640"]);
    });
}

#[test]
fn without_modes_a_default_access_list_is_handed_on() {
    for fs in [Fs::Ext4, Fs::Xfs, Fs::Btrfs] {
        let Some(place) = fs.place() else { continue };
        let tree = Tree::new().file("t/file", "x").mode(0o664).file("t/folder/file", "x");
        let source = tree.make(&place.join("source")).join("t");
        let into = Tree::new().folder("into").default_acl(NOBODY, 6).make(&place).join("into");
        copy([&source], &into).preserve(Preserve::NONE).run().done();
        for path in ["t/file", "t/folder/file"] {
            let acl = crate::common::command("getfacl", &[&"-cn", &into.join(path)]);
            assert!(acl.contains(&format!("user:{NOBODY}:rw")), "{fs:?} {path}: {acl}");
        }
    }
}

#[test]
fn an_access_list_of_a_fifo_or_device_is_kept() {
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        if !takes_xattrs(&place) || !takes_xattrs(&target) {
            continue;
        }
        let mut tree = Tree::new().fifo("t/fifo").acl(1, 6).fifo("t/plain").mode(0o640);
        if is_root() {
            tree = tree.device("t/device", 1, 3).acl(2, 4);
        }
        let source = tree.make(&place).join("t");
        let inherited = Tree::new().folder("inherited").default_acl(7, 7).make(&target);
        for into in [target.join("into"), inherited.join("inherited")] {
            for rule in [ConflictRule::Skip, ConflictRule::Replace] {
                let run = copy([&source], &into).rule(rule).run().done();
                let what = What { folder_times: rule == ConflictRule::Skip, ..What::ALL };
                assert_same_tree(&source, &into.join("t"), &what);
                assert_eq!(run.summary.notices, [], "{from:?} {to:?}");
            }
        }
    }
}

#[test]
fn a_fifo_whose_access_list_is_lost_lets_nobody_more_in() {
    let Some(target) = crate::common::ramfs() else { return };
    let place = scratch();
    if !takes_xattrs(&place) {
        skip("no attributes where temporary files are");
        return;
    }
    let source = Tree::new().fifo("fifo").acl(1, 6).make(&place).join("fifo");
    let run = copy([&source], &*target).run().done();
    let mode = std::fs::symlink_metadata(target.join("fifo")).unwrap().mode();
    assert_eq!(mode & 0o020, 0, "the mask became the group's permission");
    assert_eq!(run.notice(NoticeKind::Acl).map(|notice| notice.count), Some(1));
}
