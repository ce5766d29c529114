//! What earlier jobs keep of what they replaced: counted, given back, given up for room.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use ferry::engine::{ConflictRule, Engine, JournalId, KeepReplaced, KeptRoom, NoticeKind, Summary};

use crate::common::{Place, Tree, copy, names, read, scratch, small_ext4, small_tmpfs};
use crate::journal::{replaced, run, store};

const FIRST: JournalId = JournalId(1);
const FILE: usize = 1 << 20;

fn kept(place: &Place) -> std::path::PathBuf {
    place.join("data/Trash/files/one")
}

fn count(summary: &Summary, kind: NoticeKind) -> u64 {
    summary.notices.iter().find(|notice| notice.kind == kind).map_or(0, |notice| notice.count)
}

/// On a tmpfs and an ext4 with room for about seven files.
fn on_small_disks(test: impl Fn(&Path)) {
    if let Some(small) = small_tmpfs(8 << 20, 0) {
        test(&small);
    }
    if let Some(small) = small_ext4(12 << 20) {
        fs::create_dir(small.join("room")).unwrap();
        test(&small.join("room"));
    }
}

#[test]
fn what_is_kept_is_counted_and_given_back() {
    let place = scratch();
    assert_eq!(store(&place).kept().unwrap(), KeptRoom::default());
    let _summary = run(replaced(&place), store(&place));
    let room = store(&place).kept().unwrap();
    assert_eq!((room.files, room.bytes), (1, 4096));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
    assert!((now - 600..=now).contains(&room.oldest.unwrap()), "{room:?}");
    assert_eq!(store(&place).free_kept().unwrap(), room);
    assert!(!kept(&place).exists());
    assert_eq!(names(&place.join("data/Trash/info")), [""; 0]);
    assert_eq!(store(&place).kept().unwrap(), KeptRoom::default());
    // The copy is left where it is: there is nothing to put in its place.
    let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
    assert_eq!((report.left_count, report.brought_back), (1, 0), "{report:?}");
}

#[test]
fn what_the_user_keeps_for_good_and_what_is_in_work_is_left() {
    for keep in [KeepReplaced::Trash, KeepReplaced::Undo] {
        let place = scratch();
        let mut spec = replaced(&place);
        spec.options.keep_replaced = keep;
        let _summary = run(spec, store(&place));
        if keep == KeepReplaced::Undo {
            // As if it had been killed before its end.
            let path = place.join("state/jobs/1.journal");
            let whole = read(&path);
            fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        }
        assert_eq!(store(&place).free_kept().unwrap(), KeptRoom::default());
        assert_eq!(read(kept(&place)), b"old one");
    }
}

#[test]
fn what_was_put_back_or_is_another_file_now_is_not_counted() {
    let place = scratch();
    let _summary = run(replaced(&place), store(&place));
    fs::rename(kept(&place), place.join("mine")).unwrap();
    fs::write(kept(&place), "another").unwrap();
    assert_eq!(store(&place).free_kept().unwrap(), KeptRoom::default());
    assert_eq!(read(kept(&place)), b"another");
}

#[test]
fn after_so_many_days_it_is_removed_and_the_job_is_remembered() {
    for (days, age, goes) in [(7, 8, true), (7, 6, false), (30, 8, false), (1, 2, true)] {
        let place = scratch();
        let mut spec = replaced(&place);
        spec.options.keep_replaced = KeepReplaced::Days(days);
        let _summary = run(spec.clone(), store(&place));
        let path = place.join("state/jobs/1.journal");
        let then = SystemTime::now() - Duration::from_secs(age * 24 * 60 * 60);
        fs::File::options().append(true).open(&path).unwrap().set_modified(then).unwrap();
        fs::remove_file(place.join("state/jobs/expired")).unwrap();
        spec.destination = place.join("elsewhere");
        let _summary = run(spec, store(&place));
        assert_eq!(!kept(&place).exists(), goes, "{days} days, after {age}");
        assert!(path.exists(), "what it did can still be told and undone");
    }
}

