//! Questions never block: what can go on goes on, and answers are by number.

use ferry::engine::{
    About, Action, Command, ErrorKind, Event, FileKind, JobId, JobState, Outcome, QuestionId, Scope,
};

use crate::common::{Session, Tree, copy, names, read, scratch};

fn three_conflicts(place: &std::path::Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let tree = Tree::new()
        .file("t/a", "new a")
        .time(5_000, 6)
        .file("t/b", "new b")
        .file("t/sub/c", "new c")
        .files("t/free", 200, 50)
        .files("t/sub/free", 200, 50);
    let source = tree.make(&place.join("source")).join("t");
    let old =
        Tree::new().file("t/a", "old").time(4_000, 3).file("t/b", "old").file("t/sub/c", "old");
    (source, old.make(&place.join("into")))
}

#[test]
fn everything_else_is_done_while_questions_wait() {
    for workers in [1, 2, 4] {
        let place = scratch();
        let (source, into) = three_conflicts(&place);
        let mut session = Session::start();
        let job = session.add(copy([&source], &into).asking().workers(workers));
        let questions = session.wait_questions(job, 3);
        assert_eq!(names(&into.join("t")).len(), 203);
        assert_eq!(names(&into.join("t/sub")).len(), 201);
        for path in ["t/a", "t/b", "t/sub/c"] {
            assert_eq!(read(into.join(path)), b"old");
        }
        let free = into.join("t/free7");
        assert_eq!(read(&free), read(source.join("free7")));
        let paths: Vec<_> = questions.iter().map(|q| q.path.display().to_string()).collect();
        assert_eq!(paths, ["t/a", "t/b", "t/sub/c"]);
        // Out of order, each its own.
        session.answer(job, questions[2].id, Action::Skip, Scope::This);
        session.answer(job, questions[0].id, Action::KeepBoth, Scope::This);
        session.answer(job, questions[1].id, Action::Replace, Scope::This);
        let run = session.finish(job).done();
        assert_eq!(read(into.join("t/a")), b"old");
        assert_eq!(read(into.join("t/a (2)")), b"new a");
        assert_eq!(read(into.join("t/b")), b"new b");
        assert_eq!(read(into.join("t/sub/c")), b"old");
        assert_eq!(run.summary.entries.skipped, 1);
        assert_eq!(run.summary.renamed, 1);
        assert!(run.states().contains(&JobState::Waiting));
    }
}

#[test]
fn a_question_tells_both_sides() {
    let place = scratch();
    let (source, into) = three_conflicts(&place);
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let question = session.wait_questions(job, 3).remove(0);
    let About::Conflict {
        source: new,
        source_path,
        existing,
        existing_path,
        other_name,
        same_file,
        sources_meet,
    } = &question.about
    else {
        panic!("{question:?}");
    };
    assert_eq!((new.kind, existing.kind), (FileKind::File, FileKind::File));
    assert_eq!((new.size, existing.size), (5, 3));
    assert_eq!((new.modified_seconds, new.modified_nanoseconds), (5_000, 6));
    assert_eq!((existing.modified_seconds, existing.modified_nanoseconds), (4_000, 3));
    assert_eq!(source_path, &source.join("a"));
    assert_eq!(existing_path, &into.join("t/a"));
    assert_eq!(other_name, "a (2)");
    assert!(!same_file && !sources_meet);
    let plan = session.plan(job).expect("a plan");
    assert_eq!(plan.path(question.entry).unwrap(), question.path);
    session.send(Command::Cancel { job });
    session.finish(job);
}

#[test]
fn answers_to_nothing_are_ignored() {
    let place = scratch();
    let (source, into) = three_conflicts(&place);
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let questions = session.wait_questions(job, 3);
    let first = questions[0].id;
    session.answer(job, QuestionId(u64::MAX), Action::Replace, Scope::AllOfKind);
    session.answer(JobId(u64::MAX), first, Action::Replace, Scope::AllOfKind);
    session.answer(job, first, Action::Skip, Scope::This);
    session.answer(job, first, Action::Replace, Scope::This);
    session.answer(job, first, Action::Replace, Scope::AllOfKind);
    for question in &questions[1..] {
        session.answer(job, question.id, Action::Skip, Scope::This);
    }
    let run = session.finish(job).done();
    assert_eq!(run.summary.entries.skipped, 3);
    for path in ["t/a", "t/b", "t/sub/c"] {
        assert_eq!(read(into.join(path)), b"old");
    }
    session.answer(job, first, Action::Replace, Scope::This);
    session.shut_down();
    assert_eq!(read(into.join("t/a")), b"old");
}

#[test]
fn commands_to_unknown_and_ended_jobs_are_ignored() {
    let place = scratch();
    let source = Tree::new().file("f", "x").make(&place.join("source")).join("f");
    let mut session = Session::start();
    let unknown = JobId(999);
    let commands = |job| {
        [
            Command::Pause { job },
            Command::Resume { job },
            Command::Cancel { job },
            Command::Reorder { job, before: Some(unknown) },
            Command::Reorder { job, before: None },
            Command::Forget { job: unknown },
        ]
    };
    for command in commands(unknown) {
        session.send(command);
    }
    let job = session.add(copy([&source], place.join("into")));
    session.finish(job).done();
    for command in commands(job) {
        session.send(command);
    }
    session.send(Command::Forget { job });
    let next = session.add(copy([&source], place.join("other")));
    session.finish(next).done();
    let end = session
        .log
        .iter()
        .position(|event| matches!(event, Event::Finished { job: of, .. } if *of == job));
    let after = &session.log[end.unwrap() + 1..];
    assert!(
        after.iter().all(|event| crate::common::session::of_job(event) != Some(job)),
        "{after:?}"
    );
}

