//! The progress bar: two lines on standard error while a job runs at a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::{Phase, Snapshot};
use crate::words;

/// The bar's length; the engine tells the part that is done as a fraction.
const LENGTH: u64 = 10_000;

/// A bar on standard error, or nothing.
pub struct Progress {
    bar: ProgressBar,
    drawn: bool,
}

impl Progress {
    /// A bar that is drawn only where somebody sees it.
    pub fn new(visible: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(LENGTH), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {prefix}\n{wide_msg}") {
            bar.set_style(style.progress_chars("━━╌"));
        }
        Progress { bar, drawn: visible }
    }

    /// Draws a sample.
    pub fn show(&self, snapshot: &Snapshot) {
        if !self.drawn {
            return;
        }
        if self.bar.is_hidden() {
            // The samples come ten times a second; a bar that redrew between them would
            // only flicker.
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(20));
        }
        self.bar.set_prefix(figures(snapshot));
        self.bar.set_message(in_work(snapshot));
        self.bar.set_position((snapshot.fraction.unwrap_or(0.0) * LENGTH as f64) as u64);
    }

    /// Takes the bar away, until the next sample.
    pub fn hide(&self) {
        self.bar.finish_and_clear();
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        // Hidden first: a reset draws.
        self.bar.reset();
    }
}

/// The figures behind the bar: part, data, rate, time left.
fn figures(snapshot: &Snapshot) -> String {
    let bytes = &snapshot.bytes;
    let part = |fraction: f64| {
        // Rounded down, so that 100 % means the end; 0.58 is a little less than 58 hundredths.
        let percent = (fraction * 100.0 + 1e-6) as u64;
        words::text_with("progress-part", &words::args([("percent", percent.into())]))
    };
    let (done, total) = match snapshot.compared {
        Some(compared) => (compared.done, Some(compared.total)),
        None => (bytes.done, bytes.total),
    };
    let data = match total {
        // Where no data moves the items below tell all.
        None | Some(0) => (done > 0).then(|| words::size(done)),
        Some(total) => {
            let args = [("done", words::size(done).into()), ("total", words::size(total).into())];
            Some(words::text_with("progress-of", &words::args(args)))
        }
    };
    let left = |left| {
        words::text_with("progress-left", &words::args([("time", words::duration(left).into())]))
    };
    [
        snapshot.fraction.map(part),
        data,
        snapshot.rate.filter(|rate| *rate > 0).map(words::rate),
        snapshot.left.map(left),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(" · ")
}

/// How many items are done of those that are not left out, and what is being done: the first
/// file in work, or the phase.
fn in_work(snapshot: &Snapshot) -> String {
    let entries = &snapshot.entries;
    let args = words::args([
        ("done", entries.done.into()),
        ("total", entries.wanted().into()),
        ("final", if entries.total_is_final { "yes" } else { "no" }.into()),
    ]);
    let counts = words::text_with("progress-items", &args);
    let now = match snapshot.phase {
        Phase::Copying => snapshot.in_work.first().map(|entry| words::path(&entry.path)),
        Phase::Flushing => Some(words::text("progress-flushing")),
        Phase::Verifying => Some(words::text("progress-verifying")),
        Phase::Removing => Some(words::text("progress-removing")),
    };
    now.map_or(counts.clone(), |now| format!("{counts}  {now}"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::engine::{ByteCounts, EntryCounts, EntryId, InWork};

    #[test]
    fn figures_say_only_what_is_known() {
        assert_eq!(figures(&Snapshot::default()), "");
        let snapshot = Snapshot {
            bytes: ByteCounts { done: 812_000_000, cloned: 0, total: Some(1_400_000_000) },
            fraction: Some(0.58),
            rate: Some(36_400_000),
            left: Some(16_000),
            ..Snapshot::default()
        };
        assert_eq!(figures(&snapshot), "58 % · 812 MB of 1.4 GB · 36.4 MB/s · 16 s left");
    }

    #[test]
    fn items_that_are_left_out_are_not_among_those_to_be_done() {
        let entries = EntryCounts {
            done: 3,
            total: 10,
            total_is_final: true,
            skipped: 2,
            unanswered: 1,
            failed: 1,
            waiting: 1,
        };
        let snapshot = Snapshot { entries, ..Snapshot::default() };
        assert_eq!(in_work(&snapshot), "3 of 6 items");
    }

    #[test]
    fn the_file_in_work_is_named() {
        let entries = EntryCounts { done: 3, total: 7, ..EntryCounts::default() };
        let path = PathBuf::from("a\nb");
        let in_work_now = vec![InWork { entry: EntryId(3), path, done: 0, size: 1 }];
        let mut snapshot = Snapshot { entries, in_work: in_work_now, ..Snapshot::default() };
        assert_eq!(in_work(&snapshot), "3 items, 7 found so far  a\\nb");
        snapshot.phase = Phase::Flushing;
        snapshot.entries.total_is_final = true;
        assert_eq!(in_work(&snapshot), "3 of 7 items  writing through to the device");
    }
}
