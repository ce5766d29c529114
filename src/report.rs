//! The report of a job as a file: sentences, a table, or JSON; for both faces.
//!
//! Every entry that was not simply done stands in it. Names are bytes: in JSON one that is
//! not UTF-8 is an array of its bytes, in CSV its bytes stand in hexadecimal digits in a
//! column of their own, in the text it is shown as the window shows it.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::engine::{EntryState, Error, JobSpec, NoticeKind, Report, ReportEntry, Summary};
use crate::words::{self, args, text_with};

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Sentences for people.
    Text,
    /// A table (RFC 4180).
    Csv,
    /// One object.
    Json,
}

impl Format {
    /// The format that a file's extension stands for; text for any other.
    pub fn of(path: &Path) -> Format {
        let extension = path.extension().map(OsStr::to_ascii_lowercase);
        match extension.as_deref().and_then(OsStr::to_str) {
            Some("csv") => Format::Csv,
            Some("json") => Format::Json,
            _ => Format::Text,
        }
    }
}

/// Writes the report of an ended job.
///
/// # Errors
/// What writing says.
pub fn write(
    to: impl Write,
    format: Format,
    spec: &JobSpec,
    summary: &Summary,
    report: &Report,
) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    match format {
        Format::Text => text(&mut to, spec, summary, report)?,
        Format::Csv => csv(&mut to, summary, report)?,
        Format::Json => json(&mut to, spec, summary, report)?,
    }
    to.flush()
}

fn text(to: &mut impl Write, spec: &JobSpec, summary: &Summary, report: &Report) -> io::Result<()> {
    writeln!(to, "{}", words::summary(spec.kind, summary))?;
    if report.lacks_reasons() {
        writeln!(to, "{}", words::text("report-lacks-reasons"))?;
    }
    for source in &spec.sources {
        writeln!(to, "{}", with_path("report-source", source))?;
    }
    writeln!(to, "{}", with_path("report-destination", &spec.destination))?;
    for notice in &summary.notices {
        let remedy = words::notice_remedy(notice.kind).map(|it| format!(" {it}"));
        writeln!(to, "{}{}", words::notice(notice), remedy.unwrap_or_default())?;
    }
    for error in report.refusals() {
        writeln!(to, "{}", words::error_and_remedy(&error))?;
    }
    let mut entries = report.entries().peekable();
    if entries.peek().is_some() {
        writeln!(to)?;
    }
    for entry in entries {
        for line in sentences(&entry) {
            writeln!(to, "{line}")?;
        }
    }
    Ok(())
}

fn with_path(id: &str, path: &Path) -> String {
    text_with(id, &args([("path", words::path(path).into())]))
}

/// What is to be said of an entry.
pub fn sentences(entry: &ReportEntry) -> Vec<String> {
    let path = words::path(&entry.path);
    let mut lines = Vec::new();
    let said = match (&entry.error, entry.state) {
        (Some(error), EntryState::Failed | EntryState::Changed) => {
            Some(words::error_and_remedy(error))
        }
        (_, EntryState::Done) => None,
        // What was left says itself why.
        _ if entry.notices.iter().any(|kind| kind.is_unanswered()) => None,
        (_, state) => {
            let there = words::path(&entry.destination_path);
            let args = args([("path", path.clone().into()), ("there", there.into())]);
            Some(text_with(&format!("report-{}", state_word(state)), &args))
        }
    };
    lines.extend(said);
    for kind in &entry.notices {
        let notice = crate::engine::Notice { kind: *kind, count: 1, example: entry.path.clone() };
        lines.push(words::notice(&notice));
    }
    if let Some(aside) = &entry.set_aside {
        let there = words::path(&aside.0);
        let args = args([("path", path.into()), ("there", there.into())]);
        lines.push(text_with("report-set-aside", &args));
    }
    lines
}

/// The word for a state, in all formats: the same as in the events.
fn state_word(state: EntryState) -> String {
    match serde_json::to_value(state) {
        Ok(serde_json::Value::String(word)) => word.replace('_', "-"),
        _ => String::new(),
    }
}

