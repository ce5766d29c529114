//! One job: all that its workers share, and the states it goes through.
//!
//! ```text
//!                ┌──────────── answer, turn ─────────────┐
//!                ▼                                       │
//!   Queued ──► Running ──► (only parked entries left) ► Waiting
//!    │  ▲  ◄──  │  ▲                                     │
//!    │  │ pause │  │ resume (and its turn)               │
//!    │  └───────┼──┴──── Paused ◄────── pause ───────────┤
//!    │          │           │                            │
//!    └──────────┴───────────┴──── cancel, stop ──────────┘
//!               │                    │
//!               │                    ▼
//!               │                Cancelling
//!               ▼                    │
//!             Ended ◄────────────────┘
//! ```
//!
//! A job that is paused or waits for answers gives its turn to the next one on its device;
//! going on it queues again, at its place. *Run now* leads from Queued and Paused to Running
//! whatever others do. More sources lead from Waiting to Running (and its turn). From Running
//! back to Queued leads only that a job which was taken for a quick one is none. A job that
//! ends while it has no turn (refused, or its mount answered late) ends from where it stands.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::additions::Additions;
use super::checksums::Listed;
use super::compare::Comparing;
use super::conflict::{
    Action, ConflictRule, FolderRule, ForeignRule, QuestionClass, Scope, Subject,
};
use super::control::{Cancelled, Control, Stop};
use super::copy::Fault;
use super::copy::part::Parts;
use super::dispatch::Mail;
use super::exchange::Exchanges;
use super::folder::{Folder, OpenFolders};
use super::fs::disks::Spot;
use super::fs::{self, Identity};
use super::journal::{Journal, Store, Told};
use super::keep::Keeper;
use super::links::HardLinks;
use super::made::Made;
use super::message::{EntryId, Event, JobId, JobSpec, Options};
use super::naming::NamePattern;
use super::pair::Pairs;
use super::parked::Parked;
use super::plan::{Block, Plan};
use super::pool::Pool;
use super::progress::Progress;
use super::report::Report;
use super::retry::Retries;
use super::skips::Skips;
use super::start::Round;

/// A wish about one entry that goes before the job's rules: an answer.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// What to do when the name is taken.
    pub rule: Option<ConflictRule>,
    /// What to do when a folder meets a folder.
    pub folder_rule: Option<FolderRule>,
    /// The pattern of the names that renaming gives.
    pub pattern: Option<NamePattern>,
    /// The name that was asked for, where it is not the entry's own.
    pub wanted: Option<OsString>,
    /// The name to copy under: the wanted one, or another that was found free.
    pub name: Option<OsString>,
    /// What to do when the name is refused.
    pub foreign: Option<ForeignRule>,
    /// Its names are mapped to such as the destination takes.
    pub maps: bool,
    /// A folder: make it under the temporary name `name` and exchange it for the folder that
    /// is there once it is whole.
    pub exchange: Option<Identity>,
    /// It failed like this, and is not to be tried again.
    pub given_up: Option<Fault>,
    /// An earlier run of the job began it under this name.
    pub again: bool,
    /// How often it was tried again because its name was taken and then was not.
    pub tries: u8,
}

impl Wish {
    /// Whether nothing was answered.
    pub fn is_nothing(&self) -> bool {
        self.rule.is_none()
            && self.folder_rule.is_none()
            && self.wanted.is_none()
            && self.foreign.is_none()
    }
}

/// A piece of work for a worker.
pub enum Work {
    /// Make and list a folder.
    Folder {
        /// The folder it lies in.
        parent: Arc<Folder>,
        /// Its block.
        block: Arc<Block>,
        /// Its place there.
        at: u32,
        /// What was answered about it.
        wish: Wish,
    },
    /// Copy a run of entries that are no folders.
    Batch {
        /// The folder they lie in.
        folder: Arc<Folder>,
        /// Their block.
        block: Arc<Block>,
        /// Their places there.
        places: std::ops::Range<u32>,
    },
    /// Copy one entry again or at last: answered, or a further hard link.
    Entry {
        /// The folder it lies in.
        folder: Arc<Folder>,
        /// Its block.
        block: Arc<Block>,
        /// Its place there.
        at: u32,
        /// What was answered about it.
        wish: Wish,
    },
}

