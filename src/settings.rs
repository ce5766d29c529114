//! The standing wishes of the user: `ferry/settings.json` in the configuration folder of the
//! session, read by both faces.
//!
//! A missing file is none; what is unknown or wrong in it is told and left out, and never
//! keeps Ferry from its work.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::engine::{ConflictRule, FolderRule, NamePattern, Options};
use crate::words::{self, args, text_with};

/// What the user has settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// For files whose name is taken.
    pub conflict: Option<ConflictRule>,
    /// For folders that meet a folder.
    pub folder_conflict: Option<FolderRule>,
    /// The names that renaming by rule gives.
    pub rename_pattern: Option<NamePattern>,
}

/// Settings, and what is wrong with them, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// What could be read.
    pub settings: Settings,
    /// What could not.
    pub complaints: Vec<String>,
}

/// Reads the user's settings.
pub fn load() -> Loaded {
    file().map(|path| load_from(&path)).unwrap_or_default()
}

/// Where the settings are; `None` in a session without a home.
fn file() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("ferry/settings.json"))
}

fn load_from(path: &Path) -> Loaded {
    let complaint = |id: &str, what: &str| {
        let shown = words::path(path);
        text_with(id, &args([("path", shown.into()), ("what", what.to_owned().into())]))
    };
    let only = |complaint| Loaded { complaints: vec![complaint], ..Loaded::default() };
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Loaded::default(),
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(libc::EIO);
            return only(complaint("settings-unreadable", &words::system_words(errno)));
        }
    };
    let fields = match serde_json::from_slice(&text) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return only(complaint("settings-broken", "{")),
        Err(error) => return only(complaint("settings-broken", &error.to_string())),
    };
    let mut loaded = Loaded::default();
    for (name, value) in fields {
        let Loaded { settings, complaints } = &mut loaded;
        let known = match name.as_str() {
            "conflict" => {
                read(value, &mut settings.conflict, |rule| *rule != ConflictRule::SkipUnanswered)
            }
            "folder_conflict" => read(value, &mut settings.folder_conflict, |rule| {
                *rule != FolderRule::SkipUnanswered
            }),
            "rename_pattern" => read(value, &mut settings.rename_pattern, |_| true),
            _ => {
                complaints.push(complaint("settings-unknown", &shown(&name)));
                continue;
            }
        };
        if !known {
            complaints.push(complaint("settings-wrong", &shown(&name)));
        }
    }
    loaded
}

fn shown(name: &str) -> String {
    words::name(name.as_ref())
}

/// Reads one setting; whether it has a value that can be. Rules are written as on the command
/// line or as in JSON: `keep-both`, `keep_both`.
fn read<T: DeserializeOwned>(
    value: Value,
    into: &mut Option<T>,
    allowed: impl Fn(&T) -> bool,
) -> bool {
    let as_written = serde_json::from_value(value.clone()).ok();
    let with_lines = || {
        let text = value.as_str()?.replace('-', "_");
        serde_json::from_value(Value::String(text)).ok()
    };
    *into = as_written.or_else(with_lines).filter(allowed);
    into.is_some()
}

impl Settings {
    /// What a job begins with where nothing else is said.
    pub fn options(&self) -> Options {
        Options {
            conflict: self.conflict.unwrap_or_default(),
            folder_conflict: self.folder_conflict.unwrap_or_default(),
            rename_pattern: self.rename_pattern.clone().unwrap_or_default(),
            ..Options::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Loaded {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        load_from(file.path())
    }

    #[test]
    fn settings_are_read() {
        let Loaded { settings, complaints } = loaded(
            r#"{"conflict": "keep-both", "folder_conflict": "keep_existing",
                "rename_pattern": "{name}-{number}{ext}"}"#,
        );
        assert_eq!(complaints, [""; 0]);
        assert_eq!(settings.conflict, Some(ConflictRule::KeepBoth));
        assert_eq!(settings.folder_conflict, Some(FolderRule::KeepExisting));
        assert_eq!(settings.rename_pattern.unwrap().to_string(), "{name}-{number}{ext}");
    }

    #[test]
    fn no_file_is_no_complaint() {
        assert_eq!(load_from(Path::new("/nonexistent/settings.json")), Loaded::default());
    }

    #[test]
    fn what_is_wrong_is_told_and_the_rest_is_used() {
        for (text, told) in [
            (r#"{"conflict": "skip", "colour": "red"}"#, "colour"),
            (r#"{"conflict": "skip", "folder_conflict": "burn"}"#, "folder_conflict"),
            (r#"{"conflict": "skip", "folder_conflict": "skip_unanswered"}"#, "folder_conflict"),
            (r#"{"conflict": "skip", "rename_pattern": "{x}"}"#, "rename_pattern"),
            (r#"{"conflict": "skip", "rename_pattern": 7}"#, "rename_pattern"),
        ] {
            let Loaded { settings, complaints } = loaded(text);
            assert_eq!(
                settings,
                Settings { conflict: Some(ConflictRule::Skip), ..Settings::default() }
            );
            assert_eq!(complaints.len(), 1, "{complaints:?}");
            assert!(complaints[0].contains(told), "{complaints:?}");
        }
        for broken in ["", "{", "[]", "7", "{\"conflict\"}", "\0"] {
            let Loaded { settings, complaints } = loaded(broken);
            assert_eq!(settings, Settings::default(), "{broken}");
            assert_eq!(complaints.len(), 1, "{broken}");
        }
    }
}
