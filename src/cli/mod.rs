//! The terminal face: one job, told on standard error, its end told by the exit status.
//!
//! Standard output carries the events as JSON where that is wished, and nothing else.

mod arguments;
mod ask;
mod history;
mod list;
mod output;
mod progress;
mod session;
mod undo;

use std::path::Path;
use std::process::ExitCode;

use crate::engine::{JobSpec, Outcome, Summary};
use crate::words;

pub use arguments::{JobRequest, Request, Shown, parse};
pub use history::{history, redo, resume};
pub use undo::undo;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    // Where nobody reads it, there is nobody to tell.
    let _printed = message.print();
    if message.exit_code() == 0 { Status::Done } else { Status::Usage }
}

/// Runs a job as the command line describes it.
pub fn run(request: JobRequest) -> Status {
    let output = output::Output::start();
    let mut sources = request.sources;
    if let Some(list) = &request.files_from {
        match list::read(list) {
            Ok(bytes) => {
                if list::has_lines_instead(&bytes) && !request.shown.quiet {
                    output.line(words::text("list-has-lines"));
                }
                sources.extend(list::names(&bytes));
            }
            Err(error) => return unreadable(list, &error),
        }
        if sources.is_empty() {
            let shown = words::path(list);
            complain(&words::text_with("list-empty", &words::args([("list", shown.into())])));
            return Status::Usage;
        }
    }
    let spec = JobSpec {
        kind: request.kind,
        sources,
        destination: request.folder,
        options: request.options,
        checksums: request.checksums,
    };
    let begin = session::Begin::New(spec);
    run_session(begin, request.shown, output)
}

fn run_session(begin: session::Begin, shown: Shown, output: output::Output) -> Status {
    session::run(begin, shown, output).unwrap_or_else(|error| {
        complain(&error.to_string());
        Status::Incomplete
    })
}

fn unreadable(list: &Path, error: &std::io::Error) -> Status {
    use crate::engine::{Error, ErrorKind, Operation};
    let operation = match error.kind() {
        std::io::ErrorKind::NotFound => Operation::Inspect,
        _ => Operation::Read,
    };
    let errno = error.raw_os_error().unwrap_or(libc::EIO);
    let error = Error::new(operation, list, ErrorKind::Os(errno));
    complain(&words::error(&error));
    Status::Incomplete
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
            renamed: 0,
            changed: 0,
            verified: 0,
            failures: vec![],
            notices: vec![],
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
