//! `--report`, settings, and output that cannot be written.

use std::fs::File;
use std::process::Stdio;

use serde_json::Value;

use ferry::engine::{Event, KeepReplaced};

use crate::place::{Place, Run};

fn some() -> Place {
    let place = Place::new();
    let _files = place.file("tree/a", "new").file("tree/b", "1").file("folder/tree/a", "old");
    place
}

#[test]
fn a_report_is_written_as_its_extension_says() {
    for (name, begins) in
        [("r.txt", "Copied"), ("r.csv", "state,kind,path"), ("r.json", "{\"spec\"")]
    {
        let place = some();
        let _run =
            place.ferry(&format!("copy --conflict=skip --report {name} tree folder")).ends(0);
        let report = place.read(name);
        assert!(report.starts_with(begins), "{report}");
        assert!(report.contains("tree/a") && !report.contains("tree/b"), "{report}");
    }
}

#[test]
fn a_report_names_every_failure() {
    let place = some();
    let run = place.ferry("copy --quiet --report r.json tree missing gone folder");
    let _words = run.ends(1);
    let report: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let entries = report["entries"].as_array().unwrap();
    let of = |state: &str| entries.iter().filter(|entry| entry["state"] == state).count();
    assert_eq!((of("failed"), of("unanswered"), of("done")), (2, 1, 0), "{report}");
}

#[test]
fn of_many_failures_of_one_reason_a_few_are_named_and_the_report_names_all() {
    let place = Place::new();
    let _folder = place.folder("folder");
    let missing: Vec<String> = (0..40).map(|number| format!("missing-{number}")).collect();
    let run = place.ferry(&format!("copy --report r.json {} folder", missing.join(" ")));
    let words = run.ends(1).says("35 more failed like that. --report FILE names each of them.");
    let named = words.err.lines().filter(|line| line.contains("missing-")).count();
    assert_eq!(named, 5);
    let report: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    assert_eq!(report["entries"].as_array().unwrap().len(), 40);
}

#[test]
fn an_older_report_is_replaced_and_one_that_cannot_be_written_keeps_the_job_from_beginning() {
    let place = some();
    let _file = place.file("r.txt", &"former ".repeat(1000));
    let _run = place.ferry("copy --conflict=skip --report r.txt tree folder").ends(0);
    assert!(!place.read("r.txt").contains("former"));
    let place = some();
    let _words =
        place.ferry("copy --report no/such/r.txt tree folder").ends(1).says("no/such/r.txt");
    assert!(!place.has("folder/tree/b"));
    let place = some();
    let _words = place
        .ferry("copy --conflict=skip --report /dev/full tree folder")
        .ends(1)
        .says("/dev/full");
    assert!(place.has("folder/tree/b"));
}

#[test]
fn events_that_cannot_be_written_are_told() {
    for options in [&["--json"][..], &["--json", "--quiet"]] {
        let place = some();
        let out = File::options().write(true).open("/dev/full").unwrap();
        let mut command = place.command();
        let _self = command.arg("copy").args(options).args(["--conflict=skip", "tree", "folder"]);
        let child = command.stdout(Stdio::from(out)).spawn().unwrap();
        let run = Run::from(child.wait_with_output().unwrap());
        let _words = run.ends(1).says("standard output").says("no space left");
        assert!(place.has("folder/tree/b"), "the copy does not suffer");
    }
}

