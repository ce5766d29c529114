//! Every system call that copying makes, one thin function each: the one seam where faults
//! can be put in.
//!
//! Names are opened relative to folder descriptors and symbolic links are not followed, so
//! that no path is resolved twice, none is limited by PATH_MAX, and a folder that is swapped
//! meanwhile redirects nothing. What follows links says so in its name.

pub mod disks;
pub mod faults;
mod kernel;
pub mod mounts;
pub mod path;

use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{self as raw, AtFlags, Mode, OFlags, Stat};
use rustix::io::{Errno, Result};

pub use kernel::{
    CachedPages, ignore_file_size_signal, private_umask_of_zero, start_writing, under_umask,
};
pub use rustix::fs::{FileType, Gid, RawDir, RenameFlags, Timespec, Timestamps, Uid, XattrFlags};

use self::faults::Call;
use super::conflict::{FileFacts, FileKind};

/// A file's identity: device and inode together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The device's number.
    pub device: u64,
    /// The inode's number.
    pub inode: u64,
}

/// The identity of what was looked at.
pub fn identity(stat: &Stat) -> Identity {
    Identity { device: stat.st_dev, inode: stat.st_ino }
}

/// The kind of what was looked at.
pub fn kind(stat: &Stat) -> FileKind {
    kind_of(FileType::from_raw_mode(stat.st_mode)).unwrap_or(FileKind::Device)
}

/// The kind of a directory entry's type; `None` when the file system does not tell.
pub fn kind_of(file_type: FileType) -> Option<FileKind> {
    Some(match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => FileKind::Device,
        FileType::Unknown => return None,
    })
}

/// What a conflict tells of one side.
pub fn facts(stat: &Stat) -> FileFacts {
    let kind = kind(stat);
    FileFacts {
        kind,
        size: if kind == FileKind::Folder { 0 } else { size(stat) },
        modified_seconds: stat.st_mtime,
        modified_nanoseconds: stat.st_mtime_nsec as u32,
    }
}

/// The size in bytes.
pub fn size(stat: &Stat) -> u64 {
    stat.st_size.max(0) as u64
}

/// Access and modification time.
pub fn times(stat: &Stat) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: stat.st_atime, tv_nsec: stat.st_atime_nsec as i64 },
        last_modification: Timespec { tv_sec: stat.st_mtime, tv_nsec: stat.st_mtime_nsec as i64 },
    }
}

