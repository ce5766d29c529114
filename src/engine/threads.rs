//! Threads of the engine's own: one that the system does not give (`EAGAIN`) is a failure that
//! is told, or what it was for is done here.

use std::ffi::OsStr;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use super::fs::faults::{self, Call};
use super::job::lock;

/// Starts a thread that is left to itself.
///
/// # Errors
/// What the system says.
pub fn start(name: &str, call: impl FnOnce() + Send + 'static) -> io::Result<()> {
    named(name)?.spawn(call).map(|_detached| ())
}

/// Starts a thread within a scope.
///
/// # Errors
/// What the system says.
pub fn start_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    call: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    named(name)?.spawn_scoped(scope, call)
}

/// Calls on a thread that is left to itself, or here when there is none.
pub fn start_or_here(name: &str, call: impl FnOnce() + Send + 'static) {
    // Whoever takes it calls it: a thread that is not given takes its closure along.
    let slot = Arc::new(Mutex::new(Some(call)));
    let theirs = Arc::clone(&slot);
    let take = |slot: &Mutex<Option<_>>| lock(slot).take();
    if start(name, move || take(&theirs).into_iter().for_each(|call| call())).is_err() {
        take(&slot).into_iter().for_each(|call| call());
    }
}

fn named(name: &str) -> io::Result<Builder> {
    faults::named(Call::Thread, OsStr::new(name))?;
    Ok(Builder::new().name(name.to_owned()))
}
