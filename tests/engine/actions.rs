//! Every answer to a conflict does what it says, for one entry and for all of its kind.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use ferry::engine::{About, Action, Event, QuestionClass, Scope};

use crate::common::{Run, Session, Tree, copy, names, read, scratch};

/// Five conflicts; the answer is given to the first that comes, with a scope. Gives the
/// run and the number of questions that had to be answered.
fn five_conflicts(action: Action, scope: Scope, check: impl Fn(&std::path::Path, &Run)) {
    let place = scratch();
    let mut new = Tree::new();
    let mut old = Tree::new();
    for number in 0..5 {
        // Even ones are newer than what is there, the last one is the same.
        let time = if number % 2 == 0 { 3000 } else { 1000 };
        let contents = if number == 4 { "same".to_owned() } else { format!("new {number}") };
        new = new.file(format!("t/f{number}"), contents).time(time, 0);
        let contents = if number == 4 { "same".to_owned() } else { format!("old {number}") };
        old = old.file(format!("t/f{number}"), contents).time(2000, 0);
    }
    new = new.files("t/free", 10, 10);
    let source = new.make(&place.join("source")).join("t");
    let into = old.make(&place.join("into"));
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let questions = session.wait_questions(job, 5);
    if scope == Scope::AllOfKind {
        session.answer(job, questions[2].id, action, scope);
    } else {
        for question in &questions {
            session.answer(job, question.id, action.clone(), scope);
        }
    }
    let run = session.finish(job).done();
    check(&into.join("t"), &run);
}

fn contents(folder: &std::path::Path) -> Vec<String> {
    (0..5).map(|n| String::from_utf8(read(folder.join(format!("f{n}")))).unwrap()).collect()
}

const SCOPES: [Scope; 2] = [Scope::This, Scope::AllOfKind];

#[test]
fn skip_leaves_what_is_there() {
    for scope in SCOPES {
        five_conflicts(Action::Skip, scope, |folder, run| {
            assert_eq!(contents(folder), ["old 0", "old 1", "old 2", "old 3", "same"]);
            assert_eq!(run.summary.entries.skipped, 5);
            assert_eq!(names(folder).len(), 15);
        });
    }
}

#[test]
fn replace_puts_the_source_there() {
    for scope in SCOPES {
        five_conflicts(Action::Replace, scope, |folder, run| {
            assert_eq!(contents(folder), ["new 0", "new 1", "new 2", "new 3", "same"]);
            assert_eq!(run.summary.entries.skipped, 0);
            assert_eq!(names(folder).len(), 15);
        });
    }
}

#[test]
fn replace_if_newer_replaces_what_is_older() {
    for scope in SCOPES {
        five_conflicts(Action::ReplaceIfNewer, scope, |folder, run| {
            assert_eq!(contents(folder), ["new 0", "old 1", "new 2", "old 3", "same"]);
            assert_eq!(run.summary.entries.skipped, 2);
        });
    }
}

#[test]
fn replace_if_different_replaces_what_differs() {
    for scope in SCOPES {
        five_conflicts(Action::ReplaceIfDifferent, scope, |folder, run| {
            assert_eq!(contents(folder), ["new 0", "new 1", "new 2", "new 3", "same"]);
            assert_eq!(run.summary.entries.skipped, 1);
        });
    }
}

#[test]
fn keep_both_gives_the_name_that_was_said() {
    for scope in SCOPES {
        five_conflicts(Action::KeepBoth, scope, |folder, run| {
            assert_eq!(contents(folder), ["old 0", "old 1", "old 2", "old 3", "same"]);
            assert_eq!(run.summary.renamed, 5);
            for question in run.questions() {
                let About::Conflict { other_name, .. } = &question.about else { panic!() };
                assert!(folder.join(other_name).exists(), "{other_name:?} in {:?}", names(folder));
            }
        });
    }
}

#[test]
fn rename_gives_the_name_that_was_wished() {
    let place = scratch();
    let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
    let into = Tree::new().file("f", "old").make(&place.join("into"));
    let wished = OsString::from_vec(b"wished \xff\n.txt".to_vec());
    let run = copy([&source], &into)
        .asking()
        .run_answering(|_| Some((Action::Rename(wished.clone()), Scope::This)))
        .done();
    assert_eq!(run.summary.renamed, 1);
    assert_eq!(read(into.join(&wished)), b"new");
    assert_eq!(read(into.join("f")), b"old");
}

#[test]
fn rename_to_a_taken_name_loses_nothing() {
    let place = scratch();
    let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
    let into = Tree::new().file("f", "old").file("g", "other").make(&place.join("into"));
    let mut asked = 0;
    copy([&source], &into)
        .asking()
        .run_answering(|_| {
            asked += 1;
            let name = if asked == 1 { "g" } else { "h" };
            Some((Action::Rename(name.into()), Scope::This))
        })
        .done();
    assert_eq!(asked, 2, "a taken name is asked about again");
    assert_eq!(read(into.join("f")), b"old");
    assert_eq!(read(into.join("g")), b"other");
    assert_eq!(read(into.join("h")), b"new");
}

