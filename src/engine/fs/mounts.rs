//! What file systems are: their names, and which of their answers can be trusted.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::file_system_magic;

/// A kind of file system, as far as copying makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileSystem {
    magic: i64,
}

// linux/magic.h.
const EXT: i64 = 0xEF53;
const XFS: i64 = 0x5846_5342;
const BTRFS: i64 = 0x9123_683E;
const TMPFS: i64 = 0x0102_1994;
const RAMFS: i64 = 0x8584_58F6;
const F2FS: i64 = 0xF2F5_2010;
const BCACHEFS: i64 = 0xCA45_1A4E;
const ZFS: i64 = 0x2FC1_2FC1;
const OVERLAY: i64 = 0x794C_7630;
const MSDOS: i64 = 0x4D44;
const EXFAT: i64 = 0x2011_BAB0;
const NTFS: i64 = 0x5346_544E;
const NTFS3: i64 = 0x7366_746E;
const NFS: i64 = 0x6969;
const CIFS: i64 = 0xFF53_4D42;
const SMB2: i64 = 0xFE53_4D42;
const FUSE: i64 = 0x6573_5546;
const PROC: i64 = 0x9FA0;
const SYSFS: i64 = 0x6265_6572;
const CGROUP: i64 = 0x0027_E0EB;
const CGROUP2: i64 = 0x6367_7270;
const DEBUGFS: i64 = 0x6462_6720;
const ISO9660: i64 = 0x9660;
const SQUASHFS: i64 = 0x7371_7368;

impl FileSystem {
    /// The file system of an open file or folder; an unknown one when it does not tell.
    pub fn of(file: impl AsFd) -> FileSystem {
        FileSystem { magic: file_system_magic(file).unwrap_or_default() }
    }

    /// Its name as the kernel spells it.
    pub fn name(self) -> &'static str {
        match self.magic {
            EXT => "ext4",
            XFS => "xfs",
            BTRFS => "btrfs",
            TMPFS => "tmpfs",
            RAMFS => "ramfs",
            F2FS => "f2fs",
            BCACHEFS => "bcachefs",
            ZFS => "zfs",
            OVERLAY => "overlay",
            MSDOS => "vfat",
            EXFAT => "exfat",
            NTFS => "ntfs",
            NTFS3 => "ntfs3",
            NFS => "nfs",
            CIFS | SMB2 => "cifs",
            FUSE => "fuse",
            PROC => "proc",
            SYSFS => "sysfs",
            ISO9660 => "iso9660",
            SQUASHFS => "squashfs",
            _ => "other",
        }
    }

    /// Local and well behaved: sizes are true, `copy_file_range` and hole reports can be
    /// trusted. An allow list: whatever is not on it is read and written in the plain way.
    pub fn is_plain_local(self) -> bool {
        matches!(self.magic, EXT | XFS | BTRFS | TMPFS | RAMFS | F2FS | BCACHEFS)
    }

    /// Its files live in memory: there is no device behind it.
    pub fn is_memory(self) -> bool {
        matches!(self.magic, TMPFS | RAMFS)
    }

    /// Its files lie on a device, most often in the order of their inodes.
    pub fn is_on_disk(self) -> bool {
        self.is_plain_local() && !self.is_memory()
    }

    /// Sizes are made up by the kernel as files are read (`/proc`, `/sys`).
    pub fn sizes_are_made_up(self) -> bool {
        matches!(self.magic, PROC | SYSFS | CGROUP | CGROUP2 | DEBUGFS)
    }

    /// Whether a size says how much there is to read. Elsewhere files are read to their end:
    /// FUSE and the kernel's own file systems have some that are only sized as they are read.
    pub fn sizes_are_true(self) -> bool {
        self.is_plain_local()
    }

    /// The largest file that it can hold, in bytes, where that is less than anybody has: FAT
    /// counts in 32 bits.
    pub fn largest_file(self) -> Option<u64> {
        (self.magic == MSDOS).then_some(u64::from(u32::MAX))
    }

    /// Has clones, so that asking for one can succeed. The others need not be asked.
    pub fn may_clone(self) -> bool {
        // ZFS can too, but its block cloning has corrupted copies (OpenZFS 2.2.0).
        matches!(self.magic, XFS | BTRFS | BCACHEFS | OVERLAY | NFS | CIFS | SMB2)
    }

    /// A rename onto an existing name puts the new data on the device before the name:
    /// ext4 does (`auto_da_alloc`), in memory there is nothing to lose.
    pub fn rename_is_ordered(self) -> bool {
        matches!(self.magic, EXT | TMPFS | RAMFS)
    }

    /// Below this size in bytes data goes faster by reading and writing than by a clone. On
    /// XFS a clone costs as much as writing 16 KiB, on btrfs it is always cheaper. What is
    /// not yet on the device has to be written before it is shared.
    pub fn clone_from(self, unwritten: bool) -> u64 {
        match (self.magic == XFS, unwritten) {
            (true, false) => 16 * 1024,
            (true, true) => 256 * 1024,
            (false, false) => 1,
            (false, true) => 16 * 1024,
        }
    }

    /// Lies on a device that may be taken out: what the kernel says of it, and every FAT or
    /// exFAT, which is what sticks and cards have.
    pub fn is_removable(self, device: u64) -> bool {
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        let says = |file: &str| {
            std::fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/{file}"))
                .is_ok_and(|text| text.trim() == "1")
        };
        // USB disks say no, but may be pulled all the same.
        let bus = || {
            let device = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}"));
            device.is_ok_and(|path| {
                let path = path.to_string_lossy();
                path.contains("/usb") || path.contains("/mmc")
            })
        };
        // A partition's answer stands in its disk's folder.
        matches!(self.magic, MSDOS | EXFAT) || says("removable") || says("../removable") || bus()
    }
}

