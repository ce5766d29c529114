//! Whether a copy is its source: read entry by entry, by other means than the engine's.
//!
//! Both trees are walked in step through folder descriptors, so that depth and long paths
//! are no limit and a chain of folders needs two descriptors.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, SeekFrom, Stat, lgetxattr, llistxattr, openat,
    readlinkat, seek, statat,
};
use rustix::io::Errno;

/// What a comparison looks at besides names, kinds, bytes, link texts and device numbers.
#[derive(Clone, Copy)]
pub struct What {
    /// Times of files and links.
    pub times: bool,
    /// Times of folders.
    pub folder_times: bool,
    /// Permissions.
    pub modes: bool,
    /// Owner and group.
    pub owner: bool,
    /// User attributes, access lists and capabilities.
    pub xattrs: bool,
    /// Names of one file stay names of one file.
    pub hard_links: bool,
    /// What is a hole stays one.
    pub holes: bool,
    /// The copy has no sockets.
    pub sockets_left_out: bool,
}

impl What {
    /// Everything that is kept between able file systems.
    pub const ALL: What = What {
        times: true,
        folder_times: true,
        modes: true,
        owner: true,
        xattrs: true,
        hard_links: true,
        holes: true,
        sockets_left_out: true,
    };

    /// Names, kinds and bytes only.
    pub const DATA: What = What {
        times: false,
        folder_times: false,
        modes: false,
        owner: false,
        xattrs: false,
        hard_links: false,
        holes: false,
        sockets_left_out: true,
    };
}

/// How much more a copy may store than its source before holes count as filled: block
/// sizes differ, and XFS keeps some room behind a file that was just written.
const ALLOCATION_SLACK: u64 = 256 << 10;

/// Insists that a copy is its source; names the first differences.
#[track_caller]
pub fn assert_same_tree(source: &Path, copy: &Path, what: &What) {
    let found = differences(source, copy, what);
    assert!(
        found.is_empty(),
        "{} differs from {} in {} ways:\n  {}",
        copy.display(),
        source.display(),
        found.len(),
        found.iter().take(10).cloned().collect::<Vec<_>>().join("\n  ")
    );
}

/// Every difference between two trees (or files), in words.
pub fn differences(source: &Path, copy: &Path, what: &What) -> Vec<String> {
    let mut walk =
        Walk { what: *what, found: Vec::new(), links: HashMap::new(), back: HashMap::new() };
    let parent = |path: &Path| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        open_folder(CWD, parent.unwrap_or(Path::new("."))).map(Rc::new)
    };
    let sides = (parent(source), parent(copy));
    let (Ok(source_parent), Ok(copy_parent)) = sides else {
        return vec![format!("cannot open the folders: {sides:?}")];
    };
    let name = |path: &Path| path.file_name().unwrap_or(OsStr::new(".")).to_os_string();
    walk.run(Pair {
        source: source_parent,
        source_name: name(source),
        copy: copy_parent,
        copy_name: name(copy),
        path: PathBuf::from(name(source)),
    });
    walk.found
}

struct Pair {
    source: Rc<OwnedFd>,
    source_name: OsString,
    copy: Rc<OwnedFd>,
    copy_name: OsString,
    path: PathBuf,
}

struct Walk {
    what: What,
    found: Vec<String>,
    /// Which file of the copy belongs to a hard-linked file of the source, and the reverse.
    links: HashMap<(u64, u64), (u64, u64)>,
    back: HashMap<(u64, u64), (u64, u64)>,
}

impl Walk {
    fn run(&mut self, first: Pair) {
        let mut folders = vec![first];
        while let Some(pair) = folders.pop() {
            if let Err(error) = self.entry(&pair, &mut folders) {
                self.say(&pair.path, format!("cannot be read: {error}"));
            }
        }
    }

    fn say(&mut self, path: &Path, text: String) {
        // The ends of long paths tell enough.
        let shown = format!("{path:?}");
        let tail: String =
            shown.chars().rev().take(120).collect::<Vec<_>>().into_iter().rev().collect();
        self.found.push(format!("{tail}: {text}"));
    }

