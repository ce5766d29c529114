//! Names that the destination refuses: one question, with examples.

use std::ffi::OsString;

use ferry::engine::{Action as Answer, *};
use iced::keyboard::key::Named;

use crate::common::*;

fn refusing() -> Stage {
    let mut stage = Stage::new();
    let job = stage.job(1, spec(&["/home/anna/Photos"], "/media/stick"), photos(10));
    stage.event(Event::State { job, state: JobState::Running });
    let example =
        |name: &str, mapped: &str| MappedName { name: name.into(), mapped: mapped.into() };
    let about = About::ForeignName {
        examples: vec![example("9:30.jpg", "9_30.jpg"), example("aux.txt", "aux_.txt")],
        file_system: "exfat".to_owned(),
    };
    let path = OsString::from("Photos/9:30.jpg").into();
    let question = Question { id: QuestionId(7), entry: EntryId(3), path, about };
    stage.event(Event::Asked { job, questions: vec![question, conflict(8, 4, "Photos/a.jpg")] });
    stage
}

fn answered(action: Answer) -> Command {
    let (job, question) = (JobId(1), QuestionId(7));
    Command::Answer { job, question, action, scope: Scope::AllOfKind }
}

#[test]
fn the_names_and_what_they_become_are_shown_and_answered_for_the_job() {
    for (words, answer) in
        [("Copy under these names", Answer::MapName), ("Skip them", Answer::Skip)]
    {
        let mut stage = refusing();
        assert!(stage.shows("The destination refuses some names."));
        assert!(stage.shows("1 file needs a decision."));
        stage.letter('d');
        for shown in ["9:30.jpg", "9_30.jpg", "aux.txt", "aux_.txt"] {
            assert!(stage.shows(shown), "{shown}: {:?}", stage.texts());
        }
        stage.click(words);
        assert_eq!(stage.sent(), [answered(answer)]);
        assert!(!stage.shows(words), "the dialog is done");
    }
}

#[test]
fn keys_answer_and_enter_alone_answers_nothing() {
    for (letter, answer) in [('m', Answer::MapName), ('s', Answer::Skip)] {
        let mut stage = refusing();
        stage.letter('d');
        stage.key(Named::Enter);
        assert_eq!(stage.sent(), []);
        stage.letter('d');
        stage.letter(letter);
        assert_eq!(stage.sent(), [answered(answer)]);
    }
}

#[test]
fn a_settled_question_closes_the_dialog_and_leaves_the_conflicts() {
    let mut stage = refusing();
    stage.letter('d');
    stage.event(Event::Settled { job: JobId(1), questions: vec![QuestionId(7)] });
    assert!(!stage.shows("Copy under these names"));
    assert!(!stage.shows("The destination refuses some names."));
    stage.letter('d');
    assert!(stage.shows("“a.jpg” is already there"));
}
