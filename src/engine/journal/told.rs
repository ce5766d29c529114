//! What a journal tells: the folders and entries of a job, and what became of each.
//!
//! A job that was resumed has several runs in its journal, each with its own numbers; here
//! they are one, by the names of the sources.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::codec::Frames;
use super::record::{
    Aside, Destination, End, Ended, Header, How, Listed, MadeAs, Opened, Record, Replacing, SCHEMA,
    Unlisted,
};
use crate::engine::conflict::FileKind;
use crate::engine::copy::Fault;
use crate::engine::fs;
use crate::engine::fs::mounts::FileSystem;
use crate::engine::message::EntryId;
use crate::engine::plan::{EntryState, FolderNumber, ROOT};
use crate::engine::scan::FILLED;
use crate::engine::summary::NoticeKind;
use crate::engine::trash::Trash;

/// All that a journal tells.
pub struct Told {
    /// What the job is.
    pub header: Header,
    /// The destination, if the job came as far.
    pub destination: Option<Destination>,
    /// The folders; [`Told::roots`] are the destination itself.
    pub folders: Vec<Folder>,
    /// The destination as the place of what came from each origin.
    pub roots: HashMap<PathBuf, usize>,
    /// What failed that was never listed.
    pub unlisted: Vec<Unlisted>,
    /// How the job ended; `None` when it did not.
    pub end: Option<End>,
    /// When it was undone (seconds since 1970), and whether nothing of it was left.
    pub undone: Option<(i64, bool)>,
    /// When the journal was written last, in seconds since 1970.
    pub written: i64,
    /// Bytes of the file that are whole records.
    pub valid: u64,
    /// What may have been replaced, and no record tells: the end of the journal was lost.
    pub untold: Vec<Untold>,
    /// How often it was resumed.
    resumed: u32,
}

/// Something that stands where an older one stood, and the older one.
pub struct Untold {
    /// What stands there.
    pub path: PathBuf,
    /// Where the older one is kept.
    pub old: PathBuf,
}

/// A folder at the destination.
#[derive(Default)]
pub struct Folder {
    /// The folder above, and the name of its source there; `None` for the destination.
    pub parent: Option<(usize, OsString)>,
    /// The folder that sources lie in, of the destination itself.
    pub origin: PathBuf,
    /// Its name at the destination.
    pub name: OsString,
    /// The job made it.
    pub made: bool,
    /// It was reached through a link.
    pub followed: bool,
    /// When its source was changed last, before the job did anything to it.
    pub modified: (i64, u32),
    /// What the folder that the job made is known by, where the journal tells.
    pub made_as: Option<MadeAs>,
    /// The mode that its source had, where the journal tells.
    pub mode: Option<u32>,
    /// Its entries, by their names at the source.
    pub entries: HashMap<OsString, Entry>,
}

/// An entry that was to be made.
pub struct Entry {
    /// What it is.
    pub kind: FileKind,
    /// How it ended; `None` when it was, or may have been, in work.
    pub ended: Option<Ended>,
    /// Other names that it may have been made under.
    pub names: Vec<OsString>,
    /// Old files that it replaced, or was about to.
    pub replacing: Vec<Replacing>,
    /// What was set aside for it, or was about to be.
    pub asides: Vec<Aside>,
    /// The folder that it is.
    pub folder: Option<usize>,
    /// The user said to skip it.
    pub declined: bool,
    /// Its copy was read back and was right.
    pub verified: bool,
    /// What is to be said of it: of very few entries anything is.
    pub said: Option<Box<Said>>,
    /// The run that listed it last, and its number there.
    listed: (u32, EntryId),
}

/// What is to be said of an entry at the end of its job.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Why it failed.
    pub fault: Option<Fault>,
    /// What of it was not kept.
    pub notices: Vec<NoticeKind>,
}

impl Told {
    /// An entry's number, for a record that is appended now; `None` when the last run did not
    /// come to list it.
    pub fn id(&self, entry: &Entry) -> Option<EntryId> {
        (entry.listed.0 == self.resumed).then_some(entry.listed.1)
    }
}

impl Entry {
    /// Its name at the destination, given the one at the source.
    pub fn name<'a>(&'a self, source: &'a OsStr) -> &'a OsStr {
        self.ended.as_ref().and_then(|ended| ended.name.as_deref()).unwrap_or(source)
    }
}