/// The standing rules of a job: the user's, and the answers given for all of a kind.
#[derive(Clone)]
pub struct Rules {
    /// For a file where a file is.
    pub file_exists: ConflictRule,
    /// For a folder where a folder is.
    pub folder_exists: FolderRule,
    /// For a file where a folder is, or the reverse.
    pub type_differs: ConflictRule,
    /// For a source that comes to a name which another source of the job has.
    pub sources_meet: ConflictRule,
    /// The same for a folder that meets a folder.
    pub folders_meet: FolderRule,
    /// For a name that the destination refuses.
    pub foreign_names: ForeignRule,
    /// The names that renaming by rule gives.
    pub pattern: NamePattern,
}

impl Rules {
    /// The user's. They are about what was there before: of two sources that come to one name
    /// both are kept, whatever they say.
    pub fn new(options: &Options) -> Rules {
        let (file, folder) = (options.conflict, options.folder_conflict);
        Rules {
            file_exists: file,
            folder_exists: folder,
            type_differs: file,
            sources_meet: match file {
                ConflictRule::Ask | ConflictRule::SkipUnanswered | ConflictRule::Rename => file,
                _ => ConflictRule::KeepBoth,
            },
            folders_meet: match folder {
                FolderRule::Skip | FolderRule::Replace | FolderRule::KeepExisting => {
                    FolderRule::KeepBoth
                }
                _ => folder,
            },
            foreign_names: options.foreign_names,
            pattern: options.rename_pattern.clone(),
        }
    }

    /// Remembers an answer for all that it reaches.
    pub fn remember(&mut self, asked: Subject, action: &Action, scope: Scope) {
        let reaches = |class, folders| {
            asked.reaches(Subject { class, folders, same_file: false }, action, scope)
        };
        let files = [
            (QuestionClass::FileExists, &mut self.file_exists),
            (QuestionClass::TypeDiffers, &mut self.type_differs),
            (QuestionClass::SourcesMeet, &mut self.sources_meet),
        ];
        if let Some(rule) = action.as_rule() {
            for (class, standing) in files {
                if reaches(class, false) {
                    *standing = rule;
                }
            }
        }
        let folders = [
            (QuestionClass::FolderExists, &mut self.folder_exists),
            (QuestionClass::SourcesMeet, &mut self.folders_meet),
        ];
        if let Some(rule) = action.as_folder_rule() {
            for (class, standing) in folders {
                if reaches(class, true) {
                    *standing = rule;
                }
            }
        }
        if asked.class == QuestionClass::ForeignName && scope != Scope::This {
            self.foreign_names = action.as_foreign_rule().unwrap_or(self.foreign_names);
        }
        if let Action::RenameBy(pattern) = action {
            self.pattern = pattern.clone();
        }
    }
}

/// All that the workers of a job share.
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What it is to do.
    pub spec: JobSpec,
    /// Its entries.
    pub plan: Arc<Plan>,
    /// Pause and cancel.
    pub control: Control,
    /// What is counted.
    pub progress: Progress,
    /// What is to be done.
    pub pool: Pool<Work>,
    /// What to do about conflicts.
    pub rules: Mutex<Rules>,
    /// What waits for answers.
    pub parked: Parked,
    /// What is to be skipped.
    pub skips: Skips,
    /// Sources that came later.
    pub additions: Additions,
    /// Sources that wait for others of the same name.
    pub rounds: Mutex<VecDeque<Round>>,
    /// What failed for a reason that may pass.
    pub retries: Retries,
    /// Contents of parked entries that are compared beside.
    pub comparing: Comparing,
    /// Folders that are made to be exchanged.
    pub exchanges: Exchanges,
    /// The pairs of mounts.
    pub pairs: Pairs,
    /// Files with several names.
    pub hard_links: HardLinks,
    /// What is to be said at the end.
    pub report: Arc<Report>,
    /// Folders that hold descriptors.
    pub folders: OpenFolders,
    /// Parts of files that it had let go of.
    pub parts: Parts,
    /// Where the destination and the sources are; known before anything is written.
    pub spots: OnceLock<Vec<Spot>>,
    /// The destination and every folder made by this job: never a source.
    pub made_folders: Mutex<HashSet<Identity>>,
    /// What was made by this job, where two sources may come to one name.
    pub made_files: OnceLock<Mutex<Made>>,
    /// Two sources may come to one folder by different ways: through a link, another mount,
    /// or names that differ in case.
    pub ways_may_meet: AtomicBool,
    /// A big file did not fit and was removed: its room may be about to return.
    pub room_returns: AtomicBool,
    /// What temporary names have in them.
    pub tag: u64,
    /// Its journal, once it has one.
    pub journal: OnceLock<Journal>,
    /// What an earlier run told of it.
    pub told: Option<Told>,
    /// Where its journal is going to lie.
    pub store: Option<Store>,
    /// The replaced files that are kept.
    pub keeper: Keeper,
    /// When it began, by the clock that files are dated by: seconds and nanoseconds.
    pub began: (i64, i64),
    /// What is to be in the list of checksums.
    pub listed: Mutex<Listed>,
    /// To the engine's own thread.
    pub mail: Sender<Mail>,
    /// To the face.
    pub events: UnboundedSender<Event>,
}

