//! An empty page cache, and the proof that it is empty.
//!
//! `drop_caches` is a request: dirty and mapped pages stay, and nothing tells so. Hence the
//! kernel is asked for every file of the source how many of its pages are cached.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::Path;

use walkdir::WalkDir;

use crate::cachestat::cached_pages;
use crate::error::{BenchError, Context};

/// Empties the caches and makes sure that no page of a file below `source`, and none of the
/// image that holds it, is left. `program` is loaded again: reading a big program from the
/// disk is not what is to be measured.
pub fn chill(source: &Path, image: Option<&File>, program: &Path) -> Result<(), BenchError> {
    drop_caches()?;
    let mut left = 0;
    for entry in WalkDir::new(source) {
        let entry = entry.context("cannot list the source")?;
        if entry.file_type().is_file() {
            let file = File::open(entry.path()).context("cannot open the source")?;
            left += pages_of(&file)?;
        }
    }
    if let Some(image) = image {
        left += pages_of(image)?;
    }
    if left > 0 {
        return Err(BenchError::Failed(format!(
            "not cold: {left} pages of the source are still cached"
        )));
    }
    // Asking has opened every file, which has brought names and inodes back. Nobody has
    // read data since, so the proof still holds after they are dropped again.
    drop_caches()?;
    let _bytes = fs::read(program).context("cannot load a program")?;
    Ok(())
}

fn drop_caches() -> Result<(), BenchError> {
    rustix::fs::sync();
    fs::write("/proc/sys/vm/drop_caches", "3").context("cannot drop the caches")
}

fn pages_of(file: &File) -> Result<u64, BenchError> {
    cached_pages(file.as_fd()).context("cannot prove that caches are cold (cachestat, Linux 6.5)")
}
