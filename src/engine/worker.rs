//! A worker: takes works from the job's pool and ends them, entry by entry.
//!
//! Whatever happens to an entry, it ends in exactly one of the ways of [`EntryState`], and its
//! folder is told; a panic ends its entry and not the program.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use rustix::fs::{Mode, Stat};

use super::ahead::Ahead;
use super::conflict::FileKind;
use super::control::{Cancelled, Stop};
use super::copy::file::Copied;
use super::copy::{At, Fault, Place, Trouble, failed, file, special, transfer};
use super::error::{ErrorKind, Operation};
use super::folder::Folder;
use super::foreign;
use super::fs;
use super::job::{Job, Wish, Work, lock};
use super::journal::{Diary, Facts, How};
use super::keep;
use super::made::NameOf;
use super::message::{EntryId, JobKind};
use super::moving::{self, Moved};
use super::plan::{Block, EntryState};
use super::progress::{Counters, add};
use super::resume;
use super::scan;
use super::skips::Watch;
use super::summary::NoticeKind;
use super::taken;
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
    /// The user's umask, where this thread has one of its own, of 0: new files get exactly the
    /// mode they are made with.
    users_umask: Option<Mode>,
    /// Bytes of a call that copies in the kernel, by what the last ones took.
    pub chunk: u64,
    /// For listing; taken while in use.
    pub listing: Vec<MaybeUninit<u8>>,
    /// For reading and writing.
    pub buffer: Vec<u8>,
    /// Sources that are open before their turn.
    pub ahead: Ahead,
    /// Copied sources that a move is going to remove.
    pub moved: Vec<Moved>,
    /// Copies that are going to be verified.
    pub hashed: Vec<Hashed>,
    /// Its page of the journal.
    pub diary: Diary<'a>,
    /// What the entry in work takes the place of.
    replaces: Replaces,
    /// The last entry that was tried again when room had returned.
    tried_again: Option<EntryId>,
}

/// What an entry takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replaces {
    /// Nothing.
    Nothing,
    /// What was there before the job.
    Foreign,
    /// What an earlier run of the job had made.
    Own,
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

/// What becomes of what stands at the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// Nothing may stand there.
    Nothing,
    /// It is replaced.
    Existing,
    /// It gets this name.
    SetAside(OsString),
}

impl Entry<'_> {
    /// Its number.
    pub fn id(&self) -> EntryId {
        self.block.id(self.at)
    }

    /// The work of handling it, with what was answered about it.
    pub fn work(self, wish: Wish) -> Work {
        let (folder, block) = (Arc::clone(self.folder), Arc::clone(self.block));
        Work::Entry { folder, block, at: self.at, wish }
    }
}

