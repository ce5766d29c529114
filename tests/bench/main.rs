//! Measures Ferry against `cp` and other copiers. Run by `./x bench`; `--help` lists the
//! options, `measure` tells the method.
//!
//! A program of its own and not a benchmark of functions: what a user waits for is a whole
//! process, from its start to its end, over real trees on real file systems.

mod cachestat;
mod case;
mod check;
mod chosen;
mod cold;
mod error;
mod image;
mod interrupt;
mod latency;
mod machine;
mod measure;
mod options;
mod pause;
mod process;
mod readers;
mod report;
mod statistics;
mod table;
mod tool;

use std::env;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::{Parser, ValueEnum};

use case::{Case, CaseName};
use error::{BenchError, Context};
use image::{FileSystem, Mounted};
use interrupt::Interrupt;
use measure::Bench;
use options::Options;
use report::Report;
use table::Style;
use tool::{Tool, ToolName};

fn main() -> ExitCode {
    // `cargo test --all-targets` runs every benchmark without arguments, to see it start.
    if env::args_os().len() == 1 {
        println!("Run by ./x bench.");
        return ExitCode::SUCCESS;
    }
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("bench: {error}");
            match error {
                BenchError::Interrupted => ExitCode::from(130),
                _ => ExitCode::from(1),
            }
        }
    }
}

/// Measures all that `options` ask for and prints it; whether every copy was right.
fn run(options: &Options) -> Result<bool, BenchError> {
    let needs_root = options.cold || !options.fs.is_empty();
    if needs_root && !rustix::process::geteuid().is_root() {
        return Err(BenchError::failed("--cold and --fs need root"));
    }
    if !options.fs.is_empty() && !options.unshared {
        return Err(enter_mount_namespace());
    }
    let interrupt = Interrupt::catch()?;
    let parent = options.dir.clone().unwrap_or_else(env::temp_dir);
    let scratch = tempfile::Builder::new()
        .prefix("ferry-bench-")
        .tempdir_in(&parent)
        .context(format_args!("cannot work in {}", parent.display()))?;
    let tools = Tools::find(options, scratch.path())?;
    let machine = machine::describe();
    let mut report = Report::new();
    let ended = options.places().into_iter().try_for_each(|place| {
        measure_place(place, options, scratch.path(), &interrupt, &tools, &mut report)
    });
    // Also when it was cut short: what was measured until then still holds.
    print!("{}", summary(options, &tools, &machine, &report));
    ended.map(|()| report.all_right)
}

/// All cases on a new file system of that kind, or where `scratch` is.
fn measure_place(
    kind: Option<FileSystem>,
    options: &Options,
    scratch: &Path,
    interrupt: &Interrupt,
    tools: &Tools,
    report: &mut Report,
) -> Result<(), BenchError> {
    let mounted = match kind {
        None => None,
        Some(kind) => {
            let bytes = options.image_bytes();
            check_memory_or_disk(kind, bytes, scratch)?;
            Some(Mounted::make(kind, bytes, scratch)?)
        }
    };
    let bench = Bench {
        volume: mounted.as_ref().map_or(scratch, Mounted::folder),
        mounted: mounted.as_ref(),
        pairs: options.pairs(),
        cold: options.cold,
        tell_runs: options.runs,
        limit: Duration::from_secs(options.limit),
        interrupt,
    };
    measure_all(&bench, options, tools, report)
}

/// Starts again where mounts are seen by this process alone and end with it, even when it
/// is killed. Returns only when that is not possible.
fn enter_mount_namespace() -> BenchError {
    let program = match env::current_exe() {
        Ok(program) => program,
        Err(error) => return BenchError::failed(error),
    };
    let error = Command::new("unshare")
        .args(["--mount", "--"])
        .arg(program)
        .args(env::args_os().skip(1))
        .arg("--unshared")
        .exec();
    BenchError::Failed(format!("cannot run unshare: {error}"))
}

/// The copiers that take part.
struct Tools {
    cp: Tool,
    /// `cp` among them: compared with itself, it shows how much chance moves the numbers.
    compared: Vec<Tool>,
    missing: Vec<&'static str>,
}

impl Tools {
    fn find(options: &Options, scratch: &Path) -> Result<Self, BenchError> {
        let state = scratch.join("state");
        let ferry = match &options.ferry {
            Some(ferry) => ferry.clone(),
            None => release_ferry()?,
        };
        let cp = Tool::find(ToolName::Cp, &ferry, &state)
            .ok_or_else(|| BenchError::failed("there is no cp in PATH"))?;
        let chosen: &[ToolName] = match (options.tiny, options.tools.as_slice()) {
            (true, _) => &[ToolName::Ferry],
            (false, []) => ToolName::value_variants(),
            (false, named) => named,
        };
        let (mut compared, mut missing) = (Vec::new(), Vec::new());
        for &name in chosen {
            match Tool::find(name, &ferry, &state) {
                Some(tool) => compared.push(tool),
                None if name == ToolName::Ferry => {
                    return Err(BenchError::Failed(format!(
                        "there is no {}: build it, or leave it out by --tools",
                        ferry.display()
                    )));
                }
                None => missing.push(name.word()),
            }
        }
        Ok(Self { cp, compared, missing })
    }
}

