//! The settings' file: read field by field, and written so that it is whole at any moment.
//!
//! Only what has changed is written: fields that this Ferry does not know, or that somebody has
//! edited meanwhile, stay as they are. A file that is no settings at all is never written over.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Loaded, MOST_WORKERS, Settings, Workers, keep_replaced};
use crate::engine::{ConflictRule, FolderRule, ForeignRule, KeepReplaced, Preserve};
use crate::words::{self, args, text, text_with};

type Fields = Map<String, Value>;

/// Reads the user's settings.
pub fn load() -> Loaded {
    place().map(|path| load_from(&path)).unwrap_or_default()
}

/// Where the settings are; `None` in a session without a home.
fn place() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("ferry/settings.json"))
}

/// Why there are no fields to be read.
enum Unread {
    Broken(String),
    Unreadable(String),
}

/// The fields of the file; none where there is no file.
fn fields(path: &Path) -> Result<Fields, Unread> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Fields::new()),
        Err(error) => return Err(Unread::Unreadable(system_words(&error))),
    };
    match serde_json::from_slice(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Unread::Broken(words::text("settings-no-braces"))),
        Err(error) => Err(Unread::Broken(error.to_string())),
    }
}

fn system_words(error: &io::Error) -> String {
    words::system_words(error.raw_os_error().unwrap_or(libc::EIO))
}

fn complaint(id: &str, path: &Path, what: &str) -> String {
    let shown = words::path(path);
    text_with(id, &args([("path", shown.into()), ("what", what.to_owned().into())]))
}

