//! What the window does with the jobs of earlier days.

use iced::Task;

use super::dialog::past::Deed;
use super::dialog::{Dialog, History, Undo, confirm::Subject};
use super::screen::left;
use super::{Message, Window, opening, past, phrase};
use crate::engine::{JobId, JournalId, Past, PastState};
use crate::words::text;

impl Window {
    /// Reads the history; what it says is taken in later.
    pub(super) fn list_past(&self) -> Task<Message> {
        self.port.store().map_or_else(Task::none, |store| past::list(store).map(Message::Past))
    }

    pub(super) fn take_past(&mut self, message: past::Message) -> Task<Message> {
        match message {
            past::Message::Listed(all) => {
                let left = |past: &&Past| past.state == PastState::Unfinished;
                self.unfinished = all.iter().filter(left).cloned().collect();
                if let Some(Dialog::History(dialog)) = &mut self.dialog {
                    dialog.set_jobs(all);
                }
                Task::none()
            }
            past::Message::Resumed(id, Ok(_job)) => {
                self.unfinished.retain(|past| past.id != id);
                if matches!(self.dialog, Some(Dialog::History(_))) {
                    self.close_dialog();
                }
                Task::none()
            }
            past::Message::Again(Ok(spec)) => {
                if matches!(self.dialog, Some(Dialog::History(_))) {
                    self.close_dialog();
                }
                self.start(*spec)
            }
            past::Message::Forgotten(Ok(())) => self.list_past(),
            past::Message::Resumed(_, Err(words))
            | past::Message::Again(Err(words))
            | past::Message::Forgotten(Err(words)) => self.confirm(Subject::NoPast, words),
        }
    }

    pub(super) fn use_left(&mut self, message: left::Message) -> Task<Message> {
        match message {
            left::Message::Resume(id) => self.resume_past(id),
            left::Message::Discard(id) => self.ask_forget(id),
            left::Message::Look => self.show_history(),
            left::Message::Later => {
                self.unfinished.clear();
                Task::none()
            }
        }
    }

    pub(super) fn show_history(&mut self) -> Task<Message> {
        let mut dialog = History::default();
        if self.port.store().is_none() {
            dialog.set_jobs(Vec::new());
        }
        self.show_dialog(Dialog::History(dialog));
        self.list_past()
    }

    /// Does something with a job of the history.
    pub(super) fn do_past(&mut self, deed: Deed, past: &Past) -> Task<Message> {
        match deed {
            Deed::Resume => self.resume_past(past.id),
            Deed::Undo => self.preview_undo(past.id, phrase::past_sources(past)),
            Deed::Again => match self.port.store() {
                Some(store) => past::again(store, past.id).map(Message::Past),
                None => Task::none(),
            },
            Deed::Open => {
                let opened = opening::in_file_manager(past.destination.clone());
                Task::perform(opened, Message::Opened)
            }
            Deed::Forget => self.ask_forget(past.id),
        }
    }

    /// Shows what undoing an ended job of this session would do.
    pub(super) fn undo(&mut self, id: JobId) -> Task<Message> {
        let Some(job) = self.jobs.get(id) else { return Task::none() };
        let name = phrase::sources(&job.spec.sources);
        match job.journal.filter(|_| job.ended()) {
            Some(journal) => self.preview_undo(journal, name),
            None => Task::none(),
        }
    }

    pub(super) fn forget_past(&mut self, id: JournalId) -> Task<Message> {
        self.unfinished.retain(|past| past.id != id);
        match self.port.store() {
            Some(store) => past::forget(store, id).map(Message::Past),
            None => Task::none(),
        }
    }

    fn resume_past(&self, id: JournalId) -> Task<Message> {
        past::resume(self.port.clone(), id).map(Message::Past)
    }

    fn preview_undo(&mut self, id: JournalId, name: String) -> Task<Message> {
        let Some(store) = self.port.store() else { return Task::none() };
        let (dialog, task) = Undo::new(store, id, name);
        self.show_dialog(Dialog::Undo(dialog));
        task.map(Message::Dialog)
    }

    fn ask_forget(&mut self, id: JournalId) -> Task<Message> {
        self.confirm(Subject::Forget(id), text("window-forget-title"))
    }
}