/// The columns of the table: names are followed by their bytes where they are not UTF-8.
const COLUMNS: [&str; 11] = [
    "state",
    "kind",
    "path",
    "path_hex",
    "destination",
    "destination_hex",
    "reason",
    "errno",
    "not_kept",
    "set_aside",
    "set_aside_hex",
];

fn csv(to: &mut impl Write, summary: &Summary, report: &Report) -> io::Result<()> {
    row(to, &COLUMNS.map(str::to_owned))?;
    for error in report.refusals() {
        let mut cells = vec!["refused".to_owned(), String::new()];
        cells.extend(name_cells(Some(&error.path)));
        cells.extend(name_cells(None));
        cells.extend([words::error(&error), errno(Some(&error)), String::new()]);
        cells.extend(name_cells(None));
        row(to, &cells)?;
    }
    for entry in report.entries() {
        let mut cells = vec![word(&entry.state), entry.kind.as_ref().map(word).unwrap_or_default()];
        cells.extend(name_cells(Some(&entry.source_path)));
        cells.extend(name_cells(Some(&entry.destination_path)));
        cells.push(entry.error.as_ref().map(words::error).unwrap_or_default());
        cells.push(errno(entry.error.as_ref()));
        let kinds: Vec<String> = entry.notices.iter().map(word::<NoticeKind>).collect();
        cells.push(kinds.join(" "));
        cells.extend(name_cells(entry.set_aside.as_ref().map(|aside| aside.0.as_path())));
        row(to, &cells)?;
    }
    let entries = &summary.entries;
    let totals = [
        ("total", entries.total),
        ("done", summary.made()),
        ("merged", summary.merged),
        ("renamed", summary.renamed),
        ("skipped", entries.skipped),
        ("unanswered", entries.unanswered),
        ("failed", entries.failed),
        ("changed", summary.changed),
        ("set_aside", summary.set_aside),
        ("bytes", summary.bytes.done),
    ];
    for (name, count) in totals {
        let mut cells = vec![format!("total_{name}"), String::new(), count.to_string()];
        cells.resize(COLUMNS.len(), String::new());
        row(to, &cells)?;
    }
    Ok(())
}

fn word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn errno(error: Option<&Error>) -> String {
    match error.map(|error| error.kind) {
        Some(crate::engine::ErrorKind::Os(errno)) => errno.to_string(),
        _ => String::new(),
    }
}

/// A path as text, and its bytes where the text does not say them.
fn name_cells(path: Option<&Path>) -> [String; 2] {
    let Some(path) = path else { return [String::new(), String::new()] };
    match path.to_str() {
        Some(text) => [text.to_owned(), String::new()],
        None => {
            let bytes = path.as_os_str().as_bytes();
            let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            [path.to_string_lossy().into_owned(), hex]
        }
    }
}

fn row(to: &mut impl Write, cells: &[String]) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            to.write_all(b",")?;
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            write!(to, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            to.write_all(cell.as_bytes())?;
        }
    }
    to.write_all(b"\r\n")
}

/// Written entry by entry: a job may have a million of them.
fn json(to: &mut impl Write, spec: &JobSpec, summary: &Summary, report: &Report) -> io::Result<()> {
    write!(to, "{{\"spec\":")?;
    serde_json::to_writer(&mut *to, spec)?;
    // What failed stands with the entries, and without their numbers, which are others each time.
    let failures = summary.failures.iter().filter(|it| it.entry.is_none()).cloned().collect();
    write!(to, ",\"summary\":")?;
    serde_json::to_writer(&mut *to, &Summary { failures, ..summary.clone() })?;
    write!(to, ",\"made\":{},\"entries\":[", summary.made())?;
    for (at, entry) in report.entries().enumerate() {
        write!(to, "{}", if at == 0 { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut *to, &entry)?;
    }
    writeln!(to, "\n]}}")
}
