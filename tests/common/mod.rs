//! What all integration tests share: trees described like the tree they make, a comparison
//! that is not the engine, jobs run to their end with a deadline, real file systems on
//! loop images, and processes of their own for what is process-wide.
//!
//! Included by each test target with `#[path = "../common/mod.rs"] mod common;`.

#![allow(dead_code, reason = "each test target uses its own part")]
#![allow(unused_imports, reason = "each test target uses its own part")]
#![allow(unused_results, reason = "set-up calls are made for what they do")]
#![allow(clippy::unwrap_used, reason = "a failed set-up fails its test")]

pub mod big;
pub mod compare;
pub mod job;
pub mod mounts;
pub mod process;
pub mod session;
pub mod tree;

use std::ffi::OsStr;
use std::io::Write;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

pub use big::{BIG, big_file, big_source, one_big_copy};
pub use compare::{What, assert_same_tree, differences};
pub use job::{Job, Run, copy, moving};
pub use mounts::{Foreign, Fs, Removable, bind, ramfs, scratch, small_ext4, small_tmpfs};
pub use process::is_root;
pub use session::Session;
pub use tree::{Tree, pattern};

/// Says that a test, or a part of it, cannot run here, and counts it for the whole run.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
    if let Some(path) = std::env::var_os("FERRY_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        if let Ok(mut file) = file {
            let _best_effort = writeln!(file, "skipped: {reason}");
        }
    }
}

/// A path below another, by bytes.
pub fn below(folder: &Path, path: impl AsRef<[u8]>) -> PathBuf {
    folder.join(OsStr::from_bytes(path.as_ref()))
}

/// A folder of a test's own, removed with everything in it at the end.
pub struct Place {
    path: PathBuf,
}

impl Place {
    /// A new folder in a folder.
    pub fn new_in(parent: &Path) -> Place {
        let path = tempfile::Builder::new().prefix("ferry-").tempdir_in(parent).unwrap().keep();
        Place { path: path.canonicalize().unwrap() }
    }

    /// A new folder in it.
    pub fn folder(&self, name: &str) -> PathBuf {
        let path = self.path.join(name);
        std::fs::create_dir(&path).unwrap();
        path
    }
}

impl Deref for Place {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking() && std::env::var_os("FERRY_TEST_KEEP").is_some() {
            return println!("left to be looked at: {}", self.path.display());
        }
        // `rm` and not the standard library: trees thousands of levels deep.
        let remove = |path: &Path| {
            Command::new("rm").args(["-rf", "--one-file-system", "--"]).arg(path).output()
        };
        let gone = remove(&self.path).is_ok_and(|output| output.status.success());
        if !gone {
            let _best_effort =
                Command::new("chmod").args(["-R", "u+rwx", "--"]).arg(&self.path).output();
            let _best_effort = remove(&self.path);
        }
    }
}

/// Whether two paths lie on one device, so that moving between them is a rename.
pub fn same_device(one: &Path, other: &Path) -> bool {
    let device = |path: &Path| std::os::unix::fs::MetadataExt::dev(&path.metadata().unwrap());
    device(one) == device(other)
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The contents of a file.
pub fn read(path: impl AsRef<Path>) -> Vec<u8> {
    let path = path.as_ref();
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Looks until a condition holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let end = session::deadline();
    while !condition() {
        assert!(Instant::now() < end, "in time never: {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

/// Runs a program to its end and insists on success.
pub fn command(program: &str, args: &[&dyn AsRef<OsStr>]) -> String {
    let output = Command::new(program)
        .args(args.iter().map(|arg| arg.as_ref()))
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
