//! Several file systems in one job: mounts inside a source or a destination, subvolumes.

use ferry::engine::{Event, JobKind, Means, Reflink};

use crate::common::mounts::tmpfs_over;
use crate::common::{
    Fs, Job, Tree, What, assert_same_tree, command, copy, moving, names, read, scratch,
};

/// Mount points look like folders made later: their own times are the mount's.
const INSIDE: What = What { folder_times: false, ..What::ALL };

fn means(events: &[Event]) -> Vec<Means> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Route { route, .. } => Some(route.means),
            _ => None,
        })
        .collect()
}

#[test]
fn a_mount_inside_a_source_is_copied_with_its_own_route() {
    let Some(place) = Fs::Btrfs.place() else { return };
    let source = Tree::new().file("t/a/file", "x").folder("t/mounted").make(&place).join("t");
    let Some(_mount) = tmpfs_over(&source.join("mounted")) else { return };
    Tree::new().file("inner/file", "on another").make(&source.join("mounted"));
    let run = copy([&source], place.join("into")).run().done();
    assert_same_tree(&source, &place.join("into/t"), &INSIDE);
    let mut routes = means(&run.events);
    assert_eq!(routes.len(), 2, "{routes:?}");
    routes.retain(|&means| means == Means::Clone);
    assert_eq!(routes.len(), 1, "only within btrfs");
}

#[test]
fn a_mount_inside_a_destination_is_filled() {
    let Some(place) = Fs::Xfs.place() else { return };
    let tree = Tree::new().file("t/a", "1").file("t/mounted/b", "2").file("t/mounted/c/d", "3");
    let source = tree.make(&place.join("source")).join("t");
    for kind in [JobKind::Copy, JobKind::Move] {
        let into = place.join(format!("{kind:?}"));
        Tree::new().folder("t/mounted").make(&into);
        let Some(mount) = tmpfs_over(&into.join("t/mounted")) else { return };
        Job::new(kind, [&source], &into).run().done();
        assert_eq!(read(into.join("t/a")), b"1");
        assert_eq!(read(mount.join("b")), b"2");
        assert_eq!(read(mount.join("c/d")), b"3");
        assert_eq!(source.exists(), kind == JobKind::Copy);
    }
}

#[test]
fn moving_a_folder_with_a_mount_inside_loses_nothing() {
    let (Some(place), Some(other)) = (Fs::Ext4.place(), Fs::Xfs.place()) else { return };
    for target in [place.join("into"), other.join("into")] {
        let source = Tree::new().file("t/a", "1").folder("t/mounted").make(&place).join("t");
        let Some(mount) = tmpfs_over(&source.join("mounted")) else { return };
        std::fs::write(mount.join("b"), "2").unwrap();
        moving([&source], &target).run();
        // Wherever the mount is now, it can be taken off and what it held is there or moved.
        let sides = [&source, &target.join("t")].map(|side| side.join("mounted/b"));
        let kept: Vec<_> = sides.iter().filter(|path| path.exists()).collect();
        assert!(!kept.is_empty(), "lost");
        assert!(kept.iter().all(|path| read(path) == b"2"));
        assert_eq!(read(target.join("t/a")), b"1");
        for side in [&source, &target.join("t")] {
            // A rename takes the mount along.
            let _not_there =
                std::process::Command::new("umount").arg(side.join("mounted")).output();
        }
        let _gone = std::fs::remove_dir_all(&source);
    }
}

#[test]
fn subvolumes_are_copied_and_moved_between() {
    let Some(place) = Fs::Btrfs.place() else { return };
    for name in ["one", "two"] {
        command("btrfs", &[&"-q", &"subvolume", &"create", &place.join(name)]);
    }
    let tree = Tree::new().file_of("t/large", 1 << 20).file("t/a/b", "x").link("t/link", "a");
    tree.make(&place.join("expected"));
    let source = tree.make(&place.join("one"));
    let into = place.join("two");
    let run = copy([source.join("t")], into.join("copied")).reflink(Reflink::Always).run().done();
    assert_same_tree(&source.join("t"), &into.join("copied/t"), &What::ALL);
    assert!(run.summary.bytes.cloned > 1 << 20);
    moving([source.join("t")], into.join("moved")).run().done();
    assert_same_tree(&place.join("expected/t"), &into.join("moved/t"), &What::ALL);
    assert_eq!(names(&source), [""; 0]);
}

#[test]
fn a_read_only_snapshot_is_a_fine_source_and_stays() {
    let Some(place) = Fs::Btrfs.place() else { return };
    command("btrfs", &[&"-q", &"subvolume", &"create", &place.join("origin")]);
    Tree::new().file_of("large", 1 << 20).file("a/b", "x").make(&place.join("origin"));
    let snapshot = place.join("snapshot");
    let create: [&dyn AsRef<std::ffi::OsStr>; 6] =
        [&"-q", &"subvolume", &"snapshot", &"-r", &place.join("origin"), &snapshot];
    command("btrfs", &create);
    for target in [&place, &scratch()] {
        copy([&snapshot], target.join("into")).run().done();
        assert_same_tree(&snapshot, &target.join("into/snapshot"), &What::ALL);
    }
    let run = moving([snapshot.join("large")], place.join("moved")).run().not_done();
    assert_eq!(names(&snapshot), ["a", "large"]);
    assert_eq!(run.summary.entries.failed, 1, "{:?}", run.summary);
}

#[test]
fn a_read_only_destination_is_said() {
    let Some(place) = Fs::Ext4.place() else { return };
    let into = place.folder("into");
    let Some(mount) = crate::common::bind(&into) else { return };
    command("mount", &[&"-o", &"remount,bind,ro", &&*mount]);
    let source = Tree::new().file("f", "x").make(&place.join("source"));
    let run = copy([source.join("f")], &*mount).run().not_done();
    let read_only = ferry::engine::ErrorKind::Os(rustix::io::Errno::ROFS.raw_os_error());
    assert_eq!(run.failure_kinds(), [read_only]);
    assert_eq!(names(&into), [""; 0]);
}
