//! Ferry carries files across: a desktop file copier for Linux.
//!
//! The map of the house. Arrows run down only:
//!
//! ```text
//! main ──► ui ───┐            the window (feature `gui`)
//!     └──► cli ──┤            the terminal
//!                ├──► settings   what the user has settled
//!                ├──► report     what became of a job, as a file
//!                ├──► words      sizes, times, errors as words for people
//!                └──► engine ──► engine::fs ──► rustix
//! ```
//!
//! * [`engine`] copies. It knows no window, no words for people and no bus. A face sends
//!   it [`engine::Command`]s and reads [`engine::Event`]s from a channel; it shares the list
//!   of a job's entries as an [`engine::Plan`].
//! * [`cli`] is the terminal face, `ui` the window face; neither knows the other.
//! * [`words`] is where both faces find their sentences, [`settings`] what a job begins with,
//!   [`report`] how its end is written into a file.

pub mod cli;
pub mod engine;
pub mod report;
pub mod settings;
#[cfg(feature = "gui")]
pub mod ui;
pub mod words;
