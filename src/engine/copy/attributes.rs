//! Everything of a file but its data, through its descriptor, in this order: owner, extended
//! attributes and ACL, mode, then times. A change of owner takes setuid and capabilities
//! away, so it comes first; times last make the time a mark that the file is whole.

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::{At, Lost, Place, Trouble, failed};
use crate::engine::error::Operation;
use crate::engine::folder::Target;
use crate::engine::fs;
use crate::engine::preserve::Preserve;
use crate::engine::summary::NoticeKind;

pub const ACCESS_ACL: &CStr = c"system.posix_acl_access";
const DEFAULT_ACL: &CStr = c"system.posix_acl_default";
/// How btrfs compresses a file: kept there, and no loss elsewhere.
const COMPRESSION: &CStr = c"btrfs.compression";
/// The largest value that Linux lets an extended attribute have, in bytes.
const XATTR_MOST: usize = 65_536;

/// Who new files belong to.
struct Me {
    user: u32,
    group: u32,
    root: bool,
    umask: u32,
}

static ME: LazyLock<Me> = LazyLock::new(|| {
    let user = rustix::process::geteuid();
    Me {
        user: user.as_raw(),
        group: rustix::process::getegid().as_raw(),
        root: user.is_root(),
        umask: fs::process_umask(),
    }
});

/// The extended attributes of a source, found before its copy is made.
#[derive(Default)]
pub struct Xattrs {
    names: Vec<u8>,
    has_acl: bool,
    preserve: Preserve,
}

impl Xattrs {
    /// The names of an open file's attributes, as far as they are copied. Costs one call, or
    /// none where the source's file system has no attributes.
    ///
    /// # Errors
    /// When they cannot be listed.
    pub fn of(place: &Place<'_>, source: &OwnedFd) -> Result<Xattrs, Trouble> {
        let preserve = place.preserve;
        if !place.pair.xattrs.load(Relaxed) || !(preserve.xattrs || preserve.mode) {
            return Ok(Xattrs::default());
        }
        let mut small = [0; 256];
        let names = match fs::list_xattrs(source, &mut small) {
            Ok(0) => return Ok(Xattrs::default()),
            Ok(length) => small[..length].to_vec(),
            Err(Errno::RANGE) => {
                let mut large = vec![0; XATTR_MOST];
                let length = fs::list_xattrs(source, &mut large)
                    .map_err(failed(Operation::Inspect, At::Source))?;
                large.truncate(length);
                large
            }
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
                place.pair.xattrs.store(false, Relaxed);
                return Ok(Xattrs::default());
            }
            Err(errno) => return Err(failed(Operation::Inspect, At::Source)(errno)),
        };
        let has_acl = split(&names).any(|name| name == ACCESS_ACL);
        Ok(Xattrs { names, has_acl, preserve })
    }

    fn names(&self) -> impl Iterator<Item = &CStr> {
        split(&self.names).filter(|name| is_copied(name.to_bytes(), self.preserve))
    }
}

fn split(names: &[u8]) -> impl Iterator<Item = &CStr> {
    names.split_inclusive(|byte| *byte == 0).filter_map(|n| CStr::from_bytes_with_nul(n).ok())
}

/// User attributes, ACLs and capabilities; root's `trusted` ones as root. Security labels
/// belong to the place and not to the file, as with `cp`.
fn is_copied(name: &[u8], preserve: Preserve) -> bool {
    if name.starts_with(b"system.posix_acl_") {
        return preserve.mode;
    }
    let is_attribute = name.starts_with(b"user.")
        || name == b"security.capability"
        || name == COMPRESSION.to_bytes()
        || (name.starts_with(b"trusted.") && !name.starts_with(b"trusted.overlay.") && ME.root);
    is_attribute && preserve.xattrs
}

/// The owner and group that a copy must be given; `None` where a new file has it already.
fn owner_to_set(stat: &Stat, target: &Target) -> (Option<u32>, Option<u32>) {
    let owner = (stat.st_uid != ME.user).then_some(stat.st_uid);
    // A setgid folder hands its group on: that is what it is setgid for.
    let group = if target.group.is_some() {
        None
    } else {
        (stat.st_gid != ME.group).then_some(stat.st_gid)
    };
    (owner, group)
}

