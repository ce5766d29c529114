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
    /// The destination has no symbolic links.
    #[error("this file system has no symbolic links")]
    NoLinks,
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

/// What an `errno` comes to for a copier: those that mean the same to people are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It, or what it lies in, is not there.
    NotThere,
    /// The user lacks permission.
    Permission,
    /// Nobody, or only its owner, may do it.
    NotAllowed,
    /// Something of that name is there.
    Exists,
    /// The device is full.
    NoSpace,
    /// The user's quota is used up.
    Quota,
    /// The file system is read-only.
    ReadOnly,
    /// The device reports a fault.
    DeviceFault,
    /// The name is too long.
    NameTooLong,
    /// The file system cannot store the name.
    NameRefused,
    /// A symbolic link stands in the way, or links lead in a circle.
    LinkInTheWay,
    /// The file has as many names as it can have.
    TooManyLinks,
    /// Too many files are open.
    TooManyOpen,
    /// The program in it is running.
    Running,
    /// It is in use.
    Busy,
    /// It was not ready, or a signal came between.
    TryAgain,
    /// The file is too large for the file system.
    TooLarge,
    /// The file system refuses what it was told to do.
    Invalid,
    /// The device is gone.
    DeviceGone,
    /// A part of the path is no folder.
    NotAFolderThere,
    /// A folder is there.
    IsAFolder,
    /// The folder holds something.
    NotEmpty,
    /// It lies on another file system.
    OtherFileSystem,
    /// There was no answer in time.
    NoAnswer,
    /// The connection to a server is lost.
    ConnectionLost,
    /// The file system cannot do it.
    NotSupported,
    /// The machine has run out of memory.
    NoMemory,
    /// The file system is damaged.
    Damaged,
    /// The encryption key is missing.
    NoKey,
}

impl Cause {
    /// The cause that a number of the system stands for; `None` of one that no copier meets.
    pub fn of(errno: i32) -> Option<Cause> {
        Some(match errno {
            libc::ENOENT => Cause::NotThere,
            libc::EACCES => Cause::Permission,
            libc::EPERM => Cause::NotAllowed,
            libc::EEXIST => Cause::Exists,
            libc::ENOSPC => Cause::NoSpace,
            libc::EDQUOT => Cause::Quota,
            libc::EROFS => Cause::ReadOnly,
            libc::EIO | libc::EREMOTEIO | libc::ENODATA => Cause::DeviceFault,
            libc::ENAMETOOLONG => Cause::NameTooLong,
            libc::EILSEQ => Cause::NameRefused,
            libc::ELOOP => Cause::LinkInTheWay,
            libc::EMLINK => Cause::TooManyLinks,
            libc::EMFILE | libc::ENFILE => Cause::TooManyOpen,
            libc::ETXTBSY => Cause::Running,
            libc::EBUSY => Cause::Busy,
            libc::EAGAIN | libc::EINTR => Cause::TryAgain,
            libc::EFBIG | libc::EOVERFLOW => Cause::TooLarge,
            libc::EINVAL => Cause::Invalid,
            libc::ENODEV | libc::ENXIO | libc::ENOMEDIUM | libc::ESHUTDOWN => Cause::DeviceGone,
            libc::ENOTDIR => Cause::NotAFolderThere,
            libc::EISDIR => Cause::IsAFolder,
            libc::ENOTEMPTY => Cause::NotEmpty,
            libc::EXDEV => Cause::OtherFileSystem,
            libc::ETIMEDOUT => Cause::NoAnswer,
            libc::ESTALE
            | libc::ENOTCONN
            | libc::ECONNREFUSED
            | libc::ECONNRESET
            | libc::ECONNABORTED
            | libc::EHOSTDOWN
            | libc::EHOSTUNREACH
            | libc::ENETDOWN
            | libc::ENETUNREACH => Cause::ConnectionLost,
            libc::EOPNOTSUPP | libc::ENOSYS | libc::ENOTTY => Cause::NotSupported,
            libc::ENOMEM | libc::ENOBUFS => Cause::NoMemory,
            libc::EUCLEAN | libc::EBADMSG => Cause::Damaged,
            libc::ENOKEY | libc::EKEYEXPIRED | libc::EKEYREVOKED => Cause::NoKey,
            _ => return None,
        })
    }

    /// Whether what failed may go well another time, without anybody doing anything.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Cause::DeviceFault
                | Cause::TryAgain
                | Cause::Busy
                | Cause::Running
                | Cause::TooManyOpen
                | Cause::NoMemory
                | Cause::NoAnswer
                | Cause::ConnectionLost
        )
    }
}
