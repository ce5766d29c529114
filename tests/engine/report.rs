//! What a job says of its entries: all that was not simply done, and nothing else.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use ferry::engine::{
    ConflictRule, EntryState, ErrorKind, JobKind, JobSpec, NoticeKind, ReportEntry, Summary,
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
    assert_eq!((summary, back, entries), (run.summary.clone(), spec, run.told()));
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
