//! What the window costs: how soon it is there, what it needs while nothing happens.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use crate::common::Tree;
use crate::desktop::{Desktop, FERRY_AT, until};
use crate::ferry::{Ferry, program};
use crate::picture::Area;
use crate::process::{Started, command};
use crate::seen::Seen;
use crate::seen::Theme;
use crate::test_name;

/// How long an idle window is watched.
const WATCHED: Duration = Duration::from_secs(3);
/// The processor that an idle window may use, in percent of one.
const IDLE_PERCENT: f64 = 1.0;
/// The memory that it may use, in MiB.
const MEMORY: f64 = 120.0;

/// How soon the window is there is told and not judged: it is the machine's speed, too.
#[test]
fn an_idle_window_needs_no_processor_and_little_memory() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let starts: Vec<f64> = (0..5).map(|_| first_frame(&desktop)).collect();
    let mut table = format!(
        "first frame after start: {} ms ({})\n\n{:<22}{:>10}{:>12}{:>12}\n",
        starts.iter().map(|time| format!("{time:.0}")).collect::<Vec<_>>().join(", "),
        program().display(),
        "idle window",
        "CPU %",
        "RSS MiB",
        "PSS MiB",
    );
    let source = Tree::new().files("photographs/", 500, 1000).make(&desktop.place().join("from"));
    let mut ferry = Ferry::start(&desktop, &[]);
    let mut costs = vec![("empty", Cost::of(&ferry))];
    ferry.turn(Theme::Dark);
    costs.push(("empty, dark", Cost::of(&ferry)));
    drop(ferry);
    let ferry = Ferry::start(&desktop, &[&source]);
    ferry.see("it is asked where to", Seen::has_dialog);
    costs.push(("where to", Cost::of(&ferry)));
    drop(ferry);
    let ferry = Ferry::start_job(&desktop, &source, &desktop.place().join("to"));
    ferry.see("the job has ended", Seen::has_ended);
    costs.push(("a job that has ended", Cost::of(&ferry)));

    for (what, cost) in &costs {
        let Cost { processor, resident, proportional } = cost;
        writeln!(table, "{what:<22}{processor:>10.2}{resident:>12.1}{proportional:>12.1}").unwrap();
    }
    println!("{table}");
    fs::write(desktop.artefacts().join("numbers.txt"), &table).unwrap();
    for (what, cost) in costs {
        assert!(cost.processor < IDLE_PERCENT, "{what}: {} % processor", cost.processor);
        assert!(cost.proportional < MEMORY, "{what}: {} MiB", cost.proportional);
    }
}

/// Milliseconds from the start of the program until its ground is on the screen.
fn first_frame(desktop: &Desktop) -> f64 {
    let somewhere = Area { x: FERRY_AT.0 + 100, y: FERRY_AT.1 + 600, width: 1, height: 1 };
    let ground = Theme::Light.colours().ground;
    let mut command = command(program());
    command.current_dir(desktop.place()).stderr(desktop.log("ferry"));
    desktop.settle_in(&mut command);
    let shown = || desktop.frame(somewhere).picture().at(0, 0) == ground;
    until("the screen is empty", || (!shown()).then_some(()));
    let start = Instant::now();
    let _ferry = Started::start(&mut command);
    until("the first frame", || shown().then_some(()));
    start.elapsed().as_secs_f64() * 1000.0
}

/// What an idle window costs.
struct Cost {
    /// In percent of one processor.
    processor: f64,
    /// In MiB.
    resident: f64,
    /// In MiB; what is shared with other programs counts in part.
    proportional: f64,
}

impl Cost {
    fn of(ferry: &Ferry<'_>) -> Cost {
        ferry.see("the window rests", |_| true);
        let ticks = || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", ferry.id())).unwrap();
            // After the name, which is in brackets: user and system time are the 12th and 13th.
            let fields = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace();
            fields.skip(11).take(2).map(|field| field.parse::<f64>().unwrap()).sum::<f64>()
        };
        let (start, before) = (Instant::now(), ticks());
        while start.elapsed() < WATCHED {
            std::thread::park_timeout(WATCHED.saturating_sub(start.elapsed()));
        }
        let seconds = (ticks() - before) / rustix::param::clock_ticks_per_second() as f64;
        let kilobytes = |file: &str, name: &str| {
            let text = fs::read_to_string(format!("/proc/{}/{file}", ferry.id())).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
            line.split_ascii_whitespace().nth(0).unwrap().parse::<f64>().unwrap()
        };
        Cost {
            processor: seconds / start.elapsed().as_secs_f64() * 100.0,
            resident: kilobytes("status", "VmRSS:") / 1024.0,
            proportional: kilobytes("smaps_rollup", "Pss:") / 1024.0,
        }
    }
}
