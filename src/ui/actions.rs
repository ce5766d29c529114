//! What the window does when a screen, a dialog or a key asks for it.

use std::path::PathBuf;
use std::time::Duration;

use iced::widget::scrollable;
use iced::{Task, widget, window};

use super::dialog::{
    Confirm, Conflict, Destination, Dialog, Failures, Names, Settings, Table, confirm::Subject,
};
use super::keys::{InWindow, next_focus};
use super::saving::{self, Told};
use super::screen::{detail, entries, header, jobs};
use super::{Message, Window, after, opening, phrase};
use crate::engine::{Command, JobId, JobSpec, JobState, QuestionId};
use crate::settings::NotWritten;

/// How long the engine may take to end its jobs before the window closes without it.
const PATIENCE: Duration = Duration::from_secs(3);

impl Window {
    pub(super) fn use_key(&mut self, key: InWindow) -> Task<Message> {
        let chosen = self.jobs.chosen();
        let id = chosen.map(|job| job.id);
        let list = |message| Message::Detail(detail::Message::Entries(message));
        let focus = self.focus.take();
        match (key, chosen, id) {
            (InWindow::Next | InWindow::Previous, ..) => {
                self.focus = Some(match focus {
                    Some(focus) => next_focus(&header::BUTTONS, focus, key == InWindow::Previous),
                    None => header::BUTTONS[0],
                });
                // No field goes on with the keyboard.
                widget::operation::focus(widget::Id::new("nothing"))
            }
            (InWindow::Activate | InWindow::PauseOrResume, ..) if focus.is_some() => {
                focus.map_or_else(Task::none, |button| self.header(button))
            }
            (InWindow::Activate | InWindow::Leave, ..) => Task::none(),
            (InWindow::AddFiles, ..) => self.header(header::Message::AddFiles),
            (InWindow::AddFolder, ..) => self.header(header::Message::AddFolder),
            (InWindow::NextTheme, ..) => self.header(header::Message::NextTheme),
            (InWindow::Close, ..) => self.close(),
            (InWindow::History, ..) => self.show_history(),
            (InWindow::Settings, ..) => self.show_settings(),
            (InWindow::ChooseBy(steps), ..) => {
                self.jobs.choose_by(steps);
                // With the one before it, so that it is seen that there is one.
                let place = self.jobs.iter().position(|job| Some(job.id) == self.jobs.chosen_id());
                let above = place.unwrap_or(0).saturating_sub(1) as f32 * jobs::STEP;
                let offset = scrollable::AbsoluteOffset { x: None, y: Some(above) };
                let list = widget::Id::new(jobs::LIST);
                let follow = widget::operation::scroll_to(list, offset);
                Task::batch([self.refresh_entries(true), follow])
            }
            (InWindow::Find, ..) => widget::operation::focus(widget::Id::new(entries::FIND)),
            (_, None, _) | (_, _, None) => Task::none(),
            (InWindow::PauseOrResume, Some(job), Some(id)) => match job.state {
                JobState::Paused => self.send(Command::Resume { job: id }),
                _ if job.can_pause() => self.send(Command::Pause { job: id }),
                _ => Task::none(),
            },
            (InWindow::Cancel, Some(job), Some(id)) => match job.state {
                JobState::Ended => self.remove(&[id]),
                JobState::Cancelling => Task::none(),
                _ => self.ask_cancel(id),
            },
            (InWindow::Earlier, _, Some(id)) => self.use_jobs(jobs::Message::Earlier(id)),
            (InWindow::Later, _, Some(id)) => self.use_jobs(jobs::Message::Later(id)),
            (InWindow::RunNow, Some(job), Some(id)) if job.state == JobState::Queued => {
                self.send(Command::RunNow { job: id })
            }
            (InWindow::SkipFile, Some(job), Some(id)) => match job.snapshot.in_work.first() {
                Some(work) if job.moves() => {
                    self.send(Command::SkipEntry { job: id, entry: work.entry })
                }
                _ => Task::none(),
            },
            (InWindow::RunNow, ..) => Task::none(),
            (InWindow::Open, Some(job), Some(id)) if job.ended() => self.open(id),
            (InWindow::Repeat, _, Some(id)) => self.repeat(id),
            (InWindow::Undo, _, Some(id)) => self.undo(id),
            (InWindow::SaveReport, _, Some(id)) => self.save_report(id),
            (InWindow::Open, ..) => Task::none(),
            (InWindow::Decide, _, Some(id)) => self.decide(id, None),
            (InWindow::Table, _, Some(id)) => self.table(id),
            (InWindow::Failures, _, Some(id)) => self.look(id),
            (InWindow::TabBy(steps), ..) => {
                let tab = self.entries.tab_after(steps);
                self.update(list(entries::Message::Tab(tab)))
            }
            (InWindow::ScrollBy(steps), ..) => {
                let offset = self.entries.scrolled_by(chosen, steps as f64);
                self.update(list(entries::Message::Scrolled(offset)))
            }
        }
    }

    pub(super) fn send(&mut self, command: Command) -> Task<Message> {
        self.port.send(command);
        Task::none()
    }

    /// Shows the settings.
    pub(super) fn show_settings(&mut self) -> Task<Message> {
        let (book, store) = (self.book.clone(), self.port.store());
        let (dialog, task) = Settings::new(&self.settings, book, self.memory.theme(), store);
        self.show_dialog(Dialog::Settings(dialog));
        // No field of the main window must take what is meant for the dialog.
        let nothing = widget::operation::focus(widget::Id::new("nothing"));
        Task::batch([task.map(Message::Dialog), nothing])
    }

