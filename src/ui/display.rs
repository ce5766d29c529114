//! Whether there is a display to open a window on.
//!
//! iced panics where the desktop cannot be reached, before anything of the window exists. So
//! the variables are looked at first, and a panic before the window's first turn is taken for
//! a display that does not answer, whatever the reason: a stale socket, a refused cookie.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::phrase;
use crate::words::text;

/// The variables that name a display, in the order in which they count.
const VARIABLES: [&str; 3] = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"];

/// Says that the display has been reached: from then on a panic is a panic.
#[derive(Clone, Default)]
pub struct Reached(Arc<AtomicBool>);

impl Reached {
    /// The display has been reached.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs what needs a display and calls [`Reached::tell`] once it has it.
///
/// # Errors
/// The sentence that tells why there is no display.
pub fn needed<T>(work: impl FnOnce(Reached) -> T) -> Result<T, String> {
    let Some((variable, value)) = named() else {
        return Err(missing(text("window-display-not-set")));
    };
    let reached = Reached::default();
    silence_until(&reached);
    // What the work leaves behind half done is not looked at any more after a panic.
    match panic::catch_unwind(AssertUnwindSafe(|| work(reached.clone()))) {
        Ok(done) => Ok(done),
        Err(panic) if reached.told() => panic::resume_unwind(panic),
        Err(_) => {
            let display = format!("{variable}={value}");
            Err(missing(phrase::with("window-display-silent", "display", display)))
        }
    }
}

/// The variable that names the display.
fn named() -> Option<(&'static str, String)> {
    VARIABLES.into_iter().find_map(|variable| {
        let value = std::env::var(variable).ok()?;
        (!value.is_empty()).then_some((variable, value))
    })
}

fn missing(reason: String) -> String {
    phrase::with("window-no-display", "reason", reason)
}

/// Panics of this thread say nothing before the display has been reached.
fn silence_until(reached: &Reached) {
    thread_local!(static WAITS: Cell<bool> = const { Cell::new(false) });
    WAITS.set(true);
    let usual = panic::take_hook();
    let reached = reached.clone();
    panic::set_hook(Box::new(move |panic| {
        if reached.told() || !WAITS.get() {
            usual(panic);
        }
    }));
}
