//! What the window remembers from one start to the next: the colours, the last destinations
//! and how the last job was copied. A file of its own under the XDG state folder; one that is missing or
//! damaged is forgotten, for nothing is lost with it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::theme::Choice;
use crate::engine::{Preserve, bytes};

/// How many destinations are remembered.
const RECENT: usize = 5;

/// What the window remembers.
#[derive(Default)]
pub struct Memory {
    kept: Kept,
    file: Option<File>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    theme: Choice,
    #[serde(with = "bytes::paths")]
    recent: Vec<PathBuf>,
    verify: bool,
    preserve: Preserve,
}

/// Where it is kept, and what is still to be written.
struct File {
    path: PathBuf,
    newest: Arc<Mutex<Option<Kept>>>,
}

impl Memory {
    /// What was remembered at the last start, kept where the XDG base directory
    /// specification says.
    pub fn load() -> Memory {
        let absolute = |path: &PathBuf| path.is_absolute();
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(absolute);
        let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")));
        state.map_or_else(Memory::default, |state| Memory::at(state.join("ferry/window.json")))
    }

    /// What a file remembers; changes are written to it.
    pub fn at(path: PathBuf) -> Memory {
        let kept = std::fs::read(&path).ok();
        let kept = kept.and_then(|kept| serde_json::from_slice(&kept).ok()).unwrap_or_default();
        Memory { kept, file: Some(File { path, newest: Arc::default() }) }
    }

    /// The chosen colours.
    pub fn theme(&self) -> Choice {
        self.kept.theme
    }

    /// Other colours are chosen.
    pub fn set_theme(&mut self, theme: Choice) {
        self.kept.theme = theme;
        self.keep();
    }

    /// The last destinations, the newest first.
    pub fn recent(&self) -> &[PathBuf] {
        &self.kept.recent
    }

    /// A job has begun that goes to this destination.
    pub fn add_recent(&mut self, destination: &Path) {
        self.kept.recent.retain(|path| path != destination);
        self.kept.recent.insert(0, destination.to_owned());
        self.kept.recent.truncate(RECENT);
        self.keep();
    }

    /// Whether the last job was verified, and what it kept beside the data.
    pub fn options(&self) -> (bool, Preserve) {
        (self.kept.verify, self.kept.preserve)
    }

    /// A job has begun that is copied like this.
    pub fn set_options(&mut self, verify: bool, preserve: Preserve) {
        (self.kept.verify, self.kept.preserve) = (verify, preserve);
        self.keep();
    }

    /// Writes aside: the window never waits for a disk.
    fn keep(&self) {
        let Some(File { path, newest }) = &self.file else { return };
        *lock(newest) = Some(self.kept.clone());
        let (path, newest) = (path.clone(), Arc::clone(newest));
        let thread = std::thread::Builder::new().name("memory".to_owned());
        // What cannot be written is forgotten at the next start, and no more.
        let _written_or_not = thread.spawn(move || {
            // Held while writing, so that the newest is written last.
            let mut newest = lock(&newest);
            newest.take().map_or(Ok(()), |kept| write(&path, &kept))
        });
    }
}

fn lock(newest: &Mutex<Option<Kept>>) -> std::sync::MutexGuard<'_, Option<Kept>> {
    newest.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write(path: &Path, kept: &Kept) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let fresh = path.with_extension("new");
    std::fs::write(&fresh, serde_json::to_vec_pretty(kept)?)?;
    std::fs::rename(fresh, path)
}
