//! The built program at the command line: what it does, prints, and ends with.

#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

mod bad_input;
mod conflicts;
mod jobs;
mod json;
mod place;
mod signals;
mod terminal;
mod usage;
