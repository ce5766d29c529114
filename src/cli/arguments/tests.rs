use std::os::unix::ffi::OsStringExt;

use crate::engine::{ConflictRule, FolderRule, ForeignRule, KeepReplaced, Preserve, Reflink};

use super::*;

/// Without any settings.
fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    super::parse(arguments, &Settings::default())
}

fn job(arguments: &[&str]) -> JobRequest {
    let arguments = ["ferry"].iter().chain(arguments).map(OsString::from);
    match parse(arguments) {
        Ok(Request::Job(job)) => job,
        other => panic!("{other:?}"),
    }
}

fn refused(arguments: &[&str]) -> i32 {
    let arguments = ["ferry"].iter().chain(arguments).map(OsString::from);
    parse(arguments).expect_err("is refused").exit_code()
}

#[test]
fn the_definition_is_sound() {
    Arguments::command().debug_assert();
}

#[test]
fn the_last_path_is_the_folder() {
    let request = job(&["copy", "a", "b", "c"]);
    assert_eq!(request.kind, JobKind::Copy);
    assert_eq!(request.sources, [PathBuf::from("a"), PathBuf::from("b")]);
    assert_eq!(request.folder, PathBuf::from("c"));
    assert_eq!(request.options, Options { failure: FailureRule::Record, ..Options::default() });
    assert_eq!(job(&["move", "a", "b"]).kind, JobKind::Move);
}

#[test]
fn with_a_list_only_the_folder_is_needed() {
    let request = job(&["copy", "--files-from", "list", "folder"]);
    assert_eq!(request.files_from, Some(PathBuf::from("list")));
    assert!(request.sources.is_empty());
    assert_eq!(request.folder, PathBuf::from("folder"));
    let request = job(&["copy", "--files-from=-", "a", "b", "folder"]);
    assert_eq!(request.files_from, Some(PathBuf::from("-")));
    assert_eq!(request.sources, [PathBuf::from("a"), PathBuf::from("b")]);
    assert_eq!(request.folder, PathBuf::from("folder"));
}

#[test]
fn every_option_reaches_the_job() {
    let request = job(&[
        "copy",
        "--conflict=keep-both",
        "--folder-conflict=replace",
        "--rename-pattern={name}-{number}{ext}",
        "--report=r.csv",
        "--reflink=never",
        "--preserve=mode,times",
        "--keep-replaced=job",
        "--verify",
        "--workers",
        "3",
        "--checksums=list",
        "--json",
        "--quiet",
        "a",
        "b",
    ]);
    assert_eq!(
        request.options,
        Options {
            foreign_names: ForeignRule::Ask,
            conflict: ConflictRule::KeepBoth,
            folder_conflict: FolderRule::Replace,
            rename_pattern: "{name}-{number}{ext}".parse().unwrap(),
            failure: FailureRule::Record,
            reflink: Reflink::Never,
            preserve: Preserve { mode: true, times: true, ..Preserve::NONE },
            verify: true,
            workers: Some(3),
            keep_replaced: KeepReplaced::Job,
        }
    );
    assert!(request.shown.json && request.shown.quiet);
    assert_eq!(request.checksums, Some(PathBuf::from("list")));
    for (word, rule) in [
        ("ask", ConflictRule::Ask),
        ("skip", ConflictRule::Skip),
        ("replace", ConflictRule::Replace),
        ("newer", ConflictRule::Newer),
        ("different", ConflictRule::Different),
        ("size-or-time", ConflictRule::SizeOrTime),
        ("keep-existing", ConflictRule::KeepExisting),
        ("rename", ConflictRule::Rename),
    ] {
        let request = job(&["copy", &format!("--conflict={word}"), "a", "b"]);
        assert_eq!(request.options.conflict, rule);
    }
    for (words, preserve) in [
        ("all", Preserve::ALL),
        ("none", Preserve::NONE),
        ("links,owner", Preserve { links: true, owner: true, ..Preserve::NONE }),
        ("mode,times,owner,xattr,links", Preserve::ALL),
    ] {
        let request = job(&["copy", &format!("--preserve={words}"), "a", "b"]);
        assert_eq!(request.options.preserve, preserve, "{words}");
    }
    for (word, reflink) in [("auto", Reflink::Auto), ("always", Reflink::Always)] {
        let request = job(&["copy", "--reflink", word, "a", "b"]);
        assert_eq!(request.options.reflink, reflink);
    }
}

#[test]
fn wrong_usage_is_refused() {
    for arguments in [
        &["copy"][..],
        &["copy", "only-one"],
        &["copy", "--files-from", "list"],
        &["copy", "--nonsense", "a", "b"],
        &["copy", "--conflict=maybe", "a", "b"],
        &["copy", "--folder-conflict=newer", "a", "b"],
        &["copy", "--rename-pattern={nam}", "a", "b"],
        &["copy", "--rename-pattern=x", "a", "b"],
        &["copy", "--report-format=csv", "a", "b"],
        &["copy", "--report=r", "--report-format=pdf", "a", "b"],
        &["copy", "--workers=0", "a", "b"],
        &["copy", "--preserve=colour", "a", "b"],
        &["copy", "--preserve=all,none", "a", "b"],
        &["copy", "--preserve=none,mode", "a", "b"],
        &["copy", "--workers=many", "a", "b"],
        &["copy", "", "b"],
        &["--json"],
    ] {
        assert_eq!(refused(arguments), 2, "{arguments:?}");
    }
    assert_eq!(refused(&["--help"]), 0);
    assert_eq!(refused(&["copy", "--help"]), 0);
    assert_eq!(refused(&["--version"]), 0);
}

