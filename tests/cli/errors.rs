//! Every sentence about a failure, as a golden file: for those who change one, and for eyes.

use std::fmt::Write;

use ferry::engine::{Error, ErrorKind, Operation};
use ferry::words::error_and_remedy;

use crate::usage::golden;

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

const KINDS: [ErrorKind; 12] = [
    ErrorKind::SameFile,
    ErrorKind::IntoItself,
    ErrorKind::NotAFolder,
    ErrorKind::TypeDiffers,
    ErrorKind::NoName,
    ErrorKind::NoSources,
    ErrorKind::Changed,
    ErrorKind::Mismatch,
    ErrorKind::CannotClone,
    ErrorKind::BadName,
    ErrorKind::NotReplaced,
    ErrorKind::Internal,
];

/// One number of each cause, and one that has none.
const ERRNOS: [i32; 30] = [
    libc::ENOENT,
    libc::EACCES,
    libc::EPERM,
    libc::EEXIST,
    libc::ENOSPC,
    libc::EDQUOT,
    libc::EROFS,
    libc::EIO,
    libc::ENAMETOOLONG,
    libc::EILSEQ,
    libc::ELOOP,
    libc::EMLINK,
    libc::EMFILE,
    libc::ETXTBSY,
    libc::EBUSY,
    libc::EAGAIN,
    libc::EFBIG,
    libc::EINVAL,
    libc::ENODEV,
    libc::ENOTDIR,
    libc::EISDIR,
    libc::ENOTEMPTY,
    libc::EXDEV,
    libc::ETIMEDOUT,
    libc::ESTALE,
    libc::EOPNOTSUPP,
    libc::ENOMEM,
    libc::EUCLEAN,
    libc::ENOKEY,
    libc::EPIPE,
];

#[test]
fn every_failure_has_its_sentence() {
    let mut all = String::new();
    let mut tell = |operation, kind| {
        let sentence = error_and_remedy(&Error::new(operation, "/x", kind));
        writeln!(all, "{sentence}").unwrap();
    };
    for kind in KINDS {
        tell(Operation::Inspect, kind);
    }
    for errno in ERRNOS {
        for operation in OPERATIONS {
            tell(operation, ErrorKind::Os(errno));
        }
    }
    golden("errors.txt", &all);
}
