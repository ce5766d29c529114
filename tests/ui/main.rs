//! The window, driven without a display: iced's simulator draws and clicks it.

#![allow(clippy::unwrap_used)]

mod common;
mod conflicts;
mod display;
mod intake;
mod jobs;
mod list;
mod names;
mod past;
mod pictures;
mod settings;
mod strings;
