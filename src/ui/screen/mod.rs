//! The parts of the main window. Each has its `Message`, its `Action` and its `view`; none
//! knows another.

pub mod detail;
pub mod empty;
pub mod entries;
mod entry;
mod figures;
pub mod header;
pub mod jobs;
pub mod left;
pub mod matches;
pub mod report;
