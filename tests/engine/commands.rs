//! Run now, more sources, skip this file, stop: what a user can say to a job that waits or
//! runs.

use std::path::Path;

use ferry::engine::{
    Action, Command, ConflictRule, Engine, EntryId, EntryState, Event, JobId, JobSpec, JobState,
    Outcome, Past, Plan, Reflink, Refusal, Scope, Store,
};

use crate::common::big::big_destination;
use crate::common::{
    Fs, Job, Session, Tree, What, assert_same_tree, big_file, big_source, command, copy,
    eventually, moving, names, one_big_copy, read, scratch,
};

fn big_copy(into: &Path) -> Job {
    copy([big_source()], into).reflink(Reflink::Never)
}

fn entry(plan: &Plan, path: &str) -> EntryId {
    let all = (0..plan.len() as u32).map(EntryId);
    let mut found = all.filter(|id| plan.path(*id).as_deref() == Some(Path::new(path)));
    found.next().unwrap_or_else(|| panic!("no entry {path}"))
}

/// A job with these sources besides.
fn more(of: &Job, sources: &[&Path]) -> JobSpec {
    let sources = sources.iter().map(|path| path.to_path_buf()).collect();
    JobSpec { sources, ..of.spec.clone() }
}

fn ended_before(session: &Session, first: JobId, second: JobId) -> bool {
    let ended: Vec<JobId> = session
        .log
        .iter()
        .filter_map(|event| match event {
            Event::Finished { job, .. } => Some(*job),
            _ => None,
        })
        .collect();
    let place = |job| ended.iter().position(|ended| *ended == job);
    place(first).is_some() && place(second).is_none_or(|second| place(first) < Some(second))
}

#[test]
fn a_small_job_does_not_wait_behind_a_long_copy() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = scratch();
    let tree = Tree::new().files("t/f", 50, 1000).file("single", "x").make(&place.join("source"));
    let mut session = Session::start();
    let long = session.add(big_copy(&target.join("long")));
    session.wait_in_work(long);
    for (number, name) in ["single", "t"].into_iter().enumerate() {
        let small = session.add(copy([tree.join(name)], target.join(format!("{number}"))));
        session.finish(small).done();
        assert!(!ended_before(&session, long, small), "the long one had ended");
    }
    session.send(Command::Cancel { job: long });
    session.finish(long);
}

#[test]
fn a_rename_does_not_wait_behind_a_long_copy() {
    let _one = one_big_copy();
    let target = big_destination();
    let tree = Tree::new().files("t/f", 1000, 10).make(&target.join("source"));
    let mut session = Session::start();
    let long = session.add(big_copy(&target.join("long")));
    session.wait_in_work(long);
    let rename = session.add(moving([tree.join("t")], target.join("into")));
    session.finish(rename).done();
    assert!(!ended_before(&session, long, rename), "the long one had ended");
    session.send(Command::Cancel { job: long });
    session.finish(long);
    assert_eq!(names(&target.join("into/t")).len(), 1000);
}

#[test]
fn a_clone_does_not_wait_behind_a_long_copy() {
    let _one = one_big_copy();
    let Some(place) = Fs::Btrfs.place() else { return };
    big_file(&place.join("big"));
    let mut session = Session::start();
    let long = copy([place.join("big")], place.join("long")).reflink(Reflink::Never);
    let long = session.add(long);
    session.wait_in_work(long);
    let clone = session.add(copy([place.join("big")], place.join("into")));
    let run = session.finish(clone).done();
    assert_eq!(run.summary.bytes.cloned, run.summary.bytes.done);
    assert!(!ended_before(&session, long, clone), "the long one had ended");
    session.send(Command::Cancel { job: long });
    session.finish(long);
}

#[test]
fn a_quick_job_that_reads_what_a_long_one_writes_waits_for_it() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let long = session.add(big_copy(&target.join("long")));
    session.wait_in_work(long);
    // A rename: quick, and yet nothing to be done before the copy is whole.
    let rename = session.add(moving([target.join("long/big")], target.join("into")));
    let run = session.finish(rename);
    assert!(ended_before(&session, long, rename), "{:?}", session.log);
    // It was looked at before it was there.
    if run.summary.all_done() {
        assert_same_tree(big_source(), &target.join("into/big"), &What::ALL);
    } else {
        assert_same_tree(big_source(), &target.join("long/big"), &What::ALL);
    }
}

