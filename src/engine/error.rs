//! What can go wrong with an entry: the operation, the path, and the kind.
//!
//! No words for people here; [`crate::words`] makes them. The `Display` below is for logs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A failure of one operation on one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{operation:?} {path}: {kind}", path = path.display())]
pub struct Error {
    /// What was being done.
    pub operation: Operation,
    /// The file or folder it was done to.
    #[serde(with = "crate::engine::bytes::name")]
    pub path: PathBuf,
    /// Why it failed.
    pub kind: ErrorKind,
}

/// What was being done when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Looking at a source or a destination (`stat`).
    Inspect,
    /// Opening a file or folder.
    Open,
    /// Listing a folder.
    List,
    /// Reading data.
    Read,
    /// Making a folder.
    MakeFolder,
    /// Making a file, link, FIFO or device.
    Create,
    /// Writing data.
    Write,
    /// Sharing a file's data with its copy (`FICLONE`).
    Clone,
    /// Setting owner, mode, times, extended attributes or access lists.
    SetAttributes,
    /// Giving the finished file its name.
    Publish,
    /// Removing a moved source.
    Remove,
    /// Renaming (a move within one file system).
    Rename,
    /// Writing data through to the device.
    Flush,
    /// Comparing the copy with its source.
    Verify,
}

/// Why it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The system said no: an `errno` value.
    #[error("errno {0}")]
    Os(i32),
    /// Source and destination are one and the same file.
    #[error("source and destination are the same file")]
    SameFile,
    /// The destination lies inside the source folder.
    #[error("the destination is inside the source")]
    IntoItself,
    /// A folder is needed, something else is there.
    #[error("not a folder")]
    NotAFolder,
    /// A file stands where a folder should go, or the reverse.
    #[error("a file and a folder have the same name")]
    TypeDiffers,
    /// The source has no name to keep: it is the root of everything.
    #[error("the source has no name")]
    NoName,
    /// The job has no sources.
    #[error("nothing to copy")]
    NoSources,
    /// The source changed while it was read.
    #[error("the source changed while it was copied")]
    Changed,
    /// The copy reads back differently.
    #[error("the copy differs from its source")]
    Mismatch,
    /// A clone was demanded and the file systems cannot make one.
    #[error("these file systems cannot clone")]
    CannotClone,
    /// A name that no file can have (empty, `.`, `..`, with `/`, too long).
    #[error("not a possible name")]
    BadName,
    /// A folder that was to replace another one is not whole, and has another name.
    #[error("not whole, so it replaced nothing")]
    NotReplaced,
    /// The program failed at this entry: a defect of Ferry's own.
    #[error("internal failure")]
    Internal,
}

impl Error {
    /// An error of the system at a path.
    pub fn os(operation: Operation, path: impl AsRef<Path>, errno: rustix::io::Errno) -> Self {
        Self::new(operation, path, ErrorKind::Os(errno.raw_os_error()))
    }

    /// An error of any kind at a path.
    pub fn new(operation: Operation, path: impl AsRef<Path>, kind: ErrorKind) -> Self {
        Error { operation, path: path.as_ref().to_path_buf(), kind }
    }
}
