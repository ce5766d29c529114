//! Journals that were torn or damaged, and kept files on a full device.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use ferry::engine::{
    Action, Command, ConflictRule, Engine, Event, JobSpec, JournalError, JournalId, KeepReplaced,
    NoticeKind, Outcome, PastState, Scope, Store, Summary,
};

use crate::common::session::deadline;
use crate::common::{
    Place, Tree, What, assert_same_tree, copy, eventually, moving, names, read, scratch,
    small_ext4, small_tmpfs,
};

pub const FIRST: JournalId = JournalId(1);

pub fn store(place: &Path) -> Store {
    Store::at(&place.join("state"), &place.join("data/Trash"))
}

pub fn journal(place: &Path) -> PathBuf {
    place.join("state/jobs/1.journal")
}

/// Runs what is begun to its end.
pub fn finish(begin: impl FnOnce(&Engine), store: Store) -> Summary {
    let (engine, mut events) = Engine::start_with(Some(store));
    begin(&engine);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        loop {
            let next = tokio::time::timeout_at(deadline().into(), events.recv()).await;
            if let Event::Finished { summary, .. } = next.expect("it ends").expect("it is told") {
                return summary;
            }
        }
    })
}

pub fn run(spec: JobSpec, store: Store) -> Summary {
    finish(
        |engine| {
            let _job = engine.add(spec);
        },
        store,
    )
}

pub fn small_tree(place: &Place) -> PathBuf {
    let tree = Tree::new()
        .folder("t")
        .folder("t/d")
        .file("t/one", "one")
        .file("t/d/two", "the second")
        .link("t/link", "one")
        .file("t/d/\u{fc}", "three");
    tree.make(&place.join("source")).join("t")
}

/// What stood before the job comes back, and nothing else is touched.
pub fn replaced(place: &Place) -> JobSpec {
    let source = small_tree(place);
    Tree::new().folder("t").file("t/one", "old one").make(&place.join("to"));
    copy([source], place.join("to")).rule(ConflictRule::Replace).spec
}

#[test]
fn a_journal_cut_at_any_byte_is_read_to_its_last_whole_record() {
    let place = scratch();
    let spec = replaced(&place);
    run(spec, store(&place));
    let whole = read(journal(&place));
    let mut states = Vec::new();
    for length in 0..whole.len() {
        fs::write(journal(&place), &whole[..length]).unwrap();
        let past = store(&place).history().unwrap();
        states.extend(past.first().map(|past| past.state));
        let preview = store(&place).preview_undo(FIRST);
        assert_eq!(past.is_empty(), preview.is_err(), "cut at {length}: {preview:?}");
    }
    // No cut makes it an ended job: that is its last record.
    assert!(states.iter().all(|state| *state == PastState::Unfinished), "{states:?}");
    assert!(states.len() > whole.len() / 2);
}

#[test]
fn a_job_whose_journal_was_cut_anywhere_is_resumed_and_undone() {
    let place = scratch();
    let spec = replaced(&place);
    run(spec, store(&place));
    let whole = read(journal(&place));
    for length in (0..whole.len()).step_by(61) {
        // As it was when so much of the journal was written, or later; not whole: that would
        // be a job that ended.
        let again = scratch();
        let spec = replaced(&again);
        run(spec, store(&again));
        let whole = read(journal(&again));
        fs::write(journal(&again), &whole[..length.min(whole.len() - 1)]).unwrap();
        if store(&again).history().unwrap().is_empty() {
            continue;
        }
        let summary = finish(
            |engine| {
                let _job = engine.resume(FIRST, false).unwrap();
            },
            store(&again),
        );
        assert!(summary.all_done(), "cut at {length}: {summary:?}");
        let what = What { folder_times: false, ..What::ALL };
        assert_same_tree(&again.join("source/t"), &again.join("to/t"), &what);
        // What was told of nowhere cannot be undone, but the old file is never lost.
        store(&again).undo(FIRST, &mut |_| true).unwrap();
        let old = [again.join("to/t/one"), again.join("data/Trash/files/one")];
        assert!(
            old.iter().any(|path| fs::read(path).is_ok_and(|bytes| bytes == b"old one")),
            "cut at {length}: the old file is lost"
        );
    }
}

