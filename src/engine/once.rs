//! Files with several names: the first is copied, the others are linked to its copy.

use std::sync::Arc;

use rustix::fs::Stat;

use super::copy::{Place, Trouble};
use super::fs;
use super::job::{Job, Wish, Work};
use super::journal::Facts;
use super::links::{Claim, Later, Made};
use super::moving;
use super::plan::EntryState;
use super::summary::NoticeKind;
use super::verify::Hashed;
use super::worker::{Ended, Entry, Worker};

impl Worker<'_> {
    /// Copies a file, or links it where it is one more name of a file that was copied.
    pub fn once(
        &mut self,
        entry: Entry<'_>,
        place: &Place<'_>,
        wish: &Wish,
        stat: &Stat,
        copy: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<Ended, Trouble> {
        if stat.st_nlink > 1 && place.preserve.links {
            return self.hard_linked(entry, place, wish, stat, copy);
        }
        copy(self)?;
        Ok(Ended::Yes)
    }

    fn hard_linked(
        &mut self,
        entry: Entry<'_>,
        place: &Place<'_>,
        wish: &Wish,
        stat: &Stat,
        copy: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<Ended, Trouble> {
        let job = self.job;
        let identity = fs::identity(stat);
        let later = || (Arc::clone(entry.folder), Arc::clone(entry.block), entry.at, wish.clone());
        match job.hard_links.claim(identity, later) {
            Claim::Later => {
                entry.block.set_state(entry.at, EntryState::Pending);
                Ok(Ended::Later)
            }
            Claim::First => {
                let mut first = First { job, worker: self.index, identity, settled: false };
                copy(self)?;
                // A copy that is not to be trusted is none to link to.
                if entry.block.state(entry.at) == EntryState::Done {
                    match fs::stat_name(place.destination, place.new_name) {
                        Ok(copy) => {
                            let hashed = self.hashed.last().filter(|last| last.entry == entry.id());
                            first.made(Made {
                                folder: Arc::clone(entry.folder),
                                name: place.new_name.to_os_string(),
                                copy: fs::identity(&copy),
                                source: moving::Fingerprint::of(stat),
                                hashed: hashed.cloned(),
                            });
                        }
                        // The other names become copies of their own.
                        Err(_) => job.report.notice(NoticeKind::HardLink, &job.plan, entry.id()),
                    }
                }
                Ok(Ended::Yes)
            }
            // One inode number, another file: some file systems have that.
            Claim::Link(made) if made.source != moving::Fingerprint::of(stat) => {
                copy(self)?;
                Ok(Ended::Yes)
            }
            Claim::Link(made) => {
                let folder = made.folder.destination_dir(&job.folders);
                match folder.and_then(|folder| moving::link(&folder, &made.name, made.copy, place))
                {
                    Ok(()) => {
                        let id = entry.id();
                        self.hashed.extend(made.hashed.map(|first| Hashed { entry: id, ..first }));
                        job.list_unread(id);
                        self.remember_moved(entry, stat);
                        self.note_made(Facts::of(stat));
                        self.ended(entry.block, entry.at, EntryState::Done);
                    }
                    Err(rustix::io::Errno::EXIST) => return Err(Trouble::Taken),
                    // No hard links here, or too many: a copy of its own, said once.
                    Err(_) => {
                        copy(self)?;
                        job.report.notice(NoticeKind::HardLink, &job.plan, entry.id());
                    }
                }
                Ok(Ended::Yes)
            }
        }
    }
}

/// The first name of a file that has several, while it is copied. Whatever becomes of it, the
/// names that wait for it go on: linked to its copy, or the next one as the first.
struct First<'a> {
    job: &'a Job,
    worker: usize,
    identity: fs::Identity,
    settled: bool,
}

impl First<'_> {
    fn made(&mut self, made: Made) {
        self.settled = true;
        self.go_on(self.job.hard_links.made(self.identity, made));
    }

    fn go_on(&self, waiting: Vec<Later>) {
        let works = waiting.into_iter().map(|(folder, block, at, wish)| Work::Entry {
            folder,
            block,
            at,
            wish,
        });
        self.job.pool.push(self.worker, works);
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.go_on(self.job.hard_links.given_up(self.identity));
        }
    }
}
