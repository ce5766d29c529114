//! File names for people: lossy where they are not UTF-8, and harmless.
//!
//! A name can hold a newline, an escape sequence for the terminal, or a mark that turns the
//! direction of the text around it. All of these are shown as what they are (`\n`, `\u{1b}`,
//! `\u{202e}`), so that a name can neither break a line nor pretend to be another.

use std::ffi::OsStr;
use std::path::Path;

/// A path, safe for a terminal and a label. A leading `./` says nothing to people.
pub fn path(path: &Path) -> String {
    let shown = path.strip_prefix(".").unwrap_or(path);
    name(if shown.as_os_str().is_empty() { path } else { shown }.as_os_str())
}

/// A file name, safe for a terminal and a label. Bytes that are not UTF-8 become `\u{fffd}`.
pub fn name(name: &OsStr) -> String {
    let lossy = name.to_string_lossy();
    if !lossy.contains(is_unsafe) {
        return lossy.into_owned();
    }
    let mut shown = String::with_capacity(lossy.len() + 8);
    for character in lossy.chars() {
        if is_unsafe(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters, and those that are invisible or reorder the text around them.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn ordinary_names_stay() {
        for ordinary in ["a b.txt", "Grüße", "日本", "e\u{301}", "'\"\\", " "] {
            assert_eq!(name(OsStr::new(ordinary)), ordinary);
        }
    }

    #[test]
    fn control_characters_are_made_visible() {
        assert_eq!(name(OsStr::new("a\nb\tc")), "a\\nb\\tc");
        assert_eq!(name(OsStr::new("\x1b[31mred")), "\\u{1b}[31mred");
        assert_eq!(name(OsStr::new("gnp.\u{202e}exe")), "gnp.\\u{202e}exe");
        assert_eq!(name(OsStr::new("\u{9b}2J")), "\\u{9b}2J");
    }

    #[test]
    fn a_path_in_the_current_folder_has_no_dot() {
        for (given, shown) in
            [("./a", "a"), ("a", "a"), (".", "."), ("..", ".."), (".a", ".a"), ("../a", "../a")]
        {
            assert_eq!(path(Path::new(given)), shown);
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(path(Path::new(OsStr::from_bytes(b"/tmp/caf\xe9"))), "/tmp/caf\u{fffd}");
    }
}
