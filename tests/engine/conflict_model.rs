//! The rules against a model that knows nothing of the engine: random conflicts under random
//! rules, in one job, end as the model says.

use std::collections::BTreeMap;
use std::path::Path;

use ferry::engine::{
    Action, ConflictRule, FileFacts, FileKind, FolderRule, JobKind, NamePattern, QuestionClass,
    Scope, Subject,
};
use proptest::prelude::*;

use crate::common::{Job, Tree, names, read, scratch};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Thing {
    Nothing,
    /// Contents (one of three), and when it was changed.
    File(u8, i64),
    /// A folder with one file of these contents.
    Folder(u8),
}

impl Thing {
    fn plant(self, tree: Tree, name: &str, side: &str) -> Tree {
        match self {
            Thing::Nothing => tree,
            Thing::File(contents, time) => {
                tree.file(name, format!("file {contents}")).time(time, 0)
            }
            Thing::Folder(contents) => tree.file(format!("{name}/{side}"), format!("{contents}")),
        }
    }
}

fn things() -> impl Strategy<Value = Thing> {
    prop_oneof![
        Just(Thing::Nothing),
        (0_u8..3, 1000_i64..1003).prop_map(|(contents, time)| Thing::File(contents, time)),
        (0_u8..3).prop_map(Thing::Folder),
    ]
}

fn file_rules() -> impl Strategy<Value = ConflictRule> {
    prop::sample::select(vec![
        ConflictRule::Skip,
        ConflictRule::SkipUnanswered,
        ConflictRule::Replace,
        ConflictRule::Newer,
        ConflictRule::Different,
        ConflictRule::SizeOrTime,
        ConflictRule::KeepBoth,
        ConflictRule::KeepExisting,
        ConflictRule::Rename,
    ])
}

fn folder_rules() -> impl Strategy<Value = FolderRule> {
    prop::sample::select(vec![
        FolderRule::Merge,
        FolderRule::Skip,
        FolderRule::SkipUnanswered,
        FolderRule::Replace,
        FolderRule::KeepBoth,
        FolderRule::KeepExisting,
        FolderRule::Rename,
    ])
}

/// What is expected under a name: the file's contents, or the folder's files.
type Expected = BTreeMap<String, String>;

fn put(expected: &mut Expected, name: &str, thing: Thing, side: &str) {
    match thing {
        Thing::Nothing => {}
        Thing::File(contents, _) => {
            expected.insert(name.to_owned(), format!("file {contents}"));
        }
        Thing::Folder(contents) => {
            expected.insert(format!("{name}/{side}"), format!("{contents}"));
        }
    }
}

/// What a name leads to after a job, and whether the entry is to be called done.
fn model(
    name: &str,
    coming: Thing,
    there: Thing,
    file_rule: ConflictRule,
    folder_rule: FolderRule,
) -> Expected {
    use Thing::{File, Folder, Nothing};
    let mut expected = Expected::new();
    let (other, made) = (format!("{name} (2)"), format!("{name} made"));
    let mut both = |ours: &str, theirs: &str| {
        put(&mut expected, ours, coming, "new");
        put(&mut expected, theirs, there, "old");
    };
    match (coming, there) {
        (Nothing, _) | (_, Nothing) => both(name, name),
        (Folder(_), Folder(_)) => match folder_rule {
            FolderRule::Merge => both(name, name),
            FolderRule::Replace => put(&mut expected, name, coming, "new"),
            FolderRule::KeepBoth => both(&other, name),
            FolderRule::KeepExisting => both(name, &other),
            FolderRule::Rename => both(&made, name),
            _ => put(&mut expected, name, there, "old"),
        },
        _ => {
            let files = match (coming, there) {
                (File(ours, our_time), File(theirs, their_time)) => {
                    Some((ours != theirs, our_time.cmp(&their_time)))
                }
                _ => None,
            };
            let replaces = files.is_some_and(|(differ, time)| match file_rule {
                ConflictRule::Replace => true,
                ConflictRule::Newer => time.is_gt(),
                ConflictRule::Different => differ,
                // Their sizes are alike.
                ConflictRule::SizeOrTime => time.is_ne(),
                _ => false,
            });
            match file_rule {
                ConflictRule::KeepBoth => both(&other, name),
                ConflictRule::KeepExisting => both(name, &other),
                ConflictRule::Rename => both(&made, name),
                _ if replaces => put(&mut expected, name, coming, "new"),
                _ => put(&mut expected, name, there, "old"),
            }
        }
    }
    expected
}

