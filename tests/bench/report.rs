//! What was measured, as rows of the one table.

use crate::error::BenchError;
use crate::measure::Comparison;
use crate::statistics::{Ratios, median_milliseconds, paired_ratios};
use crate::table::Table;

/// The rows so far, and whether anything went wrong.
#[derive(Debug)]
pub struct Report {
    /// The rows.
    pub table: Table,
    /// Sentences for below the table.
    pub notes: Vec<String>,
    /// Whether every copy was made and was right.
    pub all_right: bool,
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self {
            table: Table::new(&[
                ("file system", false),
                ("case", false),
                ("tool", false),
                ("ms", true),
                ("cp ms", true),
                ("ratio", true),
                ("least", true),
                ("most", true),
                ("bytes", false),
                ("modes", false),
                ("times", false),
            ]),
            notes: Vec::new(),
            all_right: true,
        }
    }

    /// The row of a tool, and a line for those who wait. `cp ms` is of the tool's own pairs;
    /// the ratio is the median of the pairs' ratios, not that of the medians.
    pub fn add(&mut self, place: [&str; 3], comparison: &Comparison) {
        let (Some(time), Some(base), Some(ratios)) = (
            median_milliseconds(&comparison.times),
            median_milliseconds(&comparison.baseline),
            paired_ratios(&comparison.times, &comparison.baseline),
        ) else {
            return;
        };
        let Ratios { median, least, most } = ratios;
        eprintln!("{}: {time:.0} ms, {median:.2} of cp", place.join(" "));
        let mut row = place.map(str::to_owned).to_vec();
        row.extend([format!("{time:.0}"), format!("{base:.0}")]);
        row.extend([median, least, most].map(|ratio| format!("{ratio:.2}")));
        let kept = comparison.attributes;
        row.extend(["right", kept.modes.word(), kept.times.word()].map(str::to_owned));
        self.table.push(row);
    }

    /// The row of a tool that has no numbers; why is said below the table.
    pub fn add_without_numbers(&mut self, place: [&str; 3], error: &BenchError) {
        let sentence = format!("{}: {error}.", place.join(" "));
        eprintln!("{sentence}");
        let mut row = place.map(str::to_owned).to_vec();
        row.extend(["-"; 5].map(str::to_owned));
        row.extend([error.word(), "-", "-"].map(str::to_owned));
        self.table.push(row);
        if matches!(error, BenchError::LeftOut(_)) {
            // The same everywhere: said once.
            let sentence = format!("{}: {error}.", place[2]);
            if !self.notes.contains(&sentence) {
                self.notes.push(sentence);
            }
        } else {
            self.notes.push(sentence);
            self.all_right = false;
        }
    }
}