#[test]
fn on_a_full_device_earlier_jobs_give_up_first_and_it_is_said() {
    on_small_disks(|small| {
        let place = scratch();
        let source = Tree::new().folder("s").files("s/f", 2, FILE).make(&place.join("source"));
        let to = small.join("to");
        Tree::new().folder("s").files("s/f", 2, FILE).make(&to);
        let spec = copy([source.join("s")], &to).rule(ConflictRule::Replace).workers(1).spec;
        let summary = run(spec, store(&place));
        assert_eq!(count(&summary, NoticeKind::ReplacedGivenUp), 0, "{summary:?}");
        assert_eq!(store(&place).kept().unwrap().files, 2);
        // More than is free, and less than is free with what is kept.
        let room = rustix::fs::statvfs(&to).unwrap();
        let files = (room.f_bavail * room.f_frsize) as usize / FILE + 1;
        let more = Tree::new().folder("m").files("m/f", files, FILE).make(&place.join("more"));
        let spec = copy([more.join("m")], &to).workers(1).spec;
        let summary = run(spec, store(&place));
        assert!(summary.all_done(), "{summary:?}");
        let given_up = count(&summary, NoticeKind::EarlierGivenUp);
        assert!((1..=2).contains(&given_up), "{summary:?}");
        assert_eq!(store(&place).kept().unwrap().files, 2 - given_up);
        assert_eq!(names(&to.join("m")).len(), files);
    });
}

#[test]
fn nothing_is_given_up_for_a_file_that_does_not_fit_all_the_same() {
    on_small_disks(|small| {
        let place = scratch();
        let to = small.join("to");
        let source = Tree::new().folder("s").files("s/f", 2, FILE).make(&place.join("source"));
        Tree::new().folder("s").files("s/f", 2, FILE).make(&to);
        let spec = copy([source.join("s")], &to).rule(ConflictRule::Replace).workers(1).spec;
        let _summary = run(spec, store(&place));
        let huge = Tree::new().file_of("huge", 40 << 20).make(&place.join("more"));
        let summary = run(copy([huge.join("huge")], &to).spec, store(&place));
        assert_eq!(summary.entries.failed, 1, "{summary:?}");
        assert_eq!(store(&place).kept().unwrap().files, 2);
    });
}

#[test]
fn a_job_that_is_held_gives_nothing_up() {
    let place = scratch();
    let mut spec = replaced(&place);
    spec.options.keep_replaced = KeepReplaced::Undo;
    let (engine, _events) = Engine::start_with(Some(store(&place)));
    let _job = engine.add(spec);
    crate::common::eventually("the old file is kept", || kept(&place).exists());
    drop(engine);
    let path = place.join("state/jobs/1.journal");
    let journal = fs::File::options().append(true).open(path).unwrap();
    rustix::fs::flock(&journal, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(store(&place).free_kept().unwrap(), KeptRoom::default());
    drop(journal);
    assert!(kept(&place).exists());
}

#[test]
fn what_can_never_fit_makes_no_job_give_up_what_it_keeps() {
    on_small_disks(|small| {
        let place = scratch();
        let tree = Tree::new().files("s/f", 2, FILE).file_of("s/giant", 64 << 20);
        let source = tree.make(&place.join("source"));
        let to = small.join("to");
        Tree::new().files("s/f", 2, FILE).make(&to);
        let spec = copy([source.join("s")], &to).rule(ConflictRule::Replace).workers(1).spec;
        let summary = run(spec, store(&place));
        assert_eq!(summary.entries.failed, 1, "{summary:?}");
        assert_eq!(count(&summary, NoticeKind::ReplacedGivenUp), 0, "{summary:?}");
        let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
        assert_eq!(report.brought_back, 2, "{report:?}");
    });
}
