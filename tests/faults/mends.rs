//! Single faults that once lost something, or told it wrongly: one test each.

use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use ferry::engine::faults::{Call, Fault, Faults};
use ferry::engine::{
    Command, ConflictRule, EntryState, ErrorKind, NoticeKind, Operation, Outcome, Phase, Preserve,
    Reflink,
};

use crate::common::{
    Fs, Place, Session, Tree, What, assert_same_tree, copy, moving, names, read, scratch,
    small_tmpfs,
};
use crate::fault::{armed, from_nth, no_fault};

const FUSE: u64 = 0x6573_5546;

/// All file systems say that they are FUSE, and one call fails at them.
fn on_fuse(call: Call, fault: Fault) -> Faults {
    Faults::inject(move |made, _| match made {
        Call::FileSystem => Some(Fault::Tell(FUSE)),
        made if made == call => Some(fault),
        _ => None,
    })
}

#[test]
fn what_a_file_system_says_only_when_a_file_is_closed_is_heard() {
    for (call, errno) in [
        (Call::Close, libc::EDQUOT),
        (Call::Close, libc::ENOSPC),
        (Call::Close, libc::EIO),
        (Call::Flush, libc::ENOSPC),
        (Call::Flush, libc::EIO),
    ] {
        let place = scratch();
        let tree = Tree::new().file("small", "new").file_of("large", 3 << 20);
        let source = tree.make(&place.join("source"));
        let into = Tree::new().file("small", "old").make(&place.join("into"));
        let sources = [source.join("small"), source.join("large")];
        let job = copy(sources, &into).rule(ConflictRule::Replace);
        let faults = on_fuse(call, Fault::Fail(errno));
        let run = job.run();
        drop(faults);
        run.failed(2, ErrorKind::Os(errno)).not_done();
        assert_eq!(names(&into), ["small"], "{call:?} {errno}");
        assert_eq!(read(into.join("small")), b"old");
    }
}

#[test]
fn a_file_that_is_longer_than_its_file_system_says_is_copied_to_its_end() {
    for size in [5000, 300_000] {
        let place = scratch();
        let source = Tree::new().file_of("f", size).make(&place.join("source")).join("f");
        let job = copy([&source], place.join("into"));
        let faults = Faults::inject(|made, _| match made {
            Call::FileSystem => Some(Fault::Tell(FUSE)),
            Call::Stat | Call::StatName => Some(Fault::Size(0)),
            _ => None,
        });
        let run = job.run();
        drop(faults);
        assert_eq!(run.done().summary.bytes.done, size as u64);
        assert_same_tree(&source, &place.join("into/f"), &What::ALL);
    }
}

#[test]
fn a_file_that_is_shorter_than_its_file_system_says_is_no_success() {
    let place = scratch();
    let source = Tree::new().file_of("f", 5000).make(&place.join("source")).join("f");
    let into = Tree::new().file("f", "old").make(&place.join("into"));
    for rule in [ConflictRule::KeepBoth, ConflictRule::Replace] {
        let job = copy([&source], &into).rule(rule);
        let faults = on_fuse(Call::Stat, Fault::Size(9000));
        let run = job.run();
        drop(faults);
        run.failed(1, ErrorKind::Changed).not_done();
        assert_eq!(names(&into), ["f"]);
        assert_eq!(read(into.join("f")), b"old");
    }
}

#[test]
fn a_name_that_another_file_took_is_not_linked_to() {
    let place = scratch();
    let tree = Tree::new().file("t/one", "the contents").hard_link("t/two", "t/one");
    let source = tree.make(&place.join("source")).join("t");
    let into = place.join("into");
    let job = copy([&source], &into).workers(1);
    let folder = into.join("t");
    // Somebody puts a file of their own where the first copy is, before it is linked to.
    let armed = armed(Call::HardLink, move |time, _| {
        let first = if folder.join("one").exists() { "one" } else { "two" };
        std::fs::write(folder.join("theirs"), "another").unwrap();
        std::fs::rename(folder.join("theirs"), folder.join(first)).unwrap();
        (time > 1000).then_some(Fault::Short(0))
    });
    let run = job.run().done();
    assert_eq!(armed.calls(), 1);
    drop(armed);
    let mut contents = [read(into.join("t/one")), read(into.join("t/two"))];
    contents.sort();
    assert_eq!(contents, [b"another".to_vec(), b"the contents".to_vec()]);
    assert_eq!(run.notice(NoticeKind::HardLink).map(|notice| notice.count), Some(1));
}

