//! Properties of the pure parts, over names and facts that nobody would think of.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use ferry::engine::{
    Action, ConflictRule, Decision, FileFacts, FileKind, NAME_MAX, NamePattern, cut, decide,
    name_is_possible, other_name,
};
use proptest::prelude::*;

fn kinds() -> impl Strategy<Value = FileKind> {
    prop::sample::select(vec![
        FileKind::File,
        FileKind::Folder,
        FileKind::Link,
        FileKind::Fifo,
        FileKind::Socket,
        FileKind::Device,
    ])
}

fn rules() -> impl Strategy<Value = ConflictRule> {
    prop::sample::select(vec![
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
    ])
}

fn facts() -> impl Strategy<Value = FileFacts> {
    (kinds(), 0_u64..4, -2_i64..3, 0_u32..3).prop_map(|(kind, size, seconds, nanoseconds)| {
        FileFacts { kind, size, modified_seconds: seconds, modified_nanoseconds: nanoseconds }
    })
}

/// Names as they are: bytes, texts, dots and extensions, often near the limit.
fn possible_names() -> impl Strategy<Value = OsString> {
    let byte =
        prop::num::u8::ANY.prop_filter("no slash, no NUL", |&byte| byte != 0 && byte != b'/');
    let bytes = prop::collection::vec(byte, 1..=NAME_MAX);
    let text = "[a-zü日 .()0-9]{1,120}".prop_map(String::into_bytes);
    let long = ("[aü日]{60,120}", "(\\.tar)?\\.[a-z]{1,20}").prop_map(|(stem, end)| {
        let end = end.into_bytes();
        let mut name = cut(stem.as_bytes(), NAME_MAX - end.len()).to_vec();
        name.extend(end);
        name
    });
    prop_oneof![bytes, text, long]
        .prop_map(OsString::from_vec)
        .prop_filter("possible", |name| name_is_possible(name))
}

proptest! {
    #[test]
    fn another_name_is_possible_and_another(name in possible_names(), kind in kinds(), number in 2_u64..) {
        let other = other_name(&name, kind, number);
        prop_assert!(name_is_possible(&other), "{other:?}");
        prop_assert_ne!(&other, &name);
        if std::str::from_utf8(name.as_bytes()).is_ok() {
            prop_assert!(std::str::from_utf8(other.as_bytes()).is_ok(), "{other:?}");
        }
    }

    #[test]
    fn other_names_of_a_name_are_all_different(name in possible_names(), kind in kinds()) {
        let all: HashSet<OsString> = (2..200).map(|number| other_name(&name, kind, number)).collect();
        prop_assert_eq!(all.len(), 198);
    }

    #[test]
    fn another_name_says_its_number_and_begins_alike(name in possible_names(), kind in kinds()) {
        let other = other_name(&name, kind, 17);
        let bytes = other.as_bytes();
        let at = bytes.windows(5).rposition(|part| part == b" (17)");
        prop_assert!(at.is_some(), "{other:?}");
        let at = at.unwrap();
        prop_assert!(name.as_bytes().starts_with(&bytes[..at]), "{other:?}");
        prop_assert!(name.as_bytes().ends_with(&bytes[at + 5..]), "{other:?}");
        if kind == FileKind::Folder {
            prop_assert_eq!(at + 5, bytes.len());
        }
    }

    #[test]
    fn an_extension_stays(stem in "[a-zü ]{1,200}", extension in "[a-z0-9]{1,8}", tar in any::<bool>()) {
        let extension = if tar { format!(".tar.{extension}") } else { format!(".{extension}") };
        let name = format!("{}{extension}", String::from_utf8_lossy(cut(stem.as_bytes(), 200)));
        let other = other_name(name.as_ref(), FileKind::File, 2).into_string().unwrap();
        prop_assert!(other.ends_with(&format!(" (2){extension}")), "{other:?}");
    }

    #[test]
    fn a_possible_name_can_be_given(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let name = OsString::from_vec(bytes.clone());
        let path = std::path::Path::new("/folder").join(&name);
        let one_component = path.components().count() == 3
            && path.parent() == Some(std::path::Path::new("/folder"))
            && path.file_name() == Some(&name);
        let expected = one_component && !bytes.contains(&0) && bytes.len() <= NAME_MAX;
        prop_assert_eq!(name_is_possible(&name), expected);
    }

    #[test]
    fn a_cut_is_a_beginning_and_splits_no_character(name in "[aü日🚢]{0,80}", len in 0_usize..300) {
        let part = cut(name.as_bytes(), len);
        prop_assert!(part.len() <= len);
        prop_assert!(name.as_bytes().starts_with(part));
        prop_assert!(std::str::from_utf8(part).is_ok());
        prop_assert!(part.len() + 4 > len.min(name.len()));
    }

    #[test]
    fn no_rule_puts_a_file_in_a_folders_place(rule in rules(), source in facts(), existing in facts()) {
        let decision = decide(rule, &source, &existing);
        let folder = source.kind == FileKind::Folder || existing.kind == FileKind::Folder;
        let replaces = matches!(decision, Decision::Replace | Decision::Compare);
        prop_assert!(!(folder && replaces), "{decision:?}");
        prop_assert_eq!(decision == Decision::Park, rule == ConflictRule::Ask);
    }

    #[test]
    fn newer_replaces_what_is_older_and_never_both_ways(one in facts(), other in facts()) {
        let replaces = |a, b| decide(ConflictRule::Newer, a, b) == Decision::Replace;
        prop_assert!(!(replaces(&one, &other) && replaces(&other, &one)));
        prop_assert!(!replaces(&one, &one));
    }

    #[test]
    fn different_never_skips_what_it_has_not_compared(source in facts(), existing in facts()) {
        let decision = decide(ConflictRule::Different, &source, &existing);
        prop_assert_ne!(decision, Decision::Skip);
        let alike = source.kind == existing.kind && source.size == existing.size;
        if decision == Decision::Compare {
            prop_assert!(alike);
        }
    }
}

#[test]
fn an_action_and_its_rule_mean_the_same() {
    let actions = [
        Action::Skip,
        Action::Replace,
        Action::ReplaceIfNewer,
        Action::ReplaceIfDifferent,
        Action::KeepBoth,
        Action::ReplaceIfSizeOrTime,
        Action::KeepExisting,
        Action::RenameBy(NamePattern::default()),
    ];
    let rules: HashSet<ConflictRule> = actions.iter().filter_map(Action::as_rule).collect();
    assert_eq!(rules.len(), actions.len());
    assert_eq!(Action::Retry.as_rule(), None);
    assert_eq!(Action::Rename("x".into()).as_rule(), None);
}

#[test]
fn the_names_that_no_file_can_have() {
    for name in ["", ".", "..", "a/b", "/", "a\0b"] {
        assert!(!name_is_possible(name.as_ref()), "{name:?}");
    }
    assert!(!name_is_possible("n".repeat(256).as_ref()));
    for name in ["...", " ", "-", "\n", "a"] {
        assert!(name_is_possible(name.as_ref()), "{name:?}");
    }
    assert!(name_is_possible("n".repeat(255).as_ref()));
}
