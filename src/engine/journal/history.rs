//! The jobs that journals tell of: newest first, with their states.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::codec::HEAD;
use super::record::{AGAIN, END, End, Header, REPLACING, Record, UNDONE};
use super::store::{DAYS, KEPT};
use super::{JournalError, JournalId, Store};
use crate::engine::bytes;
use crate::engine::message::{ByteCounts, EntryCounts, JobKind, KeepReplaced};
use crate::engine::summary::Outcome;

/// Where a job of the history stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastState {
    /// A Ferry runs it now.
    Running,
    /// The program ended before it did: it can be resumed.
    Unfinished,
    /// It came to its end.
    Finished,
    /// Cancelled by the user.
    Cancelled,
    /// It could not start.
    Refused,
    /// Undone; what was changed since may have been left.
    Undone,
}

/// A job of the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Its number in the history.
    pub id: JournalId,
    /// Where it stands.
    pub state: PastState,
    /// When it began, in seconds since 1970.
    pub began: i64,
    /// Copy or move.
    pub kind: JobKind,
    /// The first sources, at most [`SOURCES_NAMED`].
    #[serde(with = "bytes::paths")]
    pub sources: Vec<PathBuf>,
    /// How many sources there are.
    pub source_count: u64,
    /// The destination.
    #[serde(with = "bytes::name")]
    pub destination: PathBuf,
    /// What became of its entries; `None` when it did not end.
    pub entries: Option<EntryCounts>,
    /// What became of its data.
    pub bytes: Option<ByteCounts>,
    /// Folders that were there already, among those that are done; `None` when it did not end,
    /// or an older program wrote it down.
    #[serde(default)]
    pub merged: Option<u64>,
}

impl Past {
    /// Entries that were made or moved: not the folders that were there already.
    pub fn made(&self) -> Option<u64> {
        Some(self.entries?.done.saturating_sub(self.merged.unwrap_or_default()))
    }
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How often it is looked which replaced files have been kept for long enough.
const EXPIRY: Duration = Duration::from_secs(60 * 60);

/// How many sources a job of the history names.
pub const SOURCES_NAMED: usize = 5;

impl Store {
    /// The jobs of all journals, newest first.
    ///
    /// # Errors
    /// When the store cannot be listed; single journals that cannot be read are left out.
    pub fn history(&self) -> Result<Vec<Past>, JournalError> {
        let mut numbers = self.numbers()?;
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        let past = |number| self.past(JournalId(number)).ok().flatten();
        Ok(numbers.into_iter().filter_map(past).collect())
    }

    /// The jobs that a program left unfinished and that none runs now, newest first.
    ///
    /// # Errors
    /// As [`Store::history`].
    pub fn unfinished(&self) -> Result<Vec<Past>, JournalError> {
        let mut all = self.history()?;
        all.retain(|past| past.state == PastState::Unfinished);
        Ok(all)
    }

    /// Forgets a job that is not running, and removes what was kept for its undoing. What it
    /// has made stays.
    ///
    /// # Errors
    /// When there is no such job, it is running, or its journal cannot be removed.
    pub fn forget(&self, id: JournalId) -> Result<(), JournalError> {
        let (_held, told) = self.take(id)?;
        if told.header.spec.options.keep_replaced.is_for_undo() {
            told.remove_kept();
        }
        Ok(fs::remove_file(self.path(id))?)
    }

    fn past(&self, id: JournalId) -> io::Result<Option<Past>> {
        Ok(self.past_of(id)?.map(|(past, _)| past))
    }

    /// A job, and whether it replaced anything.
    pub(super) fn past_of(&self, id: JournalId) -> io::Result<Option<(Past, bool)>> {
        let mut file = File::open(self.path(id))?;
        let held = Store::is_held(&file);
        let Some(Skimmed { header, end, undone, replaced }) = skim(&mut file)? else {
            return Ok(None);
        };
        let state = match &end {
            _ if held => PastState::Running,
            _ if undone => PastState::Undone,
            None => PastState::Unfinished,
            Some(end) => match end.outcome {
                Outcome::Done => PastState::Finished,
                Outcome::Stopped => PastState::Unfinished,
                Outcome::Cancelled => PastState::Cancelled,
                Outcome::Refused => PastState::Refused,
            },
        };
        let spec = header.spec;
        let past = Past {
            id,
            state,
            began: header.began.0,
            kind: spec.kind,
            source_count: spec.sources.len() as u64,
            sources: spec.sources.into_iter().take(SOURCES_NAMED).collect(),
            destination: spec.destination,
            entries: end.as_ref().map(|end| end.entries),
            merged: end.as_ref().and_then(|end| Some(end.totals.as_ref()?.merged)),
            bytes: end.map(|end| end.bytes),
        };
        Ok(Some((past, replaced)))
    }

