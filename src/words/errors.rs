//! Errors as one plain sentence each: what failed, on which file, why, and what helps.
//!
//! The number of an error of the system is never shown: those that a copier meets have words
//! in `common.ftl` (which may depend on the operation: the same `EINVAL` means a bad name
//! when a file is made and a refused attribute later), the others have the system's own.

use crate::engine::{Cause, Error, ErrorKind, Operation};

use super::{args, path, text_with};

/// What failed, on which file, and why.
pub fn error(error: &Error) -> String {
    let path = path(&error.path);
    let operation = operation_id(error.operation);
    let ErrorKind::Os(errno) = error.kind else {
        let id = format!("error-{}", kind_id(error.kind).unwrap_or("internal"));
        return text_with(&id, &args([("path", path.into()), ("operation", operation.into())]));
    };
    let reason = match Cause::of(errno).map(cause_id) {
        Some(id) => text_with(&format!("reason-{id}"), &args([("operation", operation.into())])),
        None => system_words(errno),
    };
    let args = args([("path", path.into()), ("reason", reason.into())]);
    text_with(&format!("failed-{operation}"), &args)
}

/// What can be done about it, where something can.
pub fn remedy(error: &Error) -> Option<String> {
    let id = match error.kind {
        ErrorKind::Os(errno) => Cause::of(errno).map_or("unknown", cause_id),
        kind => kind_id(kind)?,
    };
    let id = format!("remedy-{id}");
    let operation = operation_id(error.operation);
    let sentence = text_with(&id, &args([("operation", operation.into())]));
    (sentence != id && !sentence.is_empty()).then_some(sentence)
}

/// What failed and why, and what can be done.
pub fn error_and_remedy(error: &Error) -> String {
    let told = self::error(error);
    remedy(error).map_or_else(|| told.clone(), |remedy| format!("{told} {remedy}"))
}

/// The system's own words for an error, without its number.
pub fn system_words(errno: i32) -> String {
    let words = std::io::Error::from_raw_os_error(errno).to_string();
    let end = words.find(" (os error").unwrap_or(words.len());
    words[..end].to_lowercase()
}

fn operation_id(operation: Operation) -> &'static str {
    match operation {
        Operation::Inspect => "inspect",
        Operation::Open => "open",
        Operation::List => "list",
        Operation::Read => "read",
        Operation::MakeFolder => "make-folder",
        Operation::Create => "create",
        Operation::Write => "write",
        Operation::Clone => "clone",
        Operation::SetAttributes => "set-attributes",
        Operation::Publish => "publish",
        Operation::Remove => "remove",
        Operation::Rename => "rename",
        Operation::Flush => "flush",
        Operation::Verify => "verify",
    }
}

/// `None` for the system's errors, which have an id for each number.
fn kind_id(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::Os(_) => return None,
        ErrorKind::SameFile => "same-file",
        ErrorKind::IntoItself => "into-itself",
        ErrorKind::NotAFolder => "not-a-folder",
        ErrorKind::TypeDiffers => "type-differs",
        ErrorKind::NoName => "no-name",
        ErrorKind::NoSources => "no-sources",
        ErrorKind::Changed => "changed",
        ErrorKind::Mismatch => "mismatch",
        ErrorKind::CannotClone => "cannot-clone",
        ErrorKind::NoLinks => "no-links",
        ErrorKind::BadName => "bad-name",
        ErrorKind::NotReplaced => "not-replaced",
        ErrorKind::Internal => "internal",
    })
}

fn cause_id(cause: Cause) -> &'static str {
    match cause {
        Cause::NotThere => "not-there",
        Cause::Permission => "permission",
        Cause::NotAllowed => "not-allowed",
        Cause::Exists => "exists",
        Cause::NoSpace => "no-space",
        Cause::Quota => "quota",
        Cause::ReadOnly => "read-only",
        Cause::DeviceFault => "device-fault",
        Cause::NameTooLong => "name-too-long",
        Cause::NameRefused => "name-refused",
        Cause::LinkInTheWay => "link-in-the-way",
        Cause::TooManyLinks => "too-many-links",
        Cause::TooManyOpen => "too-many-open",
        Cause::Running => "running",
        Cause::Busy => "busy",
        Cause::TryAgain => "try-again",
        Cause::TooLarge => "too-large",
        Cause::Invalid => "invalid",
        Cause::DeviceGone => "device-gone",
        Cause::NotAFolderThere => "not-a-folder-there",
        Cause::IsAFolder => "is-a-folder",
        Cause::NotEmpty => "not-empty",
        Cause::OtherFileSystem => "other-file-system",
        Cause::NoAnswer => "no-answer",
        Cause::ConnectionLost => "connection-lost",
        Cause::NotSupported => "not-supported",
        Cause::NoMemory => "no-memory",
        Cause::Damaged => "damaged",
        Cause::NoKey => "no-key",
    }
}

#[cfg(test)]
mod tests {
    use super::super::exists;
    use super::*;

    const OPERATIONS: [Operation; 14] = [
        Operation::Inspect,
        Operation::Open,
        Operation::List,
        Operation::Read,
        Operation::MakeFolder,
        Operation::Create,
        Operation::Write,
        Operation::Clone,
        Operation::SetAttributes,
        Operation::Publish,
        Operation::Remove,
        Operation::Rename,
        Operation::Flush,
        Operation::Verify,
    ];

    const KINDS: [ErrorKind; 13] = [
        ErrorKind::SameFile,
        ErrorKind::IntoItself,
        ErrorKind::NotAFolder,
        ErrorKind::TypeDiffers,
        ErrorKind::NoName,
        ErrorKind::NoSources,
        ErrorKind::Changed,
        ErrorKind::Mismatch,
        ErrorKind::CannotClone,
        ErrorKind::NoLinks,
        ErrorKind::BadName,
        ErrorKind::NotReplaced,
        ErrorKind::Internal,
    ];

