//! A folder of a test's own, and the program run in it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use ferry::engine::Event;

use crate::common;

/// The built program.
pub const FERRY: &str = env!("CARGO_BIN_EXE_ferry");

/// A folder that is removed with everything in it at the end.
pub struct Place(common::Place, common::Place);

/// What a run of the program left.
pub struct Run {
    /// The exit status.
    pub status: i32,
    /// What stood on standard output.
    pub out: String,
    /// What stood on standard error.
    pub err: String,
}

impl Place {
    /// An empty folder.
    pub fn new() -> Place {
        Place::in_folder(&std::env::temp_dir())
    }

    /// An empty folder in another one.
    pub fn within(parent: &str) -> Place {
        Place::in_folder(Path::new(parent))
    }

    fn in_folder(parent: &Path) -> Place {
        Place(common::Place::new_in(parent), common::Place::new_in(parent))
    }

    /// The folder of what Ferry remembers: `state` and `data` (with the trash) in it.
    pub fn home(&self) -> &Path {
        &self.1
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The full path of something in it.
    pub fn at(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.path().join(path.as_ref())
    }

    /// Makes a file, and the folders it lies in.
    pub fn file(&self, path: impl AsRef<OsStr>, contents: &str) -> &Place {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    /// Makes an empty folder.
    pub fn folder(&self, path: &str) -> &Place {
        fs::create_dir_all(self.at(path)).unwrap();
        self
    }

    /// Sets the time of a file's contents, in seconds since 1970.
    pub fn dated(&self, path: &str, seconds: u64) -> &Place {
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        fs::File::open(self.at(path)).unwrap().set_modified(time).unwrap();
        self
    }

    /// What a file holds.
    pub fn read(&self, path: impl AsRef<OsStr>) -> String {
        let path = self.at(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Whether there is something at a path, be it a dangling link.
    pub fn has(&self, path: impl AsRef<OsStr>) -> bool {
        self.at(path).symlink_metadata().is_ok()
    }

    /// The names in a folder, sorted.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.at(path)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The program, to be run in this folder, without input.
    pub fn command(&self) -> Command {
        let mut command = self.of(FERRY);
        let _self = command
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A program that is run in this folder and knows no other home: neither the jobs nor the
    /// settings of whoever runs the tests have to do with them.
    pub fn of(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let _self = command.current_dir(self.path());
        for (name, folder) in [("STATE", "state"), ("DATA", "data"), ("CONFIG", "config")] {
            let _self = command.env(format!("XDG_{name}_HOME"), self.home().join(folder));
        }
        command
    }

    /// Runs the program with arguments, separated by blanks.
    pub fn ferry(&self, arguments: &str) -> Run {
        self.command().args(arguments.split_whitespace()).output().unwrap().into()
    }

    /// Runs the program with arguments and input.
    pub fn ferry_fed(&self, arguments: &str, input: &[u8]) -> Run {
        let arguments = arguments.split_whitespace();
        let mut child = self.command().args(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // It may end before it has read everything.
        let _written = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap().into()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

impl Run {
    /// Expects an exit status.
    #[track_caller]
    pub fn ends(&self, status: i32) -> &Run {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Expects a part of the messages.
    #[track_caller]
    pub fn says(&self, part: &str) -> &Run {
        assert!(self.err.contains(part), "“{part}” is missing in:\n{}", self.err);
        self
    }

    /// Expects that nothing was printed.
    #[track_caller]
    pub fn says_nothing(&self) -> &Run {
        assert_eq!((self.out.as_str(), self.err.as_str()), ("", ""));
        self
    }

    /// The events that were printed as JSON.
    pub fn events(&self) -> Vec<Event> {
        let event =
            |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in: {line}"));
        self.out.lines().map(event).collect()
    }
}
