//! The whole contract between a face and the engine: [`Command`] in, [`Event`] out.
//!
//! Plain values without callbacks, all of them serde-serialisable: in one process they move
//! over a channel, `--json` prints them, and a job in a process of its own can send them
//! over a socket. The engine never waits for whoever reads its events.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::bytes;
use super::conflict::{
    Action, ConflictRule, FileFacts, FolderRule, ForeignRule, QuestionClass, Scope, Subject,
};
use super::error::Error;
use super::naming::NamePattern;
use super::preserve::Preserve;
use super::summary::Summary;

/// One job, for as long as the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobId(pub u64);

/// One entry of a job: its place in the job's [`super::Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryId(pub u32);

/// One question of the engine; unique among all jobs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct QuestionId(pub u64);

/// What a face can ask of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Put a new job at the end of the queue (see [`super::Engine::add`]).
    Add {
        /// The new job's number.
        job: JobId,
        /// What to do.
        spec: JobSpec,
    },
    /// Stop at the next chunk and keep the place.
    Pause {
        /// Which job.
        job: JobId,
    },
    /// Go on after a pause.
    Resume {
        /// Which job.
        job: JobId,
    },
    /// End the job for good; what is whole stays, no short file does. Undo takes it away.
    Cancel {
        /// Which job.
        job: JobId,
    },
    /// End the job for now: as [`Command::Cancel`], but its outcome is
    /// [`super::Outcome::Stopped`]: what is whole is kept, and the rest may go on another day.
    Stop {
        /// Which job.
        job: JobId,
    },
    /// Start a job beside the others, whatever its devices do; a paused one goes on.
    RunNow {
        /// Which job.
        job: JobId,
    },
    /// Let go of the devices of a job that is paused or waits, so that they can be unmounted;
    /// it does so by itself after a while. When it goes on, its folders are opened again and
    /// must be the same. A file in work is begun anew then, unless much of it is copied: such
    /// a one is kept open.
    LetGo {
        /// Which job.
        job: JobId,
    },
    /// Give a job more sources: [`Event::SourcesAdded`], or [`Event::SourcesRefused`] where
    /// it copies nothing any more or is another kind of job.
    AddSources {
        /// Which job.
        job: JobId,
        /// The sources; kind, destination and options are those of the job.
        spec: JobSpec,
    },
    /// Skip an entry that has not come to its end: one that is in work leaves nothing short,
    /// one that is asked about is answered, one that has not begun never does. Of a folder in
    /// work the entries that are left are skipped.
    SkipEntry {
        /// Which job.
        job: JobId,
        /// Which entry.
        entry: EntryId,
    },
    /// Answer a question. Unknown and already answered questions are ignored.
    Answer {
        /// Which job.
        job: JobId,
        /// Which question.
        question: QuestionId,
        /// What to do.
        action: Action,
        /// For that entry alone, for all of its kind, or for all.
        scope: Scope,
    },
    /// Compare the contents of both sides of a conflict, beside the job;
    /// [`Event::Compared`] tells. Of several wishes of a job the last one counts.
    Compare {
        /// Which job.
        job: JobId,
        /// Which question.
        question: QuestionId,
    },
    /// Move a job that has not started to another place in the queue.
    Reorder {
        /// Which job.
        job: JobId,
        /// The job that it shall run before; `None` puts it last.
        before: Option<JobId>,
    },
    /// Forget an ended job.
    Forget {
        /// Which job.
        job: JobId,
    },
    /// Cancel every job and end the engine; [`Event::Stopped`] is its last word.
    ShutDown,
}

/// Copy or move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// The sources stay.
    #[default]
    Copy,
    /// The sources are removed, each once its copy is whole and on the device.
    Move,
}

/// What to copy, where to and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// Copy or move.
    pub kind: JobKind,
    /// Files and folders; each keeps its name in the destination.
    #[serde(with = "bytes::paths")]
    pub sources: Vec<PathBuf>,
    /// The folder to copy into, made if missing.
    #[serde(with = "bytes::name")]
    pub destination: PathBuf,
    /// How.
    pub options: Options,
    /// The file that BLAKE3 hashes of all copies are listed in, for `b3sum --check` in the
    /// destination; one that is there is replaced.
    #[serde(default, with = "bytes::optional")]
    pub checksums: Option<PathBuf>,
}

/// How a job copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// What happens to a file whose name is taken.
    pub conflict: ConflictRule,
    /// What happens to a folder that meets a folder.
    pub folder_conflict: FolderRule,
    /// The names that the rule `Rename` gives.
    pub rename_pattern: NamePattern,
    /// What happens to an entry whose name the destination's file system refuses.
    pub foreign_names: ForeignRule,
    /// What happens to an entry that fails.
    pub failure: FailureRule,
    /// Whether to share data instead of copying it.
    pub reflink: Reflink,
    /// What is kept beside the data.
    #[serde(default)]
    pub preserve: Preserve,
    /// Read the copies back from the device and compare.
    pub verify: bool,
    /// How many workers; `None` chooses by the machine.
    pub workers: Option<u16>,
    /// How long a replaced file is kept.
    pub keep_replaced: KeepReplaced,
}