#[test]
fn run_now_runs_beside_a_long_copy_to_the_same_device() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let [first, second, third] =
        ["first", "second", "third"].map(|name| session.add(big_copy(&target.join(name))));
    session.wait_in_work(first);
    session.send(Command::RunNow { job: third });
    session.wait_state(third, JobState::Running);
    session.wait_in_work(third);
    assert!(!ended_before(&session, first, third), "the first had ended");
    let began = |session: &Session, job: JobId| {
        let run = |event: &Event| *event == Event::State { job, state: JobState::Running };
        session.log.iter().any(run)
    };
    assert!(!began(&session, second), "the second was not told to run");
    for job in [first, second, third] {
        session.send(Command::Cancel { job });
        session.finish(job);
    }
}

#[test]
fn run_now_lets_a_paused_job_go_on() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(big_copy(&target));
    session.wait_in_work(job);
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    session.send(Command::RunNow { job });
    session.finish(job).done();
    assert_same_tree(big_source(), &target.join("big"), &What::ALL);
}

#[test]
fn a_running_job_takes_more_sources() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = scratch();
    let tree = Tree::new().files("t/f", 500, 100).file("single", "x").make(&place.join("source"));
    let mut session = Session::start();
    let spec = big_copy(&target);
    let job = session.add(spec.clone());
    session.wait_in_work(job);
    let (t, single) = (tree.join("t"), tree.join("single"));
    session.send(Command::AddSources { job, spec: more(&spec, &[&t]) });
    session.send(Command::AddSources { job, spec: more(&spec, &[&single]) });
    let run = session.finish(job).done();
    assert_eq!(run.summary.entries.total, 1 + 501 + 1);
    assert_same_tree(&t, &target.join("t"), &What::ALL);
    assert_eq!(read(target.join("single")), b"x");
    let added: Vec<_> = run
        .events
        .iter()
        .filter_map(|event| match event {
            Event::SourcesAdded { sources, .. } => Some(sources.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(added, [vec![t], vec![single]]);
    for snapshot in run.snapshots() {
        let entries = &snapshot.entries;
        assert!(!entries.total_is_final || entries.total >= entries.done, "{entries:?}");
    }
}

#[test]
fn a_job_that_waits_for_its_turn_or_an_answer_or_is_paused_takes_more_sources() {
    let place = scratch();
    let tree = Tree::new().file("a", "1").file("b", "2").file("c", "3").make(&place.join("source"));
    let into = Tree::new().file("a", "old").make(&place.join("into"));
    let mut session = Session::start();
    let spec = copy([tree.join("a")], &into).asking();
    let job = session.add(spec.clone());
    let question = session.wait_questions(job, 1).remove(0);
    session.send(Command::AddSources { job, spec: more(&spec, &[&tree.join("b")]) });
    session.wait("b copied beside the question", |event| match event {
        Event::State { state, .. } => (*state == JobState::Waiting).then_some(()),
        _ => None,
    });
    assert_eq!(read(into.join("b")), b"2");
    session.send(Command::Pause { job });
    session.wait_state(job, JobState::Paused);
    session.send(Command::AddSources { job, spec: more(&spec, &[&tree.join("c")]) });
    session.send(Command::Resume { job });
    session.answer(job, question.id, Action::Skip, Scope::This);
    let run = session.finish(job).done();
    assert_eq!(read(into.join("c")), b"3");
    assert_eq!(run.summary.entries.done, 2);
}

#[test]
fn a_later_source_that_comes_to_a_name_of_the_job_replaces_nothing_of_it() {
    let place = scratch();
    let tree = Tree::new().file("one/f", "1").file("two/f", "2").file("x", "3");
    let tree = tree.make(&place.join("source"));
    let into = Tree::new().file("x", "old").make(&place.join("into"));
    let mut session = Session::start();
    let spec = copy([tree.join("one/f"), tree.join("x")], &into).asking();
    let job = session.add(spec.clone());
    let question = session.wait_questions(job, 1).remove(0);
    session.answer(job, question.id, Action::Replace, Scope::AllOfKind);
    session.send(Command::AddSources { job, spec: more(&spec, &[&tree.join("two/f")]) });
    let mut refused = false;
    let run = session.finish_answering(job, &mut |_| Some((Action::KeepBoth, Scope::This)));
    session.shut_down();
    for event in &session.log {
        refused |= matches!(event, Event::SourcesRefused { .. });
    }
    assert_eq!(read(into.join("f")), b"1");
    assert!(refused || read(into.join("f (2)")) == b"2", "{:?}", run.summary);
}

#[test]
fn more_sources_are_refused_clearly() {
    let place = scratch();
    let tree = Tree::new().file("a", "1").file("b", "2").make(&place.join("source"));
    let into = Tree::new().file("a", "old").make(&place.join("into"));
    let mut session = Session::start();
    let spec = copy([tree.join("a")], &into).asking();
    let job = session.add(spec.clone());
    let question = session.wait_questions(job, 1).remove(0);
    let good = more(&spec, &[&tree.join("b")]);
    let others = [
        JobSpec { destination: place.join("elsewhere"), ..good.clone() },
        JobSpec { kind: ferry::engine::JobKind::Move, ..good.clone() },
        more(&spec.clone().rule(ConflictRule::Replace), &[&tree.join("b")]),
    ];
    let refusal = |session: &mut Session| {
        session.wait("a refusal", |event| match event {
            Event::SourcesRefused { job, spec, why } => Some((*job, spec.clone(), *why)),
            _ => None,
        })
    };
    for other in others {
        session.send(Command::AddSources { job, spec: other.clone() });
        assert_eq!(refusal(&mut session), (job, other, Refusal::Differs));
    }
    session.answer(job, question.id, Action::Skip, Scope::This);
    session.finish(job);
    session.send(Command::AddSources { job, spec: good.clone() });
    assert_eq!(refusal(&mut session), (job, good, Refusal::TooLate));
    assert_eq!(names(&into), ["a"]);
}

#[test]
fn a_file_in_work_is_skipped_and_its_siblings_go_on() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = scratch();
    let tree = Tree::new().files("t/f", 100, 100).make(&place).join("t");
    let mut session = Session::start();
    let job = copy([big_source(), tree.as_path()], &*target).reflink(Reflink::Never).workers(2);
    let job = session.add(job);
    session.wait_in_work(job);
    let plan = session.plan(job).unwrap();
    session.send(Command::SkipEntry { job, entry: entry(&plan, "big") });
    let run = session.finish(job).done();
    assert_eq!(run.entry("big"), EntryState::Skipped);
    assert_eq!((run.summary.entries.skipped, run.summary.entries.done), (1, 101));
    assert_eq!(run.summary.bytes.done, 100 * 100, "a skipped file's bytes do not count");
    assert_eq!(names(&target), ["t"]);
    assert_same_tree(&tree, &target.join("t"), &What::ALL);
}

#[test]
fn a_skipped_file_that_was_to_be_replaced_or_moved_stays() {
    let _one = one_big_copy();
    let (target, place) = (big_destination(), crate::common::big::big_place());
    big_file(&place.join("big"));
    Tree::new().file("big", "old").make(&target);
    let mut session = Session::start();
    let job = moving([place.join("big")], &*target).rule(ConflictRule::Replace);
    let job = session.add(job.reflink(Reflink::Never));
    session.wait_in_work(job);
    let plan = session.plan(job).unwrap();
    session.send(Command::SkipEntry { job, entry: entry(&plan, "big") });
    let run = session.finish(job).done();
    assert_eq!(run.entry("big"), EntryState::Skipped);
    assert_eq!(names(&target), ["big"]);
    assert_eq!(read(target.join("big")), b"old");
    assert_same_tree(
        big_source(),
        &place.join("big"),
        &What { times: false, folder_times: false, holes: false, ..What::ALL },
    );
}

#[test]
fn what_has_not_begun_and_what_is_asked_about_can_be_skipped() {
    let place = scratch();
    let tree = Tree::new().file("a", "1").file("b", "2").file("t/c", "3").make(&place.join("s"));
    let into = Tree::new().file("a", "old").file("b", "old").make(&place.join("into"));
    let mut session = Session::start();
    let sources = ["a", "b"].map(|name| tree.join(name));
    let missing = tree.join("missing");
    let sources: Vec<_> = sources.iter().chain([&missing]).collect();
    let job = session.add(copy(sources, &into).asking());
    session.wait_questions(job, 3);
    let plan = session.plan(job).unwrap();
    for name in ["a", "b", "missing"] {
        session.send(Command::SkipEntry { job, entry: entry(&plan, name) });
    }
    let run = session.finish(job).not_done();
    assert_eq!([run.entry("a"), run.entry("b")], [EntryState::Skipped; 2]);
    assert_eq!(run.entry("missing"), EntryState::Failed, "what failed is given up");
    assert_eq!(read(into.join("a")), b"old");
    // A number that no entry has, and entries of ended jobs.
    session.send(Command::SkipEntry { job, entry: EntryId(0) });
    session.send(Command::SkipEntry { job: JobId(99), entry: EntryId(0) });
    session.shut_down();
}

#[test]
fn a_skipped_folder_leaves_out_what_is_left_of_it() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = crate::common::big::big_place();
    let tree = Tree::new().folder("t/0").file("t/1/f", "x").file("u/f", "y").make(&place);
    big_file(&place.join("t/0/big"));
    let mut session = Session::start();
    let job = copy([tree.join("t"), tree.join("u")], &*target).reflink(Reflink::Never).workers(1);
    let job = session.add(job);
    session.wait_in_work(job);
    let plan = session.plan(job).unwrap();
    session.send(Command::SkipEntry { job, entry: entry(&plan, "t") });
    let run = session.finish(job).done();
    assert_eq!(run.entry("t/0/big"), EntryState::Skipped);
    assert!(!target.join("t/0/big").exists());
    assert_eq!(read(target.join("u/f")), b"y");
}

