//! What has no data: symbolic links, FIFOs, devices. None of them is ever opened.

use std::ffi::OsStr;

use rustix::fs::Stat;
use rustix::io::Errno;

use super::publish::with_temporary_name;
use super::{At, Lost, Place, Trouble, attributes, failed, failed_or_taken};
use crate::engine::conflict::FileKind;
use crate::engine::error::Operation;
use crate::engine::fs;
use crate::engine::message::NoticeKind;

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
    if !place.replace {
        make(place.new_name).map_err(create)?;
        return finish(place, stat, place.new_name).inspect_err(|_| {
            let _removed_or_not = fs::remove(place.destination, place.new_name);
        });
    }
    let (lost, temporary) = with_temporary_name(place.new_name, |name| {
        make(name)?;
        Ok((finish(place, stat, name), name.to_os_string()))
    })
    .map_err(create)?;
    let published = lost.and_then(|lost| {
        fs::rename(place.destination, &temporary, place.destination, place.new_name)
            .map_err(failed(Operation::Publish, At::Destination))?;
        Ok(lost)
    });
    published.inspect_err(|_| {
        let _removed_or_not = fs::remove(place.destination, &temporary);
    })
}

fn finish(place: &Place<'_>, stat: &Stat, name: &OsStr) -> Result<Lost, Trouble> {
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
        fs::set_mode_name(place.destination, name, mode).map_err(&set)?;
    }
    match fs::set_times_name(place.destination, name, &fs::times(stat)) {
        Ok(()) => {}
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::INVAL) => lost.add(NoticeKind::Times),
        Err(errno) => return Err(set(errno)),
    }
    Ok(lost)
}
