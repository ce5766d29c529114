//! A list of BLAKE3 hashes that `b3sum --check` reads, of what was copied.
//!
//! Hashes are taken while sources are read. What was shared or renamed is read once more for
//! its hash. Names in the list are below the destination: `cd FOLDER && b3sum --check LIST`.

use std::ffi::{OsStr, OsString};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use walkdir::WalkDir;

use super::control::{Cancelled, Stop};
use super::copy::publish::with_temporary_name;
use super::copy::transfer::BUFFER;
use super::error::{Error, Operation};
use super::fs::{self, Identity};
use super::job::{Job, lock};
use super::message::EntryId;
use super::plan::EntryState;
use super::summary::NoticeKind;

/// A hash.
pub type Checksum = [u8; blake3::OUT_LEN];

/// A list that is being made: under a temporary name, beside its own, until it is whole. It is
/// not kept open meanwhile, and with it a device that the job lets go of.
pub struct List {
    folder: PathBuf,
    name: OsString,
    temporary: OsString,
    identity: Identity,
    written: bool,
}

impl List {
    /// Begins a list, so that nothing is copied when it could not be written.
    ///
    /// # Errors
    /// When no file can be made there.
    pub fn begin(path: &Path, tag: u64) -> Result<List, Error> {
        let error = |errno| Error::os(Operation::Create, path, errno);
        let name = path.file_name().ok_or(Errno::ISDIR).map_err(error)?.to_os_string();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let folder = fs::open_folder_path(parent).map_err(error)?;
        if path.is_dir() {
            return Err(error(Errno::ISDIR));
        }
        let made = with_temporary_name(&name, tag, |temporary| {
            let file = fs::create(&folder, temporary, 0o666)?;
            Ok((temporary.to_os_string(), file))
        });
        let (temporary, file) = made.map_err(error)?;
        let identity = fs::identity(&fs::stat(&file).map_err(error)?);
        Ok(List { folder: parent.to_path_buf(), name, temporary, identity, written: false })
    }

    /// Writes the list of all that was copied, and gives it its name.
    ///
    /// # Errors
    /// That the job was cancelled: there is no list then.
    pub fn write(mut self, job: &Job) -> Result<(), Cancelled> {
        let lines = lines(job)?;
        let write = || {
            let folder = fs::open_folder_path(&self.folder)?;
            let file = fs::open_to_write(&folder, &self.temporary, self.identity)?;
            let mut out = BufWriter::new(std::fs::File::from(file));
            lines.iter().try_for_each(|line| out.write_all(line.as_bytes()))?;
            out.flush()?;
            fs::flush_file(out.get_ref())?;
            fs::rename(&folder, &self.temporary, &folder, &self.name)?;
            Ok(())
        };
        let written: std::io::Result<()> = write();
        match written {
            Ok(()) => self.written = true,
            Err(error) => {
                let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
                let path = job.spec.checksums.clone().unwrap_or_default();
                job.report.failure(None, Error::os(Operation::Write, path, errno));
            }
        }
        Ok(())
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if !self.written {
            let _removed_or_not = fs::open_folder_path(&self.folder)
                .and_then(|folder| fs::remove_if(&folder, &self.temporary, self.identity));
        }
    }
}

/// What was copied and is to be in the list.
#[derive(Default)]
pub struct Listed {
    /// Copies whose data went through our hands.
    pub hashed: Vec<(EntryId, Checksum)>,
    /// What was renamed, or linked to a copy that was not hashed: read at the end.
    pub unread: Vec<EntryId>,
}

fn lines(job: &Job) -> Result<Vec<String>, Cancelled> {
    let Listed { hashed, unread } = std::mem::take(&mut *lock(&job.listed));
    let mut entries: Vec<(EntryId, Option<Checksum>)> =
        hashed.into_iter().map(|(entry, sum)| (entry, Some(sum))).collect();
    entries.extend(unread.into_iter().map(|entry| (entry, None)));
    entries.sort_unstable_by_key(|(entry, _)| *entry);
    let mut lines = Vec::with_capacity(entries.len());
    for (entry, sum) in entries {
        // Found wrong when it was verified, it is not there.
        let is_there = job.plan.find(entry).is_some_and(|(block, at)| {
            matches!(block.state(at), EntryState::Done | EntryState::Renamed)
        });
        if !is_there {
            continue;
        }
        let path = job.report.path_there(entry).unwrap_or_default();
        match sum {
            Some(sum) => add(job, &mut lines, entry, &path, sum),
            None => read_all(job, &mut lines, entry, &path)?,
        }
    }
    Ok(lines)
}

