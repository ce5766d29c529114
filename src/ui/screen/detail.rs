//! The chosen job: what goes where and how, what waits for the user, the figures, the curve.

use iced::widget::{Column, Row, column, container, responsive, row, space};
use iced::{Center, Element, Fill, Padding, Size};

use crate::engine::{Command, JobId, JobState};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Job;
use crate::ui::screen::entries::{self, Entries};
use crate::ui::screen::{figures, report};
use crate::ui::theme::{MEDIUM, SMALL, STRONG, TITLE, Tone};
use crate::ui::widget::{CutText, Kind, control, curve, cut_text, small, tip};
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
    /// Let it run beside the others.
    RunNow(JobId),
    /// Cancel it (asks first).
    Cancel(JobId),
    /// Take it off the list.
    Remove(JobId),
    /// Answer its conflicts.
    Decide(JobId),
    /// Look at all of its taken names.
    Table(JobId),
    /// Look at its failures.
    Look(JobId),
    /// Try all failures again.
    RetryAll(JobId),
    /// Leave all that failed.
    SkipAll(JobId),
    /// Open its destination in the file manager.
    Open(JobId),
    /// Undo it (shows first what that does).
    Undo(JobId),
    /// Do the same once more.
    Repeat(JobId),
    /// Save its report.
    SaveReport(JobId),
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
    /// Open the table of taken names.
    Table(JobId),
    /// Open the failures.
    Look(JobId),
    /// Answer all failures alike.
    AnswerFailures(JobId, crate::engine::Action),
    /// Open its destination.
    Open(JobId),
    /// Show what undoing it does.
    Undo(JobId),
    /// Add a job like it.
    Repeat(JobId),
    /// Save its report.
    SaveReport(JobId),
    /// Hand on to the list of entries.
    Entries(entries::Message),
}

/// What a message asks for.
pub fn update(message: Message) -> Action {
    match message {
        Message::Pause(job) => Action::Send(Command::Pause { job }),
        Message::Resume(job) => Action::Send(Command::Resume { job }),
        Message::RunNow(job) => Action::Send(Command::RunNow { job }),
        Message::Cancel(job) => Action::AskCancel(job),
        Message::Remove(job) => Action::Remove(job),
        Message::Decide(job) => Action::Decide(job),
        Message::Table(job) => Action::Table(job),
        Message::Look(job) => Action::Look(job),
        Message::RetryAll(job) => Action::AnswerFailures(job, crate::engine::Action::Retry),
        Message::SkipAll(job) => Action::AnswerFailures(job, crate::engine::Action::Skip),
        Message::Open(job) => Action::Open(job),
        Message::Undo(job) => Action::Undo(job),
        Message::Repeat(job) => Action::Repeat(job),
        Message::SaveReport(job) => Action::SaveReport(job),
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
    parts = parts.push(figures::view(job, size.width >= WIDE_FROM));
    if job.summary.is_some() {
        parts = parts.extend(report::view(job, !tight, size.width));
    } else if !tight {
        // Before there is a rate too: the list below must not jump when there is one.
        parts = parts.push(rate_panel(job));
    }
    let entries = entries::view(job, list, size.width);
    parts.push(container(entries.map(Message::Entries)).height(Fill)).into()
}

fn title<'a>(job: &Job, width: f32) -> Element<'a, Message> {
    let wide = width >= WIDE_FROM;
    let from = phrase::sources_cut(&job.spec.sources);
    let to = phrase::last_name(&job.spec.destination);
    let place = phrase::with("window-to", "place", phrase::short_path(&job.spec.destination));
    let sub = cut_text([phrase::routes(job), place.clone()].join(&text("window-separator")));
    let sub = sub.or(place).tone(Tone::Quiet).width(Fill);
    // A long source must leave room for the destination.
    let room = width - if wide { 280.0 } else { 170.0 };
    let names = row![
        container(from.size(TITLE).font(STRONG)).max_width(0.55 * room),
        icon(Icon::Arrow, Tone::Quiet),
        cut_text(to).size(TITLE).font(STRONG),
    ]
    .spacing(10)
    .align_y(Center);
    let words = column![names, sub].spacing(3).width(Fill);
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
    if job.state == JobState::Queued {
        let message = Message::RunNow(job.id);
        row = row.push(button(Icon::Play, "window-run-now-short", "N", message));
    }
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
    if job.refused_names().is_some() {
        let kind = Kind::Outlined(Tone::Warning);
        let decide = control(kind, None, text("window-decide"), Some(Message::Decide(job.id)));
        let ways = row![tip(decide.height(28), "D".to_owned())];
        let words = cut_text(text("window-names-refused"));
        banners.push(banner(Icon::Question, words, Tone::Warning, ways));
    }
    let conflicts = job.conflict_count() as u64;
    if conflicts > 0 {
        let mut words = phrase::counted("window-need-decision", conflicts);
        let short = words.clone();
        if !job.drafts.is_empty() {
            let drafts = phrase::counted("window-drafts", job.drafts.len() as u64);
            words = [words, drafts].join(" ");
        } else if job.state == JobState::Paused {
            words = [words, text("window-job-is-paused")].join(" ");
        } else if wide && job.state == JobState::Running {
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
        let mut ways = Row::new();
        if conflicts > 1 {
            let kind = Kind::Outlined(Tone::Warning);
            let table = Some(Message::Table(job.id));
            let table = control(kind, None, text("window-table"), table).height(28);
            ways = ways.push(tip(table, "L".to_owned()));
        }
        banners.push(banner(
            Icon::Question,
            cut_text(words).or(short),
            Tone::Warning,
            ways.push(decide),
        ));
    }
    let failures = job.failure_count() as u64;
    if failures > 0 {
        let words = cut_text(phrase::counted("window-have-failed", failures))
            .or(phrase::counted("window-failed-count", failures));
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
    words: CutText,
    tone: Tone,
    ways: Row<'a, Message>,
) -> Element<'a, Message> {
    let words = words.font(MEDIUM).tone(tone).width(Fill);
    let content = row![icon(sign, tone), words, ways.spacing(6)].spacing(12).align_y(Center);
    container(content)
        .padding(Padding { top: 8.0, right: 8.0, bottom: 8.0, left: 14.0 })
        .width(Fill)
        .style(style::ground(tone, 10.0))
        .into()
}

/// The height of the panel with the rate; that of an ended job's report is no less.
pub const RATE_PANEL: f32 = 106.0;

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
        .height(RATE_PANEL)
        .style(style::panel)
        .into()
}
