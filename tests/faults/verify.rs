//! Reading back: from the device and not from memory, before anything is replaced or removed.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use ferry::engine::faults::{Call, Fault, Faults};
use ferry::engine::{ConflictRule, ErrorKind, NoticeKind, Operation, Reflink};

use crate::common::{
    Fs, Tree, command, copy, moving, names, read, scratch, small_ext4, small_tmpfs,
};
use crate::fault::{armed, no_fault};

/// Changes a byte of a file and nothing else: what a bad cable or bad memory does.
fn spoil(path: &Path) {
    let file = std::fs::File::options().read(true).write(true).open(path).unwrap();
    let before = file.metadata().unwrap().modified().unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, 3000).unwrap();
    file.write_all_at(&[!byte[0]], 3000).unwrap();
    file.set_modified(before).unwrap();
}

/// The only file in a folder that is no file of the test's.
fn temporary(folder: &Path) -> PathBuf {
    let name = names(folder).into_iter().find(|name| name.contains(".ferry-")).unwrap();
    folder.join(name)
}

#[test]
fn a_wrong_copy_is_said_and_not_left() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = Tree::new().file_of("f", 50_000).make(&place.join("source")).join("f");
        let into = place.folder("into");
        let job = copy([&source], &into).reflink(Reflink::Never).verify();
        let copied = into.join("f");
        let armed = armed(Call::FlushFileSystem, move |_, _| {
            spoil(&copied);
            None
        });
        let run = job.run().failed(1, ErrorKind::Mismatch).not_done();
        drop(armed);
        assert_eq!(run.summary.verified, 0, "{fs:?}");
        assert_eq!(names(&into), [""; 0], "a wrong copy is not left as a good one");
    }
}

#[test]
fn a_wrong_replacement_does_not_cost_the_old_file() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = Tree::new().file_of("f", 50_000).make(&place.join("source")).join("f");
        let into = Tree::new().file("f", "the old file").make(&place.join("into"));
        let job = copy([&source], &into).rule(ConflictRule::Replace).verify();
        let job = job.reflink(Reflink::Never);
        let folder = into.clone();
        let armed = armed(Call::Flush, move |_, _| {
            spoil(&temporary(&folder));
            None
        });
        let run = job.clone().run().failed(1, ErrorKind::Mismatch).not_done();
        assert_eq!(armed.calls(), 1);
        drop(armed);
        assert_eq!(run.summary.failures[0].error.operation, Operation::Verify);
        assert_eq!(names(&into), ["f"], "{fs:?}");
        assert_eq!(read(into.join("f")), b"the old file");
        let _none = no_fault();
        let run = job.run().done();
        assert_eq!((read(into.join("f")), run.summary.verified), (read(&source), 1));
    }
}

#[test]
fn a_moved_source_stays_when_its_copy_is_wrong() {
    let (Some(place), Some(other)) = (Fs::Tmpfs.place(), small_tmpfs(16 << 20, 0)) else { return };
    for replaces in [false, true] {
        let source = Tree::new().file_of("f", 50_000).make(&place.join("source")).join("f");
        let into = other.join(format!("into {replaces}"));
        std::fs::create_dir(&into).unwrap();
        if replaces {
            std::fs::write(into.join("f"), "old").unwrap();
        }
        let job = moving([&source], &into).rule(ConflictRule::Replace).verify();
        let call = if replaces { Call::Flush } else { Call::FlushFileSystem };
        let armed = armed(call, move |_, _| {
            spoil(&if replaces { temporary(&into) } else { into.join("f") });
            None
        });
        job.run().failed(1, ErrorKind::Mismatch).not_done();
        drop(armed);
        assert_eq!(read(&source).len(), 50_000);
        std::fs::remove_dir_all(place.join("source")).unwrap();
    }
}

/// Where a file begins on the device of its file system, in bytes.
fn on_device(file: &Path) -> u64 {
    let told = command("filefrag", &[&"-v", &"-b1", &file]);
    let extent = told.lines().find(|line| line.trim_start().starts_with("0:")).unwrap();
    let first = extent.split(':').nth(2).unwrap().split("..").next().unwrap();
    first.trim().parse().unwrap()
}

/// Changes a byte of a file on its device, behind the back of its file system.
fn spoil_on_device(mount: &Path, file: &Path) {
    let device = command("findmnt", &[&"-no", &"SOURCE", &mount]);
    let image = command("losetup", &[&"-nO", &"BACK-FILE", &device.trim()]);
    let image = std::fs::File::options().write(true).open(image.trim()).unwrap();
    image.write_all_at(b"spoilt", on_device(file) + 3000).unwrap();
}

/// Copies with verifying, while the copy gets spoilt on the device after it was flushed, and
/// some calls do not work.
fn spoilt_on_device(broken: &'static [Call]) -> Option<crate::common::Run> {
    let mount = small_ext4(64 << 20)?;
    let place = scratch();
    let source = Tree::new().file_of("f", 50_000).make(&place).join("f");
    let job = copy([&source], &*mount).verify();
    let (at, copied) = (mount.to_path_buf(), mount.join("f"));
    let spoilt = AtomicBool::new(false);
    let faults = Faults::inject(move |made, _| {
        // It was flushed; nothing is dropped yet.
        if made == Call::DropPages && !spoilt.swap(true, Ordering::SeqCst) {
            spoil_on_device(&at, &copied);
        }
        broken.contains(&made).then_some(Fault::Fail(libc::EINVAL))
    });
    let run = job.run();
    drop(faults);
    let good = run.summary.all_done();
    assert_eq!(mount.join("f").exists(), good, "{:?}", run.summary);
    Some(run)
}

#[test]
fn what_is_wrong_on_the_device_alone_is_found() {
    for broken in [
        &[][..],
        &[Call::DropPages],
        &[Call::CachedPages],
        &[Call::OpenDirect],
        &[Call::DropPages, Call::CachedPages],
    ] {
        let Some(run) = spoilt_on_device(broken) else { return };
        assert_eq!(run.summary.entries.failed, 1, "{broken:?} {:?}", run.summary);
        run.failed(1, ErrorKind::Mismatch).not_done();
    }
}

#[test]
fn what_could_be_read_from_memory_alone_is_said() {
    // The control: without dropping and without reading past the cache, nothing is found.
    let broken = &[Call::DropPages, Call::OpenDirect];
    let Some(run) = spoilt_on_device(broken) else { return };
    let run = run.done();
    assert_eq!(run.notice(NoticeKind::VerifiedInMemory).map(|notice| notice.count), Some(1));
}

#[test]
fn nothing_is_said_of_memory_where_the_device_was_read() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let tree = Tree::new().files("t/f", 20, 5000).file_of("t/large", 3 << 20).file("t/e", "");
        let tree = tree.sparse("t/sparse", 9 << 20, &[(5 << 20, b"x")]).file("t/small", "x");
        let source = tree.make(&place.join("source")).join("t");
        for rule in [ConflictRule::Skip, ConflictRule::Replace] {
            let job = copy([&source], place.join("into")).rule(rule).reflink(Reflink::Never);
            let _none = no_fault();
            let run = job.verify().run().done();
            assert_eq!(run.summary.verified, 24, "{fs:?} {rule:?}");
            assert_eq!(run.summary.notices, [], "{fs:?} {rule:?}");
        }
    }
}
