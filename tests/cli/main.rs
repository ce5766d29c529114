//! The built program at the command line: what it does, prints, and ends with.

#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

#[path = "../common/mod.rs"]
mod common;

mod bad_input;
mod conflicts;
mod crash;
mod errors;
mod jobs;
mod json;
mod left_out;
mod past;
mod place;
mod reports;
mod signals;
mod terminal;
mod undo;
mod usage;
