//! Folders to copy into: the recent ones, those of the home, removable devices;
//! and what can be said of a folder before it is chosen.
//!
//! A folder may lie on a mount that no longer answers, and then any look at it waits for
//! ever. So each look has a thread of its own that can be left behind.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Space, mounts, source_around, space};
use crate::ui::icon::Icon;

/// A folder to copy into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: PlaceKind,
}

/// Why a folder is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Copied into lately.
    Recent,
    /// A removable device.
    Device,
    /// The home folder.
    Home,
    /// A folder in it.
    InHome,
}

impl PlaceKind {
    /// Its sign.
    pub fn icon(self) -> Icon {
        match self {
            PlaceKind::Recent => Icon::Clock,
            PlaceKind::Device => Icon::Stick,
            PlaceKind::Home => Icon::Home,
            PlaceKind::InHome => Icon::Folder,
        }
    }
}

/// What a look at a folder told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Facts {
    /// A folder.
    Folder(Space),
    /// Not there: it would be made.
    Missing(Space),
    /// Something else has the name.
    NotAFolder,
    /// It cannot be looked at.
    Refused,
    /// It does not answer.
    Silent,
}

impl Facts {
    /// Whether a job can be started into it, as far as is known.
    pub fn usable(&self) -> bool {
        matches!(self, Facts::Folder(_) | Facts::Missing(_))
    }
}

/// How many of the recent folders are offered before all others.
const RECENT_FIRST: usize = 3;
/// How long a look may take before its folder counts as silent.
const PATIENCE: Duration = Duration::from_secs(3);

/// Looks at a folder, in a thread of its own.
pub async fn look(path: PathBuf) -> (PathBuf, Facts) {
    let looked_at = path.clone();
    let facts = aside(move || look_now(&looked_at)).await.unwrap_or(Facts::Silent);
    (path, facts)
}

/// The source that a destination lies in, if it lies in one.
pub async fn around(destination: PathBuf, sources: Arc<[PathBuf]>) -> (PathBuf, Option<PathBuf>) {
    let looked_at = destination.clone();
    let found = aside(move || source_around(&looked_at, &sources).map(Path::to_owned)).await;
    (destination, found.flatten())
}

/// The sources that are not there.
pub async fn missing(sources: Arc<[PathBuf]>) -> Vec<PathBuf> {
    let is_missing = |source: &PathBuf| {
        std::fs::symlink_metadata(source)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let found = aside(move || sources.iter().filter(|s| is_missing(s)).cloned().collect()).await;
    found.unwrap_or_default()
}

/// The folders to offer: recent ones first, then devices, the home and its folders.
pub async fn places(recent: Vec<PathBuf>) -> Vec<Place> {
    aside(move || offered(&recent)).await.unwrap_or_default()
}

/// Does something in a thread of its own, however long it takes; `None` when there is no
/// thread, or it has panicked.
pub async fn in_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let _thread = std::thread::Builder::new()
        .name("look".to_owned())
        .spawn(move || {
            // Nobody may listen any more: then the answer is not needed.
            let _unheard = sender.send(work());
        })
        .ok()?;
    receiver.await.ok()
}

/// Does something in a thread of its own, that is left behind; `None` when it takes too long.
pub async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::time::timeout(PATIENCE, in_thread(work)).await.ok()?
}

fn look_now(path: &Path) -> Facts {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Facts::Folder(space(path)),
        Ok(_) => Facts::NotAFolder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let parent = path.ancestors().skip(1).find(|parent| parent.is_dir());
            Facts::Missing(parent.map(space).unwrap_or_default())
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Facts::NotAFolder,
        Err(_) => Facts::Refused,
    }
}

fn offered(recent: &[PathBuf]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut offer = |path: PathBuf, kind| {
        if !places.iter().any(|place| place.path == path) {
            places.push(Place { path, kind });
        }
    };
    // The last of the recent ones follow at the end: what is there every time, such as the
    // home, must be seen without scrolling.
    let (first, last) = recent.split_at(recent.len().min(RECENT_FIRST));
    for path in first {
        offer(path.clone(), PlaceKind::Recent);
    }
    for mount in mounts() {
        if ["/media", "/run/media"].iter().any(|root| mount.point.starts_with(root)) {
            offer(mount.point, PlaceKind::Device);
        }
    }
    if let Some(home) = std::env::home_dir() {
        offer(home.clone(), PlaceKind::Home);
        for folder in home_folders(&home) {
            offer(folder, PlaceKind::InHome);
        }
    }
    for path in last {
        offer(path.clone(), PlaceKind::Recent);
    }
    places
}

/// The folders of the home that the desktop has named and that exist.
fn home_folders(home: &Path) -> Vec<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME")
        .map_or_else(|| home.join(".config"), PathBuf::from)
        .join("user-dirs.dirs");
    let named = std::fs::read_to_string(config).unwrap_or_default();
    let lines = named.lines().filter_map(|line| line.trim().strip_prefix("XDG_")?.split_once('='));
    let mut folders: Vec<PathBuf> = lines
        .filter(|(name, _)| !matches!(*name, "TEMPLATES_DIR" | "PUBLICSHARE_DIR"))
        .map(|(_, value)| value.trim_matches('"'))
        .map(|value| match value.strip_prefix("$HOME") {
            Some(rest) => home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(value),
        })
        .collect();
    if folders.is_empty() {
        let usual = ["Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos"];
        folders = usual.iter().map(|name| home.join(name)).collect();
    }
    folders.retain(|folder| folder != home && folder.is_dir());
    folders
}

/// The path that a user means: `~` is the home folder. Empty and relative ones are none.
pub fn typed_path(typed: &str) -> Option<PathBuf> {
    let typed = typed.trim_start();
    let path = match typed.strip_prefix('~') {
        Some("") => std::env::home_dir()?,
        Some(rest) => std::env::home_dir()?.join(rest.strip_prefix('/')?),
        None => PathBuf::from(typed),
    };
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_tells_folders_files_and_what_is_missing_apart() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("file");
        std::fs::write(&file, "x").expect("a file");
        assert!(matches!(look_now(dir.path()), Facts::Folder(space) if space.free.is_some()));
        assert_eq!(look_now(&file), Facts::NotAFolder);
        assert_eq!(look_now(&file.join("below")), Facts::NotAFolder);
        assert!(matches!(look_now(&dir.path().join("new/er")), Facts::Missing(_)));
    }

    #[test]
    fn the_home_is_seen_among_recent_folders() {
        let recent: Vec<PathBuf> = (0..5).map(|n| format!("/srv/{n}").into()).collect();
        let offered = offered(&recent);
        let at = |path: &Path| offered.iter().position(|place| place.path == path);
        assert_eq!(at(&recent[2]), Some(2));
        let home = std::env::home_dir().expect("a home");
        assert!(at(&home).is_some_and(|at| at < 5), "{offered:?}");
        assert!(at(&recent[4]) > at(&home));
    }

    #[test]
    fn only_whole_paths_are_taken() {
        assert_eq!(typed_path("/srv/share"), Some(PathBuf::from("/srv/share")));
        assert_eq!(typed_path("share"), None);
        assert_eq!(typed_path(""), None);
        assert_eq!(typed_path("~"), std::env::home_dir());
        assert_eq!(typed_path("~someone"), None);
    }
}
