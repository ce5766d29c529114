//! File systems in image files, made for one run and gone after it, also when it fails, is
//! interrupted, or is killed.
//!
//! Three nets: guards unmount when they are dropped; mounts are made in a mount namespace of
//! this process alone (see `main`), which ends with it; and the image's name is removed and
//! its loop device set to vanish as soon as it is mounted.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;

use crate::error::{BenchError, Context};

/// A file system to measure on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileSystem {
    Ext4,
    Xfs,
    Btrfs,
    Tmpfs,
    /// The four, one after the other
    All,
}

impl FileSystem {
    /// The file systems that are meant, `All` taken apart.
    pub fn expand(chosen: &[Self]) -> Vec<Self> {
        if chosen.contains(&Self::All) {
            vec![Self::Ext4, Self::Xfs, Self::Btrfs, Self::Tmpfs]
        } else {
            chosen.to_vec()
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
            Self::Tmpfs => "tmpfs",
            Self::All => "all",
        }
    }

    /// How it is made. ext4's inode tables are written at once: the kernel would else write
    /// them in the background, into the measurement; 256 bytes an inode have room for
    /// nanoseconds.
    fn maker(self) -> &'static [&'static str] {
        match self {
            Self::Ext4 => &[
                "mkfs.ext4",
                "-q",
                "-F",
                "-I",
                "256",
                "-E",
                "lazy_itable_init=0,lazy_journal_init=0",
            ],
            Self::Xfs => &["mkfs.xfs", "-q", "-f"],
            Self::Btrfs => &["mkfs.btrfs", "-q", "-f"],
            Self::Tmpfs | Self::All => &[],
        }
    }
}

/// A mounted file system of its own; unmounted when dropped.
#[derive(Debug)]
pub struct Mounted {
    folder: PathBuf,
    /// The image, held open: it has no name any more.
    pub image: Option<File>,
}

impl Mounted {
    /// Makes a file system that holds `bytes` and mounts it on a new folder in `scratch`.
    /// Needs root.
    pub fn make(kind: FileSystem, bytes: u64, scratch: &Path) -> Result<Self, BenchError> {
        let folder = scratch.join(kind.name());
        fs::create_dir(&folder).context("cannot make a mount point")?;
        if kind == FileSystem::Tmpfs {
            let size = format!("size={bytes}");
            mount(&["-t", "tmpfs", "-o", &size, "ferry-bench"], &folder)?;
            return Ok(Self { folder, image: None });
        }
        let path = scratch.join(format!("{}.image", kind.name()));
        let image = File::create_new(&path).context("cannot make an image")?;
        // From here on the name goes away on every way out.
        let _name = RemovedName(path.clone());
        image.set_len(bytes).context("cannot size an image")?;
        let [program, arguments @ ..] = kind.maker() else {
            return Err(BenchError::failed("a file system without a maker"));
        };
        let _nothing = run(Command::new(program).args(arguments).arg(&path))?;
        // Direct, so that there is no second cache below the file system: it would keep
        // "cold" data in memory and write back a second time at its own leisure.
        let device =
            run(Command::new("losetup").args(["--find", "--show", "--direct-io=on"]).arg(&path))?;
        let device = LoopDevice(device.trim().to_owned());
        mount(&[&device.0], &folder)?;
        Ok(Self { folder, image: Some(image) })
        // Here `device` is dropped: a loop device in use is detached by its last user.
    }

    /// Where it is mounted.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A killed copier's children may hold it for a moment: then it goes when they do.
        if run(Command::new("umount").arg(&self.folder)).is_err()
            && let Err(error) = run(Command::new("umount").arg("--lazy").arg(&self.folder))
        {
            eprintln!("{} is still mounted: {error}", self.folder.display());
        }
    }
}

struct RemovedName(PathBuf);

impl Drop for RemovedName {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            eprintln!("{} is left: {error}", self.0.display());
        }
    }
}

struct LoopDevice(String);

impl Drop for LoopDevice {
    fn drop(&mut self) {
        if let Err(error) = run(Command::new("losetup").arg("--detach").arg(&self.0)) {
            eprintln!("{} is left: {error}", self.0);
        }
    }
}

fn mount(arguments: &[&str], folder: &Path) -> Result<(), BenchError> {
    run(Command::new("mount").args(arguments).arg(folder)).map(drop)
}

/// Runs a helper to its end; its output, or what it complained of.
fn run(command: &mut Command) -> Result<String, BenchError> {
    let program = command.get_program().to_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .context(format_args!("cannot run {}", program.display()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(BenchError::Failed(format!(
            "{} ({}): {}",
            program.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        )))
    }
}
