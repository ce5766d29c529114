//! One job from its start to its summary, on a thread of its own.

use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use rustix::io::Errno;

use super::checksums;
use super::control::Cancelled;
use super::dispatch::Mail;
use super::error::{Error, ErrorKind, Operation};
use super::fs;
use super::fs::disks::one_at_a_time;
use super::job::{Job, Wish, Work};
use super::journal::{End, Journal, Record, Totals};
use super::lane::{self, Quick};
use super::message::{ByteCounts, EntryId, JobKind, KeepReplaced, Phase};
use super::moving::{self, Moved};
use super::parked::{Reason, Waiter};
use super::plan::EntryState;
use super::progress::Clock;
use super::resume;
use super::start;
use super::summary::{NoticeKind, Outcome, Summary};
use super::threads;
use super::verify::{self, Hashed};
use super::worker::Worker;

/// Runs a job to its end; the summary goes to the engine's thread.
pub fn run(job: &Arc<Job>) {
    let clock = Clock::start();
    // A defect of ours ends the job and not the program; whoever waits for it is told.
    let outcome = catch_unwind(AssertUnwindSafe(|| outcome(job))).unwrap_or_else(|_| {
        let destination = &job.spec.destination;
        refused(job, Error::new(Operation::Create, destination, ErrorKind::Internal))
    });
    let outcome = match outcome {
        Outcome::Cancelled if job.control.is_stopped() => Outcome::Stopped,
        outcome => outcome,
    };
    // What was accepted and not begun is not told after the end.
    std::iter::from_fn(|| job.additions.take()).for_each(|added| added.remember(job));
    let declined = job.skips.declined();
    if let (false, Some(journal)) = (declined.is_empty(), job.journal()) {
        journal.append(&[Record::Declined(declined)]);
    }
    remember_end(job);
    let summary = summary(job, outcome, &clock);
    if let Some(journal) = job.journal() {
        let mut records = job.report.reasons();
        records.push(end(&summary));
        journal.append(&records);
        journal.release();
    }
    job.mail(Mail::Ended { job: job.id, summary });
}

fn outcome(job: &Arc<Job>) -> Outcome {
    match start::prepare(job, &job.spec.sources) {
        Ok(prepared) => {
            // It may wait for long: the next start of the program is to know of it.
            resume::remember_start(job);
            let quick = prepared.quick(job);
            let spots = prepared.spots();
            let _set_once = job.spots.set(spots.clone());
            job.mail(Mail::Ready { job: job.id, spots, quick: quick == Quick::Yes });
            if quick == Quick::Unknown && !job.control.has_turn_within(LOOK) {
                let stop = || !job.control.waits_for_turn();
                if lane::is_small(&job.spec.sources, stop) {
                    job.mail(Mail::Small { job: job.id });
                }
            }
            // Nothing is written before its turn.
            match job.control.checkpoint() {
                Ok(()) => begun(job, prepared),
                Err(Cancelled) => Outcome::Cancelled,
            }
        }
        Err(error) => refused(job, error),
    }
}

/// What a job that ended keeps no longer, and whether its journal is whole.
fn remember_end(job: &Job) {
    if job.spec.options.keep_replaced == KeepReplaced::Job {
        job.keeper.let_go(job);
    }
    if job.journal().is_some_and(Journal::is_broken) {
        job.report.notice(NoticeKind::NotRemembered, &job.plan, EntryId(0));
    }
}

fn end(summary: &Summary) -> Record {
    // As late as any file is dated: what is changed after it is newer.
    let (at, nanoseconds) = fs::now();
    Record::End(Box::new(End {
        outcome: summary.outcome,
        entries: summary.entries,
        bytes: summary.bytes,
        at,
        nanoseconds: Some(nanoseconds),
        elapsed: summary.elapsed,
        totals: Some(Totals {
            merged: summary.merged,
            renamed: summary.renamed,
            set_aside: summary.set_aside,
            changed: summary.changed,
            verified: summary.verified,
            notices: summary.notices.clone(),
        }),
    }))
}

fn refused(job: &Job, error: Error) -> Outcome {
    job.report.failure(None, error);
    Outcome::Refused
}

fn begun(job: &Arc<Job>, prepared: start::Prepared) -> Outcome {
    let begin = |path| checksums::List::begin(path, job.tag);
    let list = match job.spec.checksums.as_deref().map(begin).transpose() {
        Ok(list) => list,
        Err(error) => return refused(job, error),
    };
    if let Err(error) = prepared.hand_out(job) {
        return refused(job, error);
    }
    let worked = work(job);
    // Nothing was begun, and an earlier list stays.
    if worked.is_ok() && job.told.is_none() && job.report.began_nothing() {
        return Outcome::Refused;
    }
    match worked.and_then(|()| list.map_or(Ok(()), |list| list.write(job))) {
        Ok(()) => Outcome::Done,
        Err(Cancelled) => Outcome::Cancelled,
    }
}

