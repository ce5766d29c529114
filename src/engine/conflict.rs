//! Conflicts: what is in the way, what can be done about it, what the job remembers.
//!
//! Pure: no I/O. The engine gathers the facts of both sides, asks here, and acts.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

use super::naming::{NamePattern, name_is_possible};

/// What a file system entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
}

impl FileKind {
    const ALL: [FileKind; 6] = [
        FileKind::File,
        FileKind::Folder,
        FileKind::Link,
        FileKind::Fifo,
        FileKind::Socket,
        FileKind::Device,
    ];

    /// The kind with this number (`kind as u8`).
    pub(crate) fn from_number(number: u8) -> FileKind {
        Self::ALL[usize::from(number)]
    }
}

/// What is known of one side of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes (of a folder: 0).
    pub size: u64,
    /// When its contents last changed: seconds since 1970, UTC.
    pub modified_seconds: i64,
    /// The part of a second of that time, in nanoseconds.
    pub modified_nanoseconds: u32,
}

impl FileFacts {
    /// When its contents last changed.
    pub fn modified(&self) -> (i64, u32) {
        (self.modified_seconds, self.modified_nanoseconds)
    }

    /// Whether this side's contents changed later than the other's.
    pub fn newer_than(&self, other: &FileFacts) -> bool {
        self.modified() > other.modified()
    }
}

/// The job's standing rule for files whose name is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictRule {
    /// Park the entry and ask.
    #[default]
    Ask,
    /// Leave what is there; an explicit wish, so the entry is done.
    Skip,
    /// Leave what is there because nobody could be asked; the entry is not done.
    SkipUnanswered,
    /// Put the source in its place.
    Replace,
    /// Replace when the source is newer, else skip.
    Newer,
    /// Replace when the contents differ, else skip.
    Different,
    /// Replace when size or time differ, else skip.
    SizeOrTime,
    /// Copy under the next free name.
    KeepBoth,
    /// Give what is there the next free name, and the source its own.
    KeepExisting,
    /// Copy under a name made by the job's [`NamePattern`].
    Rename,
}

/// The job's standing rule for folders that meet a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderRule {
    /// Copy into the folder that is there; its files are ruled by [`ConflictRule`].
    #[default]
    Merge,
    /// Park the folder and ask.
    Ask,
    /// Leave the folder that is there, and do not copy this one.
    Skip,
    /// As `Skip`, because nobody could be asked; the folder is not done.
    SkipUnanswered,
    /// Exchange the folder that is there for the new one, once that is whole; the old one
    /// goes to the trash.
    Replace,
    /// Copy under the next free name.
    KeepBoth,
    /// Give the folder that is there the next free name, and the new one its own.
    KeepExisting,
    /// Copy under a name made by the job's [`NamePattern`].
    Rename,
}

/// The job's standing rule for names that the destination's file system refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignRule {
    /// Park the entries concerned and ask, once for all of them.
    #[default]
    Ask,
    /// Copy under the name that [`super::mapped`] makes.
    Map,
    /// Do not copy them; an explicit wish, so the entry is done.
    Skip,
    /// As `Skip`, because nobody could be asked; the entry is not done.
    SkipUnanswered,
}

/// What to do with one parked entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Leave both sides as they are.
    Skip,
    /// Copy a folder into the folder that is there.
    Merge,
    /// Put the source in the place of what is there.
    Replace,
    /// Replace when the source is newer, else skip.
    ReplaceIfNewer,
    /// Replace when the contents differ, else skip.
    ReplaceIfDifferent,
    /// Replace when size or time differ, else skip.
    ReplaceIfSizeOrTime,
    /// Copy under the next free name.
    KeepBoth,
    /// Give what is there the next free name, and the source its own.
    KeepExisting,
    /// Copy under this name (checked with [`name_is_possible`]).
    Rename(#[serde(with = "crate::engine::bytes::name")] OsString),
    /// Copy under a name made by this pattern.
    RenameBy(NamePattern),
    /// Copy under a name that the destination takes.
    MapName,
    /// Try a failed entry again.
    Retry,
}