fn found(folder: &Path, below: &str, into: &mut Expected) {
    for name in names(folder) {
        let path = folder.join(&name);
        let named = format!("{below}{name}");
        if path.is_dir() {
            found(&path, &format!("{named}/"), into);
        } else {
            into.insert(named, String::from_utf8(read(&path)).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_job_ends_as_the_model_says(
        pairs in prop::collection::vec((things(), things()), 1..12),
        file_rule in file_rules(),
        folder_rule in folder_rules(),
        moves in any::<bool>(),
    ) {
        let place = scratch();
        let (mut new, mut old) = (Tree::new(), Tree::new());
        let mut expected = Expected::new();
        let mut sources = Vec::new();
        for (number, (coming, there)) in pairs.iter().enumerate() {
            let name = format!("n{number}");
            new = coming.plant(new, &name, "new");
            old = there.plant(old, &name, "old");
            if *coming != Thing::Nothing {
                sources.push(place.join("source").join(&name));
            }
            expected.extend(model(&name, *coming, *there, file_rule, folder_rule));
        }
        prop_assume!(!sources.is_empty());
        new.make(&place.folder("source"));
        let into = old.make(&place.folder("into"));
        let kind = if moves { JobKind::Move } else { JobKind::Copy };
        let mut job = Job::new(kind, &sources, &into).rule(file_rule).folders(folder_rule);
        job.spec.options.rename_pattern = "{name} made".parse().unwrap();
        let run = job.run();
        let mut there = Expected::new();
        found(&into, "", &mut there);
        prop_assert_eq!(&there, &expected, "{:?} {:?} {:?}", file_rule, folder_rule, run.summary);
        // What is said to be left is left at both sides, and what is done has gone when moved.
        for (number, (coming, _)) in pairs.iter().enumerate() {
            if *coming == Thing::Nothing { continue }
            let state = run.entry(&format!("n{number}"));
            use ferry::engine::EntryState::*;
            let left = matches!(state, Skipped | Unanswered | Failed);
            let here = place.join("source").join(format!("n{number}")).exists();
            prop_assert_eq!(here, !moves || left, "n{} is {:?}", number, state);
        }
        let _aside = run.aside();
    }
}

fn subjects() -> impl Strategy<Value = Subject> {
    let kinds = || prop::sample::select(vec![FileKind::File, FileKind::Folder, FileKind::Link]);
    let facts = |kind| FileFacts { kind, size: 1, modified_seconds: 1, modified_nanoseconds: 0 };
    let conflict = (kinds(), kinds(), any::<bool>(), any::<bool>());
    prop_oneof![
        1 => Just(Subject::FAILURE),
        9 => conflict.prop_map(move |(ours, theirs, same, meet)| {
            Subject::of(&facts(ours), &facts(theirs), same, meet)
        }),
    ]
}

fn actions() -> impl Strategy<Value = Action> {
    prop::sample::select(vec![
        Action::Skip,
        Action::Merge,
        Action::Replace,
        Action::ReplaceIfNewer,
        Action::ReplaceIfDifferent,
        Action::ReplaceIfSizeOrTime,
        Action::KeepBoth,
        Action::KeepExisting,
        Action::Rename("name".into()),
        Action::Rename("..".into()),
        Action::RenameBy(NamePattern::default()),
        Action::Retry,
    ])
}

proptest! {
    #[test]
    fn an_answer_reaches_only_what_allows_it(
        asked in subjects(), other in subjects(), action in actions(),
    ) {
        for scope in [Scope::This, Scope::AllOfKind, Scope::All] {
            let reaches = asked.reaches(other, &action, scope);
            prop_assert!(!reaches || other.allows(&action));
            prop_assert!(!reaches || scope != Scope::This);
            prop_assert!(!reaches || !matches!(action, Action::Rename(_)), "one name for many");
            let failures = [asked.class, other.class].map(|class| class == QuestionClass::Failure);
            prop_assert!(!reaches || failures[0] == failures[1]);
            if scope == Scope::AllOfKind {
                prop_assert!(!reaches || asked.class == other.class);
            }
            if action == Action::Replace {
                prop_assert!(!reaches || asked.folders == other.folders);
            }
        }
    }

    #[test]
    fn nothing_replaces_itself_another_source_or_another_kind(
        subject in subjects(), action in actions(),
    ) {
        use QuestionClass::{FileExists, FolderExists};
        let replaces = matches!(
            action,
            Action::Replace | Action::ReplaceIfNewer | Action::ReplaceIfDifferent
                | Action::ReplaceIfSizeOrTime
        );
        if replaces && subject.allows(&action) {
            prop_assert!(!subject.same_file);
            prop_assert!(matches!(subject.class, FileExists | FolderExists));
        }
        prop_assert!(subject.allows(&Action::Skip), "there is always a way that changes nothing");
    }
}