#[test]
fn settings_are_used_and_what_is_wrong_in_them_is_said() {
    let run = |settings: &str, arguments: &[&str]| {
        let place = some();
        let _file = place.file("config/ferry/settings.json", settings);
        let mut command = place.command();
        let _self = command.env("XDG_CONFIG_HOME", place.at("config")).arg("copy");
        let output = command.args(arguments).args(["tree", "folder"]).output().unwrap();
        (Run::from(output), place.read("folder/tree/a"))
    };
    let (done, held) = run(r#"{"conflict": "replace"}"#, &[]);
    assert_eq!((done.ends(0).status, held.as_str()), (0, "new"));
    let (done, held) = run(r#"{"conflict": "replace"}"#, &["--conflict=skip"]);
    assert_eq!((done.ends(0).status, held.as_str()), (0, "old"));
    for (broken, told) in [
        (r#"{"conflict": "replace", "tea": 1}"#, "“tea”"),
        (r#"{"conflict": "replace", "folder_conflict": 1}"#, "“folder_conflict”"),
    ] {
        let (done, held) = run(broken, &[]);
        let _words = done.ends(0).says(told).says("settings.json");
        assert_eq!(held, "new");
    }
    let standing = r#"{"conflict": "replace", "keep_replaced": "no", "verify": true,
        "preserve": ["mode"], "workers": 2}"#;
    for (arguments, expected) in [
        (&["--json"][..], (KeepReplaced::No, true, false, Some(2))),
        (
            &["--json", "--keep-replaced=5", "--no-verify", "--preserve=times", "--workers=3"],
            (KeepReplaced::Days(5), false, true, Some(3)),
        ),
    ] {
        let (done, held) = run(standing, arguments);
        assert_eq!((done.ends(0).status, held.as_str()), (0, "new"));
        let events = done.events();
        let Some(Event::Added { spec, .. }) = events.first() else { panic!("{events:?}") };
        let options = &spec.options;
        let said = (options.keep_replaced, options.verify, options.preserve.times, options.workers);
        assert_eq!(said, expected);
    }
    // Whatever is wrong, it is said what can be.
    for (wrong, part) in [
        (r#"{"conflict": 1}"#, "size-or-time"),
        (r#"{"conflict": "skip_unanswered"}"#, "keep-existing"),
        (r#"{"folder_conflict": "newer"}"#, "merge"),
        (r#"{"rename_pattern": "x"}"#, "{name}"),
        (r#"{"keep_replaced": 99}"#, "from 1 to 30"),
        (r#"{"verify": "yes"}"#, "true or false"),
        (r#"{"preserve": ["mode", "all"]}"#, "xattr"),
        (r#"{"workers": 0}"#, "from 1 to 64"),
        (r#"[1]"#, "no braces"),
    ] {
        let (done, _) = run(wrong, &["--conflict=skip"]);
        let _words = done.ends(0).says("settings.json").says(part);
        assert_eq!(done.err.lines().count(), 2, "{}", done.err);
    }
    let (done, held) = run("{", &["--conflict=replace"]);
    let _words = done.ends(0).says("settings.json");
    assert_eq!(held, "new");
}

/// Line ends, quotes, what a spreadsheet takes for a formula, and bytes that are no UTF-8.
#[test]
fn no_name_breaks_a_report() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let names: [&[u8]; 9] =
        [b"a\nb", b"a\rb", b"say \"hi\", you", b"=1+2", b"@x", b"+x", b"-x", b"\tx", b"caf\xe9"];
    let place = Place::new();
    for name in names {
        let mut path = b"tree/".to_vec();
        path.extend(name);
        let _source = place.file(OsStr::from_bytes(&path), "new");
        let _there = place.file(OsStr::from_bytes(&[b"to/", path.as_slice()].concat()), "old");
    }
    for name in ["r.txt", "r.csv", "r.json"] {
        let _run = place.ferry(&format!("copy --quiet --conflict=skip --report {name} tree to"));
    }
    assert_eq!(place.read("r.txt").matches("Skipped: ").count(), names.len());
    let json: Value = serde_json::from_str(&place.read("r.json")).unwrap();
    let entries = json["entries"].as_array().unwrap();
    let bytes = |value: &Value| match value {
        Value::String(text) => text.as_bytes().to_vec(),
        other => serde_json::from_value::<Vec<u8>>(other.clone()).unwrap(),
    };
    let rows = rows(&place.read("r.csv"));
    for name in names {
        let full = place.at("tree").join(OsStr::from_bytes(name)).into_os_string();
        let told = entries.iter().any(|entry| bytes(&entry["source_path"]) == full.as_bytes());
        assert!(told, "{full:?} is missing in {json}");
        let hex: String = full.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let told = rows.iter().any(|row| row[2].as_bytes() == full.as_bytes() || row[3] == hex);
        assert!(told, "{full:?} is missing in {rows:?}");
    }
    for row in &rows {
        assert_eq!(row.len(), rows[0].len(), "{row:?}");
        let formula = |cell: &String| cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
        assert!(!row.iter().any(formula), "{row:?}");
    }
}

/// The rows of a table as RFC 4180 has them.
fn rows(table: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (vec![], vec![], String::new(), false);
    let mut letters = table.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted && letters.peek() == Some(&'\n') => {
                let _line_end = letters.next();
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            letter => cell.push(letter),
        }
    }
    rows
}