/// The mode to make a copy with: exactly its own, or nothing for others while its owner,
/// group or ACL are not yet what they shall be, so that it is never wider than its source.
pub fn first_mode(stat: &Stat, place: &Place<'_>, xattrs: &Xattrs) -> u32 {
    let Place { target, preserve, .. } = place;
    if !preserve.mode {
        return usual_mode(stat);
    }
    let final_already = (!preserve.owner || owner_to_set(stat, target) == (None, None))
        && target.group.is_none_or(|group| group == stat.st_gid)
        && !target.default_acl
        && !xattrs.has_acl;
    fs::mode(stat) & if final_already { 0o777 } else { 0o700 }
}

/// Sets owner, extended attributes, ACL, mode and times of a new file or folder.
///
/// What the destination cannot keep is lost and said; it is no failure. `made_with` is the
/// mode it was made with; `None` sets the mode in any case.
///
/// # Errors
/// When reading the source's attributes fails, or a full disk or an I/O error stops setting
/// them.
pub fn set(
    place: &Place<'_>,
    source: &OwnedFd,
    stat: &Stat,
    xattrs: &Xattrs,
    made: &OwnedFd,
    made_with: Option<u32>,
) -> Result<Lost, Trouble> {
    let mut lost = Lost::default();
    let mut mode = fs::mode(stat);
    let preserve = place.preserve;
    if !set_owner_as(stat, place, &mut lost, |o, g| fs::set_owner(made, o, g)) {
        // Rights of the owner are not handed to another one.
        mode &= !0o6000;
    }
    if !preserve.mode {
        mode = usual_mode(stat);
    }
    let is_folder = fs::kind(stat) == crate::engine::FileKind::Folder;
    match place.target.group {
        // A folder that was made in a setgid folder is one itself.
        Some(_) if is_folder => mode |= 0o2000,
        // The group is another one: its rights are not handed to it.
        Some(group) if group != stat.st_gid => mode &= !0o2000,
        _ => {}
    }
    if preserve.mode && place.target.default_acl && !drop_inherited_acl(xattrs, made, is_folder) {
        lost.add(NoticeKind::Acl);
    }
    if let Some(group) = copy_xattrs(xattrs, source, made, &mut lost)? {
        mode = mode & !0o070 | group << 3;
    }
    // An ACL carries the permission bits; setting it may have cleared setgid.
    let was_made_so = !preserve.mode && !is_folder;
    if !was_made_so && (made_with != Some(mode) || place.target.default_acl) {
        match fs::set_mode(made, mode) {
            Ok(()) => {}
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::ROFS) => lost.add(NoticeKind::Mode),
            Err(errno) => return Err(failed(Operation::SetAttributes, At::Destination)(errno)),
        }
    }
    if !preserve.times {
        return Ok(lost);
    }
    match fs::set_times(made, &fs::times(stat)) {
        Ok(()) => {}
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::INVAL) => lost.add(NoticeKind::Times),
        Err(errno) => return Err(failed(Operation::SetAttributes, At::Destination)(errno)),
    }
    Ok(lost)
}

/// The mode of a new entry whose permissions are not kept: its source's, as far as the umask
/// lets it.
pub fn usual_mode(stat: &Stat) -> u32 {
    fs::mode(stat) & 0o777 & !ME.umask
}

/// Sets owner and group, if they are to be kept; whether they are its source's now.
pub fn set_owner_as(
    stat: &Stat,
    place: &Place<'_>,
    lost: &mut Lost,
    set: impl Fn(Option<u32>, Option<u32>) -> rustix::io::Result<()>,
) -> bool {
    let wanted = owner_to_set(stat, &place.target);
    if !place.preserve.owner {
        return wanted == (None, None);
    }
    let kept = set_owner(wanted, set);
    if !kept {
        lost.add(NoticeKind::Owner);
    }
    kept
}

