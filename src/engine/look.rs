//! What can be told of sources and a destination before a job is made of them.
//!
//! Every look may wait for ever where a mount does not answer: a face looks in a thread that
//! can be left behind.

use std::path::Path;

use super::fs;
use super::fs::mounts::{FileSystem, mounts};

pub use super::start::source_around;

/// The room that there is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// The file system, as the kernel names it.
    pub file_system: Option<String>,
    /// Free for this user, in bytes; `None` when the file system does not say.
    pub free: Option<u64>,
}

/// The room that there is in a folder that exists.
pub fn space(folder: &Path) -> Space {
    let Ok(folder) = fs::open_folder_path(folder) else { return Space::default() };
    let number = fs::mount_of(&folder).ok();
    let mount = mounts().into_iter().find(|mount| Some(mount.number) == number);
    let name = mount.map_or_else(|| FileSystem::of(&folder).name().to_owned(), |m| m.file_system);
    Space { file_system: Some(name), free: fs::free_space(&folder) }
}
