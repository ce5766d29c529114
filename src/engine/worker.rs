//! A worker: takes works from the job's pool and ends them, entry by entry.
//!
//! Whatever happens to an entry, it ends in exactly one of the ways of [`EntryState`], and its
//! folder is told; a panic ends its entry and not the program.

use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::Stat;

use super::conflict::FileKind;
use super::copy::file::Copied;
use super::copy::{At, Place, Trouble, failed, file, special, transfer};
use super::error::{Error, ErrorKind, Operation};
use super::folder::Folder;
use super::fs;
use super::job::{Job, Wish, Work, lock};
use super::links::{Claim, Later};
use super::message::{About, EntryId, FailureRule, JobKind, NoticeKind};
use super::moving::{self, Moved};
use super::parked::Waiter;
use super::plan::{Block, EntryState};
use super::progress::{Counters, add};
use super::scan;
use super::verify::Hashed;

/// A file from this size on, in bytes, is a batch of its own.
const BIG: u64 = 1024 * 1024;

/// One worker of a job.
pub struct Worker<'a> {
    /// The job.
    pub job: &'a Job,
    /// Its number, from 0.
    pub index: usize,
    /// Its counters.
    pub counters: &'a Counters,
    /// New files get exactly the mode they are made with: no umask narrows it.
    pub exact_modes: bool,
    /// For listing; taken while in use.
    pub listing: Vec<MaybeUninit<u8>>,
    /// For reading and writing.
    pub buffer: Vec<u8>,
    /// Copied sources that a move is going to remove.
    pub moved: Vec<Moved>,
    /// Copies that are going to be verified.
    pub hashed: Vec<Hashed>,
}

/// How the handling of an entry ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has its last state.
    Yes,
    /// It was parked or handed on; its folder goes on waiting for it.
    Later,
}

/// One entry and where it lies.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// The folder it lies in.
    pub folder: &'a Arc<Folder>,
    /// Its block.
    pub block: &'a Arc<Block>,
    /// Its place there.
    pub at: u32,
}

impl Entry<'_> {
    /// Its number.
    pub fn id(&self) -> EntryId {
        self.block.id(self.at)
    }

    fn to_later(self) -> Later {
        (Arc::clone(self.folder), Arc::clone(self.block), self.at)
    }
}

