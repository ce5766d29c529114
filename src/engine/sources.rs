//! The sources of a job by the folders that they lie in.
//!
//! Five thousand files chosen one by one are to cost what their folder costs: no path is looked
//! at twice, and where many of a folder's names were chosen it is listed instead of looking at
//! each (5 ms for 5000 names, against half a millisecond).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::conflict::FileKind;
use super::error::ErrorKind;
use super::fs;

/// Names that are listed for each that was chosen, at most: from there on a look at each one is
/// quicker.
const LISTED: usize = 8;

/// Of fewer names in a folder each is looked at: opening and closing costs as much.
const FEW: usize = 8;

/// Bytes of a call that lists.
const BUFFER: usize = 64 * 1024;

/// Sources that lie in one folder.
pub struct Group {
    /// The folder.
    pub folder: PathBuf,
    /// Their names there, each once.
    pub names: Vec<Named>,
}

/// A source's name and its place among all sources.
pub struct Named {
    /// The name that it keeps.
    pub name: OsString,
    /// Its place, from 0.
    pub place: usize,
}

/// All sources of a job.
#[derive(Default)]
pub struct Sources<'a> {
    /// By the folders that they lie in, as these were first named.
    pub groups: Vec<Group>,
    /// Those without a name to keep, and why.
    pub nameless: Vec<(&'a Path, ErrorKind)>,
}

