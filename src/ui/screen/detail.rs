//! The chosen job: what goes where and how, what waits for the user, the figures, the curve.

use iced::widget::{Column, Row, column, container, responsive, row, space};
use iced::{Center, Element, Fill, Padding, Size};

use crate::engine::{Command, JobId, JobState};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Job;
use crate::ui::screen::entries::{self, Entries};
use crate::ui::screen::report;
use crate::ui::theme::{FIGURE, MEDIUM, SMALL, STRONG, TITLE, Tone};
use crate::ui::widget::{Kind, control, curve, cut_text, small, tip, upright};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// Below this height of the screen there is no curve.
const CURVE_FROM: f32 = 560.0;
/// Below this width the words on the buttons give way.
const WIDE_FROM: f32 = 560.0;

/// What can be done with the chosen job.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Pause it.
    Pause(JobId),
    /// Go on.
    Resume(JobId),
    /// Cancel it (asks first).
    Cancel(JobId),
    /// Take it off the list.
    Remove(JobId),
    /// Answer its conflicts.
    Decide(JobId),
    /// Look at its failures.
    Look(JobId),
    /// Try all failures again.
    RetryAll(JobId),
    /// Leave all that failed.
    SkipAll(JobId),
    /// The list of entries.
    Entries(entries::Message),
}

/// What the window has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Tell the engine.
    Send(Command),
    /// Ask whether to cancel.
    AskCancel(JobId),
    /// Take it off the list.
    Remove(JobId),
    /// Open the questions.
    Decide(JobId),
    /// Open the failures.
    Look(JobId),
    /// Answer all failures alike.
    AnswerFailures(JobId, crate::engine::Action),
    /// Hand on to the list of entries.
    Entries(entries::Message),
}

/// What a message asks for.
pub fn update(message: Message) -> Action {
    match message {
        Message::Pause(job) => Action::Send(Command::Pause { job }),
        Message::Resume(job) => Action::Send(Command::Resume { job }),
        Message::Cancel(job) => Action::AskCancel(job),
        Message::Remove(job) => Action::Remove(job),
        Message::Decide(job) => Action::Decide(job),
        Message::Look(job) => Action::Look(job),
        Message::RetryAll(job) => Action::AnswerFailures(job, crate::engine::Action::Retry),
        Message::SkipAll(job) => Action::AnswerFailures(job, crate::engine::Action::Skip),
        Message::Entries(message) => Action::Entries(message),
    }
}

/// The chosen job.
pub fn view<'a>(job: &'a Job, list: &'a Entries) -> Element<'a, Message> {
    responsive(move |size| screen(job, list, size)).into()
}

fn screen<'a>(job: &'a Job, list: &'a Entries, size: Size) -> Element<'a, Message> {
    let tight = size.height < CURVE_FROM;
    let gap = if tight { 10.0 } else { 14.0 };
    let side = if size.width < WIDE_FROM { 14.0 } else { 22.0 };
    let mut parts = Column::new().spacing(gap).padding(Padding {
        top: if tight { 12.0 } else { 18.0 },
        right: side,
        bottom: if tight { 12.0 } else { 18.0 },
        left: side,
    });
    parts = parts.push(title(job, size.width));
    parts = parts.extend(banners(job, size.width >= WIDE_FROM));
    parts = parts.push(figures(job, size.width >= WIDE_FROM));
    if job.summary.is_some() {
        parts = parts.extend(report::view(job, !tight));
    } else if !tight && (job.state == JobState::Running || job.history.peak() > 0) {
        parts = parts.push(rate_panel(job));
    }
    let entries = entries::view(job, list, size.width);
    parts.push(container(entries.map(Message::Entries)).height(Fill)).into()
}

