//! The destination's file system refuses names: under others, or not at all? One question for
//! the job, with some of the names as examples.

use iced::widget::{Column, column, container, row, space};
use iced::{Center, Element, Fill};

use crate::engine::{About, Action as Answer, Command, JobId, MappedName, Question, Scope};
use crate::ui::dialog::{Action, nothing};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Jobs;
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::theme::{MEDIUM, Tone};
use crate::ui::widget::{Kind, control, cut_text, heading, quiet, ring, tip};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The height of an example.
const ROW: f32 = 30.0;

/// The dialog.
pub struct Names {
    job: JobId,
    focus: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Skip,
    Map,
    Later,
}

const CHOICES: [Choice; 3] = [Choice::Skip, Choice::Map, Choice::Later];

/// The answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Copy all such under other names.
    Map,
    /// Copy none of them.
    Skip,
    /// Decide later.
    Later,
}

impl Names {
    /// Asks about the names of a job; `None` when nothing is asked.
    pub fn new(jobs: &Jobs, job: JobId) -> Option<Names> {
        let _asked = jobs.get(job)?.refused_names()?;
        Some(Names { job, focus: Choice::Later })
    }

    /// Takes in an answer.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        let action = match message {
            Message::Map => Answer::MapName,
            Message::Skip => Answer::Skip,
            Message::Later => return Action::Close,
        };
        let Some(question) = self.asked(jobs).map(|question| question.id) else {
            return Action::Close;
        };
        let (job, scope) = (self.job, Scope::AllOfKind);
        Action::SendAndClose(vec![Command::Answer { job, question, action, scope }])
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        let message = match key {
            InDialog::Next | InDialog::Previous => {
                self.focus = next_focus(&CHOICES, self.focus, key == InDialog::Previous);
                return nothing();
            }
            InDialog::Letter('m') => Message::Map,
            InDialog::Letter('s') => Message::Skip,
            InDialog::Activate => match self.focus {
                Choice::Map => Message::Map,
                Choice::Skip => Message::Skip,
                Choice::Later => Message::Later,
            },
            InDialog::Leave => Message::Later,
            _ => return nothing(),
        };
        self.update(jobs, message)
    }

    /// The jobs have changed: when it is answered the dialog ends.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        if self.asked(jobs).is_some() { nothing() } else { Action::Close }
    }

    fn asked<'a>(&self, jobs: &'a Jobs) -> Option<&'a Question> {
        jobs.get(self.job)?.refused_names()
    }

    /// The question.
    pub fn view<'a>(&'a self, jobs: &'a Jobs) -> Element<'a, Message> {
        let Some(About::ForeignName { examples, file_system }) =
            self.asked(jobs).map(|question| &question.about)
        else {
            return space().into();
        };
        let rows = Column::with_children(examples.iter().map(example));
        let way = |choice, kind, id: &str, key: &str, message| {
            let way = control(kind, None, text(id), Some(message));
            ring(self.focus == choice, tip(way, key.to_owned()))
        };
        let ways = row![
            way(Choice::Skip, Kind::Plain, "window-names-skip", "S", Message::Skip),
            way(Choice::Map, Kind::Plain, "window-names-map", "M", Message::Map),
            space::horizontal(),
            way(Choice::Later, Kind::Primary, "window-later", "Esc", Message::Later),
        ]
        .spacing(10);
        column![
            heading(text("window-names-title")),
            space().height(4),
            quiet(phrase::with("window-names-hint", "system", file_system.clone())),
            space().height(14),
            container(rows).padding([4, 12]).width(Fill).style(style::panel),
            space().height(16),
            ways,
        ]
        .into()
    }
}

/// A name, and the one in its place.
fn example<'a>(example: &MappedName) -> Element<'a, Message> {
    let name = |name: &std::ffi::OsStr| cut_text(words::name(name)).width(Fill);
    let both = row![
        name(&example.name).tone(Tone::Quiet),
        icon(Icon::Arrow, Tone::Quiet),
        name(&example.mapped).font(MEDIUM),
    ];
    container(both.spacing(12).align_y(Center)).center_y(ROW).into()
}