impl<'a> Worker<'a> {
    /// A worker of a job.
    pub fn new(job: &'a Job, index: usize, exact_modes: bool) -> Worker<'a> {
        Worker {
            job,
            index,
            counters: &job.progress.workers[index],
            exact_modes,
            listing: Vec::new(),
            buffer: Vec::new(),
            moved: Vec::new(),
            hashed: Vec::new(),
        }
    }

    /// Takes works until the pool is closed. After a cancel they end without being done.
    pub fn run(&mut self) {
        while let Some(work) = self.job.pool.take(self.index) {
            // Entries are guarded one by one; this keeps the pool's count right whatever is
            // wrong with us outside of them.
            let _guarded = catch_unwind(AssertUnwindSafe(|| self.work(work)));
            self.counters.rest();
            self.job.pool.end();
        }
    }

    fn work(&mut self, work: Work) {
        match work {
            Work::Folder { parent, block, at, wish } => {
                self.single(Entry { folder: &parent, block: &block, at }, &wish);
                let _before = self.job.progress.to_list.fetch_sub(1, Relaxed);
            }
            Work::Batch { folder, block, places } => self.batch(&folder, &block, places),
            Work::Entry { folder, block, at, wish } => {
                self.single(Entry { folder: &folder, block: &block, at }, &wish);
            }
        }
    }

    fn single(&mut self, entry: Entry<'_>, wish: &Wish) {
        if let Some(error) = &wish.given_up {
            self.give_up(entry, error.clone());
        }
        let ended = self.guarded(entry, |worker| match entry.block.kind(entry.at) {
            _ if wish.given_up.is_some() => Ended::Yes,
            FileKind::Folder => worker.folder(entry, wish),
            _ => worker.entry(entry, wish),
        });
        if ended == Ended::Yes {
            scan::entries_ended(self, entry.folder, 1);
        }
    }

    fn batch(&mut self, folder: &Arc<Folder>, block: &Arc<Block>, places: std::ops::Range<u32>) {
        let mut ended = 0;
        let end = places.end;
        for at in places {
            let entry = Entry { folder, block, at };
            let bytes_before = self.counters.bytes.load(Relaxed);
            if self.guarded(entry, |worker| worker.entry(entry, &Wish::default())) == Ended::Yes {
                ended += 1;
            }
            // Big files go one by one: the rest of the batch is given back for the others,
            // so that no worker ends long after them (0.57 of cp instead of 0.68).
            let bytes = self.counters.bytes.load(Relaxed).saturating_sub(bytes_before);
            let big = bytes >= BIG;
            if big && at + 1 < end {
                let rest = Work::Batch {
                    folder: Arc::clone(folder),
                    block: Arc::clone(block),
                    places: at + 1..end,
                };
                self.job.pool.push(self.index, [rest]);
                break;
            }
        }
        scan::entries_ended(self, folder, ended);
    }

    /// Handles an entry so that a defect of ours costs that entry alone.
    fn guarded(&mut self, entry: Entry<'_>, handle: impl FnOnce(&mut Self) -> Ended) -> Ended {
        if self.job.control.checkpoint().is_err() {
            return Ended::Yes;
        }
        match catch_unwind(AssertUnwindSafe(|| handle(self))) {
            Ok(ended) => ended,
            Err(_) => {
                let trouble =
                    Trouble::Failed(Operation::Create, At::Destination, ErrorKind::Internal);
                self.failed_for_good(entry.block, entry.at, trouble);
                Ended::Yes
            }
        }
    }

    /// Makes and lists a folder.
    fn folder(&mut self, entry: Entry<'_>, wish: &Wish) -> Ended {
        let new_name = wish.name.clone();
        let result = self.with_place(entry, new_name, false, |worker, place| {
            if let Some(ended) = moving::by_rename(worker, entry, place, wish)? {
                return Ok(Some(ended));
            }
            let folder =
                scan::open_folder(worker.job, entry.folder, (entry.block, entry.at), place)?;
            entry.block.set_state(entry.at, EntryState::InWork);
            if place.new_name != place.name {
                worker.job.report.renamed(entry.id(), place.new_name);
                add(&worker.counters.renamed, 1);
            }
            let listed = scan::list_folder(worker, &folder);
            if let Err(trouble) = listed {
                // What was found is copied; what was not is a failure of the folder.
                worker.failed_for_good(entry.block, entry.at, trouble);
            }
            scan::entries_ended(worker, &folder, 1);
            Ok(None)
        });
        match result {
            Ok(Some(ended)) => ended,
            // It ends when its last entry does.
            Ok(None) => Ended::Later,
            // It is no folder any more.
            Err(Trouble::OtherKind) => {
                entry.block.set_kind(entry.at, FileKind::File);
                self.entry(entry, wish)
            }
            Err(trouble) => self.trouble(entry, wish, trouble),
        }
    }

    /// Copies an entry that is no folder.
    pub fn entry(&mut self, entry: Entry<'_>, wish: &Wish) -> Ended {
        self.copy(entry, wish, wish.name.clone(), false)
    }

    /// Copies an entry under a name, replacing what stands there or not.
    pub fn copy(
        &mut self,
        entry: Entry<'_>,
        wish: &Wish,
        new_name: Option<OsString>,
        replace: bool,
    ) -> Ended {
        let renamed = new_name.clone();
        let result = self.with_place(entry, new_name, replace, |worker, place| {
            if let Some(ended) = moving::by_rename(worker, entry, place, wish)? {
                return Ok(ended);
            }
            match entry.block.kind(entry.at) {
                FileKind::File => match worker.file(entry, place) {
                    Err(Trouble::OtherKind) => worker.look_again(entry, place),
                    result => result,
                },
                _ => worker.look_again(entry, place),
            }
        });
        match result {
            Ok(Ended::Yes) => {
                if let Some(name) = renamed
                    && entry.block.state(entry.at) == EntryState::Done
                {
                    entry.block.set_state(entry.at, EntryState::Renamed);
                    self.job.report.renamed(entry.id(), &name);
                    add(&self.counters.renamed, 1);
                }
                Ended::Yes
            }
            Ok(Ended::Later) => Ended::Later,
            Err(trouble) => {
                self.counters.take_back();
                let wish = Wish { rule: wish.rule, name: renamed, given_up: None };
                self.trouble(entry, &wish, trouble)
            }
        }
    }

    fn file(&mut self, entry: Entry<'_>, place: &Place<'_>) -> Result<Ended, Trouble> {
        let source = file::open(place)?;
        let size = fs::size(&source.stat);
        entry.block.set_size(entry.at, size);
        entry.block.set_state(entry.at, EntryState::InWork);
        self.counters.begin(entry.id(), size);
        self.once(entry, place, &source.stat, |worker| worker.data(entry, place, &source))
    }

    /// Copies a file, or links it where it is one more name of a file that was copied.
    fn once(
        &mut self,
        entry: Entry<'_>,
        place: &Place<'_>,
        stat: &Stat,
        copy: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<Ended, Trouble> {
        if stat.st_nlink > 1 {
            return self.hard_linked(entry, place, stat, copy);
        }
        copy(self)?;
        Ok(Ended::Yes)
    }

    fn hard_linked(
        &mut self,
        entry: Entry<'_>,
        place: &Place<'_>,
        stat: &Stat,
        copy: impl FnOnce(&mut Self) -> Result<(), Trouble>,
    ) -> Result<Ended, Trouble> {
        let job = self.job;
        let identity = fs::identity(stat);
        match job.hard_links.claim(identity, || entry.to_later()) {
            Claim::Later => {
                entry.block.set_state(entry.at, EntryState::Pending);
                Ok(Ended::Later)
            }
            Claim::First => {
                let result = copy(self);
                let waiting = match &result {
                    Ok(()) => job.hard_links.made(identity, entry.folder, place.new_name),
                    Err(_) => job.hard_links.given_up(identity),
                };
                let works = waiting.into_iter().map(|(folder, block, at)| Work::Entry {
                    folder,
                    block,
                    at,
                    wish: Wish::default(),
                });
                job.pool.push(self.index, works);
                result.map(|()| Ended::Yes)
            }
            Claim::Link(folder, name) => {
                let made = folder.destination_dir(&job.folders);
                match made.and_then(|made| moving::link(&made, &name, place)) {
                    Ok(()) => {
                        self.remember_moved(entry, stat);
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

    /// Copies a file's data and attributes and gives the copy its name.
    fn data(
        &mut self,
        entry: Entry<'_>,
        place: &Place<'_>,
        source: &file::Source,
    ) -> Result<(), Trouble> {
        let options = &self.job.spec.options;
        let mut means = transfer::Means {
            control: &self.job.control,
            counters: self.counters,
            buffer: &mut self.buffer,
            reflink: options.reflink,
            hash: options.verify,
            exact_modes: self.exact_modes,
        };
        let identify = self.job.made_files.get().is_some();
        let copied = file::copy(place, source, &mut means, identify)?;
        self.copied(entry, source, &copied);
        Ok(())
    }

    fn copied(&mut self, entry: Entry<'_>, source: &file::Source, copied: &Copied) {
        let job = self.job;
        for kind in copied.lost.kinds() {
            job.report.notice(kind, &job.plan, entry.id());
        }
        if let (Some(files), Some(identity)) = (job.made_files.get(), copied.identity) {
            let _new = lock(files).insert(identity);
        }
        if copied.data.cloned {
            add(&self.counters.cloned, copied.data.bytes);
        }
        if copied.changed {
            let path = job.source_path(entry.id());
            let error = Error::new(Operation::Read, path, ErrorKind::Changed);
            self.note_failure(entry.block, entry.at, error);
            return;
        }
        if job.spec.options.verify {
            match copied.data.hash {
                Some(hash) => self.hashed.push(Hashed { entry: entry.id(), hash }),
                None => job.report.notice(NoticeKind::CloneNotVerified, &job.plan, entry.id()),
            }
        }
        self.remember_moved(entry, &source.stat);
        self.ended(entry.block, entry.at, EntryState::Done);
    }

    /// An entry that is no regular file, or is not what the listing said.
    fn look_again(&mut self, entry: Entry<'_>, place: &Place<'_>) -> Result<Ended, Trouble> {
        let inspect = failed(Operation::Inspect, At::Source);
        let stat = fs::stat_name(place.source, place.name).map_err(&inspect)?;
        self.counters.begin(entry.id(), 0);
        match fs::kind(&stat) {
            FileKind::File => {
                entry.block.set_kind(entry.at, FileKind::File);
                self.file(entry, place)
            }
            // It was something else, or was not there, when it was listed.
            FileKind::Folder => {
                entry.block.set_kind(entry.at, FileKind::Folder);
                add(&self.job.progress.to_list, 1);
                let work = Work::Folder {
                    parent: Arc::clone(entry.folder),
                    block: Arc::clone(entry.block),
                    at: entry.at,
                    wish: Wish::default(),
                };
                self.job.pool.push(self.index, [work]);
                Ok(Ended::Later)
            }
            FileKind::Socket => {
                self.job.report.notice(NoticeKind::Socket, &self.job.plan, entry.id());
                self.ended(entry.block, entry.at, EntryState::Skipped);
                Ok(Ended::Yes)
            }
            kind @ (FileKind::Link | FileKind::Fifo | FileKind::Device) => {
                entry.block.set_kind(entry.at, kind);
                self.once(entry, place, &stat, |worker| {
                    let lost = special::copy(place, &stat)?;
                    for kind in lost.kinds() {
                        worker.job.report.notice(kind, &worker.job.plan, entry.id());
                    }
                    worker.remember_moved(entry, &stat);
                    worker.ended(entry.block, entry.at, EntryState::Done);
                    Ok(())
                })
            }
        }
    }

    fn remember_moved(&mut self, entry: Entry<'_>, stat: &Stat) {
        if self.job.spec.kind == JobKind::Move {
            self.moved.push(Moved::new(entry.id(), stat));
        }
    }

    /// Calls with the entry's place, both folders open.
    fn with_place<T>(
        &mut self,
        entry: Entry<'_>,
        new_name: Option<OsString>,
        replace: bool,
        call: impl FnOnce(&mut Self, &Place<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let Entry { folder, block, at } = entry;
        let open = &self.job.folders;
        let source: Arc<OwnedFd> =
            folder.source_dir(open).map_err(failed(Operation::Open, At::Source))?;
        let destination =
            folder.destination_dir(open).map_err(failed(Operation::Open, At::Destination))?;
        let name = block.name(at);
        let place = Place {
            source: &source,
            destination: &destination,
            pair: &folder.pair,
            target: folder.target,
            name,
            new_name: new_name.as_deref().unwrap_or(name),
            replace,
        };
        call(self, &place)
    }

    /// An entry has its last state.
    pub fn ended(&self, block: &Block, at: u32, state: EntryState) {
        block.set_state(at, state);
        let counter = match state {
            EntryState::Done | EntryState::Renamed => &self.counters.done,
            EntryState::Skipped => &self.counters.skipped,
            EntryState::Unanswered => &self.counters.unanswered,
            EntryState::Failed | EntryState::Changed => &self.counters.failed,
            EntryState::Pending | EntryState::InWork | EntryState::Asked => return,
        };
        add(counter, 1);
        if state == EntryState::Changed {
            add(&self.counters.changed, 1);
        }
    }

    fn trouble(&mut self, entry: Entry<'_>, wish: &Wish, trouble: Trouble) -> Ended {
        match trouble {
            Trouble::Cancelled => {
                entry.block.set_state(entry.at, EntryState::Pending);
                Ended::Yes
            }
            Trouble::Taken => super::taken::handle(self, entry, wish),
            Trouble::OtherKind => {
                let trouble = Trouble::Failed(Operation::Inspect, At::Source, ErrorKind::Changed);
                self.failure(entry, trouble)
            }
            Trouble::Failed(..) => self.failure(entry, trouble),
        }
    }

    /// An entry failed: it is parked with a question, or noted.
    pub fn failure(&self, entry: Entry<'_>, trouble: Trouble) -> Ended {
        if self.job.spec.options.failure == FailureRule::Record {
            self.failed_for_good(entry.block, entry.at, trouble);
            return Ended::Yes;
        }
        if let Some(error) = self.error(entry.id(), trouble) {
            entry.block.set_state(entry.at, EntryState::Failed);
            add(&self.job.progress.parked_failures, 1);
            self.park(entry, About::Failure { error });
        }
        Ended::Later
    }

    /// An entry failed and is not to be tried again.
    fn give_up(&self, entry: Entry<'_>, error: Error) {
        self.note_failure(entry.block, entry.at, error);
    }

    fn note_failure(&self, block: &Block, at: u32, error: Error) {
        let changed = error.kind == ErrorKind::Changed;
        self.job.report.failure(Some(block.id(at)), error);
        self.ended(block, at, if changed { EntryState::Changed } else { EntryState::Failed });
    }

    /// An entry failed and nobody is asked.
    pub fn failed_for_good(&self, block: &Block, at: u32, trouble: Trouble) {
        let entry = block.id(at);
        if let Some(error) = self.error(entry, trouble) {
            self.note_failure(block, at, error);
        }
    }

    fn error(&self, entry: EntryId, trouble: Trouble) -> Option<Error> {
        let (operation, side, kind) = match trouble {
            Trouble::Failed(operation, side, kind) => (operation, side, kind),
            Trouble::Taken => (Operation::Publish, At::Destination, ErrorKind::TypeDiffers),
            Trouble::OtherKind => (Operation::Inspect, At::Source, ErrorKind::Changed),
            Trouble::Cancelled => return None,
        };
        let path = match side {
            At::Source => self.job.source_path(entry),
            At::Destination => self.job.destination_path(entry),
        };
        Some(Error::new(operation, path, kind))
    }

    /// Parks an entry with a question.
    pub fn park(&self, entry: Entry<'_>, about: About) {
        let waiter = Waiter {
            folder: Arc::clone(entry.folder),
            block: Arc::clone(entry.block),
            at: entry.at,
            about,
        };
        let path = self.job.plan.path(entry.id()).unwrap_or_default();
        self.job.parked.park(waiter, path);
    }
}