#[test]
fn a_mode_is_not_set_through_a_link_that_took_a_nodes_place() {
    // Before it is looked up, and after.
    for call in [Call::OpenFile, Call::SetMode] {
        let place = scratch();
        let private = Tree::new().file("private", "x").mode(0o600);
        let private = private.make(&place.join("p")).join("private");
        let source = Tree::new().fifo("fifo").mode(0o666).make(&place.join("source")).join("fifo");
        let into = place.folder("into");
        let job = copy([&source], &into);
        let (fifo, target) = (into.join("fifo"), private.clone());
        let armed = armed(call, move |_, name| {
            if name == "fifo" && !fifo.is_symlink() {
                std::fs::rename(&fifo, fifo.with_file_name("away")).unwrap();
                std::os::unix::fs::symlink(&target, &fifo).unwrap();
            }
            None
        });
        let run = job.run();
        assert!(armed.calls() > 0);
        drop(armed);
        assert_eq!(private.metadata().unwrap().permissions().mode() & 0o7777, 0o600);
        assert!(into.join("fifo").is_symlink(), "what somebody put there is theirs");
        if call == Call::OpenFile {
            run.not_done();
        }
    }
}

#[test]
fn interruptions_without_end_are_a_failure_and_not_a_hang() {
    for call in [Call::Read, Call::Write, Call::FlushData, Call::Flush] {
        let place = scratch();
        let source = Tree::new().file_of("f", 5000).make(&place.join("source")).join("f");
        let into = Tree::new().file("f", "old").make(&place.join("into"));
        let job = copy([&source], &into).rule(ConflictRule::Replace);
        let faults = Faults::inject(move |made, _| match made {
            Call::FileSystem => Some(Fault::Tell(FUSE)),
            made if made == call => Some(Fault::Fail(libc::EINTR)),
            _ => None,
        });
        let run = job.run();
        drop(faults);
        run.failed(1, ErrorKind::Os(libc::EINTR)).not_done();
        assert_eq!(read(into.join("f")), b"old", "{call:?}");
        assert_eq!(names(&into), ["f"]);
    }
}

#[test]
fn a_few_interruptions_are_no_failure() {
    for call in [Call::Read, Call::Write, Call::CopyRange] {
        let place = scratch();
        let source = Tree::new().file_of("f", 3 << 20).make(&place.join("source")).join("f");
        let job = copy([&source], place.join("into"));
        let armed = armed(call, |time, _| (time % 3 != 0).then_some(Fault::Fail(libc::EINTR)));
        job.run().done();
        drop(armed);
        assert_same_tree(&source, &place.join("into/f"), &What::ALL);
    }
}

#[test]
fn when_every_other_name_is_taken_it_is_said() {
    let Some(place) = Fs::Tmpfs.place() else { return };
    let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
    let into = place.folder("into");
    std::fs::write(into.join("f"), "old").unwrap();
    for number in 2..10_000 {
        let name = ferry::engine::other_name("f".as_ref(), ferry::engine::FileKind::File, number);
        std::fs::File::create(into.join(name)).unwrap();
    }
    let _none = no_fault();
    let run = copy([&source], &into).rule(ConflictRule::KeepBoth).run();
    run.failed(1, ErrorKind::BadName).not_done();
    assert_eq!(read(into.join("f")), b"old");
    assert_eq!(names(&into).len(), 9_999);
}

#[test]
fn a_name_that_is_taken_and_never_there_is_a_failure_and_not_a_hang() {
    for rule in [ConflictRule::Skip, ConflictRule::Replace, ConflictRule::KeepBoth] {
        let place = scratch();
        let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
        let job = copy([&source], place.join("into")).rule(rule);
        let armed = from_nth(Call::Create, 1, Fault::Fail(libc::EEXIST));
        let run = job.run().not_done();
        drop(armed);
        assert_eq!(run.summary.entries.failed, 1, "{rule:?}");
        assert_eq!(names(&place.join("into")), [""; 0]);
    }
}

#[test]
fn a_copy_that_was_edited_before_it_was_verified_is_the_users_own() {
    let place = scratch();
    let source = Tree::new().file_of("f", 5000).make(&place.join("source")).join("f");
    let into = place.folder("into");
    let job = copy([&source], &into).verify();
    let copied = into.join("f");
    let armed = armed(Call::FlushFileSystem, move |_, _| {
        std::fs::write(&copied, "edited").unwrap();
        None
    });
    let run = job.run();
    assert_eq!(armed.calls(), 1);
    drop(armed);
    run.failed(1, ErrorKind::Changed).not_done();
    assert_eq!(read(into.join("f")), b"edited");
}