#[test]
fn an_impossible_answer_changes_nothing_and_the_question_stays() {
    let impossible = ["", ".", "..", "a/b", "../up"].map(|name| Action::Rename(name.into()));
    let too_long = Action::Rename("n".repeat(256).into());
    for action in impossible.into_iter().chain([too_long, Action::Retry]) {
        let place = scratch();
        let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
        let into = Tree::new().file("f", "old").make(&place.join("into"));
        let mut session = Session::start();
        let job = session.add(copy([&source], &into).asking());
        let question = session.wait_questions(job, 1).remove(0);
        assert!(!question.about.allows(&action), "{action:?}");
        session.answer(job, question.id, action.clone(), Scope::This);
        session.answer(job, question.id, Action::Skip, Scope::This);
        let run = session.finish_answering(job, &mut |_| Some((Action::Skip, Scope::This)));
        assert!(run.summary.all_done(), "{action:?}: {:?}", run.summary);
        assert_eq!(names(&into), ["f"], "{action:?}");
        assert_eq!(names(&place), ["into", "source"], "{action:?}");
        assert_eq!(read(into.join("f")), b"old", "{action:?}");
    }
}

#[test]
fn a_folder_and_a_file_of_one_name_are_asked_about_and_neither_replaces_the_other() {
    let place = scratch();
    let tree = Tree::new().file("one", "file").file("two/inner", "in a folder");
    let source = tree.make(&place.join("source"));
    let old = Tree::new().file("one/inner", "old in a folder").file("two", "old file");
    let into = old.make(&place.join("into"));
    let sources = [source.join("one"), source.join("two")];
    let mut session = Session::start();
    let job = session.add(copy(&sources, &into).asking());
    let questions = session.wait_questions(job, 2);
    for question in &questions {
        assert_eq!(question.class(), QuestionClass::TypeDiffers);
        assert!(!question.about.allows(&Action::Replace));
        session.answer(job, question.id, Action::Replace, Scope::This);
    }
    session.answer(job, questions[0].id, Action::KeepBoth, Scope::This);
    session.answer(job, questions[1].id, Action::Rename("three".into()), Scope::This);
    let run = session.finish(job).done();
    assert_eq!(run.summary.renamed, 2);
    assert_eq!(names(&into), ["one", "one (2)", "three", "two"]);
    assert_eq!(read(into.join("one/inner")), b"old in a folder");
    assert_eq!(read(into.join("two")), b"old file");
    assert_eq!(read(into.join("one (2)")), b"file");
    assert_eq!(read(into.join("three/inner")), b"in a folder");
}

#[test]
fn an_answer_for_all_files_does_not_answer_for_folders() {
    let place = scratch();
    let tree = Tree::new().file("t/a", "new").file("t/b", "new").file("t/c", "new");
    let source = tree.make(&place.join("source")).join("t");
    let into = Tree::new().file("t/a", "old").file("t/b", "old").file("t/c/inner", "old");
    let into = into.make(&place.join("into"));
    let mut session = Session::start();
    let job = session.add(copy([&source], &into).asking());
    let questions = session.wait_questions(job, 3);
    session.answer(job, questions[0].id, Action::Replace, Scope::AllOfKind);
    let settled = session.wait("two settled questions", |event| match event {
        Event::Settled { questions, .. } => Some(questions.clone()),
        _ => None,
    });
    assert!(!settled.contains(&questions[2].id), "{settled:?} of {questions:#?}");
    session.answer(job, questions[2].id, Action::Skip, Scope::AllOfKind);
    session.finish(job).done();
    assert_eq!(read(into.join("t/a")), b"new");
    assert_eq!(read(into.join("t/b")), b"new");
    assert_eq!(read(into.join("t/c/inner")), b"old");
}

#[test]
fn an_answer_for_all_is_remembered_for_conflicts_that_come_later() {
    let place = scratch();
    let source = Tree::new().file("first/f", "new").make(&place.join("source"));
    let into = Tree::new().file("first/f", "old").files("later/f", 10, 3);
    let into = into.make(&place.join("into"));
    // The second source is not there yet: it fails, and is tried again when it is.
    let sources = [source.join("first"), source.join("later")];
    let mut session = Session::start();
    let job = session.add(copy(&sources, &into).asking());
    let questions = session.wait_questions(job, 2);
    assert_eq!(questions[0].class(), QuestionClass::FileExists);
    assert_eq!(questions[1].class(), QuestionClass::Failure);
    session.answer(job, questions[0].id, Action::Replace, Scope::AllOfKind);
    let later = Tree::new().files("later/f", 10, 7).make(&source).join("later");
    session.answer(job, questions[1].id, Action::Retry, Scope::This);
    session.finish(job).done();
    for number in 0..10 {
        let name = format!("f{number}");
        assert_eq!(read(into.join("later").join(&name)), read(later.join(&name)));
    }
}
