//! One tree with everything in it, between all pairs of file systems, compared whole.

use std::path::Path;

use ferry::engine::{NoticeKind, Reflink};

use crate::common::tree::{CAP_NET_BIND_SERVICE, takes_xattrs};
use crate::common::{Fs, Tree, What, assert_same_tree, copy, is_root, moving, names};

/// A tree of every kind of entry, as far as this user may make it in a folder.
pub fn everything(on: &Path) -> Tree {
    let mut tree = Tree::new()
        .folder("tree")
        .mode(0o750)
        .file("tree/empty", "")
        .file("tree/one byte", "1")
        .file_of("tree/page", 4096)
        .file_of("tree/page and one", 4097)
        .file_of("tree/middle", (128 << 10) + 1)
        .file_of("tree/large", (5 << 20) + 3)
        .files("tree/many/file ", 300, 700)
        .folder("tree/empty folder")
        .folder("tree/.hidden/a/b/c/d")
        .file("tree/.hidden/a/b/c/d/.deep", "deep")
        .file("tree/private", "secret")
        .mode(0o600)
        .file("tree/read only", "read")
        .mode(0o444)
        .file("tree/program", "#!/bin/sh")
        .mode(0o4755)
        .folder("tree/sticky")
        .mode(0o1777)
        .folder("tree/group's")
        .mode(0o2775)
        .file("tree/group's/file", "of the group")
        .file("tree/old", "before 1970")
        .time(-86_400, 987_654_321)
        .file("tree/future", "in 2106")
        .time(4_300_000_000, 1)
        .sparse("tree/holes/first", 1 << 20, &[((1 << 20) - 5, b"at the end")])
        .sparse("tree/holes/last", (3 << 20) + 17, &[(0, b"at the start")])
        .sparse("tree/holes/middle", 4_000_001, &[(0, b"start"), (2_000_000, b"middle")])
        .sparse("tree/holes/all", 2_000_003, &[])
        .link("tree/links/relative", "../page")
        .link("tree/links/absolute", "/etc/hostname")
        .link("tree/links/dangling", "no such/file")
        .link("tree/links/cycle", "cycle")
        .link("tree/links/folder", "../many")
        .link(b"tree/links/bytes", b"\xff\xfe not text")
        .hard_link("tree/second name", "tree/middle")
        .hard_link("tree/.hidden/third name", "tree/middle")
        .fifo("tree/special/pipe")
        .mode(0o620)
        .socket("tree/special/socket")
        .file(b"tree/names/not \xff\xc3 text", "1")
        .file("tree/names/line\nbreak", "2")
        .file("tree/names/'single' \"double\" `back`", "3")
        .file("tree/names/-rf", "4")
        .file("tree/names/trailing ", "5")
        .file("tree/names/100% $HOME \\t *", "6")
        .file(format!("tree/names/{}", "n".repeat(255)), "7")
        .folder(format!("tree/names/{}", "ü".repeat(127)));
    if takes_xattrs(on) {
        tree = tree
            .file("tree/noted", "with attributes")
            .xattr("user.note", "hello")
            .xattr("user.bytes", [0, 255, 10])
            .folder("tree/noted folder")
            .xattr("user.folder", "yes")
            .file("tree/listed", "with an access list")
            .acl(1, 6)
            .folder("tree/handing on")
            .default_acl(1, 7)
            .file("tree/handing on/without a list", "x")
            .folder("tree/handing on/folder");
    }
    if is_root() {
        tree = tree
            .device("tree/special/null", 1, 3)
            .mode(0o666)
            .block_device("tree/special/block", 7, 200)
            .file("tree/owned", "by someone")
            .owner(12, 34)
            .file("tree/owned program", "by someone")
            .owner(12, 34)
            .mode(0o6755)
            .link("tree/links/owned", "x")
            .owner(12, 34)
            .folder("tree/owned folder")
            .owner(12, 34)
            .mode(0o2770)
            .file("tree/unreadable", "but for root")
            .mode(0)
            .file("tree/capable", "program")
            .owner(12, 34)
            .xattr("security.capability", CAP_NET_BIND_SERVICE)
            .mode(0o755);
    }
    tree
}

