//! The history: the jobs so far, newest first, with what can be done with each.

use iced::widget::{Row, column, container, row, space};
use iced::{Center, Element, Fill};

use crate::engine::{JobKind, JournalId, Past, PastState};
use crate::ui::dialog::{Action, nothing};
use crate::ui::icon::{Icon, icon};
use crate::ui::keys::InDialog;
use crate::ui::theme::{STRONG, Tone};
use crate::ui::widget::{
    Fit, Kind, Offset, badge, control, cut_text, heading, quiet, ring, rows, sign_button,
};
use crate::ui::{phrase, style};
use crate::words::{self, args, text, text_with};

/// The height of a row.
const ROW: f32 = 58.0;
/// How many rows are seen at once.
const ROWS: usize = 6;

/// The dialog.
#[derive(Default)]
pub struct History {
    jobs: Vec<Past>,
    listed: bool,
    offset: Offset,
    fit: Fit,
    chosen: usize,
}

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Do this with a job.
    Do(Deed, JournalId),
    /// Scroll.
    Scrolled(Offset),
    /// Close it.
    Close,
}

/// What can be done with a job of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Let it go on.
    Resume,
    /// Look what undoing it would do.
    Undo,
    /// Do it once more.
    Again,
    /// Open its destination.
    Open,
    /// Forget it.
    Forget,
}

impl History {
    /// These are the jobs so far.
    pub fn set_jobs(&mut self, jobs: Vec<Past>) {
        self.jobs = jobs;
        self.listed = true;
        self.chosen = self.chosen.min(self.jobs.len().saturating_sub(1));
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Action {
        match message {
            Message::Do(deed, id) => match self.jobs.iter().find(|past| past.id == id) {
                Some(past) if can(past, deed) => Action::Past(deed, Box::new(past.clone())),
                _ => nothing(),
            },
            Message::Scrolled(offset) => {
                self.offset = offset;
                nothing()
            }
            Message::Close => Action::Close,
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, key: InDialog) -> Action {
        let page = self.fit.rows().max(1.0) as usize;
        let deed = match key {
            InDialog::Up => return self.choose(self.chosen.saturating_sub(1)),
            InDialog::Down => return self.choose(self.chosen + 1),
            InDialog::PageUp => return self.choose(self.chosen.saturating_sub(page)),
            InDialog::PageDown => return self.choose(self.chosen + page),
            InDialog::Letter('g') => Deed::Resume,
            InDialog::Letter('u') => Deed::Undo,
            InDialog::Letter('r') => Deed::Again,
            InDialog::Letter('o') => Deed::Open,
            InDialog::Delete => Deed::Forget,
            InDialog::Leave | InDialog::Activate => return Action::Close,
            _ => return nothing(),
        };
        match self.jobs.get(self.chosen).map(|past| past.id) {
            Some(id) => self.update(Message::Do(deed, id)),
            None => nothing(),
        }
    }

    fn choose(&mut self, at: usize) -> Action {
        self.chosen = at.min(self.jobs.len().saturating_sub(1));
        let (place, shown) = (self.chosen as f64, self.fit.rows().max(1.0));
        let first = self.offset.0.clamp((place + 1.0 - shown).min(place), place);
        self.offset = Offset(first).within(self.jobs.len(), shown);
        nothing()
    }

    /// The dialog.
    pub fn view(&self) -> Element<'_, Message> {
        let count = self.jobs.len();
        let list: Element<'_, Message> = if count == 0 {
            let words = if self.listed { "window-past-empty" } else { "window-past-looking" };
            container(quiet(text(words))).center_x(Fill).center_y(ROW * 2.0).into()
        } else {
            let row = |at: usize| self.row(at);
            let list = rows(count, ROW, self.offset, &self.fit, row, Message::Scrolled);
            container(list).max_height(ROWS.min(count) as f32 * ROW).into()
        };
        // Where the window is low, the list gives way.
        let most = ROWS.min(count.max(2)) as f32 * ROW + 8.0;
        let list = container(list).padding(4).width(Fill).max_height(most).style(style::panel);
        let close = control(Kind::Primary, None, text("window-close"), Some(Message::Close));
        column![
            heading(text("window-past-title")),
            space().height(4),
            quiet(text("window-past-hint")),
            space().height(14),
            list,
            space().height(16),
            row![space::horizontal(), ring(true, close)],
        ]
        .into()
    }

