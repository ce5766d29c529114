//! The words that options take on the command line, and what they stand for.

use clap::ValueEnum;

use crate::engine::{ConflictRule, FolderRule, Preserve, Reflink};
use crate::report::Format;

/// What to do with a file whose name is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Conflict {
    /// Ask at a terminal; elsewhere skip, and say so in the exit status
    Ask,
    /// Leave what is there
    Skip,
    /// Put the source in its place
    Replace,
    /// Replace if the source is newer, else skip
    Newer,
    /// Replace if the contents differ, else skip
    Different,
    /// Replace if size or time differ, else skip
    SizeOrTime,
    /// Copy under the next free name
    KeepBoth,
    /// Give what is there the next free name
    KeepExisting,
    /// Copy under a name made by --rename-pattern
    Rename,
}

impl From<Conflict> for ConflictRule {
    fn from(word: Conflict) -> ConflictRule {
        match word {
            Conflict::Ask => ConflictRule::Ask,
            Conflict::Skip => ConflictRule::Skip,
            Conflict::Replace => ConflictRule::Replace,
            Conflict::Newer => ConflictRule::Newer,
            Conflict::Different => ConflictRule::Different,
            Conflict::SizeOrTime => ConflictRule::SizeOrTime,
            Conflict::KeepBoth => ConflictRule::KeepBoth,
            Conflict::KeepExisting => ConflictRule::KeepExisting,
            Conflict::Rename => ConflictRule::Rename,
        }
    }
}

/// What to do with a folder that meets a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FolderConflict {
    /// Copy into the folder that is there
    Merge,
    /// Ask at a terminal; elsewhere skip, and say so in the exit status
    Ask,
    /// Leave the folder that is there, and do not copy this one
    Skip,
    /// Exchange the folder that is there, which goes to the trash, for the new one once that is
    /// whole
    Replace,
    /// Copy under the next free name
    KeepBoth,
    /// Give the folder that is there the next free name
    KeepExisting,
    /// Copy under a name made by --rename-pattern
    Rename,
}

impl From<FolderConflict> for FolderRule {
    fn from(word: FolderConflict) -> FolderRule {
        match word {
            FolderConflict::Merge => FolderRule::Merge,
            FolderConflict::Ask => FolderRule::Ask,
            FolderConflict::Skip => FolderRule::Skip,
            FolderConflict::Replace => FolderRule::Replace,
            FolderConflict::KeepBoth => FolderRule::KeepBoth,
            FolderConflict::KeepExisting => FolderRule::KeepExisting,
            FolderConflict::Rename => FolderRule::Rename,
        }
    }
}

/// Whether data is shared.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ReflinkChoice {
    /// Wherever the file systems can
    #[default]
    Auto,
    /// A file that cannot be cloned fails
    Always,
    /// Make real copies
    Never,
}

impl From<ReflinkChoice> for Reflink {
    fn from(word: ReflinkChoice) -> Reflink {
        match word {
            ReflinkChoice::Auto => Reflink::Auto,
            ReflinkChoice::Always => Reflink::Always,
            ReflinkChoice::Never => Reflink::Never,
        }
    }
}

/// What is kept beside the data.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kept {
    All,
    None,
    Mode,
    Times,
    Owner,
    Xattr,
    Links,
}

impl Kept {
    /// Whether it says all that there is to say.
    pub fn stands_alone(self) -> bool {
        matches!(self, Kept::All | Kept::None)
    }

    /// The word on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// All that is named.
    pub fn all_of(kept: &[Kept]) -> Preserve {
        let has = |what| kept.contains(&what) || kept.contains(&Kept::All);
        Preserve {
            mode: has(Kept::Mode),
            times: has(Kept::Times),
            owner: has(Kept::Owner),
            xattrs: has(Kept::Xattr),
            links: has(Kept::Links),
        }
    }
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Sentences
    Text,
    /// A table
    Csv,
    /// One object
    Json,
}

impl From<ReportFormat> for Format {
    fn from(word: ReportFormat) -> Format {
        match word {
            ReportFormat::Text => Format::Text,
            ReportFormat::Csv => Format::Csv,
            ReportFormat::Json => Format::Json,
        }
    }
}