fn work(job: &Arc<Job>) -> Result<(), Cancelled> {
    let (moved, hashed) = copy(job);
    job.parts.give_up_all(job);
    job.stand()?;
    let moves_data = job.spec.kind == JobKind::Move && !moved.is_empty();
    if moves_data || !hashed.is_empty() || job.pairs.to_removable() {
        job.progress.set_phase(Phase::Flushing);
        if let Err(errno) = flush(job)? {
            // Nothing is known to be on the device: nothing is removed, nothing is good.
            let error = Error::os(Operation::Flush, &job.spec.destination, errno);
            job.report.failure(None, error);
            return Ok(());
        }
    }
    job.stand()?;
    if !hashed.is_empty() {
        verify_all(job, &hashed)?;
    }
    if job.spec.kind == JobKind::Move {
        if let Some(journal) = job.journal() {
            journal.sync();
        }
        job.progress.set_phase(Phase::Removing);
        moving::remove_sources(job, moved);
        job.stand()?;
    }
    Ok(())
}

/// Writes the destinations through to their devices, one after the other. A job that stands
/// still begins with no other one.
fn flush(job: &Job) -> Result<Result<(), Errno>, Cancelled> {
    for device in job.pairs.destinations() {
        job.stand()?;
        // Without a descriptor nothing is flushed.
        let flushed = match job.pairs.anchor(device) {
            Some(anchor) => flush_one(job, anchor)?,
            None => Err(Errno::MFILE),
        };
        if flushed.is_err() {
            return Ok(flushed);
        }
    }
    Ok(Ok(()))
}

/// Writes a file system through to its device, on a thread that is left behind when the job
/// is cancelled: a slow device takes minutes, and nothing can call it back.
fn flush_one(job: &Job, anchor: Arc<OwnedFd>) -> Result<Result<(), Errno>, Cancelled> {
    let (done, ended) = std::sync::mpsc::channel();
    let flush = move || {
        let flushed = fs::flush_file_system(&*anchor);
        // Whoever is told may take the device away.
        drop(anchor);
        let _nobody_waits = done.send(flushed);
    };
    if threads::start("ferry-flush", flush).is_err() {
        return Ok(Err(Errno::AGAIN));
    }
    loop {
        match ended.recv_timeout(LOOK) {
            Ok(flushed) => return Ok(flushed),
            Err(RecvTimeoutError::Timeout) if job.control.is_cancelled() => return Err(Cancelled),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(Err(Errno::IO)),
        }
    }
}

/// How often a flush looks whether it is cancelled; and how long a job waits for its turn
/// before it looks whether it is small.
const LOOK: Duration = Duration::from_millis(50);

/// Lets the workers go when the job's thread is done with them, in whatever way.
struct Closing<'a>(&'a Job);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.pool.close();
    }
}

/// Copies until nothing is left, and nothing waits for an answer. This thread works as well,
/// and leads: a job of one file needs no other.
fn copy(job: &Arc<Job>) -> (Vec<Moved>, Vec<Hashed>) {
    std::thread::scope(|scope| {
        let closing = Closing(job);
        let alone = job.pool.open() < 2 && job.progress.to_list.load(Relaxed) == 0;
        let mut others = Vec::new();
        let mut call_others = || {
            if others.is_empty() {
                others.extend((1..job.progress.workers.len()).filter_map(|index| {
                    let work = move || may_help(job).then(|| work_on(job, index, Worker::run));
                    // Without it the rest take longer.
                    threads::start_in(scope, "ferry-worker", work).ok()
                }));
            }
        };
        if !alone {
            call_others();
        }
        let (mut moved, mut hashed) = work_on(job, 0, |leader| lead(job, leader, call_others));
        drop(closing);
        for worker in others {
            // A worker guards every entry; should it fail outside of them, its entries are
            // unfinished, which the counts show.
            if let Ok(Some((its_moved, its_hashed))) = worker.join() {
                moved.extend(its_moved);
                hashed.extend(its_hashed);
            }
        }
        (moved, hashed)
    })
}

/// Whether a second worker brings anything, unless the user wants it: it makes a disk with a
/// head seek, and mixes what is written to a stick.
fn may_help(job: &Job) -> bool {
    let spots = job.spots.get().map(Vec::as_slice).unwrap_or_default();
    job.spec.options.workers.is_some() || one_at_a_time(spots).is_empty()
}

