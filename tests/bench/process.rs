//! One run of a copier: started, waited for with a deadline, ended when the bench ends.
//!
//! The clock runs from just before the process is made until the kernel says that it is
//! gone (a pidfd becomes readable), so loading the program counts and waiting costs nothing.

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

use crate::error::{BenchError, Context};
use crate::interrupt::Interrupt;

/// A running process in a process group of its own; killed when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    gone: OwnedFd,
    started: Instant,
}

impl Running {
    /// Starts it. The group of its own keeps a Ctrl-C at the terminal from reaching it:
    /// the bench takes it down itself, and its children with it.
    pub fn start(command: &mut Command) -> Result<Self, BenchError> {
        let _same = command.process_group(0);
        let program = command.get_program().to_owned();
        let started = Instant::now();
        let child = command.spawn().context(format_args!("cannot start {}", program.display()))?;
        let gone = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())
            .context("cannot watch a process")?;
        Ok(Self { child, gone, started })
    }

    /// Waits until it is gone, at most `time`; how long it has been running if it is gone.
    pub fn gone_within(&self, time: Duration) -> Option<Duration> {
        let timeout = Timespec {
            tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        };
        let mut watched = [PollFd::new(&self.gone, PollFlags::IN)];
        // A signal ends the waiting early, which counts as not gone yet.
        matches!(poll(&mut watched, Some(&timeout)), Ok(1..)).then(|| self.started.elapsed())
    }

    /// Waits until it is gone, for at most `limit` from its start, and looks at `interrupt`
    /// while it waits. Returns the time from start to end.
    pub fn finish(
        mut self,
        limit: Duration,
        interrupt: &Interrupt,
    ) -> Result<(Duration, ExitStatus), BenchError> {
        const SLICE: Duration = Duration::from_millis(200);
        loop {
            if let Some(time) = self.gone_within(SLICE) {
                let status = self.child.wait().context("cannot ask for a status")?;
                return Ok((time, status));
            }
            interrupt.check()?;
            if self.started.elapsed() > limit {
                return Err(BenchError::Failed(format!("stopped after {} s", limit.as_secs())));
            }
        }
    }

    /// Sends it SIGINT, as Ctrl-C would.
    pub fn send_interrupt(&self) -> Result<(), BenchError> {
        kill_process(Pid::from_child(&self.child), Signal::INT).context("cannot send SIGINT")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // Errors mean that it ended in the meantime.
            let _ended = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _status = self.child.wait();
        }
    }
}