    #[test]
    fn every_operation_has_words() {
        for operation in OPERATIONS {
            assert!(exists(&format!("failed-{}", operation_id(operation))), "{operation:?}");
        }
    }

    #[test]
    fn every_kind_has_words_that_name_the_file() {
        for kind in KINDS {
            let words = error(&Error::new(Operation::Open, "/some/file", kind));
            assert!(!words.starts_with("error-"), "{kind:?}: {words}");
            assert!(kind == ErrorKind::NoSources || words.contains("/some/file"), "{words}");
            assert!(remedy(&Error::new(Operation::Open, "/some/file", kind)).is_some(), "{kind:?}");
        }
    }

    #[test]
    fn every_errno_has_words_and_names_the_file() {
        for errno in 1..134 {
            for operation in OPERATIONS {
                let error = Error::new(operation, "/some/file", ErrorKind::Os(errno));
                let words = super::error(&error);
                assert!(words.contains("/some/file"), "{errno}: {words}");
                assert!(
                    !words.contains("reason-") && !words.contains("os error"),
                    "{errno}: {words}"
                );
                assert!(words.ends_with('.') && !words.ends_with(".."), "{errno}: {words}");
                assert!(remedy(&error).is_some_and(|it| it.ends_with('.')), "{errno}: {words}");
            }
        }
    }

    #[test]
    fn the_errors_that_a_copier_meets_have_words_of_ferrys_own() {
        use libc::*;
        for errno in [
            ENOENT,
            EACCES,
            EPERM,
            ENOSPC,
            EDQUOT,
            EROFS,
            EIO,
            ENAMETOOLONG,
            ELOOP,
            EMFILE,
            ETXTBSY,
            EBUSY,
            ESTALE,
            EFBIG,
            EINVAL,
            ENODEV,
            ENXIO,
            ENOTDIR,
            EISDIR,
            EXDEV,
            ETIMEDOUT,
            EOPNOTSUPP,
            ENOMEM,
            EEXIST,
            ENOTEMPTY,
            EMLINK,
            ENOSYS,
            EUCLEAN,
        ] {
            let cause = Cause::of(errno).unwrap_or_else(|| panic!("{errno} has no words"));
            let id = cause_id(cause);
            assert!(exists(&format!("reason-{id}")), "reason-{id}");
        }
    }

    /// Each sentence with its remedy says what really failed: on a source nothing is written,
    /// at the destination nothing is read, and what happens on both sides names neither.
    #[test]
    fn remedies_are_about_what_failed() {
        use Operation::*;
        let told = |operation, errno| {
            let error = Error::new(operation, "/x", ErrorKind::Os(errno));
            let remedy = remedy(&error).unwrap_or_default();
            format!("{} {remedy}", super::error(&error)).to_lowercase()
        };
        for operation in OPERATIONS {
            for errno in 1..134 {
                let words = told(operation, errno);
                let (reads, writes) = match operation {
                    List | Read | Verify => (true, false),
                    MakeFolder | Create | Write | Clone | Publish | Flush => (false, true),
                    SetAttributes | Remove | Rename | Inspect | Open => (false, false),
                };
                let to_read =
                    words.contains("permission to read") || words.contains("could not read");
                let to_write = words.contains("may write to");
                let what = format!("{operation:?}, errno {errno}: {words}");
                assert!(reads || !to_read, "{what}");
                assert!(writes || !to_write, "{what}");
                let new = matches!(operation, MakeFolder | Create | Publish);
                assert!(!new || !words.contains("no longer there"), "{what}");
            }
        }
        let table = [
            (Remove, libc::EACCES, "the folder that it lies in"),
            (Remove, libc::EROFS, "copy it instead of moving it"),
            (Rename, libc::EACCES, "the folder that it lies in"),
            (Rename, libc::EROFS, "mount the file system"),
            (Create, libc::EACCES, "a folder that you may write to"),
            (Publish, libc::EACCES, "a folder that you may write to"),
            (MakeFolder, libc::EACCES, "a folder that you may write to"),
            (Create, libc::EROFS, "choose another destination"),
            (Read, libc::EACCES, "permission to read it"),
            (List, libc::EACCES, "permission to read it"),
            (Open, libc::EACCES, "permission to open it"),
            (Inspect, libc::EACCES, "look into the folder"),
            (Inspect, libc::ENOENT, "there is no such file or folder"),
            (Create, libc::ENOENT, "the folder that it is to lie in is not there"),
            (Open, libc::ENOENT, "no longer there"),
            (Write, libc::ENOSPC, "make room"),
            (Create, libc::EINVAL, "refuses this name"),
            (SetAttributes, libc::EINVAL, "refuses these attributes"),
        ];
        for (operation, errno, part) in table {
            let words = told(operation, errno);
            assert!(words.contains(part), "{operation:?}, errno {errno}: {words}");
        }
    }

    #[test]
    fn a_sentence_reads_well() {
        let error = Error::new(Operation::Read, "/a/b", ErrorKind::Os(libc::EACCES));
        assert_eq!(super::error(&error), "Could not read “/a/b”: you do not have permission.");
        assert!(remedy(&error).is_some());
    }

    #[test]
    fn the_same_errno_means_different_things_to_different_operations() {
        let words = |operation| error(&Error::new(operation, "x", ErrorKind::Os(libc::EINVAL)));
        assert_ne!(
            words(Operation::Create).split(':').next_back(),
            words(Operation::Read).split(':').next_back()
        );
    }
}
