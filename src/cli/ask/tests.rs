use std::path::PathBuf;

use crate::engine::EntryId;

use super::*;

const JOB: JobId = JobId(1);

fn facts(kind: FileKind, size: u64, modified_seconds: i64) -> FileFacts {
    FileFacts { kind, size, modified_seconds, modified_nanoseconds: 0 }
}

fn conflict(id: u64, source: FileFacts, existing: FileFacts, same_file: bool) -> Question {
    Question {
        id: QuestionId(id),
        entry: EntryId(id as u32),
        path: PathBuf::from("docs/report.txt"),
        about: About::Conflict {
            source,
            source_path: PathBuf::from("/home/docs/report.txt"),
            existing,
            existing_path: PathBuf::from("/mnt/docs/report.txt"),
            other_name: OsString::from("report (2).txt"),
            same_file,
            sources_meet: false,
        },
    }
}

fn file(id: u64) -> Question {
    let source = facts(FileKind::File, 6_100_000, 2_000_000_000);
    conflict(id, source, facts(FileKind::File, 4_000, 1_000_000_000), false)
}

fn answer(question: u64, action: Action, scope: Scope) -> Command {
    Command::Answer { job: JOB, question: QuestionId(question), action, scope }
}

fn asker(questions: Vec<Question>) -> Asker {
    let mut asker = Asker::new(JOB);
    assert_eq!(asker.asked(questions), []);
    asker
}

#[test]
fn a_question_shows_both_sides_and_its_answers() {
    let prompt = asker(vec![file(1), file(2)]).prompt().expect("a question waits");
    for part in ["docs/report.txt", "6.1 MB", "4 KB", "newer", "larger", "report (2).txt", "1 more"]
    {
        assert!(prompt.contains(part), "{part} is missing in:\n{prompt}");
    }
}

#[test]
fn letters_answer_for_one() {
    for (line, action) in [
        ("s\n", Action::Skip),
        ("r\n", Action::Replace),
        (" n \n", Action::ReplaceIfNewer),
        ("d", Action::ReplaceIfDifferent),
        ("k\n", Action::KeepBoth),
    ] {
        let mut asker = asker(vec![file(1), file(2)]);
        let reply = asker.line(line.as_bytes());
        assert_eq!(reply.commands, [answer(1, action, Scope::This)]);
        assert_eq!(asker.current(), Some(QuestionId(2)));
    }
}

#[test]
fn a_capital_answers_all_that_wait_and_all_that_come() {
    let mut asker = asker(vec![file(1), file(2)]);
    let reply = asker.line(b"R\n");
    assert_eq!(
        reply.commands,
        [answer(1, Action::Replace, Scope::AllOfKind), answer(2, Action::Replace, Scope::This)]
    );
    assert_eq!(asker.current(), None);
    assert_eq!(asker.asked(vec![file(3)]), [answer(3, Action::Replace, Scope::This)]);
}

#[test]
fn what_an_answer_for_all_does_not_fit_is_still_asked() {
    let folder = facts(FileKind::Folder, 0, 0);
    let differs = conflict(2, facts(FileKind::File, 1, 0), folder, false);
    let itself = conflict(3, facts(FileKind::File, 1, 0), facts(FileKind::File, 1, 0), true);
    let mut asker = asker(vec![file(1), differs, itself]);
    let _reply = asker.line(b"R\n");
    assert_eq!(asker.current(), Some(QuestionId(2)));
    assert!(asker.line(b"r\n").complaint.is_some(), "a file never replaces a folder");
    let prompt = asker.prompt().expect("a question waits");
    assert!(!prompt.contains(&words::text("ask-replace")), "{prompt}");
    assert_eq!(asker.line(b"k\n").commands, [answer(2, Action::KeepBoth, Scope::This)]);
    assert_eq!(asker.current(), Some(QuestionId(3)));
    assert!(asker.line(b"r\n").complaint.is_some(), "a file does not replace itself");
}