fn set_owner(
    (owner, group): (Option<u32>, Option<u32>),
    set: impl Fn(Option<u32>, Option<u32>) -> rustix::io::Result<()>,
) -> bool {
    if owner.is_none() && group.is_none() {
        return true;
    }
    if set(owner, group).is_ok() {
        return true;
    }
    // The owner may be root's to give, the group is often one's own.
    if owner.is_some() && group.is_some() {
        let _kept_or_not = set(None, group);
    }
    false
}

/// A new file in a folder with a default ACL has inherited one; its source may have none.
/// Whether it has none now.
fn drop_inherited_acl(xattrs: &Xattrs, made: &OwnedFd, is_folder: bool) -> bool {
    let drop = |name| is_gone(fs::remove_xattr(made, name));
    let access = xattrs.has_acl || drop(ACCESS_ACL);
    let default = !is_folder || drop(DEFAULT_ACL);
    access && default
}

/// Whether what was to be removed is not there.
pub fn is_gone(removed: rustix::io::Result<()>) -> bool {
    matches!(removed, Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP))
}

/// Copies extended attributes and ACLs. Where the access ACL was lost, gives the owning
/// group's own permission: the mode of a file with an ACL shows the mask in its place, and
/// keeping that would let the group do what only others named in the ACL may.
fn copy_xattrs(
    xattrs: &Xattrs,
    source: &OwnedFd,
    made: &OwnedFd,
    lost: &mut Lost,
) -> Result<Option<u32>, Trouble> {
    let mut value = Vec::new();
    let mut group = None;
    for name in xattrs.names() {
        if value.is_empty() {
            value.resize(XATTR_MOST, 0);
        }
        let length = match fs::get_xattr(source, name, &mut value) {
            Ok(length) => length,
            // Removed meanwhile, or not ours to read.
            Err(Errno::NODATA) => continue,
            Err(Errno::PERM | Errno::ACCESS) => {
                lost.add(NoticeKind::Xattr);
                continue;
            }
            Err(errno) => return Err(failed(Operation::Inspect, At::Source)(errno)),
        };
        match fs::set_xattr(made, name, &value[..length]) {
            Ok(()) => {}
            Err(errno @ (Errno::DQUOT | Errno::IO | Errno::NOMEM)) => {
                return Err(failed(Operation::SetAttributes, At::Destination)(errno));
            }
            // ENOSPC here most often says that the attribute is too large for this file
            // system (ext4: a block), not that the disk is full.
            Err(_) if name == ACCESS_ACL => {
                group = owning_group(&value[..length]);
                lost.add(NoticeKind::Acl);
            }
            Err(Errno::OPNOTSUPP) if name == COMPRESSION => {}
            Err(_) if name == DEFAULT_ACL => lost.add(NoticeKind::Acl),
            Err(_) => lost.add(NoticeKind::Xattr),
        }
    }
    Ok(group)
}

/// The owning group's permission bits in an ACL (linux/posix_acl_xattr.h: a version of four
/// bytes, then entries of tag, permission and id, two, two and four bytes, little-endian).
pub fn owning_group(acl: &[u8]) -> Option<u32> {
    const GROUP_OBJ: [u8; 2] = [4, 0];
    let entries = acl.get(4..)?.chunks_exact(8);
    let mut owning = entries.filter(|entry| entry[..2] == GROUP_OBJ);
    owning.next().map(|entry| u32::from(entry[2]) & 0o7)
}

/// What a destination folder hands on to files made in it.
pub fn target(folder: impl AsFd, stat: &Stat, may_have_default_acl: bool) -> Target {
    let setgid = stat.st_mode & 0o2000 != 0;
    // Where it cannot be told, files are made as if it had one: they are not wider then.
    let default_acl = may_have_default_acl
        && match fs::xattr_size(folder, DEFAULT_ACL) {
            Ok(size) => size > 0,
            Err(errno) => !matches!(errno, Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS),
        };
    Target { group: setgid.then_some(stat.st_gid), default_acl }
}
