//! The few calls that rustix has no safe form of.
#![allow(unsafe_code)]

use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd};

use rustix::fs::Mode;
use rustix::io::{Errno, Result};
use rustix::thread::UnshareFlags;

/// Gives the calling thread a umask of its own, and sets it to 0; the one that it had.
///
/// A file is made with exactly the mode it shall have; the umask of the other threads, which
/// make files of their own, stays as the user set it.
///
/// # Errors
/// What `unshare` says; nothing was changed then.
pub fn private_umask_of_zero() -> Result<Mode> {
    // SAFETY: CLONE_FS parts only working directory, root and umask from the other threads.
    // No file descriptor is involved, which is what makes `unshare` unsafe in general.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::FS) }?;
    Ok(rustix::process::umask(Mode::empty()))
}

/// Calls under another umask, and has the present one again after it, also after a panic.
pub fn under_umask<T>(umask: Mode, call: impl FnOnce() -> T) -> T {
    struct Present(Mode);
    impl Drop for Present {
        fn drop(&mut self) {
            let _other = rustix::process::umask(self.0);
        }
    }
    let _present = Present(rustix::process::umask(umask));
    call()
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
    Err(last_error())
}

/// Lets a write beyond the user's limit of file sizes fail with `EFBIG`, like any other
/// failure, instead of ending the program in the middle of a file.
pub fn ignore_file_size_signal() {
    // SAFETY: ignoring a signal runs no code of ours in a signal handler.
    let _before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// A file's pages in the kernel's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachedPages {
    /// All of them.
    pub cached: u64,
    /// Not yet on the device, those that are being written included.
    pub unwritten: u64,
}

/// What of a file is in the cache (`cachestat`, Linux 6.5).
///
/// # Errors
/// `ENOSYS` on an older kernel, `EPERM` for another user's file that cannot be written.
pub fn cached_pages(file: impl AsFd) -> Result<CachedPages> {
    /// The same on every architecture; neither rustix nor libc has it.
    const CACHESTAT: libc::c_long = 451;
    /// `struct cachestat_range`; a length of 0 is up to the end of the file.
    #[repr(C)]
    struct Range {
        offset: u64,
        length: u64,
    }
    /// `struct cachestat`, in pages.
    #[repr(C)]
    #[derive(Default)]
    struct Pages {
        cached: u64,
        dirty: u64,
        writeback: u64,
        evicted: u64,
        recently_evicted: u64,
    }
    let range = Range { offset: 0, length: 0 };
    let mut pages = Pages::default();
    // SAFETY: both structures have the kernel's layout and live through the call, which
    // reads the first and writes the second; the descriptor is open while it is borrowed.
    let answer = unsafe {
        let file = file.as_fd().as_raw_fd();
        libc::syscall(CACHESTAT, file, &raw const range, &raw mut pages, 0)
    };
    if answer == 0 {
        return Ok(CachedPages { cached: pages.cached, unwritten: pages.dirty + pages.writeback });
    }
    Err(last_error())
}

/// Writes out what is not yet on the device of a stretch of a file's data, and waits for it;
/// neither metadata nor the device's own cache (`sync_file_range`).
///
/// # Errors
/// What the device says.
pub fn write_out(file: impl AsFd, offset: u64, length: u64) -> Result<()> {
    let wait = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    let (offset, length) = (offset.cast_signed(), length.cast_signed());
    // SAFETY: a call on an open descriptor that touches no memory of ours.
    let answer = unsafe {
        let file = file.as_fd().as_raw_fd();
        libc::sync_file_range(file, offset, length, libc::SYNC_FILE_RANGE_WRITE | wait)
    };
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}

fn last_error() -> Errno {
    let errno = std::io::Error::last_os_error().raw_os_error();
    errno.map_or(Errno::IO, Errno::from_raw_os_error)
}

/// Starts writing a file's data to its device, without waiting for it.
///
/// # Errors
/// What the file system says.
pub fn start_writing(file: impl AsFd) -> Result<()> {
    let descriptor = file.as_fd().as_raw_fd();
    // SAFETY: the descriptor is open for as long as the call lasts; no memory is touched.
    if unsafe { libc::sync_file_range(descriptor, 0, 0, libc::SYNC_FILE_RANGE_WRITE) } == 0 {
        return Ok(());
    }
    Err(last_error())
}
