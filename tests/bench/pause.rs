//! How soon a paused job stands: its engine is paused at random moments of the copy of a file
//! of 1 GiB, and the time is taken until the kernel has moved its last byte.
//!
//! Only the engine can be asked to pause from here, so it runs in this process, without a
//! window. What it moves is what Linux counts as written by the process.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ferry::engine::{Command, Engine, JobKind, JobSpec, Options};

use crate::case::scramble;
use crate::error::{BenchError, Context};
use crate::measure::Bench;
use crate::statistics::{milliseconds, percentile};

/// Enough that one in a hundred is one that happened.
const ROUNDS: usize = 100;
/// A job stands when nothing was moved for so long: several times the longest step.
const STANDS: Duration = Duration::from_millis(200);
/// How often it is looked.
const LOOK: Duration = Duration::from_micros(250);
/// Copies that are begun at the most.
const MOST_COPIES: usize = ROUNDS;

/// Measures the engine and says the result in a sentence.
pub fn measure(bench: &Bench<'_>, source: &Path) -> Result<String, BenchError> {
    let size = fs::metadata(source).context("cannot look at the source")?.len();
    let into = bench.volume.join("copied");
    let mut answers = Vec::new();
    for _copy in 0..MOST_COPIES {
        pause_often(bench, source, &into, size, &mut answers)?;
        bench.clear_and_settle()?;
        if answers.len() >= ROUNDS {
            break;
        }
    }
    let of = |percent| percentile(&answers, percent);
    let (Some(half), Some(most), Some(worst), true) =
        (of(50), of(99), of(100), answers.len() >= ROUNDS)
    else {
        return Err(BenchError::LeftOut("the copy is too short to be paused".to_owned()));
    };
    Ok(format!(
        "pause of a 1 GiB file: p50 {half:.1} ms, p99 {most:.1} ms, worst {worst:.1} ms, \
         {} rounds",
        answers.len()
    ))
}

/// Copies once, paused again and again on the way.
fn pause_often(
    bench: &Bench<'_>,
    source: &Path,
    into: &Path,
    size: u64,
    answers: &mut Vec<f64>,
) -> Result<(), BenchError> {
    let (engine, _events) = Engine::start();
    let begun = written()?;
    let job = engine.add(JobSpec {
        kind: JobKind::Copy,
        sources: vec![source.to_path_buf()],
        destination: into.to_path_buf(),
        options: Options::default(),
        checksums: None,
    });
    while answers.len() < ROUNDS {
        bench.interrupt.check()?;
        let before = written()?;
        // So that pauses fall at every place of a step, and a copy has several of them.
        let moment = Duration::from_micros(5_000 + scramble(answers.len() as u64) % 50_000);
        let since = Instant::now();
        while since.elapsed() < moment || written()? == before {
            if written()? - begun >= size || since.elapsed() > bench.limit {
                return Ok(());
            }
            std::thread::park_timeout(LOOK);
        }
        let asked = Instant::now();
        engine.send(Command::Pause { job });
        let (mut last, mut bytes) = (asked, written()?);
        while last.elapsed() < STANDS {
            std::thread::park_timeout(LOOK);
            let now = written()?;
            if now != bytes {
                (last, bytes) = (Instant::now(), now);
            }
            if asked.elapsed() > bench.limit {
                return Err(BenchError::Wrong("a paused job goes on".to_owned()));
            }
        }
        // It was whole before it was paused.
        if bytes - begun >= size {
            return Ok(());
        }
        answers.push(milliseconds(last - asked));
        engine.send(Command::Resume { job });
    }
    engine.send(Command::Cancel { job });
    Ok(())
}

/// Bytes that this process has written so far.
fn written() -> Result<u64, BenchError> {
    let told = fs::read_to_string("/proc/self/io").context("cannot read /proc/self/io")?;
    let bytes = told.lines().find_map(|line| line.strip_prefix("wchar: ")?.parse().ok());
    bytes.ok_or_else(|| BenchError::Failed("/proc/self/io: no wchar".to_owned()))
}