    /// Removes the journals of jobs that ended long ago, or that [`KEPT`] others have followed,
    /// and what was kept for their undoing. Unfinished jobs stay.
    ///
    /// Every job that begins comes by here: only what is to go is read.
    pub(super) fn prune(&self, mut numbers: Vec<u64>) {
        numbers.sort_unstable();
        self.expire(&numbers);
        let many = numbers.len().saturating_sub(KEPT);
        for (place, number) in numbers.into_iter().enumerate() {
            let id = JournalId(number);
            if place >= many && !self.is_old(id) {
                return;
            }
            let Ok(Some((past, has_replaced))) = self.past_of(id) else { continue };
            if matches!(past.state, PastState::Running | PastState::Unfinished) {
                continue;
            }
            if has_replaced
                && let Ok(told) = self.look(id)
                && told.header.spec.options.keep_replaced.is_for_undo()
            {
                told.remove_kept();
            }
            // What cannot be removed now is old tomorrow as well.
            let _removed_or_not = fs::remove_file(self.path(id));
        }
    }

    /// Removes what jobs kept for fewer days than their journals are. Looked after once an
    /// hour: a job that begins has no time for it.
    fn expire(&self, numbers: &[u64]) {
        let looked = self.jobs.join("expired");
        if age(&looked).is_some_and(|age| age < EXPIRY) {
            return;
        }
        // Where it cannot be noted, it is looked after each time.
        let _noted_or_not = fs::write(&looked, "");
        for id in numbers.iter().map(|number| JournalId(*number)) {
            let Some(age) = age(&self.path(id)).filter(|age| *age > DAY) else { continue };
            let Some(KeepReplaced::Days(days)) = self.keeps(id) else { continue };
            if age > DAY * u32::from(days)
                && let Ok(Some((past, true))) = self.past_of(id)
                && !matches!(past.state, PastState::Running | PastState::Unfinished)
                && let Ok(told) = self.look(id)
            {
                told.remove_kept();
            }
        }
    }

    /// How long a job keeps what it replaced: of its journal only the first record is read.
    fn keeps(&self, id: JournalId) -> Option<KeepReplaced> {
        let mut file = File::open(self.path(id)).ok()?;
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        let size = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let mut payload = Vec::new();
        let _length = file.take(u64::from(size)).read_to_end(&mut payload).ok()?;
        match Record::decode(&payload)? {
            Record::Header(header) => Some(header.spec.options.keep_replaced),
            _ => None,
        }
    }

    fn is_old(&self, id: JournalId) -> bool {
        age(&self.path(id)).is_some_and(|age| age > DAY * DAYS as u32)
    }
}

/// How long ago a file was written.
fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).and_then(|found| found.modified()).ok()?.elapsed().ok()
}

/// What a journal says at its two ends.
struct Skimmed {
    header: Header,
    end: Option<End>,
    undone: bool,
    /// Something was replaced, and the old file kept.
    replaced: bool,
}

/// The first record and the last ones: what lies between is skipped, not read.
fn skim(file: &mut File) -> io::Result<Option<Skimmed>> {
    let length = file.metadata()?.len();
    let mut offset = 0;
    let mut header = None;
    let (mut end, mut undone, mut replaced) = (None, false, false);
    loop {
        let mut head = [0; HEAD + 1];
        let _offset = file.seek(SeekFrom::Start(offset))?;
        if file.read_exact(&mut head).is_err() {
            break;
        }
        let size = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]]));
        let next = offset + HEAD as u64 + size;
        if next > length || size == 0 {
            break;
        }
        let kind = head[HEAD];
        replaced |= kind == REPLACING;
        if header.is_none() || matches!(kind, END | UNDONE | AGAIN) {
            let mut payload = vec![0; size as usize];
            let _offset = file.seek(SeekFrom::Start(offset + HEAD as u64))?;
            file.read_exact(&mut payload)?;
            match Record::decode(&payload) {
                Some(Record::Header(first)) => header = Some(*first),
                Some(Record::End(last)) => end = Some(*last),
                Some(Record::Undone(..)) => undone = true,
                Some(Record::Again) => (end, undone) = (None, false),
                _ => break,
            }
        }
        offset = next;
    }
    Ok(header.map(|header| Skimmed { header, end, undone, replaced }))
}