/// How long a replaced file is kept in the trash of its file system, from where undo and any
/// file manager bring it back. Only by an engine with a [`super::Store`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepReplaced {
    /// As long as the job can be undone: it is removed with the job's journal.
    #[default]
    Undo,
    /// So many days, or as long as the job can be undone where that is shorter.
    Days(u16),
    /// Until the user empties the trash.
    Trash,
    /// Until the job has ended.
    Job,
    /// Not at all.
    No,
}

impl KeepReplaced {
    /// Whether what is kept is there for undo alone, and Ferry removes it in time.
    pub(super) fn is_for_undo(self) -> bool {
        matches!(self, KeepReplaced::Undo | KeepReplaced::Days(_))
    }
}

impl Options {
    /// Rules that ask skip as unanswered where nobody can be asked, and the reverse.
    pub fn set_asking(&mut self, can_ask: bool) {
        self.conflict = match self.conflict {
            ConflictRule::Ask if !can_ask => ConflictRule::SkipUnanswered,
            ConflictRule::SkipUnanswered if can_ask => ConflictRule::Ask,
            rule => rule,
        };
        self.folder_conflict = match self.folder_conflict {
            FolderRule::Ask if !can_ask => FolderRule::SkipUnanswered,
            FolderRule::SkipUnanswered if can_ask => FolderRule::Ask,
            rule => rule,
        };
        self.foreign_names = match self.foreign_names {
            ForeignRule::Ask if !can_ask => ForeignRule::SkipUnanswered,
            ForeignRule::SkipUnanswered if can_ask => ForeignRule::Ask,
            rule => rule,
        };
    }
}

/// What happens to an entry that fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureRule {
    /// Park it and ask (retry or skip).
    #[default]
    Ask,
    /// Note it in the summary and go on.
    Record,
}

/// Whether to share data (FICLONE) instead of copying it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reflink {
    /// Where both sides can.
    #[default]
    Auto,
    /// Always; an entry whose data cannot be shared fails.
    Always,
    /// Never: real copies.
    Never,
}

/// What the engine tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A job is in the queue.
    Added {
        /// The job's number.
        job: JobId,
        /// What it is to do.
        spec: JobSpec,
    },
    /// A job's state changed.
    State {
        /// Which job.
        job: JobId,
        /// Its new state.
        state: JobState,
    },
    /// How a pair of mounts is copied; told when the first entry is looked at.
    Route {
        /// Which job.
        job: JobId,
        /// The route.
        route: Route,
    },
    /// A sample of a running job, at most ten a second.
    Progress {
        /// Which job.
        job: JobId,
        /// The sample.
        snapshot: Snapshot,
    },
    /// New questions, in batches; the job goes on with everything else.
    Asked {
        /// Which job.
        job: JobId,
        /// The questions.
        questions: Vec<Question>,
    },
    /// These questions need no answer any more.
    Settled {
        /// Which job.
        job: JobId,
        /// The questions.
        questions: Vec<QuestionId>,
    },
    /// The contents of both sides of a conflict were compared.
    Compared {
        /// Which job.
        job: JobId,
        /// Which question.
        question: QuestionId,
        /// Whether they are equal; `None` when they could not be read.
        equal: Option<bool>,
    },
    /// A job ended; nothing more is told of it.
    Finished {
        /// Which job.
        job: JobId,
        /// What became of it.
        summary: Summary,
    },
    /// A job got more sources.
    SourcesAdded {
        /// Which job.
        job: JobId,
        /// The new ones.
        #[serde(with = "bytes::paths")]
        sources: Vec<PathBuf>,
    },
    /// A job did not get more sources: they may be a job of their own.
    SourcesRefused {
        /// Which job.
        job: JobId,
        /// What was wished.
        spec: JobSpec,
        /// Why not.
        why: Refusal,
    },
    /// The queue's order (jobs that have not ended).
    Order {
        /// The jobs, first to run first.
        jobs: Vec<JobId>,
    },
    /// The engine has ended.
    Stopped,
}

/// Why a job did not get more sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It has ended, is ending, or only flushes, verifies or removes.
    TooLate,
    /// It copies to another place, moves where the other copies, or does it in another way.
    Differs,
}

/// Where a job stands. Its legal changes are drawn in `engine/job.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for its turn.
    Queued,
    /// Copies.
    Running,
    /// Paused by the user.
    Paused,
    /// Only parked entries are left: waits for answers.
    Waiting,
    /// Ends after a cancel or a stop.
    Cancelling,
    /// Ended; see its [`Summary`].
    Ended,
}

/// What a running job is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Listing and copying, side by side.
    #[default]
    Copying,
    /// Writing through to the device.
    Flushing,
    /// Reading copies back and comparing.
    Verifying,
    /// Removing moved sources.
    Removing,
}

/// How a pair of mounts is copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// By which means.
    pub means: Means,
    /// The source's file system, as the kernel names it (`ext4`).
    pub source_type: String,
    /// The destination's file system.
    pub destination_type: String,
}