/// Which entries an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The one that was asked about.
    This,
    /// All of the same [`QuestionClass`] in this job: those parked now, and for conflicts
    /// those that come later.
    AllOfKind,
    /// All conflicts of this job that the action is an answer to, of whatever class. `Replace`
    /// said of a file replaces no folder, and said of a folder no file.
    All,
}

/// Questions of one class can be answered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionClass {
    /// A file (or link) where a file (or link) is.
    FileExists,
    /// A folder where a folder is.
    FolderExists,
    /// A file where a folder is, or the reverse.
    TypeDiffers,
    /// Two sources of the job come to one name: what is there was made by this job.
    SourcesMeet,
    /// The destination's file system refuses the name.
    ForeignName,
    /// Something failed.
    Failure,
}

/// What a question is about, as far as its answers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its class.
    pub class: QuestionClass,
    /// Both sides are folders.
    pub folders: bool,
    /// Both sides are one and the same file or folder.
    pub same_file: bool,
}

impl Subject {
    /// The subject of a conflict between two sides.
    pub fn of(
        source: &FileFacts,
        existing: &FileFacts,
        same_file: bool,
        sources_meet: bool,
    ) -> Subject {
        let (ours, theirs) = (source.kind == FileKind::Folder, existing.kind == FileKind::Folder);
        let class = match (ours, theirs) {
            _ if sources_meet => QuestionClass::SourcesMeet,
            (true, true) => QuestionClass::FolderExists,
            (false, false) => QuestionClass::FileExists,
            _ => QuestionClass::TypeDiffers,
        };
        Subject { class, folders: ours && theirs, same_file }
    }

    /// A failure.
    pub const FAILURE: Subject =
        Subject { class: QuestionClass::Failure, folders: false, same_file: false };

    /// A name that is refused.
    pub const FOREIGN_NAME: Subject =
        Subject { class: QuestionClass::ForeignName, folders: false, same_file: false };

    /// Whether an action is an answer to it. A folder is never replaced by a file, nor the
    /// reverse; nothing replaces itself; of two sources of the job none replaces the other; a
    /// failure can be tried again or skipped.
    pub fn allows(self, action: &Action) -> bool {
        use QuestionClass::{Failure, FileExists, FolderExists, ForeignName, SourcesMeet};
        match action {
            Action::Skip => true,
            Action::Retry => self.class == Failure,
            Action::MapName => self.class == ForeignName,
            _ if matches!(self.class, Failure | ForeignName) => false,
            Action::KeepBoth | Action::RenameBy(_) => true,
            Action::Rename(name) => name_is_possible(name),
            _ if self.same_file => false,
            Action::KeepExisting => self.class != SourcesMeet,
            Action::Merge => self.folders,
            Action::Replace => matches!(self.class, FileExists | FolderExists),
            Action::ReplaceIfNewer | Action::ReplaceIfDifferent | Action::ReplaceIfSizeOrTime => {
                self.class == FileExists
            }
        }
    }

    /// Whether it is about a name that is taken.
    pub fn is_conflict(self) -> bool {
        !matches!(self.class, QuestionClass::Failure | QuestionClass::ForeignName)
    }

    /// Whether an answer to this one is an answer to another one too.
    pub fn reaches(self, other: Subject, action: &Action, scope: Scope) -> bool {
        let reached = match scope {
            Scope::This => false,
            Scope::AllOfKind => self.class == other.class,
            Scope::All => {
                let conflicts = [self, other].map(Subject::is_conflict);
                let replaces = *action == Action::Replace;
                let alike = self.class == other.class || conflicts == [true, true];
                alike && (!replaces || self.folders == other.folders)
            }
        };
        // One name is for one entry.
        reached && !matches!(action, Action::Rename(_)) && other.allows(action)
    }
}

/// What the engine does with an entry whose name is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Ask about it.
    Park,
    /// Leave it; done.
    Skip,
    /// Leave it; not done, since nobody could be asked.
    SkipUnanswered,
    /// Copy into the folder that is there.
    Merge,
    /// Replace what is there.
    Replace,
    /// Compare the contents first: equal means skip, different means replace.
    Compare,
    /// Find the next free name.
    KeepBoth,
    /// Find the next free name for what is there.
    KeepExisting,
    /// Make a name by the pattern.
    Rename,
}

