//! Files that take a while to copy, made in no time: a few megabytes shared again and again
//! where the file system can, and marked so that every part is different.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::mounts::{Fs, shared_folder};
use super::{Place, pattern};

/// Size of a big file in bytes: several samples of progress long on any machine.
pub const BIG: u64 = 768 << 20;

/// Makes a big file.
pub fn big_file(path: &Path) {
    const FIRST: u64 = 16 << 20;
    let file = File::options().read(true).write(true).create_new(true).open(path).unwrap();
    file.write_all_at(&pattern(FIRST as usize, 7), 0).unwrap();
    file.sync_data().unwrap();
    let mut len = FIRST;
    while len < BIG {
        let (mut from, mut to, mut left) = (0, len, len.min(BIG - len));
        while left > 0 {
            let moved = rustix::fs::copy_file_range(
                &file,
                Some(&mut from),
                &file,
                Some(&mut to),
                left as usize,
            )
            .unwrap();
            left -= moved as u64;
        }
        len = to;
    }
    for at in (0..BIG).step_by(4 << 20) {
        file.write_all_at(&at.to_le_bytes(), at).unwrap();
    }
}

/// Where big files are cheap, else where temporary files are.
pub fn big_place() -> Place {
    let cheap = super::is_root().then(|| Fs::Btrfs.place()).flatten();
    cheap.unwrap_or_else(|| Place::new_in(&shared_folder()))
}

/// A big file for all tests; nobody changes it.
pub fn big_source() -> &'static Path {
    static SOURCE: OnceLock<(Place, PathBuf)> = OnceLock::new();
    let (_, path) = SOURCE.get_or_init(|| {
        let place = big_place();
        let path = place.join("big");
        big_file(&path);
        (place, path)
    });
    path
}

/// Big copies run one after the other: they need room, and time to be seen at work.
pub fn one_big_copy() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where big files are copied to: memory if it can be had, for an even speed.
pub fn big_destination() -> Place {
    Fs::Tmpfs.place().unwrap_or_else(super::mounts::scratch)
}
