//! Names that FAT, exFAT, NTFS and servers of Windows may refuse, and what they become there.
//!
//! Pure: no I/O. Which file system refuses which of them is found out by trying
//! ([`super::foreign`]); a name that is made here is refused by none of them.
//!
//! The rules are those of "Naming Files, Paths, and Namespaces" in the documentation of
//! Windows, and of the drivers in Linux: vfat (`vfat_is_used_badchars`), exfat
//! (`exfat_nls_to_ucs2`), ntfs-3g with `windows_names` (`ntfs_forbidden_names`).

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::naming::{NAME_MAX, cut};

/// What stands in the place of what is refused.
const STAND_IN: char = '_';

/// Names that are devices in Windows, with any extension.
const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Whether any of these file systems may refuse a name, or change it: it is no UTF-8, has a
/// character that they refuse, ends with a dot or a space, or is reserved.
pub fn is_foreign(name: &OsStr) -> bool {
    std::str::from_utf8(name.as_bytes()).is_err() || mapped(name) != name
}

/// Whether a name ends in a way that some of them leave out without a word.
pub fn ends_badly(name: &OsStr) -> bool {
    matches!(name.as_bytes().last(), Some(b'.' | b' '))
}

/// The name that is taken in the place of one that is refused: each refused character, each
/// run of bytes that is no UTF-8 and a dot or space at the end become `_`; a reserved name gets
/// one (`aux.txt`: `aux_.txt`). It is never refused, no longer than [`NAME_MAX`] bytes, and
/// its own mapped name.
pub fn mapped(name: &OsStr) -> OsString {
    let mut text = String::with_capacity(name.len());
    for part in name.as_bytes().utf8_chunks() {
        text.extend(part.valid().chars().map(|letter| match is_refused(letter) {
            true => STAND_IN,
            false => letter,
        }));
        if !part.invalid().is_empty() {
            text.push(STAND_IN);
        }
    }
    let stem = text.find('.').unwrap_or(text.len());
    if is_reserved(&text[..stem]) {
        text.insert(stem, STAND_IN);
        text.truncate(cut(text.as_bytes(), NAME_MAX).len());
    }
    if text.ends_with(['.', ' ']) {
        let _dot_or_space = text.pop();
        text.push(STAND_IN);
    }
    text.into()
}

fn is_refused(letter: char) -> bool {
    letter < ' ' || matches!(letter, '"' | '*' | ':' | '<' | '>' | '?' | '\\' | '|' | '/')
}

/// Whether a name without its extension is that of a device: spaces at its end do not count.
fn is_reserved(stem: &str) -> bool {
    let stem = stem.trim_end_matches(' ').to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let mut number = port.unwrap_or_default().chars();
    let numbered = matches!(number.next(), Some('0'..='9' | '¹' | '²' | '³'));
    RESERVED.contains(&stem.as_str()) || (numbered && number.next().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::name_is_possible;

    #[test]
    fn what_is_refused_becomes_another_name() {
        for (name, expected) in [
            ("a:b", "a_b"),
            (r#"\:*?"<>|"#, "________"),
            ("line\nend\u{1}\u{1f}", "line_end__"),
            ("dot.", "dot_"),
            ("dots...", "dots.._"),
            ("...", ".._"),
            ("space ", "space_"),
            ("both. ", "both._"),
            ("CON", "CON_"),
            ("con.txt", "con_.txt"),
            ("Aux.tar.gz", "Aux_.tar.gz"),
            ("nul .txt", "nul _.txt"),
            ("com1", "com1_"),
            ("LPT9.x", "LPT9_.x"),
            ("com².x", "com²_.x"),
            ("CONIN$", "CONIN$_"),
            ("aux:", "aux_"),
            ("prn.", "prn__"),
        ] {
            assert!(is_foreign(name.as_ref()), "{name:?}");
            assert_eq!(mapped(name.as_ref()), expected, "{name:?}");
        }
        let bytes = OsStr::from_bytes(b"a\xff\xfeb\xc3(");
        assert!(is_foreign(bytes));
        assert_eq!(mapped(bytes), "a__b_(");
    }

    #[test]
    fn what_they_take_stays() {
        for name in [
            "a",
            ".hidden",
            " leading",
            "a.b.c",
            "console",
            "com",
            "com10",
            "com1x.txt",
            "x.con",
            "Ünïcödé 😀",
            "a_b",
            "50%; {x} [y] 'z' & #!",
            "\u{7f}",
        ] {
            assert!(!is_foreign(name.as_ref()), "{name:?}");
            assert_eq!(mapped(name.as_ref()), name, "{name:?}");
        }
    }

    #[test]
    fn a_reserved_name_of_full_length_stays_within_it() {
        let name = format!("con.{}.{}", "x".repeat(249), "y");
        assert_eq!(name.len(), 255);
        let mapped = mapped(name.as_ref());
        assert!(name_is_possible(&mapped) && !is_foreign(&mapped), "{mapped:?}");
    }

    fn names() -> impl Strategy<Value = Vec<u8>> {
        let bytes = prop::collection::vec(1_u8..=255, 1..255);
        let pieces = prop::sample::select(vec![
            "con", "aux", "COM", "1", ".", " ", ":", "?", "é", "😀", "x", "_", "\n", "\u{b9}",
        ]);
        let pieces = prop::collection::vec(pieces, 1..60).prop_map(|all| all.concat().into_bytes());
        prop_oneof![bytes, pieces].prop_map(|mut name| {
            name.retain(|byte| *byte != b'/');
            name.truncate(255);
            name
        })
    }

    proptest! {
        #[test]
        fn a_mapped_name_is_taken_everywhere_and_stays(name in names()) {
            prop_assume!(name_is_possible(OsStr::from_bytes(&name)));
            let once = mapped(OsStr::from_bytes(&name));
            prop_assert!(name_is_possible(&once));
            prop_assert!(!is_foreign(&once), "{:?}", once);
            prop_assert_eq!(mapped(&once), once.clone());
            let text = once.to_str().expect("UTF-8");
            prop_assert!(text.encode_utf16().count() <= 255);
            prop_assert!(!text.contains(is_refused) && !text.ends_with(['.', ' ']));
            prop_assert!(is_foreign(OsStr::from_bytes(&name)) || once.as_bytes() == name);
        }
    }
}
