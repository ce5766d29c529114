//! How long whoever reads a file waits while it is cloned: 4 KiB at random places, past the
//! cache, of a freshly written file of 2 GiB; the longest wait of each run.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::case::{random_pool, scramble};
use crate::error::{BenchError, Context};
use crate::measure::Bench;
use crate::process::Running;
use crate::statistics::{median, milliseconds};
use crate::tool::Tool;

const FILE_BYTES: u64 = 2 << 30;
/// What the source takes; its clone takes nothing. Twice, since removed room returns late.
pub const SPACE: u64 = 2 * FILE_BYTES + (64 << 20);
const ROUNDS: usize = 7;
/// What is read at a time, and what direct reads are to be aligned to, in bytes.
const BLOCK: u64 = 4096;

/// Measures `cp --reflink=always` and `ferry`, turn by turn, and says the result in a
/// sentence.
pub fn measure(bench: &Bench<'_>, ferry: &Tool) -> Result<String, BenchError> {
    bench.check_room(SPACE)?;
    let source = bench.volume.join("readers.dat");
    let into = bench.volume.join("copied");
    let mut waits = [Vec::new(), Vec::new()];
    for _round in 0..ROUNDS {
        let mut cp = Command::new("cp");
        fs::create_dir_all(&into).context("cannot make a folder")?;
        let _arguments = cp.arg("--reflink=always").arg(&source).arg(&into);
        let mut ferry = ferry.ferry_copy(&source, &into);
        let _argument = ferry.arg("--reflink=always");
        for (command, waits) in [&mut cp, &mut ferry].into_iter().zip(&mut waits) {
            waits.push(milliseconds(worst_wait(bench, command, &source)?));
            bench.clear_and_settle()?;
            fs::create_dir_all(&into).context("cannot make a folder")?;
        }
    }
    let [cp, ferry] = waits.map(|waits| median(&waits).unwrap_or(f64::NAN));
    Ok(format!(
        "the longest wait of one reader while a freshly written file of 2 GiB is cloned, median \
         of {ROUNDS} pairs: cp {cp:.0} ms, ferry {ferry:.0} ms ({:.2})",
        ferry / cp
    ))
}

/// Makes the source anew, clones it, and reads it meanwhile; the longest wait.
fn worst_wait(
    bench: &Bench<'_>,
    command: &mut Command,
    source: &Path,
) -> Result<Duration, BenchError> {
    make_file(source, bench)?;
    let file = File::options()
        .read(true)
        .custom_flags(libc::O_DIRECT)
        .open(source)
        .context("cannot read past the cache")?;
    let ended = AtomicBool::new(false);
    let waited = std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_until(&file, &ended));
        let ran = Running::start(command).and_then(|run| run.finish(bench.limit, bench.interrupt));
        ended.store(true, Ordering::Relaxed);
        let waited = reader.join().map_err(|_| BenchError::failed("the reader panicked"))?;
        match ran?.1 {
            status if status.success() => waited.context("cannot read the source"),
            status => Err(BenchError::LeftOut(format!("no clones here: {status}"))),
        }
    })?;
    drop(file);
    fs::remove_file(source).context("cannot remove the source")?;
    Ok(waited)
}

fn read_until(file: &File, ended: &AtomicBool) -> std::io::Result<Duration> {
    let mut room = vec![0; 2 * BLOCK as usize];
    let start = room.as_ptr().align_offset(BLOCK as usize);
    let block = &mut room[start..start + BLOCK as usize];
    let mut worst = Duration::ZERO;
    for turn in 0.. {
        if ended.load(Ordering::Relaxed) {
            break;
        }
        let begun = Instant::now();
        file.read_exact_at(block, scramble(turn) % (FILE_BYTES / BLOCK) * BLOCK)?;
        worst = worst.max(begun.elapsed());
    }
    Ok(worst)
}

/// Written, but not yet on the device.
fn make_file(path: &Path, bench: &Bench<'_>) -> Result<(), BenchError> {
    let pool = random_pool();
    let mut file = File::create(path).context("cannot make the source")?;
    for _part in 0..FILE_BYTES / pool.len() as u64 {
        bench.interrupt.check()?;
        file.write_all(&pool).context("cannot write the source")?;
    }
    Ok(())
}
