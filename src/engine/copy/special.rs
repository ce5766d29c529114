//! What has no data: symbolic links, FIFOs, devices. None of them is ever opened.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::publish::with_temporary_name;
use super::way::Way;
use super::{At, Lost, Place, Trouble, attributes, failed, failed_or_taken};
use crate::engine::conflict::FileKind;
use crate::engine::error::{ErrorKind, Operation};
use crate::engine::fs::{self, Identity};
use crate::engine::keep::put_in_place;
use crate::engine::summary::NoticeKind;

/// Makes a link, FIFO or device anew, with owner, mode and times.
///
/// # Errors
/// [`Trouble::Taken`] when the name is taken and nothing is to be replaced.
pub fn copy(place: &Place<'_>, stat: &Stat) -> Result<Lost, Trouble> {
    let text = match fs::kind(stat) {
        FileKind::Link => {
            let read = fs::read_link(place.source, place.name);
            Some(read.map_err(failed(Operation::Read, At::Source))?)
        }
        _ => None,
    };
    let make = |name: &OsStr| match &text {
        Some(text) => fs::make_link(text, place.destination, name),
        None => fs::make_node(place.destination, name, stat),
    };
    let create = |errno| match errno {
        // What FAT, exFAT and others say of what they have no place for.
        Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP
            if !place.pair.destination.is_plain_local() =>
        {
            let kind = match text {
                Some(_) => ErrorKind::NoLinks,
                None => ErrorKind::Os(libc::EOPNOTSUPP),
            };
            Trouble::Failed(Operation::Create, At::Destination, kind)
        }
        errno => failed_or_taken(Operation::Create)(errno),
    };
    if !place.replace && place.made.is_none() {
        make(place.new_name).map_err(create)?;
        return finished(place, stat, place.new_name).map(|(lost, _)| lost);
    }
    let temporary = with_temporary_name(place.new_name, place.tag, |name| {
        make(name)?;
        Ok(name.to_os_string())
    })
    .map_err(create)?;
    let (lost, made) = finished(place, stat, &temporary)?;
    place.note_made(made);
    let folder = place.destination;
    let named = if place.replace {
        Way::through(place, || put_in_place(place, &temporary))
    } else {
        place.take_name(folder, &temporary)
    };
    named.map(|()| lost).map_err(|errno| {
        let _removed_or_not = fs::remove_if(folder, &temporary, made);
        failed_or_taken(Operation::Publish)(errno)
    })
}

/// Sets what a link, FIFO or device that was just made has beside its name, or takes it away
/// again.
fn finished(place: &Place<'_>, stat: &Stat, name: &OsStr) -> Result<(Lost, Identity), Trouble> {
    let made = fs::stat_name(place.destination, name).map_err(|errno| {
        // The name was free a moment ago, and is ours.
        let _removed_or_not = fs::remove(place.destination, name);
        failed(Operation::Inspect, At::Destination)(errno)
    })?;
    let made = fs::identity(&made);
    let finished = finish(place, stat, name, made).inspect_err(|_| {
        let _removed_or_not = fs::remove_if(place.destination, name, made);
    });
    finished.map(|lost| (lost, made))
}

fn finish(place: &Place<'_>, stat: &Stat, name: &OsStr, made: Identity) -> Result<Lost, Trouble> {
    let set = failed(Operation::SetAttributes, At::Destination);
    let mut lost = Lost::default();
    let owner_kept = attributes::set_owner_as(stat, place, &mut lost, |owner, group| {
        fs::set_owner_name(place.destination, name, owner, group)
    });
    // A link has no mode of its own.
    if fs::kind(stat) != FileKind::Link {
        let node = fs::open_node(place.destination, name, made).map_err(&set)?;
        let mode = if place.preserve.mode {
            let kept = if owner_kept { 0o7777 } else { 0o1777 };
            let group = copy_acl(place, stat, &node, &mut lost)?;
            let mode = fs::mode(stat) & kept;
            group.map_or(mode, |group| mode & !0o070 | group << 3)
        } else {
            attributes::usual_mode(stat)
        };
        fs::set_mode_of_node(&node, name, mode).map_err(&set)?;
    }
    if !place.preserve.times {
        return Ok(lost);
    }
    match fs::set_times_name(place.destination, name, &fs::times(stat)) {
        Ok(()) => {}
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::INVAL) => lost.add(NoticeKind::Times),
        Err(errno) => return Err(set(errno)),
    }
    Ok(lost)
}

/// Copies a FIFO's or device's access list. Where it was lost, gives the owning group's own
/// permission (see [`attributes::owning_group`]).
fn copy_acl(
    place: &Place<'_>,
    stat: &Stat,
    made: &OwnedFd,
    lost: &mut Lost,
) -> Result<Option<u32>, Trouble> {
    let name = attributes::ACCESS_ACL;
    let inspect = failed(Operation::Inspect, At::Source);
    let mut list = vec![0; 65_536];
    let source = fs::open_node(place.source, place.name, fs::identity(stat)).map_err(&inspect)?;
    match fs::get_xattr_of_node(&source, name, &mut list) {
        Ok(length) => list.truncate(length),
        Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::NOSYS) => {
            if place.target.default_acl
                && !attributes::is_gone(fs::remove_xattr_of_node(made, name))
            {
                lost.add(NoticeKind::Acl);
            }
            return Ok(None);
        }
        Err(errno) => return Err(inspect(errno)),
    }
    match fs::set_xattr_of_node(made, name, &list) {
        Ok(()) => Ok(None),
        Err(errno @ (Errno::DQUOT | Errno::IO | Errno::NOMEM)) => {
            Err(failed(Operation::SetAttributes, At::Destination)(errno))
        }
        Err(_) => {
            lost.add(NoticeKind::Acl);
            Ok(attributes::owning_group(&list))
        }
    }
}