/// One run of the job: where its numbers lead.
#[derive(Default)]
struct Run {
    entries: Vec<Option<(usize, OsString)>>,
    folders: HashMap<FolderNumber, usize>,
}

impl Told {
    /// Reads a journal's bytes; `None` when not even its first record is whole, or it was
    /// written by a later program.
    pub fn read(bytes: &[u8]) -> Option<Told> {
        let mut frames = Frames::of(bytes);
        let Record::Header(header) = Record::decode(frames.next()?)? else { return None };
        if header.schema > SCHEMA {
            return None;
        }
        let mut told = Told {
            header: *header,
            destination: None,
            folders: Vec::new(),
            roots: HashMap::new(),
            unlisted: Vec::new(),
            end: None,
            undone: None,
            written: i64::MAX,
            valid: frames.valid(),
            untold: Vec::new(),
            resumed: 0,
        };
        let mut run = Run::default();
        while let Some(payload) = frames.next() {
            let Some(record) = Record::decode(payload) else { break };
            told.take(record, &mut run);
            told.valid = frames.valid();
        }
        Some(told)
    }

    fn take(&mut self, record: Record, run: &mut Run) {
        match record {
            Record::Again => {
                *run = Run::default();
                self.resumed += 1;
                (self.end, self.undone) = (None, None);
                // Looked at anew.
                self.unlisted.clear();
            }
            Record::Destination(new) => {
                let since = self.destination.as_ref().and_then(|before| before.since);
                let made = self.destination.take().map(|before| before.made).unwrap_or_default();
                let made = if made.is_empty() { new.made } else { made };
                let since = since.or(new.since);
                self.destination = Some(Destination { made, since, ..new });
            }
            Record::Sources(more) => self.header.spec.sources.extend(more.paths),
            Record::Listed(listed) => self.listed(listed, run),
            Record::Opened(opened) => self.opened(opened, run),
            Record::Ended(all) => all.into_iter().for_each(|ended| {
                if let Some(entry) = self.find(run, ended.entry) {
                    entry.end_with(ended);
                }
            }),
            Record::Naming(entry, name) => {
                if let Some(entry) = self.find(run, entry) {
                    entry.names.push(name);
                }
            }
            Record::Replacing(replacing) => {
                if let Some(entry) = self.find(run, replacing.entry) {
                    entry.replacing.push(replacing);
                }
            }
            Record::Aside(aside) => {
                if let Some(entry) = self.find(run, aside.entry) {
                    entry.asides.push(aside);
                }
            }
            Record::Declined(all) => all.into_iter().for_each(|entry| {
                if let Some(entry) = self.find(run, entry) {
                    entry.declined = true;
                }
            }),
            Record::Verified(all) => all.into_iter().for_each(|entry| {
                if let Some(entry) = self.find(run, entry) {
                    entry.verified = true;
                }
            }),
            Record::GivenUp(all) => all.into_iter().for_each(|entry| {
                // That there was one is known still: what took its place is all there is.
                for known in self.find(run, entry).into_iter().flat_map(|e| &mut e.replacing) {
                    (known.old, known.trash) = (0, PathBuf::new());
                }
            }),
            Record::Failed(fault, all) => all.into_iter().for_each(|entry| {
                if let Some(entry) = self.find(run, entry) {
                    entry.said.get_or_insert_default().fault = Some(fault);
                }
            }),
            Record::Noted(kind, all) => all.into_iter().for_each(|entry| {
                if let Some(entry) = self.find(run, entry) {
                    let notices = &mut entry.said.get_or_insert_default().notices;
                    if !notices.contains(&kind) {
                        notices.push(kind);
                    }
                }
            }),
            Record::Unlisted(all) => self.unlisted.extend(all),
            Record::End(end) => self.end = Some(*end),
            Record::Undone(at, whole) => self.undone = Some((at, whole)),
            Record::Header(_) | Record::Unknown => {}
        }
    }

    fn find(&mut self, run: &Run, entry: EntryId) -> Option<&mut Entry> {
        let (folder, name) = run.entries.get(entry.0 as usize)?.as_ref()?;
        self.folders[*folder].entries.get_mut(name)
    }