fn title<'a>(job: &Job, width: f32) -> Element<'a, Message> {
    let wide = width >= WIDE_FROM;
    let from = phrase::sources(&job.spec.sources);
    let to = phrase::last_name(&job.spec.destination);
    let place = phrase::with("window-to", "place", phrase::short_path(&job.spec.destination));
    let sub = [phrase::routes(job), place].join(&text("window-separator"));
    // A long source must leave room for the destination.
    let room = width - if wide { 280.0 } else { 170.0 };
    let names = row![
        container(cut_text(from).size(TITLE).font(STRONG)).max_width(0.55 * room),
        icon(Icon::Arrow, Tone::Quiet),
        cut_text(to).size(TITLE).font(STRONG),
    ]
    .spacing(10)
    .align_y(Center);
    let words = column![names, cut_text(sub).tone(Tone::Quiet).width(Fill)].spacing(3).width(Fill);
    row![words, buttons(job, wide)].spacing(16).align_y(Center).into()
}

fn buttons<'a>(job: &Job, wide: bool) -> Row<'a, Message> {
    let button = |sign, words: &'static str, key: &'static str, message| -> Element<'a, Message> {
        let words = text(words);
        let shown = if wide { words.clone() } else { String::new() };
        let tip_words = if wide { key.to_owned() } else { format!("{words} ({key})") };
        tip(control(Kind::Plain, Some(sign), shown, Some(message)), tip_words)
    };
    let mut row = Row::new().spacing(8);
    if job.state == JobState::Paused {
        let message = Message::Resume(job.id);
        row = row.push(button(Icon::Play, "window-resume", "Space", message));
    } else if job.can_pause() {
        let message = Message::Pause(job.id);
        row = row.push(button(Icon::Pause, "window-pause", "Space", message));
    }
    match job.state {
        JobState::Cancelling => row,
        JobState::Ended => {
            row.push(button(Icon::Cross, "window-remove", "Delete", Message::Remove(job.id)))
        }
        _ => row.push(button(Icon::Cross, "window-cancel", "Delete", Message::Cancel(job.id))),
    }
}

/// What waits for the user: taken names and failures.
fn banners<'a>(job: &Job, wide: bool) -> Vec<Element<'a, Message>> {
    let mut banners = Vec::new();
    let conflicts = job.conflict_count() as u64;
    if conflicts > 0 {
        let mut words = phrase::counted("window-need-decision", conflicts);
        if wide && job.state == JobState::Running {
            let entries = &job.snapshot.entries;
            let settled = entries.done + entries.skipped + entries.unanswered;
            let others = entries.total.saturating_sub(settled + entries.waiting + entries.failed);
            if others > 0 {
                words = [words, phrase::counted("window-others-go-on", others)].join(" ");
            }
        }
        let decide = control(
            Kind::Outlined(Tone::Warning),
            None,
            text("window-decide"),
            Some(Message::Decide(job.id)),
        );
        let decide = tip(decide.height(28), "D".to_owned());
        banners.push(banner(Icon::Question, words, Tone::Warning, row![decide]));
    }
    let failures = job.failure_count() as u64;
    if failures > 0 {
        let words = phrase::counted("window-have-failed", failures);
        let way = |words: &str, message| {
            let kind = Kind::Outlined(Tone::Failure);
            control(kind, None, text(words), Some(message)).height(28)
        };
        let look = tip(way("window-look", Message::Look(job.id)), "F".to_owned());
        let ways = row![
            look,
            way("window-retry-all", Message::RetryAll(job.id)),
            way("window-skip-all", Message::SkipAll(job.id)),
        ];
        banners.push(banner(Icon::Warning, words, Tone::Failure, ways));
    }
    banners
}

fn banner<'a>(
    sign: Icon,
    words: String,
    tone: Tone,
    ways: Row<'a, Message>,
) -> Element<'a, Message> {
    let words = cut_text(words).font(MEDIUM).tone(tone).width(Fill);
    let content = row![icon(sign, tone), words, ways.spacing(6)].spacing(12).align_y(Center);
    container(content)
        .padding(Padding { top: 8.0, right: 8.0, bottom: 8.0, left: 14.0 })
        .width(Fill)
        .style(style::ground(tone, 10.0))
        .into()
}

