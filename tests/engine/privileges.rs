//! As a user without rights: what cannot be kept, read or written.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ferry::engine::{About, Action, ConflictRule, ErrorKind, NoticeKind, Operation, Scope};

use crate::common::process::{Child, NOBODY};
use crate::common::{
    Place, Session, Tree, What, assert_same_tree, command, copy, is_root, moving, names, read,
    same_device, scratch, skip,
};
use crate::test_name;

const DENIED: ErrorKind = ErrorKind::Os(rustix::io::Errno::ACCESS.raw_os_error());

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Another file system than the temporary folder's that everyone may write to.
fn elsewhere() -> Option<Place> {
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() || same_device(memory, &std::env::temp_dir()) {
        skip("no second file system that everyone may write to");
        return None;
    }
    Some(Place::new_in(memory))
}

#[test]
fn read_only_folders_are_filled_and_then_closed() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let tree = Tree::new()
            .folder("t")
            .mode(0o555)
            .file("t/file", "x")
            .mode(0o444)
            .folder("t/inner")
            .mode(0o500)
            .file("t/inner/file", "x")
            .mode(0o400)
            .hard_link("t/inner/second", "t/file")
            .folder("t/inner/innermost")
            .mode(0o555)
            .link("t/inner/link", "x")
            .folder("t/empty")
            .mode(0o555);
        let source = tree.make(&place.join("source")).join("t");
        let run = copy([&source], place.join("into")).run().done();
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
        assert_eq!(run.summary.notices, []);
    });
}

#[test]
fn a_read_only_folder_in_the_way_is_not_opened_up() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let source = Tree::new().file("t/new", "x").make(&place.join("source")).join("t");
        let into = Tree::new().folder("t").mode(0o555).file("t/old", "old");
        let into = into.make(&place.join("into"));
        copy([&source], &into).run().failed(1, DENIED).not_done();
        assert_eq!(names(&into.join("t")), ["old"]);
        let mode = std::fs::metadata(into.join("t")).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o555);
    });
}

#[test]
fn an_unreadable_source_fails_and_its_siblings_are_copied() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let tree = Tree::new().files("t/f", 20, 100).file("t/secret", "x").mode(0);
        let tree = tree.file("t/closed/inner", "x");
        let source = tree.make(&place.join("source")).join("t");
        set_mode(&source.join("closed"), 0);
        let into = place.join("into");
        let run = copy([&source], &into).run().failed(2, DENIED).not_done();
        assert_eq!(run.summary.entries.done, 21, "{:?}", run.summary);
        let mut left = names(&into.join("t"));
        left.retain(|name| name != "closed");
        assert_eq!(left.len(), 20, "{left:?}");
        let mut paths: Vec<PathBuf> =
            run.summary.failures.iter().map(|failure| failure.error.path.clone()).collect();
        paths.sort();
        assert_eq!(paths, [source.join("closed"), source.join("secret")]);
        set_mode(&source.join("closed"), 0o700);
    });
}

#[test]
fn the_old_file_stays_when_the_source_may_not_be_read() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let source = Tree::new().file("f", "new").mode(0).make(&place.join("source"));
        let into = Tree::new().file("f", "old").make(&place.join("into"));
        let job = copy([source.join("f")], &into).rule(ConflictRule::Replace);
        job.run().failed(1, DENIED).not_done();
        assert_eq!(names(&into), ["f"]);
        assert_eq!(read(into.join("f")), b"old");
    });
}

#[test]
fn a_destination_that_may_not_be_written_is_said_once_an_entry() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let source = Tree::new().file("f", "new").make(&place.join("source"));
        let into = place.folder("into");
        set_mode(&into, 0o555);
        let run = copy([source.join("f")], &into).run().not_done();
        assert!(run.failure_kinds().iter().all(|&kind| kind == DENIED), "{:?}", run.summary);
        assert_eq!(run.summary.failures.len(), 1);
        let missing = copy([source.join("f")], into.join("missing")).run().not_done();
        assert_eq!(missing.failure_kinds(), [DENIED]);
        assert_eq!(missing.summary.failures[0].error.operation, Operation::MakeFolder);
    });
}

#[test]
fn a_failure_can_be_tried_again_after_its_cause_is_gone() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let tree = Tree::new().file("t/secret", "x").mode(0).file("t/closed/inner", "y");
        let source = tree.make(&place.join("source")).join("t");
        set_mode(&source.join("closed"), 0);
        let mut session = Session::start();
        let job = session.add(copy([&source], place.join("into")).asking());
        let questions = session.wait_questions(job, 2);
        for question in &questions {
            let About::Failure { error } = &question.about else { panic!("{question:?}") };
            assert_eq!(error.kind, DENIED);
        }
        // Nothing has changed: it is asked again, under another number.
        session.answer(job, questions[0].id, Action::Retry, Scope::This);
        let again = session.wait("the question again", |event| match event {
            ferry::engine::Event::Asked { questions, .. } => questions.first().cloned(),
            _ => None,
        });
        assert_eq!(again.entry, questions[0].entry);
        assert_ne!(again.id, questions[0].id);
        set_mode(&source.join("secret"), 0o600);
        set_mode(&source.join("closed"), 0o755);
        session.answer(job, again.id, Action::Retry, Scope::AllOfKind);
        session.finish(job).done();
        assert_eq!(read(place.join("into/t/secret")), b"x");
        assert_eq!(read(place.join("into/t/closed/inner")), b"y");
    });
}

