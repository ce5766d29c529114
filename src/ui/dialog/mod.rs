//! What lies over the main window and asks for something.
//!
//! Each dialog has its `Message`, its `Action` and its `view`, and a focus of its own, since
//! iced gives the keyboard to text fields alone.

pub mod confirm;
pub mod conflict;
mod conflict_view;
pub mod destination;
mod destination_view;
pub mod failures;
pub mod names;
pub mod past;
pub mod settings;
mod settings_view;
pub mod table;
mod table_view;
pub mod undo;

use iced::widget::{container, mouse_area, opaque};
use iced::{Element, Task};

use super::job::Jobs;
use super::keys::InDialog;
use super::style;
use super::widget::middle;
use crate::engine::JobId;

pub use confirm::Confirm;
pub use conflict::Conflict;
pub use destination::Destination;
pub use failures::Failures;
pub use names::Names;
pub use past::History;
pub use settings::Settings;
pub use table::Table;
pub use undo::Undo;

/// The open dialog.
pub enum Dialog {
    /// Where to?
    Destination(Destination),
    /// What about this name?
    Conflict(Conflict),
    /// All taken names.
    Table(Table),
    /// What failed.
    Failures(Failures),
    /// Names that are refused.
    Names(Names),
    /// The jobs so far.
    History(History),
    /// Undo?
    Undo(Undo),
    /// The settings.
    Settings(Settings),
    /// Really?
    Confirm(Confirm),
}

/// A message of the open dialog.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Of the destination.
    Destination(destination::Message),
    /// Of a conflict.
    Conflict(conflict::Message),
    /// Of the table of taken names.
    Table(table::Message),
    /// Of the failures.
    Failures(failures::Message),
    /// Of the refused names.
    Names(names::Message),
    /// Of the history.
    History(past::Message),
    /// Of an undo.
    Undo(undo::Message),
    /// Of the settings.
    Settings(settings::Message),
    /// Of a question before something is lost.
    Confirm(confirm::Message),
}

/// What the window has to do.
pub enum Action {
    /// Run this.
    Run(Task<Message>),
    /// Start the job that the destination dialog describes.
    Start(Box<crate::engine::JobSpec>),
    /// Give its sources to a job that goes there.
    Join(JobId, Box<crate::engine::JobSpec>),
    /// Tell the engine these; the dialog is done.
    SendAndClose(Vec<crate::engine::Command>),
    /// Tell the engine these, then go on with the dialog.
    Send(Vec<crate::engine::Command>, Task<Message>),
    /// These are the settings now; the task tells whether they are written.
    Settle(Box<crate::settings::Settings>, Task<Result<(), crate::settings::NotWritten>>),
    /// Take these colours.
    Colours(super::theme::Choice),
    /// Do this with a job of the history.
    Past(past::Deed, Box<crate::engine::Past>),
    /// Go on in the table of a job's taken names.
    Table(JobId),
    /// Do what was asked about.
    Confirmed(confirm::Subject),
    /// Close the dialog.
    Close,
}

impl Dialog {
    /// Takes in a message; one that is meant for another dialog comes too late and is dropped.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        match (self, message) {
            (Dialog::Destination(dialog), Message::Destination(message)) => {
                dialog.update(jobs, message)
            }
            (Dialog::Conflict(dialog), Message::Conflict(message)) => dialog.update(jobs, message),
            (Dialog::Table(dialog), Message::Table(message)) => dialog.update(jobs, message),
            (Dialog::Failures(dialog), Message::Failures(message)) => dialog.update(jobs, message),
            (Dialog::Names(dialog), Message::Names(message)) => dialog.update(jobs, message),
            (Dialog::History(dialog), Message::History(message)) => dialog.update(message),
            (Dialog::Undo(dialog), Message::Undo(message)) => dialog.update(message),
            (Dialog::Settings(dialog), Message::Settings(message)) => dialog.update(message),
            (Dialog::Confirm(dialog), Message::Confirm(message)) => dialog.update(message),
            _ => Action::Run(Task::none()),
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        match self {
            Dialog::Destination(dialog) => dialog.press(jobs, key),
            Dialog::Conflict(dialog) => dialog.press(jobs, key),
            Dialog::Table(dialog) => dialog.press(jobs, key),
            Dialog::Failures(dialog) => dialog.press(jobs, key),
            Dialog::Names(dialog) => dialog.press(jobs, key),
            Dialog::History(dialog) => dialog.press(key),
            Dialog::Undo(dialog) => dialog.press(key),
            Dialog::Settings(dialog) => dialog.press(key),
            Dialog::Confirm(dialog) => dialog.press(key),
        }
    }

    /// The jobs have changed: the dialog goes on, or has nothing left to ask.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        match self {
            Dialog::Conflict(dialog) => dialog.refresh(jobs),
            Dialog::Table(dialog) => dialog.refresh(jobs),
            Dialog::Failures(dialog) => dialog.refresh(jobs),
            Dialog::Names(dialog) => dialog.refresh(jobs),
            Dialog::Confirm(dialog) => dialog.refresh(jobs),
            Dialog::Destination(_) | Dialog::History(_) | Dialog::Undo(_) | Dialog::Settings(_) => {
                nothing()
            }
        }
    }

    /// The dialog.
    pub fn view<'a>(&'a self, jobs: &'a Jobs) -> Element<'a, Message> {
        let content = match self {
            Dialog::Destination(dialog) => dialog.view(jobs).map(Message::Destination),
            Dialog::Conflict(dialog) => dialog.view(jobs).map(Message::Conflict),
            Dialog::Table(dialog) => dialog.view(jobs).map(Message::Table),
            Dialog::Failures(dialog) => dialog.view(jobs).map(Message::Failures),
            Dialog::Names(dialog) => dialog.view(jobs).map(Message::Names),
            Dialog::History(dialog) => dialog.view().map(Message::History),
            Dialog::Undo(dialog) => dialog.view().map(Message::Undo),
            Dialog::Settings(dialog) => dialog.view().map(Message::Settings),
            Dialog::Confirm(dialog) => dialog.view().map(Message::Confirm),
        };
        let width = match self {
            Dialog::Destination(_) => 560.0,
            Dialog::Conflict(_) => 720.0,
            Dialog::Table(_) => 960.0,
            Dialog::Failures(_) | Dialog::History(_) => 680.0,
            Dialog::Names(_) => 600.0,
            Dialog::Undo(_) => 520.0,
            Dialog::Settings(_) => 640.0,
            Dialog::Confirm(_) => 520.0,
        };
        let panel = container(content).padding(24).max_width(width).style(style::dialog);
        let veil = container(middle(mouse_area(panel))).padding(16).style(style::veil);
        opaque(veil)
    }
}

/// No more to do for now.
fn nothing() -> Action {
    Action::Run(Task::none())
}