#[test]
fn a_cancel_is_heard_while_the_device_is_flushed() {
    let place = scratch();
    let source = Tree::new().files("t/f", 10, 1000).make(&place.join("source")).join("t");
    let job = copy([&source], place.join("into")).verify();
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let its_gate = Arc::clone(&gate);
    // A device that takes its time: until it is let go.
    let armed = armed(Call::FlushFileSystem, move |_, _| {
        let mut open = its_gate.0.lock().unwrap();
        while !*open {
            open = its_gate.1.wait(open).unwrap();
        }
        None
    });
    let mut session = Session::start();
    let job = session.add(job);
    session.wait("the flush", |event| match event {
        ferry::engine::Event::Progress { snapshot, .. } if snapshot.phase == Phase::Flushing => {
            Some(())
        }
        _ => None,
    });
    session.send(Command::Cancel { job });
    let run = session.finish(job);
    assert_eq!(run.summary.outcome, Outcome::Cancelled);
    assert_eq!(armed.calls(), 1, "it is still being flushed");
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    assert_same_tree(&source, &place.join("into/t"), &What::ALL);
}

#[test]
fn an_input_output_error_is_told_of_the_side_that_has_it() {
    let place = scratch();
    let source = Tree::new().file_of("f", (1 << 20) - 1).make(&place.join("source")).join("f");
    // The source: not its first bytes, but some that the same call was to copy.
    for bad in [1, 2, 5] {
        let into = place.folder(&format!("into {bad}"));
        let job = copy([&source], &into);
        let faults = Faults::inject({
            let reads = std::sync::atomic::AtomicUsize::new(0);
            move |made, _| match made {
                Call::CopyRange => Some(Fault::Fail(libc::EIO)),
                Call::Read if reads.fetch_add(1, Ordering::SeqCst) + 1 >= bad => {
                    Some(Fault::Fail(libc::EIO))
                }
                _ => None,
            }
        });
        let run = job.run().failed(1, ErrorKind::Os(libc::EIO));
        drop(faults);
        let error = &run.summary.failures[0].error;
        assert_eq!((error.operation, &error.path), (Operation::Read, &source));
        assert_eq!(names(&into), [""; 0]);
    }
    let into = place.folder("into");
    let job = copy([&source], &into);
    let armed = from_nth(Call::CopyRange, 1, Fault::Fail(libc::EIO));
    let run = job.run().failed(1, ErrorKind::Os(libc::EIO));
    drop(armed);
    let error = &run.summary.failures[0].error;
    assert_eq!((error.operation, &error.path), (Operation::Write, &into.join("f")));
}

#[test]
fn files_that_all_have_one_inode_number_are_still_different_files() {
    let (Some(place), Some(other)) = (Fs::Tmpfs.place(), small_tmpfs(64 << 20, 0)) else { return };
    let tree = Tree::new()
        .file("t/a", "first")
        .hard_link("t/a2", "t/a")
        .file("t/b", "second, longer")
        .hard_link("t/b2", "t/b")
        .file("t/c", "third")
        .files("t/many", 50, 700);
    let expected = tree.make(&place.join("expected")).join("t");
    let source = tree.make(&place.join("source")).join("t");
    let one_number = || {
        Faults::inject(|made, _| {
            matches!(made, Call::Stat | Call::StatName).then_some(Fault::Tell(77))
        })
    };
    let what = What { hard_links: false, ..What::ALL };
    let job = copy([&source], other.join("copied")).verify();
    let faults = one_number();
    job.run().done();
    drop(faults);
    assert_same_tree(&expected, &other.join("copied/t"), &what);
    let job = moving([&source], other.join("moved"));
    let faults = one_number();
    job.run().done();
    drop(faults);
    assert_same_tree(&expected, &other.join("moved/t"), &what);
}

#[test]
fn a_current_folder_that_is_gone_is_said_and_does_not_hang() {
    let place = scratch();
    let source = Tree::new().file("f", "x").make(&place.join("source")).join("f");
    for into in ["into", "a/b/c", ".", ""] {
        let job = copy([&source], into);
        let armed = from_nth(Call::OpenFolder, 1, Fault::Fail(libc::ENOENT));
        let run = job.run();
        drop(armed);
        assert_eq!(run.summary.outcome, Outcome::Refused, "{into:?}");
    }
}