/// Reads a file, or all files of a folder, for their hashes.
fn read_all(
    job: &Job,
    lines: &mut Vec<String>,
    entry: EntryId,
    path: &Path,
) -> Result<(), Cancelled> {
    let top = job.destination_path(entry);
    // Sorted, each folder is listed as a whole: none stays open.
    for found in WalkDir::new(&top).follow_root_links(false).sort_by_file_name() {
        job.stand()?;
        let (file, sum) = match found {
            Ok(found) if found.file_type().is_file() => {
                let file = found.into_path();
                let sum = hash_of(&file, job)?;
                (file, sum)
            }
            Ok(_) => continue,
            Err(error) => {
                let errno = error.io_error().and_then(std::io::Error::raw_os_error);
                let errno = Errno::from_raw_os_error(errno.unwrap_or(libc::EIO));
                (error.path().map_or_else(|| top.clone(), Path::to_path_buf), Err(errno))
            }
        };
        match sum {
            Ok(sum) => {
                let below = file.strip_prefix(&top).unwrap_or(Path::new(""));
                let path =
                    if below == Path::new("") { path.to_path_buf() } else { path.join(below) };
                add(job, lines, entry, &path, sum);
            }
            Err(errno) => job.report.failure(None, Error::os(Operation::Read, file, errno)),
        }
    }
    Ok(())
}

/// The checksum of a file. A job that lets go of its devices begins it anew.
fn hash_of(path: &Path, job: &Job) -> Result<Result<Checksum, Errno>, Cancelled> {
    loop {
        match hash_on(path, job) {
            Ok(sum) => return Ok(sum),
            Err(Stop::Cancelled) => return Err(Cancelled),
            Err(Stop::LetGo) => job.stand()?,
        }
    }
}

fn hash_on(path: &Path, job: &Job) -> Result<Result<Checksum, Errno>, Stop> {
    let open = || {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let folder = fs::open_folder_path(path.parent().unwrap_or(Path::new(".")))?;
        fs::open_to_read(&folder, name)
    };
    let file = match open() {
        Ok(file) => file,
        Err(errno) => return Ok(Err(errno)),
    };
    let (mut hasher, mut buffer, mut offset) = (blake3::Hasher::new(), vec![0; BUFFER], 0);
    loop {
        job.control.go_on()?;
        match fs::read_at(&file, &mut buffer, offset) {
            Ok(0) => return Ok(Ok(hasher.finalize().into())),
            Ok(got) => {
                let _same = hasher.update(&buffer[..got]);
                offset += got as u64;
            }
            Err(errno) => return Ok(Err(errno)),
        }
    }
}

fn add(job: &Job, lines: &mut Vec<String>, entry: EntryId, path: &Path, sum: Checksum) {
    match line(path.as_os_str(), sum) {
        Some(line) => lines.push(line),
        None => job.report.notice(NoticeKind::NotCheckable, &job.plan, entry),
    }
}

/// A line of the list; `None` where `b3sum --check` would not find the file by it. The list
/// knows no comments, and one line that is refused fails the whole of it.
///
/// Names stand there as text, and one with a replacement character is refused, for it may be
/// any of the names that are no UTF-8 (`what_does_check_do.md` in b3sum's sources). A carriage
/// return at the end of a name is taken for a part of the line's end by every b3sum from 1.6 on,
/// which has an escape for it that those before do not know.
fn line(name: &OsStr, sum: Checksum) -> Option<String> {
    let text = name.to_str().filter(|text| !text.contains('\u{fffd}') && !text.ends_with('\r'))?;
    let sum = blake3::Hash::from(sum);
    Some(match text {
        // By itself it is standard input.
        "-" => format!("{sum}  ./-\n"),
        _ if text.contains(['\\', '\n']) => {
            let escaped = text.replace('\\', "\\\\").replace('\n', "\\n");
            format!("\\{sum}  {escaped}\n")
        }
        _ => format!("{sum}  {text}\n"),
    })
}