/// What is compared between two file systems.
fn what(from: &Path, to: &Path) -> What {
    What { xattrs: takes_xattrs(from) && takes_xattrs(to), ..What::ALL }
}

fn is_copied(from: Fs, to: Fs) {
    let (Some(source), Some(target)) = (from.place(), to.place()) else { return };
    let _made = everything(&source).make(&source);
    let settings = [(1, false, Reflink::Auto), (2, true, Reflink::Never), (4, true, Reflink::Auto)];
    for (workers, verify, reflink) in settings {
        let into = target.join(format!("with {workers}"));
        let mut job = copy([source.join("tree")], &into).workers(workers).reflink(reflink);
        if verify {
            job = job.verify();
        }
        let run = job.run().done();
        assert_same_tree(&source.join("tree"), &into.join("tree"), &what(&source, &target));
        assert_eq!(names(&into), ["tree"]);
        assert_eq!(run.notice(NoticeKind::Socket).map(|notice| notice.count), Some(1));
        // Each file is read back, or is a clone, or a name more of one that is.
        let clones = run.notice(NoticeKind::CloneNotVerified).map_or(0, |notice| notice.count);
        let known = run.summary.verified + clones;
        assert_eq!(known > 300, verify, "{:?}", run.summary);
        if reflink == Reflink::Never {
            assert_eq!(run.summary.bytes.cloned, 0);
        }
    }
}

fn is_moved(from: Fs, to: Fs) {
    let (Some(source), Some(target)) = (from.place(), to.place()) else { return };
    let tree = everything(&source);
    let (expected, moved) = (source.folder("expected"), source.folder("moved"));
    tree.make(&expected);
    tree.make(&moved);
    let into = target.join("into");
    let run = moving([moved.join("tree")], &into).run().done();
    let renamed = from == to;
    let what = What { sockets_left_out: !renamed, ..what(&source, &target) };
    assert_same_tree(&expected.join("tree"), &into.join("tree"), &what);
    if renamed {
        assert_eq!(names(&moved), [""; 0]);
    } else {
        // A socket cannot be copied, so it is not taken away either, nor what holds it.
        assert_eq!(names(&moved.join("tree")), ["special"]);
        assert_eq!(names(&moved.join("tree/special")), ["socket"]);
        assert!(run.notice(NoticeKind::SourceLeft).is_some(), "{:?}", run.summary.notices);
    }
}

macro_rules! pairs {
    ($($name:ident: $from:ident => $to:ident;)*) => {
        $(mod $name {
            use super::*;

            #[test]
            fn everything_is_copied() {
                is_copied(Fs::$from, Fs::$to);
            }

            #[test]
            fn everything_is_moved() {
                is_moved(Fs::$from, Fs::$to);
            }
        })*
    };
}

pairs! {
    ext4_to_ext4: Ext4 => Ext4;
    ext4_to_xfs: Ext4 => Xfs;
    ext4_to_btrfs: Ext4 => Btrfs;
    ext4_to_tmpfs: Ext4 => Tmpfs;
    xfs_to_ext4: Xfs => Ext4;
    xfs_to_xfs: Xfs => Xfs;
    xfs_to_btrfs: Xfs => Btrfs;
    xfs_to_tmpfs: Xfs => Tmpfs;
    btrfs_to_ext4: Btrfs => Ext4;
    btrfs_to_xfs: Btrfs => Xfs;
    btrfs_to_btrfs: Btrfs => Btrfs;
    btrfs_to_tmpfs: Btrfs => Tmpfs;
    tmpfs_to_ext4: Tmpfs => Ext4;
    tmpfs_to_xfs: Tmpfs => Xfs;
    tmpfs_to_btrfs: Tmpfs => Btrfs;
    tmpfs_to_tmpfs: Tmpfs => Tmpfs;
}