impl Job {
    /// A job that has not begun.
    pub fn new(
        id: JobId,
        spec: JobSpec,
        workers: usize,
        memory: Memory,
        mail: Sender<Mail>,
        events: UnboundedSender<Event>,
    ) -> Job {
        let Memory { store, earlier } = memory;
        let (tag, began) = match &earlier {
            Some((_, told)) => (told.header.tag, told.began()),
            None => (random(), fs::file_clock()),
        };
        let (journal, told) = earlier.unzip();
        let keeper = Keeper::new(store.clone());
        let plan = Arc::new(Plan::default());
        Job {
            id,
            report: Arc::new(Report::new(Arc::clone(&plan), spec.destination.clone())),
            plan,
            control: Control::held(),
            progress: Progress::new(workers),
            pool: Pool::new(workers),
            rules: Mutex::new(Rules::new(&spec.options)),
            parked: Parked::default(),
            skips: Skips::default(),
            additions: Additions::default(),
            rounds: Mutex::default(),
            retries: Retries::default(),
            comparing: Comparing::default(),
            exchanges: Exchanges::default(),
            pairs: Pairs::default(),
            hard_links: HardLinks::default(),
            folders: OpenFolders::default(),
            parts: Parts::default(),
            spots: OnceLock::new(),
            made_folders: Mutex::default(),
            made_files: OnceLock::new(),
            ways_may_meet: AtomicBool::new(false),
            room_returns: AtomicBool::new(false),
            listed: Mutex::default(),
            tag,
            journal: journal.map_or_else(OnceLock::new, OnceLock::from),
            told,
            store,
            keeper,
            began,
            mail,
            events,
            spec,
        }
    }

    /// Its journal; `None` when nothing is remembered of it.
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.get()
    }

    /// Goes on at once, or waits while the job stands still; then nothing is open for long.
    /// For whoever holds no descriptor of his own.
    ///
    /// # Errors
    /// That the job is cancelled.
    pub fn stand(&self) -> Result<(), Cancelled> {
        match self.control.go_on() {
            Ok(()) => Ok(()),
            Err(Stop::Cancelled) => Err(Cancelled),
            Err(Stop::LetGo) => {
                // What was at work when the job let go may have opened something again.
                self.let_go();
                self.control.checkpoint()
            }
        }
    }

    /// Closes what the job holds open for later; it is opened again when needed.
    pub fn let_go(&self) {
        self.folders.let_go();
        self.pairs.let_go();
        self.keeper.close();
    }

    /// The full path of an entry's source.
    pub fn source_path(&self, entry: EntryId) -> PathBuf {
        self.report.source_path(entry)
    }

    /// The full path of an entry at the destination.
    pub fn destination_path(&self, entry: EntryId) -> PathBuf {
        self.report.destination_path(entry)
    }

    /// What was not read and is to be in the list of checksums, if one is wanted.
    pub fn list_unread(&self, entry: EntryId) {
        if self.spec.checksums.is_some() {
            lock(&self.listed).unread.push(entry);
        }
    }

    /// Tells the face; one that has gone does not matter.
    pub fn tell(&self, event: Event) {
        let _gone_or_not = self.events.send(event);
    }

    /// Tells the engine's thread; one that has ended does not matter.
    pub fn mail(&self, mail: Mail) {
        let _gone_or_not = self.mail.send(mail);
    }
}

/// What a job needs to be remembered.
#[derive(Default)]
pub struct Memory {
    /// Where journals lie; `None` when nothing is remembered.
    pub store: Option<Store>,
    /// The journal of the job that is resumed, and what it tells.
    pub earlier: Option<(Journal, Told)>,
}

/// A number that nobody else has.
fn random() -> u64 {
    // Seeded by the system's random numbers, anew for each.
    std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id())
}

/// Locks what a panicking worker cannot have left half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
