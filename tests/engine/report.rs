//! What a job says of its entries: all that was not simply done, and nothing else.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use ferry::engine::{
    ConflictRule, EntryState, Error, ErrorKind, FileKind, JobKind, JobSpec, NoticeKind, Outcome,
    ReportEntry, Summary,
};
use ferry::report::{Format, write};

use crate::common::{Job, Run, Tree, copy, scratch};

fn written(run: &Run, spec: &JobSpec, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    let report = run.report.as_ref().unwrap();
    write(&mut bytes, format, spec, &run.summary, report).unwrap();
    bytes
}

fn strange() -> OsString {
    OsString::from_vec(b"caf\xe9, \"quoted\"\nand = more".to_vec())
}

/// A job of which something is to be said of five entries.
fn told(place: &Path) -> (JobSpec, Run) {
    let tree = Tree::new().file("t/plain", "x").file("t/skipped", "new").socket("t/socket");
    let source = tree.make(&place.join("source"));
    std::fs::write(source.join("t").join(strange()), "new").unwrap();
    let into = Tree::new().file("t/skipped", "old").make(&place.join("into"));
    std::fs::write(into.join("t").join(strange()), "old").unwrap();
    let sources = [source.join("t"), source.join("missing")];
    let mut job = copy(&sources, &into).rule(ConflictRule::Skip);
    job.spec.kind = JobKind::Copy;
    let spec = job.spec.clone();
    (spec, job.run())
}

#[test]
fn all_that_was_not_simply_done_is_told() {
    let place = scratch();
    let (_, run) = told(&place);
    let entries = run.told();
    let state = |path: &Path| entries.iter().find(|e| e.path == path).map(|e| e.state);
    assert_eq!(entries.len(), 4, "{entries:#?}");
    assert_eq!(state(Path::new("t/skipped")), Some(EntryState::Skipped));
    assert_eq!(state(&Path::new("t").join(strange())), Some(EntryState::Skipped));
    assert_eq!(state(Path::new("missing")), Some(EntryState::Failed));
    let socket = entries.iter().find(|e| e.path.ends_with("socket")).unwrap();
    assert_eq!(socket.notices, [NoticeKind::Socket]);
    let missing = entries.iter().find(|e| e.path.ends_with("missing")).unwrap();
    let error = missing.error.as_ref().unwrap();
    assert_eq!(error.kind, ErrorKind::Os(libc::ENOENT));
    assert_eq!(missing.source_path, place.join("source/missing"));
}

#[test]
fn json_brings_every_name_back() {
    let place = scratch();
    let (spec, run) = told(&place);
    let json = written(&run, &spec, Format::Json);
    let value: serde_json::Value = serde_json::from_slice(&json).expect("one JSON value");
    let summary: Summary = serde_json::from_value(value["summary"].clone()).unwrap();
    let back: JobSpec = serde_json::from_value(value["spec"].clone()).unwrap();
    let entries: Vec<ReportEntry> = serde_json::from_value(value["entries"].clone()).unwrap();
    // Failures of entries stand with them.
    let failed: Vec<Error> = run.summary.failures.iter().map(|it| it.error.clone()).collect();
    let told: Vec<Error> = entries.iter().filter_map(|entry| entry.error.clone()).collect();
    assert_eq!(told, failed);
    assert_eq!(summary, Summary { failures: vec![], ..run.summary.clone() });
    assert_eq!(value["made"], run.summary.made());
    assert_eq!((back, entries), (spec, run.told()));
}

/// Reads a table as RFC 4180 has it.
fn table(csv: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (vec![], vec![], String::new(), false);
    let mut letters = csv.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quoted) {
            ('"', true) if letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            ('"', _) => quoted = !quoted,
            (',', false) => row.push(std::mem::take(&mut cell)),
            ('\r', false) => {}
            ('\n', false) => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            (other, _) => cell.push(other),
        }
    }
    rows
}