#[test]
fn a_stopped_job_keeps_what_is_whole_and_says_so() {
    let _one = one_big_copy();
    let target = big_destination();
    let place = scratch();
    let small = Tree::new().file("small", "x").make(&place).join("small");
    let mut session = Session::start();
    let sources = [small.as_path(), big_source()];
    let job = session.add(copy(sources, &*target).reflink(Reflink::Never).workers(1));
    session.wait_in_work(job);
    session.send(Command::Stop { job });
    // The first word counts.
    session.send(Command::Cancel { job });
    let run = session.finish(job).not_done();
    assert_eq!(run.summary.outcome, Outcome::Stopped);
    assert!(names(&target).iter().all(|name| name == "small"), "{:?}", names(&target));
    let other = session.add(big_copy(&target));
    session.wait_in_work(other);
    session.send(Command::Cancel { job: other });
    session.send(Command::Stop { job: other });
    assert_eq!(session.finish(other).summary.outcome, Outcome::Cancelled);
}

/// The descriptors of this process that lead into a folder.
fn open_in(folder: &Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let all = all.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    all.filter(|path| path.starts_with(folder)).collect()
}

#[test]
fn a_job_that_waits_lets_go_and_writes_nothing_into_another_folder_of_the_same_name() {
    let place = scratch();
    let tree = Tree::new().file("t/a", "1").file("t/deep/b", "2").make(&place.join("source"));
    let into = Tree::new().file("t/a", "old").file("t/deep/b", "old").make(&place.join("into"));
    let mut session = Session::start();
    let job = session.add(copy([tree.join("t")], &into).asking());
    let questions = session.wait_questions(job, 2);
    session.send(Command::LetGo { job });
    eventually("nothing is open any more", || open_in(&place).is_empty());
    std::fs::rename(&into, place.join("away")).unwrap();
    Tree::new().folder("into/t/deep").make(&place);
    for question in questions {
        session.answer(job, question.id, Action::Replace, Scope::This);
    }
    let run = session.finish_answering(job, &mut |_| Some((Action::Skip, Scope::This)));
    assert!(!run.summary.all_done());
    assert_eq!(names(&place.join("into/t")), ["deep"]);
    assert_eq!(names(&place.join("into/t/deep")), [""; 0]);
    assert_eq!(read(place.join("away/t/a")), b"old");
}

