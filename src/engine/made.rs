//! What a job has made, where two of its sources may come to one name: none of them takes the
//! place of another.
//!
//! Told by device and inode, and by name as well where inodes cannot be trusted: a FUSE file
//! system without numbers of its own (exFAT) has another one for each spelling of a name, and
//! another one after the kernel forgot the first.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::fs::Identity;
use super::message::EntryId;

/// A name at the destination with its folders, case aside, and the entry that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameOf {
    folded: u64,
    entry: EntryId,
}

impl NameOf {
    /// An entry's path at the destination.
    pub fn new(path: &Path, entry: EntryId) -> NameOf {
        let mut hasher = DefaultHasher::new();
        path.to_string_lossy().to_lowercase().hash(&mut hasher);
        NameOf { folded: hasher.finish(), entry }
    }
}

/// Files, and names of files and folders, that a job has made.
#[derive(Default)]
pub struct Made {
    files: HashSet<Identity>,
    names: HashMap<u64, EntryId>,
}

impl Made {
    /// A file is about to get a name.
    pub fn note_file(&mut self, file: Identity) {
        let _new = self.files.insert(file);
    }

    /// A name is about to be taken; the first entry that came to it has it.
    pub fn note_name(&mut self, name: Option<NameOf>) {
        if let Some(NameOf { folded, entry }) = name {
            let _first = self.names.entry(folded).or_insert(entry);
        }
    }

    /// Whether a file was made, or its name taken, for another entry than the one that wants
    /// the name now.
    pub fn has(&self, file: Identity, name: Option<NameOf>) -> bool {
        self.files.contains(&file) || self.has_name(name)
    }

    /// Whether a name was taken for another entry.
    pub fn has_name(&self, name: Option<NameOf>) -> bool {
        name.is_some_and(|name| {
            self.names.get(&name.folded).is_some_and(|entry| *entry != name.entry)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_meet_whatever_their_case_and_never_themselves() {
        let name = |path: &str, entry| Some(NameOf::new(path.as_ref(), EntryId(entry)));
        let mut made = Made::default();
        made.note_name(name("/d/Straße/É.txt", 1));
        for (path, entry, meets) in [
            ("/d/straße/é.TXT", 2, true),
            ("/d/Straße/É.txt", 2, true),
            ("/d/straße/é.txt", 1, false),
            ("/d/straße/e.txt", 2, false),
            ("/é.txt", 2, false),
        ] {
            assert_eq!(made.has_name(name(path, entry)), meets, "{path} {entry}");
        }
        assert!(!made.has_name(None));
    }
}