#[test]
fn an_inherited_access_list_that_cannot_be_taken_off_is_said() {
    let Some(place) = Fs::Ext4.place() else { return };
    let source = Tree::new().file("f", "x").mode(0o640).make(&place.join("source")).join("f");
    for (number, call) in [Call::RemoveXattr, Call::GetXattr].into_iter().enumerate() {
        let into = format!("into {number}");
        let into = Tree::new().folder(&into).default_acl(1, 7).make(&place).join(&into);
        let job = copy([&source], &into);
        let armed = from_nth(call, 1, Fault::Fail(libc::EIO));
        let run = job.run().done();
        drop(armed);
        let others = into.join("f").metadata().unwrap().mode() & 0o007;
        assert_eq!(others, 0);
        let said = run.notice(NoticeKind::Acl).is_some();
        let what = What::ALL;
        assert!(said || crate::common::differences(&source, &into.join("f"), &what).is_empty());
    }
}

#[test]
fn a_folder_that_failed_is_made_anew_when_it_is_tried_again() {
    let place = scratch();
    let source = Tree::new().folder("t").mode(0o751).file("t/f", "x").make(&place.join("source"));
    let into = place.folder("into");
    let failing = Arc::new(AtomicBool::new(true));
    let its = Arc::clone(&failing);
    let faults = Faults::inject(move |made, name| {
        let fails = made == Call::OpenFolder && name == "t" && its.load(Ordering::SeqCst);
        // The source's comes first, the destination's after it was made.
        (fails && into.join("t").exists()).then_some(Fault::Fail(libc::EMFILE))
    });
    let run = copy([source.join("t")], place.join("into")).asking_failures().run_answering(|_| {
        failing.store(false, Ordering::SeqCst);
        Some((ferry::engine::Action::Retry, ferry::engine::Scope::This))
    });
    drop(faults);
    let run = run.done();
    assert_eq!(run.entry("t"), EntryState::Done);
    assert_same_tree(&source.join("t"), &place.join("into/t"), &What::ALL);
}

#[test]
fn holes_are_found_where_the_file_systems_word_is_not_to_be_trusted() {
    const ZFS: u64 = 0x2FC1_2FC1;
    let Some(place) = Fs::Ext4.place() else { return };
    let tree = Tree::new()
        .sparse("t/middle", 9_000_001, &[(4_000_000, b"an island")])
        .sparse("t/end", 5_000_000, &[(4_999_999, b"x")])
        .sparse("t/start", 5_000_000, &[(0, b"x")])
        .sparse("t/all", 3_000_000, &[])
        .file_of("t/full", 3_000_000);
    let source = tree.make(&place.join("source")).join("t");
    for (number, magic) in [ZFS, FUSE, 12345].into_iter().enumerate() {
        let into = place.join(format!("into {number}"));
        let job = copy([&source], &into).verify();
        // Nobody may ask where the data is: ZFS has answered wrongly.
        let faults = Faults::inject(move |made, _| match made {
            Call::FileSystem => Some(Fault::Tell(magic)),
            Call::Seek | Call::CopyRange | Call::Clone => panic!("{made:?} is not to be trusted"),
            _ => None,
        });
        job.run().done();
        drop(faults);
        assert_same_tree(&source, &into.join("t"), &What::ALL);
    }
}

#[test]
fn a_file_with_holes_that_becomes_shorter_is_not_padded() {
    let Some(place) = Fs::Ext4.place() else { return };
    let made = || Tree::new().sparse("f", 50 << 20, &[(0, b"start"), (20 << 20, b"middle")]);
    for (number, (time, cut)) in
        [(1, 1 << 20), (2, 10 << 20), (3, 30 << 20)].into_iter().enumerate()
    {
        let source = made().make(&place.join(format!("source {number}"))).join("f");
        let into = place.join(format!("into {number}"));
        let job = copy([&source], &into);
        let shortened = source.clone();
        let armed = armed(Call::Seek, move |now, _| {
            if now == time {
                let file = std::fs::File::options().write(true).open(&shortened).unwrap();
                file.set_len(cut).unwrap();
            }
            None
        });
        let run = job.run();
        drop(armed);
        run.failed(1, ErrorKind::Changed).not_done();
        let len = into.join("f").metadata().map_or(0, |facts| facts.len());
        assert!(len <= cut, "padded to {len} of {cut}");
    }
}

