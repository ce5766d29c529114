//! Short questions before something is lost, and short news.

use iced::widget::{column, row, space};
use iced::{Element, Fill};

use crate::engine::{JobId, JournalId};
use crate::ui::dialog::{Action, nothing};
use crate::ui::job::Jobs;
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::theme::Tone;
use crate::ui::widget::{Kind, control, heading, quiet, ring, tip};
use crate::words::text;

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Cancel a job?
    CancelJob(JobId),
    /// Stop a job for now: chosen where it is asked whether to cancel it.
    StopJob(JobId),
    /// Close the window while jobs run?
    CloseWindow,
    /// Stop all jobs for now and close the window: chosen where it is asked whether to.
    StopAll,
    /// There is no file chooser on this desktop.
    NoChooser,
    /// No file manager opened a folder.
    NoFileManager,
    /// Something cannot be done with a job of the history.
    NoPast,
    /// Forget a job of the history?
    Forget(JournalId),
    /// Something is wrong with the settings.
    Settings,
    /// The settings could not be written.
    NotSettled,
    /// A report could not be saved.
    NotSaved,
}

/// A short question.
pub struct Confirm {
    subject: Subject,
    title: String,
    focus: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Keep,
    Stop,
    Go,
}

/// The answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Leave everything as it is.
    Keep,
    /// Stop for now: what is there is kept, the rest may follow another day.
    Stop,
    /// Do it.
    Go,
}

impl Confirm {
    /// Asks about something; what keeps everything as it is has the focus.
    pub fn new(subject: Subject, title: String) -> Confirm {
        Confirm { subject, title, focus: Choice::Keep }
    }

    /// What is asked about.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Takes in an answer.
    pub fn update(&mut self, message: Message) -> Action {
        match message {
            Message::Keep => Action::Close,
            Message::Stop => match self.subject {
                Subject::CancelJob(job) => Action::Confirmed(Subject::StopJob(job)),
                Subject::CloseWindow => Action::Confirmed(Subject::StopAll),
                _ => nothing(),
            },
            Message::Go => Action::Confirmed(self.subject),
        }
    }

    /// Takes in a key. Delete asks whether to cancel; pressed again, it means it.
    pub fn press(&mut self, key: InDialog) -> Action {
        match key {
            InDialog::Next | InDialog::Previous => {
                self.focus = next_focus(self.choices(), self.focus, key == InDialog::Previous);
                nothing()
            }
            InDialog::Activate if self.focus == Choice::Go => self.update(Message::Go),
            InDialog::Activate if self.focus == Choice::Stop => self.update(Message::Stop),
            InDialog::Activate | InDialog::Leave => self.update(Message::Keep),
            InDialog::Delete if matches!(self.subject, Subject::CancelJob(_)) => {
                self.update(Message::Go)
            }
            _ => nothing(),
        }
    }

    /// A job that has ended needs no cancelling; without jobs the window just closes.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        match self.subject {
            Subject::CancelJob(job) if jobs.get(job).is_none_or(|job| job.ended()) => Action::Close,
            _ => nothing(),
        }
    }

    fn choices(&self) -> &'static [Choice] {
        match self.subject {
            Subject::NoChooser
            | Subject::NoFileManager
            | Subject::NoPast
            | Subject::Settings
            | Subject::NotSettled
            | Subject::NotSaved => &[Choice::Keep],
            Subject::CancelJob(_) | Subject::CloseWindow => {
                &[Choice::Keep, Choice::Stop, Choice::Go]
            }
            _ => &[Choice::Keep, Choice::Go],
        }
    }

    /// The question.
    pub fn view(&self) -> Element<'_, Message> {
        let (hint, keep, go) = match self.subject {
            Subject::CancelJob(_) | Subject::StopJob(_) => {
                ("window-cancel-hint", "window-cancel-keep", Some("window-cancel-go"))
            }
            Subject::CloseWindow | Subject::StopAll => {
                ("window-close-hint", "window-close-keep", Some("window-close-go"))
            }
            Subject::NoChooser => ("window-no-chooser-hint", "window-understood", None),
            Subject::NoPast => ("window-past-cannot", "window-understood", None),
            Subject::Forget(_) => {
                ("window-forget-hint", "window-forget-keep", Some("window-forget-go"))
            }
            Subject::NotSaved => ("window-not-saved-hint", "window-understood", None),
            Subject::NotSettled => ("window-settings-not-written", "window-understood", None),
            Subject::Settings => ("window-settings-hint", "window-understood", None),
            Subject::NoFileManager => ("window-no-file-manager-hint", "window-understood", None),
        };
        let keep = control(Kind::Plain, None, text(keep), Some(Message::Keep));
        let mut ways =
            row![space::horizontal(), ring(self.focus == Choice::Keep, keep)].spacing(10);
        if self.choices().contains(&Choice::Stop) {
            let stop = control(Kind::Plain, None, text("window-cancel-stop"), Some(Message::Stop));
            let stop = tip(stop, text("window-cancel-stop-hint"));
            ways = ways.push(ring(self.focus == Choice::Stop, stop));
        }
        if let Some(go) = go {
            let kind = Kind::Outlined(Tone::Failure);
            let go = control(kind, None, text(go), Some(Message::Go));
            ways = ways.push(ring(self.focus == Choice::Go, go));
        }
        column![
            heading(self.title.clone()),
            space().height(6),
            quiet(text(hint)),
            space().height(20),
            ways,
        ]
        .width(Fill)
        .into()
    }
}
