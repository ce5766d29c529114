//! The window while it copies: how long its updates and views take, and what it costs the
//! copying. `./x bench window` judges both; else a small job shows that they are told.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use ferry::engine::Event;

use crate::common::Place;
use crate::desktop::{Desktop, within};
use crate::ferry::{Ferry, program};
use crate::process::command;
use crate::seen::Seen;
use crate::test_name;

/// The longest that an update or a view may take, in milliseconds, at the 99th percentile.
const FRAME: f64 = 8.0;
/// How much longer a job may take with its window open.
const DEARER: f64 = 1.10;
/// How many pairs of runs are compared.
const PAIRS: usize = 7;

/// Whether it is measured, not only tried.
fn measures() -> bool {
    std::env::var_os("FERRY_BENCH").is_some()
}

/// A folder of small files in folders of a thousand.
fn small_files(place: &Path, count: usize) -> PathBuf {
    let source = place.join(format!("{count}-files"));
    let bytes = [b'f'; 100];
    for folder in 0..count.div_ceil(1000) {
        let folder = source.join(format!("folder {folder:03}"));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..count.min(1000) {
            fs::write(folder.join(format!("file {file:04}.txt")), bytes).unwrap();
        }
    }
    source
}

/// What the instrument in the program has told.
struct Told {
    lines: String,
    /// Milliseconds that the engine took.
    elapsed: u64,
}

impl Told {
    /// The 99th percentile of a part, in milliseconds.
    fn p99(&self, part: &str) -> f64 {
        let line = self.lines.lines().find(|line| line.starts_with(&format!("{part}:"))).unwrap();
        let number = line.split_once("p99 ").unwrap().1.split_once(' ').unwrap().0;
        number.parse().unwrap()
    }
}

/// How many jobs the windows on a desktop have told the end of: all of them write into one log.
fn ended_jobs(desktop: &Desktop) -> usize {
    desktop.logged("ferry").matches("job 1: ").count()
}

/// Copies a folder with the window open and its job shown.
fn in_the_window(desktop: &Desktop, source: &Path, target: &Path) -> Told {
    let mut program = command(program());
    program.env("FERRY_TIMINGS", "1");
    let ended_before = ended_jobs(desktop);
    let ferry = Ferry::start_by(desktop, program, &[&source]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_destination(desktop, target);
    desktop.press(&["Return"]);
    // Not by what is seen: looking at the screen takes the processor from the copying.
    let ended = || (ended_jobs(desktop) > ended_before).then_some(());
    within(Duration::from_secs(300), ended).expect("the job has ended");
    ferry.see("the end of the job", Seen::has_ended);
    ferry.ask_to_close();
    assert!(ferry.finish().success());
    let lines = desktop.logged("ferry");
    let job = lines.lines().rfind(|line| line.starts_with("job ")).expect(&lines);
    let elapsed = job.rsplit(' ').nth(1).unwrap().parse().unwrap();
    Told { lines, elapsed }
}

/// Copies a folder from the command line: milliseconds that the engine took.
///
/// A window is opened and closed before: a virtual machine gives memory that was freed two
/// seconds ago back to its host, and who comes right after the removal of the last copy would
/// be the faster one for that alone.
fn in_the_terminal(desktop: &Desktop, source: &Path, target: &Path) -> u64 {
    let window = Ferry::start_by(desktop, command(program()), &[]);
    window.ask_to_close();
    assert!(window.finish().success());
    let mut ferry = command(program());
    ferry.args(["copy", "--json"]).args([source, target]);
    let run = ferry.stdout(Stdio::piped()).output().unwrap();
    assert!(run.status.success());
    let last = String::from_utf8(run.stdout).unwrap().lines().last().unwrap().to_owned();
    match serde_json::from_str(&last).unwrap() {
        Event::Finished { summary, .. } => summary.elapsed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn updates_and_views_fit_into_a_frame() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let count = if measures() { 100_000 } else { 2_000 };
    let source = small_files(desktop.place(), count);
    let told = in_the_window(&desktop, &source, &desktop.place().join("to"));
    println!("{count} files with the window open:\n{}", told.lines);
    fs::write(desktop.artefacts().join("timings.txt"), &told.lines).unwrap();
    for part in ["update", "view", "draw"] {
        let p99 = told.p99(part);
        assert!(!measures() || p99 < FRAME, "{part}: {p99} ms at the 99th percentile");
    }
}

#[test]
fn an_open_window_costs_the_copying_little() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let (count, pairs) = if measures() { (600_000, PAIRS) } else { (200, 1) };
    // In memory, where no disk hides what the window costs. A job of less than a second
    // would measure the first frame.
    let memory = Place::new_in(Path::new(if measures() { "/dev/shm" } else { "/tmp" }));
    let source = small_files(&memory, count);
    let mut ratios = Vec::new();
    for pair in 0..pairs {
        let fresh = |face: &str| memory.join(format!("{face} {pair}"));
        let (window, terminal) = (fresh("window"), fresh("terminal"));
        // Alternating, so that neither always finds the warmer machine.
        let (window, terminal) = if pair % 2 == 0 {
            let first = in_the_window(&desktop, &source, &window).elapsed;
            (first, in_the_terminal(&desktop, &source, &terminal))
        } else {
            let first = in_the_terminal(&desktop, &source, &terminal);
            (in_the_window(&desktop, &source, &window).elapsed, first)
        };
        let ratio = window as f64 / terminal.max(1) as f64;
        println!("{count} files: window {window} ms, terminal {terminal} ms, ratio {ratio:.3}");
        ratios.push(ratio);
        for copied in [fresh("window"), fresh("terminal")] {
            fs::remove_dir_all(copied).unwrap();
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    println!("median of the ratios: {median:.3}");
    assert!(!measures() || median < DEARER, "{ratios:?}");
}