/// A file `f` that fails so often before it can be made, beside another one.
fn failing_to_be_made(times: usize, errno: i32) -> (Place, Faults) {
    let place = scratch();
    Tree::new().file("t/f", "f").file("t/g", "g").make(&place);
    let count = AtomicUsize::new(0);
    let faults = Faults::inject(move |made, name| {
        let fails = made == Call::Create && name == "f";
        (fails && count.fetch_add(1, Ordering::SeqCst) < times).then_some(Fault::Fail(errno))
    });
    (place, faults)
}

#[test]
fn a_passing_fault_is_tried_again_at_the_end_and_not_for_ever() {
    for errno in [libc::EIO, libc::EBUSY, libc::ETIMEDOUT, libc::ENOMEM, libc::EMFILE] {
        for times in [1, 2, 3, usize::MAX] {
            let (place, faults) = failing_to_be_made(times, errno);
            let run = copy([place.join("t")], place.join("into")).run();
            drop(faults);
            assert_eq!(read(place.join("into/t/g")), b"g");
            let done = times <= 2;
            assert_eq!(run.summary.all_done(), done, "{errno} {times} {:?}", run.summary);
            assert_eq!(place.join("into/t/f").exists(), done);
            assert_eq!(run.summary.entries.failed, u64::from(!done));
        }
    }
}

#[test]
fn what_does_not_pass_by_itself_is_not_tried_again() {
    for errno in [libc::EACCES, libc::EPERM, libc::ENOSPC, libc::EDQUOT, libc::EROFS] {
        let (place, faults) = failing_to_be_made(1, errno);
        let run = copy([place.join("t")], place.join("into")).run();
        drop(faults);
        run.failed(1, ErrorKind::Os(errno));
    }
}

#[test]
fn a_passing_fault_is_asked_about_only_when_it_stays() {
    for (times, asked) in [(1, 0), (3, 1)] {
        let (place, faults) = failing_to_be_made(times, libc::EIO);
        let mut questions = 0;
        let job = copy([place.join("t")], place.join("into")).asking_failures();
        let run = job.run_answering(|_| {
            questions += 1;
            Some((ferry::engine::Action::Retry, ferry::engine::Scope::This))
        });
        drop(faults);
        assert_eq!(questions, asked, "{:?}", run.done().summary);
        assert_eq!(read(place.join("into/t/f")), b"f");
    }
}

#[test]
fn an_answer_is_remembered_when_what_it_brings_fails() {
    // Asked once about the name, then the copy fails for good, then it is tried again: the
    // answer still holds.
    let place = scratch();
    Tree::new().file("t/f", "new").file("into/t/f", "old").make(&place);
    let failing = Arc::new(AtomicBool::new(false));
    let its = Arc::clone(&failing);
    let faults = Faults::inject(move |made, name| {
        let fails = made == Call::OpenFile && name == "f" && its.load(Ordering::SeqCst);
        fails.then_some(Fault::Fail(libc::EACCES))
    });
    let mut asked = Vec::new();
    let job = copy([place.join("t")], place.join("into")).asking();
    let run = job.run_answering(|question| {
        asked.push(question.class());
        Some(match question.class() {
            ferry::engine::QuestionClass::Failure => {
                failing.store(false, Ordering::SeqCst);
                (ferry::engine::Action::Retry, ferry::engine::Scope::This)
            }
            _ => {
                failing.store(true, Ordering::SeqCst);
                (ferry::engine::Action::Replace, ferry::engine::Scope::This)
            }
        })
    });
    drop(faults);
    run.done();
    use ferry::engine::QuestionClass::{Failure, FileExists};
    assert_eq!(asked, [FileExists, Failure]);
    assert_eq!(read(place.join("into/t/f")), b"new");
}

/// The other tests do not wait for faults that last.
#[test]
fn a_fault_that_may_pass_is_given_a_moment() {
    const MOMENT: Duration = Duration::from_millis(250);
    let place = scratch();
    let source = Tree::new().file("f", "x").make(&place.join("source")).join("f");
    let (first, past) = (Mutex::new(None::<Instant>), Arc::new(AtomicBool::new(false)));
    let passed = Arc::clone(&past);
    let faults = Faults::inject(move |call, _| {
        if call != Call::Create {
            return None;
        }
        let mut first = first.lock().unwrap();
        let since = first.get_or_insert_with(Instant::now).elapsed();
        passed.store(since >= MOMENT, Ordering::SeqCst);
        (since < MOMENT).then_some(Fault::Fail(libc::EIO))
    });
    let faults = faults.waiting();
    copy([&source], place.join("into")).run().done();
    drop(faults);
    assert!(past.load(Ordering::SeqCst));
}