/// The permission bits, setuid, setgid and sticky.
pub fn mode(stat: &Stat) -> u32 {
    stat.st_mode & 0o7777
}

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a folder in a folder.
pub fn open_folder(at: impl AsFd, name: &OsStr) -> Result<OwnedFd> {
    faults::named(Call::OpenFolder, name)?;
    raw::openat(at, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens a folder in a folder, through a symbolic link if it is one.
pub fn open_folder_followed(at: impl AsFd, name: &OsStr) -> Result<OwnedFd> {
    faults::named(Call::OpenFolder, name)?;
    raw::openat(at, name, FOLDER, Mode::empty())
}

/// Opens a folder by its path, through symbolic links. Longer paths than PATH_MAX work.
pub fn open_folder_path(path: &Path) -> Result<OwnedFd> {
    faults::named(Call::OpenFolder, path.as_os_str())?;
    let open = |at: BorrowedFd<'_>, path: &Path| raw::openat(at, path, FOLDER, Mode::empty());
    match open(raw::CWD, path) {
        Err(Errno::NAMETOOLONG) => {
            let mut at: Option<OwnedFd> = None;
            for part in path.components() {
                let from = at.as_ref().map_or(raw::CWD, AsFd::as_fd);
                at = Some(open(from, Path::new(part.as_os_str()))?);
            }
            at.ok_or(Errno::NOENT)
        }
        result => result,
    }
}

/// Opens a file for reading; `O_NONBLOCK` so that a FIFO put in its place cannot hang it.
pub fn open_to_read(at: impl AsFd, name: &OsStr) -> Result<OwnedFd> {
    faults::named(Call::OpenFile, name)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    raw::openat(at, name, flags | OFlags::NOCTTY, Mode::empty())
}

/// Makes a new file and opens it; `EEXIST` when the name is taken.
pub fn create(at: impl AsFd, name: &OsStr, mode: u32) -> Result<OwnedFd> {
    faults::named(Call::Create, name)?;
    // Also for reading: what replaces a file may be read back first, whatever its mode.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    raw::openat(at, name, flags, Mode::from_raw_mode(mode))
}

/// Opens a file that was made before; `ESTALE` when the name leads to another one.
pub fn open_to_write(at: impl AsFd, name: &OsStr, file: Identity) -> Result<OwnedFd> {
    faults::named(Call::OpenFile, name)?;
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = raw::openat(at, name, flags | OFlags::NOCTTY, Mode::empty())?;
    if identity(&stat(&opened)?) != file {
        return Err(Errno::STALE);
    }
    Ok(opened)
}

/// Makes a file without a name and opens it for writing.
pub fn create_nameless(at: impl AsFd, mode: u32) -> Result<OwnedFd> {
    faults::before(Call::CreateNameless)?;
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    raw::openat(at, ".", flags, Mode::from_raw_mode(mode))
}

/// Gives a file without a name its name; `EEXIST` when the name is taken.
pub fn name_nameless(file: impl AsFd, at: impl AsFd, name: &OsStr) -> Result<()> {
    faults::named(Call::NameNameless, name)?;
    // AT_EMPTY_PATH needs a capability before Linux 6.10; the way by /proc needs none.
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    raw::linkat(raw::CWD, path, at, name, AtFlags::SYMLINK_FOLLOW)
}

/// Makes a folder.
pub fn make_folder(at: impl AsFd, name: &OsStr, mode: u32) -> Result<()> {
    faults::named(Call::MakeFolder, name)?;
    raw::mkdirat(at, name, Mode::from_raw_mode(mode))
}

/// Makes a FIFO or a device.
pub fn make_node(at: impl AsFd, name: &OsStr, like: &Stat) -> Result<()> {
    faults::named(Call::MakeNode, name)?;
    let file_type = FileType::from_raw_mode(like.st_mode);
    raw::mknodat(at, name, file_type, Mode::from_raw_mode(mode(like) & 0o700), like.st_rdev)
}

/// Makes a symbolic link.
pub fn make_link(text: &CStr, at: impl AsFd, name: &OsStr) -> Result<()> {
    faults::named(Call::MakeLink, name)?;
    raw::symlinkat(text, at, name)
}

/// What a symbolic link points to.
pub fn read_link(at: impl AsFd, name: &OsStr) -> Result<std::ffi::CString> {
    faults::named(Call::ReadLink, name)?;
    raw::readlinkat(at, name, Vec::new())
}

/// Makes a hard link; a symbolic link is linked itself.
pub fn hard_link(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<()> {
    faults::named(Call::HardLink, new_name)?;
    raw::linkat(from, name, to, new_name, AtFlags::empty())
}

/// Looks at an open file.
pub fn stat(file: impl AsFd) -> Result<Stat> {
    faults::look(Call::Stat, OsStr::new(""), || raw::fstat(file))
}

/// Looks at a name; a symbolic link is looked at itself.
pub fn stat_name(at: impl AsFd, name: &OsStr) -> Result<Stat> {
    let look = || raw::statat(at, name, AtFlags::SYMLINK_NOFOLLOW);
    faults::look(Call::StatName, name, look)
}

/// Looks at what a name leads to, through symbolic links.
pub fn stat_followed(at: impl AsFd, name: &OsStr) -> Result<Stat> {
    faults::look(Call::StatName, name, || raw::statat(at, name, AtFlags::empty()))
}

/// Renames; an existing file is replaced.
pub fn rename(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<()> {
    faults::named(Call::Rename, new_name)?;
    raw::renameat(from, name, to, new_name)
}

/// Renames; `EEXIST` when the new name is taken.
pub fn rename_new(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<()> {
    let (from, to) = (from.as_fd(), to.as_fd());
    let renamed = faults::named(Call::RenameNew, new_name)
        .and_then(|()| raw::renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE));
    match renamed {
        // Few file systems lack the flag.
        Err(Errno::INVAL | Errno::NOSYS) => rename_to_held(from, name, to, new_name),
        result => result,
    }
}

/// Renames onto a name that is taken first by something empty, in the one way that never takes
/// what somebody else has made: looking and then renaming would.
fn rename_to_held(from: impl AsFd, name: &OsStr, to: impl AsFd, new_name: &OsStr) -> Result<()> {
    let (from, to) = (from.as_fd(), to.as_fd());
    let is_folder = kind(&stat_name(from, name)?) == FileKind::Folder;
    if is_folder {
        make_folder(to, new_name, 0o700)?;
    } else {
        hold(to, new_name)?;
    }
    let held = stat_name(to, new_name)?;
    rename(from, name, to, new_name).inspect_err(|_| {
        // Only what is still the empty one that was made here.
        let _removed_or_not = match is_folder {
            true => remove_folder(to, new_name),
            false => remove_if(to, new_name, identity(&held)),
        };
    })
}

/// Makes an empty file that nobody holds open: a driver in user space gives one that is open
/// another name when something takes its place.
fn hold(at: impl AsFd, name: &OsStr) -> Result<()> {
    let at = at.as_fd();
    let mode = Mode::from_raw_mode(0o600);
    let made = faults::named(Call::MakeNode, name)
        .and_then(|()| raw::mknodat(at, name, FileType::RegularFile, mode, 0));
    match made {
        Err(Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP) => {
            create(at, name, 0o600).map(|_closed| ())
        }
        made => made,
    }
}

/// Lets two names in a folder change places, in one step.
pub fn exchange(at: impl AsFd, name: &OsStr, other: &OsStr) -> Result<()> {
    let at = at.as_fd();
    faults::named(Call::Exchange, other)?;
    raw::renameat_with(at, name, at, other, RenameFlags::EXCHANGE)
}

/// When what a name leads to came into being: seconds and nanoseconds; `None` where the file
/// system does not tell. A symbolic link is looked at itself.
pub fn birth_of_name(at: impl AsFd, name: &OsStr) -> Option<(i64, i64)> {
    let flags = AtFlags::SYMLINK_NOFOLLOW;
    let found = raw::statx(at, name, flags, raw::StatxFlags::BTIME).ok()?;
    let told = found.stx_mask & raw::StatxFlags::BTIME.bits() != 0;
    told.then_some((found.stx_btime.tv_sec, i64::from(found.stx_btime.tv_nsec)))
}

/// Whether names in a folder may be changed, by its mode; who may do everything may.
pub fn may_change(folder: impl AsFd) -> Result<()> {
    let access = raw::Access::WRITE_OK | raw::Access::EXEC_OK;
    raw::accessat(folder, ".", access, AtFlags::EACCESS)
}

/// Removes a name that is not a folder.
pub fn remove(at: impl AsFd, name: &OsStr) -> Result<()> {
    faults::named(Call::Remove, name)?;
    raw::unlinkat(at, name, AtFlags::empty())
}

/// Removes a name if it still leads to this file, which is no folder.
pub fn remove_if(at: impl AsFd, name: &OsStr, file: Identity) -> Result<()> {
    let at = at.as_fd();
    if identity(&stat_name(at, name)?) != file {
        return Err(Errno::STALE);
    }
    remove(at, name)
}

/// Removes an empty folder.
pub fn remove_folder(at: impl AsFd, name: &OsStr) -> Result<()> {
    faults::named(Call::RemoveFolder, name)?;
    raw::unlinkat(at, name, AtFlags::REMOVEDIR)
}

/// Sets the owner, the group or both.
pub fn set_owner(file: impl AsFd, owner: Option<u32>, group: Option<u32>) -> Result<()> {
    faults::before(Call::SetOwner)?;
    raw::fchown(file, owner.map(Uid::from_raw), group.map(Gid::from_raw))
}

/// Sets the owner, the group or both of a name, not following a link.
pub fn set_owner_name(
    at: impl AsFd,
    name: &OsStr,
    owner: Option<u32>,
    group: Option<u32>,
) -> Result<()> {
    faults::named(Call::SetOwnerName, name)?;
    let (owner, group) = (owner.map(Uid::from_raw), group.map(Gid::from_raw));
    raw::chownat(at, name, owner, group, AtFlags::SYMLINK_NOFOLLOW)
}

/// Sets the mode.
pub fn set_mode(file: impl AsFd, mode: u32) -> Result<()> {
    faults::before(Call::SetMode)?;
    raw::fchmod(file, Mode::from_raw_mode(mode))
}

/// A place in a file system, to reach a FIFO or device by without opening it; `ESTALE` when
/// the name leads to another one.
pub fn open_node(at: impl AsFd, name: &OsStr, node: Identity) -> Result<OwnedFd> {
    faults::named(Call::OpenFile, name)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = raw::openat(at, name, flags, Mode::empty())?;
    if identity(&stat(&opened)?) != node {
        return Err(Errno::STALE);
    }
    Ok(opened)
}

/// A descriptor that is only a place takes no call on files; its path in /proc does.
fn path_of_node(node: impl AsFd) -> String {
    format!("/proc/self/fd/{}", node.as_fd().as_raw_fd())
}

/// Sets the mode of a FIFO or device.
pub fn set_mode_of_node(node: impl AsFd, name: &OsStr, mode: u32) -> Result<()> {
    faults::named(Call::SetMode, name)?;
    raw::chmodat(raw::CWD, path_of_node(node), Mode::from_raw_mode(mode), AtFlags::empty())
}

/// One extended attribute of a FIFO or device; how many bytes it has.
pub fn get_xattr_of_node(node: impl AsFd, name: &CStr, value: &mut [u8]) -> Result<usize> {
    faults::before(Call::GetXattr)?;
    raw::getxattr(path_of_node(node), name, value)
}

/// Sets one extended attribute of a FIFO or device.
pub fn set_xattr_of_node(node: impl AsFd, name: &CStr, value: &[u8]) -> Result<()> {
    faults::before(Call::SetXattr)?;
    raw::setxattr(path_of_node(node), name, value, XattrFlags::empty())
}

/// Removes one extended attribute of a FIFO or device.
pub fn remove_xattr_of_node(node: impl AsFd, name: &CStr) -> Result<()> {
    faults::before(Call::RemoveXattr)?;
    raw::removexattr(path_of_node(node), name)
}

/// Sets the times.
pub fn set_times(file: impl AsFd, times: &Timestamps) -> Result<()> {
    faults::before(Call::SetTimes)?;
    raw::futimens(file, times)
}

/// Sets the times of a name, not following a link.
pub fn set_times_name(at: impl AsFd, name: &OsStr, times: &Timestamps) -> Result<()> {
    faults::named(Call::SetTimesName, name)?;
    raw::utimensat(at, name, times, AtFlags::SYMLINK_NOFOLLOW)
}

/// The names of a file's extended attributes, NUL after each; how many bytes they take.
pub fn list_xattrs(file: impl AsFd, list: &mut [u8]) -> Result<usize> {
    faults::before(Call::ListXattrs)?;
    raw::flistxattr(file, list)
}

/// One extended attribute's value; how many bytes it has.
pub fn get_xattr(file: impl AsFd, name: &CStr, value: &mut [u8]) -> Result<usize> {
    faults::before(Call::GetXattr)?;
    raw::fgetxattr(file, name, value)
}

/// How many bytes one extended attribute's value has.
pub fn xattr_size(file: impl AsFd, name: &CStr) -> Result<usize> {
    faults::before(Call::GetXattr)?;
    // A call of its own: with an empty buffer rustix answers 0 without asking.
    raw::fgetxattr_query(file, name)
}

/// Sets one extended attribute.
pub fn set_xattr(file: impl AsFd, name: &CStr, value: &[u8]) -> Result<()> {
    faults::before(Call::SetXattr)?;
    raw::fsetxattr(file, name, value, XattrFlags::empty())
}

/// Removes one extended attribute.
pub fn remove_xattr(file: impl AsFd, name: &CStr) -> Result<()> {
    faults::before(Call::RemoveXattr)?;
    raw::fremovexattr(file, name)
}

/// Shares all data of a file with another that is empty.
pub fn clone_data(from: impl AsFd, to: impl AsFd) -> Result<()> {
    faults::before(Call::Clone)?;
    raw::ioctl_ficlone(to, from)
}

/// Copies up to `length` bytes inside the kernel from and to the given offsets; how many.
pub fn copy_range(
    from: impl AsFd,
    from_offset: &mut u64,
    to: impl AsFd,
    to_offset: &mut u64,
    length: u64,
) -> Result<u64> {
    let length = usize::try_from(length).unwrap_or(1 << 30);
    let (from, to) = (from.as_fd(), to.as_fd());
    retry(|| {
        let length = faults::length(Call::CopyRange, length)?;
        let (from_offset, to_offset) = (Some(&mut *from_offset), Some(&mut *to_offset));
        raw::copy_file_range(from, from_offset, to, to_offset, length).map(|n| n as u64)
    })
}

/// Reads at an offset; how many bytes, 0 at the end.
pub fn read_at(file: impl AsFd, buffer: &mut [u8], offset: u64) -> Result<usize> {
    retry(|| {
        let length = faults::length(Call::Read, buffer.len())?;
        rustix::io::pread(file.as_fd(), &mut buffer[..length], offset)
    })
}

/// Fills a buffer from an offset as far as the file goes; how many bytes.
pub fn read_fully(file: impl AsFd, buffer: &mut [u8], offset: u64) -> Result<usize> {
    let file = file.as_fd();
    let mut filled = 0;
    while filled < buffer.len() {
        match read_at(file, &mut buffer[filled..], offset + filled as u64)? {
            0 => break,
            got => filled += got,
        }
    }
    Ok(filled)
}

/// Writes at an offset; how many bytes.
pub fn write_at(file: impl AsFd, buffer: &[u8], offset: u64) -> Result<usize> {
    retry(|| {
        let length = faults::length(Call::Write, buffer.len())?;
        rustix::io::pwrite(file.as_fd(), &buffer[..length], offset)
    })
}

/// The next stretch of data at or after an offset, as start and end; `None` when only a
/// hole is left.
pub fn next_data(file: impl AsFd, offset: u64) -> Result<Option<(u64, u64)>> {
    faults::before(Call::Seek)?;
    let file = file.as_fd();
    let start = match raw::seek(file, raw::SeekFrom::Data(offset)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok(None),
        Err(error) => return Err(error),
    };
    let end = raw::seek(file, raw::SeekFrom::Hole(start))?;
    Ok(Some((start, end)))
}

/// Sets a file's size; growing makes a hole.
pub fn set_size(file: impl AsFd, size: u64) -> Result<()> {
    faults::before(Call::SetSize)?;
    raw::ftruncate(file, size)
}

/// Writes a file through to the device; says what closing it would say too late.
pub fn flush_file(file: impl AsFd) -> Result<()> {
    retry(|| faults::before(Call::Flush).and_then(|()| raw::fsync(file.as_fd())))
}

/// Closes a file and says whether that worked: FUSE and network file systems tell of a full
/// disk only then.
pub fn close(file: OwnedFd) -> Result<()> {
    faults::before(Call::Close)?;
    kernel::close(file)
}

/// Writes a file's data through to the device.
pub fn flush_data(file: impl AsFd) -> Result<()> {
    retry(|| faults::before(Call::FlushData).and_then(|()| raw::fdatasync(file.as_fd())))
}

/// Writes a whole file system through to the device; reports errors of earlier writes.
pub fn flush_file_system(file: impl AsFd) -> Result<()> {
    faults::before(Call::FlushFileSystem)?;
    raw::syncfs(file)
}

/// Tells the kernel that the first `length` bytes of a file are going to be read.
pub fn will_need(file: impl AsFd, length: u64) -> Result<()> {
    raw::fadvise(file, 0, std::num::NonZeroU64::new(length), raw::Advice::WillNeed)
}

/// Asks the kernel to drop a file's clean pages from its cache.
pub fn drop_pages(file: impl AsFd) -> Result<()> {
    faults::before(Call::DropPages)?;
    raw::fadvise(file, 0, None, raw::Advice::DontNeed)
}

/// What of a file is in the cache (Linux 6.5).
///
/// # Errors
/// `ENOSYS` on an older kernel, `EPERM` for another user's file that cannot be written.
pub fn cached_pages(file: impl AsFd) -> Result<CachedPages> {
    faults::before(Call::CachedPages)?;
    kernel::cached_pages(file)
}

/// Writes out what is not yet on the device of a stretch of a file's data, and waits for it;
/// neither metadata nor the device's own cache.
pub fn write_out(file: impl AsFd, offset: u64, length: u64) -> Result<()> {
    faults::before(Call::WriteOut)?;
    kernel::write_out(file, offset, length)
}

/// Opens an open file once more, to read it past the kernel's cache.
pub fn open_direct(file: impl AsFd) -> Result<OwnedFd> {
    faults::before(Call::OpenDirect)?;
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
    raw::openat(raw::CWD, path, flags, Mode::empty())
}

/// The number of the mount that an open file or folder lies on.
pub fn mount_of(file: impl AsFd) -> Result<u64> {
    let found = raw::statx(file, "", AtFlags::EMPTY_PATH, raw::StatxFlags::MNT_ID)?;
    Ok(found.stx_mnt_id)
}

/// The path that an open folder has now.
pub fn path_of(folder: impl AsFd) -> Result<PathBuf> {
    let link = format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd());
    let path = raw::readlinkat(raw::CWD, link, Vec::new())?;
    Ok(PathBuf::from(OsStr::from_bytes(path.to_bytes())))
}

/// The umask of the process, whichever its threads have; the strictest where it is not told.
pub fn process_umask() -> u32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    umask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o077)
}

/// The time that a file changed now would be dated with: seconds and nanoseconds.
pub fn file_clock() -> (i64, i64) {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

/// The time, to the nanosecond: seconds and nanoseconds. No file is dated later.
pub fn now() -> (i64, i64) {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    (now.tv_sec, now.tv_nsec)
}

/// Whether names that differ only in case are one name in a folder.
pub fn folds_case(folder: impl AsFd) -> bool {
    // FS_CASEFOLD_FL, linux/fs.h.
    const CASEFOLD: u32 = 0x4000_0000;
    raw::ioctl_getflags(folder).is_ok_and(|flags| flags.bits() & CASEFOLD != 0)
}

/// The file system's magic number.
pub fn file_system_magic(file: impl AsFd) -> Result<i64> {
    faults::number(Call::FileSystem, || Ok(raw::fstatfs(file)?.f_type as i64))
}

/// What is free for this user on a file system, in bytes. 0 blocks in all mean that it does
/// not say, not that it is full.
pub fn free_space(file: impl AsFd) -> Option<u64> {
    let facts = raw::fstatvfs(file).ok().filter(|facts| facts.f_blocks > 0)?;
    Some(facts.f_bavail.saturating_mul(facts.f_frsize))
}

/// The room that removing a name of a file makes free, in bytes.
pub fn room(stat: &Stat) -> u64 {
    if stat.st_nlink == 1 { stat.st_blocks as u64 * 512 } else { 0 }
}

/// One name of a folder's listing.
pub struct Listed<'a> {
    /// The name.
    pub name: &'a OsStr,
    /// What it is; `None` when the file system does not tell.
    pub kind: Option<FileKind>,
    /// The number of its inode.
    pub inode: u64,
}

/// Lists a folder without `.` and `..`: calls `each` for every name.
///
/// The buffer is the caller's; 64 KiB holds about a thousand names a system call.
pub fn list(
    folder: impl AsFd,
    buffer: &mut [MaybeUninit<u8>],
    mut each: impl FnMut(Listed<'_>) -> Result<()>,
) -> Result<()> {
    let mut names = RawDir::new(folder, buffer);
    while let Some(entry) = names.next() {
        let entry = faults::before(Call::List).and(entry)?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            let (kind, inode) = (kind_of(entry.file_type()), entry.ino());
            each(Listed { name: OsStr::from_bytes(name), kind, inode })?;
        }
    }
    Ok(())
}

/// Calls again when a signal interrupted it; not for ever.
fn retry<T>(mut call: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 0..1000 {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::INTR)
}