/// This program is target/PROFILE/deps/bench-…; Ferry is target/release/ferry.
fn release_ferry() -> Result<PathBuf, BenchError> {
    let program = env::current_exe().context("cannot find this program")?;
    let target = program.ancestors().nth(3).unwrap_or(Path::new("target"));
    Ok(target.join("release/ferry"))
}

/// An image may grow to its full size.
fn check_memory_or_disk(kind: FileSystem, bytes: u64, scratch: &Path) -> Result<(), BenchError> {
    let (free, what) = if kind == FileSystem::Tmpfs {
        (machine::memory_bytes("MemAvailable"), "memory")
    } else {
        let disk = rustix::fs::statvfs(scratch).context("cannot ask for free space")?;
        (disk.f_bavail * disk.f_frsize, "disk")
    };
    if free < bytes {
        return Err(BenchError::Failed(format!(
            "{} MB of {what} are needed, {} MB are free",
            bytes / 1_000_000,
            free / 1_000_000
        )));
    }
    Ok(())
}

/// All cases with all tools, in the place of `bench`.
fn measure_all(
    bench: &Bench<'_>,
    options: &Options,
    tools: &Tools,
    report: &mut Report,
) -> Result<(), BenchError> {
    let file_system = machine::file_system(bench.volume);
    if bench.cold && file_system == "tmpfs" {
        let reason = "tmpfs is its own cache, never cold".to_owned();
        report.add_without_numbers(["tmpfs", "all", "all"], &BenchError::LeftOut(reason));
        return Ok(());
    }
    for name in options.cases() {
        let Some(case) = Case::named(name, options.full) else {
            measure_waits(bench, name, &file_system, tools, report)?;
            continue;
        };
        bench.check_room(2 * case.space())?;
        let source = case.make(bench.volume, bench.interrupt)?;
        bench.settle()?;
        measure_case(bench, &case, &source, &file_system, tools, report)?;
        fs::remove_dir_all(&source).context("cannot remove the source")?;
        bench.settle()?;
    }
    Ok(())
}

fn measure_case(
    bench: &Bench<'_>,
    case: &Case,
    source: &Path,
    file_system: &str,
    tools: &Tools,
    report: &mut Report,
) -> Result<(), BenchError> {
    for tool in &tools.compared {
        let place = [file_system, case.name, &tool.word()];
        match bench.compare(&tools.cp, tool, case, source) {
            Ok(comparison) => report.add(place, &comparison),
            Err(BenchError::Interrupted) => return Err(BenchError::Interrupted),
            Err(error) => {
                report.add_without_numbers(place, &error);
                bench.clear_and_settle()?;
            }
        }
    }
    Ok(())
}

/// The cases that are no pairs of runs.
fn measure_waits(
    bench: &Bench<'_>,
    name: CaseName,
    file_system: &str,
    tools: &Tools,
    report: &mut Report,
) -> Result<(), BenchError> {
    let Some(ferry) = tools.compared.iter().find(|tool| tool.is(ToolName::Ferry)) else {
        return Ok(());
    };
    let measured = match name {
        CaseName::Readers => readers::measure(bench, ferry),
        CaseName::Chosen => chosen::measure(bench, ferry),
        _ => latency::measure(bench, ferry),
    };
    match measured {
        Ok(sentence) => report.notes.push(format!("{file_system}: {sentence}")),
        Err(BenchError::Interrupted) => return Err(BenchError::Interrupted),
        Err(error) => {
            let case = name.to_possible_value();
            let case = case.as_ref().map_or("", |value| value.get_name());
            report.add_without_numbers([file_system, case, "ferry"], &error);
            bench.clear_and_settle()?;
        }
    }
    Ok(())
}

/// All that is printed at the end.
fn summary(options: &Options, tools: &Tools, machine: &str, report: &Report) -> String {
    let style = if options.markdown { Style::Markdown } else { Style::Plain };
    let mut lines = vec![
        String::new(),
        format!("Machine: {machine}."),
        format!(
            "Method: {} after a warm-up, {} cache; ratio: median of the pairs' time / cp's \
             time, with the least and the most.",
            match options.pairs() {
                1 => "one pair".to_owned(),
                pairs => format!("{pairs} pairs"),
            },
            if options.cold { "cold" } else { "warm" },
        ),
    ];
    lines.extend(
        options
            .cases()
            .into_iter()
            .filter_map(|name| Case::named(name, options.full))
            .map(|case| format!("Case {}.", case.words())),
    );
    let others = tools.compared.iter().filter(|tool| !tool.is(ToolName::Cp));
    let versions: Vec<String> =
        std::iter::once(&tools.cp).chain(others).map(Tool::version).collect();
    lines.push(format!("Tools: {}.", versions.join(", ")));
    if !tools.missing.is_empty() {
        lines.push(format!("Not installed: {}.", tools.missing.join(", ")));
    }
    let gap = if options.markdown { "\n\n" } else { "\n" };
    let mut text = lines.join(gap);
    text.push_str("\n\n");
    text.push_str(&report.table.render(style));
    for note in &report.notes {
        text.push_str(gap);
        text.push_str(note);
        text.push('\n');
    }
    text
}
