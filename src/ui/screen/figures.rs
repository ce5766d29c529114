//! The four figures of a job: how far, how fast, how long, how many.

use iced::widget::{Row, column, container};
use iced::{Element, Fill};

use crate::engine::{JobKind, JobState, Phase};
use crate::ui::job::Job;
use crate::ui::theme::{FIGURE, STRONG, Tone};
use crate::ui::widget::{CutText, cut_text, upright};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// A time left that ends at a time of day that is told: 18 hours, in milliseconds.
const DAY: u64 = 18 * 60 * 60 * 1000;

/// A figure, and what it says under it.
type Figure = (String, CutText);

/// The figures; `wide` where there is room for large ones.
pub fn view<'a, Message: 'a>(job: &Job, wide: bool) -> Element<'a, Message> {
    let counts = words::count(job.snapshot.entries.done);
    let mut panel = Row::new().height(61);
    for (at, (figure, under)) in
        [how_far(job), how_fast(job), how_long(job), (counts, left_out(job))]
            .into_iter()
            .enumerate()
    {
        if at > 0 {
            panel = panel.push(upright(Fill));
        }
        let figure = cut_text(figure).size(if wide { FIGURE } else { 15.0 }).font(STRONG);
        let under = under.size(12.0).tone(Tone::Quiet);
        let cell = column![figure.width(Fill), under.width(Fill)].spacing(3);
        let padding = if wide { [0.0, 14.0] } else { [0.0, 10.0] };
        panel = panel.push(container(cell).padding(padding).width(Fill).center_y(Fill));
    }
    container(panel).style(style::panel).into()
}

/// What a job is busy with after its copying, and what that means.
fn how_far(job: &Job) -> Figure {
    let percent = phrase::percent(job).unwrap_or_else(|| text("window-unknown"));
    match job.busy_with() {
        Phase::Copying => {
            let bytes = &job.snapshot.bytes;
            let done = phrase::bytes(bytes);
            let shown = match job.left_out() {
                0 => cut_text(done),
                count => {
                    let left_out = phrase::counted("window-left-out-count", count);
                    cut_text([done.clone(), left_out].join(&text("window-separator"))).or(done)
                }
            };
            (percent, shown.or(words::size(bytes.done)))
        }
        Phase::Verifying => (percent, cut_text(text("window-verified-so-far"))),
        Phase::Flushing => (text("window-flushing-figure"), cut_text(text("window-to-the-device"))),
        Phase::Removing => (text("window-removing-figure"), cut_text(text("window-moved-sources"))),
    }
}

/// How fast it goes, in data and in entries; of a job that does not move, on average.
fn how_fast(job: &Job) -> Figure {
    let snapshot = &job.snapshot;
    let in_entries = |rate| phrase::counted("window-entry-rate", rate);
    if job.state == JobState::Running {
        let rate = snapshot.rate.map_or_else(|| text("window-unknown"), words::rate);
        let entries = snapshot.entry_rate.filter(|_| job.busy_with() == Phase::Copying);
        return (rate, cut_text(entries.map(in_entries).unwrap_or_default()));
    }
    let average = || cut_text(text("window-on-average"));
    let a_second = |amount: u64| amount.saturating_mul(1000).checked_div(snapshot.elapsed);
    let of_entries = a_second(snapshot.entries.done).filter(|rate| *rate > 0);
    match a_second(snapshot.bytes.done - snapshot.bytes.cloned.min(snapshot.bytes.done)) {
        Some(rate) if rate > 0 => {
            let under = of_entries.map_or_else(average, |entries| {
                let parts = [text("window-on-average"), in_entries(entries)];
                cut_text(parts.join(&text("window-separator"))).or(text("window-on-average"))
            });
            (words::rate(rate), under)
        }
        _ => match of_entries {
            Some(rate) => (in_entries(rate), average()),
            None => (text("window-unknown"), cut_text("")),
        },
    }
}

/// The time left and when that is; of an ended job the time it took.
fn how_long(job: &Job) -> Figure {
    let under = |id| cut_text(text(id));
    match job.state {
        JobState::Ended | JobState::Cancelling => {
            (words::duration(job.snapshot.elapsed), under("window-took"))
        }
        JobState::Paused => (text("window-paused-figure"), cut_text("")),
        JobState::Waiting => (text("window-waits-figure"), under("window-for-you")),
        JobState::Queued if job.waits_to_go_on() => {
            (text("window-waits-figure"), under("window-to-go-on"))
        }
        JobState::Queued => (text("window-queued-figure"), under("window-for-its-turn")),
        JobState::Running => match job.snapshot.left {
            // A time of day alone would not tell which day.
            Some(left) if left > DAY => (words::duration(left), under("window-left-unknown")),
            Some(left) => {
                let clock = phrase::clock_in(left);
                (words::duration(left), cut_text(phrase::with("window-until", "time", clock)))
            }
            None => (text("window-unknown"), under("window-left-unknown")),
        },
    }
}

fn left_out(job: &Job) -> CutText {
    let entries = &job.snapshot.entries;
    let parts: Vec<String> = [
        ("window-skipped-count", entries.skipped),
        ("window-unanswered-count", entries.unanswered),
        ("window-failed-count", entries.failed),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(id, count)| phrase::counted(id, count))
    .collect();
    // Where there is room for one of them, it is the worst.
    if let Some(worst) = parts.last() {
        return cut_text(parts.join(&text("window-separator"))).or(worst);
    }
    if entries.total_is_final && !job.ended() {
        return cut_text(phrase::counted("window-of-total", entries.total));
    }
    cut_text(text(match job.spec.kind {
        JobKind::Copy => "window-copied",
        JobKind::Move => "window-moved",
    }))
}
