//! What `cp` and `mv` call otherwise: their options are told in Ferry's words.
//!
//! None of them is taken: `cp` without `-r` leaves folders out, and with `-f` replaces what is
//! there, so that a Ferry which took them for its own would only seem to do the same.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::engine::JobKind;

use super::arguments::usage;

/// Options of `cp` and `mv`, and what is to be said of them.
const KNOWN: [(&[&str], &str); 13] = [
    (&["-r", "-R", "--recursive"], "is not needed: folders are taken with all that is in them"),
    (
        &["-a", "--archive"],
        "is not needed: folders are taken with all that is in them, and all attributes are kept",
    ),
    (&["-p"], "is not needed: all attributes are kept (see --preserve)"),
    (
        &["-v", "--verbose"],
        "is not known: --report=FILE tells of each item that was not simply copied, --json of all \
         that happens",
    ),
    (&["-f", "--force"], "is not known: --conflict=replace replaces files that are there"),
    (
        &["-i", "--interactive"],
        "is not needed: at a terminal, names that are taken are asked about (--conflict=ask)",
    ),
    (&["-n", "--no-clobber"], "is not known: --conflict=skip leaves files that are there"),
    (&["-u", "--update"], "is not known: --conflict=newer replaces files that are older"),
    (
        &["-b", "--backup", "-S", "--suffix"],
        "is not known: replaced files are kept in the trash, and --conflict=keep-existing gives \
         them the next free name",
    ),
    (
        &["-t", "--target-directory", "-T", "--no-target-directory"],
        "is not known: the last path is the folder to put everything into",
    ),
    (&["-d", "-P", "--no-dereference"], "is not needed: symbolic links are copied as links"),
    (
        &["-L", "-H", "--dereference"],
        "is not known: symbolic links are copied as links, and none is followed",
    ),
    (
        &["-l", "--link", "-s", "--symbolic-link"],
        "is not known: copies are made, not links (--reflink shares the data of files where the \
         file systems can)",
    ),
];

/// The error of wrong usage, with what it says of an option of `cp` or `mv` in Ferry's words.
pub fn explained(arguments: &[OsString], mut error: clap::Error) -> clap::Error {
    let kind = match arguments.get(1).and_then(|word| word.to_str()) {
        Some("copy") => JobKind::Copy,
        Some("move") => JobKind::Move,
        _ => {
            // That a name can begin with a dash is of no use where no name can stand.
            if error.kind() == ErrorKind::UnknownArgument {
                let _advice = error.remove(ContextKind::Suggested);
            }
            return error;
        }
    };
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let known = KNOWN.iter().find(|(names, _)| names.contains(&option.as_str()));
    match known {
        Some((_, sentence)) if error.kind() == ErrorKind::UnknownArgument => {
            usage(kind, ErrorKind::UnknownArgument, &format!("{option} {sentence}"))
        }
        _ => error,
    }
}
