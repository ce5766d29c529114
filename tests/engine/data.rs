//! Bytes: holes, large offsets, sources that change, vanish, or cannot be read.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ferry::engine::{Action, ConflictRule, EntryState, ErrorKind, Reflink, Scope};

use crate::common::big::{big_destination, big_file, big_place};
use crate::common::{
    BIG, Fs, Session, Tree, What, assert_same_tree, copy, moving, names, one_big_copy, pattern,
    read, same_device, scratch, skip,
};

const GIGABYTE: u64 = 1 << 30;

fn errno(errno: rustix::io::Errno) -> ErrorKind {
    ErrorKind::Os(errno.raw_os_error())
}

#[test]
fn islands_beyond_four_gigabytes_stay_where_they_are() {
    let around = |offset: u64| offset - 5;
    let islands: Vec<(u64, Vec<u8>)> = [2 * GIGABYTE, 4 * GIGABYTE, 5 * GIGABYTE]
        .into_iter()
        .enumerate()
        .map(|(number, offset)| (around(offset), pattern(100_003, number as u64 + 1)))
        .collect();
    let islands: Vec<(u64, &[u8])> =
        islands.iter().map(|(offset, bytes)| (*offset, bytes.as_slice())).collect();
    let tree = Tree::new().sparse("huge", 6 * GIGABYTE + 12_345, &islands);
    let pairs =
        Fs::ALL.into_iter().map(|fs| (fs, fs)).chain([(Fs::Ext4, Fs::Tmpfs), (Fs::Btrfs, Fs::Xfs)]);
    for (from, to) in pairs {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = tree.make(&place).join("huge");
        for (name, reflink) in [("auto", Reflink::Auto), ("never", Reflink::Never)] {
            let run = copy([&source], target.join(name)).reflink(reflink).run().done();
            assert_same_tree(&source, &target.join(name).join("huge"), &What::ALL);
            assert_eq!(run.summary.bytes.done, 6 * GIGABYTE + 12_345, "{from:?} {to:?}");
        }
    }
}

#[test]
fn holes_stay_holes_at_every_place_and_odd_sizes() {
    let mut tree = Tree::new();
    for size in [1, 4095, 4096, 65_537, (1 << 20) - 1, (1 << 20) + 1, 10_000_019] {
        tree = tree
            .sparse(format!("t/all {size}"), size, &[])
            .sparse(format!("t/first byte {size}"), size, &[(0, b"1")])
            .sparse(format!("t/last byte {size}"), size, &[(size - 1, b"1")])
            .sparse(format!("t/middle byte {size}"), size, &[(size / 2, b"1")]);
    }
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = tree.make(&place).join("t");
        copy([&source], target.join("into")).reflink(Reflink::Never).run().done();
        assert_same_tree(&source, &target.join("into/t"), &What::ALL);
        let all = std::fs::metadata(target.join("into/t/all 10000019")).unwrap();
        assert!(all.blocks() < 256, "{from:?} {to:?}: {} blocks for a hole", all.blocks());
    }
}

#[test]
fn a_file_larger_than_the_free_space_is_copied_when_it_is_mostly_hole() {
    let Some(small) = crate::common::small_tmpfs(2 << 20, 0) else { return };
    let place = scratch();
    let source = Tree::new().sparse("hole", 5 * GIGABYTE, &[(GIGABYTE, b"x")]).make(&place);
    copy([source.join("hole")], &*small).run().done();
    assert_same_tree(&place.join("hole"), &small.join("hole"), &What::ALL);
}

#[test]
fn a_clone_needs_no_free_space() {
    let _one = one_big_copy();
    let Some(place) = Fs::Btrfs.place() else { return };
    let source = place.join("big");
    big_file(&source);
    for number in 0..4 {
        let into = place.join(format!("into {number}"));
        let run = copy([&source], &into).run().done();
        assert_eq!(run.summary.bytes.cloned, BIG);
        assert_eq!(std::fs::metadata(into.join("big")).unwrap().len(), BIG);
    }
}

#[test]
fn a_terabyte_with_three_islands_is_copied_and_verified_as_three_islands() {
    const TERABYTE: u64 = 1 << 40;
    let last = TERABYTE - 100_003;
    let islands: Vec<(u64, Vec<u8>)> = [5000, TERABYTE / 2 + 1, last]
        .into_iter()
        .map(|offset| (offset, pattern(100_003, offset)))
        .collect();
    let islands: Vec<(u64, &[u8])> =
        islands.iter().map(|(offset, bytes)| (*offset, bytes.as_slice())).collect();
    let tree = Tree::new().sparse("huge", TERABYTE, &islands);
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = tree.make(&place).join("huge");
        for (name, reflink) in [("auto", Reflink::Auto), ("never", Reflink::Never)] {
            let job = copy([&source], target.join(name)).reflink(reflink).verify();
            let run = job.run().done();
            assert_same_tree(&source, &target.join(name).join("huge"), &What::ALL);
            assert_eq!(run.summary.bytes.done, TERABYTE, "{from:?} {to:?}");
            assert!(run.summary.verified == 1 || run.summary.bytes.cloned == TERABYTE);
        }
    }
}

