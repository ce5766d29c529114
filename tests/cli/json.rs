//! `--json`: one event a line, on standard output alone, as the README documents them.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use ferry::engine::*;
use serde_json::Value;

use crate::place::Place;

#[test]
fn every_line_is_an_event() {
    let place = Place::new();
    let run = place.file("tree/one", "1").file("tree/two", "22").ferry("copy --json tree folder");
    let events = run.ends(0).events();
    assert_eq!(run.err, "");
    assert!(matches!(events.first(), Some(Event::Added { .. })), "{}", run.out);
    let Some(Event::Finished { summary, .. }) = events.last() else { panic!("{}", run.out) };
    assert_eq!(summary.outcome, Outcome::Done);
    assert_eq!((summary.entries.done, summary.bytes.done), (3, 3));
    assert!(events.iter().any(|event| matches!(event, Event::Route { .. })), "{}", run.out);
}

#[test]
fn failures_stand_in_the_summary_and_on_standard_error() {
    let place = Place::new();
    let run = place.ferry("copy --json missing folder");
    let _words = run.ends(1).says("missing");
    let Some(Event::Finished { summary, .. }) = run.events().pop() else { panic!("{}", run.out) };
    assert!(summary.failures[0].error.path.ends_with("missing"));
    assert_eq!(summary.failures[0].error.kind, ErrorKind::Os(libc::ENOENT));
}

#[test]
fn a_name_that_is_not_utf8_comes_back_as_its_bytes() {
    let place = Place::new();
    let name = OsStr::from_bytes(b"caf\xe9");
    let run = place.command().args(["copy", "--json"]).arg(name).arg("folder").output().unwrap();
    let run = crate::place::Run::from(run);
    let events = run.ends(1).events();
    let Some(Event::Added { spec, .. }) = events.first() else { panic!("{}", run.out) };
    assert_eq!(spec.sources, [place.at("").join(name)]);
}

#[test]
fn the_readme_documents_every_event_and_field() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let mut words = BTreeSet::new();
    for event in samples() {
        collect(&serde_json::to_value(event).unwrap(), &mut words);
    }
    for variant in variants() {
        let _new = words.insert(variant.as_str().unwrap().to_owned());
    }
    for value in [entry_of_a_report(), past(), undone()] {
        collect(&value, &mut words);
    }
    let missing: Vec<_> =
        words.iter().filter(|word| !readme.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty(), "the README does not tell of {missing:?}");
}

/// An entry of a report, in each state that is left at the end.
fn entry_of_a_report() -> Value {
    let states = EntryState::ALL.into_iter();
    let at_the_end =
        states.filter(|state| !matches!(state, EntryState::InWork | EntryState::Asked));
    let entry = |state| ReportEntry {
        path: PathBuf::from("path"),
        kind: Some(FileKind::File),
        state,
        source_path: PathBuf::from("path"),
        destination_path: PathBuf::from("path"),
        error: None,
        notices: vec![],
        set_aside: None,
    };
    serde_json::to_value(at_the_end.map(entry).collect::<Vec<_>>()).unwrap()
}

/// A line of the history, in each state.
fn past() -> Value {
    let states = [
        PastState::Running,
        PastState::Unfinished,
        PastState::Finished,
        PastState::Cancelled,
        PastState::Refused,
        PastState::Undone,
    ];
    let past = |state| Past {
        id: JournalId(1),
        state,
        began: 1,
        kind: JobKind::Copy,
        sources: vec![PathBuf::from("path")],
        source_count: 1,
        destination: PathBuf::from("path"),
        entries: None,
        bytes: None,
        merged: None,
    };
    serde_json::to_value(states.map(past)).unwrap()
}

/// The report of an undo, with everything that can be left.
fn undone() -> Value {
    let why = [
        LeftWhy::Changed,
        LeftWhy::ReplacedGone,
        LeftWhy::PlaceTaken,
        LeftWhy::NotThere,
        LeftWhy::NotEmpty,
        LeftWhy::OldInTrash,
        LeftWhy::AsideGone,
        LeftWhy::NotTold,
    ];
    let left =
        why.map(|why| Left { path: PathBuf::from("path"), why, old: Some(PathBuf::from("path")) });
    serde_json::to_value(UndoReport { left: left.to_vec(), ..UndoReport::default() }).unwrap()
}

/// Fields that hold a name and no variant.
const FREE_TEXT: [&str; 7] = [
    "path",
    "example",
    "source_type",
    "destination_type",
    "destination",
    "source_path",
    "destination_path",
];

/// The names of events, variants and fields in a sample.
fn collect(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let _new = words.insert(name.clone());
                collect(value, words);
                if let Value::String(variant) = value
                    && !FREE_TEXT.contains(&name.as_str())
                {
                    let _new = words.insert(variant.clone());
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        _ => {}
    }
}

