//! The command line: what may be written after `ferry`, and what it asks for.
//!
//! Names are bytes throughout. The texts of `--help` stand here and not in the Fluent files:
//! they are part of the command line, which is one for all languages.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::engine::{
    ConflictRule, FailureRule, JobKind, JournalId, KeepReplaced, Options, Preserve, Reflink,
};

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
    /// The jobs so far.
    History {
        /// As JSON on standard output.
        json: bool,
    },
}

/// How a job is shown.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Print every event as a line of JSON on standard output; ask nothing
    #[arg(long)]
    pub json: bool,

    /// Print errors only
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
    /// How it is shown.
    pub shown: Shown,
}

/// Reads the arguments, the program's own name first.
///
/// # Errors
/// For wrong usage, and for `--help` and `--version`: the error prints itself.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, clap::Error> {
    let arguments = Arguments::try_parse_from(arguments)?;
    match arguments.command {
        Some(JobCommand::Copy(job)) => job.into_request(JobKind::Copy).map(Request::Job),
        Some(JobCommand::Move(job)) => job.into_request(JobKind::Move).map(Request::Job),
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
        Some(JobCommand::History { json }) => Ok(Request::History { json }),
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

/// The error of a job's command that names too few paths.
fn too_few(kind: JobKind, message: &str) -> clap::Error {
    let ferry = Arguments::command();
    let name = match kind {
        JobKind::Copy => "copy",
        JobKind::Move => "move",
    };
    let command = ferry.find_subcommand(name).cloned().unwrap_or(ferry);
    command.bin_name(format!("ferry {name}")).error(ErrorKind::MissingRequiredArgument, message)
}

/// Carries files across: copies and moves them fast and whole.
#[derive(Parser)]
#[command(name = "ferry", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
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
        /// The job's number in the history [default: the newest that was not undone]
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
        job: Option<u64>,
        #[command(flatten)]
        shown: Shown,
    },
    /// List the jobs so far, newest first
    History {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
}

const EXIT_STATUS: &str = "\
Exit status:
    0  all done; an item skipped by a rule that you gave is done
    1  an item failed, changed while it was copied, or was skipped because nobody could be asked
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
    paths: Vec<PathBuf>,

    /// What to do with a file whose name is taken
    #[arg(long, value_enum, value_name = "RULE", default_value_t)]
    conflict: Conflict,

    /// How long to keep the files that are replaced, in the trash of their file system
    #[arg(long, value_enum, value_name = "WHILE", default_value_t)]
    keep_replaced: Keep,

    /// Whether files share their data with the copies (clones) instead of doubling it
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    reflink: ReflinkChoice,

    /// What to keep beside the data: all, none, or a list of mode, times, owner, xattr, links
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',', default_value = "all")]
    #[arg(hide_possible_values = true)]
    preserve: Vec<Kept>,

    /// Read the copies back from the device and compare them with their sources
    #[arg(long)]
    verify: bool,

    /// Write a list of BLAKE3 checksums to FILE; check it with 'cd FOLDER && b3sum --check FILE'
    #[arg(long, value_name = "FILE")]
    checksums: Option<PathBuf>,

    /// How many files to work on at a time [default: chosen by the machine]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    workers: Option<u16>,

    /// Read more sources from FILE, separated by NUL; '-' is standard input
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,

    #[command(flatten)]
    shown: Shown,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Conflict {
    /// Ask at a terminal; elsewhere skip, and say so in the exit status
    #[default]
    Ask,
    /// Leave what is there
    Skip,
    /// Put the source in its place
    Replace,
    /// Replace if the source is newer, else skip
    Newer,
    /// Replace if the contents differ, else skip
    Different,
    /// Copy under the next free name
    KeepBoth,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kept {
    All,
    None,
    Mode,
    Times,
    Owner,
    Xattr,
    Links,
}

impl Kept {
    fn all_of(kept: &[Kept]) -> Preserve {
        let has = |what| kept.contains(&what) || kept.contains(&Kept::All);
        Preserve {
            mode: has(Kept::Mode),
            times: has(Kept::Times),
            owner: has(Kept::Owner),
            xattrs: has(Kept::Xattr),
            links: has(Kept::Links),
        }
    }
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Keep {
    /// As long as the job can be undone: 30 days
    #[default]
    Undo,
    /// Until you empty the trash
    Trash,
    /// Until the job has ended
    Job,
    /// Not at all; undo cannot bring them back
    No,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum ReflinkChoice {
    /// Wherever the file systems can
    #[default]
    Auto,
    /// A file that cannot be cloned fails
    Always,
    /// Make real copies
    Never,
}

impl JobArguments {
    fn into_request(self, kind: JobKind) -> Result<JobRequest, clap::Error> {
        let mut sources = self.paths;
        let Some(folder) = sources.pop() else {
            return Err(too_few(kind, "no source and no folder are given"));
        };
        if sources.is_empty() && self.files_from.is_none() {
            return Err(too_few(kind, "only one path is given: a source or the folder is missing"));
        }
        Ok(JobRequest {
            kind,
            sources,
            files_from: self.files_from,
            folder,
            options: Options {
                conflict: match self.conflict {
                    Conflict::Ask => ConflictRule::Ask,
                    Conflict::Skip => ConflictRule::Skip,
                    Conflict::Replace => ConflictRule::Replace,
                    Conflict::Newer => ConflictRule::Newer,
                    Conflict::Different => ConflictRule::Different,
                    Conflict::KeepBoth => ConflictRule::KeepBoth,
                },
                // A failure on the command line is told at the end, never asked about.
                failure: FailureRule::Record,
                reflink: match self.reflink {
                    ReflinkChoice::Auto => Reflink::Auto,
                    ReflinkChoice::Always => Reflink::Always,
                    ReflinkChoice::Never => Reflink::Never,
                },
                preserve: Kept::all_of(&self.preserve),
                verify: self.verify,
                workers: self.workers,
                keep_replaced: match self.keep_replaced {
                    Keep::Undo => KeepReplaced::Undo,
                    Keep::Trash => KeepReplaced::Trash,
                    Keep::Job => KeepReplaced::Job,
                    Keep::No => KeepReplaced::No,
                },
            },
            checksums: self.checksums,
            shown: self.shown,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

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
                conflict: ConflictRule::KeepBoth,
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
            &["copy", "--workers=0", "a", "b"],
            &["copy", "--preserve=colour", "a", "b"],
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
}
