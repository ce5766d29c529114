//! Programs that a test starts. Each has a process group of its own, which ends with the
//! test: when it passes, when it fails, and when the test runner is killed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal};

use crate::desktop::until;

/// A running program; dropping it ends it and what it started.
pub struct Started {
    child: Child,
}

/// A command that does not outlive the thread of its test. (The kernel sees to it;
/// `setpriv` asks it to, and then becomes the program.)
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    command
}

impl Started {
    /// Starts a [`command`].
    pub fn start(command: &mut Command) -> Started {
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Started { child }
    }

    /// The process.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended, and how.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// Waits until it ends by itself.
    pub fn finish(&mut self) -> ExitStatus {
        until("the program ends", || self.ended())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.child);
        let _gone_already = rustix::process::kill_process_group(group, Signal::KILL);
        let _status = self.child.wait();
    }
}

/// Ends every process whose environment holds this variable with this value: what was
/// started by what a test has started, and has left its process group.
pub fn end_all_with(variable: &str, value: &Path) {
    let mark = [variable.as_bytes(), b"=", value.as_os_str().as_encoded_bytes()].concat();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let number = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else { continue };
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|entry| entry == mark) {
            let _gone_already = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
}

/// Where a program is, if it is installed.
pub fn installed(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = std::env::split_paths(&path).map(|folder| folder.join(program));
    candidates.into_iter().find(|candidate| candidate.is_file())
}