/// Four figures: how far, how fast, how long, how many.
fn figures<'a>(job: &Job, wide: bool) -> Element<'a, Message> {
    let snapshot = &job.snapshot;
    let unknown = || text("window-unknown");
    let percent = phrase::percent(job).unwrap_or_else(unknown);
    let (rate, entry_rate) = rates(job, wide);
    let (time, until) = times(job);
    let counts = words::count(snapshot.entries.done);
    let figures = [
        (
            percent,
            if wide { phrase::bytes(&snapshot.bytes) } else { words::size(snapshot.bytes.done) },
        ),
        (rate, entry_rate),
        (time, until),
        (counts, left_out(job, wide)),
    ];
    let mut panel = Row::new().height(61);
    for (at, (figure, under)) in figures.into_iter().enumerate() {
        if at > 0 {
            panel = panel.push(upright(Fill));
        }
        let figure = cut_text(figure).size(if wide { FIGURE } else { 15.0 }).font(STRONG);
        let under = cut_text(under).size(12.0).tone(Tone::Quiet);
        let cell = column![figure.width(Fill), under.width(Fill)].spacing(3);
        let padding = if wide { [0.0, 14.0] } else { [0.0, 10.0] };
        panel = panel.push(container(cell).padding(padding).width(Fill).center_y(Fill));
    }
    container(panel).style(style::panel).into()
}

/// How fast it goes, in data and in entries; of a job that does not move, on average.
fn rates(job: &Job, wide: bool) -> (String, String) {
    let snapshot = &job.snapshot;
    let in_entries = |rate| phrase::counted("window-entry-rate", rate);
    if job.state == JobState::Running {
        let rate = snapshot.rate.map_or_else(|| text("window-unknown"), words::rate);
        return (rate, snapshot.entry_rate.map(in_entries).unwrap_or_default());
    }
    let a_second = |amount: u64| amount.saturating_mul(1000).checked_div(snapshot.elapsed);
    match a_second(snapshot.bytes.done - snapshot.bytes.cloned.min(snapshot.bytes.done)) {
        Some(rate) if rate > 0 => {
            let entries = a_second(snapshot.entries.done).filter(|rate| wide && *rate > 0);
            let parts = [text("window-on-average")].into_iter().chain(entries.map(in_entries));
            (words::rate(rate), parts.collect::<Vec<_>>().join(&text("window-separator")))
        }
        _ => match a_second(snapshot.entries.done) {
            Some(rate) if rate > 0 => (in_entries(rate), text("window-on-average")),
            _ => (text("window-unknown"), String::new()),
        },
    }
}

/// The time left and when that is; of an ended job the time it took.
fn times(job: &Job) -> (String, String) {
    match job.state {
        JobState::Ended | JobState::Cancelling => {
            (words::duration(job.snapshot.elapsed), text("window-took"))
        }
        JobState::Paused => (text("window-paused-figure"), String::new()),
        JobState::Waiting => (text("window-waits-figure"), text("window-for-you")),
        JobState::Queued => (text("window-queued-figure"), String::new()),
        JobState::Running => match job.snapshot.left {
            Some(left) => {
                let clock = phrase::clock_in(left);
                (words::duration(left), phrase::with("window-until", "time", clock))
            }
            None => (text("window-unknown"), text("window-left-unknown")),
        },
    }
}

fn left_out(job: &Job, wide: bool) -> String {
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
    match parts.as_slice() {
        [] => {}
        // Where there is room for one of them, it is the worst.
        [.., worst] if !wide => return worst.clone(),
        parts => return parts.join(&text("window-separator")),
    }
    let through = text(if job.spec.kind == crate::engine::JobKind::Move {
        "window-moved"
    } else {
        "window-copied"
    });
    if entries.total_is_final && !job.ended() {
        return phrase::counted("window-of-total", entries.total);
    }
    through
}

fn rate_panel<'a>(job: &'a Job) -> Element<'a, Message> {
    let peak = job.history.peak();
    let span = if job.snapshot.elapsed > crate::ui::history::HISTORY {
        text("window-curve")
    } else {
        text("window-curve-young")
    };
    let mut head = row![small(span), space::horizontal()];
    if peak > 0 {
        let peak = phrase::with("window-peak", "rate", words::rate(peak));
        head = head.push(cut_text(peak).size(SMALL).tone(Tone::Quiet));
    }
    container(column![head, curve(&job.history, 62.0)].spacing(8))
        .padding(Padding { top: 11.0, right: 14.0, bottom: 10.0, left: 14.0 })
        .style(style::panel)
        .into()
}