#[test]
fn proc_and_sys_files_are_copied_in_full() {
    let place = scratch();
    for source in [
        "/proc/version",
        "/proc/filesystems",
        "/proc/devices",
        "/proc/kallsyms",
        "/proc/sys/kernel/ostype",
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/kernel/notes",
        "/sys/block/loop0/queue/scheduler",
    ] {
        let source = Path::new(source);
        if !source.exists() {
            continue;
        }
        let run = copy([source], &*place).run().done();
        let copied = place.join(source.file_name().unwrap());
        assert_eq!(read(&copied), read(source), "{}", source.display());
        assert_eq!(run.summary.bytes.done, read(&copied).len() as u64, "{}", source.display());
    }
}

/// Changes a big source once its copy is seen in work; tells how it ended.
fn change_while_copied(
    existing: Option<&str>,
    change: impl FnOnce(&Path),
    check: impl FnOnce(&Path, crate::common::Run),
) {
    let _one = one_big_copy();
    let (place, target) = (big_place(), big_destination());
    let source = place.join("big");
    big_file(&source);
    if let Some(contents) = existing {
        std::fs::write(target.join("big"), contents).unwrap();
    }
    let mut session = Session::start();
    let rule = ConflictRule::Replace;
    let job = session.add(copy([&source], &*target).rule(rule).reflink(Reflink::Never));
    session.wait_in_work(job);
    change(&source);
    let run = session.finish(job);
    if existing.is_none() {
        assert_eq!(run.summary.changed, 1, "{:?}", run.summary);
        assert_eq!(run.entry("big"), EntryState::Changed);
    }
    let run = run.not_done().failed(1, ErrorKind::Changed);
    let mut left = names(&target);
    left.retain(|name| name != "big");
    assert_eq!(left, [""; 0], "remains");
    check(&target.join("big"), run);
}

#[test]
fn a_source_that_shrinks_is_said_to_have_changed_and_not_padded() {
    let shrink = |source: &Path| File::options().write(true).open(source).unwrap().set_len(1000);
    change_while_copied(
        None,
        |source| shrink(source).unwrap(),
        |copied, _| {
            if let Ok(copied) = File::open(copied) {
                let len = copied.metadata().unwrap().len();
                assert!(len < BIG, "padded to the old size");
                let mut end = [0; 4096];
                copied.read_exact_at(&mut end, len.saturating_sub(4096)).unwrap();
                assert_ne!(end, [0; 4096], "padded");
            }
        },
    );
}

#[test]
fn a_source_that_grows_is_said_to_have_changed() {
    let grow = |source: &Path| {
        File::options().append(true).open(source).unwrap().write_all(&pattern(1 << 20, 3)).unwrap();
    };
    change_while_copied(None, grow, |_, _| {});
}

#[test]
fn a_source_that_grows_all_the_time_ends() {
    let go_on = Arc::new(AtomicBool::new(true));
    let mut grower = None;
    change_while_copied(
        None,
        |source| {
            let mut file = File::options().append(true).open(source).unwrap();
            let go_on = Arc::clone(&go_on);
            file.write_all(b"first").unwrap();
            grower = Some(std::thread::spawn(move || {
                let more = pattern(64 << 10, 4);
                let mut written = 0;
                while go_on.load(Ordering::Relaxed) && written < 256 << 20 {
                    written += more.len();
                    file.write_all(&more).unwrap_or(());
                }
            }));
        },
        |_, _| {},
    );
    go_on.store(false, Ordering::Relaxed);
    grower.unwrap().join().unwrap();
}

#[test]
fn a_source_overwritten_while_it_is_copied_is_said_to_have_changed() {
    let overwrite = |source: &Path| {
        let file = File::options().write(true).open(source).unwrap();
        file.write_all_at(b"other bytes", BIG / 2).unwrap();
    };
    change_while_copied(None, overwrite, |_, _| {});
}

#[test]
fn the_old_file_stays_when_the_source_changes_while_it_replaces_it() {
    change_while_copied(
        Some("the old file"),
        |source| File::options().write(true).open(source).unwrap().set_len(1000).unwrap(),
        |copied, _| assert!(read(copied) == b"the old file", "another file is in its place"),
    );
}

