//! The fast lane: which jobs are known to be quick, and which must not pass each other.
//!
//! A rename, a clone and a small job take a moment, and should not wait behind a long copy.
//! What a job is shows in its first look; only where that says nothing, and the job would
//! have to wait, its folders are counted, as far as a small job goes.

use std::path::PathBuf;

use walkdir::WalkDir;

use super::fs;
use super::fs::mounts::FileSystem;
use super::message::{JobKind, JobSpec, Reflink};

/// A job with at most so many entries is small.
pub const FEW: u64 = 256;
/// And with at most so many bytes: less than a second on a slow stick.
pub const LITTLE: u64 = 16 * 1024 * 1024;

/// What the first look at a job's sources says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Glance {
    /// Sources.
    pub count: u64,
    /// Bytes of those that are files.
    pub bytes: u64,
    /// Some are folders: what is in them is not known.
    pub folders: bool,
    /// Some lie on another device than the destination.
    pub elsewhere: bool,
}

/// Whether a job is quick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quick {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It depends on what is in its folders.
    Unknown,
}

impl Glance {
    /// Whether such a job is quick, by what the destination's file system can do.
    pub fn quick(&self, spec: &JobSpec, destination: FileSystem) -> Quick {
        let renames = spec.kind == JobKind::Move;
        let clones = spec.options.reflink != Reflink::Never && destination.may_clone();
        let small = self.count <= FEW && self.bytes <= LITTLE;
        match self {
            _ if !self.elsewhere && (renames || clones) && !spec.options.verify => Quick::Yes,
            _ if !small => Quick::No,
            Glance { folders: true, .. } => Quick::Unknown,
            _ => Quick::Yes,
        }
    }
}

/// Whether sources are small, with all that is in them. Looks at no more than a small job
/// has; stops when `stop` holds.
pub fn is_small(sources: &[PathBuf], stop: impl Fn() -> bool) -> bool {
    let (mut count, mut bytes) = (0, 0);
    for source in sources {
        for entry in WalkDir::new(source).follow_root_links(false) {
            // What cannot be looked at fails, and that is quick.
            let Ok(entry) = entry else { continue };
            count += 1;
            if entry.file_type().is_file() {
                bytes += entry.metadata().map_or(0, |metadata| metadata.len());
            }
            if count > FEW || bytes > LITTLE || stop() {
                return false;
            }
        }
    }
    true
}

/// The paths that a job touches, by their names alone: links are not followed.
#[derive(Default)]
pub struct Paths {
    /// Made or removed.
    changed: Vec<PathBuf>,
    /// Only read.
    read: Vec<PathBuf>,
}

impl Paths {
    /// Of a job with these sources.
    pub fn of(spec: &JobSpec, more: &[PathBuf]) -> Paths {
        let destination = fs::path::absolute(&spec.destination);
        let mut paths = Paths::default();
        for source in spec.sources.iter().chain(more) {
            let source = fs::path::absolute(source);
            paths.changed.extend(source.file_name().map(|name| destination.join(name)));
            match spec.kind {
                JobKind::Move => paths.changed.push(source),
                JobKind::Copy => paths.read.push(source),
            }
        }
        paths.changed.sort_unstable();
        paths.read.sort_unstable();
        paths
    }

    /// Whether one of both jobs changes what the other touches.
    pub fn meet(&self, other: &Paths) -> bool {
        overlap(&self.changed, &other.changed)
            || overlap(&self.changed, &other.read)
            || overlap(&self.read, &other.changed)
    }
}

/// Whether a path of one sorted list is, or lies in, a path of the other.
fn overlap(one: &[PathBuf], other: &[PathBuf]) -> bool {
    // What lies in a folder stands right behind it.
    let holds = |all: &[PathBuf], path: &PathBuf| {
        let at = all.partition_point(|before| before < path);
        all.get(at).is_some_and(|next| next.starts_with(path))
    };
    one.iter().any(|path| holds(other, path)) || other.iter().any(|path| holds(one, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(kind: JobKind, sources: &[&str], destination: &str) -> Paths {
        let sources = sources.iter().map(PathBuf::from).collect();
        let spec = JobSpec { kind, sources, destination: destination.into(), ..JobSpec::default() };
        Paths::of(&spec, &[])
    }

    #[test]
    fn jobs_meet_where_one_changes_what_the_other_touches() {
        let copy = paths(JobKind::Copy, &["/a/x", "/b/y"], "/to");
        for (kind, sources, destination, meet) in [
            (JobKind::Copy, ["/a/x"], "/elsewhere", false),
            (JobKind::Copy, ["/c/z"], "/to", false),
            (JobKind::Copy, ["/c/x"], "/to", true),
            (JobKind::Copy, ["/to/x/deep"], "/elsewhere", true),
            (JobKind::Copy, ["/to"], "/elsewhere", true),
            (JobKind::Copy, ["/c/z"], "/a/x/in", true),
            (JobKind::Move, ["/a/x"], "/elsewhere", true),
            (JobKind::Move, ["/a/xx"], "/elsewhere", false),
            (JobKind::Move, ["/a"], "/elsewhere", true),
            (JobKind::Copy, ["/c/a"], "/", true),
        ] {
            let other = paths(kind, &sources, destination);
            assert_eq!(copy.meet(&other), meet, "{kind:?} {sources:?} {destination}");
            assert_eq!(other.meet(&copy), meet, "{kind:?} {sources:?} {destination}");
        }
    }

    #[test]
    fn a_small_job_is_one_with_little_in_it() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("t")).unwrap();
        std::fs::write(place.path().join("t/f"), "x").unwrap();
        let sources = [place.path().to_path_buf()];
        assert!(is_small(&sources, || false));
        assert!(!is_small(&sources, || true));
        let large = std::fs::File::create(place.path().join("t/large")).unwrap();
        large.set_len(LITTLE).unwrap();
        assert!(!is_small(&sources, || false));
    }
}
