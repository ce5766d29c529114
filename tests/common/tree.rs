//! Trees of files, described like the tree they make.
//!
//! Names are bytes. Whatever has no time of its own gets one with nanoseconds, from its
//! place in the description, so that a tree made twice is the same twice: after a move one
//! of them is still there to compare with.

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, Timespec, Timestamps, Uid, XattrFlags, chmodat, chownat,
    linkat, lsetxattr, makedev, mknodat, symlinkat, utimensat,
};

use super::below;

/// A tree to be made. A setting after an entry (`mode`, `time`, …) is that entry's.
#[derive(Clone, Default)]
pub struct Tree {
    items: Vec<Item>,
}

#[derive(Clone)]
struct Item {
    path: Vec<u8>,
    kind: Kind,
    mode: Option<u32>,
    time: Option<(i64, u32)>,
    owner: Option<(u32, u32)>,
    xattrs: Vec<(String, Vec<u8>)>,
    lists: Vec<(&'static str, Vec<u8>)>,
}

#[derive(Clone)]
enum Kind {
    Folder,
    File(Vec<u8>),
    Sparse { size: u64, islands: Vec<(u64, Vec<u8>)> },
    Link(Vec<u8>),
    HardLink(Vec<u8>),
    Node(FileType, u64),
}

/// Bytes that repeat nowhere near: a wrong offset shows.
pub fn pattern(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

impl Tree {
    /// An empty tree.
    pub fn new() -> Tree {
        Tree::default()
    }

    fn add(mut self, path: impl AsRef<[u8]>, kind: Kind) -> Tree {
        let path = path.as_ref();
        for (at, _) in path.iter().enumerate().filter(|&(_, &byte)| byte == b'/') {
            if !self.items.iter().any(|item| item.path == path[..at]) {
                self.items.push(Item::new(&path[..at], Kind::Folder));
            }
        }
        self.items.push(Item::new(path, kind));
        self
    }

    /// A folder. Those above an entry need no mention.
    pub fn folder(self, path: impl AsRef<[u8]>) -> Tree {
        self.add(path, Kind::Folder)
    }

    /// A file with these bytes.
    pub fn file(self, path: impl AsRef<[u8]>, contents: impl AsRef<[u8]>) -> Tree {
        self.add(path, Kind::File(contents.as_ref().to_vec()))
    }

    /// A file of so many bytes of [`pattern`].
    pub fn file_of(self, path: impl AsRef<[u8]>, len: usize) -> Tree {
        let seed = self.items.len() as u64 + 1;
        self.add(path, Kind::File(pattern(len, seed)))
    }

    /// Many files of so many bytes each.
    pub fn files(self, prefix: &str, count: usize, len: usize) -> Tree {
        (0..count).fold(self, |tree, number| tree.file_of(format!("{prefix}{number}"), len))
    }

    /// A file of this size that is a hole but for these islands (offset, bytes).
    pub fn sparse(self, path: impl AsRef<[u8]>, size: u64, islands: &[(u64, &[u8])]) -> Tree {
        let islands = islands.iter().map(|(offset, bytes)| (*offset, bytes.to_vec())).collect();
        self.add(path, Kind::Sparse { size, islands })
    }

    /// A symbolic link with this text.
    pub fn link(self, path: impl AsRef<[u8]>, text: impl AsRef<[u8]>) -> Tree {
        self.add(path, Kind::Link(text.as_ref().to_vec()))
    }

    /// Another name of an entry described before.
    pub fn hard_link(self, path: impl AsRef<[u8]>, first: impl AsRef<[u8]>) -> Tree {
        self.add(path, Kind::HardLink(first.as_ref().to_vec()))
    }

    /// A named pipe.
    pub fn fifo(self, path: impl AsRef<[u8]>) -> Tree {
        self.add(path, Kind::Node(FileType::Fifo, 0))
    }

    /// A socket that nobody listens to.
    pub fn socket(self, path: impl AsRef<[u8]>) -> Tree {
        self.add(path, Kind::Node(FileType::Socket, 0))
    }

    /// A character device (making it needs root).
    pub fn device(self, path: impl AsRef<[u8]>, major: u32, minor: u32) -> Tree {
        self.add(path, Kind::Node(FileType::CharacterDevice, makedev(major, minor)))
    }

    /// A block device (making it needs root).
    pub fn block_device(self, path: impl AsRef<[u8]>, major: u32, minor: u32) -> Tree {
        self.add(path, Kind::Node(FileType::BlockDevice, makedev(major, minor)))
    }

    /// Permissions of the last entry, with setuid, setgid and sticky.
    pub fn mode(mut self, mode: u32) -> Tree {
        self.last().mode = Some(mode);
        self
    }

    /// When the last entry was modified: seconds since 1970 and nanoseconds.
    pub fn time(mut self, seconds: i64, nanoseconds: u32) -> Tree {
        self.last().time = Some((seconds, nanoseconds));
        self
    }

    /// Owner and group of the last entry (needs root).
    pub fn owner(mut self, user: u32, group: u32) -> Tree {
        self.last().owner = Some((user, group));
        self
    }

    /// An extended attribute of the last entry.
    pub fn xattr(mut self, name: &str, value: impl AsRef<[u8]>) -> Tree {
        self.last().xattrs.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Lets one more user in by an access list, and sets the mode to go with it.
    pub fn acl(mut self, user: u32, permissions: u16) -> Tree {
        self.last().lists.push(("system.posix_acl_access", access_list(user, permissions)));
        self
    }

    /// What new entries of the last folder will let one more user do.
    pub fn default_acl(mut self, user: u32, permissions: u16) -> Tree {
        self.last().lists.push(("system.posix_acl_default", access_list(user, permissions)));
        self
    }

    fn last(&mut self) -> &mut Item {
        self.items.last_mut().unwrap()
    }

    /// Makes the tree in a folder, which is made if missing.
    pub fn make(&self, folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder).unwrap();
        for item in &self.items {
            let path = below(folder, &item.path);
            item.create(&path, folder)
                .unwrap_or_else(|error| panic!("making {}: {error}", path.display()));
        }
        let numbered = || self.items.iter().enumerate();
        let folders = numbered().rev().filter(|(_, item)| matches!(item.kind, Kind::Folder));
        let others = numbered().filter(|(_, item)| !matches!(item.kind, Kind::Folder));
        for (number, item) in others.chain(folders) {
            let path = below(folder, &item.path);
            item.set_attributes(number, &path)
                .unwrap_or_else(|error| panic!("attributes of {}: {error}", path.display()));
        }
        folder.to_path_buf()
    }
}

impl Item {
    fn new(path: &[u8], kind: Kind) -> Item {
        let path = path.to_vec();
        Item { path, kind, mode: None, time: None, owner: None, xattrs: vec![], lists: vec![] }
    }

    fn create(&self, path: &Path, folder: &Path) -> std::io::Result<()> {
        match &self.kind {
            Kind::Folder => std::fs::create_dir(path)?,
            Kind::File(bytes) => std::fs::write(path, bytes)?,
            Kind::Sparse { size, islands } => {
                let file = File::create_new(path)?;
                file.set_len(*size)?;
                for (offset, bytes) in islands {
                    file.write_all_at(bytes, *offset)?;
                }
            }
            Kind::Link(text) => symlinkat(text.as_slice(), CWD, path)?,
            Kind::HardLink(first) => {
                linkat(CWD, below(folder, first), CWD, path, AtFlags::empty())?;
            }
            Kind::Node(kind, device) => mknodat(CWD, path, *kind, Mode::from(0o644), *device)?,
        }
        Ok(())
    }

    fn set_attributes(&self, number: usize, path: &Path) -> std::io::Result<()> {
        if matches!(self.kind, Kind::HardLink(_)) {
            return Ok(());
        }
        if let Some((user, group)) = self.owner {
            let (user, group) = (Uid::from_raw(user), Gid::from_raw(group));
            chownat(CWD, path, Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        for (name, value) in &self.xattrs {
            lsetxattr(path, name.as_str(), value, XattrFlags::empty())?;
        }
        if !matches!(self.kind, Kind::Link(_)) {
            let usual = if matches!(self.kind, Kind::Folder) { 0o755 } else { 0o644 };
            let mode = Mode::from(self.mode.unwrap_or(usual));
            chmodat(CWD, path, mode, AtFlags::empty())?;
        }
        for (name, list) in &self.lists {
            lsetxattr(path, *name, list, XattrFlags::empty())?;
        }
        let number = number as i64;
        let (seconds, nanoseconds) = self.time.unwrap_or((
            1_500_000_000 + number * 1_001,
            (number * 7_654_321 + 123_456_789) as u32 % 1_000_000_000,
        ));
        set_time(path, seconds, nanoseconds)
    }
}

/// Sets when a file, folder or link was modified.
pub fn set_time(path: &Path, seconds: i64, nanoseconds: u32) -> std::io::Result<()> {
    let time = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    let times = Timestamps { last_access: time, last_modification: time };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// An access list as the kernel stores it: owner `rw-` (and `x` where the user has it), the
/// user, group `r--`, mask, other none.
fn access_list(user: u32, permissions: u16) -> Vec<u8> {
    const NO_ID: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] = [
        (0x01, 6 | permissions & 1, NO_ID),
        (0x02, permissions, user),
        (0x04, 4, NO_ID),
        (0x10, permissions | 4, NO_ID),
        (0x20, 0, NO_ID),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend_from_slice(&tag.to_le_bytes());
        list.extend_from_slice(&permissions.to_le_bytes());
        list.extend_from_slice(&id.to_le_bytes());
    }
    list
}

/// The capability to open ports below 1024, as the kernel stores it.
pub const CAP_NET_BIND_SERVICE: [u8; 20] =
    [1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Whether files in a folder can have user attributes.
pub fn takes_xattrs(folder: &Path) -> bool {
    lsetxattr(folder, "user.ferry.probe", b"1", XattrFlags::empty()).is_ok()
        && rustix::fs::lremovexattr(folder, "user.ferry.probe").is_ok()
}

/// Makes folders inside each other and calls `each` with the descriptor of each one.
pub fn make_deep(
    top: &Path,
    name: &[u8],
    levels: usize,
    mut each: impl FnMut(usize, &std::os::fd::OwnedFd),
) {
    use rustix::fs::{OFlags, mkdirat, open, openat};
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    std::fs::create_dir(top).unwrap();
    let mut at = open(top, flags, Mode::empty()).unwrap();
    for level in 0..levels {
        each(level, &at);
        mkdirat(&at, std::ffi::OsStr::from_bytes(name), Mode::from(0o755)).unwrap();
        at = openat(&at, std::ffi::OsStr::from_bytes(name), flags, Mode::empty()).unwrap();
    }
    each(levels, &at);
}
