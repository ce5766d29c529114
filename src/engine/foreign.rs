//! A name that the destination's file system refuses: one question for the job.
//!
//! Found out by trying, and only where names are in doubt: not on ext4 and its like, where any
//! byte is fine, and only of names that Windows would refuse. Drivers differ in what they
//! refuse and in what they say of it: exfat-fuse says ENOENT where the kernel's drivers and
//! ntfs-3g say EINVAL, and vfat leaves out a dot or space at the end without a word.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::conflict::FileKind;
use super::conflict::ForeignRule;
use super::foreign_names::{ends_badly, is_foreign, mapped};
use super::fs;
use super::job::{Wish, lock};
use super::pair::Pair;
use super::parked::Reason;
use super::plan::EntryState;
use super::progress::add;
use super::scan::LISTING;
use super::summary::NoticeKind;
use super::worker::{Ended, Entry, Worker};

/// Handles an entry whose name the destination refuses; `None` when it takes the name.
pub fn handle(worker: &mut Worker<'_>, entry: Entry<'_>, wish: &Wish) -> Option<Ended> {
    let pair = &entry.folder.pair;
    if pair.destination.is_plain_local() || wish.exchange.is_some() {
        return None;
    }
    let own = entry.block.name(entry.at);
    let name = wish.name.as_deref().unwrap_or(own);
    if !is_foreign(name) {
        return None;
    }
    let job = worker.job;
    // What keeps it from being opened is told when it is copied.
    let destination = entry.folder.destination_dir(&job.folders).ok()?;
    if !is_refused(pair, &destination, name) {
        return None;
    }
    // Held while it is parked: an answer for all either finds it there or stands before.
    let rules = lock(&job.rules);
    match wish.foreign.unwrap_or(rules.foreign_names) {
        ForeignRule::Ask => {
            entry.block.set_state(entry.at, EntryState::Asked);
            add(&job.progress.waiting, 1);
            worker.park(entry, Reason::Foreign(Box::new(wish.clone())));
            Some(Ended::Later)
        }
        ForeignRule::Map => {
            drop(rules);
            let wanted = wish.wanted.as_deref().unwrap_or(own);
            let wish = Wish {
                wanted: Some(mapped(wanted)),
                name: Some(mapped(name)),
                maps: true,
                ..wish.clone()
            };
            Some(match entry.block.kind(entry.at) {
                FileKind::Folder => worker.folder(entry, &wish),
                _ => worker.entry(entry, &wish),
            })
        }
        ForeignRule::Skip => {
            drop(rules);
            worker.ended(entry.block, entry.at, EntryState::Skipped);
            Some(Ended::Yes)
        }
        ForeignRule::SkipUnanswered => {
            drop(rules);
            job.report.notice(NoticeKind::ForeignName, &job.plan, entry.id());
            worker.ended(entry.block, entry.at, EntryState::Unanswered);
            Some(Ended::Yes)
        }
    }
}

/// Whether a folder takes no such name, or makes another one of it. What is made to find out is
/// removed again.
fn is_refused(pair: &Pair, folder: &OwnedFd, name: &OsStr) -> bool {
    let refuses = |errno| matches!(errno, Errno::INVAL | Errno::ILSEQ);
    match fs::stat_name(folder, name) {
        Ok(_) => return alters(pair, folder, name),
        Err(errno) if refuses(errno) => return true,
        Err(_) => {}
    }
    match fs::create(folder, name, 0o600) {
        Ok(made) => {
            let alters = alters(pair, folder, name);
            if let Ok(stat) = fs::stat(&made) {
                let _removed_or_not = fs::remove_if(folder, name, fs::identity(&stat));
            }
            alters
        }
        Err(Errno::EXIST) => alters(pair, folder, name),
        Err(errno) => refuses(errno) || errno == Errno::NOENT,
    }
}

/// Whether what stands under a name that ends badly has another one in truth: found out once a
/// pair of mounts.
fn alters(pair: &Pair, folder: &OwnedFd, name: &OsStr) -> bool {
    ends_badly(name) && *pair.alters_ends.get_or_init(|| is_listed_otherwise(folder, name))
}

fn is_listed_otherwise(folder: &OwnedFd, name: &OsStr) -> bool {
    let folded = |name: &OsStr| name.to_string_lossy().to_lowercase();
    let (wanted, mut found) = (folded(name), false);
    let mut buffer = vec![MaybeUninit::uninit(); LISTING];
    let listed = fs::open_folder(folder, OsStr::new(".")).and_then(|again| {
        fs::list(again, &mut buffer, |listed| {
            found |= folded(listed.name) == wanted;
            Ok(())
        })
    });
    listed.is_ok() && !found
}
