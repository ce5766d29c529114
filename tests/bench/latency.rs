//! How soon Ferry stands when it is paused (see [`pause`]), and ends when it is cancelled:
//! SIGINT at random moments of the copy of a file of 1 GiB, and the time from there until the
//! process is gone.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::case::{random_pool, scramble};
use crate::check;
use crate::error::{BenchError, Context};
use crate::measure::Bench;
use crate::pause;
use crate::process::Running;
use crate::statistics::{milliseconds, percentile};
use crate::tool::Tool;

const FILE_BYTES: u64 = 1 << 30;
/// What source and copy take together.
pub const SPACE: u64 = 2 * FILE_BYTES + (64 << 20);
/// Enough that one in a hundred is one that happened.
const ROUNDS: u64 = 100;
/// A copy of less (a clone) is over before anyone could cancel it.
const SHORTEST: Duration = Duration::from_millis(50);
/// Rounds in which the copy was done before its moment came do not count.
const MOST_TRIES: u64 = 2 * ROUNDS;

/// Measures `ferry` and says the result in a sentence.
pub fn measure(bench: &Bench<'_>, ferry: &Tool) -> Result<String, BenchError> {
    bench.check_room(SPACE)?;
    let source = bench.volume.join("latency.dat");
    make_file(&source, bench)?;
    let result = cancel_often(bench, ferry, &source).and_then(|cancel| {
        let pause = pause::measure(bench, &source)?;
        Ok(format!("{cancel}; {pause}"))
    });
    fs::remove_file(&source).context("cannot remove the source")?;
    result
}

fn cancel_often(bench: &Bench<'_>, ferry: &Tool, source: &Path) -> Result<String, BenchError> {
    let into = bench.volume.join("copied");
    let mut whole = Duration::MAX;
    for _warm_up in 0..2 {
        let (time, status) = Running::start(&mut ferry.ferry_copy(source, &into))?
            .finish(bench.limit, bench.interrupt)?;
        if !status.success() {
            return Err(BenchError::Failed(format!("ferry: {status}")));
        }
        whole = whole.min(time);
        bench.clear_and_settle()?;
    }
    if whole < SHORTEST {
        return Err(too_short(whole));
    }
    let mut answers = Vec::new();
    for round in 0..MOST_TRIES {
        let share = scramble(round) % 1000;
        let moment = whole.mul_f64(0.02 + 0.9 * share as f64 / 1000.0);
        if let Some(answer) = cancel_once(bench, ferry, source, &into, moment)? {
            answers.push(milliseconds(answer));
        }
        bench.clear_and_settle()?;
        if answers.len() as u64 == ROUNDS {
            break;
        }
    }
    let of = |percent| percentile(&answers, percent);
    let (Some(half), Some(most), Some(worst), true) =
        (of(50), of(99), of(100), answers.len() as u64 == ROUNDS)
    else {
        return Err(too_short(whole));
    };
    Ok(format!(
        "cancel of a 1 GiB file (whole copy {:.0} ms): p50 {half:.1} ms, p99 {most:.1} ms, \
         worst {worst:.1} ms, {ROUNDS} rounds; status 130 and no file left each time",
        milliseconds(whole)
    ))
}

fn too_short(whole: Duration) -> BenchError {
    BenchError::LeftOut(format!(
        "the whole copy takes {:.0} ms, too short to be cancelled",
        milliseconds(whole)
    ))
}

/// Copies, sends SIGINT after `moment`, and returns the time from there to the end; nothing
/// when the copy had ended before. What a cancelled copy leaves behind is checked.
fn cancel_once(
    bench: &Bench<'_>,
    ferry: &Tool,
    source: &Path,
    into: &Path,
    moment: Duration,
) -> Result<Option<Duration>, BenchError> {
    bench.interrupt.check()?;
    let running = Running::start(&mut ferry.ferry_copy(source, into))?;
    if running.gone_within(moment).is_some() {
        return Ok(None);
    }
    let asked = Instant::now();
    running.send_interrupt()?;
    let (_time, status) = running.finish(bench.limit, bench.interrupt)?;
    let answer = asked.elapsed();
    let left = fs::read_dir(into).map_or(0, Iterator::count);
    match (status.code(), status.signal(), left) {
        (Some(0), ..) => Ok(None),
        (Some(130), _, 0) => Ok(Some(answer)),
        // Too early even to listen: the process died of the signal, before it did anything.
        (None, Some(signal), 0) if signal == Signal::INT.as_raw() => Ok(None),
        // The file was whole when the signal came: it rightly stays, and nothing was cancelled.
        (Some(130), _, 1) if is_whole(source, into) => Ok(None),
        _ => Err(BenchError::Wrong(format!(
            "{status} {:.0} ms after the start, and left: {}",
            milliseconds(moment),
            entries_with_sizes(into)
        ))),
    }
}

fn is_whole(source: &Path, into: &Path) -> bool {
    let copy = source.file_name().map(|name| into.join(name));
    copy.is_some_and(|copy| check::compare(source, &copy).is_ok())
}

fn entries_with_sizes(folder: &Path) -> String {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let words = entries.map(|entry| {
        let bytes = entry.metadata().map_or(0, |found| found.len());
        format!("{} of {bytes} bytes", entry.file_name().display())
    });
    words.collect::<Vec<_>>().join(", ")
}

fn make_file(path: &Path, bench: &Bench<'_>) -> Result<(), BenchError> {
    let pool = random_pool();
    let mut file = File::create_new(path).context("cannot make the source")?;
    for _part in 0..FILE_BYTES / pool.len() as u64 {
        bench.interrupt.check()?;
        file.write_all(&pool).context("cannot write the source")?;
    }
    bench.settle()
}