#[test]
fn a_moved_source_that_changes_while_it_is_copied_stays() {
    let _one = one_big_copy();
    let (place, target) = (big_place(), big_destination());
    if same_device(&place, &target) {
        skip("no second file system");
        return;
    }
    let source = place.join("big");
    big_file(&source);
    let mut session = Session::start();
    let job = session.add(moving([&source], &*target).reflink(Reflink::Never));
    session.wait_in_work(job);
    let more = pattern(1000, 9);
    File::options().append(true).open(&source).unwrap().write_all(&more).unwrap();
    let run = session.finish(job).not_done();
    assert_eq!(run.summary.changed, 1, "{:?}", run.summary);
    assert_eq!(std::fs::metadata(&source).unwrap().len(), BIG + 1000);
}

#[test]
fn a_source_that_vanished_before_its_turn_is_one_failed_entry() {
    let _one = one_big_copy();
    let (place, target) = (big_place(), big_destination());
    let folder = place.folder("t");
    Tree::new().files("small/f", 500, 10).make(&folder);
    big_file(&folder.join("big"));
    let mut session = Session::start();
    let job = session.add(copy([&folder], &*target).reflink(Reflink::Never).workers(1));
    session.wait_in_work(job);
    std::fs::remove_dir_all(folder.join("small")).unwrap();
    let run = session.finish(job);
    // How many were copied before is the engine's affair; none is lost from the account.
    let entries = &run.summary.entries;
    let copied = names(&target.join("t")).len() + folder_len(&target.join("t/small"));
    assert_eq!(entries.done, copied as u64 + 1, "{entries:?}");
    assert!(run.failure_kinds().iter().all(|&kind| kind == errno(rustix::io::Errno::NOENT)));
    assert_eq!(std::fs::metadata(target.join("t/big")).unwrap().len(), BIG);
}

fn folder_len(folder: &Path) -> usize {
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn a_source_that_vanished_while_it_was_asked_about_fails_and_the_old_file_stays() {
    let place = scratch();
    let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
    let target = Tree::new().file("f", "old").make(&place.join("target"));
    let mut session = Session::start();
    let mut job = copy([&source], &target).asking();
    job.spec.options.failure = ferry::engine::FailureRule::Record;
    let job = session.add(job);
    let question = session.wait_questions(job, 1).remove(0);
    std::fs::remove_file(&source).unwrap();
    session.answer(job, question.id, Action::Replace, Scope::This);
    session.finish(job).failed(1, errno(rustix::io::Errno::NOENT)).not_done();
    assert_eq!(names(&target), ["f"]);
    assert_eq!(read(target.join("f")), b"old");
}

#[test]
fn a_missing_source_fails_and_the_others_are_copied() {
    let place = scratch();
    let source = Tree::new().file("one", "1").file("two", "2").make(&place.join("source"));
    let sources = [source.join("one"), source.join("missing"), source.join("two")];
    let run = copy(&sources, place.join("into")).run().not_done();
    let run = run.failed(1, errno(rustix::io::Errno::NOENT));
    assert_eq!(run.summary.failures[0].error.path, source.join("missing"));
    assert_eq!(names(&place.join("into")), ["one", "two"]);
}

#[test]
fn a_source_that_cannot_be_read_to_its_end_fails_alone_without_remains() {
    let place = scratch();
    let source = Tree::new().files("t/f", 20, 1000).make(&place).join("t");
    let target = place.folder("into");
    // Reading a process's memory at 0, where nothing is, is an input/output error.
    let job = copy([Path::new("/proc/self/mem"), &source], &target);
    let run = job.run().not_done().failed(1, errno(rustix::io::Errno::IO));
    assert_eq!(run.summary.failures[0].error.path, Path::new("/proc/self/mem"));
    assert_eq!(names(&target), ["t"]);
    assert_same_tree(&source, &target.join("t"), &What::ALL);
}

#[test]
fn the_old_file_stays_when_the_source_cannot_be_read() {
    let place = scratch();
    let target = Tree::new().file("mem", "the old file").make(&place.join("into"));
    let job = copy(["/proc/self/mem"], &target).rule(ConflictRule::Replace);
    job.run().failed(1, errno(rustix::io::Errno::IO)).not_done();
    assert_eq!(names(&target), ["mem"]);
    assert_eq!(read(target.join("mem")), b"the old file");
}

#[test]
fn one_byte_more_or_less_than_a_buffer_is_copied_right() {
    let mut tree = Tree::new();
    for power in [12, 16, 17, 18, 19, 20, 22, 23, 24] {
        for size in [(1 << power) - 1, 1 << power, (1 << power) + 1] {
            tree = tree.file_of(format!("t/{size}"), size);
        }
    }
    for (from, to) in [(Fs::Tmpfs, Fs::Tmpfs), (Fs::Ext4, Fs::Tmpfs), (Fs::Btrfs, Fs::Btrfs)] {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let source = tree.make(&place).join("t");
        for (name, reflink) in [("auto", Reflink::Auto), ("never", Reflink::Never)] {
            let job = copy([&source], target.join(name)).reflink(reflink).verify();
            job.run().done();
            assert_same_tree(&source, &target.join(name).join("t"), &What::ALL);
        }
    }
}