#[test]
fn csv_brings_every_name_back() {
    let place = scratch();
    let (spec, run) = told(&place);
    let csv = String::from_utf8(written(&run, &spec, Format::Csv)).expect("UTF-8");
    let rows = table(&csv);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{csv}");
    let at = |name| rows[0].iter().position(|column| column == name).unwrap();
    let path = |row: &Vec<String>| -> PathBuf {
        let hex = &row[at("path_hex")];
        if hex.is_empty() {
            return PathBuf::from(&row[at("path")]);
        }
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        OsString::from_vec((0..hex.len()).step_by(2).map(byte).collect()).into()
    };
    let entries = &rows[1..=run.told().len()];
    let back: Vec<PathBuf> = entries.iter().map(path).collect();
    let expected: Vec<PathBuf> = run.told().into_iter().map(|entry| entry.source_path).collect();
    assert_eq!(back, expected);
    let failed = rows.iter().find(|row| row[0] == "failed").unwrap();
    assert_eq!(failed[at("errno")], libc::ENOENT.to_string());
    let total = |name: &str| {
        let row = rows.iter().find(|row| row[0] == format!("total_{name}"));
        row.unwrap_or_else(|| panic!("{name}"))[2].clone()
    };
    assert_eq!((total("failed"), total("skipped")), ("1".to_owned(), "3".to_owned()));
}

#[test]
fn the_text_names_each_entry_on_a_line() {
    let place = scratch();
    let (spec, run) = told(&place);
    let text = String::from_utf8(written(&run, &spec, Format::Text)).expect("UTF-8");
    for part in ["Skipped: “t/skipped”", "missing”: there is no such file", "socket", "1 failed"]
    {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    assert!(!text.contains("plain"), "{text}");
    assert!(text.contains("\\nand"), "a name breaks no line:\n{text}");
}

#[test]
fn renamed_and_set_aside_are_told_with_both_names() {
    for (rule, part) in [(ConflictRule::KeepBoth, "f (2)"), (ConflictRule::KeepExisting, "f (2)")] {
        let place = scratch();
        let source = Tree::new().file("f", "new").make(&place.join("source")).join("f");
        let into = Tree::new().file("f", "old").make(&place.join("into"));
        let job = Job::new(JobKind::Copy, [&source], &into).rule(rule);
        let spec = job.spec.clone();
        let run = job.run().done();
        let entry = run.told().remove(0);
        let other = into.join(part);
        match rule {
            ConflictRule::KeepBoth => assert_eq!(entry.destination_path, other),
            _ => assert_eq!(entry.set_aside.map(|aside| aside.0), Some(other.clone())),
        }
        for format in [Format::Text, Format::Csv, Format::Json] {
            let bytes = written(&run, &spec, format);
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains(part), "{rule:?} {format:?}:\n{text}");
        }
    }
}

/// What nobody could look at has no kind, in any format; what was refused for what it is has one.
#[test]
fn only_what_was_looked_at_has_a_kind() {
    let place = scratch();
    let source = Tree::new().file("t/f", "1").file("plain", "2").make(&place.join("source"));
    let cases = [
        (source.join("missing"), None, ErrorKind::Os(libc::ENOENT)),
        (source.join("no/such/folder"), None, ErrorKind::Os(libc::ENOENT)),
        (source.join("plain/below"), None, ErrorKind::Os(libc::ENOTDIR)),
        (source.join("t"), Some(FileKind::Folder), ErrorKind::IntoItself),
        (PathBuf::from("/"), Some(FileKind::Folder), ErrorKind::NoName),
    ];
    for (path, kind, why) in cases {
        for others in [vec![], vec![source.join("plain")]] {
            let alone = others.is_empty();
            let sources: Vec<PathBuf> = others.into_iter().chain([path.clone()]).collect();
            let job = copy(&sources, source.join("t/into"));
            let spec = job.spec.clone();
            let run = job.run().not_done();
            let told = run.told();
            assert_eq!(told.len(), 1, "{told:?}");
            assert_eq!((told[0].kind, &told[0].source_path), (kind, &path));
            assert_eq!(told[0].error.as_ref().map(|error| error.kind), Some(why));
            assert!(told[0].destination_path.starts_with(source.join("t/into")), "{told:?}");
            // Nothing could be begun: the job was refused.
            let outcome = if alone { Outcome::Refused } else { Outcome::Done };
            assert_eq!(run.summary.outcome, outcome, "{path:?}");
            assert_eq!(source.join("t/into").exists(), !alone);
            let word = if kind.is_some() { "folder" } else { "" };
            let rows = table(&String::from_utf8(written(&run, &spec, Format::Csv)).unwrap());
            assert_eq!(rows[1][..2], ["failed", word]);
            let json = written(&run, &spec, Format::Json);
            let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
            let kind = value["entries"][0]["kind"].as_str();
            assert_eq!(kind.unwrap_or_default(), word, "{value}");
            let _gone = std::fs::remove_dir_all(source.join("t/into"));
        }
    }
}

