//! The method: pairs of neighbouring runs, each into a fresh folder, on a settled disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::check::{self, Attributes};
use crate::cold::chill;
use crate::error::{BenchError, Context};
use crate::image::Mounted;
use crate::interrupt::Interrupt;
use crate::process::Running;
use crate::statistics::milliseconds;
use crate::tool::Tool;

/// Where and how carefully to measure.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The folder that holds source and copies, on the file system that is measured.
    pub volume: &'a Path,
    /// The file system made for it, if one was.
    pub mounted: Option<&'a Mounted>,
    /// Pairs of runs that count.
    pub pairs: usize,
    /// Whether caches are emptied before each run.
    pub cold: bool,
    /// Whether each run's time is told on standard error.
    pub tell_runs: bool,
    /// The longest that one run may take.
    pub limit: Duration,
    /// Looked at between and during runs.
    pub interrupt: &'a Interrupt,
}

/// What a tool did, beside what `cp` did in the same pairs.
#[derive(Debug)]
pub struct Comparison {
    /// The tool's times, a pair each.
    pub times: Vec<Duration>,
    /// `cp`'s times in the same pairs.
    pub baseline: Vec<Duration>,
    /// What the tool's last copy kept.
    pub attributes: Attributes,
}

impl Bench<'_> {
    /// Compares `tool` with `baseline` (cp) on the tree at `source`: one run of each that
    /// does not count, then alternating pairs; every other pair is the other way round, so
    /// that none has the better place. The last copy of each is compared with the source.
    pub fn compare(
        &self,
        baseline: &Tool,
        tool: &Tool,
        case: &Case,
        source: &Path,
    ) -> Result<Comparison, BenchError> {
        for one in [baseline, tool] {
            let (_time, _copy) = self.run(one, case, source)?;
            self.clear_and_settle()?;
        }
        let (mut times, mut baseline_times) = (Vec::new(), Vec::new());
        let (mut attributes, mut of_baseline) = (None, None);
        for pair in 0..self.pairs {
            let mut turns = [
                (baseline, &mut baseline_times, &mut of_baseline),
                (tool, &mut times, &mut attributes),
            ];
            if pair % 2 == 1 {
                turns.reverse();
            }
            for (one, its_times, its_attributes) in turns {
                let (time, copy) = self.run(one, case, source)?;
                its_times.push(time);
                if self.tell_runs {
                    eprintln!("{} pair {pair}: {:.1} ms", one.word(), milliseconds(time));
                }
                if pair + 1 == self.pairs {
                    let right = check::compare(source, &copy)
                        .map_err(|wrong| BenchError::Wrong(format!("{}: {wrong}", one.word())))?;
                    *its_attributes = Some(right);
                }
                self.clear_and_settle()?;
            }
        }
        let unchecked = || BenchError::failed("no pair was asked for");
        Ok(Comparison {
            times,
            baseline: baseline_times,
            attributes: attributes.ok_or_else(unchecked)?,
        })
    }

    /// One timed run into a fresh folder; the time, and where the copy is.
    fn run(
        &self,
        tool: &Tool,
        case: &Case,
        source: &Path,
    ) -> Result<(Duration, PathBuf), BenchError> {
        self.interrupt.check()?;
        let into = self.destination();
        fs::create_dir(&into).context("cannot make the destination")?;
        let mut command = tool.command(case, source, &into)?;
        if self.cold {
            chill(source, self.mounted.and_then(|mounted| mounted.image.as_ref()), &tool.program)?;
        }
        let (time, status) = Running::start(&mut command)?.finish(self.limit, self.interrupt)?;
        if status.success() {
            Ok((time, into.join(case.name)))
        } else {
            Err(BenchError::Failed(format!("{}: {status}", tool.word())))
        }
    }

    fn destination(&self) -> PathBuf {
        self.volume.join("copied")
    }

    /// Removes the copy and brings the file system to rest, outside the timed part.
    ///
    /// The copy is removed before the flush and not after it: its pages, still dirty, are
    /// then dropped instead of written, so nothing of this run is left to be written during
    /// the next, and the flush has only the journal's work. What is measured is thus the
    /// time until the user has the copier's prompt back, as with `cp`, which does not flush
    /// either; a copier that does flush (or one so slow that the kernel starts writing after
    /// five seconds) pays for it inside its own time, as its user does.
    /// The flush is of this file system alone: other disks' work is not ours to wait for.
    pub fn clear_and_settle(&self) -> Result<(), BenchError> {
        let copy = self.destination();
        if copy.exists() {
            fs::remove_dir_all(&copy).context(format_args!("cannot remove {}", copy.display()))?;
        }
        self.settle()
    }

    /// Flushes, then waits (a second at most) until the counts of free space stand still:
    /// XFS and btrfs give the space of removed files back in the background, after the flush.
    pub fn settle(&self) -> Result<(), BenchError> {
        const LOOK: Duration = Duration::from_millis(20);
        const LONGEST: Duration = Duration::from_secs(1);
        let volume = fs::File::open(self.volume).context("cannot open the volume")?;
        rustix::fs::syncfs(&volume).context("cannot flush")?;
        let free = || rustix::fs::fstatvfs(&volume).map(|now| (now.f_bfree, now.f_ffree));
        let began = Instant::now();
        let mut before = free().context("cannot ask for free space")?;
        while began.elapsed() < LONGEST {
            thread::sleep(LOOK);
            let now = free().context("cannot ask for free space")?;
            if now == before {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Refuses to start what the file system has no room for.
    pub fn check_room(&self, bytes: u64) -> Result<(), BenchError> {
        let now = rustix::fs::statvfs(self.volume).context("cannot ask for free space")?;
        let free = now.f_bavail * now.f_frsize;
        if free < bytes {
            return Err(BenchError::Failed(format!(
                "{} MB are needed in {}, {} MB are free",
                bytes / 1_000_000,
                self.volume.display(),
                free / 1_000_000
            )));
        }
        Ok(())
    }
}