/// What a rule says of two given sides that are not both folders.
///
/// A rule never puts a file in a folder's place or the reverse: contents would vanish
/// without anyone having seen the question. Such a conflict is asked about, or left.
pub fn decide(rule: ConflictRule, source: &FileFacts, existing: &FileFacts) -> Decision {
    let replaceable = source.kind != FileKind::Folder && existing.kind != FileKind::Folder;
    match rule {
        ConflictRule::Ask => Decision::Park,
        ConflictRule::Skip => Decision::Skip,
        ConflictRule::KeepBoth => Decision::KeepBoth,
        ConflictRule::KeepExisting => Decision::KeepExisting,
        ConflictRule::Rename => Decision::Rename,
        ConflictRule::SkipUnanswered => Decision::SkipUnanswered,
        _ if !replaceable => Decision::SkipUnanswered,
        ConflictRule::Replace => Decision::Replace,
        ConflictRule::Newer if source.newer_than(existing) => Decision::Replace,
        ConflictRule::Newer => Decision::Skip,
        ConflictRule::SizeOrTime if source == existing => Decision::Skip,
        ConflictRule::SizeOrTime => Decision::Replace,
        ConflictRule::Different if source.kind != existing.kind => Decision::Replace,
        ConflictRule::Different if source.size != existing.size => Decision::Replace,
        ConflictRule::Different => Decision::Compare,
    }
}

/// What a rule says of a folder that meets a folder.
pub fn decide_folder(rule: FolderRule) -> Decision {
    match rule {
        FolderRule::Ask => Decision::Park,
        FolderRule::Merge => Decision::Merge,
        FolderRule::Skip => Decision::Skip,
        FolderRule::SkipUnanswered => Decision::SkipUnanswered,
        FolderRule::Replace => Decision::Replace,
        FolderRule::KeepBoth => Decision::KeepBoth,
        FolderRule::KeepExisting => Decision::KeepExisting,
        FolderRule::Rename => Decision::Rename,
    }
}

impl Action {
    /// The standing rule for files that does what this action does, where there is one.
    pub fn as_rule(&self) -> Option<ConflictRule> {
        match self {
            Action::Skip => Some(ConflictRule::Skip),
            Action::Replace => Some(ConflictRule::Replace),
            Action::ReplaceIfNewer => Some(ConflictRule::Newer),
            Action::ReplaceIfDifferent => Some(ConflictRule::Different),
            Action::ReplaceIfSizeOrTime => Some(ConflictRule::SizeOrTime),
            Action::KeepBoth => Some(ConflictRule::KeepBoth),
            Action::KeepExisting => Some(ConflictRule::KeepExisting),
            Action::RenameBy(_) => Some(ConflictRule::Rename),
            Action::Merge | Action::Rename(_) | Action::MapName | Action::Retry => None,
        }
    }

    /// The standing rule for refused names that does what this action does.
    pub fn as_foreign_rule(&self) -> Option<ForeignRule> {
        match self {
            Action::MapName => Some(ForeignRule::Map),
            Action::Skip => Some(ForeignRule::Skip),
            _ => None,
        }
    }

    /// The standing rule for folders that does what this action does, where there is one.
    pub fn as_folder_rule(&self) -> Option<FolderRule> {
        match self {
            Action::Skip => Some(FolderRule::Skip),
            Action::Merge => Some(FolderRule::Merge),
            Action::Replace => Some(FolderRule::Replace),
            Action::KeepBoth => Some(FolderRule::KeepBoth),
            Action::KeepExisting => Some(FolderRule::KeepExisting),
            Action::RenameBy(_) => Some(FolderRule::Rename),
            Action::ReplaceIfNewer
            | Action::ReplaceIfDifferent
            | Action::ReplaceIfSizeOrTime
            | Action::Rename(_)
            | Action::MapName
            | Action::Retry => None,
        }
    }
}
