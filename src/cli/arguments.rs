//! The command line: what may be written after `ferry`, and what it asks for.
//!
//! Names are bytes throughout. The texts of `--help` stand here and not in the Fluent files:
//! they are part of the command line, which is one for all languages.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::engine::{
    ConflictRule, FailureRule, FolderRule, ForeignRule, JobKind, JournalId, KeepReplaced,
    NamePattern, Options, Reflink,
};
use crate::report::Format;
use crate::settings::{Settings, Workers, keep_replaced};

use super::habits;
use super::rules::Kept;

/// What the user asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// The window, with these sources waiting for a destination.
    Window(Vec<PathBuf>),
    /// One job, in the terminal.
    Job(JobRequest),
    /// A job that was left unfinished goes on; the only one, when none is named.
    Resume {
        /// Which job.
        job: Option<JournalId>,
        /// How it is shown.
        shown: Shown,
    },
    /// What a job did is taken back; the newest one's that was not, when none is named.
    Undo {
        /// Which job.
        job: Option<JournalId>,
        /// It is only told what would be done.
        dry_run: bool,
        /// How it is shown.
        shown: Shown,
    },
    /// A job is done again; the newest one that was undone, when none is named.
    Redo {
        /// Which job.
        job: Option<JournalId>,
        /// How it is shown.
        shown: Shown,
    },
    /// The room that replaced files take is given back.
    Free {
        /// It is only told how much it is.
        dry_run: bool,
    },
    /// The jobs so far, or one of them.
    History {
        /// Which job; all when none is named.
        job: Option<JournalId>,
        /// As JSON on standard output.
        json: bool,
    },
    /// The report of a job of the history is written.
    Report {
        /// Which job.
        job: JournalId,
        /// Where to, and how.
        file: (PathBuf, Format),
    },
}

/// How a job is shown.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Print every event as a line of JSON on standard output; ask nothing
    #[arg(long)]
    pub json: bool,

    /// Print errors only, and what was left because nobody could be asked
    #[arg(long)]
    pub quiet: bool,
}

/// A job as the command line describes it.
#[derive(Debug, PartialEq, Eq)]
pub struct JobRequest {
    /// Copy or move.
    pub kind: JobKind,
    /// The sources that were named as arguments.
    pub sources: Vec<PathBuf>,
    /// The list that names more sources; `-` is standard input.
    pub files_from: Option<PathBuf>,
    /// The folder to copy into.
    pub folder: PathBuf,
    /// How to copy.
    pub options: Options,
    /// Where the checksums are listed.
    pub checksums: Option<PathBuf>,
    /// Where to write the report.
    pub report: Option<(PathBuf, Format)>,
    /// How it is shown.
    pub shown: Shown,
}

/// Reads the arguments, the program's own name first.
///
/// # Errors
/// For wrong usage, and for `--help` and `--version`: the error prints itself.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    settings: &Settings,
) -> Result<Request, clap::Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let arguments = Arguments::try_parse_from(&arguments)
        .map_err(|error| habits::explained(&arguments, error))?;
    match arguments.command {
        Some(JobCommand::Copy(job)) => job.into_request(JobKind::Copy, settings).map(Request::Job),
        Some(JobCommand::Move(job)) => job.into_request(JobKind::Move, settings).map(Request::Job),
        Some(JobCommand::Resume { job, shown }) => {
            Ok(Request::Resume { job: job.map(JournalId), shown })
        }
        Some(JobCommand::Undo { job, dry_run, json, quiet }) => {
            let shown = Shown { json, quiet };
            Ok(Request::Undo { job: job.map(JournalId), dry_run, shown })
        }
        Some(JobCommand::Redo { job, shown }) => {
            Ok(Request::Redo { job: job.map(JournalId), shown })
        }
        Some(JobCommand::Free { dry_run }) => Ok(Request::Free { dry_run }),
        Some(JobCommand::History { job, json, report }) => {
            let job = job.map(JournalId);
            match (job, report.file()) {
                (Some(job), Some(file)) => Ok(Request::Report { job, file }),
                (None, Some(_)) => {
                    let message = "a report is one of a job: ferry history JOB --report FILE";
                    Err(Arguments::command().error(ErrorKind::MissingRequiredArgument, message))
                }
                (job, None) => Ok(Request::History { job, json }),
            }
        }
        None => window(arguments),
    }
}

#[cfg(feature = "gui")]
fn window(arguments: Arguments) -> Result<Request, clap::Error> {
    // A mistyped command must not open a window.
    if let Some(first) = arguments.paths.first()
        && first.components().count() == 1
        && first.symlink_metadata().is_err()
    {
        let first = crate::words::path(first);
        let message = format!("there is no command and no file '{first}'");
        return Err(Arguments::command().error(ErrorKind::InvalidValue, message));
    }
    Ok(Request::Window(arguments.paths))
}

#[cfg(not(feature = "gui"))]
fn window(_arguments: Arguments) -> Result<Request, clap::Error> {
    let message = "a command is needed, such as copy or move";
    Err(Arguments::command().error(ErrorKind::MissingSubcommand, message))
}

