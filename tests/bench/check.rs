//! Compares a copied tree with its source, so that a fast wrong copier cannot win.
//!
//! Names, kinds, counts and bytes must be the same; modes and modification times are only
//! reported, since some copiers never promised them.

use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use walkdir::WalkDir;

/// How much of an attribute a copier kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Of every file and folder.
    All,
    /// Of every file, not of every folder.
    FilesOnly,
    /// Not even of every file.
    No,
}

impl Kept {
    fn of(files_differ: u64, folders_differ: u64) -> Self {
        match (files_differ, folders_differ) {
            (0, 0) => Self::All,
            (0, _) => Self::FilesOnly,
            _ => Self::No,
        }
    }

    /// The word for the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "kept",
            Self::FilesOnly => "of files only",
            Self::No => "not kept",
        }
    }
}

/// What a right copy kept besides the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The permission bits.
    pub modes: Kept,
    /// The modification times, to the nanosecond.
    pub times: Kept,
}

/// Compares the tree at `copy` with the one at `source`. The error says what is wrong.
pub fn compare(source: &Path, copy: &Path) -> Result<Attributes, String> {
    let mut entries = 0;
    let [mut file_modes, mut folder_modes, mut file_times, mut folder_times] = [0; 4];
    for entry in WalkDir::new(source) {
        let entry = entry.map_err(|error| error.to_string())?;
        entries += 1;
        let Ok(name) = entry.path().strip_prefix(source) else {
            return Err(format!("{} is outside the source", entry.path().display()));
        };
        let original = entry.metadata().map_err(|error| error.to_string())?;
        // `join` of an empty name would end the path in a slash and follow a link there.
        let copied_path =
            if name.as_os_str().is_empty() { copy.to_owned() } else { copy.join(name) };
        let copied = fs::symlink_metadata(&copied_path)
            .map_err(|error| format!("{}: {error}", copied_path.display()))?;
        if original.file_type() != copied.file_type() {
            return Err(format!("{} is of another kind", copied_path.display()));
        }
        let (modes, times) = if original.is_dir() {
            (&mut folder_modes, &mut folder_times)
        } else {
            compare_bytes(entry.path(), &copied_path)?;
            (&mut file_modes, &mut file_times)
        };
        *modes += u64::from(original.mode() != copied.mode());
        *times += u64::from(modified(&original) != modified(&copied));
    }
    let copied_entries = WalkDir::new(copy).into_iter().count();
    if copied_entries != entries {
        return Err(format!(
            "{copied_entries} entries were made of {entries} in {}",
            copy.display()
        ));
    }
    Ok(Attributes {
        modes: Kept::of(file_modes, folder_modes),
        times: Kept::of(file_times, folder_times),
    })
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

fn compare_bytes(original: &Path, copied: &Path) -> Result<(), String> {
    const CHUNK: usize = 256 * 1024;
    let open = |path: &Path| {
        File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))
    };
    let (mut left, mut right) = (open(original)?, open(copied)?);
    let (mut left_bytes, mut right_bytes) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let left_length = fill(&mut left, &mut left_bytes, original)?;
        let right_length = fill(&mut right, &mut right_bytes, copied)?;
        if left_bytes[..left_length] != right_bytes[..right_length] {
            return Err(format!("{} has other bytes", copied.display()));
        }
        if left_length < CHUNK {
            return Ok(());
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8], path: &Path) -> Result<usize, String> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        }
    }
    Ok(length)
}
