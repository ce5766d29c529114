//! The few calls that rustix has no safe form of.
#![allow(unsafe_code)]

use std::os::fd::{IntoRawFd, OwnedFd};

use rustix::fs::Mode;
use rustix::io::{Errno, Result};
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

/// Closes a descriptor.
///
/// # Errors
/// What the file system says at the last moment; the descriptor is closed all the same.
pub fn close(file: OwnedFd) -> Result<()> {
    // SAFETY: the descriptor is owned, and given up here: nobody closes it again.
    if unsafe { libc::close(file.into_raw_fd()) } == 0 {
        return Ok(());
    }
    let errno = std::io::Error::last_os_error().raw_os_error();
    Err(errno.map_or(Errno::IO, Errno::from_raw_os_error))
}

/// Lets a write beyond the user's limit of file sizes fail with `EFBIG`, like any other
/// failure, instead of ending the program in the middle of a file.
pub fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal runs no code of ours in a signal handler.
    let _before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