#[test]
fn after_two_dashes_every_word_is_a_path() {
    let request = job(&["copy", "--quiet", "--", "a", "-b", "--json", "-c"]);
    assert_eq!(request.sources, ["a", "-b", "--json"].map(PathBuf::from));
    assert_eq!(request.folder, PathBuf::from("-c"));
    assert!(!request.shown.json);
    assert_eq!(job(&["copy", "help", "copy", "move"]).sources.len(), 2);
}

#[test]
fn options_may_stand_anywhere() {
    let request = job(&["copy", "a", "--quiet", "b", "c", "--workers=2"]);
    assert_eq!((request.sources.len(), request.shown.quiet), (2, true));
}

#[test]
fn names_are_bytes_and_may_begin_with_a_dash() {
    let strange = OsString::from_vec(b"caf\xe9\n".to_vec());
    let request = parse(
        ["ferry", "copy", "--", "-n"]
            .map(OsString::from)
            .into_iter()
            .chain([strange.clone(), OsString::from("folder")]),
    );
    let Ok(Request::Job(request)) = request else { panic!("{request:?}") };
    assert_eq!(request.sources, [PathBuf::from("-n"), PathBuf::from(strange)]);
}

#[test]
fn many_sources_are_no_trouble() {
    let many = (0..100_000).map(|number| OsString::from(format!("file {number}")));
    let arguments = ["ferry", "copy"].map(OsString::from).into_iter().chain(many);
    let Ok(Request::Job(request)) = parse(arguments) else { panic!("refused") };
    assert_eq!(request.sources.len(), 99_999);
}

#[cfg(feature = "gui")]
#[test]
fn without_a_command_the_window_opens_with_the_paths() {
    let open = |arguments: &[&str]| {
        parse(["ferry"].iter().chain(arguments).map(OsString::from)).expect("is accepted")
    };
    assert_eq!(open(&[]), Request::Window(vec![]));
    assert_eq!(
        open(&["/etc/hostname", "copy"]),
        Request::Window(vec![PathBuf::from("/etc/hostname"), PathBuf::from("copy")])
    );
    assert_eq!(refused(&["copi", "a", "b"]), 2);
}

#[cfg(not(feature = "gui"))]
#[test]
fn without_a_window_a_command_is_needed() {
    assert_eq!(refused(&[]), 2);
    assert_eq!(refused(&["a"]), 2);
}

#[test]
fn each_word_for_folders_is_a_rule() {
    for (word, rule) in [
        ("merge", FolderRule::Merge),
        ("ask", FolderRule::Ask),
        ("skip", FolderRule::Skip),
        ("replace", FolderRule::Replace),
        ("keep-both", FolderRule::KeepBoth),
        ("keep-existing", FolderRule::KeepExisting),
        ("rename", FolderRule::Rename),
    ] {
        let request = job(&["copy", &format!("--folder-conflict={word}"), "a", "b"]);
        assert_eq!(request.options.folder_conflict, rule);
    }
}

#[test]
fn settings_count_where_nothing_else_is_said() {
    let settings = Settings {
        foreign_names: Some(ForeignRule::Map),
        conflict: Some(ConflictRule::Newer),
        folder_conflict: Some(FolderRule::KeepBoth),
        rename_pattern: Some("{number} {name}".parse().unwrap()),
        keep_replaced: Some(KeepReplaced::Days(3)),
        verify: Some(true),
        preserve: Some(Preserve { times: true, ..Preserve::NONE }),
        workers: Some(Workers::Number(2)),
    };
    let of = |arguments: &[&str]| {
        let arguments = ["ferry"].iter().chain(arguments).map(OsString::from);
        match super::parse(arguments, &settings) {
            Ok(Request::Job(job)) => job.options,
            other => panic!("{other:?}"),
        }
    };
    let options = of(&["copy", "a", "b"]);
    assert_eq!(options.conflict, ConflictRule::Newer);
    assert_eq!(options.folder_conflict, FolderRule::KeepBoth);
    assert_eq!(options.rename_pattern.to_string(), "{number} {name}");
    assert_eq!((options.keep_replaced, options.verify), (KeepReplaced::Days(3), true));
    assert_eq!(options.preserve, Preserve { times: true, ..Preserve::NONE });
    assert_eq!(options.workers, Some(2));
    let said = of(&["copy", "--conflict=ask", "--folder-conflict=merge", "a", "b"]);
    assert_eq!((said.conflict, said.folder_conflict), (ConflictRule::Ask, FolderRule::Merge));
    let said = of(&["copy", "--keep-replaced=undo", "--no-verify", "--preserve=all", "a", "b"]);
    assert_eq!((said.keep_replaced, said.verify), (KeepReplaced::Undo, false));
    assert_eq!((said.preserve, said.workers), (Preserve::ALL, Some(2)));
    assert_eq!(of(&["copy", "--workers=automatic", "a", "b"]).workers, None);
    assert!(of(&["copy", "--no-verify", "--verify", "a", "b"]).verify, "the last one counts");
    let kept = of(&["copy", "--keep-replaced=30", "a", "b"]).keep_replaced;
    assert_eq!(kept, KeepReplaced::Days(30));
}

#[test]
fn a_report_is_written_as_its_name_says() {
    for (arguments, format) in [
        (&["--report=a.csv"][..], Format::Csv),
        (&["--report=a.JSON"], Format::Json),
        (&["--report=a.txt"], Format::Text),
        (&["--report=a"], Format::Text),
        (&["--report=a.csv", "--report-format=json"], Format::Json),
        (&["--report=a", "--report-format=csv"], Format::Csv),
    ] {
        let all: Vec<&str> = [&["copy"], arguments, &["x", "y"]].concat();
        assert_eq!(job(&all).report.map(|(_, format)| format), Some(format), "{arguments:?}");
    }
}