    /// The settings are written, or it is said why not.
    pub(super) fn settled(&mut self, result: Result<(), NotWritten>) -> Task<Message> {
        self.settings.broken = result == Err(NotWritten::Broken);
        match (&mut self.dialog, result) {
            (Some(Dialog::Settings(dialog)), result) => {
                dialog.written(result);
                Task::none()
            }
            (_, Err(NotWritten::Failed(told))) => self.confirm(Subject::NotSettled, told),
            // A broken file was told of when it was read.
            _ => Task::none(),
        }
    }

    /// Asks where sources shall go; more of them join those that wait already.
    pub(super) fn offer(&mut self, sources: Vec<PathBuf>) -> Task<Message> {
        if let Some(Dialog::Destination(dialog)) = &mut self.dialog {
            return dialog.add(sources).map(Message::Dialog);
        }
        let (mut dialog, task) = Destination::new(sources, self.memory.recent());
        let (verify, preserve) = self.standing_care();
        dialog.set_options(verify, preserve);
        self.show_dialog(Dialog::Destination(dialog));
        // After a drop the keyboard still belongs to the file manager.
        let keyboard = window::latest().and_then(window::gain_focus);
        // No field of the main window must take what is meant for the dialog.
        let nothing = widget::operation::focus(widget::Id::new("nothing"));
        Task::batch([task.map(Message::Dialog), keyboard, nothing])
    }

    pub(super) fn start(&mut self, spec: JobSpec) -> Task<Message> {
        self.close_dialog();
        self.memory.add_recent(&spec.destination);
        let _job = self.port.add(spec);
        Task::none()
    }

    pub(super) fn decide(&mut self, job: JobId, question: Option<QuestionId>) -> Task<Message> {
        let refused = self.jobs.get(job).and_then(|job| job.refused_names());
        if refused.is_some_and(|refused| question.is_none_or(|id| id == refused.id))
            && let Some(dialog) = Names::new(&self.jobs, job)
        {
            self.show_dialog(Dialog::Names(dialog));
            return Task::none();
        }
        let Some((dialog, task)) = Conflict::new(&self.jobs, job, question) else {
            return self.look(job);
        };
        if let Some(command) = dialog.compare(&self.jobs) {
            self.port.send(command);
        }
        self.show_dialog(Dialog::Conflict(dialog));
        task.map(Message::Dialog)
    }

    pub(super) fn table(&mut self, job: JobId) -> Task<Message> {
        self.close_dialog();
        self.dialog = Table::new(&self.jobs, job).map(Dialog::Table);
        widget::operation::focus(widget::Id::new("nothing"))
    }

    pub(super) fn look(&mut self, job: JobId) -> Task<Message> {
        self.close_dialog();
        self.dialog = Failures::new(&self.jobs, job).map(Dialog::Failures);
        Task::none()
    }

    pub(super) fn confirm(&mut self, subject: Subject, title: String) -> Task<Message> {
        self.show_dialog(Dialog::Confirm(Confirm::new(subject, title)));
        Task::none()
    }

    pub(super) fn ask_cancel(&mut self, id: JobId) -> Task<Message> {
        let Some(job) = self.jobs.get(id) else { return Task::none() };
        let name = phrase::sources(&job.spec.sources);
        self.confirm(Subject::CancelJob(id), phrase::with("window-cancel-job", "name", name))
    }

    pub(super) fn remove(&mut self, ids: &[JobId]) -> Task<Message> {
        for id in ids {
            self.jobs.remove(*id);
            self.port.send(Command::Forget { job: *id });
        }
        self.refresh_entries(true)
    }

    pub(super) fn close(&mut self) -> Task<Message> {
        let open = self.jobs.open().count() as u64;
        if open == 0 || self.closing {
            return self.shut_down();
        }
        self.confirm(Subject::CloseWindow, phrase::counted("window-close-title", open))
    }

    /// Opens a job's destination in the file manager.
    pub(super) fn open(&mut self, id: JobId) -> Task<Message> {
        let Some(job) = self.jobs.get(id) else { return Task::none() };
        Task::perform(opening::in_file_manager(job.spec.destination.clone()), Message::Opened)
    }

    /// Saves the report of an ended job where the user says.
    pub(super) fn save_report(&mut self, id: JobId) -> Task<Message> {
        let told = self.jobs.get(id).and_then(|job| {
            let (spec, summary) = (job.spec.clone(), job.summary.clone()?);
            Some(Told { spec, summary, report: self.port.report(id)? })
        });
        told.map_or_else(Task::none, |told| Task::perform(saving::save(told), Message::Saved))
    }

    /// Adds a job like an ended one.
    pub(super) fn repeat(&mut self, id: JobId) -> Task<Message> {
        match self.jobs.get(id).filter(|job| job.can_repeat()).map(|job| job.spec.clone()) {
            Some(spec) => self.start(spec),
            None => Task::none(),
        }
    }

    /// Closes the window; what was measured is told.
    pub(super) fn leave(&self) -> Task<Message> {
        self.instrument.tell();
        iced::exit()
    }

    /// Ends the engine; its last word closes the window.
    pub(super) fn shut_down(&mut self) -> Task<Message> {
        if self.closing {
            return self.leave();
        }
        self.closing = true;
        self.port.send(Command::ShutDown);
        after(PATIENCE, Message::CloseRequested)
    }
}
