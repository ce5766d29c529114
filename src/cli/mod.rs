//! The terminal face: one job, told on standard error, its end told by the exit status.
//!
//! Standard output carries the events as JSON where that is wished, and nothing else.

mod arguments;
mod ask;
mod failures;
mod free;
mod habits;
mod history;
mod list;
mod output;
mod progress;
mod rules;
mod session;
mod undo;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::engine::{
    Error, ErrorKind, JobSpec, Operation, Outcome, Report, Summary, path_is_plain,
};
use crate::report::{self, Format};
use crate::words;

pub use arguments::{JobRequest, Request, Shown, parse};
pub use free::free;
pub use history::{history, redo, report, resume};
pub use undo::undo;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    /// All done; an entry skipped by an explicit rule is done.
    Done = 0,
    /// Some entry failed, changed while it was copied, or was skipped because nobody could
    /// be asked.
    Incomplete = 1,
    /// Wrong usage.
    Usage = 2,
    /// Cancelled by a signal.
    Cancelled = 130,
}

impl Status {
    /// The status that tells what became of a job.
    pub fn of(summary: &Summary) -> Status {
        match summary.outcome {
            Outcome::Cancelled | Outcome::Stopped => Status::Cancelled,
            _ if summary.all_done() => Status::Done,
            _ => Status::Incomplete,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Prints a usage error, the help or the version.
pub fn print(message: &clap::Error) -> Status {
    if message.exit_code() == 0 {
        return told(message.print(), Status::Done);
    }
    // As every other message of the program begins.
    let text = message.render().to_string();
    complain(text.strip_prefix("error: ").unwrap_or(&text).trim_end());
    Status::Usage
}

/// Prints lines on standard output: what the program was started for. The status then, given
/// the one that it would be.
fn print_lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>, status: Status) -> Status {
    use std::io::Write;
    let mut out = io::stdout().lock();
    let mut lines = lines.into_iter();
    let written = lines.try_for_each(|line| writeln!(out, "{}", line.as_ref()));
    told(written.and_then(|()| out.flush()), status)
}

/// The status of what was to be told, and could be or not. A reader that has gone needs no more.
fn told(written: io::Result<()>, status: Status) -> Status {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let errno = error.raw_os_error().unwrap_or(libc::EIO);
            let args = words::args([("reason", words::system_words(errno).into())]);
            complain(&words::text_with("output-not-written", &args));
            status.max(Status::Incomplete)
        }
        _ => status,
    }
}

/// Runs a job as the command line describes it.
pub fn run(request: JobRequest) -> Status {
    let output = output::Output::start();
    let mut sources = request.sources;
    if let Some(list) = &request.files_from {
        match list::read(list) {
            Ok(bytes) => {
                if list::has_lines_instead(&bytes) && !request.shown.quiet {
                    output.error(words::text("list-has-lines"));
                }
                sources.extend(list::names(&bytes));
            }
            Err(error) => return unreadable(&list::full(list), &error, Operation::Read),
        }
        if sources.is_empty() {
            let shown = words::path(&list::full(list));
            complain(&words::text_with("list-empty", &words::args([("list", shown.into())])));
            return Status::Usage;
        }
    }
    let here = std::env::current_dir().ok();
    let full = |path: PathBuf| full_path(here.as_deref(), path);
    let spec = JobSpec {
        kind: request.kind,
        sources: sources.into_iter().map(full).collect(),
        destination: full(request.folder),
        options: request.options,
        checksums: request.checksums.map(full),
    };
    let report = match request.report.map(ReportFile::open).transpose() {
        Ok(report) => report,
        Err((path, error)) => return unreadable(&full(path), &error, Operation::Create),
    };
    let begin = session::Begin::New(spec);
    run_session(begin, request.shown, report, output)
}

/// A path from the root, without what says nothing (`./`, `//`, a slash at its end): as it is
/// told in events, reports and the history. What `..` leads to is the file system's business.
fn full_path(here: Option<&Path>, path: PathBuf) -> PathBuf {
    match here {
        _ if path_is_plain(&path) => path,
        Some(here) => here.join(path).components().collect(),
        None => path,
    }
}