/// One of each event, every field filled.
fn samples() -> Vec<Event> {
    let job = JobId(1);
    let facts =
        FileFacts { kind: FileKind::File, size: 1, modified_seconds: 1, modified_nanoseconds: 1 };
    let error = Error::new(Operation::Read, "path", ErrorKind::Os(5));
    let entries = EntryCounts::default();
    let bytes = ByteCounts::default();
    let question = |about| Question {
        id: QuestionId(1),
        entry: EntryId(1),
        path: PathBuf::from("path"),
        about,
    };
    let conflict = About::Conflict {
        source: facts,
        source_path: PathBuf::from("path"),
        existing: facts,
        existing_path: PathBuf::from("path"),
        other_name: OsString::from("path"),
        same_file: false,
        sources_meet: false,
    };
    vec![
        Event::Added { job, spec: JobSpec::default() },
        Event::State { job, state: JobState::Running },
        Event::Route {
            job,
            route: Route {
                means: Means::InKernel,
                source_type: "ext4".to_owned(),
                destination_type: "ext4".to_owned(),
            },
        },
        Event::Progress {
            job,
            snapshot: Snapshot {
                in_work: vec![InWork {
                    entry: EntryId(1),
                    path: PathBuf::from("path"),
                    done: 1,
                    size: 1,
                }],
                ..Snapshot::default()
            },
        },
        Event::Asked {
            job,
            questions: vec![question(conflict), question(About::Failure { error: error.clone() })],
        },
        Event::Settled { job, questions: vec![QuestionId(1)] },
        Event::Finished {
            job,
            summary: Summary {
                outcome: Outcome::Done,
                entries,
                bytes,
                elapsed: 1,
                merged: 0,
                renamed: 0,
                set_aside: 0,
                changed: 0,
                verified: 0,
                failures: vec![Failure { entry: None, error }],
                notices: vec![Notice {
                    kind: NoticeKind::Owner,
                    count: 1,
                    example: PathBuf::from("path"),
                }],
            },
        },
        Event::Compared { job, question: QuestionId(1), equal: Some(true) },
        Event::Order { jobs: vec![job] },
        Event::SourcesAdded { job, sources: vec![PathBuf::from("path")] },
        Event::SourcesRefused { job, spec: JobSpec::default(), why: Refusal::TooLate },
    ]
}

/// Every value of the fields that have a choice of them.
fn variants() -> Vec<Value> {
    use serde_json::to_value as v;
    let mut all = Vec::new();
    all.extend([JobKind::Copy, JobKind::Move].map(v));
    all.extend([FailureRule::Ask, FailureRule::Record].map(v));
    all.extend([Reflink::Auto, Reflink::Always, Reflink::Never].map(v));
    all.extend([Outcome::Done, Outcome::Cancelled, Outcome::Refused, Outcome::Stopped].map(v));
    all.extend([Refusal::TooLate, Refusal::Differs].map(v));
    all.extend(
        [KeepReplaced::Undo, KeepReplaced::Trash, KeepReplaced::Job, KeepReplaced::No].map(v),
    );
    all.extend([Phase::Copying, Phase::Flushing, Phase::Verifying, Phase::Removing].map(v));
    all.extend([Means::Clone, Means::InKernel, Means::ReadWrite, Means::Rename].map(v));
    all.extend(
        [
            JobState::Queued,
            JobState::Running,
            JobState::Paused,
            JobState::Waiting,
            JobState::Cancelling,
            JobState::Ended,
        ]
        .map(v),
    );
    all.extend(
        [
            ConflictRule::Ask,
            ConflictRule::Skip,
            ConflictRule::SkipUnanswered,
            ConflictRule::Replace,
            ConflictRule::Newer,
            ConflictRule::Different,
            ConflictRule::KeepBoth,
            ConflictRule::SizeOrTime,
            ConflictRule::KeepExisting,
            ConflictRule::Rename,
        ]
        .map(v),
    );
    all.extend(
        [
            FolderRule::Merge,
            FolderRule::Ask,
            FolderRule::Skip,
            FolderRule::SkipUnanswered,
            FolderRule::Replace,
            FolderRule::KeepBoth,
            FolderRule::KeepExisting,
            FolderRule::Rename,
        ]
        .map(v),
    );
    all.extend(
        [
            FileKind::File,
            FileKind::Folder,
            FileKind::Link,
            FileKind::Fifo,
            FileKind::Socket,
            FileKind::Device,
        ]
        .map(v),
    );
    all.extend(
        [
            NoticeKind::Socket,
            NoticeKind::Owner,
            NoticeKind::Xattr,
            NoticeKind::Acl,
            NoticeKind::Mode,
            NoticeKind::Times,
            NoticeKind::HardLink,
            NoticeKind::CloneNotVerified,
            NoticeKind::VerifiedInMemory,
            NoticeKind::NotCheckable,
            NoticeKind::SourceLeft,
            NoticeKind::Unanswered,
            NoticeKind::TypeDiffers,
            NoticeKind::SameFile,
            NoticeKind::ReplacedNotKept,
            NoticeKind::ReplacedGivenUp,
            NoticeKind::NotRemembered,
        ]
        .map(v),
    );
    all.extend(
        [
            Operation::Inspect,
            Operation::Open,
            Operation::List,
            Operation::Read,
            Operation::MakeFolder,
            Operation::Create,
            Operation::Write,
            Operation::Clone,
            Operation::SetAttributes,
            Operation::Publish,
            Operation::Remove,
            Operation::Rename,
            Operation::Flush,
            Operation::Verify,
        ]
        .map(v),
    );
    all.extend(
        [
            ErrorKind::SameFile,
            ErrorKind::IntoItself,
            ErrorKind::NotAFolder,
            ErrorKind::TypeDiffers,
            ErrorKind::NoName,
            ErrorKind::NoSources,
            ErrorKind::Changed,
            ErrorKind::Mismatch,
            ErrorKind::CannotClone,
            ErrorKind::BadName,
            ErrorKind::NotReplaced,
            ErrorKind::Internal,
        ]
        .map(v),
    );
    all.into_iter().map(Result::unwrap).collect()
}