    fn listed(&mut self, listed: Listed, run: &mut Run) {
        let folder = match (listed.folder, listed.origin) {
            (ROOT, Some(origin)) => self.root_of(origin),
            (number, _) => match run.folders.get(&number) {
                Some(folder) => *folder,
                None => return,
            },
        };
        let first = listed.first.0 as usize;
        let wanted = first + listed.entries.len();
        if run.entries.len() < wanted {
            run.entries.resize(wanted, None);
        }
        for (place, (kind, name)) in (first..).zip(listed.entries) {
            run.entries[place] = Some((folder, name.clone()));
            let known = self.folders[folder].entries.entry(name).or_insert_with(|| Entry {
                kind,
                ended: None,
                names: Vec::new(),
                replacing: Vec::new(),
                asides: Vec::new(),
                folder: None,
                declined: false,
                verified: false,
                said: None,
                listed: (0, EntryId(0)),
            });
            known.kind = kind;
            known.listed = (self.resumed, EntryId(place as u32));
        }
    }

    fn root_of(&mut self, origin: PathBuf) -> usize {
        let folders = &mut self.folders;
        *self.roots.entry(origin).or_insert_with_key(|origin| {
            folders.push(Folder { origin: origin.clone(), ..Folder::default() });
            folders.len() - 1
        })
    }

    fn opened(&mut self, opened: Opened, run: &mut Run) {
        let place = run.entries.get(opened.entry.0 as usize).and_then(Option::as_ref);
        let Some((parent, source_name)) = place.cloned() else { return };
        let next = self.folders.len();
        let Some(entry) = self.folders[parent].entries.get_mut(&source_name) else { return };
        entry.kind = FileKind::Folder;
        let at = *entry.folder.get_or_insert(next);
        let name = opened.name.unwrap_or_else(|| source_name.clone());
        if at == next {
            self.folders.push(Folder {
                parent: Some((parent, source_name)),
                name,
                made: opened.made,
                followed: opened.followed,
                modified: opened.modified,
                made_as: opened.made_as.filter(|_| opened.made),
                mode: opened.mode,
                ..Folder::default()
            });
        } else {
            // A later run merged into what the first one made. What was made anew is new.
            let folder = &mut self.folders[at];
            folder.made |= opened.made;
            if opened.made {
                folder.made_as = opened.made_as.or(folder.made_as);
            }
            folder.mode = folder.mode.or(opened.mode);
            (folder.name, folder.followed) = (name, opened.followed);
        }
        let _before = run.folders.insert(opened.folder, at);
    }

    /// Since when the job made anything; what came into being before is none of its own.
    pub fn began(&self) -> (i64, i64) {
        let told = self.destination.as_ref().and_then(|destination| destination.since);
        told.unwrap_or(self.header.began)
    }

    /// When the job did its last, in seconds since 1970.
    pub fn ended_at(&self) -> i64 {
        self.end.as_ref().map_or(self.written, |end| end.at)
    }

    /// Whether a name leads to a folder as the job makes them until their last entry is made.
    pub fn is_being_filled(&self, at: &OwnedFd, name: &OsStr) -> bool {
        // Earlier programs made no mark.
        let marks = self.destination.as_ref().is_some_and(|known| known.since.is_some());
        let mode = if marks { FILLED } else { 0o700 };
        fs::stat_name(at, name).is_ok_and(|stat| {
            // A folder in a setgid folder is one itself.
            fs::kind(&stat) == FileKind::Folder && fs::mode(&stat) & !0o2000 == mode
        })
    }

    /// Whether something was changed, at this time, after the job did its last.
    pub fn is_after(&self, changed: (i64, i64)) -> bool {
        match self.end.as_ref().and_then(|end| Some((end.at, end.nanoseconds?))) {
            Some(end) => changed > end,
            // Times have parts of a second, what is known has none.
            None => changed.0 > self.ended_at() + 1,
        }
    }

    /// The place in the destination of what came from a folder.
    pub fn root(&self, origin: &Path) -> Option<usize> {
        self.roots.get(origin).copied()
    }

    /// An entry, by its folder and its name at the source.
    pub fn entry(&self, folder: usize, name: &OsStr) -> Option<&Entry> {
        self.folders.get(folder)?.entries.get(name)
    }

