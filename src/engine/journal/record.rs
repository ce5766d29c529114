//! The records of a journal.
//!
//! The few that come once a job are JSON, for they grow with the program; those that come
//! with every entry are as short as they can be: about 35 bytes an entry, its name included.
//!
//! Schema 1. A reader refuses a later schema, and leaves out what it does not know: records of
//! other kinds, fields of JSON, and what follows a record's last field. So a record may get
//! more fields at its end, and JSON more with a default; what is not there is not known. Only
//! what an earlier reader would misunderstand is another schema.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::codec::{Taker, put, put_bytes, put_signed};
use crate::engine::bytes;
use crate::engine::conflict::FileKind;
use crate::engine::copy::Fault;
use crate::engine::error::Error;
use crate::engine::message::{ByteCounts, EntryCounts, EntryId, JobSpec};
use crate::engine::plan::{EntryState, FolderNumber};
use crate::engine::summary::{Notice, NoticeKind, Outcome};

/// The version of what is written here.
pub const SCHEMA: u32 = 1;

/// The first record of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// See [`SCHEMA`].
    pub schema: u32,
    /// What temporary names of the job have in them: nothing of the user's has it.
    pub tag: u64,
    /// When the job began, by the clock that files are dated by: seconds since 1970 and
    /// nanoseconds.
    pub began: (i64, i64),
    /// What it is to do; every path is absolute.
    pub spec: JobSpec,
}

/// The destination, once it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Destination {
    /// Its inode.
    pub inode: u64,
    /// Its file system's magic number.
    pub magic: i64,
    /// When the job began to make anything, by the clock that files are dated by; nothing that
    /// was there then is dated as late. Journals of earlier programs do not have it.
    #[serde(default)]
    pub since: Option<(i64, i64)>,
    /// The folders that had to be made to have it, outermost first.
    #[serde(with = "bytes::paths")]
    pub made: Vec<PathBuf>,
}

/// Sources that the job got after it was added; every path is absolute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// The paths.
    #[serde(with = "bytes::paths")]
    pub paths: Vec<PathBuf>,
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How it ended.
    pub outcome: Outcome,
    /// Its entries.
    pub entries: EntryCounts,
    /// Its data.
    pub bytes: ByteCounts,
    /// When, in seconds since 1970.
    pub at: i64,
    /// And nanoseconds; `None` in journals of earlier programs.
    #[serde(default)]
    pub nanoseconds: Option<i64>,
    /// How long it ran, in milliseconds.
    pub elapsed: u64,
    /// What else its summary has; `None` where an older program wrote it, which did not write
    /// down why something failed either.
    #[serde(default)]
    pub totals: Option<Totals>,
}

/// What a summary counts beside the states of entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Folders that were there already.
    pub merged: u64,
    /// Entries under another name.
    pub renamed: u64,
    /// What was set aside.
    pub set_aside: u64,
    /// Sources that changed while they were copied.
    pub changed: u64,
    /// Copies that were read back and found right.
    pub verified: u64,
    /// What was not kept or left out.
    pub notices: Vec<Notice>,
}

/// A failure that none of the listed entries stands for: of a source that could not even be
/// begun, or of the job as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unlisted {
    /// Why; its path is the source's.
    pub error: Error,
    /// It is a source.
    pub is_source: bool,
    /// What the source is, where that is known.
    pub kind: Option<FileKind>,
}

/// What an entry's copy was, so that it is known again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Bytes.
    pub size: u64,
    /// When its contents changed last: seconds since 1970 and nanoseconds.
    pub modified: (i64, u32),
    /// Its inode; 0 where it was not looked at.
    pub inode: u64,
}

/// What was done for an entry: what undo is going to take back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum How {
    /// Nothing that could be taken back.
    #[default]
    Nothing,
    /// It was made where nothing was.
    Made,
    /// It was made in the place of what was there, kept or not: see [`Replacing`].
    Replaced,
    /// The source itself was renamed.
    Moved,
    /// An earlier run of the job did it, and it is still so.
    Trusted,
    /// It was made in the place of what an earlier run of the job had made.
    MadeAgain,
}

impl How {
    const ALL: [How; 6] =
        [How::Nothing, How::Made, How::Replaced, How::Moved, How::Trusted, How::MadeAgain];
}

/// How an entry ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Which entry.
    pub entry: EntryId,
    /// Its last state.
    pub state: EntryState,
    /// What was done.
    pub how: How,
    /// What it is.
    pub kind: FileKind,
    /// What its copy is.
    pub facts: Facts,
    /// Its name at the destination, where that is another one.
    pub name: Option<OsString>,
}