    fn row(&self, at: usize) -> Element<'_, Message> {
        let Some(past) = self.jobs.get(at) else { return space().height(ROW).into() };
        let (sign, tone, state) = state(past);
        let names = row![
            crate::ui::widget::yielding(cut_text(phrase::past_sources(past)).font(STRONG)),
            icon(Icon::Arrow, Tone::Quiet),
            cut_text(phrase::last_name(&past.destination)).font(STRONG),
        ]
        .spacing(8)
        .align_y(Center);
        let under = [words::moment_of(past.began), amount(past)];
        let under: Vec<String> = under.into_iter().filter(|part| !part.is_empty()).collect();
        let under =
            cut_text(under.join(&text("window-separator"))).or(words::moment_of(past.began));
        let told = column![names.width(Fill), under.size(12.0).tone(Tone::Quiet).width(Fill)];
        let content =
            row![icon(sign, tone), told.spacing(2).width(Fill), badge(state, tone), ways(past),]
                .spacing(10)
                .align_y(Center);
        let content = container(content).padding([0, 12]).center_y(ROW).width(Fill);
        content.style(style::chosen_row(at == self.chosen)).into()
    }
}

/// Whether something can be done with a job.
fn can(past: &Past, deed: Deed) -> bool {
    use PastState::{Cancelled, Finished, Refused, Running, Undone, Unfinished};
    match (deed, past.state) {
        (Deed::Open, Refused) => false,
        (Deed::Open, _) => true,
        (_, Running) => false,
        (Deed::Resume, state) => matches!(state, Unfinished | Cancelled),
        (Deed::Undo, state) => matches!(state, Unfinished | Cancelled | Finished),
        // What was moved is no longer where it was.
        (Deed::Again, Finished) => past.kind == JobKind::Copy,
        (Deed::Again, state) => matches!(state, Undone | Refused),
        (Deed::Forget, _) => true,
    }
}

fn ways<'a>(past: &Past) -> Row<'a, Message> {
    let deeds = [
        (Deed::Resume, Icon::Play, "window-past-resume"),
        (Deed::Undo, Icon::Undo, "window-past-undo"),
        (Deed::Again, Icon::Retry, "window-past-again"),
        (Deed::Open, Icon::Folder, "window-past-open"),
        (Deed::Forget, Icon::Cross, "window-past-forget"),
    ];
    let ways = deeds.into_iter().filter(|(deed, ..)| can(past, *deed));
    Row::with_children(
        ways.map(|(deed, sign, id)| sign_button(sign, text(id), Message::Do(deed, past.id))),
    )
}

fn state(past: &Past) -> (Icon, Tone, String) {
    let failed = past.entries.is_some_and(|entries| entries.failed + entries.unanswered > 0);
    let (sign, tone, id) = match past.state {
        PastState::Running => (Icon::Clock, Tone::Accent, "window-past-is-running"),
        PastState::Unfinished => (Icon::Warning, Tone::Warning, "window-past-is-unfinished"),
        PastState::Finished if failed => (Icon::Warning, Tone::Failure, "window-past-has-failures"),
        PastState::Finished => match past.kind {
            JobKind::Copy => (Icon::Check, Tone::Good, "window-done-copied"),
            JobKind::Move => (Icon::Check, Tone::Good, "window-done-moved"),
        },
        PastState::Cancelled => (Icon::Cross, Tone::Neutral, "window-cancelled"),
        PastState::Refused => (Icon::Warning, Tone::Failure, "window-refused"),
        PastState::Undone => (Icon::Undo, Tone::Neutral, "window-past-is-undone"),
    };
    (sign, tone, text(id))
}

/// How much a job has done.
fn amount(past: &Past) -> String {
    let (Some(made), Some(bytes)) = (past.made(), &past.bytes) else { return String::new() };
    let size = words::size(bytes.done).into();
    text_with("window-past-amount", &args([("count", made.into()), ("size", size)]))
}