/// Works until nothing is left; waits for answers, and takes the sources that came later.
fn lead(job: &Job, leader: &mut Worker<'_>, mut call_others: impl FnMut()) {
    loop {
        let pushes = leader.run_until_quiet();
        if job.control.is_cancelled() {
            let parked = job.parked.take_all(job);
            job.pool.push(0, job.retries.give_up());
            if parked.is_empty() && job.pool.is_quiet() {
                return;
            }
            job.pool.push(0, parked.into_iter().map(|waiter| undone(job, waiter)));
            continue;
        }
        if start::hand_out_next(job) {
            continue;
        }
        if let Some(works) = job.retries.next_round(job) {
            job.pool.push(0, works);
            continue;
        }
        if job.additions.is_waiting() {
            if job.control.checkpoint().is_ok() {
                call_others();
                leader.as_user(|| hand_out_more(job));
            }
            continue;
        }
        if !job.parked.is_empty() {
            job.mail(Mail::Waiting { job: job.id });
            let stop = || job.control.is_cancelled() || job.additions.is_waiting();
            job.pool.wait_for_push(pushes, stop);
            continue;
        }
        // Answers are taken out of the parked ones only while the pool is kept busy, so that
        // looking in this order misses none.
        if job.pool.is_quiet() && job.additions.close() {
            return;
        }
    }
}

/// Hands out sources that came later. They may come to a name that the job has made: from
/// now on it is told by its time.
fn hand_out_more(job: &Job) {
    job.ways_may_meet.store(true, Relaxed);
    // Before they are taken: the job is never seen with nothing to do in between.
    job.pool.begin();
    for added in std::iter::from_fn(|| job.additions.take()) {
        // Before anything of them is made.
        added.remember(job);
        let handed_out =
            start::prepare(job, &added.sources).and_then(|prepared| prepared.hand_out(job));
        if let Err(error) = handed_out {
            job.report.failure(None, error);
        }
        let _before = job.progress.to_list.fetch_sub(1, Relaxed);
    }
    job.pool.end();
}

/// A parked entry of a cancelled job: it ends undone, and so does its folder. A failure stays
/// one.
fn undone(job: &Job, waiter: Waiter) -> Work {
    let given_up = match waiter.reason {
        Reason::Failed(fault, _) => {
            let _before = job.progress.parked_failures.fetch_sub(1, Relaxed);
            Some(fault)
        }
        Reason::Taken(_) | Reason::Foreign(_) => {
            let _before = job.progress.waiting.fetch_sub(1, Relaxed);
            waiter.block.set_state(waiter.at, EntryState::Pending);
            None
        }
    };
    let wish = Wish { given_up, ..Wish::default() };
    Work::Entry { folder: waiter.folder, block: waiter.block, at: waiter.at, wish }
}

fn work_on<'a>(
    job: &'a Job,
    index: usize,
    work: impl FnOnce(&mut Worker<'a>),
) -> (Vec<Moved>, Vec<Hashed>) {
    let users_umask = fs::private_umask_of_zero().ok();
    let mut worker = Worker::new(job, index, users_umask);
    work(&mut worker);
    (worker.moved, worker.hashed)
}

fn verify_all(job: &Job, hashed: &[Hashed]) -> Result<(), Cancelled> {
    let size = |copy: &Hashed| {
        job.plan.find(copy.entry).and_then(|(block, at)| block.size(at)).unwrap_or_default()
    };
    job.progress.set_to_compare(hashed.iter().map(size).sum());
    job.progress.set_phase(Phase::Verifying);
    // One at a time where a disk has a head, as in copying.
    let workers = if may_help(job) { job.progress.workers.len() } else { 1 };
    let each = hashed.len().div_ceil(workers);
    std::thread::scope(|scope| {
        let mut parts = hashed.chunks(each).zip(&job.progress.workers);
        let first = parts.next();
        let verify = |(copies, counters)| verify::verify(job, counters, copies);
        let others: Vec<_> = parts
            .map(|part| {
                threads::start_in(scope, "ferry-verify", move || verify(part)).map_err(|_| part)
            })
            .collect();
        let mut verified = first.map_or(Ok(()), verify);
        for other in others {
            verified = verified.and(match other {
                // It guards every copy.
                Ok(thread) => thread.join().unwrap_or(Err(Cancelled)),
                // No thread was given: here, then.
                Err(part) => verify(part),
            });
        }
        verified
    })
}

fn summary(job: &Job, outcome: Outcome, clock: &Clock) -> Summary {
    let mut entries = job.progress.entries(&job.plan);
    entries.total_is_final = true;
    entries.total = job.plan.len() as u64;
    let bytes = job.progress.bytes();
    let (failures, notices) = job.report.told();
    Summary {
        outcome,
        entries,
        // What a job that ended early left out is known only where it was counted.
        bytes: match outcome {
            Outcome::Done => ByteCounts { total: Some(bytes.done), ..bytes },
            _ => bytes,
        },
        elapsed: clock.ran(job.control.stood_still()).as_millis() as u64,
        merged: job.progress.sum(|c| &c.merged),
        renamed: job.progress.sum(|c| &c.renamed),
        set_aside: job.report.set_aside_count(),
        changed: job.progress.sum(|c| &c.changed),
        verified: job.progress.sum(|c| &c.verified),
        failures,
        notices,
    }
}

/// The summary of a job that no thread could be started for.
pub fn not_started(job: &Job) -> Summary {
    let error = Error::os(Operation::Create, &job.spec.destination, Errno::AGAIN);
    summary(job, refused(job, error), &Clock::start())
}