/// A folder at the destination is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its entry.
    pub entry: EntryId,
    /// Its number.
    pub folder: FolderNumber,
    /// The job made it.
    pub made: bool,
    /// It was reached through a link.
    pub followed: bool,
    /// When its source was changed last, before anything was done to it.
    pub modified: (i64, u32),
    /// Its name, where that is another one than its source's.
    pub name: Option<OsString>,
    /// What it is known by; `None` in journals of earlier programs.
    pub made_as: Option<MadeAs>,
    /// The mode of its source; `None` in journals of earlier programs.
    pub mode: Option<u32>,
}

/// What tells a folder from another one of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeAs {
    /// Its inode.
    pub inode: u64,
    /// When it came into being, where its file system tells: a freed inode is given out again.
    pub birth: Option<(i64, i64)>,
}

/// Entries that were found in a folder, and are going to be made under these names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The folder's number.
    pub folder: FolderNumber,
    /// The folder that sources lie in, where it is the destination's own (number 0).
    pub origin: Option<PathBuf>,
    /// The first entry's number; the others follow.
    pub first: EntryId,
    /// The entries.
    pub entries: Vec<(FileKind, OsString)>,
}

/// A file or folder is going to be replaced, and the old one kept.
///
/// A folder is told of twice: when the new one is begun under its temporary name, without a
/// trash, and when it is about to take its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacing {
    /// The entry that replaces it.
    pub entry: EntryId,
    /// The old file's inode.
    pub old: u64,
    /// The name that is replaced.
    pub name: OsString,
    /// The name beside it that is exchanged with it; empty where the old file is linked to
    /// its new place first.
    pub temporary: OsString,
    /// The trash that the old file goes to.
    pub trash: PathBuf,
    /// Its name there.
    pub kept: OsString,
}

/// What stands in the way is going to get another name beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The entry that it is done for.
    pub entry: EntryId,
    /// The inode of what stands there.
    pub old: u64,
    /// Its name.
    pub name: OsString,
    /// The name that it gets.
    pub new_name: OsString,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The first.
    Header(Box<Header>),
    /// The job goes on in another run of the program; its entries are numbered anew.
    Again,
    /// The destination is there.
    Destination(Destination),
    /// The job got more sources.
    Sources(Sources),
    /// Entries were found.
    Listed(Listed),
    /// A folder is there.
    Opened(Opened),
    /// Entries ended.
    Ended(Vec<Ended>),
    /// An entry is going to be made under another name.
    Naming(EntryId, OsString),
    /// A file is going to be replaced.
    Replacing(Replacing),
    /// Something is going to be set aside.
    Aside(Aside),
    /// The user said to skip these entries, and what lies in them.
    Declined(Vec<EntryId>),
    /// The copies of these entries were read back and are right.
    Verified(Vec<EntryId>),
    /// The kept old files of these entries were given up for their room.
    GivenUp(Vec<EntryId>),
    /// Why these entries failed. Like the next two it comes once, before the end.
    Failed(Fault, Vec<EntryId>),
    /// This was not kept of these entries, or is why they were left.
    Noted(NoticeKind, Vec<EntryId>),
    /// What failed that was never listed.
    Unlisted(Vec<Unlisted>),
    /// The job ended.
    End(Box<End>),
    /// The job was undone, in seconds since 1970; whether nothing of it was left.
    Undone(i64, bool),
    /// Written by a later program.
    Unknown,
}

const HEADER: u8 = b'H';
/// The kind of [`Record::Again`].
pub const AGAIN: u8 = b'A';
const DESTINATION: u8 = b'D';
const SOURCES: u8 = b'S';
const LISTED: u8 = b'L';
const OPENED: u8 = b'O';
/// The kind of a record that [`put_ended`] appends to.
pub const ENDED: u8 = b'E';
const NAMING: u8 = b'N';
/// The kind of a [`Replacing`].
pub const REPLACING: u8 = b'R';
const ASIDE: u8 = b'B';
const DECLINED: u8 = b'K';
const VERIFIED: u8 = b'V';
const GIVEN_UP: u8 = b'G';
const FAILED: u8 = b'F';
const NOTED: u8 = b'T';
const UNLISTED: u8 = b'M';
/// The kind of a job's last record.
pub const END: u8 = b'Z';
/// The kind of an undo's record.
pub const UNDONE: u8 = b'U';

const HAS_NAME: u8 = 8;
const HAS_FACTS: u8 = 16;

/// Appends an entry's end to a record of the kind [`ENDED`].
pub fn put_ended(out: &mut Vec<u8>, ended: &Ended) {
    let (has_facts, has_name) = (ended.facts != Facts::default(), ended.name.is_some());
    put(out, u64::from(ended.entry.0));
    out.push(ended.state as u8 | (ended.how as u8) << 4);
    let facts_flag = if has_facts { HAS_FACTS } else { 0 };
    out.push(ended.kind as u8 | facts_flag | if has_name { HAS_NAME } else { 0 });
    if has_facts {
        put(out, ended.facts.size);
        put_time(out, ended.facts.modified);
        put(out, ended.facts.inode);
    }
    if let Some(name) = &ended.name {
        put_bytes(out, name.as_bytes());
    }
}