/// A source that was asked about and came into being meanwhile is what it is.
#[test]
fn what_came_into_being_while_it_was_asked_about_has_a_kind() {
    use ferry::engine::{Action, Question, Scope};
    for retry in [true, false] {
        let place = scratch();
        let source = Tree::new().file("plain", "2").make(&place.join("source"));
        let into = Tree::new().file("late/f", "there").make(&place.join("into"));
        let late = source.join("late");
        let job = copy([source.join("plain"), late.clone()], &into).asking_failures();
        let run = job.rule(ConflictRule::Skip).run_answering(&mut |_: &Question| {
            if retry {
                Tree::new().file("f", "1").make(&late);
            }
            Some((if retry { Action::Retry } else { Action::Skip }, Scope::This))
        });
        let told = run.told();
        let expected = match retry {
            true => ("late/f", Some(FileKind::File), EntryState::Skipped),
            false => ("late", None, EntryState::Failed),
        };
        let found: Vec<_> = told.iter().map(|it| (it.path.to_str(), it.kind, it.state)).collect();
        assert_eq!(found, [(Some(expected.0), expected.1, expected.2)], "{told:?}");
    }
}

/// Whatever order the folders were listed in, and whoever was first: by path, a folder before
/// what lies in it.
#[test]
fn two_reports_of_one_job_are_alike() {
    let place = scratch();
    let mut tree = Tree::new().socket("b/socket").socket("b socket");
    for (folder, file) in (0..40).map(|number| (number % 7, number)) {
        tree = tree.file(format!("t/{folder}/{}/{file}", folder * 3), "new");
    }
    let source = tree.make(&place.join("source"));
    let mut sources: Vec<PathBuf> =
        ["t", "b", "b socket"].iter().map(|it| source.join(it)).collect();
    sources.extend(["z", "a", "no/such"].iter().map(|it| source.join(it)));
    let into = Tree::new().make(&place.join("into"));
    let _done = copy([source.join("t")], &into).run().done();
    let told = |sources: &[PathBuf], workers| {
        let job = copy(sources, &into).rule(ConflictRule::Skip).workers(workers);
        job.run().told()
    };
    let one = told(&sources, 1);
    sources.reverse();
    let other = told(&sources, 4);
    assert_eq!(one, other);
    assert_eq!(one.len(), 40 + 2 + 3);
    let paths: Vec<&PathBuf> = one.iter().map(|entry| &entry.source_path).collect();
    assert!(paths.is_sorted(), "{paths:?}");
}

#[test]
fn the_text_says_what_can_be_done() {
    let place = scratch();
    let tree = Tree::new().file("t/x", "new").file("t/y/inner", "new");
    let source = tree.make(&place.join("source"));
    let into = Tree::new().file("t/x/inner", "old").file("t/y", "old").make(&place.join("into"));
    let sources = [source.join("t"), source.join("missing")];
    let job = copy(&sources, &into).rule(ConflictRule::Replace);
    let spec = job.spec.clone();
    let run = job.run();
    let text = String::from_utf8(written(&run, &spec, Format::Text)).unwrap();
    for part in ["missing”: there is no such file or folder. Check the spelling", "Rename one of"]
    {
        assert!(text.contains(part), "“{part}” is missing in:\n{text}");
    }
    let table = table(&String::from_utf8(written(&run, &spec, Format::Csv)).unwrap());
    let total = |name: &str| table.iter().find(|row| row[0] == name).unwrap()[2].clone();
    // The folder “t” was there.
    assert_eq!((total("total_done"), total("total_merged")), ("0".into(), "1".into()), "{table:?}");
}
