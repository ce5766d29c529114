//! One job from its start to its summary, on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::control::Cancelled;
use super::dispatch::Mail;
use super::error::{Error, ErrorKind, Operation};
use super::fs;
use super::job::{Job, Wish, Work};
use super::message::{About, ByteCounts, JobKind, Outcome, Phase, Summary};
use super::moving::{self, Moved};
use super::parked::Waiter;
use super::plan::EntryState;
use super::progress::Clock;
use super::start;
use super::verify::{self, Hashed};
use super::worker::Worker;

/// Runs a job to its end; the summary goes to the engine's thread.
pub fn run(job: &Arc<Job>) {
    let clock = Clock::start();
    let outcome = match start::prepare(job) {
        Ok((ready, device)) => {
            job.mail(Mail::Ready { job: job.id, device });
            // Its turn; a cancelled job is handed out too, so that every folder is closed.
            let _cancelled = job.control.checkpoint();
            start::hand_out(job, ready);
            match work(job) {
                Ok(()) => Outcome::Done,
                Err(Cancelled) => Outcome::Cancelled,
            }
        }
        Err(error) => {
            job.report.failure(None, error);
            Outcome::Refused
        }
    };
    let summary = summary(job, outcome, &clock);
    job.mail(Mail::Ended { job: job.id, summary });
}

fn work(job: &Arc<Job>) -> Result<(), Cancelled> {
    let (moved, hashed) = copy(job);
    job.control.checkpoint()?;
    let moves_data = job.spec.kind == JobKind::Move && !moved.is_empty();
    if moves_data || !hashed.is_empty() || job.pairs.to_removable() {
        job.progress.set_phase(Phase::Flushing);
        if let Err(errno) = job.pairs.flush() {
            // Nothing is known to be on the device: nothing is removed, nothing is good.
            let error = Error::os(Operation::Flush, &job.spec.destination, errno);
            job.report.failure(None, error);
            super::progress::add(&job.progress.workers[0].failed, 1);
            return Ok(());
        }
    }
    job.control.checkpoint()?;
    if !hashed.is_empty() {
        job.progress.set_phase(Phase::Verifying);
        verify_all(job, &hashed)?;
    }
    if job.spec.kind == JobKind::Move {
        job.progress.set_phase(Phase::Removing);
        moving::remove_sources(job, moved);
        job.control.checkpoint()?;
    }
    Ok(())
}

/// Lets the workers copy until nothing is left, and nothing waits for an answer.
fn copy(job: &Arc<Job>) -> (Vec<Moved>, Vec<Hashed>) {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..job.progress.workers.len())
            .map(|index| scope.spawn(move || work_on(job, index)))
            .collect();
        loop {
            let pushed = job.pool.pushed();
            job.pool.wait_until_quiet();
            if job.control.is_cancelled() {
                let parked = job.parked.take_all();
                if parked.is_empty() && job.pool.is_quiet() {
                    break;
                }
                job.pool.push(0, parked.into_iter().map(|(_, waiter)| undone(job, waiter)));
                continue;
            }
            if !job.parked.is_empty() {
                job.mail(Mail::Waiting { job: job.id });
                job.pool.wait_for_more(pushed, || job.control.is_cancelled());
                continue;
            }
            // Answers are taken out of the parked ones only while the pool is kept busy, so
            // that looking in this order misses none.
            if job.pool.is_quiet() {
                break;
            }
        }
        job.pool.close();
        let (mut moved, mut hashed) = (Vec::new(), Vec::new());
        for worker in workers {
            // A worker guards every entry; should it fail outside of them, its entries are
            // unfinished, which the counts show.
            if let Ok((its_moved, its_hashed)) = worker.join() {
                moved.extend(its_moved);
                hashed.extend(its_hashed);
            }
        }
        (moved, hashed)
    })
}

/// A parked entry of a cancelled job: it ends undone, and so does its folder. A failure stays
/// one.
fn undone(job: &Job, waiter: Waiter) -> Work {
    let given_up = match waiter.about {
        About::Failure { error } => {
            let _before = job.progress.parked_failures.fetch_sub(1, Relaxed);
            Some(error)
        }
        About::Conflict { .. } => {
            let _before = job.progress.waiting.fetch_sub(1, Relaxed);
            waiter.block.set_state(waiter.at, EntryState::Pending);
            None
        }
    };
    let wish = Wish { given_up, ..Wish::default() };
    Work::Entry { folder: waiter.folder, block: waiter.block, at: waiter.at, wish }
}

fn work_on(job: &Job, index: usize) -> (Vec<Moved>, Vec<Hashed>) {
    let exact_modes = fs::private_umask_of_zero().is_ok();
    let mut worker = Worker::new(job, index, exact_modes);
    worker.run();
    (worker.moved, worker.hashed)
}

fn verify_all(job: &Job, hashed: &[Hashed]) -> Result<(), Cancelled> {
    let size = |copy: &Hashed| {
        job.plan.find(copy.entry).and_then(|(block, at)| block.size(at)).unwrap_or_default()
    };
    job.progress.to_compare.store(hashed.iter().map(size).sum(), Relaxed);
    let each = hashed.len().div_ceil(job.progress.workers.len());
    std::thread::scope(|scope| {
        let parts = hashed.chunks(each).zip(&job.progress.workers);
        let threads: Vec<_> = parts
            .map(|(copies, counters)| scope.spawn(move || verify::verify(job, counters, copies)))
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })
}

fn summary(job: &Job, outcome: Outcome, clock: &Clock) -> Summary {
    let mut entries = job.progress.entries(&job.plan);
    entries.total_is_final = true;
    entries.total = job.plan.len() as u64;
    // A job that could not start has one failure, and no entry to count it by.
    if outcome == Outcome::Refused {
        entries.failed = entries.failed.max(1);
    }
    let bytes = job.progress.bytes();
    let (failures, notices) = job.report.take();
    Summary {
        outcome,
        entries,
        bytes: ByteCounts { total: Some(bytes.done), ..bytes },
        elapsed: clock.ran(job.control.stood_still()).as_millis() as u64,
        renamed: job.progress.sum(|c| &c.renamed),
        changed: job.progress.sum(|c| &c.changed),
        verified: job.progress.sum(|c| &c.verified),
        failures,
        notices,
    }
}

/// The summary of a job that no thread could be started for.
pub fn not_started(job: &Job) -> Summary {
    let again = ErrorKind::Os(libc::EAGAIN);
    let error = Error::new(Operation::Create, &job.spec.destination, again);
    job.report.failure(None, error);
    summary(job, Outcome::Refused, &Clock::start())
}
