//! The freedesktop trash of a file system: where replaced files are kept.
//!
//! Any file manager shows what lies there and puts it back (Trash Specification 1.0). The
//! user's own trash serves the file system that it lies on; another one has its trash in its
//! topmost folder. Where a file system is mounted in parts (a btrfs subvolume, a bind mount)
//! the topmost folder of the part has it: no rename leads out of it.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use jiff::Zoned;
use rustix::fs::Stat;
use rustix::io::{Errno, Result};

use super::conflict::FileKind;
use super::fs::{self, Identity};
use super::naming::{NAME_MAX, cut};
use super::scan::LISTING;

/// An open trash.
pub struct Trash {
    /// Where it is.
    pub path: PathBuf,
    files: OwnedFd,
    info: OwnedFd,
    /// Paths in it are told from here; absolute ones in the user's own.
    top: Option<PathBuf>,
}

const INFO: &str = ".trashinfo";

impl Trash {
    /// The trash that a file in this folder can be renamed into, made if missing.
    ///
    /// # Errors
    /// Where there can be none.
    pub fn of(folder: &OwnedFd, home: &Path) -> Result<Trash> {
        Self::choose(folder, home, Self::make)
    }

    /// The same if it is there already.
    ///
    /// # Errors
    /// Where there is none.
    pub fn there(folder: &OwnedFd, home: &Path) -> Result<Trash> {
        Self::choose(folder, home, Self::open)
    }

    fn choose(
        folder: &OwnedFd,
        home: &Path,
        have: impl Fn(&Path, Option<PathBuf>) -> Result<Trash>,
    ) -> Result<Trash> {
        let place = |opened: &OwnedFd| {
            let stat = fs::stat(opened)?;
            Ok::<_, Errno>((stat.st_dev, fs::mount_of(opened).unwrap_or_default()))
        };
        let here = place(folder)?;
        if nearest(home).and_then(|nearest| place(&nearest)) == Ok(here) {
            return have(home, None);
        }
        let mut top = fs::open_folder(folder, OsStr::new("."))?;
        loop {
            let above = fs::open_folder(&top, OsStr::new(".."))?;
            let same = fs::identity(&fs::stat(&above)?) == fs::identity(&fs::stat(&top)?);
            if same || place(&above)? != here {
                break;
            }
            top = above;
        }
        let top = fs::path_of(&top)?;
        let user = rustix::process::getuid().as_raw();
        if Self::is_shared(&top.join(".Trash")) {
            let own = top.join(".Trash").join(user.to_string());
            if let Ok(trash) = have(&own, Some(top.clone())) {
                return Ok(trash);
            }
        }
        have(&top.join(format!(".Trash-{user}")), Some(top))
    }

    /// An administrator's trash for all: a real folder with the sticky bit.
    fn is_shared(path: &Path) -> bool {
        let stat = rustix::fs::lstat(path);
        stat.is_ok_and(|stat| fs::kind(&stat) == FileKind::Folder && fs::mode(&stat) & 0o1000 != 0)
    }

    fn make(path: &Path, top: Option<PathBuf>) -> Result<Trash> {
        let errno = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
        let mut builder = std::fs::DirBuilder::new();
        let _builder = std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
        builder.create(path).map_err(errno)?;
        // A link would lead the files elsewhere; another user's trash is not ours.
        let stat = rustix::fs::lstat(path)?;
        let ours = stat.st_uid == rustix::process::getuid().as_raw();
        if fs::kind(&stat) != FileKind::Folder || !ours {
            return Err(Errno::PERM);
        }
        for part in ["files", "info"] {
            builder.create(path.join(part)).map_err(errno)?;
        }
        Trash::open(path, top)
    }

    fn open(path: &Path, top: Option<PathBuf>) -> Result<Trash> {
        let opened = fs::open_folder_path(path)?;
        let files = fs::open_folder(&opened, OsStr::new("files"))?;
        let info = fs::open_folder(&opened, OsStr::new("info"))?;
        Ok(Trash { path: path.to_path_buf(), files, info, top })
    }

    /// Where a trash has a file of this name.
    pub fn path_of(trash: &Path, kept: &OsStr) -> PathBuf {
        trash.join("files").join(kept)
    }

    /// A trash that is there.
    ///
    /// # Errors
    /// What opening says.
    pub fn at(path: &Path) -> Result<Trash> {
        Trash::open(path, None)
    }

    /// A trash that was there; it is made again where somebody has removed it.
    ///
    /// # Errors
    /// What making and opening say.
    pub fn again_at(path: &Path) -> Result<Trash> {
        Trash::open(path, None).or_else(|_| Trash::make(path, None))
    }

    /// Takes a name in the trash for a file, and writes where it came from. The name is told
    /// before it is taken.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn reserve(&self, original: &Path, mut tell: impl FnMut(&OsStr)) -> Result<OsString> {
        let name = original.file_name().ok_or(Errno::INVAL)?.as_bytes();
        let told = match &self.top {
            Some(top) => original.strip_prefix(top).map_err(|_| Errno::XDEV)?,
            None => original,
        };
        let text = format!(
            "[Trash Info]\nPath={}\nDeletionDate={}\n",
            escaped(told),
            Zoned::now().strftime("%Y-%m-%dT%H:%M:%S")
        );
        for number in 1..10_000_u32 {
            let tail = if number == 1 { String::new() } else { format!(".{number}") };
            let stem = cut(name, NAME_MAX - tail.len() - INFO.len());
            let kept = OsString::from_vec([stem, tail.as_bytes()].concat());
            // A file without its information has its name all the same.
            let taken = |folder, name: &OsStr| fs::stat_name(folder, name).is_ok();
            if taken(&self.info, &info_name(&kept)) || taken(&self.files, &kept) {
                continue;
            }
            tell(&kept);
            match fs::create(&self.info, &info_name(&kept), 0o600) {
                Ok(file) => {
                    let written = fs::write_at(&file, text.as_bytes(), 0);
                    if written != Ok(text.len()) {
                        self.release(&kept);
                        return Err(written.err().unwrap_or(Errno::NOSPC));
                    }
                    return Ok(kept);
                }
                // Taken in this moment.
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::EXIST)
    }

