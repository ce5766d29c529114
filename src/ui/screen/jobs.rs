//! The list of jobs, one card each: what goes where, how far, and what can be done.

use iced::widget::{Column, Row, button, column, container, row, space};
use iced::{Center, Element, Fill, Padding, widget};

use crate::engine::{Command, JobId, JobState, Outcome, Phase};
use crate::ui::icon::Icon;
use crate::ui::job::{Job, Jobs};
use crate::ui::style::BarKind;
use crate::ui::theme::{MEDIUM, STRONG, Tone};
use crate::ui::widget::{badge, bar, cut_text, scroll, sign_button, small, sorter};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The list, to be scrolled.
pub const LIST: &str = "jobs";
/// The height of a card and the gap below it.
pub const STEP: f32 = CARD + GAP;
/// The height of a card: its lines are of one height each.
const CARD: f32 = 105.0;
/// Between two cards.
const GAP: f32 = 10.0;

/// What can be done with the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Show a job.
    Choose(JobId),
    /// Pause it.
    Pause(JobId),
    /// Go on.
    Resume(JobId),
    /// Cancel it (asks first).
    Cancel(JobId),
    /// Take an ended job off the list.
    Remove(JobId),
    /// Take all ended jobs off the list.
    RemoveEnded,
    /// Let a waiting job run earlier.
    Earlier(JobId),
    /// Let it run later.
    Later(JobId),
    /// Let it run beside the others.
    RunNow(JobId),
    /// Let the job at a place of the list run in another: above which it was let go.
    Moved(usize, usize),
}

/// What the window has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Nothing.
    None,
    /// Show a job.
    Choose(JobId),
    /// Tell the engine.
    Send(Command),
    /// Ask whether to cancel.
    AskCancel(JobId),
    /// Take these off the list.
    Remove(Vec<JobId>),
}

/// What a message asks for.
pub fn update(jobs: &Jobs, message: Message) -> Action {
    match message {
        Message::Choose(job) => Action::Choose(job),
        Message::Pause(job) => Action::Send(Command::Pause { job }),
        Message::Resume(job) => Action::Send(Command::Resume { job }),
        Message::Cancel(job) => Action::AskCancel(job),
        Message::Remove(job) => Action::Remove(vec![job]),
        Message::RemoveEnded => {
            Action::Remove(jobs.iter().filter(|job| job.ended()).map(|job| job.id).collect())
        }
        Message::Earlier(job) => reorder(jobs, job, true),
        Message::Later(job) => reorder(jobs, job, false),
        Message::RunNow(job) => Action::Send(Command::RunNow { job }),
        Message::Moved(from, gap) => match jobs.dragged(from, gap) {
            Some((job, before)) => Action::Send(Command::Reorder { job, before }),
            None => Action::None,
        },
    }
}

fn reorder(jobs: &Jobs, job: JobId, earlier: bool) -> Action {
    match jobs.reordered(job, earlier) {
        Some(before) => Action::Send(Command::Reorder { job, before }),
        None => Action::None,
    }
}

/// The list.
pub fn view(jobs: &Jobs) -> Element<'_, Message> {
    let mut head = row![
        iced::widget::text(text("window-jobs-title"))
            .size(11)
            .font(STRONG)
            .style(style::tone(Tone::Quiet)),
        space::horizontal(),
    ]
    .height(28)
    .align_y(Center);
    if jobs.iter().any(Job::ended) {
        let words = small(text("window-remove-ended")).font(MEDIUM);
        let clear = button(words).padding([4, 6]).style(style::bare);
        head = head.push(clear.on_press(Message::RemoveEnded));
    }
    let cards = Column::with_children(jobs.iter().map(|job| card(jobs, job))).spacing(GAP);
    let movable = jobs.iter().map(|job| job.state == JobState::Queued).collect();
    let list = container(sorter(cards, GAP, movable, Message::Moved)).padding(Padding {
        top: 0.0,
        right: 14.0,
        bottom: 14.0,
        left: 14.0,
    });
    column![
        container(head).padding(Padding { top: 8.0, right: 10.0, bottom: 2.0, left: 16.0 }),
        scroll(list).id(widget::Id::new(LIST)).height(Fill),
    ]
    .into()
}

fn card<'a>(jobs: &'a Jobs, job: &'a Job) -> Element<'a, Message> {
    let chosen = jobs.chosen().is_some_and(|chosen| chosen.id == job.id);
    let title = phrase::sources_cut(&job.spec.sources).font(STRONG).width(Fill);
    let place = phrase::with("window-to", "place", phrase::short_path(&job.spec.destination));
    let content = column![
        row![title, buttons(jobs, job)].spacing(4).align_y(Center).height(28),
        container(cut_text(place).size(12.0).tone(Tone::Quiet).width(Fill))
            .padding(Padding::ZERO.right(5.0)),
        space().height(8),
        container(bar(bar_kind(job), job.fraction())).padding(Padding::ZERO.right(5.0)),
        space().height(7),
        foot(jobs, job),
    ];
    button(content)
        .width(Fill)
        .padding(Padding { top: 8.0, right: 8.0, bottom: 10.0, left: 13.0 })
        .style(style::card(chosen))
        .on_press(Message::Choose(job.id))
        .into()
}