/// One mount of the kernel's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    pub(in crate::engine) number: u64,
    device: Vec<u8>,
    root: PathBuf,
    /// Where it is mounted.
    pub point: PathBuf,
    /// Its file system, as the kernel names it.
    pub file_system: String,
    /// What is mounted: a device's node, or a word where there is none.
    pub(in crate::engine) source: PathBuf,
}

/// The mounts of this process, by the kernel's table: no mount is touched.
pub fn mounts() -> Vec<Mount> {
    let table = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    table.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A line of the table (proc_pid_mountinfo(5)):
/// `36 35 98:0 /root /mount/point options … - ext4 /dev/sda1 options`.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let number = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let device = fields.nth(1)?.to_vec();
    let root = unescape(fields.next()?);
    let point = unescape(fields.next()?);
    let mut fields = fields.skip_while(|field| *field != b"-").skip(1);
    let file_system = String::from_utf8_lossy(fields.next()?).into_owned();
    let source = fields.next().map(unescape).unwrap_or_default();
    Some(Mount { number, device, root, point, file_system, source })
}

/// Where a folder lies within its file system, whichever mount it was reached through: by it
/// a bind mount of a folder's child is seen to be in the folder.
pub struct Location {
    device: Vec<u8>,
    path: PathBuf,
}

impl Location {
    /// The location of an open folder; `None` where the kernel does not tell.
    pub fn of(folder: impl AsFd) -> Option<Location> {
        let folder = folder.as_fd();
        let number = super::mount_of(folder).ok()?;
        let path = super::path_of(folder).ok()?;
        let mount = mounts().into_iter().find(|mount| mount.number == number)?;
        let path = mount.root.join(path.strip_prefix(&mount.point).ok()?);
        Some(Location { device: mount.device, path })
    }

    /// Whether it is the other folder or lies in it.
    pub fn is_below(&self, other: &Location) -> bool {
        self.device == other.device && self.path.starts_with(&other.path)
    }
}

/// In mountinfo space, tab, newline and backslash are written as octal numbers.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let octal = (first == b'\\').then(|| after.get(..3)).flatten();
        let code = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_mount_with_a_blank_in_its_name_is_understood() {
        let line =
            br"29 1 8:17 / /media/anna/Backup\040stick rw,nosuid shared:5 - exfat /dev/sdb1 rw";
        let mount = mount(line).expect("a mount");
        assert_eq!(mount.point, Path::new("/media/anna/Backup stick"));
        assert_eq!(mount.file_system, "exfat");
    }

    #[test]
    fn escaped_names_are_read_back() {
        assert_eq!(unescape(br"/a\040b\134c\012"), PathBuf::from("/a b\\c\n"));
        assert_eq!(unescape(br"/a\9"), PathBuf::from("/a\\9"));
    }

    #[test]
    fn a_folder_lies_in_itself_and_below_what_is_above_it() {
        let at = |path: &str| Location { device: b"8:1".to_vec(), path: path.into() };
        assert!(at("/a/b").is_below(&at("/a")) && at("/a").is_below(&at("/a")));
        assert!(!at("/ab").is_below(&at("/a")) && !at("/a").is_below(&at("/a/b")));
    }
}