#[test]
fn nothing_is_the_default() {
    let mut asker = asker(vec![file(1)]);
    for line in [&b"\n"[..], b"", b"y\n", b"yes\n", b"replace\n", b"\xff\n"] {
        let reply = asker.line(line);
        assert!(reply.commands.is_empty() && reply.complaint.is_some(), "{line:?}");
        assert_eq!(asker.current(), Some(QuestionId(1)));
    }
}

#[test]
fn renaming_takes_a_name_of_bytes() {
    let name = OsString::from_vec(b"caf\xe9 2".to_vec());
    let renamed = [answer(1, Action::Rename(name), Scope::This)];
    assert_eq!(asker(vec![file(1)]).line(b"rename caf\xe9 2\n").commands, renamed);

    let mut asker = asker(vec![file(1)]);
    assert_eq!(asker.line(b"rename\n"), Reply::default());
    assert_eq!(asker.prompt(), Some(words::text("ask-new-name") + " "));
    assert_eq!(asker.line(b"caf\xe9 2\n").commands, renamed);
}

#[test]
fn a_name_that_no_file_can_have_is_refused() {
    for line in [&b"rename \n"[..], b"rename .\n", b"rename ..\n", b"rename a/b\n"] {
        let mut asker = asker(vec![file(1)]);
        assert!(asker.line(line).complaint.is_some());
        assert_eq!(asker.current(), Some(QuestionId(1)));
    }
}

#[test]
fn the_end_of_the_input_leaves_the_rest_unanswered() {
    let mut asker = asker(vec![file(1), file(2)]);
    let _reply = asker.line(b"r\n");
    assert_eq!(asker.input_ended(), [answer(2, Action::Skip, Scope::This)]);
    assert_eq!(asker.asked(vec![file(3)]), [answer(3, Action::Skip, Scope::This)]);
    assert_eq!(asker.unanswered(), 2);
    assert_eq!(asker.prompt(), None);
}

#[test]
fn an_answer_for_all_outlives_the_end_of_the_input() {
    let mut asker = asker(vec![file(1)]);
    let _reply = asker.line(b"K\n");
    assert_eq!(asker.input_ended(), []);
    assert_eq!(asker.asked(vec![file(2)]), [answer(2, Action::KeepBoth, Scope::This)]);
    assert_eq!(asker.unanswered(), 0);
}

#[test]
fn a_settled_question_is_not_asked() {
    let mut asker = asker(vec![file(1), file(2)]);
    asker.settled(&[QuestionId(1)]);
    assert_eq!(asker.current(), Some(QuestionId(2)));
    let _reply = asker.line(b"rename\n");
    asker.settled(&[QuestionId(2)]);
    assert_eq!(asker.prompt(), None);
}

#[test]
fn refused_names_are_asked_about_once_for_the_whole_job() {
    let example =
        |name: &str, mapped: &str| MappedName { name: name.into(), mapped: mapped.into() };
    let question = Question {
        id: QuestionId(1),
        entry: EntryId(1),
        path: PathBuf::from("a:b"),
        about: About::ForeignName {
            examples: vec![example("a:b", "a_b"), example("aux", "aux_")],
            file_system: "exfat".to_owned(),
        },
    };
    let prompt = asker(vec![question.clone()]).prompt().expect("a question waits");
    for part in ["exfat", "“a:b” as “a_b”", "“aux” as “aux_”", "m ", "s "] {
        assert!(prompt.contains(part), "{part} is missing in:\n{prompt}");
    }
    for (line, action) in [("m", Action::MapName), ("M", Action::MapName), ("s", Action::Skip)] {
        let reply = asker(vec![question.clone()]).line(line.as_bytes());
        assert_eq!(reply.commands, [answer(1, action, Scope::AllOfKind)], "{line}");
    }
    for line in ["", "r", "k", "rename x", "!"] {
        let reply = asker(vec![question.clone()]).line(line.as_bytes());
        assert!(reply.commands.is_empty() && reply.complaint.is_some(), "{line}");
    }
    // Without an answer they are left.
    let left = asker(vec![question]).input_ended();
    assert_eq!(left, [answer(1, Action::Skip, Scope::This)]);
}
