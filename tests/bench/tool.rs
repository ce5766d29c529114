//! The copiers: where they are, how each is asked to copy a folder into a folder.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;

use crate::case::Case;
use crate::error::{BenchError, Context};

/// What can be compared with `cp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ToolName {
    Cp,
    Ferry,
    Rsync,
    Gio,
    Kioclient,
    Xcp,
    Cpz,
    Fcp,
}

impl ToolName {
    /// The names of its program, the usual one first.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Cp => &["cp"],
            Self::Ferry => &["ferry"],
            Self::Rsync => &["rsync"],
            Self::Gio => &["gio"],
            Self::Kioclient => &["kioclient", "kioclient6", "kioclient5"],
            Self::Xcp => &["xcp"],
            Self::Cpz => &["cpz"],
            Self::Fcp => &["fcp"],
        }
    }

    /// The name in words.
    pub fn word(self) -> &'static str {
        match self.programs() {
            [name, ..] => name,
            [] => "",
        }
    }
}

/// A copier that is installed.
#[derive(Debug, Clone)]
pub struct Tool {
    name: ToolName,
    /// The program's file.
    pub program: PathBuf,
    /// Where the copier may keep its records, so that the user's own see nothing of this.
    state: PathBuf,
}

impl Tool {
    /// The tool of that name in PATH; Ferry at `ferry`. Nothing when it is not installed.
    pub fn find(name: ToolName, ferry: &Path, state: &Path) -> Option<Self> {
        let program = if name == ToolName::Ferry {
            Some(ferry.to_owned()).filter(|path| is_program(path))
        } else {
            name.programs().iter().find_map(|program| in_path(program))
        }?;
        Some(Self { name, program, state: state.to_owned() })
    }

    /// Whether it is the one of that name.
    pub fn is(&self, name: ToolName) -> bool {
        self.name == name
    }

    /// The name of its program.
    pub fn word(&self) -> String {
        let name = self.program.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Its name with the version that it tells, if it tells one.
    pub fn version(&self) -> String {
        // Some tell it on standard error.
        let told =
            self.bare().arg("--version").stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        let bytes = told.map(|told| [told.stdout, told.stderr].concat()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let first_line = text.lines().next().unwrap_or_default();
        let version = first_line
            .split_whitespace()
            .map(|word| word.trim_start_matches('v'))
            .find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
        match version {
            Some(version) => format!("{} {version}", self.word()),
            None => self.word(),
        }
    }

    /// The command that copies the folder `source`, made as `case` says, into the folder
    /// `into`, where it arrives under its own name.
    pub fn command(&self, case: &Case, source: &Path, into: &Path) -> Result<Command, BenchError> {
        let arrives = into.join(case.name);
        let mut command = self.bare();
        let _same = match self.name {
            ToolName::Cp => command.args(["-r", "--preserve=mode,timestamps"]).args([source, into]),
            ToolName::Ferry => return Ok(self.ferry_copy(source, into)),
            ToolName::Rsync => command.arg("-a").args([source, into]),
            ToolName::Xcp => command.args(["--recursive", "--no-progress"]).args([source, into]),
            ToolName::Cpz => command.args([source, &arrives]),
            ToolName::Fcp => command.args([source, into]),
            ToolName::Kioclient => command.args(["--noninteractive", "copy"]).args([source, into]),
            // It copies files, not folders: a flat folder can be made for it beforehand, and
            // all its files named.
            ToolName::Gio if case.is_flat() => {
                fs::create_dir(&arrives).context("cannot make a folder for gio")?;
                command.args(["copy", "--preserve"]).args(sorted_files(source)?).arg(&arrives)
            }
            ToolName::Gio => {
                return Err(BenchError::LeftOut("copies no folders".to_owned()));
            }
        };
        Ok(command)
    }

    /// Ferry's command that copies `source`, a folder or a file, into the folder `into`.
    pub fn ferry_copy(&self, source: &Path, into: &Path) -> Command {
        let mut command = self.bare();
        let _same = command.args(["copy", "--quiet"]).args([source, into]);
        command
    }

    /// Ferry's command that copies what a list names into the folder `into`.
    pub fn ferry_copy_listed(&self, list: &Path, into: &Path) -> Command {
        let mut command = self.bare();
        let _same = command.args(["copy", "--quiet", "--files-from"]).args([list, into]);
        command
    }

    /// The program without arguments, silent, and with surroundings that are the same for all.
    fn bare(&self) -> Command {
        let mut command = Command::new(&self.program);
        let _same = command
            .env("LC_ALL", "C.UTF-8")
            .env("XDG_STATE_HOME", self.state.join("state"))
            .env("XDG_DATA_HOME", self.state.join("data"))
            .env("XDG_CONFIG_HOME", self.state.join("config"))
            .env("XDG_CACHE_HOME", self.state.join("cache"))
            // No service is started for local files, and no window.
            .env("GIO_USE_VFS", "local")
            .env("QT_QPA_PLATFORM", "offscreen")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn in_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| is_program(path))
}

fn sorted_files(folder: &Path) -> Result<Vec<PathBuf>, BenchError> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .context("cannot list the source")?;
    files.sort();
    Ok(files)
}