#[test]
fn an_owner_that_cannot_be_kept_is_said_once_and_no_failure() {
    // Made here by root, copied there by nobody.
    let made = std::env::var_os("MADE_BY_ROOT").map(PathBuf::from);
    if made.is_none() && !is_root() {
        skip("files of another owner need root");
        return;
    }
    let place = made.is_none().then(scratch);
    if let Some(place) = &place {
        set_mode(place, 0o755);
        let tree = Tree::new().files("t/f", 20, 10).file("t/program", "x").mode(0o6755);
        tree.make(place);
    }
    let source = made.unwrap_or_else(|| place.as_ref().unwrap().to_path_buf()).join("t");
    let top = source.parent().unwrap().display().to_string();
    Child::of(test_name!()).by_nobody().variable("MADE_BY_ROOT", &top).run(|| {
        let place = scratch();
        let run = copy([&source], &*place).run().done();
        let what = What { owner: false, modes: false, ..What::ALL };
        assert_same_tree(&source, &place.join("t"), &what);
        let program = std::fs::metadata(place.join("t/program")).unwrap();
        assert_eq!(program.uid(), NOBODY);
        assert_eq!(program.mode() & 0o7777, 0o755, "setuid without its owner");
        let plain = std::fs::metadata(place.join("t/f1")).unwrap();
        assert_eq!(plain.mode() & 0o7777, 0o644);
        let notice = run.notice(NoticeKind::Owner).expect("a notice");
        assert!((21..=22).contains(&notice.count), "{notice:?}");
    });
}

#[test]
fn a_setgid_destination_hands_its_group_on() {
    const GROUP: u32 = 4321;
    let made = std::env::var_os("MADE_BY_ROOT").map(PathBuf::from);
    if made.is_none() && !is_root() {
        skip("another group needs root");
        return;
    }
    let place = made.is_none().then(scratch);
    if let Some(place) = &place {
        set_mode(place, 0o755);
        Tree::new().folder("shared").owner(NOBODY, GROUP).mode(0o2775).make(place);
    }
    let into = made.unwrap_or_else(|| place.as_ref().unwrap().to_path_buf()).join("shared");
    let top = into.parent().unwrap().display().to_string();
    let child = Child::of(test_name!()).by_nobody().in_group(GROUP);
    child.variable("MADE_BY_ROOT", &top).run(|| {
        let place = scratch();
        let source = Tree::new().file("t/file", "x").folder("t/folder").make(&place).join("t");
        copy([&source], &into).run().done();
        for path in ["t", "t/file", "t/folder"] {
            let facts = std::fs::metadata(into.join(path)).unwrap();
            assert_eq!(facts.gid(), GROUP, "{path}");
            if facts.is_dir() {
                assert_eq!(facts.mode() & 0o7777, 0o2755, "{path} hands it on too");
            }
        }
    });
}

#[test]
fn moving_a_read_only_folder_loses_nothing() {
    Child::of(test_name!()).by_nobody().run(|| {
        let (place, Some(other)) = (scratch(), elsewhere()) else { return };
        for target in [&place, &other] {
            let tree = Tree::new()
                .folder("t")
                .mode(0o555)
                .file("t/file", "x")
                .folder("t/inner")
                .mode(0o555)
                .file("t/inner/file", "y");
            let source = tree.make(&place.join("source")).join("t");
            let into = target.join("into");
            let run = moving([&source], &into).run();
            for (path, contents) in [("file", b"x"), ("inner/file", b"y")] {
                let sides = [source.join(path), into.join("t").join(path)];
                let kept: Vec<_> = sides.iter().filter(|path| path.exists()).collect();
                assert!(!kept.is_empty(), "{path} is gone: {:?}", run.summary);
                assert!(kept.iter().all(|path| read(path) == contents));
                assert!(!run.summary.all_done() || kept == [&sides[1]], "{:?}", run.summary);
            }
            command("chmod", &[&"-R", &"u+rwx", &&*place, &&**target]);
            command("rm", &[&"-rf", &place.join("source"), &into]);
        }
    });
}

#[test]
fn a_moved_source_that_cannot_be_removed_is_said_and_stays() {
    Child::of(test_name!()).by_nobody().run(|| {
        let (place, Some(other)) = (scratch(), elsewhere()) else { return };
        let source = Tree::new().file("t/file", "x").make(&place.join("source")).join("t");
        set_mode(&source, 0o555);
        let run = moving([source.join("file")], &*other).run().not_done();
        assert_eq!(read(source.join("file")), b"x");
        assert_eq!(run.failure_kinds(), [DENIED]);
        set_mode(&source, 0o755);
    });
}

#[test]
fn a_file_of_root_is_copied_by_anyone() {
    Child::of(test_name!()).by_nobody().run(|| {
        let place = scratch();
        let run = copy(["/etc/passwd"], &*place).run().done();
        assert_eq!(read(place.join("passwd")), read("/etc/passwd"));
        assert_eq!(run.summary.entries.done, 1);
    });
}