#[test]
fn a_running_job_does_not_let_go() {
    let _one = one_big_copy();
    let target = big_destination();
    let mut session = Session::start();
    let job = session.add(big_copy(&target));
    session.wait_in_work(job);
    session.send(Command::LetGo { job });
    session.finish(job).done();
    assert_same_tree(big_source(), &target.join("big"), &What::ALL);
}

#[test]
fn jobs_that_have_not_begun_are_offered_at_the_next_start() {
    let _one = one_big_copy();
    let (place, target) = (scratch(), big_destination());
    let store = |name: &str| Store::at(&place.join(name), &place.join("trash"));
    let (engine, _events) = Engine::start_with(Some(store("state")));
    let [_first, second] =
        ["first", "second"].map(|name| engine.add(big_copy(&target.join(name)).spec));
    let kept = || {
        let all = store("state").history().unwrap();
        let waits = |past: &Past| past.destination.ends_with("second");
        all.into_iter().find(waits)
    };
    eventually("the waiting job has a journal", || kept().is_some());
    // As it would be found if the program were killed now.
    command("cp", &[&"-a", &place.join("state"), &place.join("after")]);
    engine.send(Command::Cancel { job: second });
    drop(engine);
    let unfinished = store("after").unfinished().unwrap();
    let past = unfinished.iter().find(|past| past.destination.ends_with("second")).unwrap();
    assert!(!target.join("second").exists(), "it had not begun");
    let (engine, mut events) = Engine::start_with(Some(store("after")));
    let job = engine.resume(past.id, false).unwrap();
    let summary = loop {
        if let Event::Finished { job: of, summary } = events.blocking_recv().unwrap()
            && of == job
        {
            break summary;
        }
    };
    assert!(summary.all_done(), "{summary:?}");
    assert_same_tree(big_source(), &target.join("second/big"), &What::ALL);
}
