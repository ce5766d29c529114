//! Faults on demand, for tests: a hook is asked before each system call of the seam, and may
//! make it fail, make it short, or change what it tells.
//!
//! Only in builds with debug assertions. In the released program there is nobody to ask:
//! the compiler sees that no call has a fault, and nothing is left of all this.
#![cfg_attr(not(debug_assertions), allow(dead_code, reason = "there are no faults to make"))]

use std::ffi::OsStr;

use rustix::fs::{FileType, Stat};
use rustix::io::{Errno, Result};

#[cfg(debug_assertions)]
pub use hook::Faults;

/// One system call of the seam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Call {
    /// `openat` of a folder.
    OpenFolder,
    /// `openat` of a file to be read.
    OpenFile,
    /// `openat` with `O_CREAT`.
    Create,
    /// `openat` with `O_TMPFILE`.
    CreateNameless,
    /// `linkat` of a file without a name.
    NameNameless,
    /// `mkdirat`.
    MakeFolder,
    /// `mknodat`.
    MakeNode,
    /// `symlinkat`.
    MakeLink,
    /// `readlinkat`.
    ReadLink,
    /// `linkat`.
    HardLink,
    /// `fstat`.
    Stat,
    /// `fstatat`.
    StatName,
    /// `renameat`.
    Rename,
    /// `renameat2` with `RENAME_NOREPLACE`.
    RenameNew,
    /// `renameat2` with `RENAME_EXCHANGE`.
    Exchange,
    /// `unlinkat`.
    Remove,
    /// `unlinkat` of a folder.
    RemoveFolder,
    /// `fchown`.
    SetOwner,
    /// `fchownat`.
    SetOwnerName,
    /// `fchmod`.
    SetMode,
    /// `futimens`.
    SetTimes,
    /// `utimensat`.
    SetTimesName,
    /// `flistxattr`.
    ListXattrs,
    /// `fgetxattr`.
    GetXattr,
    /// `fsetxattr`.
    SetXattr,
    /// `fremovexattr`.
    RemoveXattr,
    /// `ioctl` `FICLONE`.
    Clone,
    /// `copy_file_range`.
    CopyRange,
    /// `pread`.
    Read,
    /// `pwrite`.
    Write,
    /// `lseek` to data or a hole.
    Seek,
    /// `ftruncate`.
    SetSize,
    /// `fsync`.
    Flush,
    /// `fdatasync`.
    FlushData,
    /// `syncfs`.
    FlushFileSystem,
    /// `close` of a file that is asked whether it is whole.
    Close,
    /// `fadvise` `DONTNEED`.
    DropPages,
    /// `cachestat`.
    CachedPages,
    /// `sync_file_range`.
    WriteOut,
    /// `openat` with `O_DIRECT`.
    OpenDirect,
    /// `getdents64`.
    List,
    /// `fstatfs`.
    FileSystem,
    /// `write` to a job's journal.
    Note,
    /// A look at an entry for a job's totals.
    Measure,
    /// The start of a thread, by its name.
    Thread,
}

/// What a hook wants of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails with this `errno`, and nothing is done.
    Fail(i32),
    /// It reads, writes or copies no more than so many bytes.
    Short(usize),
    /// It tells another number: the inode of what is no folder ([`Call::Stat`],
    /// [`Call::StatName`]), or the file system's magic number ([`Call::FileSystem`]).
    Tell(u64),
    /// It tells another size ([`Call::Stat`], [`Call::StatName`]).
    Size(u64),
}

/// Whether the engine waits for what may pass: faults on demand pass, or do not, at once.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn waits() -> bool {
    true
}

#[cfg(not(debug_assertions))]
#[inline(always)]
fn ask(_: Call, _: &OsStr) -> Option<Fault> {
    None
}

#[cfg(debug_assertions)]
use hook::ask;
#[cfg(debug_assertions)]
pub use hook::waits;

fn fail(fault: Option<Fault>) -> Result<()> {
    match fault {
        Some(Fault::Fail(errno)) => Err(Errno::from_raw_os_error(errno)),
        _ => Ok(()),
    }
}

/// Before a call about a name.
pub fn named(call: Call, name: &OsStr) -> Result<()> {
    fail(ask(call, name))
}

/// Before a call about an open file.
pub fn before(call: Call) -> Result<()> {
    named(call, OsStr::new(""))
}

/// Before a call that moves bytes: how many it may move.
pub fn length(call: Call, length: usize) -> Result<usize> {
    let fault = ask(call, OsStr::new(""));
    fail(fault)?;
    Ok(match fault {
        Some(Fault::Short(most)) => length.min(most),
        _ => length,
    })
}

/// A look at a file: before it, and what it tells.
pub fn look(call: Call, name: &OsStr, look: impl FnOnce() -> Result<Stat>) -> Result<Stat> {
    let fault = ask(call, name);
    fail(fault)?;
    let mut stat = look()?;
    match fault {
        Some(Fault::Tell(inode)) if !FileType::from_raw_mode(stat.st_mode).is_dir() => {
            stat.st_ino = inode;
        }
        Some(Fault::Size(size)) => stat.st_size = size as i64,
        _ => {}
    }
    Ok(stat)
}

/// A question with a number for an answer.
pub fn number(call: Call, answer: impl FnOnce() -> Result<i64>) -> Result<i64> {
    let fault = ask(call, OsStr::new(""));
    fail(fault)?;
    match fault {
        Some(Fault::Tell(number)) => Ok(number as i64),
        _ => answer(),
    }
}

#[cfg(debug_assertions)]
mod hook {
    use std::ffi::OsStr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

    use super::{Call, Fault};

    type Hook = dyn Fn(Call, &OsStr) -> Option<Fault> + Send + Sync;

    static ACTIVE: AtomicBool = AtomicBool::new(false);
    static WAITS: AtomicBool = AtomicBool::new(true);
    static HOOK: RwLock<Option<Arc<Hook>>> = RwLock::new(None);
    static ONE: Mutex<()> = Mutex::new(());

    /// A hook in force until it is dropped. There is one at a time in a process; the next one
    /// waits.
    pub struct Faults {
        _one: MutexGuard<'static, ()>,
    }

    impl Faults {
        /// Puts a hook in force: it is asked before each call, with the name that the call is
        /// about (empty where it has none), by every thread of the process.
        pub fn inject(
            hook: impl Fn(Call, &OsStr) -> Option<Fault> + Send + Sync + 'static,
        ) -> Faults {
            let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
            *HOOK.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hook));
            ACTIVE.store(true, Ordering::SeqCst);
            WAITS.store(false, Ordering::SeqCst);
            Faults { _one: one }
        }

        /// The engine waits for faults to pass as it does for real ones.
        pub fn waiting(self) -> Faults {
            WAITS.store(true, Ordering::SeqCst);
            self
        }
    }

    impl Drop for Faults {
        fn drop(&mut self) {
            ACTIVE.store(false, Ordering::SeqCst);
            WAITS.store(true, Ordering::SeqCst);
            *HOOK.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Whether the engine waits for what may pass: faults on demand pass, or do not, at once.
    pub fn waits() -> bool {
        WAITS.load(Ordering::Relaxed)
    }

    pub fn ask(call: Call, name: &OsStr) -> Option<Fault> {
        if !ACTIVE.load(Ordering::Relaxed) {
            return None;
        }
        // Not called under the lock: a hook may make calls of its own.
        let hook = HOOK.read().unwrap_or_else(PoisonError::into_inner).clone();
        hook.and_then(|hook| hook(call, name))
    }
}