#[test]
fn a_flipped_byte_ends_what_is_believed() {
    let place = scratch();
    let spec = replaced(&place);
    run(spec, store(&place));
    let whole = read(journal(&place));
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x41;
        fs::write(journal(&place), &damaged).unwrap();
        // Neither panics, and the preview is of the records before.
        let _past = store(&place).history().unwrap();
        match store(&place).preview_undo(FIRST) {
            Ok(report) => assert!(report.removed <= 4, "flipped at {at}: {report:?}"),
            Err(error) => assert!(matches!(error, JournalError::Unreadable), "{error}"),
        }
    }
}

#[test]
fn another_ferry_does_not_touch_a_running_job() {
    let place = scratch();
    let spec = replaced(&place);
    let (engine, mut events) = Engine::start_with(Some(store(&place)));
    let spec = JobSpec {
        options: ferry::engine::Options { conflict: ConflictRule::Ask, ..spec.options },
        ..spec
    };
    engine.add(spec);
    // It waits for an answer, and holds its journal.
    loop {
        if let Some(Event::Asked { .. }) = events.blocking_recv() {
            break;
        }
    }
    assert_eq!(store(&place).history().unwrap()[0].state, PastState::Running);
    assert!(matches!(store(&place).undo(FIRST, &mut |_| true), Err(JournalError::Running)));
    let (other, _events) = Engine::start_with(Some(store(&place)));
    assert!(matches!(other.resume(FIRST, false), Err(JournalError::Running)));
    assert!(store(&place).unfinished().unwrap().is_empty());
}

#[test]
fn on_a_full_device_what_is_kept_is_given_up_oldest_first() {
    let test = |small: &Path| {
        let place = scratch();
        let source = place.join("source");
        Tree::new().folder("s").files("s/f", 6, 1 << 20).make(&source);
        let to = small.join("to");
        Tree::new().folder("s").files("s/f", 6, 1 << 20).make(&to);
        let mut spec = copy([source.join("s")], &to).rule(ConflictRule::Replace).workers(1).spec;
        spec.options.keep_replaced = KeepReplaced::Undo;
        let summary = run(spec, store(&place));
        assert!(summary.all_done(), "{summary:?}");
        let notice = summary.notices.iter().find(|one| one.kind == NoticeKind::ReplacedGivenUp);
        let given_up = notice.expect("it is said").count;
        assert!((1..6).contains(&given_up), "{given_up}");
        assert_same_tree(
            &source.join("s"),
            &to.join("s"),
            &What { folder_times: false, ..What::ALL },
        );
        // The others can still come back.
        let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
        assert_eq!(report.brought_back + given_up, 6, "{report:?}");
        assert_eq!(report.left_count, given_up, "{report:?}");
    };
    if let Some(small) = small_tmpfs(8 << 20, 0) {
        test(&small);
    }
    if let Some(small) = small_ext4(12 << 20) {
        fs::create_dir(small.join("room")).unwrap();
        test(&small.join("room"));
    }
}

#[test]
fn replaced_files_go_to_the_trash_of_their_own_file_system() {
    let Some(small) = small_tmpfs(4 << 20, 0) else { return };
    let place = scratch();
    let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
    Tree::new().file("f", "old").make(&small.join("deep/to"));
    let spec = copy([source], small.join("deep/to")).rule(ConflictRule::Replace).spec;
    run(spec, store(&place));
    let user = rustix::process::getuid().as_raw();
    let trash = small.join(format!(".Trash-{user}"));
    assert_eq!(read(trash.join("files/f")), b"old");
    let info = String::from_utf8(read(trash.join("info/f.trashinfo"))).unwrap();
    assert!(info.contains("\nPath=deep/to/f\n"), "{info}");
    store(&place).undo(FIRST, &mut |_| true).unwrap();
    assert_eq!(read(small.join("deep/to/f")), b"old");
    assert_eq!(names(&trash.join("files")), Vec::<String>::new());
}

#[test]
fn a_file_replaced_by_a_rename_comes_back() {
    let place = scratch();
    let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
    Tree::new().file("f", "old").make(&place.join("to"));
    let spec = moving([&source], place.join("to")).rule(ConflictRule::Replace).spec;
    assert!(run(spec, store(&place)).all_done());
    assert_eq!(read(place.join("to/f")), b"new");
    let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
    assert_eq!((report.moved_back, report.brought_back), (1, 1), "{report:?}");
    assert_eq!((read(place.join("to/f")), read(source)), (b"old".to_vec(), b"new".to_vec()));
}