impl<'a> Worker<'a> {
    /// A worker of a job.
    pub fn new(job: &'a Job, index: usize, users_umask: Option<Mode>) -> Worker<'a> {
        Worker {
            job,
            index,
            counters: &job.progress.workers[index],
            users_umask,
            chunk: transfer::CHUNK_FIRST,
            listing: Vec::new(),
            buffer: Vec::new(),
            ahead: Ahead::default(),
            moved: Vec::new(),
            hashed: Vec::new(),
            diary: Diary::new(job.journal()),
            replaces: Replaces::Nothing,
            tried_again: None,
        }
    }

    /// Does what makes folders as the user makes them.
    pub fn as_user<T>(&self, call: impl FnOnce() -> T) -> T {
        match self.users_umask {
            Some(umask) => fs::under_umask(umask, call),
            None => call(),
        }
    }

    /// Takes works until the pool is closed. After a cancel they end without being done.
    pub fn run(&mut self) {
        while let Some(work) = self.job.pool.take(self.index) {
            self.take_on(work);
        }
    }

    /// The same until no work is left or in hand; see [`Pool::take_until_quiet`].
    ///
    /// [`Pool::take_until_quiet`]: super::pool::Pool::take_until_quiet
    pub fn run_until_quiet(&mut self) -> u64 {
        loop {
            match self.job.pool.take_until_quiet(self.index) {
                Ok(work) => self.take_on(work),
                Err(pushes) => return pushes,
            }
        }
    }

    fn take_on(&mut self, work: Work) {
        // Entries are guarded one by one; this keeps the pool's count right whatever is
        // wrong with us outside of them.
        let _guarded = catch_unwind(AssertUnwindSafe(|| self.work(work)));
        self.counters.rest();
        if self.job.control.has_let_go() {
            // What was opened since it did.
            self.ahead.clear();
            self.job.let_go();
        }
        self.job.pool.end();
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
        if let Some(fault) = wish.given_up {
            self.note_failure(entry.block, entry.at, fault);
            return scan::entries_ended(self, entry.folder, 1);
        }
        let ended = self.guarded(entry, |worker| match entry.block.kind(entry.at) {
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
        self.begin_ahead(folder, block, &places);
        for at in places {
            let entry = Entry { folder, block, at };
            if self.job.control.stands() {
                self.ahead.clear();
            }
            self.read_ahead(entry);
            let moved_before = self.counters.moved();
            if self.guarded(entry, |worker| worker.entry(entry, &Wish::default())) == Ended::Yes {
                ended += 1;
            }
            // Big files go one by one: the rest of the batch is given back for the others,
            // so that no worker ends long after them (0.57 of cp instead of 0.68).
            let big = self.counters.moved().saturating_sub(moved_before) >= BIG;
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
        self.ahead.clear();
        self.diary.write();
        scan::entries_ended(self, folder, ended);
    }

    /// Goes on at once, or waits while the job stands still, with nothing open for long.
    fn stand(&mut self) -> Result<(), Cancelled> {
        match self.job.control.go_on() {
            Ok(()) => Ok(()),
            Err(Stop::Cancelled) => Err(Cancelled),
            Err(Stop::LetGo) => {
                self.ahead.clear();
                self.job.stand()
            }
        }
    }

    /// Handles an entry so that a defect of ours costs that entry alone.
    fn guarded(&mut self, entry: Entry<'_>, handle: impl FnOnce(&mut Self) -> Ended) -> Ended {
        if self.stand().is_err() {
            return Ended::Yes;
        }
        if self.job.skips.has(&self.job.plan, entry.id()) {
            self.ended(entry.block, entry.at, EntryState::Skipped);
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
    pub fn folder(&mut self, entry: Entry<'_>, wish: &Wish) -> Ended {
        if let Some(ended) = resume::settled(self, entry, wish) {
            return ended;
        }
        if let Some(ended) = foreign::handle(self, entry, wish) {
            return ended;
        }
        let new_name = wish.name.clone();
        self.diary.begin(entry.block, entry.at, new_name.as_deref());
        let result = self.with_place(entry, new_name, Over::Nothing, |worker, place| {
            if let Some(ended) = moving::by_rename(worker, entry, place, wish)? {
                return Ok(Some(ended));
            }
            let at = (entry.block, entry.at);
            let folder = scan::open_folder(worker.job, entry.folder, at, place, wish)?;
            entry.block.set_state(entry.at, EntryState::InWork);
            if place.new_name != place.name && wish.exchange.is_none() {
                worker.job.report.renamed(entry.id(), place.new_name);
                add(&worker.counters.renamed, 1);
            }
            let listed = scan::list_folder(worker, &folder);
            if listed == Err(Trouble::Cancelled) {
                entry.block.set_state(entry.at, EntryState::Pending);
            } else if let Err(trouble) = listed {
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
            Err(trouble) => {
                let destination = entry.folder.destination_dir(&self.job.folders).ok();
                let wish = wish.without_exchange(destination.as_deref());
                self.trouble(entry, &wish, trouble)
            }
        }
    }

    /// Copies an entry that is no folder.
    pub fn entry(&mut self, entry: Entry<'_>, wish: &Wish) -> Ended {
        if let Some(ended) = resume::settled(self, entry, wish) {
            return ended;
        }
        if let Some(ended) = foreign::handle(self, entry, wish) {
            return ended;
        }
        self.copy(entry, wish, wish.name.clone(), Over::Nothing)
    }

    /// An entry was made, where nothing was or in the place of something.
    pub fn note_made(&self, facts: Facts) {
        let how = match self.replaces {
            Replaces::Nothing => How::Made,
            Replaces::Foreign => How::Replaced,
            Replaces::Own => How::MadeAgain,
        };
        self.diary.note(how, facts);
    }

    /// Copies an entry under a name, replacing what stands there or not.
    pub fn copy(
        &mut self,
        entry: Entry<'_>,
        wish: &Wish,
        new_name: Option<OsString>,
        over: Over,
    ) -> Ended {
        // What is set aside has another name then: nothing is to be brought back.
        let foreign = over == Over::Existing;
        self.replaces = if foreign { Replaces::Foreign } else { Replaces::Nothing };
        self.copy_as(entry, wish, new_name, over)
    }

    /// Copies an entry in the place of what an earlier run of the job made of it.
    pub fn copy_over_own(
        &mut self,
        entry: Entry<'_>,
        wish: &Wish,
        new_name: Option<OsString>,
    ) -> Ended {
        self.replaces = Replaces::Own;
        self.copy_as(entry, wish, new_name, Over::Existing)
    }

    fn copy_as(
        &mut self,
        entry: Entry<'_>,
        wish: &Wish,
        new_name: Option<OsString>,
        over: Over,
    ) -> Ended {
        // Nothing of it is copied yet: what fails before it is looked at takes nothing back.
        self.counters.begin(entry.id(), 0);
        self.diary.begin(entry.block, entry.at, new_name.as_deref());
        let renamed = new_name.clone();
        let replaces = over != Over::Nothing;
        let result = self.with_place(entry, new_name, over.clone(), |worker, place| {
            if let Some(ended) = moving::by_rename(worker, entry, place, wish)? {
                return Ok(ended);
            }
            match entry.block.kind(entry.at) {
                FileKind::File => match worker.file(entry, place, wish) {
                    Err(Trouble::OtherKind) => worker.look_again(entry, place, wish),
                    result => result,
                },
                _ => worker.look_again(entry, place, wish),
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
                if let Over::SetAside(aside) = &over {
                    self.job.report.set_aside(entry.id(), aside.as_ref());
                }
                Ended::Yes
            }
            Ok(Ended::Later) => Ended::Later,
            Err(trouble) => {
                let again = trouble.is_no_space() && self.may_fit_now(entry);
                self.counters.take_back();
                if again {
                    return self.copy_as(entry, wish, renamed, over);
                }
                let device = entry.folder.destination.device();
                let size = entry.block.size(entry.at).unwrap_or_default();
                let of = keep::For { job: self.job, entry: entry.id() };
                if trouble.is_no_space() && self.job.keeper.give_up(of, device, size) {
                    self.make_room(entry);
                    return self.copy_as(entry, wish, renamed, over);
                }
                let tries = wish.tries + u8::from(replaces);
                let wish = Wish { name: renamed, tries, ..wish.clone() };
                let trouble = match trouble {
                    // Asking the rules again would only come back here, for ever.
                    Trouble::Taken if replaces && tries > taken::TRIES => {
                        let kind = ErrorKind::Os(libc::EEXIST);
                        Trouble::Failed(Operation::Publish, At::Destination, kind)
                    }
                    trouble => trouble,
                };
                self.trouble(entry, &wish, trouble)
            }
        }
    }

    /// An entry did not fit; whether it is to be tried once more.
    ///
    /// The room of a big file that did not fit, and is gone again, can be used on ext4 only after
    /// the journal's next commit: without one, small files that fit would fail as well. Even then
    /// it may come a moment later (jbd2 counts a commit as done before its callback gives the
    /// blocks back); it is there after the commit of what came next.
    fn may_fit_now(&mut self, entry: Entry<'_>) -> bool {
        let returns = &self.job.room_returns;
        if self.counters.in_work() >= BIG {
            self.make_room(entry);
            returns.store(true, Relaxed);
            return false;
        }
        if !returns.load(Relaxed) || self.tried_again == Some(entry.id()) {
            returns.store(false, Relaxed);
            return false;
        }
        self.tried_again = Some(entry.id());
        self.make_room(entry);
        true
    }

    fn make_room(&self, entry: Entry<'_>) {
        if let Ok(folder) = entry.folder.destination_dir(&self.job.folders) {
            // Where it fails, the next file says so.
            let _flushed_or_not = fs::flush_file_system(&*folder);
        }
    }

    fn file(&mut self, entry: Entry<'_>, place: &Place<'_>, wish: &Wish) -> Result<Ended, Trouble> {
        let source = match self.ahead.take(entry.id()) {
            Some(source) => source,
            None => file::open(place.source, place.name)?,
        };
        let size = fs::size(&source.stat);
        entry.block.set_size(entry.at, size);
        entry.block.set_state(entry.at, EntryState::InWork);
        self.counters.begin(entry.id(), size);
        // Said before gigabytes of it are written, and taken back.
        if place.pair.destination.largest_file().is_some_and(|largest| size > largest) {
            let kind = ErrorKind::Os(libc::EFBIG);
            return Err(Trouble::Failed(Operation::Create, At::Destination, kind));
        }
        self.once(entry, place, wish, &source.stat, |worker| worker.data(entry, place, &source))
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
            control: Watch::of(self.job, entry.id()),
            counters: self.counters,
            buffer: &mut self.buffer,
            reflink: options.reflink,
            hash: options.verify,
            checksum: self.job.spec.checksums.is_some(),
            chunk: &mut self.chunk,
            exact_modes: self.users_umask.is_some(),
            part: self.job.parts.take(entry.id()),
        };
        if let Some(part) = &means.part {
            self.counters.go_on_at(part.counted);
        }
        // What another file system made of size and time is asked, not supposed.
        let look = self.diary.is_kept() && !place.pair.destination.is_plain_local();
        let copied = file::copy(place, source, &mut means, options.verify || look);
        if let Some(part) = means.part.take() {
            // Its bytes stay counted.
            self.counters.go_on_at(0);
            self.job.parts.keep(entry.id(), entry.folder, part);
        }
        let copied = copied?;
        self.copied(entry, source, &copied);
        Ok(())
    }

    fn copied(&mut self, entry: Entry<'_>, source: &file::Source, copied: &Copied) {
        let job = self.job;
        job.report.lost(copied.lost, &job.plan, entry.id());
        let made = Facts { size: copied.data.bytes, ..Facts::of(&source.stat) };
        self.note_made(copied.made.as_ref().map_or(made, Facts::of));
        if copied.changed {
            // It is there, but is not the copy that was wanted.
            self.counters.take_back();
            let fault = Fault::new(Operation::Read, At::Source, ErrorKind::Changed);
            self.note_failure(entry.block, entry.at, fault);
            return;
        }
        if copied.data.cloned {
            add(&self.counters.cloned, copied.data.bytes);
        }
        match copied.data.checksum {
            Some(checksum) => lock(&job.listed).hashed.push((entry.id(), checksum)),
            None => job.list_unread(entry.id()),
        }
        if job.spec.options.verify {
            match (copied.data.hash, &copied.made) {
                _ if copied.verified.is_some() => {
                    add(&self.counters.verified, 1);
                    if copied.verified == Some(false) {
                        let kind = NoticeKind::VerifiedInMemory;
                        job.report.notice(kind, &job.plan, entry.id());
                    }
                }
                (Some(hash), Some(made)) => {
                    let made = moving::Fingerprint::of(made);
                    self.hashed.push(Hashed { entry: entry.id(), hash, made });
                }
                _ => job.report.notice(NoticeKind::CloneNotVerified, &job.plan, entry.id()),
            }
        }
        self.remember_moved(entry, &source.stat);
        self.ended(entry.block, entry.at, EntryState::Done);
    }

    /// An entry that is no regular file, or is not what the listing said.
    fn look_again(
        &mut self,
        entry: Entry<'_>,
        place: &Place<'_>,
        wish: &Wish,
    ) -> Result<Ended, Trouble> {
        self.counters.take_back();
        let inspect = failed(Operation::Inspect, At::Source);
        let stat = fs::stat_name(place.source, place.name).map_err(&inspect)?;
        self.counters.begin(entry.id(), 0);
        match fs::kind(&stat) {
            FileKind::File => {
                entry.block.set_kind(entry.at, FileKind::File);
                self.file(entry, place, wish)
            }
            // It was something else, or was not there, when it was listed.
            FileKind::Folder => {
                entry.block.set_kind(entry.at, FileKind::Folder);
                add(&self.job.progress.to_list, 1);
                let work = Work::Folder {
                    parent: Arc::clone(entry.folder),
                    block: Arc::clone(entry.block),
                    at: entry.at,
                    wish: wish.clone(),
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
                self.once(entry, place, wish, &stat, |worker| {
                    let lost = special::copy(place, &stat)?;
                    worker.job.report.lost(lost, &worker.job.plan, entry.id());
                    worker.remember_moved(entry, &stat);
                    worker.note_made(Facts::of(&stat));
                    worker.ended(entry.block, entry.at, EntryState::Done);
                    Ok(())
                })
            }
        }
    }

    /// Keeps what a move is going to remove, once its copy is on the device.
    pub fn remember_moved(&mut self, entry: Entry<'_>, stat: &Stat) {
        if self.job.spec.kind == JobKind::Move {
            self.moved.push(Moved::new(entry.id(), stat));
        }
    }

    /// Whether what is replaced now is to be kept: not what the job itself had made.
    fn keeps(&self) -> bool {
        self.replaces == Replaces::Foreign && keep::is_wanted(self.job)
    }

    /// How a name of an entry is noted among those that were made, where inodes do not tell
    /// all.
    pub fn name_as_made(&self, entry: Entry<'_>, new_name: &OsStr) -> Option<NameOf> {
        let job = self.job;
        if job.made_files.get().is_none() || entry.folder.pair.destination.is_plain_local() {
            return None;
        }
        let path = job.destination_path(entry.id()).with_file_name(new_name);
        Some(NameOf::new(&path, entry.id()))
    }

    /// Calls with the entry's place, both folders open.
    fn with_place<T>(
        &mut self,
        entry: Entry<'_>,
        new_name: Option<OsString>,
        over: Over,
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
            preserve: self.job.spec.options.preserve,
            name,
            new_name: new_name.as_deref().unwrap_or(name),
            replace: over != Over::Nothing,
            aside: match &over {
                Over::SetAside(name) => {
                    Some((name.as_os_str(), keep::For { job: self.job, entry: block.id(at) }))
                }
                _ => None,
            },
            made: self.job.made_files.get(),
            made_as: self.name_as_made(entry, new_name.as_deref().unwrap_or(name)),
            keep: self.keeps().then(|| keep::For { job: self.job, entry: block.id(at) }),
            tag: self.job.tag,
        };
        call(self, &place)
    }
}