/// Reads the number of a job of the history.
fn job_number(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "it is no number of a job ('ferry history' lists them)")
}

/// The error of a job's command that names too few paths.
fn too_few(kind: JobKind, message: &str) -> clap::Error {
    usage(kind, ErrorKind::MissingRequiredArgument, message)
}

/// An error of a job's command.
pub(super) fn usage(kind: JobKind, error: ErrorKind, message: &str) -> clap::Error {
    let ferry = Arguments::command();
    let name = match kind {
        JobKind::Copy => "copy",
        JobKind::Move => "move",
    };
    let command = ferry.find_subcommand(name).cloned().unwrap_or(ferry);
    command.bin_name(format!("ferry {name}")).error(error, message)
}

/// Carries files across: copies and moves them fast and whole.
#[derive(Parser)]
#[command(
    name = "ferry",
    bin_name = "ferry",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true
)]
#[cfg_attr(feature = "gui", command(after_help = "Without a command, Ferry opens its window."))]
struct Arguments {
    /// Files and folders to open the window with; it asks where they shall go
    #[cfg(feature = "gui")]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(subcommand)]
    command: Option<JobCommand>,
}

#[derive(Subcommand)]
enum JobCommand {
    /// Copy files and folders into a folder
    ///
    /// Each SOURCE is a file or a folder and keeps its name. FOLDER is the folder to put them
    /// into, made if missing.
    #[command(
        after_help = EXIT_STATUS,
        override_usage = "ferry copy [OPTIONS] <SOURCE>... <FOLDER>\n       \
                          ferry copy [OPTIONS] --files-from <FILE> [SOURCE]... <FOLDER>"
    )]
    Copy(JobArguments),
    /// Move files and folders into a folder
    ///
    /// Each SOURCE is a file or a folder and keeps its name. FOLDER is the folder to put them
    /// into, made if missing. Within a file system they are renamed. Across file systems each source is removed once
    /// its copy is whole and on the device.
    #[command(
        after_help = EXIT_STATUS,
        override_usage = "ferry move [OPTIONS] <SOURCE>... <FOLDER>\n       \
                          ferry move [OPTIONS] --files-from <FILE> [SOURCE]... <FOLDER>"
    )]
    Move(JobArguments),
    /// Finish a job that was left unfinished
    ///
    /// What is whole is kept where size and time say so; what was in the middle is made anew.
    /// A job that was cancelled can be named as well.
    #[command(after_help = EXIT_STATUS)]
    Resume {
        /// The job's number in the history [default: the only unfinished one]
        #[arg(value_parser = job_number)]
        job: Option<u64>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Take back what a job did
    ///
    /// Copies are removed, replaced files come back from the trash, moved files go back to
    /// their places, and folders that the job made are removed when they are empty. What was
    /// changed since is left, and named.
    #[command(after_help = UNDO_STATUS)]
    Undo {
        /// The job's number in the history [default: the last that can be undone]
        #[arg(value_parser = job_number)]
        job: Option<u64>,

        /// Only tell what would be done
        #[arg(long)]
        dry_run: bool,

        /// Print the report as JSON on standard output
        #[arg(long)]
        json: bool,

        /// Print errors only, and what is left
        #[arg(long)]
        quiet: bool,
    },
    /// Do again what was undone
    ///
    /// The job is begun anew, with the options that it had.
    #[command(after_help = EXIT_STATUS)]
    Redo {
        /// The job's number in the history [default: the newest that was undone]
        #[arg(value_parser = job_number)]
        job: Option<u64>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Give back the room that replaced files take, which are kept for undo
    ///
    /// What is kept for jobs that have ended is removed for good. The jobs can still be undone, but
    /// what they replaced does not come back. What you keep in the trash for good is left.
    Free {
        /// Only tell how much it is
        #[arg(long)]
        dry_run: bool,
    },
    /// List the jobs so far, newest first, or write the report of one
    History {
        /// The job's number [default: all jobs]
        #[arg(value_parser = job_number)]
        job: Option<u64>,

        /// Print them as JSON
        #[arg(long, conflicts_with = "report")]
        json: bool,

        #[command(flatten)]
        report: ReportArguments,
    },
}

const EXIT_STATUS: &str = "\
Exit status:
    0  all done; an item skipped by a rule that you gave is done
    1  an item failed, changed while it was copied, was skipped because nobody could be asked, or
       cannot stand in the list of checksums
    2  wrong usage
  130  cancelled by a signal";

const UNDO_STATUS: &str = "\
Exit status:
    0  all was taken back, or would be
    1  something was left or failed, or there is no such job
    2  wrong usage
  130  stopped by a signal; what is left can be undone later";

#[derive(Args)]
struct JobArguments {
    /// The sources, and the folder last. One list: with two, clap looks ahead to tell where
    /// the first one ends, and takes a name with a dash for an option there, even after `--`.
    #[arg(value_name = "PATH", hide = true)]
    // As bytes: the parser of paths takes an empty one for none.
    #[arg(value_parser = OsStringValueParser::new().map(PathBuf::from))]
    paths: Vec<PathBuf>,

    /// What to do with a file whose name is taken [default: ask, or what the settings say]
    #[arg(long, value_enum, value_name = "RULE")]
    conflict: Option<ConflictRule>,

    /// What to do with a folder that meets a folder [default: merge, or what the settings say]
    #[arg(long, value_enum, value_name = "RULE")]
    folder_conflict: Option<FolderRule>,

    /// The names that the rule 'rename' makes: text with {name}, {ext}, {date}, {time}, {number}
    /// [default: '{name} ({date}){ext}', or what the settings say]
    #[arg(long, value_name = "PATTERN")]
    rename_pattern: Option<NamePattern>,

    /// What to do with names that the destination's file system refuses, as FAT, exFAT and NTFS do
    /// with some [default: ask, or what the settings say]
    #[arg(long, value_enum, value_name = "RULE")]
    foreign_names: Option<ForeignRule>,

    /// How long to keep the files that are replaced, in the trash of their file system: undo (as
    /// long as the job can be undone: 30 days), a number of days (1 to 30), trash (until you empty
    /// it), job (until the job has ended), no (not at all; undo cannot bring them back)
    /// [default: undo, or what the settings say]
    #[arg(long, value_name = "WHILE", value_parser = keep_replaced)]
    keep_replaced: Option<KeepReplaced>,

    /// Whether files share their data with the copies (clones) instead of doubling it
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    reflink: Reflink,

    /// What to keep beside the data: all, none, or a list of mode, times, owner, xattr, links
    /// [default: all, or what the settings say]
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    #[arg(hide_possible_values = true)]
    preserve: Option<Vec<Kept>>,

    /// Read the copies back from the device and compare them with their sources
    #[arg(long, overrides_with = "no_verify")]
    verify: bool,

    /// Do not read the copies back, though the settings say so
    #[arg(long, overrides_with = "verify")]
    no_verify: bool,

    /// Write a list of BLAKE3 checksums to FILE; check it with 'cd FOLDER && b3sum --check FILE'
    #[arg(long, value_name = "FILE")]
    checksums: Option<PathBuf>,

    /// How many files to work on at a time, 1 to 64, or 'automatic': chosen by the machine
    /// [default: automatic, or what the settings say]
    #[arg(long, value_name = "N")]
    workers: Option<Workers>,

    /// Read more sources from FILE, separated by NUL; '-' is standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    #[command(flatten)]
    report: ReportArguments,

    #[command(flatten)]
    shown: Shown,
}

#[derive(Args)]
struct ReportArguments {
    /// Write what became of the job into FILE: every item that was skipped, renamed, failed,
    /// changed, or not kept in full
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// How to write the report [default: by the extension of FILE, else text]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "report")]
    report_format: Option<Format>,
}

impl ReportArguments {
    fn file(self) -> Option<(PathBuf, Format)> {
        let path = self.report?;
        let format = self.report_format.unwrap_or_else(|| Format::of(&path));
        Some((path, format))
    }
}

impl JobArguments {
    fn into_request(self, kind: JobKind, settings: &Settings) -> Result<JobRequest, clap::Error> {
        let mut sources = self.paths;
        let Some(folder) = sources.pop() else {
            let message = match self.files_from {
                Some(_) => "the folder to put everything into is missing",
                None => "no source and no folder are given",
            };
            return Err(too_few(kind, message));
        };
        if sources.iter().chain([&folder]).any(|path| path.as_os_str().is_empty()) {
            return Err(usage(kind, ErrorKind::InvalidValue, "an empty path names nothing"));
        }
        if sources.is_empty() && self.files_from.is_none() {
            return Err(too_few(kind, "only one path is given: a source or the folder is missing"));
        }
        if self.preserve.as_ref().is_some_and(|kept| kept.len() > 1)
            && let Some(alone) = self.preserve.iter().flatten().find(|kept| kept.stands_alone())
        {
            let message = format!("'--preserve={}' stands alone", alone.word());
            return Err(usage(kind, ErrorKind::ArgumentConflict, &message));
        }
        let standing = settings.options();
        Ok(JobRequest {
            kind,
            sources,
            files_from: self.files_from,
            folder,
            options: Options {
                conflict: self.conflict.unwrap_or(standing.conflict),
                folder_conflict: self.folder_conflict.unwrap_or(standing.folder_conflict),
                rename_pattern: self.rename_pattern.unwrap_or(standing.rename_pattern),
                foreign_names: self.foreign_names.unwrap_or(standing.foreign_names),
                // A failure on the command line is told at the end, never asked about.
                failure: FailureRule::Record,
                reflink: self.reflink,
                preserve: self.preserve.map_or(standing.preserve, |kept| Kept::all_of(&kept)),
                verify: (self.verify || standing.verify) && !self.no_verify,
                workers: self.workers.map_or(standing.workers, Workers::wish),
                keep_replaced: self.keep_replaced.unwrap_or(standing.keep_replaced),
            },
            checksums: self.checksums,
            report: self.report.file(),
            shown: self.shown,
        })
    }
}

#[cfg(test)]
mod tests;
