//! Commands and events survive serde, with names that are no text.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use ferry::engine::{
    About, Action, ByteCounts, Command, Compared, ConflictRule, EntryCounts, EntryId, Error,
    ErrorKind, Event, Failure, FailureRule, FileFacts, FileKind, FolderRule, ForeignRule, InWork,
    JobId, JobKind, JobSpec, JobState, KeepReplaced, Means, Notice, NoticeKind, Operation, Options,
    Outcome, Phase, Preserve, Question, QuestionId, Reflink, Route, Scope, Snapshot, Summary,
};
use proptest::prelude::*;

use crate::common::{Tree, copy, scratch};

const NAMES: [&[u8]; 8] = [
    b"plain",
    b"\xff\xfe not text",
    b"half \xc3",
    "\u{fc} and \u{1f6a2}".as_bytes(),
    b"line\nbreak \"quoted\" \\ back",
    b"",
    b"\x01\x7f",
    b"[1,2]",
];

fn name(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from("/folder").join(name(bytes))
}

fn spec(bytes: &[u8]) -> JobSpec {
    JobSpec {
        kind: JobKind::Move,
        sources: vec![path(bytes), path(b"second"), path(bytes)],
        destination: path(bytes),
        options: Options {
            foreign_names: ForeignRule::Map,
            keep_replaced: KeepReplaced::Trash,
            conflict: ConflictRule::KeepBoth,
            folder_conflict: FolderRule::KeepExisting,
            rename_pattern: "{name} {number}{ext}".parse().unwrap(),
            failure: FailureRule::Record,
            reflink: Reflink::Never,
            preserve: Preserve { owner: true, ..Preserve::NONE },
            verify: true,
            workers: Some(3),
        },
        checksums: Some(path(b"list \xff")),
    }
}

fn commands(bytes: &[u8]) -> Vec<Command> {
    let job = JobId(u64::MAX);
    let question = QuestionId(7);
    let answer = |action, scope| Command::Answer { job, question, action, scope };
    vec![
        Command::Add { job, spec: spec(bytes) },
        Command::Add { job, spec: JobSpec::default() },
        Command::Pause { job },
        Command::Resume { job },
        Command::Cancel { job },
        answer(Action::Rename(name(bytes)), Scope::This),
        answer(Action::Skip, Scope::AllOfKind),
        answer(Action::Replace, Scope::This),
        answer(Action::ReplaceIfNewer, Scope::This),
        answer(Action::ReplaceIfDifferent, Scope::This),
        answer(Action::ReplaceIfSizeOrTime, Scope::This),
        answer(Action::KeepBoth, Scope::All),
        answer(Action::KeepExisting, Scope::This),
        answer(Action::Merge, Scope::This),
        answer(Action::RenameBy("{date} {name}".parse().unwrap()), Scope::All),
        Command::Compare { job, question },
        answer(Action::Retry, Scope::This),
        Command::Reorder { job, before: Some(JobId(1)) },
        Command::Reorder { job, before: None },
        Command::Forget { job },
        Command::ShutDown,
    ]
}

fn error(bytes: &[u8], kind: ErrorKind) -> Error {
    Error { operation: Operation::SetAttributes, path: path(bytes), kind }
}

fn questions(bytes: &[u8]) -> Vec<Question> {
    let facts = FileFacts {
        kind: FileKind::Link,
        size: u64::MAX,
        modified_seconds: -5,
        modified_nanoseconds: 999_999_999,
    };
    let conflict = About::Conflict {
        source: facts,
        source_path: path(bytes),
        existing: FileFacts { kind: FileKind::Fifo, ..facts },
        existing_path: path(bytes),
        other_name: name(bytes),
        same_file: true,
        sources_meet: true,
    };
    [conflict, About::Failure { error: error(bytes, ErrorKind::Os(28)) }]
        .into_iter()
        .map(|about| Question { id: QuestionId(1), entry: EntryId(2), path: path(bytes), about })
        .collect()
}