    fn entry(&mut self, pair: &Pair, folders: &mut Vec<Pair>) -> rustix::io::Result<()> {
        let source = statat(&*pair.source, &pair.source_name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(source.st_mode);
        let copy = match statat(&*pair.copy, &pair.copy_name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) if kind == FileType::Socket && self.what.sockets_left_out => {
                self.say(&pair.path, "a socket was copied".into());
                return Ok(());
            }
            Ok(copy) => copy,
            Err(Errno::NOENT) => {
                if kind != FileType::Socket || !self.what.sockets_left_out {
                    self.say(&pair.path, "is missing".into());
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let copy_kind = FileType::from_raw_mode(copy.st_mode);
        if kind != copy_kind {
            self.say(&pair.path, format!("is a {copy_kind:?}, its source a {kind:?}"));
            return Ok(());
        }
        self.attributes(pair, kind, &source, &copy);
        match kind {
            FileType::RegularFile => self.contents(pair, &source, &copy)?,
            FileType::Directory => self.folder(pair, folders)?,
            FileType::Symlink => {
                let one = readlinkat(&*pair.source, &pair.source_name, Vec::new())?;
                let other = readlinkat(&*pair.copy, &pair.copy_name, Vec::new())?;
                if one != other {
                    self.say(&pair.path, format!("points to {other:?}, its source to {one:?}"));
                }
            }
            FileType::CharacterDevice | FileType::BlockDevice if source.st_rdev != copy.st_rdev => {
                let text = format!("device {:x} from {:x}", copy.st_rdev, source.st_rdev);
                self.say(&pair.path, text);
            }
            _ => {}
        }
        Ok(())
    }

    fn attributes(&mut self, pair: &Pair, kind: FileType, source: &Stat, copy: &Stat) {
        let folder = kind == FileType::Directory;
        let wanted = if folder { self.what.folder_times } else { self.what.times };
        let time = |stat: &Stat| (stat.st_mtime, stat.st_mtime_nsec);
        if wanted && time(source) != time(copy) {
            self.say(
                &pair.path,
                format!("modified {:?}, its source {:?}", time(copy), time(source)),
            );
        }
        let mode = |stat: &Stat| stat.st_mode & 0o7777;
        if self.what.modes && kind != FileType::Symlink && mode(source) != mode(copy) {
            self.say(&pair.path, format!("mode {:o}, its source {:o}", mode(copy), mode(source)));
        }
        let owner = |stat: &Stat| (stat.st_uid, stat.st_gid);
        if self.what.owner && owner(source) != owner(copy) {
            self.say(
                &pair.path,
                format!("owner {:?}, its source {:?}", owner(copy), owner(source)),
            );
        }
        if self.what.xattrs {
            let (one, other) =
                (xattrs(&pair.source, &pair.source_name), xattrs(&pair.copy, &pair.copy_name));
            if one != other {
                self.say(&pair.path, format!("attributes {other:?}, its source {one:?}"));
            }
        }
        if self.what.hard_links && !folder {
            self.names_of_one_file(pair, source, copy);
        }
    }

    fn names_of_one_file(&mut self, pair: &Pair, source: &Stat, copy: &Stat) {
        let id = |stat: &Stat| (stat.st_dev, stat.st_ino);
        if source.st_nlink > 1 || copy.st_nlink > 1 {
            let there = *self.links.entry(id(source)).or_insert(id(copy));
            let back = *self.back.entry(id(copy)).or_insert(id(source));
            if there != id(copy) || back != id(source) {
                self.say(&pair.path, "is not a name of the same file as in the source".into());
            }
        }
    }

    fn contents(&mut self, pair: &Pair, source: &Stat, copy: &Stat) -> rustix::io::Result<()> {
        if source.st_size != copy.st_size {
            self.say(&pair.path, format!("{} bytes, its source {}", copy.st_size, source.st_size));
            return Ok(());
        }
        let open = |folder: &OwnedFd, name: &OsStr| {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
            openat(folder, name, flags, Mode::empty()).map(std::fs::File::from)
        };
        let one = open(&pair.source, &pair.source_name)?;
        let other = open(&pair.copy, &pair.copy_name)?;
        let one_data = data(&one, source.st_size as u64);
        let other_data = data(&other, copy.st_size as u64);
        for range in one_data.iter().chain(&other_data) {
            if let Some(at) = first_difference(&one, &other, range.clone()) {
                self.say(&pair.path, format!("differs from byte {at} on"));
                return Ok(());
            }
        }
        let stored = |ranges: &[std::ops::Range<u64>]| {
            ranges.iter().map(|range| range.end - range.start).sum::<u64>()
        };
        let allocated = |stat: &Stat| stat.st_blocks as u64 * 512;
        if self.what.holes
            && (stored(&other_data) > stored(&one_data) + ALLOCATION_SLACK
                || allocated(copy) > stored(&one_data) + 4 * ALLOCATION_SLACK)
        {
            self.say(
                &pair.path,
                format!(
                    "holes were filled: {} bytes of data and {} stored, in the source {} and {}",
                    stored(&other_data),
                    allocated(copy),
                    stored(&one_data),
                    allocated(source)
                ),
            );
        }
        Ok(())
    }

    fn folder(&mut self, pair: &Pair, folders: &mut Vec<Pair>) -> rustix::io::Result<()> {
        let source = Rc::new(open_folder(&*pair.source, Path::new(&pair.source_name))?);
        let copy = Rc::new(open_folder(&*pair.copy, Path::new(&pair.copy_name))?);
        let (wanted, got) = (list(&source)?, list(&copy)?);
        for name in got.keys().filter(|name| !wanted.contains_key(*name)) {
            self.say(&pair.path.join(name), "is in the copy only".into());
        }
        for (name, is_folder) in wanted {
            let inner = Pair {
                source: Rc::clone(&source),
                source_name: name.clone(),
                copy: Rc::clone(&copy),
                copy_name: name.clone(),
                path: pair.path.join(&name),
            };
            if is_folder {
                folders.push(inner);
            } else {
                self.entry(&inner, folders)?;
            }
        }
        Ok(())
    }
}

fn open_folder<Fd: std::os::fd::AsFd>(at: Fd, name: &Path) -> rustix::io::Result<OwnedFd> {
    openat(at, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The names in a folder and whether each is a folder.
fn list(folder: &OwnedFd) -> rustix::io::Result<BTreeMap<OsString, bool>> {
    let mut names = BTreeMap::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let name = OsString::from_vec(name.to_vec());
        let stat = statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        names.insert(name, is_folder);
    }
    Ok(names)
}

/// Where a file has data, by its file system's word.
fn data(file: &std::fs::File, size: u64) -> Vec<std::ops::Range<u64>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < size {
        let Ok(start) = seek(file, SeekFrom::Data(at)) else { break };
        let end = seek(file, SeekFrom::Hole(start)).unwrap_or(size);
        ranges.push(start..end);
        at = end;
    }
    ranges
}

fn first_difference(
    one: &std::fs::File,
    other: &std::fs::File,
    range: std::ops::Range<u64>,
) -> Option<u64> {
    let mut buffers = (vec![0; 1 << 20], vec![0; 1 << 20]);
    let mut at = range.start;
    while at < range.end {
        let want = (range.end - at).min(1 << 20) as usize;
        let one_got = read_full(one, &mut buffers.0[..want], at);
        let other_got = read_full(other, &mut buffers.1[..want], at);
        if one_got != other_got || buffers.0[..one_got] != buffers.1[..other_got] {
            let same = (0..one_got.min(other_got)).take_while(|&i| buffers.0[i] == buffers.1[i]);
            return Some(at + same.count() as u64);
        }
        if one_got < want {
            break;
        }
        at += one_got as u64;
    }
    None
}

fn read_full(file: &std::fs::File, buffer: &mut [u8], offset: u64) -> usize {
    let mut got = 0;
    while got < buffer.len() {
        match file.read_at(&mut buffer[got..], offset + got as u64) {
            Ok(0) | Err(_) => break,
            Ok(more) => got += more,
        }
    }
    got
}

/// The attributes that a copy is to keep. Read by path through the folder's descriptor.
fn xattrs(folder: &OwnedFd, name: &OsStr) -> BTreeMap<String, Vec<u8>> {
    use std::os::fd::AsRawFd;
    let path = Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name);
    let mut names = vec![0; 64 << 10];
    let len = llistxattr(&path, &mut names[..]).unwrap_or(0);
    let mut found = BTreeMap::new();
    for name in names[..len].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let name = String::from_utf8_lossy(name).into_owned();
        let kept = name.starts_with("user.")
            || name.starts_with("system.posix_acl_")
            || name == "security.capability";
        if kept {
            let mut value = vec![0; 64 << 10];
            let len = lgetxattr(&path, name.as_str(), &mut value[..]).unwrap_or(0);
            value.truncate(len);
            found.insert(name, value);
        }
    }
    found
}