#[test]
fn a_source_that_changes_before_it_is_taken_away_stays_and_is_no_success() {
    let place = scratch();
    let Some(other) = Fs::Tmpfs.place() else { return };
    for change in ["touch", "longer", "another"] {
        let source = place.join(change);
        Tree::new().file("t/f", "moved").file("t/g", "goes").make(&source);
        let path = source.join("t/f");
        let its = path.clone();
        let faults = Faults::inject(move |made, _name| {
            if made == Call::FlushFileSystem {
                match change {
                    "touch" => drop(
                        std::fs::File::open(&its)
                            .unwrap()
                            .set_modified(std::time::SystemTime::UNIX_EPOCH),
                    ),
                    "longer" => std::fs::write(&its, "moved and more").unwrap(),
                    _ => {
                        std::fs::remove_file(&its).unwrap();
                        std::fs::write(&its, "other").unwrap();
                    }
                }
            }
            None
        });
        let run = moving([source.join("t")], other.join(change)).run();
        drop(faults);
        assert!(!run.summary.all_done(), "{change}: {:?}", run.summary);
        assert_eq!((run.summary.entries.failed, run.summary.changed), (1, 1), "{change}");
        assert!(path.exists() && !source.join("t/g").exists(), "{change}");
        assert_eq!(read(other.join(change).join("t/f")), b"moved", "{change}");
    }
}

#[test]
fn what_is_too_large_for_fat_fails_before_anything_of_it_is_written() {
    const MSDOS: u64 = 0x4D44;
    for keep in [Preserve::ALL, Preserve::NONE] {
        let place = scratch();
        let tree = Tree::new().file("small", "s").sparse("huge", 4 << 30, &[]);
        let source = tree.sparse("larger", (4 << 30) - 1, &[]).make(&place.join("source"));
        let sources = ["small", "huge", "larger"].map(|name| source.join(name));
        let mut job = copy(&sources, place.join("into"));
        job.spec.options.preserve = keep;
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let faults = Faults::inject(move |made, name| match made {
            Call::FileSystem => Some(Fault::Tell(MSDOS)),
            Call::Create if name.to_string_lossy().contains("huge") => {
                let _before = counted.fetch_add(1, Ordering::SeqCst);
                None
            }
            _ => None,
        });
        let run = job.run();
        drop(faults);
        run.failed(1, ErrorKind::Os(libc::EFBIG)).not_done();
        assert_eq!(begun.load(Ordering::SeqCst), 0, "{keep:?}");
        assert_eq!(names(&place.join("into")), ["larger", "small"], "{keep:?}");
        assert!(source.join("huge").exists());
    }
}

/// A big file and three small ones, copied in this order by one worker; `fails` says which calls
/// that copy find the disk full. Which entries failed, and how many calls there were.
fn beside_a_big_file(fails: fn(usize) -> bool) -> (Vec<String>, usize) {
    let place = scratch();
    let tree = Tree::new().file_of("big", 3 << 20).files("small ", 3, 10_000);
    let source = tree.make(&place.join("source"));
    let all = ["big", "small 0", "small 1", "small 2"];
    let into = place.join("into");
    let job = copy(all.map(|name| source.join(name)), &into).reflink(Reflink::Never).workers(1);
    let full = move |time, _: &OsStr| fails(time).then_some(Fault::Fail(libc::ENOSPC));
    let armed = armed(Call::CopyRange, full);
    let run = job.run();
    let calls = armed.calls();
    drop(armed);
    let failed = all.iter().filter(|name| run.entry(name) == EntryState::Failed);
    let failed: Vec<String> = failed.map(|name| (*name).to_owned()).collect();
    let there = all.iter().filter(|name| !failed.contains(&(**name).to_owned()));
    assert_eq!(names(&into), there.copied().collect::<Vec<_>>());
    (failed, calls)
}

#[test]
fn the_room_of_a_big_file_that_did_not_fit_may_return_a_moment_later() {
    // Two calls for the big file; the third one is the first small file's.
    let (failed, calls) = beside_a_big_file(|time| time == 2 || time == 3);
    assert_eq!((failed, calls), (vec!["big".to_owned()], 6));
    let (failed, calls) = beside_a_big_file(|time| [2, 3, 5].contains(&time));
    assert_eq!((failed, calls), (vec!["big".to_owned()], 7));
}

#[test]
fn a_disk_that_stays_full_is_not_tried_again_for_every_file() {
    let (failed, calls) = beside_a_big_file(|time| time >= 2);
    assert_eq!(failed.len(), 4);
    assert_eq!(calls, 6);
}
