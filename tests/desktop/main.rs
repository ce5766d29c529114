//! The program that users run, on a desktop that nobody sees: a screen in memory, a window
//! manager, a real file manager to drag from, a mouse and a keyboard.
//!
//! Nothing here reaches into the program. What the tests know of the window is what a user
//! sees: the colours of `ui::theme`, the height of a button, which button stands where.
//! Each step leaves a picture in `target/artefacts` (or `$FERRY_ARTEFACTS`).

#![cfg(feature = "gui")]
#![allow(unused_results, reason = "set-up calls are made for what they do")]
#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

#[path = "../common/mod.rs"]
mod common;

mod chooser;
mod conflicts;
mod desktop;
mod drag;
mod ferry;
mod file_manager;
mod keyboard;
mod looks;
mod numbers;
mod picture;
mod process;
mod refused;
mod seen;
mod table;
mod timings;
