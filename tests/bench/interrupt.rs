//! SIGINT, SIGTERM and SIGHUP as a flag that is looked at between and during runs, so that
//! mounts, loop devices and trees are taken down by the same guards as in a normal end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use crate::error::{BenchError, Context};

/// Whether the run was asked to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches the signals from now on, in a thread of its own.
    pub fn catch() -> Result<Self, BenchError> {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot wait for signals")?;
        let (mut int, mut term, mut hangup) = {
            let _inside = runtime.enter();
            let listen = |kind| signal(kind).context("cannot catch signals");
            (
                listen(SignalKind::interrupt())?,
                listen(SignalKind::terminate())?,
                listen(SignalKind::hangup())?,
            )
        };
        // Not joined: it ends with the process.
        let _thread = std::thread::spawn(move || {
            runtime.block_on(async {
                loop {
                    let _signal = tokio::select! {
                        signal = int.recv() => signal,
                        signal = term.recv() => signal,
                        signal = hangup.recv() => signal,
                    };
                    flag.0.store(true, Ordering::Relaxed);
                }
            });
        });
        Ok(interrupt)
    }

    /// An error when the run was asked to stop.
    pub fn check(&self) -> Result<(), BenchError> {
        if self.0.load(Ordering::Relaxed) { Err(BenchError::Interrupted) } else { Ok(()) }
    }
}
