//! What 5000 files cost that are chosen one by one, beside the folder that they lie in.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::case::{Case, CaseName};
use crate::error::{BenchError, Context};
use crate::measure::Bench;
use crate::process::Running;
use crate::statistics::{median_milliseconds, paired_ratios};
use crate::tool::Tool;

/// The trees that files are chosen from: one folder, and fifty.
const CASES: [CaseName; 2] = [CaseName::Flat, CaseName::Tree];

/// Bytes that are needed.
pub fn space() -> u64 {
    CASES.iter().filter_map(|name| Case::named(*name, false)).map(|case| case.space()).sum()
}

/// Measures Ferry against itself, in alternating pairs: all files of a tree by a list, and the
/// folder; says the result in a sentence for each tree.
pub fn measure(bench: &Bench<'_>, ferry: &Tool) -> Result<String, BenchError> {
    bench.check_room(2 * space())?;
    let mut sentences = Vec::new();
    for case in CASES.iter().filter_map(|name| Case::named(*name, false)) {
        let source = case.make(bench.volume, bench.interrupt)?;
        let list = bench.volume.join("chosen.list");
        let count = write_list(&source, &list)?;
        let into = bench.volume.join("copied");
        let mut times = [Vec::new(), Vec::new()];
        // The first pair is the warm-up.
        for pair in 0..=bench.pairs {
            let mut turns = [0, 1];
            turns.rotate_left(pair % 2);
            for turn in turns {
                bench.clear_and_settle()?;
                let mut command = match turn {
                    0 => ferry.ferry_copy(&source, &into),
                    _ => ferry.ferry_copy_listed(&list, &into),
                };
                let time = run(bench, &mut command)?;
                if pair > 0 {
                    times[turn].push(time);
                }
            }
        }
        bench.clear_and_settle()?;
        for gone in [fs::remove_dir_all(&source), fs::remove_file(&list)] {
            gone.context("cannot remove the source")?;
        }
        let [folder, chosen] = times;
        let told = |times: &[Duration]| median_milliseconds(times).unwrap_or(f64::NAN);
        let Some(ratios) = paired_ratios(&chosen, &folder) else {
            return Err(BenchError::failed("no pair was asked for"));
        };
        sentences.push(format!(
            "{}, {count} files chosen one by one {:.0} ms, their folder {:.0} ms: {:.2} ({:.2} to \
             {:.2})",
            case.name,
            told(&chosen),
            told(&folder),
            ratios.median,
            ratios.least,
            ratios.most
        ));
    }
    Ok(sentences.join("; "))
}

fn run(bench: &Bench<'_>, command: &mut Command) -> Result<Duration, BenchError> {
    let (time, status) = Running::start(command)?.finish(bench.limit, bench.interrupt)?;
    if status.success() { Ok(time) } else { Err(BenchError::Failed(format!("ferry: {status}"))) }
}

/// Writes the paths of all files below a folder, separated by NUL; how many there are.
fn write_list(source: &Path, list: &Path) -> Result<usize, BenchError> {
    let (mut bytes, mut count, mut folders) = (Vec::new(), 0, vec![source.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).context("cannot list the source")? {
            let path = entry.context("cannot list the source")?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                bytes.extend_from_slice(path.as_os_str().as_bytes());
                bytes.push(0);
                count += 1;
            }
        }
    }
    fs::write(list, bytes).context("cannot write the list")?;
    Ok(count)
}