#[test]
fn an_undo_that_was_stopped_goes_on() {
    let place = scratch();
    let source = Tree::new().folder("s").files("s/f", 40, 10).make(&place.join("source"));
    let spec = copy([source.join("s")], place.join("to")).spec;
    run(spec, store(&place));
    let report = store(&place).undo(FIRST, &mut |entries| entries < 11).unwrap();
    assert_eq!(report.removed, 10);
    assert_eq!(names(&place.join("to/s")).len(), 30);
    let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
    assert_eq!((report.removed, report.gone, report.folders_removed), (30, 10, 2));
    assert!(!place.join("to").exists());
}

#[test]
fn a_job_that_never_had_its_turn_is_remembered_with_its_later_sources() {
    let place = scratch();
    let source = small_tree(&place);
    let later = Tree::new().file("later", "came later").make(&place.join("more")).join("later");
    let spec = copy([&source], place.join("to")).spec;
    let (engine, mut events) = Engine::start_with(Some(store(&place)));
    let job = engine.add(spec.clone());
    engine.send(Command::Pause { job });
    eventually("it has a journal", || journal(&place).exists());
    engine.send(Command::AddSources { job, spec: JobSpec { sources: vec![later], ..spec } });
    let tells = |what: &[u8]| read(journal(&place)).windows(what.len()).any(|part| part == what);
    eventually("the journal tells of the later source", || tells(b"more/later"));
    engine.send(Command::Stop { job });
    let summary = loop {
        if let Event::Finished { summary, .. } = events.blocking_recv().expect("it ends") {
            break summary;
        }
    };
    assert_eq!(summary.outcome, Outcome::Stopped);
    drop(engine);
    assert!(!place.join("to/t").exists() || names(&place.join("to/t")).is_empty());
    assert_eq!(store(&place).unfinished().unwrap().len(), 1);
    let summary = finish(
        |engine| {
            let _job = engine.resume(FIRST, false).unwrap();
        },
        store(&place),
    );
    assert!(summary.all_done(), "{summary:?}");
    assert_same_tree(&source, &place.join("to/t"), &What::ALL);
    assert_eq!(read(place.join("to/later")), b"came later");
}

#[test]
fn of_very_many_jobs_the_oldest_are_forgotten_with_what_was_kept_for_them() {
    let place = scratch();
    run(replaced(&place), store(&place));
    let kept = place.join("data/Trash/files/one");
    assert_eq!(read(&kept), b"old one");
    // The second was killed before its end, the third is as good as new.
    let other = scratch();
    let small = copy([small_tree(&other)], place.join("elsewhere")).spec;
    run(small.clone(), store(&place));
    let path = |number: usize| place.join(format!("state/jobs/{number}.journal"));
    let whole = read(path(2));
    fs::write(path(2), &whole[..whole.len() - 1]).unwrap();
    for number in 3..=ferry::engine::KEPT + 1 {
        fs::write(path(number), &whole).unwrap();
    }
    run(copy([&small.sources[0]], place.join("third")).spec, store(&place));
    assert!(!path(1).exists() && !kept.exists(), "the oldest ended one goes");
    assert!(path(2).exists(), "an unfinished one stays");
    assert!(path(3).exists(), "no more than are too many");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 24 * 60 * 60);
    for number in [2, 3, 4] {
        fs::File::options().append(true).open(path(number)).unwrap().set_modified(old).unwrap();
    }
    run(copy([&small.sources[0]], place.join("fourth")).spec, store(&place));
    assert!(path(2).exists(), "an unfinished one stays, however old");
    assert!(!path(3).exists() && !path(4).exists(), "ended ones go after a month");
    assert!(path(5).exists());
}