/// Sorts sources by the folders that they lie in. One that is named twice is there once.
pub fn group(sources: &[PathBuf]) -> Sources<'_> {
    let mut all = Sources::default();
    let mut by_folder: HashMap<Cow<'_, Path>, usize> = HashMap::new();
    let mut seen: HashSet<(usize, Cow<'_, OsStr>)> = HashSet::with_capacity(sources.len());
    // Neighbours mostly lie in one folder: that is found without hashing a path.
    let mut last: Option<(Cow<'_, Path>, usize)> = None;
    for (place, source) in sources.iter().enumerate() {
        let (folder, name) = match split(source) {
            Ok(split) => split,
            Err(kind) => {
                all.nameless.push((source, kind));
                continue;
            }
        };
        let at = match &last {
            Some((of, at)) if of.as_os_str() == folder.as_os_str() => *at,
            _ => *by_folder.entry(folder.clone()).or_insert_with(|| {
                all.groups.push(Group { folder: folder.to_path_buf(), names: Vec::new() });
                all.groups.len() - 1
            }),
        };
        last = Some((folder, at));
        if seen.insert((at, name.clone())) {
            all.groups[at].names.push(Named { name: name.into_owned(), place });
        }
    }
    all
}

/// The folder that a source lies in, and the name that it keeps.
///
/// # Errors
/// [`ErrorKind::NoName`] for the root, and what the system says of `.` and `..`.
pub fn split(source: &Path) -> Result<(Cow<'_, Path>, Cow<'_, OsStr>), ErrorKind> {
    fn named(path: &Path) -> Option<(&Path, &OsStr)> {
        let name = path.file_name()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some((folder.unwrap_or(Path::new(".")), name))
    }
    if let Some((folder, name)) = named(source) {
        return Ok((folder.into(), name.into()));
    }
    // `.` and `..` have the name of the folder that they are.
    let real = std::fs::canonicalize(source)
        .map_err(|error| ErrorKind::Os(error.raw_os_error().unwrap_or(libc::ENOENT)))?;
    let (folder, name) = named(&real).ok_or(ErrorKind::NoName)?;
    Ok((folder.to_path_buf().into(), name.to_os_string().into()))
}

/// What names of a folder are, as far as listing it tells: `None` for those that are not there,
/// and for all that come after far more others than were asked for. A few are not worth it.
pub fn listed_kinds(folder: &OwnedFd, names: &[Named]) -> Vec<Option<FileKind>> {
    let mut kinds = vec![None; names.len()];
    if names.len() < FEW {
        return kinds;
    }
    let places: HashMap<&OsStr, usize> =
        names.iter().enumerate().map(|(at, named)| (named.name.as_os_str(), at)).collect();
    let mut left = names.len().saturating_mul(LISTED);
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
    // The descriptor's place in its listing is moved, and so it is one of its own.
    let Ok(folder) = fs::open_folder(folder, OsStr::new(".")) else { return kinds };
    let _to_its_end_or_far_enough = fs::list(folder, &mut buffer, |listed| {
        if let Some(at) = places.get(listed.name) {
            kinds[*at] = listed.kind;
        }
        left = left.checked_sub(1).ok_or(Errno::CANCELED)?;
        Ok(())
    });
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(sources: &[&str]) -> Vec<(String, Vec<(String, usize)>)> {
        let sources: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
        let all = group(&sources);
        assert!(all.nameless.is_empty());
        let text = |name: &OsStr| name.to_str().unwrap().to_owned();
        let names = |group: &Group| {
            group.names.iter().map(|named| (text(&named.name), named.place)).collect()
        };
        all.groups.iter().map(|group| (text(group.folder.as_os_str()), names(group))).collect()
    }

    fn named(names: &[(&str, usize)]) -> Vec<(String, usize)> {
        names.iter().map(|(name, place)| ((*name).to_owned(), *place)).collect()
    }

    #[test]
    fn sources_are_sorted_by_folder_in_the_order_that_they_were_named() {
        let sources = ["/a/1", "/b/2", "/a/3", "4", "./5", "/a//6", "/7", "/a/b/"];
        let wanted = [
            ("/a".to_owned(), named(&[("1", 0), ("3", 2), ("6", 5), ("b", 7)])),
            ("/b".to_owned(), named(&[("2", 1)])),
            (".".to_owned(), named(&[("4", 3), ("5", 4)])),
            ("/".to_owned(), named(&[("7", 6)])),
        ];
        assert_eq!(grouped(&sources), wanted);
    }

    #[test]
    fn a_source_that_is_named_twice_is_there_once() {
        let sources = ["/a/1", "/a/1", "/b/1", "/a//1", "/a/1/"];
        let wanted = [("/a".to_owned(), named(&[("1", 0)])), ("/b".to_owned(), named(&[("1", 2)]))];
        assert_eq!(grouped(&sources), wanted);
    }

    #[test]
    fn the_root_has_no_name() {
        let sources = [PathBuf::from("/"), PathBuf::from("/a")];
        let all = group(&sources);
        assert_eq!(all.nameless, [(Path::new("/"), ErrorKind::NoName)]);
        assert_eq!(all.groups.len(), 1);
    }

    #[test]
    fn a_listing_tells_what_the_chosen_names_are() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
        let descriptor = fs::open_folder_path(folder.path()).unwrap();
        let name = |(place, name): (usize, &str)| Named { name: name.into(), place };
        let mut all = vec!["link", "gone", "file", "folder"];
        all.resize(FEW, "not there");
        let names: Vec<Named> = all.into_iter().enumerate().map(name).collect();
        let mut kinds =
            vec![Some(FileKind::Link), None, Some(FileKind::File), Some(FileKind::Folder)];
        kinds.resize(FEW, None);
        for _again in 0..2 {
            assert_eq!(listed_kinds(&descriptor, &names), kinds);
        }
        assert_eq!(listed_kinds(&descriptor, &names[..FEW - 1]), [None; FEW - 1]);
    }

    #[test]
    fn a_folder_of_far_more_than_was_chosen_is_not_listed_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..100 {
            std::fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let descriptor = fs::open_folder_path(folder.path()).unwrap();
        let names: Vec<Named> =
            (0..100).map(|place| Named { name: place.to_string().into(), place }).collect();
        let known = |names: &[Named]| listed_kinds(&descriptor, names).iter().flatten().count();
        assert_eq!(known(&names), 100);
        // Each part of eight is met within 64 names and the one after them.
        let in_parts: usize = names.chunks_exact(FEW).map(known).sum();
        assert!((1..=FEW * LISTED + 1).contains(&in_parts), "{in_parts}");
    }
}
