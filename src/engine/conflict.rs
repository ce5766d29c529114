//! Conflicts: what is in the way, what can be done about it, what the job remembers.
//!
//! Pure: no I/O. The engine gathers the facts of both sides, asks here, and acts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Serialize};

/// The longest name a Linux file system takes, in bytes.
pub const NAME_MAX: usize = 255;

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
    fn modified(&self) -> (i64, u32) {
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
    /// Copy under the next free name.
    KeepBoth,
}

/// What to do with one parked entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Leave both sides as they are.
    Skip,
    /// Put the source in the place of what is there.
    Replace,
    /// Replace when the source is newer, else skip.
    ReplaceIfNewer,
    /// Replace when the contents differ, else skip.
    ReplaceIfDifferent,
    /// Copy under the next free name.
    KeepBoth,
    /// Copy under this name (checked with [`name_is_possible`]).
    Rename(#[serde(with = "crate::engine::bytes::name")] OsString),
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
}

/// Questions of one class can be answered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionClass {
    /// A file (or link) where a file (or link) is.
    FileExists,
    /// A file where a folder is, or the reverse.
    TypeDiffers,
    /// Something failed.
    Failure,
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
    /// Replace what is there.
    Replace,
    /// Compare the contents first: equal means skip, different means replace.
    Compare,
    /// Find the next free name.
    KeepBoth,
}

/// What a rule says of two given sides.
///
/// A rule never puts a file in a folder's place or the reverse: contents would vanish
/// without anyone having seen the question. Such a conflict is asked about, or left.
pub fn decide(rule: ConflictRule, source: &FileFacts, existing: &FileFacts) -> Decision {
    let replaceable = source.kind != FileKind::Folder && existing.kind != FileKind::Folder;
    match rule {
        ConflictRule::Ask => Decision::Park,
        ConflictRule::Skip => Decision::Skip,
        ConflictRule::KeepBoth => Decision::KeepBoth,
        ConflictRule::SkipUnanswered => Decision::SkipUnanswered,
        _ if !replaceable => Decision::SkipUnanswered,
        ConflictRule::Replace => Decision::Replace,
        ConflictRule::Newer if source.newer_than(existing) => Decision::Replace,
        ConflictRule::Newer => Decision::Skip,
        ConflictRule::Different if source.kind != existing.kind => Decision::Replace,
        ConflictRule::Different if source.size != existing.size => Decision::Replace,
        ConflictRule::Different => Decision::Compare,
    }
}

impl Action {
    /// The standing rule that does what this action does, where there is one.
    pub fn as_rule(&self) -> Option<ConflictRule> {
        match self {
            Action::Skip => Some(ConflictRule::Skip),
            Action::Replace => Some(ConflictRule::Replace),
            Action::ReplaceIfNewer => Some(ConflictRule::Newer),
            Action::ReplaceIfDifferent => Some(ConflictRule::Different),
            Action::KeepBoth => Some(ConflictRule::KeepBoth),
            Action::Rename(_) | Action::Retry => None,
        }
    }
}

/// Whether a file can have this name: not empty, not `.` or `..`, no `/`, no NUL, at most
/// [`NAME_MAX`] bytes.
pub fn name_is_possible(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !bytes.is_empty()
        && bytes.len() <= NAME_MAX
        && bytes != b"."
        && bytes != b".."
        && !bytes.contains(&b'/')
        && !bytes.contains(&0)
}

/// The `number`th other name for a file, for keeping both: `x.txt` gives `x (2).txt`.
///
/// The extension is kept, also a double one (`x.tar.gz`); a leading dot belongs to the
/// name; a folder's name has no extension. The result never exceeds [`NAME_MAX`] bytes:
/// the stem gives way, at a character boundary where the name is UTF-8.
pub fn other_name(name: &OsStr, kind: FileKind, number: u64) -> OsString {
    let bytes = name.as_bytes();
    let stem_len = if kind == FileKind::Folder { bytes.len() } else { stem_len(bytes) };
    let (stem, extension) = bytes.split_at(stem_len);
    let tail = [format!(" ({number})").as_bytes(), extension].concat();
    let keep = stem.len().min(NAME_MAX.saturating_sub(tail.len()));
    let mut out = cut(stem, keep).to_vec();
    out.extend_from_slice(&tail);
    OsString::from_vec(out)
}

/// At most `len` bytes of a name, without splitting a character of a UTF-8 name.
pub fn cut(name: &[u8], len: usize) -> &[u8] {
    let mut end = len.min(name.len());
    if std::str::from_utf8(name).is_ok() {
        while end > 0 && end < name.len() && (name[end] & 0xC0) == 0x80 {
            end -= 1;
        }
    }
    &name[..end]
}

/// Where the extension starts: the whole length when there is none.
fn stem_len(name: &[u8]) -> usize {
    let whole = name.len();
    let dot = |end: usize| name[..end].iter().rposition(|&b| b == b'.').filter(|&at| at > 0);
    let Some(last) = dot(whole) else { return whole };
    let extension = &name[last + 1..];
    // A sentence is not an extension: "Letter. To my aunt" keeps its end.
    if extension.is_empty() || extension.len() > 16 || extension.contains(&b' ') {
        return whole;
    }
    match dot(last) {
        Some(first) if name[first + 1..last].eq_ignore_ascii_case(b"tar") => first,
        _ => last,
    }
}
