//! What has no data: symbolic links, FIFOs, devices. None of them is ever opened.

use std::ffi::OsStr;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::publish::with_temporary_name;
use super::{At, Lost, Place, Trouble, attributes, failed, failed_or_taken};
use crate::engine::conflict::FileKind;
use crate::engine::error::Operation;
use crate::engine::fs::{self, Identity};
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
    let create = failed_or_taken(Operation::Create);
    if !place.replace && place.made.is_none() {
        make(place.new_name).map_err(create)?;
        return finished(place, stat, place.new_name).map(|(lost, _)| lost);
    }
    let temporary = with_temporary_name(place.new_name, |name| {
        make(name)?;
        Ok(name.to_os_string())
    })
    .map_err(create)?;
    let (lost, made) = finished(place, stat, &temporary)?;
    place.note_made(made);
    let folder = place.destination;
    let named = if place.replace {
        fs::rename(folder, &temporary, folder, place.new_name)
    } else {
        fs::rename_new(folder, &temporary, folder, place.new_name)
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
    let owner_kept = attributes::set_owner_as(stat, &place.target, |owner, group| {
        fs::set_owner_name(place.destination, name, owner, group)
    });
    if !owner_kept {
        lost.add(NoticeKind::Owner);
    }
    // A link has no mode of its own.
    if fs::kind(stat) != FileKind::Link {
        let mode = if owner_kept { fs::mode(stat) } else { fs::mode(stat) & !0o6000 };
        fs::set_mode_of_node(place.destination, name, made, mode).map_err(&set)?;
    }
    match fs::set_times_name(place.destination, name, &fs::times(stat)) {
        Ok(()) => {}
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::INVAL) => lost.add(NoticeKind::Times),
        Err(errno) => return Err(set(errno)),
    }
    Ok(lost)
}
