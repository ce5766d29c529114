//! The words that options take on the command line, and what they stand for.
//!
//! The engine's own rules are given their words and help here, so that no second list of them has
//! to follow the first.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::engine::{ConflictRule, FolderRule, ForeignRule, Preserve, Reflink};
use crate::report::Format;

/// What a value is called, and what `--help` says of it.
fn word(name: &'static str, help: &'static str) -> Option<PossibleValue> {
    Some(PossibleValue::new(name).help(help))
}

impl ValueEnum for ConflictRule {
    fn value_variants<'a>() -> &'a [ConflictRule] {
        use ConflictRule::*;
        &[Ask, Skip, Replace, Newer, Different, SizeOrTime, KeepBoth, KeepExisting, Rename]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            ConflictRule::Ask => {
                word("ask", "Ask at a terminal; elsewhere skip, and say so in the exit status")
            }
            ConflictRule::Skip => word("skip", "Leave what is there"),
            ConflictRule::Replace => word("replace", "Put the source in its place"),
            ConflictRule::Newer => word("newer", "Replace if the source is newer, else skip"),
            ConflictRule::Different => {
                word("different", "Replace if the contents differ, else skip")
            }
            ConflictRule::SizeOrTime => {
                word("size-or-time", "Replace if size or time differ, else skip")
            }
            ConflictRule::KeepBoth => word("keep-both", "Copy under the next free name"),
            ConflictRule::KeepExisting => {
                word("keep-existing", "Give what is there the next free name")
            }
            ConflictRule::Rename => word("rename", "Copy under a name made by --rename-pattern"),
            // What `ask` becomes where nobody can be asked.
            ConflictRule::SkipUnanswered => None,
        }
    }
}

impl ValueEnum for FolderRule {
    fn value_variants<'a>() -> &'a [FolderRule] {
        use FolderRule::*;
        &[Merge, Ask, Skip, Replace, KeepBoth, KeepExisting, Rename]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            FolderRule::Merge => word("merge", "Copy into the folder that is there"),
            FolderRule::Ask => {
                word("ask", "Ask at a terminal; elsewhere skip, and say so in the exit status")
            }
            FolderRule::Skip => {
                word("skip", "Leave the folder that is there, and do not copy this one")
            }
            FolderRule::Replace => word(
                "replace",
                "Exchange the folder that is there, which goes to the trash, for the new one once \
                 that is whole",
            ),
            FolderRule::KeepBoth => word("keep-both", "Copy under the next free name"),
            FolderRule::KeepExisting => {
                word("keep-existing", "Give the folder that is there the next free name")
            }
            FolderRule::Rename => word("rename", "Copy under a name made by --rename-pattern"),
            FolderRule::SkipUnanswered => None,
        }
    }
}

impl ValueEnum for ForeignRule {
    fn value_variants<'a>() -> &'a [ForeignRule] {
        &[ForeignRule::Ask, ForeignRule::Map, ForeignRule::Skip]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            ForeignRule::Ask => word(
                "ask",
                "Ask at a terminal, once; elsewhere skip, and say so in the exit status",
            ),
            ForeignRule::Map => {
                word("map", "Copy under names that it takes, with _ for what it refuses")
            }
            ForeignRule::Skip => word("skip", "Do not copy them"),
            ForeignRule::SkipUnanswered => None,
        }
    }
}

impl ValueEnum for Reflink {
    fn value_variants<'a>() -> &'a [Reflink] {
        &[Reflink::Auto, Reflink::Always, Reflink::Never]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Reflink::Auto => word("auto", "Wherever the file systems can"),
            Reflink::Always => word("always", "A file that cannot be cloned fails"),
            Reflink::Never => word("never", "Make real copies"),
        }
    }
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Format] {
        &[Format::Text, Format::Csv, Format::Json]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Format::Text => word("text", "Sentences"),
            Format::Csv => word("csv", "A table"),
            Format::Json => word("json", "One object"),
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
