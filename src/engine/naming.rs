//! Names for copies: which are possible, the next other one, and those made by a pattern.
//!
//! Pure: no I/O. Names are bytes; none that is made here exceeds [`NAME_MAX`] or splits a
//! character.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::conflict::{FileFacts, FileKind};

/// The longest name a Linux file system takes, in bytes.
pub const NAME_MAX: usize = 255;

/// How names are made for what is renamed by a rule: text with `{name}` (the name without its
/// extension), `{ext}` (the extension with its dot), `{date}` and `{time}` (of the source's
/// last change, local: `2026-07-14` and `18-02-59`) and `{number}` (a number from 2 on).
///
/// Without `{number}` a name that is taken gets a number as in keeping both.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NamePattern(String);

/// Why a pattern is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It makes names without anything of the entry's own: all would be alike.
    #[error("a pattern for names needs {{name}}")]
    NoName,
    /// A brace that is none of the known words.
    #[error("a pattern for names knows {{name}}, {{ext}}, {{date}}, {{time}} and {{number}} alone")]
    UnknownWord,
    /// Text that no name can have.
    #[error("a name cannot hold / or a NUL, nor be longer than 255 bytes")]
    BadText,
}

impl Default for NamePattern {
    fn default() -> Self {
        NamePattern("{name} ({date}){ext}".to_owned())
    }
}

impl TryFrom<String> for NamePattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        if text.contains(['/', '\0']) || text.len() > NAME_MAX {
            return Err(PatternError::BadText);
        }
        let mut has_name = false;
        for part in parts(&text) {
            match part {
                Part::Unknown => return Err(PatternError::UnknownWord),
                Part::Name => has_name = true,
                _ => {}
            }
        }
        if has_name { Ok(NamePattern(text)) } else { Err(PatternError::NoName) }
    }
}

impl From<NamePattern> for String {
    fn from(pattern: NamePattern) -> String {
        pattern.0
    }
}

impl std::str::FromStr for NamePattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        text.to_owned().try_into()
    }
}

impl std::fmt::Display for NamePattern {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

enum Part<'a> {
    Text(&'a str),
    Name,
    Extension,
    Date,
    Time,
    Number,
    Unknown,
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (part, end) = match first {
            '{' => {
                let end = rest.find('}').map_or(rest.len(), |at| at + 1);
                let part = match &rest[..end] {
                    "{name}" => Part::Name,
                    "{ext}" => Part::Extension,
                    "{date}" => Part::Date,
                    "{time}" => Part::Time,
                    "{number}" => Part::Number,
                    _ => Part::Unknown,
                };
                (part, end)
            }
            '}' => (Part::Unknown, 1),
            _ => {
                let end = rest.find(['{', '}']).unwrap_or(rest.len());
                (Part::Text(&rest[..end]), end)
            }
        };
        rest = &rest[end..];
        Some(part)
    })
}

impl NamePattern {
    /// The `number`th name that it makes (from 2 on) of a name and the source's facts, in the
    /// local time zone. It may be one that no file can have: see [`name_is_possible`].
    pub fn apply(&self, name: &OsStr, facts: &FileFacts, number: u64) -> OsString {
        self.apply_in(name, facts, number, &TimeZone::system())
    }

    fn apply_in(&self, name: &OsStr, facts: &FileFacts, number: u64, zone: &TimeZone) -> OsString {
        let (stem, extension) = split(name, facts.kind);
        let moment = Timestamp::new(facts.modified_seconds, 0).map(|t| t.to_zoned(zone.clone()));
        let dated = |format: &str| match &moment {
            Ok(moment) => moment.strftime(format).to_string(),
            Err(_) => String::new(),
        };
        let mut made: Vec<Vec<u8>> = Vec::new();
        let mut names = Vec::new();
        let mut numbered = false;
        for part in parts(&self.0) {
            made.push(match part {
                Part::Text(text) => text.as_bytes().to_vec(),
                Part::Name => {
                    names.push(made.len());
                    stem.to_vec()
                }
                Part::Extension => extension.to_vec(),
                Part::Date => dated("%Y-%m-%d").into_bytes(),
                Part::Time => dated("%H-%M-%S").into_bytes(),
                Part::Number => {
                    numbered = true;
                    number.to_string().into_bytes()
                }
                Part::Unknown => Vec::new(),
            });
        }
        // What is too long is cut from the name's own part.
        let len: usize = made.iter().map(Vec::len).sum();
        let over = len.saturating_sub(NAME_MAX).div_ceil(names.len().max(1));
        for at in names {
            let keep = stem.len().saturating_sub(over);
            made[at] = cut(stem, keep).to_vec();
        }
        let whole = OsString::from_vec(made.concat());
        // The first time the name is taken as it is made.
        if numbered || number <= 2 { whole } else { other_name(&whole, facts.kind, number - 1) }
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
    let (stem, extension) = split(name, kind);
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

/// A name without its extension, and the extension with its dot.
fn split(name: &OsStr, kind: FileKind) -> (&[u8], &[u8]) {
    let bytes = name.as_bytes();
    bytes.split_at(if kind == FileKind::Folder { bytes.len() } else { stem_len(bytes) })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn made(pattern: &str, name: &str, number: u64) -> String {
        let facts = FileFacts {
            kind: FileKind::File,
            size: 0,
            modified_seconds: 1_784_000_000,
            modified_nanoseconds: 0,
        };
        let pattern: NamePattern = pattern.parse().unwrap();
        pattern.apply_in(name.as_ref(), &facts, number, &TimeZone::UTC).into_string().unwrap()
    }

    #[test]
    fn a_pattern_makes_names() {
        let cases = [
            ("{name} ({date}){ext}", "a.tar.gz", 2, "a (2026-07-14).tar.gz"),
            ("{name} ({date}){ext}", "a.tar.gz", 3, "a (2026-07-14) (2).tar.gz"),
            ("{date} {time} {name}{ext}", "b", 2, "2026-07-14 03-33-20 b"),
            ("{name}-{number}{ext}", "x.txt", 2, "x-2.txt"),
            ("{name}-{number}{ext}", "x.txt", 7, "x-7.txt"),
            ("old {name}", ".bashrc", 2, "old .bashrc"),
        ];
        for (pattern, name, number, expected) in cases {
            assert_eq!(made(pattern, name, number), expected);
        }
    }

    #[test]
    fn a_made_name_fits() {
        let long = "ü".repeat(127);
        for pattern in ["{name} ({date}){ext}", "{name}{name}{name}", "{number}{name}{ext}"] {
            for number in [2, 99] {
                let name = made(pattern, &long, number);
                assert!(name_is_possible(name.as_ref()), "{name}");
            }
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        use PatternError::{BadText, NoName, UnknownWord};
        let cases = [
            ("", NoName),
            ("{ext}", NoName),
            ("x", NoName),
            ("{name", UnknownWord),
            ("name}", UnknownWord),
            ("{name}{size}", UnknownWord),
            ("{name}{}", UnknownWord),
            ("a/{name}", BadText),
            ("{name}\0", BadText),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<NamePattern>(), Err(expected), "{text:?}");
        }
    }
}