fn events(bytes: &[u8]) -> Vec<Event> {
    let job = JobId(3);
    let entries = EntryCounts { total: 9, done: 4, failed: 5, ..EntryCounts::default() };
    let snapshot = Snapshot {
        compared: Some(Compared { done: 1, total: 2 }),
        phase: Phase::Verifying,
        entries,
        bytes: ByteCounts { done: 1, cloned: 1, total: Some(u64::MAX) },
        fraction: Some(0.125),
        rate: Some(1),
        entry_rate: None,
        left: Some(0),
        elapsed: 12,
        in_work: vec![InWork { entry: EntryId(1), path: path(bytes), done: 2, size: 3 }],
    };
    let kinds =
        [ErrorKind::SameFile, ErrorKind::Os(5), ErrorKind::CannotClone, ErrorKind::Internal];
    let failures = kinds
        .map(|kind| Failure { entry: Some(EntryId(1)), error: error(bytes, kind) })
        .into_iter()
        .chain([Failure { entry: None, error: error(bytes, ErrorKind::NoSources) }]);
    let summary = Summary {
        outcome: Outcome::Cancelled,
        entries,
        bytes: ByteCounts::default(),
        elapsed: 1,
        merged: 0,
        renamed: 2,
        set_aside: 5,
        changed: 3,
        verified: 4,
        failures: failures.collect(),
        notices: vec![Notice { kind: NoticeKind::SourceLeft, count: 1, example: path(bytes) }],
    };
    let route = Route {
        means: Means::InKernel,
        source_type: "ext4".into(),
        destination_type: "fuse.sshfs".into(),
    };
    vec![
        Event::Added { job, spec: spec(bytes) },
        Event::State { job, state: JobState::Waiting },
        Event::Compared { job, question: QuestionId(7), equal: None },
        Event::Route { job, route },
        Event::Progress { job, snapshot },
        Event::Progress { job, snapshot: Snapshot::default() },
        Event::Asked { job, questions: questions(bytes) },
        Event::Settled { job, questions: vec![QuestionId(1), QuestionId(2)] },
        Event::Finished { job, summary },
        Event::Order { jobs: vec![JobId(2), JobId(1)] },
        Event::Stopped,
    ]
}

#[test]
fn commands_survive_json() {
    for bytes in NAMES {
        for command in commands(bytes) {
            let text = serde_json::to_string(&command).unwrap();
            assert!(!text.contains('\n'), "one line each: {text}");
            let back: Command =
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(back, command, "{text}");
        }
    }
}

#[test]
fn events_survive_json() {
    for bytes in NAMES {
        for event in events(bytes) {
            let text = serde_json::to_string(&event).unwrap();
            assert!(!text.contains('\n'), "one line each: {text}");
            let back: Event = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(back, event, "{text}");
        }
    }
}

#[test]
fn names_that_are_text_are_strings_and_others_are_bytes() {
    let rename = |bytes: &[u8]| {
        let action = Action::Rename(name(bytes));
        serde_json::to_value(action).unwrap()
    };
    assert_eq!(rename("ü".as_bytes()), serde_json::json!({ "rename": "ü" }));
    assert_eq!(rename(b"a\xff"), serde_json::json!({ "rename": [97, 255] }));
}

#[test]
fn a_name_with_a_nul_is_refused() {
    for text in [r#"{"rename":"a\u0000b"}"#, r#"{"rename":[97,0]}"#, r#"{"rename":[300]}"#] {
        assert!(serde_json::from_str::<Action>(text).is_err(), "{text}");
    }
}

#[test]
fn what_a_real_job_tells_survives_json() {
    let place = scratch();
    let tree = Tree::new().file(b"t/\xff\n", "x").socket(b"t/\xfe socket").file("t/ü", "y");
    let source = tree.make(&place.join("source")).join("t");
    let sources = [source, place.join("missing")];
    for event in copy(&sources, place.join("into")).run().events {
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event, "{text}");
    }
}

proptest! {
    #[test]
    fn any_name_survives_json(bytes in prop::collection::vec(1_u8.., 0..300)) {
        for command in commands(&bytes) {
            let text = serde_json::to_string(&command).unwrap();
            prop_assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), command);
        }
        for event in events(&bytes) {
            let text = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        }
    }
}
