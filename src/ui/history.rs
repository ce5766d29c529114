//! What the rate curve is drawn from.

use std::collections::VecDeque;

/// How long the rate curve reaches back, in milliseconds.
pub const HISTORY: u64 = 120_000;
/// One point of the curve covers this much of it, in milliseconds.
const HISTORY_STEP: u64 = 500;

/// The rate over the last two minutes of a job's running time.
#[derive(Default, Hash)]
pub struct History {
    points: VecDeque<(u64, u64)>,
}

impl History {
    /// Notes a sample: the running time in milliseconds, the rate in bytes a second.
    pub fn push(&mut self, elapsed: u64, rate: Option<u64>) {
        let Some(rate) = rate else { return };
        let slot = elapsed / HISTORY_STEP * HISTORY_STEP;
        match self.points.back_mut() {
            Some((at, newest)) if *at == slot => *newest = rate,
            _ => self.points.push_back((slot, rate)),
        }
        while self.points.front().is_some_and(|(at, _)| at + HISTORY < slot) {
            let _old = self.points.pop_front();
        }
    }

    /// The points: running time in milliseconds, bytes a second.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.points.iter().copied()
    }

    /// The highest rate that is remembered, in bytes a second.
    pub fn peak(&self) -> u64 {
        self.points.iter().map(|(_, rate)| *rate).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_forgets_what_is_older_than_two_minutes() {
        let mut history = History::default();
        for second in 0..600 {
            history.push(second * 1000, Some(second));
        }
        let oldest = history.points().next().map(|(at, _)| at);
        assert_eq!(oldest, Some(599_000 - HISTORY));
        assert_eq!(history.peak(), 599);
    }
}