/// Reads settings from a file.
pub fn load_from(path: &Path) -> Loaded {
    let mut loaded = Loaded { file: Some(path.to_path_buf()), ..Loaded::default() };
    let fields = match fields(path) {
        Ok(fields) => fields,
        Err(why) => {
            let (id, what) = match &why {
                Unread::Broken(what) => ("settings-broken", what),
                Unread::Unreadable(what) => ("settings-unreadable", what),
            };
            loaded.complaints.push(complaint(id, path, what));
            loaded.broken = matches!(why, Unread::Broken(_));
            return loaded;
        }
    };
    for (name, value) in fields {
        let Loaded { settings, complaints, .. } = &mut loaded;
        let known = match name.as_str() {
            "conflict" => {
                read(value, &mut settings.conflict, |rule| *rule != ConflictRule::SkipUnanswered)
            }
            "folder_conflict" => read(value, &mut settings.folder_conflict, |rule| {
                *rule != FolderRule::SkipUnanswered
            }),
            "foreign_names" => read(value, &mut settings.foreign_names, |rule| {
                *rule != ForeignRule::SkipUnanswered
            }),
            "rename_pattern" => read(value, &mut settings.rename_pattern, |_| true),
            "keep_replaced" => take(keep_of(&value), &mut settings.keep_replaced),
            "verify" => take(value.as_bool(), &mut settings.verify),
            "preserve" => take(preserve_of(&value), &mut settings.preserve),
            "workers" => take(workers_of(&value), &mut settings.workers),
            _ => {
                complaints.push(complaint("settings-unknown", path, &shown(&name)));
                continue;
            }
        };
        if !known {
            complaints.push(complaint("settings-wrong", path, &shown(&name)));
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
    take(as_written.or_else(with_lines).filter(allowed), into)
}

fn take<T>(value: Option<T>, into: &mut Option<T>) -> bool {
    *into = value;
    into.is_some()
}

fn keep_of(value: &Value) -> Option<KeepReplaced> {
    let number = value.as_u64().map(|days| days.to_string());
    keep_replaced(number.as_deref().or(value.as_str())?).ok()
}

fn workers_of(value: &Value) -> Option<Workers> {
    let number = value.as_u64().map(|number| number.to_string());
    number.as_deref().or(value.as_str())?.parse().ok()
}

/// What can be kept, by the words of the command line.
const KEPT: [&str; 5] = ["mode", "times", "owner", "xattr", "links"];

/// `all`, `none`, or a list of words, as an array or with commas.
fn preserve_of(value: &Value) -> Option<Preserve> {
    let words: Vec<&str> = match value {
        Value::String(words) => words.split(',').map(str::trim).collect(),
        Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    match words.as_slice() {
        ["all"] => return Some(Preserve::ALL),
        ["none"] | [] => return Some(Preserve::NONE),
        words if !words.iter().all(|word| KEPT.contains(word)) => return None,
        _ => {}
    }
    let has = |word| words.contains(&word);
    Some(Preserve {
        mode: has("mode"),
        times: has("times"),
        owner: has("owner"),
        xattrs: has("xattr"),
        links: has("links"),
    })
}

fn preserve_value(preserve: Preserve) -> Value {
    let Preserve { mode, times, owner, xattrs, links } = preserve;
    match preserve {
        Preserve::ALL => "all".into(),
        Preserve::NONE => "none".into(),
        _ => {
            let kept = KEPT.into_iter().zip([mode, times, owner, xattrs, links]);
            kept.filter(|(_, is_kept)| *is_kept).map(|(word, _)| word).collect()
        }
    }
}

fn keep_value(keep: KeepReplaced) -> Value {
    match keep {
        KeepReplaced::Days(days) => days.into(),
        keep => plain(&keep),
    }
}

fn workers_value(workers: Workers) -> Value {
    match workers {
        Workers::Automatic => "automatic".into(),
        Workers::Number(number) => number.min(MOST_WORKERS).into(),
    }
}

fn plain(value: &impl Serialize) -> Value {
    // These are words and flags, which JSON has.
    serde_json::to_value(value).unwrap_or_default()
}

/// The fields that are another than before, with their values.
fn changed(before: &Settings, after: &Settings) -> Vec<(&'static str, Value)> {
    fn field<T: PartialEq>(
        name: &'static str,
        (before, after): (&Option<T>, &Option<T>),
        value: impl FnOnce(&T) -> Value,
    ) -> Option<(&'static str, Value)> {
        after.as_ref().filter(|_| before != after).map(|after| (name, value(after)))
    }
    [
        field("conflict", (&before.conflict, &after.conflict), plain),
        field("folder_conflict", (&before.folder_conflict, &after.folder_conflict), plain),
        field("foreign_names", (&before.foreign_names, &after.foreign_names), plain),
        field("rename_pattern", (&before.rename_pattern, &after.rename_pattern), plain),
        field("keep_replaced", (&before.keep_replaced, &after.keep_replaced), |k| keep_value(*k)),
        field("verify", (&before.verify, &after.verify), plain),
        field("preserve", (&before.preserve, &after.preserve), |kept| preserve_value(*kept)),
        field("workers", (&before.workers, &after.workers), |workers| workers_value(*workers)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Why the settings are not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// The file that is there cannot be understood, and is not written over.
    Broken,
    /// The system refused, in words.
    Failed(String),
}

/// The settings' file, to be written by whatever thread may wait for a disk.
#[derive(Clone, Debug, Default)]
pub struct Book {
    path: Option<PathBuf>,
    newest: Arc<Mutex<Settings>>,
    /// As they stand in the file; held while it is written, so that the newest come last.
    written: Arc<Mutex<Settings>>,
}

impl Book {
    /// The file that these were read from.
    pub fn of(loaded: &Loaded) -> Book {
        let settings = || Arc::new(Mutex::new(loaded.settings.clone()));
        Book { path: loaded.file.clone(), newest: settings(), written: settings() }
    }

    /// These are to be written next.
    pub fn note(&self, settings: &Settings) {
        *lock(&self.newest) = settings.clone();
    }

    /// Writes what was noted last. A broken file stays and is told, or, as wished, is set aside
    /// under another name.
    ///
    /// # Errors
    /// See [`NotWritten`]; the file is as it was then.
    pub fn write(&self, set_aside: bool) -> Result<(), NotWritten> {
        let Some(path) = &self.path else {
            return Err(NotWritten::Failed(text("settings-no-home")));
        };
        let mut written = lock(&self.written);
        let newest = lock(&self.newest).clone();
        let failed = |error: io::Error| {
            NotWritten::Failed(complaint("settings-not-written", path, &system_words(&error)))
        };
        let mut all = match fields(path) {
            Ok(fields) => fields,
            Err(Unread::Broken(_)) if set_aside => {
                move_aside(path).map_err(failed)?;
                // Nothing of what was written before is left.
                *written = Settings::default();
                Fields::new()
            }
            Err(Unread::Broken(_)) => return Err(NotWritten::Broken),
            Err(Unread::Unreadable(what)) => {
                return Err(NotWritten::Failed(complaint("settings-unreadable", path, &what)));
            }
        };
        for (name, value) in changed(&written, &newest) {
            let _before = all.insert(name.to_owned(), value);
        }
        replace(path, &all).map_err(failed)?;
        *written = newest;
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives a broken file a name that nothing has.
fn move_aside(path: &Path) -> io::Result<()> {
    for number in 1.. {
        let tail = if number == 1 { String::new() } else { format!("-{number}") };
        let other = path.with_extension(format!("broken{tail}.json"));
        // A second name first, and then the old one away: a rename would write over another.
        match fs::hard_link(path, &other) {
            Ok(()) => return fs::remove_file(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) if !other.exists() => return fs::rename(path, &other),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Puts new contents in the place of the file, in one step.
fn replace(path: &Path, fields: &Fields) -> io::Result<()> {
    // Where the file is a link, what it leads to is meant.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(".settings.json.{}", std::process::id()));
    let result = write_fresh(&fresh, &path, fields).and_then(|()| fs::rename(&fresh, &path));
    if result.is_err() {
        let _removed_or_not = fs::remove_file(&fresh);
        return result;
    }
    // The name is there already; a folder that cannot be flushed is no reason to complain.
    let _flushed_or_not = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

fn write_fresh(fresh: &Path, old: &Path, fields: &Fields) -> io::Result<()> {
    // One of a Ferry that was killed and had this number.
    let _removed_or_none = fs::remove_file(fresh);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(fresh)?;
    if let Ok(old) = fs::metadata(old) {
        file.set_permissions(fs::Permissions::from_mode(old.permissions().mode() & 0o777))?;
    }
    let mut text = serde_json::to_vec_pretty(fields)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