    /// Removes the replaced files that are kept for the job.
    pub fn remove_kept(&self) {
        let entries = self.folders.iter().flat_map(|folder| folder.entries.values());
        for replacing in entries.flat_map(|entry| &entry.replacing) {
            let kept = |trash: &Trash| {
                trash.holds(&replacing.kept).is_some_and(|held| held.inode == replacing.old)
            };
            // Restored or emptied by the user meanwhile, it is gone already.
            if let Ok(trash) = Trash::at(&replacing.trash)
                && kept(&trash)
            {
                let _removed_or_gone = trash.remove(&replacing.kept);
            }
        }
    }

    /// Whether this is what stood in a folder's place before the job, by its inode.
    pub fn is_old(&self, folder: usize, inode: u64) -> bool {
        let known = &self.folders[folder];
        let entry = known.parent.as_ref().and_then(|(parent, name)| self.entry(*parent, name));
        entry.is_some_and(|entry| entry.is_old(&known.name, inode))
    }

    /// The old folder that a folder took the place of.
    pub fn exchanged_for(&self, folder: usize) -> Option<&Replacing> {
        let known = &self.folders[folder];
        let (parent, name) = known.parent.as_ref()?;
        let replacing = &self.entry(*parent, name)?.replacing;
        replacing.iter().rev().find(|replacing| replacing.name == known.name)
    }

    /// The path of a folder's source.
    pub fn source(&self, folder: usize) -> PathBuf {
        let mut names = Vec::new();
        let mut at = folder;
        while let Some((parent, name)) = &self.folders[at].parent {
            names.push(name);
            at = *parent;
        }
        let mut path = self.folders[at].origin.clone();
        path.extend(names.into_iter().rev());
        path
    }

    /// The path of a folder below the destination.
    pub fn below(&self, folder: usize) -> PathBuf {
        let mut names = Vec::new();
        let mut at = folder;
        while let Some((parent, _)) = &self.folders[at].parent {
            names.push(&self.folders[at].name);
            at = *parent;
        }
        names.into_iter().rev().collect()
    }
}

impl Folder {
    /// Whether what was opened is the folder that the job made; true as well where nothing
    /// tells. Other file systems than the plain ones number their files anew.
    pub fn is_still(&self, opened: &OwnedFd) -> bool {
        let Some(made_as) = self.made_as else { return true };
        let Ok(now) = MadeAs::of(opened) else { return true };
        let same_birth = made_as.birth.zip(now.birth).is_none_or(|(then, now)| then == now);
        (made_as.inode == now.inode && same_birth) || !FileSystem::of(opened).is_plain_local()
    }
}

impl MadeAs {
    /// What an open folder is known by.
    ///
    /// # Errors
    /// What looking says.
    pub fn of(opened: &OwnedFd) -> rustix::io::Result<MadeAs> {
        let inode = fs::stat(opened)?.st_ino;
        Ok(MadeAs { inode, birth: fs::birth_of_name(opened, OsStr::new(".")) })
    }
}

impl Entry {
    /// Whether this is what had a name at the destination before the job, by its inode.
    pub fn is_old(&self, name: &OsStr, inode: u64) -> bool {
        let replaced = self.replacing.iter().map(|known| (&known.name, known.old));
        let aside = self.asides.iter().map(|known| (&known.name, known.old));
        replaced.chain(aside).any(|(known, old)| known == name && old == inode)
    }

    fn end_with(&mut self, new: Ended) {
        self.verified &= matches!(new.how, How::Trusted | How::Nothing);
        if let Some(said) = &mut self.said {
            // Of what is no longer so nothing is said.
            if !matches!(new.state, EntryState::Failed | EntryState::Changed) {
                said.fault = None;
            }
            if !matches!(new.how, How::Trusted | How::Nothing) {
                said.notices.clear();
            }
        }
        let how = match (&self.ended, new.how) {
            // What an earlier run did is what there is to take back.
            (Some(_), How::Trusted) => return,
            (Some(before), How::Nothing) if before.how != How::Nothing => return,
            (Some(before), How::MadeAgain) => before.how,
            (None, How::MadeAgain) => How::Made,
            (_, how) => how,
        };
        if how == How::Moved || new.kind != FileKind::Folder {
            self.kind = new.kind;
        }
        self.ended = Some(Ended { how, ..new });
    }
}