/// By which means data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// Shared, nothing moves.
    Clone,
    /// Copied inside the kernel (`copy_file_range`).
    InKernel,
    /// Read and written.
    ReadWrite,
    /// Renamed: a move within one file system.
    Rename,
}

/// A sample of a running job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// What the job is busy with.
    pub phase: Phase,
    /// Entries (files, links and folders).
    pub entries: EntryCounts,
    /// Data.
    pub bytes: ByteCounts,
    /// What is read back and compared, while the job does that.
    pub compared: Option<Compared>,
    /// The part that is done, from 0 to 1: of the bytes where there are any, else of the
    /// entries; what was left out does not count. Never goes back within a phase.
    /// `None` while it is not known.
    pub fraction: Option<f64>,
    /// Smoothed rate of data that really moved, in bytes a second; `None` until it means
    /// something.
    pub rate: Option<u64>,
    /// Smoothed rate of entries a second; `None` until it means something.
    pub entry_rate: Option<u64>,
    /// Time left in milliseconds; `None` until it means something.
    pub left: Option<u64>,
    /// Time the job has run, pauses not counted, in milliseconds.
    pub elapsed: u64,
    /// The entries in work now: at most one a worker.
    pub in_work: Vec<InWork>,
}

/// Counts of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryCounts {
    /// Found so far; at the end: all.
    pub total: u64,
    /// Whether `total` is the last word: everything was listed, or counted ahead.
    pub total_is_final: bool,
    /// Copied, linked or moved.
    pub done: u64,
    /// Left by a rule or an answer.
    pub skipped: u64,
    /// Left because nobody could be asked.
    pub unanswered: u64,
    /// Parked until a conflict is answered.
    pub waiting: u64,
    /// Failed (parked or noted).
    pub failed: u64,
}

impl EntryCounts {
    /// Those that are done or may still be: all but what was left out.
    pub fn wanted(&self) -> u64 {
        self.total.saturating_sub(self.skipped + self.unanswered + self.failed)
    }
}

/// Counts of data, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteCounts {
    /// Copied, cloned included.
    pub done: u64,
    /// Of which shared instead of copied.
    pub cloned: u64,
    /// Of all entries but those left out; `None` while it is not known, and where entries are
    /// only renamed.
    pub total: Option<u64>,
}

/// Data that is read back and compared, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Compared so far.
    pub done: u64,
    /// Of all copies that are to be compared.
    pub total: u64,
}

/// An entry in work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InWork {
    /// Which entry.
    pub entry: EntryId,
    /// Its path below the destination.
    #[serde(with = "bytes::name")]
    pub path: PathBuf,
    /// Bytes copied of it.
    pub done: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// Something about one entry that a face should decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// To answer by.
    pub id: QuestionId,
    /// The entry that waits.
    pub entry: EntryId,
    /// Its path below the destination.
    #[serde(with = "bytes::name")]
    pub path: PathBuf,
    /// What is asked.
    pub about: About,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The name is taken.
    Conflict {
        /// What is coming.
        source: FileFacts,
        /// Its full path.
        #[serde(with = "bytes::name")]
        source_path: PathBuf,
        /// What is already there.
        existing: FileFacts,
        /// Its full path.
        #[serde(with = "bytes::name")]
        existing_path: PathBuf,
        /// The name that keeping both would give.
        #[serde(with = "bytes::name")]
        other_name: OsString,
        /// Both are one and the same file: it cannot replace itself.
        same_file: bool,
        /// What is there was made by this job: two of its sources come to one name.
        sources_meet: bool,
    },
    /// The destination's file system refuses names of the job: asked once, of the first of
    /// them, about all.
    ForeignName {
        /// Some of them, the first one first, and the names that they would have.
        examples: Vec<MappedName>,
        /// The file system, as the kernel names it.
        file_system: String,
    },
    /// Something failed; it can be tried again or skipped.
    Failure {
        /// What failed.
        error: Error,
    },
}

/// A name that is refused, and the one that would be taken in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedName {
    /// The name.
    #[serde(with = "bytes::name")]
    pub name: OsString,
    /// The name in its place.
    #[serde(with = "bytes::name")]
    pub mapped: OsString,
}

impl Question {
    /// The class that the question belongs to.
    pub fn class(&self) -> QuestionClass {
        self.about.class()
    }
}

impl About {
    /// What it is about, as far as its answers go.
    pub fn subject(&self) -> Subject {
        match self {
            About::Failure { .. } => Subject::FAILURE,
            About::ForeignName { .. } => Subject::FOREIGN_NAME,
            About::Conflict { source, existing, same_file, sources_meet, .. } => {
                Subject::of(source, existing, *same_file, *sources_meet)
            }
        }
    }

    /// The class of such a question.
    pub fn class(&self) -> QuestionClass {
        self.subject().class
    }

    /// Whether an action is an answer to it: see [`Subject::allows`].
    pub fn allows(&self, action: &Action) -> bool {
        self.subject().allows(action)
    }
}
