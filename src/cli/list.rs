//! `--files-from`: a list of sources, separated by NUL, since a name can hold anything else.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Reads the list; `-` is standard input.
///
/// # Errors
/// When it cannot be opened or read.
pub fn read(list: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let _length = if list.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?
    } else {
        File::open(list)?.read_to_end(&mut bytes)?
    };
    Ok(bytes)
}

/// Where a list is, as it is told; standard input is `-`.
pub fn full(list: &Path) -> PathBuf {
    let is_file = list.as_os_str() != "-";
    is_file.then(|| std::path::absolute(list).ok()).flatten().unwrap_or_else(|| list.to_path_buf())
}

/// The names in a list; nothing between two NULs is no name.
pub fn names(bytes: &[u8]) -> impl Iterator<Item = PathBuf> {
    bytes
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(OsString::from_vec(name.to_vec())))
}

/// Whether the names seem to be separated by line ends instead.
pub fn has_lines_instead(bytes: &[u8]) -> bool {
    bytes.ends_with(b"\n") && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(bytes: &[u8]) -> Vec<PathBuf> {
        names(bytes).collect()
    }

    #[test]
    fn names_are_separated_by_nul_alone() {
        assert_eq!(listed(b""), [] as [PathBuf; 0]);
        assert_eq!(listed(b"\0\0"), [] as [PathBuf; 0]);
        assert_eq!(listed(b"a\0b c\n"), [PathBuf::from("a"), PathBuf::from("b c\n")]);
        assert_eq!(listed(b"a\0"), [PathBuf::from("a")]);
        let strange = PathBuf::from(OsString::from_vec(b"\xff".to_vec()));
        assert_eq!(listed(b"\xff\0"), [strange]);
    }

    #[test]
    fn lines_are_noticed() {
        assert!(has_lines_instead(b"a\nb\n"));
        assert!(!has_lines_instead(b"a\nb\n\0"));
        assert!(!has_lines_instead(b"a\nb"));
    }
}
