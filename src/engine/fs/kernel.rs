//! The few calls that rustix has no safe form of.
#![allow(unsafe_code)]

use rustix::fs::Mode;
use rustix::io::Result;
use rustix::thread::UnshareFlags;

/// Gives the calling thread a umask of its own, and sets it to 0.
///
/// A file is made with exactly the mode it shall have; the umask of the other threads, which
/// make files of their own, stays as the user set it.
///
/// # Errors
/// What `unshare` says; nothing was changed then.
pub fn private_umask_of_zero() -> Result<()> {
    // SAFETY: CLONE_FS parts only working directory, root and umask from the other threads.
    // No file descriptor is involved, which is what makes `unshare` unsafe in general.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::FS) }?;
    let _previous = rustix::process::umask(Mode::empty());
    Ok(())
}
