//! Clones, real copies, and reading back what was written.

use std::path::Path;

use ferry::engine::{ErrorKind, Event, Means, NoticeKind, Reflink};

use crate::common::{Fs, Tree, What, assert_same_tree, command, copy, names, read};

fn some_files() -> Tree {
    Tree::new()
        .file_of("t/small", 5_000)
        .file_of("t/large", 3 << 20)
        .sparse("t/sparse", (2 << 20) + 5, &[(1 << 20, b"island")])
        .file("t/empty", "")
        .folder("t/folder")
        .link("t/link", "small")
}

fn means(events: &[Event]) -> Vec<Means> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Route { route, .. } => Some(route.means),
            _ => None,
        })
        .collect()
}

/// Whether a file's data is also another file's, by the file system's word.
fn shares_data(path: &Path) -> bool {
    command("sync", &[&path]);
    command("filefrag", &[&"-v", &path]).contains("shared")
}

#[test]
fn always_shares_all_data_where_it_can() {
    for fs in [Fs::Xfs, Fs::Btrfs] {
        let Some(place) = fs.place() else { continue };
        let source = some_files().make(&place.join("source")).join("t");
        let run = copy([&source], place.join("into")).reflink(Reflink::Always).run().done();
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
        assert_eq!(run.summary.bytes.cloned, run.summary.bytes.done, "{fs:?}");
        assert!(run.summary.bytes.cloned > 3 << 20, "{:?}", run.summary.bytes);
        assert!(shares_data(&place.join("into/t/large")), "{fs:?}");
        assert_eq!(means(&run.events), [Means::Clone]);
    }
}

#[test]
fn always_fails_clearly_where_it_cannot_share() {
    let pairs =
        [(Fs::Ext4, Fs::Ext4), (Fs::Tmpfs, Fs::Tmpfs), (Fs::Xfs, Fs::Btrfs), (Fs::Btrfs, Fs::Ext4)];
    for (from, to) in pairs {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = some_files().make(&place).join("t");
        let run = copy([&source], target.join("into")).reflink(Reflink::Always).run().not_done();
        let with_data = 3;
        let failed = run.summary.entries.failed;
        assert!(
            failed == with_data || failed == with_data + 1,
            "{from:?} {to:?} {:?}",
            run.summary
        );
        let clear = |kind: &ErrorKind| *kind == ErrorKind::CannotClone;
        assert!(run.failure_kinds().iter().all(clear), "{:?}", run.summary);
        let mut left = names(&target.join("into/t"));
        left.retain(|name| name != "empty");
        assert_eq!(left, ["folder", "link"], "{from:?} to {to:?}");
    }
}

#[test]
fn auto_shares_where_it_can_and_copies_where_it_cannot() {
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = some_files().make(&place).join("t");
        let run = copy([&source], target.join("into")).run().done();
        assert_same_tree(&source, &target.join("into/t"), &What::ALL);
        let can = from == to && from.clones();
        assert_eq!(run.summary.bytes.cloned > 0, can, "{from:?} {to:?} {:?}", run.summary.bytes);
        let types: Vec<(String, String)> = run
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Route { route, .. } => {
                    Some((route.source_type.clone(), route.destination_type.clone()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(types, [(from.name().to_owned(), to.name().to_owned())]);
    }
}

#[test]
fn never_makes_real_copies() {
    for fs in [Fs::Xfs, Fs::Btrfs] {
        let Some(place) = fs.place() else { continue };
        let source = some_files().make(&place).join("t");
        let run = copy([&source], place.join("into")).reflink(Reflink::Never).run().done();
        assert_eq!(run.summary.bytes.cloned, 0);
        for file in ["large", "sparse"] {
            assert!(!shares_data(&place.join("into/t").join(file)), "{fs:?} {file}");
        }
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
        assert!(!means(&run.events).contains(&Means::Clone));
    }
}

#[test]
fn verify_counts_the_copies_that_were_read_back() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = some_files().make(&place).join("t");
        let job = copy([&source], place.join("into")).reflink(Reflink::Never).verify();
        let run = job.run().done();
        let verified = run.summary.verified;
        assert!(verified == 3 || verified == 4, "3 files with data, one without: {verified}");
        assert_eq!(run.notice(NoticeKind::CloneNotVerified), None);
    }
}

#[test]
fn verify_says_that_clones_need_no_comparison() {
    for fs in [Fs::Xfs, Fs::Btrfs] {
        let Some(place) = fs.place() else { continue };
        let source = Tree::new().file_of("t/a", 1 << 20).file_of("t/b", 1 << 20).make(&place);
        let job = copy([source.join("t")], place.join("into")).reflink(Reflink::Always).verify();
        let run = job.run().done();
        let notice = run.notice(NoticeKind::CloneNotVerified).expect("a notice");
        assert_eq!(notice.count, 2);
        assert_eq!(run.summary.verified, 0);
    }
}

#[test]
fn a_clone_does_not_change_with_its_source() {
    for fs in [Fs::Xfs, Fs::Btrfs] {
        let Some(place) = fs.place() else { continue };
        let source = Tree::new().file_of("f", 1 << 20).make(&place).join("f");
        let before = read(&source);
        copy([&source], place.join("into")).reflink(Reflink::Always).run().done();
        std::fs::write(&source, "something else").unwrap();
        assert_eq!(read(place.join("into/f")), before);
    }
}

/// Sizes around each at which another way is taken.
const SIZES: [usize; 9] =
    [1, 4096, 16_383, 16_384, 262_143, 262_144, 1_048_575, 1_048_576, 5_000_000];

fn many_sizes() -> Tree {
    SIZES.into_iter().fold(Tree::new(), |tree, size| tree.file_of(format!("t/{size}"), size))
}

#[test]
fn every_size_is_right_whether_its_source_is_on_the_device_yet_or_not() {
    for fs in [Fs::Xfs, Fs::Btrfs] {
        let Some(place) = fs.place() else { continue };
        for written in [false, true] {
            let source = many_sizes().make(&place.join(format!("source-{written}"))).join("t");
            if written {
                let folder = std::fs::File::open(&source).unwrap();
                rustix::fs::syncfs(folder).unwrap();
            }
            let into = place.join(format!("into-{written}"));
            let run = copy([&source], &into).run().done();
            assert_same_tree(&source, &into.join("t"), &What::ALL);
            let large: usize = SIZES.into_iter().filter(|size| *size >= 262_144).sum();
            assert!(run.summary.bytes.cloned >= large as u64, "{:?}", run.summary.bytes);
        }
    }
}

#[test]
fn a_file_that_cannot_be_shared_is_copied_where_others_are_shared() {
    let Some(place) = Fs::Btrfs.place() else { return };
    let source = place.folder("t");
    for size in SIZES {
        let name = format!("{size}");
        let (shared, alone) = (source.join(&name), source.join(format!("{name} alone")));
        std::fs::write(&shared, vec![b'x'; size]).unwrap();
        let _empty = std::fs::File::create_new(&alone).unwrap();
        // Without checksums its data cannot be shared with a file that has them.
        let _said = command("chattr", &[&"+C", &alone]);
        std::fs::write(&alone, vec![b'y'; size]).unwrap();
    }
    let into = place.join("into");
    let _run = copy([&source], &into).run().done();
    assert_same_tree(&source, &into.join("t"), &What::ALL);
    for size in SIZES.into_iter().filter(|size| *size >= 16_384) {
        assert!(shares_data(&into.join(format!("t/{size}"))));
        assert!(!shares_data(&into.join(format!("t/{size} alone"))));
    }
}
