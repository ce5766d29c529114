//! Pause, resume and cancel of one job: one token that everyone looks at between chunks.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

const HELD: u8 = 1;
const PAUSED: u8 = 2;
const CANCELLED: u8 = 4;
const LET_GO: u8 = 8;

/// The job was cancelled: unwind, leave nothing short behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Why somebody who holds a descriptor is to close it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The job was cancelled.
    Cancelled,
    /// It stands still, and may for long.
    LetGo,
}

impl From<Cancelled> for Stop {
    fn from(_: Cancelled) -> Stop {
        Stop::Cancelled
    }
}

/// One job's token. A new one is held: its turn in the queue has not come.
pub struct Control {
    flags: AtomicU8,
    /// It was ended by a stop and not by a cancel.
    kept: AtomicBool,
    stopped: Mutex<Stopped>,
    changed: Condvar,
}

/// How long the job stood still so far, for its clock.
#[derive(Default)]
struct Stopped {
    since: Option<Instant>,
    before: Duration,
}

impl Control {
    /// A token of a job whose turn has not come.
    pub fn held() -> Control {
        let stopped = Stopped { since: Some(Instant::now()), before: Duration::ZERO };
        Control {
            flags: AtomicU8::new(HELD),
            kept: AtomicBool::new(false),
            stopped: Mutex::new(stopped),
            changed: Condvar::new(),
        }
    }

    /// Goes on at once, waits while the job is paused or held, or says that it is cancelled.
    #[inline]
    pub fn checkpoint(&self) -> Result<(), Cancelled> {
        if self.flags.load(Ordering::Relaxed) == 0 { Ok(()) } else { self.stand() }
    }

    /// As [`Control::checkpoint`], for whoever holds a descriptor.
    ///
    /// # Errors
    /// That the job is cancelled, or stands still and has let go of its devices: the descriptor
    /// is to be closed, and waited without it.
    #[inline]
    pub fn go_on(&self) -> Result<(), Stop> {
        let goes = self.flags.load(Ordering::Relaxed) == 0;
        if goes { Ok(()) } else { self.stand_until(true) }
    }

    #[cold]
    fn stand(&self) -> Result<(), Cancelled> {
        self.stand_until(false).map_err(|_| Cancelled)
    }

    fn stand_until(&self, lets_go: bool) -> Result<(), Stop> {
        let mut stopped = self.lock();
        loop {
            let flags = self.flags.load(Ordering::Relaxed);
            if flags & CANCELLED != 0 {
                return Err(Stop::Cancelled);
            }
            if flags == 0 {
                return Ok(());
            }
            if lets_go && flags & LET_GO != 0 {
                return Err(Stop::LetGo);
            }
            stopped = self.changed.wait(stopped).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A job that stands still lets go of its devices until it goes on.
    pub fn let_go(&self) {
        self.change(LET_GO, true);
    }

    /// Whether the job stands still and has let go of its devices.
    pub fn has_let_go(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & LET_GO != 0
    }

    /// Waits for the job's turn, so long at most; whether it stands no more.
    pub fn has_turn_within(&self, time: Duration) -> bool {
        let stopped = self.lock();
        let waits = |_: &mut Stopped| self.waits_for_turn();
        let waited = self.changed.wait_timeout_while(stopped, time, waits);
        let _stopped = waited.unwrap_or_else(PoisonError::into_inner);
        !self.waits_for_turn()
    }

    /// Whether the job has no turn and is not cancelled.
    pub fn waits_for_turn(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & (HELD | CANCELLED) == HELD
    }

    /// Whether it is not to go on now: paused, held or cancelled.
    pub fn stands(&self) -> bool {
        self.flags.load(Ordering::Relaxed) != 0
    }

    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & CANCELLED != 0
    }

    /// Whether what ended it was a stop.
    pub fn is_stopped(&self) -> bool {
        self.kept.load(Ordering::Relaxed)
    }

    /// Lets the job have its turn, or takes it back.
    pub fn hold(&self, held: bool) {
        self.change(HELD, held);
    }

    /// Pauses the job or lets it go on.
    pub fn pause(&self, paused: bool) {
        self.change(PAUSED, paused);
    }

    /// Cancels the job for good.
    pub fn cancel(&self) {
        self.change(CANCELLED, true);
    }

    /// Ends the job as a cancel does, to be told as stopped. After a cancel it is one.
    pub fn stop(&self) {
        if !self.is_cancelled() {
            self.kept.store(true, Ordering::Relaxed);
            self.cancel();
        }
    }

    /// How long the job has stood still, paused or held.
    pub fn stood_still(&self) -> Duration {
        let stopped = self.lock();
        stopped.before + stopped.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn change(&self, flag: u8, on: bool) {
        let mut stopped = self.lock();
        let flags = if on {
            self.flags.fetch_or(flag, Ordering::Relaxed) | flag
        } else {
            self.flags.fetch_and(!flag, Ordering::Relaxed) & !flag
        };
        let stands = flags & (HELD | PAUSED) != 0 && flags & CANCELLED == 0;
        if !stands {
            let _before = self.flags.fetch_and(!LET_GO, Ordering::Relaxed);
        }
        match (stopped.since, stands) {
            (None, true) => stopped.since = Some(Instant::now()),
            (Some(since), false) => {
                stopped.before += since.elapsed();
                stopped.since = None;
            }
            _ => {}
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Stopped> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