fn put_time(out: &mut Vec<u8>, (seconds, nanoseconds): (i64, u32)) {
    put_signed(out, seconds);
    put(out, u64::from(nanoseconds));
}

fn put_optional(out: &mut Vec<u8>, name: Option<&OsString>) {
    put_bytes(out, name.map_or(b"", |name| name.as_bytes()));
}

fn put_entries(out: &mut Vec<u8>, entries: &[EntryId]) {
    entries.iter().for_each(|entry| put(out, u64::from(entry.0)));
}

/// A word of the program's as JSON, and the entries that it is said of.
fn put_said(out: &mut Vec<u8>, said: &impl Serialize, entries: &[EntryId]) {
    let mut word = Vec::new();
    put_json(&mut word, said);
    put_bytes(out, &word);
    put_entries(out, entries);
}

fn put_json(out: &mut Vec<u8>, value: &impl Serialize) {
    // These types have no map with keys that are no text, which is all that can fail.
    serde_json::to_writer(out, value).unwrap_or_default();
}

impl Record {
    /// The record's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let out = &mut bytes;
        match self {
            Record::Header(header) => {
                out.push(HEADER);
                put_json(out, header);
            }
            Record::Again => out.push(AGAIN),
            Record::Destination(destination) => {
                out.push(DESTINATION);
                put_json(out, destination);
            }
            Record::Sources(sources) => {
                out.push(SOURCES);
                put_json(out, sources);
            }
            Record::Listed(listed) => {
                out.push(LISTED);
                put(out, u64::from(listed.folder));
                let origin = listed.origin.as_ref().map(|origin| origin.as_os_str().as_bytes());
                put_bytes(out, origin.unwrap_or_default());
                put(out, u64::from(listed.first.0));
                for (kind, name) in &listed.entries {
                    out.push(*kind as u8);
                    put_bytes(out, name.as_bytes());
                }
            }
            Record::Opened(opened) => {
                out.push(OPENED);
                put(out, u64::from(opened.entry.0));
                put(out, u64::from(opened.folder));
                out.push(u8::from(opened.made) | u8::from(opened.followed) << 1);
                put_time(out, opened.modified);
                put_optional(out, opened.name.as_ref());
                put(out, opened.made_as.map_or(0, |made_as| made_as.inode));
                let (seconds, nanoseconds) =
                    opened.made_as.and_then(|made_as| made_as.birth).unwrap_or_default();
                put_time(out, (seconds, nanoseconds as u32));
                put(out, opened.mode.map_or(0, |mode| u64::from(mode) + 1));
            }
            Record::Ended(all) => {
                out.push(ENDED);
                for ended in all {
                    put_ended(out, ended);
                }
            }
            Record::Naming(entry, name) => {
                out.push(NAMING);
                put(out, u64::from(entry.0));
                put_bytes(out, name.as_bytes());
            }
            Record::Replacing(replacing) => {
                out.push(REPLACING);
                put(out, u64::from(replacing.entry.0));
                put(out, replacing.old);
                put_bytes(out, replacing.name.as_bytes());
                put_bytes(out, replacing.temporary.as_bytes());
                put_bytes(out, replacing.trash.as_os_str().as_bytes());
                put_bytes(out, replacing.kept.as_bytes());
            }
            Record::Aside(aside) => {
                out.push(ASIDE);
                put(out, u64::from(aside.entry.0));
                put(out, aside.old);
                put_bytes(out, aside.name.as_bytes());
                put_bytes(out, aside.new_name.as_bytes());
            }
            Record::Declined(entries) => {
                out.push(DECLINED);
                put_entries(out, entries);
            }
            Record::Verified(entries) => {
                out.push(VERIFIED);
                put_entries(out, entries);
            }
            Record::GivenUp(entries) => {
                out.push(GIVEN_UP);
                put_entries(out, entries);
            }
            Record::Failed(fault, entries) => {
                out.push(FAILED);
                put_said(out, fault, entries);
            }
            Record::Noted(kind, entries) => {
                out.push(NOTED);
                put_said(out, kind, entries);
            }
            Record::Unlisted(all) => {
                out.push(UNLISTED);
                put_json(out, all);
            }
            Record::End(end) => {
                out.push(END);
                put_json(out, end);
            }
            Record::Undone(at, whole) => {
                out.push(UNDONE);
                put_signed(out, *at);
                out.push(u8::from(*whole));
            }
            Record::Unknown => {}
        }
        bytes
    }

    /// Reads a record; `None` when it is damaged in spite of its checksum.
    pub fn decode(payload: &[u8]) -> Option<Record> {
        let (kind, rest) = payload.split_first()?;
        let mut take = Taker(rest);
        Some(match *kind {
            HEADER => Record::Header(serde_json::from_slice(rest).ok()?),
            AGAIN => Record::Again,
            DESTINATION => Record::Destination(serde_json::from_slice(rest).ok()?),
            SOURCES => Record::Sources(serde_json::from_slice(rest).ok()?),
            LISTED => Record::Listed(listed(&mut take)?),
            OPENED => Record::Opened(opened(&mut take)?),
            ENDED => {
                let mut all = Vec::new();
                while !take.is_empty() {
                    all.push(ended(&mut take)?);
                }
                Record::Ended(all)
            }
            NAMING => Record::Naming(EntryId(take.small()?), name(&mut take)?),
            REPLACING => Record::Replacing(Replacing {
                entry: EntryId(take.small()?),
                old: take.number()?,
                name: name(&mut take)?,
                temporary: name(&mut take)?,
                trash: name(&mut take)?.into(),
                kept: name(&mut take)?,
            }),
            ASIDE => Record::Aside(Aside {
                entry: EntryId(take.small()?),
                old: take.number()?,
                name: name(&mut take)?,
                new_name: name(&mut take)?,
            }),
            DECLINED => Record::Declined(entries(&mut take)?),
            VERIFIED => Record::Verified(entries(&mut take)?),
            GIVEN_UP => Record::GivenUp(entries(&mut take)?),
            // A reason that only a later program knows is left out.
            FAILED => match serde_json::from_slice(take.bytes()?) {
                Ok(fault) => Record::Failed(fault, entries(&mut take)?),
                Err(_) => Record::Unknown,
            },
            NOTED => match serde_json::from_slice(take.bytes()?) {
                Ok(kind) => Record::Noted(kind, entries(&mut take)?),
                Err(_) => Record::Unknown,
            },
            UNLISTED => serde_json::from_slice(rest).map_or(Record::Unknown, Record::Unlisted),
            END => Record::End(serde_json::from_slice(rest).ok()?),
            UNDONE => Record::Undone(take.signed()?, take.byte()? != 0),
            _ => Record::Unknown,
        })
    }
}

