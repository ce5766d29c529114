//! What is shipped beside the program: dependencies and their licences, the desktop entry,
//! the metainfo, the icon.

#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

#[path = "../common/mod.rs"]
mod common;
mod dependencies;
mod desktop;

use std::fs;
use std::path::Path;

/// A file of the repository.
fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
