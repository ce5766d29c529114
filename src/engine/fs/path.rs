//! Full paths, by their text alone.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Whether a path is a full one without anything that says nothing: `//`, `/./`, a slash at its
/// end. (A name that begins with a dot makes it take the longer way.)
pub fn is_plain(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    let says_nothing = |pair: &[u8]| pair == b"//" || pair == b"/.";
    bytes.starts_with(b"/")
        && (bytes.len() == 1 || !bytes.ends_with(b"/"))
        && !bytes.windows(2).any(says_nothing)
}

/// The full path of a path; itself where there is no current folder.
pub fn absolute(path: &Path) -> PathBuf {
    if is_plain(path) {
        return path.to_path_buf();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_are_those_that_nothing_is_done_to() {
        for plain in ["/", "/a", "/a/b", "/a/b.c", "/\u{fe}"] {
            assert!(is_plain(Path::new(plain)), "{plain}");
            assert_eq!(absolute(Path::new(plain)), std::path::absolute(plain).unwrap());
            assert_eq!(Path::new(plain).components().collect::<PathBuf>(), Path::new(plain));
        }
        for other in ["", "a", "./a", "//a", "/a//b", "/a/", "/a/./b", "/a/.", "/.a", "/a/.."] {
            assert!(!is_plain(Path::new(other)), "{other}");
        }
        assert_eq!(absolute(Path::new("/a//b/./c")), Path::new("/a/b/c"));
    }
}
