//! The standing wishes of the user: `ferry/settings.json` in the configuration folder of the
//! session, read by both faces, written by the window.
//!
//! A missing file is none; what is unknown or wrong in it is told and left out, and never
//! keeps Ferry from its work.

mod file;

use std::path::PathBuf;

use crate::engine::{
    ConflictRule, DAYS, FolderRule, ForeignRule, KeepReplaced, NamePattern, Options, Preserve,
};

pub use file::{Book, NotWritten, load, load_from};

/// The most workers that can be wished for.
pub const MOST_WORKERS: u16 = 64;

/// What the user has settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// For files whose name is taken.
    pub conflict: Option<ConflictRule>,
    /// For folders that meet a folder.
    pub folder_conflict: Option<FolderRule>,
    /// For names that the destination's file system refuses.
    pub foreign_names: Option<ForeignRule>,
    /// The names that renaming by rule gives.
    pub rename_pattern: Option<NamePattern>,
    /// How long replaced files are kept.
    pub keep_replaced: Option<KeepReplaced>,
    /// Whether copies are read back and compared.
    pub verify: Option<bool>,
    /// What is kept beside the data.
    pub preserve: Option<Preserve>,
    /// How many files are worked on at a time.
    pub workers: Option<Workers>,
}

/// How many files are worked on at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workers {
    /// As many as suit the machine and the devices.
    #[default]
    Automatic,
    /// So many.
    Number(u16),
}

impl Workers {
    /// As the engine takes it.
    pub fn wish(self) -> Option<u16> {
        match self {
            Workers::Automatic => None,
            Workers::Number(number) => Some(number),
        }
    }
}

impl std::str::FromStr for Workers {
    type Err = String;

    fn from_str(word: &str) -> Result<Workers, String> {
        match word.parse() {
            Ok(number @ 1..=MOST_WORKERS) => Ok(Workers::Number(number)),
            _ if word == "automatic" => Ok(Workers::Automatic),
            _ => Err(format!("expected a number from 1 to {MOST_WORKERS}, or 'automatic'")),
        }
    }
}

/// How long replaced files are kept, from a word or a number of days.
///
/// # Errors
/// The sentence that tells what can be said.
pub fn keep_replaced(word: &str) -> Result<KeepReplaced, String> {
    match (word, word.parse::<u16>()) {
        ("undo", _) => Ok(KeepReplaced::Undo),
        ("trash", _) => Ok(KeepReplaced::Trash),
        ("job", _) => Ok(KeepReplaced::Job),
        ("no", _) => Ok(KeepReplaced::No),
        (_, Ok(days)) if (1..=DAYS).contains(&i64::from(days)) => Ok(KeepReplaced::Days(days)),
        _ => Err(format!("expected undo, trash, job, no, or a number of days from 1 to {DAYS}")),
    }
}

/// Settings, and what is wrong with them, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// What could be read.
    pub settings: Settings,
    /// What could not.
    pub complaints: Vec<String>,
    /// Where they are; `None` in a session without a home.
    pub file: Option<PathBuf>,
    /// The file is there and cannot be understood at all.
    pub broken: bool,
}

impl Settings {
    /// What a job begins with where nothing else is said.
    pub fn options(&self) -> Options {
        Options {
            conflict: self.conflict.unwrap_or_default(),
            folder_conflict: self.folder_conflict.unwrap_or_default(),
            foreign_names: self.foreign_names.unwrap_or_default(),
            rename_pattern: self.rename_pattern.clone().unwrap_or_default(),
            keep_replaced: self.keep_replaced.unwrap_or_default(),
            verify: self.verify.unwrap_or_default(),
            preserve: self.preserve.unwrap_or_default(),
            workers: self.workers.unwrap_or_default().wish(),
            ..Options::default()
        }
    }
}