#[test]
fn what_the_user_skipped_stays_skipped_when_the_job_goes_on() {
    for by_command in [false, true] {
        let place = scratch();
        let tree = Tree::new().file("t/a", "a").file("t/b", "b").file("t/c", "c");
        let source = tree.make(&place.join("source")).join("t");
        let old = Tree::new().file("t/a", "old").file("t/b", "old").make(&place.join("to"));
        let spec = copy([source], &old).asking().spec;
        let (engine, mut events) = Engine::start_with(Some(store(&place)));
        let job = engine.add(spec);
        let mut settled = 0;
        while settled == 0 {
            match events.blocking_recv().expect("it is told") {
                Event::Asked { questions, .. } => {
                    let question = questions.iter().find(|question| question.path.ends_with("a"));
                    let Some(question) = question else { continue };
                    engine.send(match by_command {
                        true => Command::SkipEntry { job, entry: question.entry },
                        false => Command::Answer {
                            job,
                            question: question.id,
                            action: Action::Skip,
                            scope: Scope::This,
                        },
                    });
                }
                Event::Settled { questions, .. } => settled = questions.len(),
                _ => {}
            }
        }
        engine.send(Command::Stop { job });
        while !matches!(events.blocking_recv(), Some(Event::Finished { .. })) {}
        drop(engine);
        // Now nothing would keep them from being copied.
        fs::remove_file(old.join("t/a")).unwrap();
        fs::remove_file(old.join("t/b")).unwrap();
        let summary = finish(
            |engine| {
                let _job = engine.resume(FIRST, false).unwrap();
            },
            store(&place),
        );
        assert_eq!((summary.entries.skipped, summary.entries.failed), (1, 0), "{summary:?}");
        assert_eq!(names(&old.join("t")), ["b", "c"], "by command: {by_command}");
    }
}

#[test]
fn later_sources_are_in_the_journal_when_they_are_accepted() {
    let place = scratch();
    let tree = Tree::new().file("t/a", "a").file("later", "l").make(&place.join("source"));
    let old = Tree::new().file("t/a", "old").make(&place.join("to"));
    let spec = copy([tree.join("t")], &old).asking().spec;
    for _ in 0..40 {
        let (engine, mut events) = Engine::start_with(Some(store(&place)));
        let job = engine.add(spec.clone());
        loop {
            match events.blocking_recv().expect("it is told") {
                Event::Asked { .. } => {
                    let more = JobSpec { sources: vec![tree.join("later")], ..spec.clone() };
                    engine.send(Command::AddSources { job, spec: more });
                }
                Event::SourcesAdded { .. } => break,
                _ => {}
            }
        }
        // What a program that is killed now leaves.
        let told = store(&place).spec(FIRST).unwrap();
        assert!(told.sources.contains(&tree.join("later")), "accepted and not written");
        drop(engine);
        fs::remove_dir_all(place.join("state")).unwrap();
        let _not_begun = fs::remove_file(old.join("later"));
    }
}

#[test]
fn a_verified_job_that_goes_on_copies_nothing_again_and_verifies_the_rest() {
    let place = scratch();
    let source = Tree::new().files("t/f", 20, 3000).make(&place.join("source")).join("t");
    run(copy([&source], place.join("to")).verify().spec, store(&place));
    let whole = read(journal(&place));
    let made = place.join("to/t");
    let inode = |name: &String| fs::metadata(made.join(name)).unwrap().ino();
    let inodes = || names(&made).iter().map(inode).collect::<Vec<_>>();
    let before = inodes();
    let resumed = |cut: usize| {
        fs::write(journal(&place), &whole[..cut]).unwrap();
        let resume = |engine: &Engine| {
            let _job = engine.resume(FIRST, false).unwrap();
        };
        finish(resume, store(&place))
    };
    // Without its end; then without what told of the copies that were read back.
    let end = whole.windows(11).rposition(|bytes| bytes == b"Z{\"outcome\"").unwrap();
    let mut verified = Vec::new();
    for back in [0, 20, 80] {
        let summary = resumed(end - back);
        assert!(summary.all_done(), "{summary:?}");
        assert_eq!(inodes(), before, "copied again, {back} bytes before the end");
        verified.push(summary.verified);
    }
    assert!(verified[0] < 20 && verified[2] == 20, "{verified:?}");
    // One that went bad, and that nobody can tell by its looks.
    let bad = made.join("f7");
    let time = fs::metadata(&bad).unwrap().modified().unwrap();
    fs::write(&bad, vec![0x55; 3000]).unwrap();
    fs::File::options().write(true).open(&bad).unwrap().set_modified(time).unwrap();
    let summary = resumed(end - 80);
    assert_eq!((summary.entries.failed, summary.verified), (1, 19), "{summary:?}");
}
