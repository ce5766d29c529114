//! Medians, ratios of pairs, percentiles.
//!
//! A ratio is taken within one pair of neighbouring runs, and the median of those ratios is
//! reported: what else the machine does changes slowly and falls on both runs of a pair.

use std::time::Duration;

/// The ratios of the pairs of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// The median of the ratios.
    pub median: f64,
    /// The smallest of them.
    pub least: f64,
    /// The greatest of them.
    pub most: f64,
}

/// The middle value, or the mean of the two middle ones; nothing of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.is_empty() {
        None
    } else if sorted.len() % 2 == 1 {
        Some(sorted[middle])
    } else {
        Some(f64::midpoint(sorted[middle - 1], sorted[middle]))
    }
}

/// The median in milliseconds.
pub fn median_milliseconds(times: &[Duration]) -> Option<f64> {
    let milliseconds: Vec<f64> = times.iter().map(|time| milliseconds(*time)).collect();
    median(&milliseconds)
}

/// A duration in milliseconds, with its fraction.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Each of `times` over its partner in `baseline`; both were measured in pairs.
pub fn paired_ratios(times: &[Duration], baseline: &[Duration]) -> Option<Ratios> {
    let ratios: Vec<f64> = times
        .iter()
        .zip(baseline)
        .map(|(time, base)| time.as_secs_f64() / base.as_secs_f64())
        .collect();
    Some(Ratios {
        median: median(&ratios)?,
        least: ratios.iter().copied().reduce(f64::min)?,
        most: ratios.iter().copied().reduce(f64::max)?,
    })
}

/// The smallest value that at least `percent` of 100 of the values do not exceed
/// (nearest rank).
pub fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
