//! One fault: which call, which time, what happens to it.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use ferry::engine::faults::{Call, Fault, Faults};

/// All calls that copying can meet.
pub const CALLS: [Call; 39] = [
    Call::OpenFolder,
    Call::OpenFile,
    Call::Create,
    Call::CreateNameless,
    Call::NameNameless,
    Call::MakeFolder,
    Call::MakeNode,
    Call::MakeLink,
    Call::ReadLink,
    Call::HardLink,
    Call::Stat,
    Call::StatName,
    Call::Rename,
    Call::RenameNew,
    Call::Exchange,
    Call::Remove,
    Call::RemoveFolder,
    Call::SetOwner,
    Call::SetOwnerName,
    Call::SetMode,
    Call::SetTimes,
    Call::SetTimesName,
    Call::ListXattrs,
    Call::GetXattr,
    Call::SetXattr,
    Call::RemoveXattr,
    Call::Clone,
    Call::CopyRange,
    Call::Read,
    Call::Write,
    Call::Seek,
    Call::SetSize,
    Call::Flush,
    Call::FlushData,
    Call::FlushFileSystem,
    Call::Close,
    Call::DropPages,
    Call::List,
    Call::FileSystem,
];

/// What a system says when it will not.
pub const ERRORS: [i32; 20] = [
    libc::EIO,
    libc::ENOSPC,
    libc::EDQUOT,
    libc::ENOMEM,
    libc::EXDEV,
    libc::EINVAL,
    libc::ENOSYS,
    libc::EOPNOTSUPP,
    libc::ETXTBSY,
    libc::EPERM,
    libc::EBADF,
    libc::ENOENT,
    libc::EINTR,
    libc::EAGAIN,
    libc::EACCES,
    libc::EROFS,
    libc::ENAMETOOLONG,
    libc::ESTALE,
    libc::EMFILE,
    libc::EEXIST,
];

/// Where calls stand still until somebody lets them go on.
#[derive(Default)]
pub struct Gate {
    opened: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl Gate {
    /// Stands until the gate is opened the next time.
    pub fn stand(&self) {
        let opened = self.opened.lock().unwrap();
        let (before, _) = *opened;
        // Longer than anything in a case: for the worst.
        let most = Duration::from_secs(10);
        let stands = |(times, always): &mut (u64, bool)| *times == before && !*always;
        let _opened = self.changed.wait_timeout_while(opened, most, stands).unwrap();
    }

    /// Lets all go on that stand; and all that come, if so wished.
    pub fn open(&self, always: bool) {
        let mut opened = self.opened.lock().unwrap();
        *opened = (opened.0 + 1, always);
        self.changed.notify_all();
    }
}

/// How often a call is made while this is kept, and a fault at one of those times.
pub struct Armed {
    count: Arc<AtomicUsize>,
    _faults: Faults,
}

impl Armed {
    /// How often the call was made so far.
    pub fn calls(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

/// No fault, also of no other test: for jobs that are to go well.
pub fn no_fault() -> Faults {
    Faults::inject(|_, _| None)
}

/// The fault at the call's nth time (from 1) only.
pub fn nth(call: Call, n: usize, fault: Fault) -> Armed {
    armed(call, move |time, _| (time == n).then_some(fault))
}

/// The fault at the call's nth time and at all later ones.
pub fn from_nth(call: Call, n: usize, fault: Fault) -> Armed {
    armed(call, move |time, _| (time >= n).then_some(fault))
}

/// A fault by the number of the time and the name that the call is about.
pub fn armed(
    call: Call,
    fault: impl Fn(usize, &OsStr) -> Option<Fault> + Send + Sync + 'static,
) -> Armed {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let _faults = Faults::inject(move |made, name| {
        if made != call {
            return None;
        }
        fault(counted.fetch_add(1, Ordering::SeqCst) + 1, name)
    });
    Armed { count, _faults }
}