fn bar_kind(job: &Job) -> BarKind {
    match job.state {
        JobState::Queued | JobState::Paused | JobState::Cancelling => BarKind::Resting,
        JobState::Running | JobState::Waiting => BarKind::Job,
        JobState::Ended => match &job.summary {
            Some(summary) if summary.outcome.is_early() => BarKind::Resting,
            _ => BarKind::Job,
        },
    }
}

fn buttons<'a>(jobs: &Jobs, job: &Job) -> Row<'a, Message> {
    let mut row = Row::new();
    if jobs.reordered(job.id, true).is_some() {
        let words = text("window-earlier");
        row = row.push(sign_button(Icon::Up, words, Message::Earlier(job.id)));
    }
    if jobs.reordered(job.id, false).is_some() {
        let words = text("window-run-later");
        row = row.push(sign_button(Icon::Down, words, Message::Later(job.id)));
    }
    if job.state == JobState::Queued {
        row = row.push(sign_button(Icon::Play, text("window-run-now"), Message::RunNow(job.id)));
    } else if job.state == JobState::Paused {
        row = row.push(sign_button(Icon::Play, text("window-resume"), Message::Resume(job.id)));
    } else if job.can_pause() {
        row = row.push(sign_button(Icon::Pause, text("window-pause"), Message::Pause(job.id)));
    }
    match job.state {
        JobState::Ended => {
            row.push(sign_button(Icon::Cross, text("window-remove"), Message::Remove(job.id)))
        }
        JobState::Cancelling => row,
        _ => row.push(sign_button(Icon::Cross, text("window-cancel"), Message::Cancel(job.id))),
    }
}

/// The last line: how much at the left; state and time at the right.
fn foot<'a>(jobs: &Jobs, job: &Job) -> Element<'a, Message> {
    let (sign, time) = state(job);
    let left = match waits_for(jobs, job) {
        Some(other) => cut_text(phrase::with("window-waits-for", "job", other)),
        // Beside the badge and the time there may be no room for two counts.
        None => cut_text(phrase::entries(job)).or(match job.ended() {
            true => phrase::counted("window-items", job.snapshot.entries.done),
            false => phrase::percent(job).unwrap_or_default(),
        }),
    };
    let mut foot = row![left.size(12.0).tone(Tone::Quiet).width(Fill)]
        .spacing(8)
        .align_y(Center)
        .height(20)
        .padding(Padding::ZERO.right(5.0));
    if let Some((words, tone)) = sign {
        foot = foot.push(badge(words, tone));
    }
    if let Some(time) = time {
        foot = foot.push(cut_text(time).size(12.0));
    }
    foot.into()
}

/// The state in a badge, and the time that belongs to it.
fn state(job: &Job) -> (Option<(String, Tone)>, Option<String>) {
    let left =
        job.snapshot.left.map(|left| phrase::with("window-left", "time", words::duration(left)));
    let waiting = job.question_count() as u64;
    let asks =
        (waiting > 0).then(|| (phrase::counted("window-wait-for-you", waiting), Tone::Warning));
    match job.state {
        JobState::Queued if job.waits_to_go_on() => {
            (Some((text("window-waits-to-go-on"), Tone::Neutral)), None)
        }
        JobState::Queued => (Some((text("window-queued"), Tone::Neutral)), None),
        JobState::Running => (asks.or_else(|| phase(job)), left),
        JobState::Waiting => (asks, None),
        JobState::Paused if asks.is_some() => (asks, Some(text("window-paused"))),
        JobState::Paused => (Some((text("window-paused"), Tone::Neutral)), None),
        JobState::Cancelling => (Some((text("window-cancelling"), Tone::Neutral)), None),
        JobState::Ended => {
            let tone = match &job.summary {
                Some(summary) if summary.outcome.is_early() => Tone::Neutral,
                Some(summary) if !summary.all_done() => Tone::Failure,
                _ => Tone::Good,
            };
            let time = Some(words::duration(job.snapshot.elapsed)).filter(|_| {
                job.summary.as_ref().is_some_and(|summary| summary.outcome != Outcome::Refused)
            });
            (phrase::outcome(job).map(|words| (words, tone)), time)
        }
    }
}

/// What a job is busy with, when that is not copying.
fn phase(job: &Job) -> Option<(String, Tone)> {
    let words = match job.busy_with() {
        Phase::Copying => return None,
        Phase::Flushing => "window-flushing",
        Phase::Verifying => "window-verifying",
        Phase::Removing => "window-removing",
    };
    Some((text(words), Tone::Accent))
}

/// The job that a queued one waits for.
fn waits_for(jobs: &Jobs, job: &Job) -> Option<String> {
    if job.state != JobState::Queued {
        return None;
    }
    let ahead = jobs.open().take_while(|other| other.id != job.id).last()?;
    Some(phrase::sources(&ahead.spec.sources))
}