#[test]
fn a_waiting_job_can_be_cancelled_and_its_questions_are_settled() {
    let place = scratch();
    let (source, into) = three_conflicts(&place);
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    session.wait_questions(job, 3);
    session.send(Command::Cancel { job });
    let run = session.finish(job).not_done();
    assert_eq!(run.summary.outcome, Outcome::Cancelled);
    assert_eq!(names(&into.join("t")).len(), 203);
    assert_eq!(read(into.join("t/a")), b"old");
}

#[test]
fn a_waiting_job_lets_others_run() {
    let place = scratch();
    let (source, into) = three_conflicts(&place);
    let mut session = Session::start();
    let waiting = session.add(copy([&source], &into).asking());
    session.wait_questions(waiting, 3);
    let other = session.add(copy([&source], place.join("other")));
    session.finish(other).done();
    session.send(Command::Cancel { job: waiting });
    session.finish(waiting);
}

#[test]
fn what_became_free_meanwhile_is_copied() {
    let place = scratch();
    let (source, into) = three_conflicts(&place);
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let questions = session.wait_questions(job, 3);
    std::fs::remove_file(into.join("t/a")).unwrap();
    std::fs::remove_file(into.join("t/b")).unwrap();
    session.answer(job, questions[0].id, Action::Replace, Scope::This);
    session.answer(job, questions[1].id, Action::ReplaceIfNewer, Scope::This);
    session.answer(job, questions[2].id, Action::Skip, Scope::This);
    session.finish(job).done();
    assert_eq!(read(into.join("t/a")), b"new a");
    assert_eq!(read(into.join("t/b")), b"new b");
}

#[test]
fn a_folder_that_took_the_name_meanwhile_is_not_lost() {
    let place = scratch();
    let (source, into) = three_conflicts(&place);
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let questions = session.wait_questions(job, 3);
    std::fs::remove_file(into.join("t/a")).unwrap();
    Tree::new().file("a/precious", "x").make(&into.join("t"));
    session.answer(job, questions[0].id, Action::Replace, Scope::This);
    session.answer(job, questions[1].id, Action::Skip, Scope::This);
    session.answer(job, questions[2].id, Action::Skip, Scope::This);
    session.finish_answering(job, &mut |_| Some((Action::Skip, Scope::This)));
    assert_eq!(read(into.join("t/a/precious")), b"x");
}

#[test]
fn failures_are_asked_about_and_can_be_skipped() {
    let place = scratch();
    let tree = Tree::new().file("one", "1").file("two", "2");
    let source = tree.make(&place.join("source"));
    let sources = ["one", "missing", "two", "gone"].map(|name| source.join(name));
    let mut session = Session::start();
    let job = session.add(copy(&sources, place.join("into")).asking());
    let questions = session.wait_questions(job, 2);
    assert_eq!(names(&place.join("into")), ["one", "two"]);
    for question in &questions {
        let About::Failure { error } = &question.about else { panic!("{question:?}") };
        assert_eq!(error.kind, ErrorKind::Os(rustix::io::Errno::NOENT.raw_os_error()));
    }
    session.answer(job, questions[0].id, Action::Skip, Scope::AllOfKind);
    let run = session.finish(job).not_done();
    // Skipping a failure does not make it one that succeeded.
    assert_eq!(run.summary.entries.failed, 2, "{:?}", run.summary);
}

#[test]
fn of_very_many_questions_the_first_are_told_and_an_answer_reaches_all() {
    const MANY: usize = 10_400;
    let Some(place) = crate::common::Fs::Tmpfs.place() else { return };
    let tree = Tree::new().files("t/f", MANY, 1);
    let source = tree.make(&place.join("source")).join("t");
    let into = tree.make(&place.join("into"));
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let questions = session.wait_questions(job, 10_000);
    session.answer(job, questions[0].id, Action::Skip, Scope::This);
    let more = session.wait("one more question", |event| match event {
        Event::Asked { questions, .. } => Some(questions.len()),
        _ => None,
    });
    assert_eq!(more, 1, "an answered one makes room for the next");
    session.answer(job, questions[1].id, Action::Skip, Scope::AllOfKind);
    let run = session.finish(job).done();
    assert_eq!(run.summary.entries.skipped, MANY as u64);
}

/// A cancel that meets the telling of questions: the contract that every run is held to says
/// in which order they come.
#[test]
fn nothing_is_asked_that_is_settled_when_a_cancel_meets_a_sample() {
    let place = scratch();
    let source = Tree::new().files("t/f", 300, 1).make(&place.join("source")).join("t");
    let into = Tree::new().files("t/f", 300, 2).make(&place.join("into"));
    let mut session = Session::start();
    for number in 0..60_u64 {
        let job = session.add(copy([&source], &into).asking().workers(2));
        // At ever different moments, from before anything is asked on.
        for _ in 0..number % 12 * 20_000 {
            std::hint::spin_loop();
        }
        session.send(Command::Cancel { job });
        let run = session.finish_answering(job, &mut |_| None);
        assert_eq!(run.summary.outcome, Outcome::Cancelled);
    }
}
