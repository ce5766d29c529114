//! The trees that are copied, and how they are made.
//!
//! Contents cannot be compressed and differ from file to file, modes and times vary, so
//! that the check after a copy can tell a file from any other and a kept attribute from
//! a default. The same tree is made every time.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use clap::ValueEnum;

use crate::error::{BenchError, Context};
use crate::interrupt::Interrupt;

/// What can be asked for by `--case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CaseName {
    /// 5000 files of 4 KiB in one folder
    Flat,
    /// 5000 files of 4 KiB in 50 folders
    Tree,
    /// 100 files of 5 MB (1000 with --full)
    Big,
    /// KDE's report 342056, a folder of 15 GB of small files: a tenth of it (all with --full)
    Kde342056,
    /// 50 files of many sizes, 3 MB: to try the copiers, not to measure them
    Tiny,
    /// 100 000 files of 100 bytes in one folder (a million with --full)
    Many,
    /// 100 000 files of 100 bytes in 1000 folders (a million in 10 000 with --full)
    ManyTree,
    /// How soon Ferry ends when it is cancelled amid a file of 1 GiB
    Latency,
    /// How long a reader waits while the file it reads is cloned (btrfs, XFS)
    Readers,
    /// What 5000 files cost that are chosen one by one, beside their folder
    Chosen,
}

/// A tree to copy.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its name, also the name of its folder.
    pub name: &'static str,
    files: u64,
    /// How many folders the files are spread over; 0: they lie in the source folder itself.
    folders: u64,
    least_bytes: u64,
    most_bytes: u64,
}

const FILE_MODES: [u32; 7] = [0o644, 0o600, 0o755, 0o640, 0o444, 0o664, 0o700];
const FOLDER_MODES: [u32; 3] = [0o750, 0o755, 0o700];

/// Random bytes that the contents are windows of. Larger than any file, so that no file
/// repeats itself, and shared, so that making 5 GB costs hardly more than writing them.
const POOL_BYTES: usize = 8 << 20;

impl Case {
    /// The tree of that name; `full` asks for the full size of those that have a smaller one.
    /// Nothing for `Latency`, `Readers` and `Chosen`, which are measured in ways of their own.
    pub fn named(name: CaseName, full: bool) -> Option<Self> {
        let scale = |small, large| if full { large } else { small };
        let (name, files, folders, least_bytes, most_bytes) = match name {
            CaseName::Flat => ("flat", 5000, 0, 4096, 4096),
            CaseName::Tree => ("tree", 5000, 50, 4096, 4096),
            CaseName::Big => ("big", scale(100, 1000), 0, 5_000_000, 5_000_000),
            CaseName::Kde342056 => {
                let files = scale(60_000, 600_000);
                ("kde342056", files, files / 100, 500, 49_500)
            }
            CaseName::Tiny => ("tiny", 50, 5, 0, 120_000),
            CaseName::Many => ("many", scale(100_000, 1_000_000), 0, 100, 100),
            CaseName::ManyTree => {
                let files = scale(100_000, 1_000_000);
                ("many-tree", files, files / 100, 100, 100)
            }
            CaseName::Latency | CaseName::Readers | CaseName::Chosen => return None,
        };
        Some(Self { name, files, folders, least_bytes, most_bytes })
    }

    /// Whether all files lie in the source folder itself.
    pub fn is_flat(&self) -> bool {
        self.folders == 0
    }

    /// Bytes that the tree takes at most on the disk, with what the file system needs for it.
    pub fn space(&self) -> u64 {
        let average = u64::midpoint(self.least_bytes, self.most_bytes);
        // Sizes are spread evenly; a block is lost a file, half a block again for its inode.
        self.files * (average + average / 20 + 6 * 1024) + self.folders * 8 * 1024
    }

    /// The tree in words, for the table's heading.
    pub fn words(&self) -> String {
        let sizes = if self.least_bytes == self.most_bytes {
            format!("{} bytes", self.most_bytes)
        } else {
            format!("{} to {} bytes", self.least_bytes, self.most_bytes)
        };
        let place = match self.folders {
            0 => "in one folder".to_owned(),
            folders => format!("in {folders} folders"),
        };
        format!("{}: {} files of {sizes} {place}", self.name, self.files)
    }

    /// Makes the tree as a folder of the case's name in `parent`, and returns its path.
    pub fn make(&self, parent: &Path, interrupt: &Interrupt) -> Result<PathBuf, BenchError> {
        let root = parent.join(self.name);
        let mut folders = vec![root.clone()];
        folders.extend((0..self.folders).map(|index| root.join(folder_name(index))));
        for folder in &folders {
            fs::create_dir_all(folder).context(format_args!("cannot make {}", folder.display()))?;
        }
        let pool = random_pool();
        for index in 0..self.files {
            interrupt.check()?;
            let folder = match self.folders {
                0 => &root,
                count => &folders[1 + (index % count) as usize],
            };
            let path = folder.join(format!("file-{index:06}.dat"));
            self.make_file(&path, index, &pool)
                .context(format_args!("cannot make {}", path.display()))?;
        }
        // Children first: making a file in a folder would change the folder's time.
        for (index, folder) in folders.iter().enumerate().rev() {
            set_attributes(folder, FOLDER_MODES[index % FOLDER_MODES.len()], index as u64)
                .context(format_args!("cannot set up {}", folder.display()))?;
        }
        Ok(root)
    }

    fn make_file(&self, path: &Path, index: u64, pool: &[u8]) -> std::io::Result<()> {
        let spread = self.most_bytes - self.least_bytes;
        let size = self.least_bytes + scramble(index) % (spread + 1);
        // A step that shares no factor with the pool's size: windows of neighbours differ
        // in every byte, not only at their edges.
        let room = pool.len() - size as usize;
        let start = (index as usize * 1_000_003) % room;
        let mut file = File::create_new(path)?;
        file.write_all(&pool[start..start + size as usize])?;
        drop(file);
        set_attributes(path, FILE_MODES[index as usize % FILE_MODES.len()], index)
    }
}

/// Times first: a mode without write permission would then refuse the opening.
fn set_attributes(path: &Path, mode: u32, index: u64) -> std::io::Result<()> {
    let random = scramble(index ^ 0x7469_6d65);
    let seconds = 978_307_200 + random % (20 * 365 * 86_400); // from 2001 on
    let nanoseconds = (random >> 20) % 1_000_000_000;
    let time = UNIX_EPOCH + Duration::new(seconds, nanoseconds as u32);
    let file = File::open(path)?;
    file.set_modified(time)?;
    file.set_permissions(Permissions::from_mode(mode))
}

/// Nested where there are many, as real trees are.
fn folder_name(index: u64) -> PathBuf {
    if index < 50 {
        PathBuf::from(format!("folder-{index:02}"))
    } else {
        PathBuf::from(format!("folder-{:02}", index % 50)).join(format!("inner-{:05}", index / 50))
    }
}

/// Bytes that cannot be compressed.
pub fn random_pool() -> Vec<u8> {
    (0..POOL_BYTES as u64 / 8).flat_map(|index| scramble(index).to_le_bytes()).collect()
}

/// SplitMix64: one number to another that looks unrelated.
pub fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
