//! The system call `cachestat` (Linux 6.5), which neither rustix nor libc offers.
#![allow(unsafe_code)] // One system call; the reason is beside it.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Its number, the same on every architecture.
const SYS_CACHESTAT: libc::c_long = 451;

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

/// How many pages of the file are in the page cache.
pub fn cached_pages(file: BorrowedFd<'_>) -> io::Result<u64> {
    let range = Range { offset: 0, length: 0 };
    let mut pages = Pages::default();
    // SAFETY: both structures have the kernel's layout and live through the call, which
    // reads the first and writes the second; the descriptor is open while it is borrowed.
    let answer = unsafe {
        libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut pages, 0)
    };
    if answer == 0 { Ok(pages.cached) } else { Err(io::Error::last_os_error()) }
}