fn run_session(
    begin: session::Begin,
    shown: Shown,
    report: Option<ReportFile>,
    output: output::Output,
) -> Status {
    session::run(begin, shown, report, output).unwrap_or_else(|error| {
        let reason = words::system_words(error.raw_os_error().unwrap_or(libc::EIO));
        complain(&words::text_with("not-begun", &words::args([("reason", reason.into())])));
        Status::Incomplete
    })
}

/// A file of the program's own could not be used.
fn unreadable(path: &Path, error: &io::Error, operation: Operation) -> Status {
    let operation = match (error.kind(), operation) {
        (io::ErrorKind::NotFound, Operation::Read) => Operation::Inspect,
        _ => operation,
    };
    complain(&words::error_and_remedy(&file_error(path, error, operation)));
    Status::Incomplete
}

fn file_error(path: &Path, error: &io::Error, operation: Operation) -> Error {
    Error::new(operation, path, ErrorKind::Os(error.raw_os_error().unwrap_or(libc::EIO)))
}

/// Where a job's report goes, opened before anything is copied.
struct ReportFile {
    path: PathBuf,
    format: Format,
    file: File,
}

impl ReportFile {
    fn open((path, format): (PathBuf, Format)) -> Result<ReportFile, (PathBuf, io::Error)> {
        // What it held is there until there is something to take its place.
        match File::options().write(true).create(true).truncate(false).open(&path) {
            Ok(file) => Ok(ReportFile { path, format, file }),
            Err(error) => Err((path, error)),
        }
    }

    fn write(&self, spec: &JobSpec, summary: &Summary, report: &Report) -> Result<(), Error> {
        let written = match self.file.set_len(0) {
            // A pipe or a terminal has no length.
            Err(error) if error.raw_os_error() != Some(libc::EINVAL) => Err(error),
            _ => report::write(&self.file, self.format, spec, summary, report),
        };
        written.map_err(|error| file_error(&self.path, &error, Operation::Write))
    }
}

/// Prints an error of the program as a whole.
pub fn complain(sentence: &str) {
    use std::io::Write;
    // Where nobody reads it, there is nobody to tell.
    let _written = writeln!(std::io::stderr(), "ferry: {sentence}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{ByteCounts, EntryCounts};

    fn summary(outcome: Outcome, failed: u64, unanswered: u64, skipped: u64) -> Summary {
        Summary {
            outcome,
            entries: EntryCounts { failed, unanswered, skipped, ..EntryCounts::default() },
            bytes: ByteCounts::default(),
            elapsed: 0,
            merged: 0,
            renamed: 0,
            set_aside: 0,
            changed: 0,
            verified: 0,
            failures: vec![],
            notices: vec![],
        }
    }

    #[test]
    fn paths_are_full_and_clean_and_their_bytes_are_kept() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let full = |path: &[u8]| {
            let path = PathBuf::from(OsStr::from_bytes(path));
            full_path(Some(Path::new("/here")), path).into_os_string()
        };
        let cases: [(&[u8], &[u8]); 8] = [
            (b"./nosuch", b"/here/nosuch"),
            (b"a//b/./c/", b"/here/a/b/c"),
            (b".", b"/here"),
            (b"../x", b"/here/../x"),
            (b"/etc/./passwd", b"/etc/passwd"),
            (b"caf\xe9", b"/here/caf\xe9"),
            (b"line\nend", b"/here/line\nend"),
            (b"/", b"/"),
        ];
        for (typed, told) in cases {
            assert_eq!(full(typed), OsStr::from_bytes(told));
        }
    }

    #[test]
    fn the_exit_status_tells_what_became_of_the_job() {
        assert_eq!(Status::of(&summary(Outcome::Done, 0, 0, 0)), Status::Done);
        assert_eq!(Status::of(&summary(Outcome::Done, 0, 0, 5)), Status::Done);
        assert_eq!(Status::of(&summary(Outcome::Done, 1, 0, 0)), Status::Incomplete);
        assert_eq!(Status::of(&summary(Outcome::Done, 0, 1, 0)), Status::Incomplete);
        assert_eq!(Status::of(&summary(Outcome::Refused, 0, 0, 0)), Status::Incomplete);
        assert_eq!(Status::of(&summary(Outcome::Cancelled, 0, 0, 0)), Status::Cancelled);
    }
}