    /// Gives up a name that was taken; a file that has it stays.
    pub fn release(&self, kept: &OsStr) {
        // Without its file it is an empty entry that file managers clean up.
        let _removed_or_not = fs::remove(&self.info, &info_name(kept));
    }

    /// Gives up a name that may have been taken for a file with this name, if it has no file:
    /// where another one has it, the information tells of another.
    pub fn release_if_for(&self, kept: &OsStr, name: &OsStr) {
        let ours = |path: Option<Vec<u8>>| {
            let last = path.as_deref().and_then(|path| path.rsplit(|byte| *byte == b'/').next());
            // Cut off while it was written, it is nobody's.
            last.is_none() || last == Some(escaped(Path::new(name)).as_bytes())
        };
        if self.holds(kept).is_none() && self.told_path(kept).is_ok_and(ours) {
            self.release(kept);
        }
    }

    /// The path that the information of a kept file tells, as it stands there; `None` where it
    /// was cut off.
    fn told_path(&self, kept: &OsStr) -> Result<Option<Vec<u8>>> {
        let mut text = vec![0; 64 * 1024];
        let info = fs::open_to_read(&self.info, &info_name(kept))?;
        let length = fs::read_fully(&info, &mut text, 0)?;
        text.truncate(length);
        let mut lines = text.split(|byte| *byte == b'\n');
        Ok(lines.find_map(|line| line.strip_prefix(b"Path=")).map(<[u8]>::to_vec))
    }

    /// Where a kept file came from; `None` where nothing tells.
    pub fn original(&self, kept: &OsStr) -> Option<PathBuf> {
        let told = PathBuf::from(OsString::from_vec(unescaped(&self.told_path(kept).ok()??)));
        match &self.top {
            Some(top) => Some(top.join(told)),
            None => told.is_absolute().then_some(told),
        }
    }

    /// The names of all that is kept.
    ///
    /// # Errors
    /// What listing says.
    pub fn names(&self) -> Result<Vec<OsString>> {
        let mut names = Vec::new();
        // A descriptor of its own: reading a folder moves its place.
        let listed = fs::open_folder(&self.files, OsStr::new("."))?;
        fs::list(&listed, &mut vec![MaybeUninit::uninit(); LISTING], |found| {
            names.push(found.name.to_os_string());
            Ok(())
        })?;
        Ok(names)
    }

    /// When a kept file came into being; `None` where its file system does not tell.
    pub fn birth(&self, kept: &OsStr) -> Option<(i64, i64)> {
        fs::birth_of_name(&self.files, kept)
    }

    /// Moves a file into the trash, under a name that was taken for it.
    ///
    /// # Errors
    /// What renaming says.
    pub fn put(&self, folder: &OwnedFd, name: &OsStr, kept: &OsStr) -> Result<()> {
        fs::rename_new(folder, name, &self.files, kept)
    }

    /// Gives a file a second name in the trash.
    ///
    /// # Errors
    /// What linking says.
    pub fn link(&self, folder: &OwnedFd, name: &OsStr, kept: &OsStr) -> Result<()> {
        fs::hard_link(folder, name, &self.files, kept)
    }

    /// Puts a kept file back under a name, in the place of what is there or not.
    ///
    /// # Errors
    /// What renaming says; `EEXIST` when the name is taken and nothing is to be replaced.
    pub fn take(&self, kept: &OsStr, folder: &OwnedFd, name: &OsStr, replace: bool) -> Result<()> {
        if replace {
            fs::rename(&self.files, kept, folder, name)?;
        } else {
            fs::rename_new(&self.files, kept, folder, name)?;
        }
        self.release(kept);
        Ok(())
    }

    /// Which file is kept under a name.
    pub fn holds(&self, kept: &OsStr) -> Option<Identity> {
        self.stat(kept).map(|stat| fs::identity(&stat))
    }

    /// What is known of the file that is kept under a name.
    pub fn stat(&self, kept: &OsStr) -> Option<Stat> {
        fs::stat_name(&self.files, kept).ok()
    }

    /// Removes a kept file for good.
    ///
    /// # Errors
    /// What removing says.
    pub fn remove(&self, kept: &OsStr) -> Result<()> {
        fs::remove(&self.files, kept)?;
        self.release(kept);
        Ok(())
    }
}

fn info_name(kept: &OsStr) -> OsString {
    let mut name = kept.to_os_string();
    name.push(INFO);
    name
}

/// The nearest folder on the way to a path that exists.
fn nearest(path: &Path) -> Result<OwnedFd> {
    path.ancestors()
        .find_map(|path| match fs::open_folder_path(path) {
            Err(Errno::NOENT) => None,
            result => Some(result),
        })
        .unwrap_or(Err(Errno::NOENT))
}

/// A path as it stands in a URL (RFC 2396): bytes beyond the unreserved as `%` and two digits.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.!~*'()".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The bytes that [`escaped`] was given.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_byte_by_byte() {
        let name = OsString::from_vec(b"/a b/caf\xe9%\n".to_vec());
        assert_eq!(escaped(Path::new(&name)), "/a%20b/caf%E9%25%0A");
        assert_eq!(unescaped(b"/a%20b/caf%E9%25%0A"), name.as_bytes());
        assert_eq!(unescaped(b"%zz%4"), b"%zz%4");
    }
}