fn entries(take: &mut Taker<'_>) -> Option<Vec<EntryId>> {
    let mut all = Vec::new();
    while !take.is_empty() {
        all.push(EntryId(take.small()?));
    }
    Some(all)
}

fn name(take: &mut Taker<'_>) -> Option<OsString> {
    Some(OsString::from_vec(take.bytes()?.to_vec()))
}

fn optional(take: &mut Taker<'_>) -> Option<Option<OsString>> {
    let name = name(take)?;
    Some((!name.is_empty()).then_some(name))
}

fn time(take: &mut Taker<'_>) -> Option<(i64, u32)> {
    Some((take.signed()?, take.small()?))
}

fn file_kind(number: u8) -> Option<FileKind> {
    (number < 6).then(|| FileKind::from_number(number))
}

fn listed(take: &mut Taker<'_>) -> Option<Listed> {
    let folder = take.small()?;
    let origin = optional(take)?.map(PathBuf::from);
    let first = EntryId(take.small()?);
    let mut entries = Vec::new();
    while !take.is_empty() {
        entries.push((file_kind(take.byte()?)?, name(take)?));
    }
    Some(Listed { folder, origin, first, entries })
}

fn opened(take: &mut Taker<'_>) -> Option<Opened> {
    let (entry, folder) = (EntryId(take.small()?), take.small()?);
    let flags = take.byte()?;
    let (modified, name) = (time(take)?, optional(take)?);
    let (mut made_as, mut mode) = (None, None);
    if !take.is_empty() {
        let (inode, (seconds, nanoseconds)) = (take.number()?, time(take)?);
        let birth = Some((seconds, i64::from(nanoseconds))).filter(|birth| *birth != (0, 0));
        made_as = (inode != 0).then_some(MadeAs { inode, birth });
        mode = take.small()?.checked_sub(1);
    }
    let (made, followed) = (flags & 1 != 0, flags & 2 != 0);
    Some(Opened { entry, folder, made, followed, modified, name, made_as, mode })
}

fn ended(take: &mut Taker<'_>) -> Option<Ended> {
    let entry = EntryId(take.small()?);
    let (fate, flags) = (take.byte()?, take.byte()?);
    let facts = if flags & HAS_FACTS != 0 {
        Facts { size: take.number()?, modified: time(take)?, inode: take.number()? }
    } else {
        Facts::default()
    };
    Some(Ended {
        entry,
        state: *EntryState::ALL.get(usize::from(fate & 15))?,
        how: *How::ALL.get(usize::from(fate >> 4))?,
        kind: file_kind(flags & 7)?,
        facts,
        name: if flags & HAS_NAME != 0 { Some(name(take)?) } else { None },
    })
}
