//! The window: its state, its messages, and where each message goes.
//!
//! The state is rebuilt from the engine's events alone; the engine is reached through a
//! [`Port`]. Screens and dialogs say by their `Action` what they want done; only here is it
//! done.

pub mod desktop_font;
pub mod dialog;
mod icon;
pub mod intake;
pub mod job;
pub mod keys;
mod phrase;
pub mod places;
pub mod port;
pub mod screen;
mod style;
pub mod theme;
mod view;
pub mod widget;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use iced::{Subscription, Task, Theme, event, window};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::engine::{self, Command, Engine, Event, JobId, JobSpec, JobState};
use crate::words::text;
use dialog::{Confirm, Conflict, Destination, Dialog, Failures, confirm::Subject};
use intake::Intake;
use job::Jobs;
use keys::{InDialog, InWindow, Press};
use port::Port;
use screen::entries::{self, Entries};
use screen::{detail, header, jobs};

/// The application's id on the desktop.
pub const APPLICATION_ID: &str = "org.ferrycopier.Ferry";
/// The window's first size.
pub const SIZE: iced::Size = iced::Size::new(1120.0, 720.0);
/// The smallest size at which everything can be reached.
pub const MIN_SIZE: iced::Size = iced::Size::new(720.0, 480.0);
/// How many destinations of this session are remembered.
const RECENT: usize = 5;
/// How long the engine may take to end its jobs before the window closes without it.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens the window and runs until it is closed. The sources wait in the destination dialog.
///
/// # Errors
/// When no window can be opened, as without a display.
pub fn run(sources: Vec<PathBuf>) -> iced::Result {
    let _family = desktop_font::choose();
    let (engine, events) = Engine::start();
    let port: Rc<dyn Port> = Rc::new(engine);
    // iced may call the boot function again; the events can be given away but once.
    let start = RefCell::new(Some((events, sources)));
    let boot = move || {
        let start = start.borrow_mut().take();
        let (events, sources) = start.map_or((None, Vec::new()), |(e, s)| (Some(e), s));
        let (window, task) = Window::new(Rc::clone(&port), sources);
        (window, Task::batch([task, listen(events)]))
    };
    iced::application(boot, Window::update, Window::view)
        .title("Ferry")
        .theme(Window::theme)
        .style(|_window, theme: &Theme| iced::theme::Style {
            background_color: theme::palette(theme).ground,
            text_color: theme::palette(theme).text,
        })
        .subscription(Window::subscription)
        .settings(iced::Settings {
            id: Some(APPLICATION_ID.to_owned()),
            default_text_size: theme::TEXT.into(),
            antialiasing: true,
            ..iced::Settings::default()
        })
        .window(window::Settings {
            size: SIZE,
            min_size: Some(MIN_SIZE),
            exit_on_close_request: false,
            platform_specific: window::settings::PlatformSpecific {
                application_id: APPLICATION_ID.to_owned(),
                ..Default::default()
            },
            ..window::Settings::default()
        })
        .run()
}

fn listen(events: Option<UnboundedReceiver<Event>>) -> Task<Message> {
    events.map_or_else(Task::none, |events| Task::run(port::events(events), Message::Engine))
}

/// Everything that can happen.
#[derive(Clone, Debug)]
pub enum Message {
    /// The engine tells something.
    Engine(Vec<Event>),
    /// The head was used.
    Header(header::Message),
    /// The list of jobs was used.
    Jobs(jobs::Message),
    /// The chosen job was used.
    Detail(detail::Message),
    /// The open dialog was used.
    Dialog(dialog::Message),
    /// Sources come in.
    Intake(intake::Message),
    /// A key was pressed.
    Press(Press),
    /// The user wants to close the window.
    CloseRequested,
}

/// The state of the window.
pub struct Window {
    port: Rc<dyn Port>,
    jobs: Jobs,
    entries: Entries,
    intake: Intake,
    dialog: Option<Dialog>,
    recent: Vec<PathBuf>,
    choice: theme::Choice,
    closing: bool,
}

impl Window {
    /// A window over an engine. With sources, it first asks where they shall go.
    pub fn new(port: Rc<dyn Port>, sources: Vec<PathBuf>) -> (Window, Task<Message>) {
        let mut window = Window {
            port,
            jobs: Jobs::default(),
            entries: Entries::default(),
            intake: Intake::default(),
            dialog: None,
            recent: Vec::new(),
            choice: theme::Choice::default(),
            closing: false,
        };
        let task = if sources.is_empty() { Task::none() } else { window.offer(sources) };
        (window, task)
    }

    /// The theme that the user has chosen; `None` follows the system.
    pub fn theme(&self) -> Option<Theme> {
        self.choice.theme()
    }

    /// What the window listens to.
    pub fn subscription(&self) -> Subscription<Message> {
        event::listen_with(|event, status, _window| match event {
            iced::Event::Keyboard(event) => {
                let captured = status == event::Status::Captured;
                Press::of(event, captured).map(Message::Press)
            }
            iced::Event::Window(event) => match event {
                window::Event::FileHovered(_) => Some(Message::Intake(intake::Message::Hovered)),
                window::Event::FilesHoveredLeft => {
                    Some(Message::Intake(intake::Message::HoverLeft))
                }
                window::Event::FileDropped(path) => {
                    Some(Message::Intake(intake::Message::Dropped(path)))
                }
                window::Event::CloseRequested => Some(Message::CloseRequested),
                _ => None,
            },
            _ => None,
        })
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Task<Message> {
        match message {
            Message::Engine(events) => self.take_events(events),
            Message::Header(message) => self.header(message),
            Message::Jobs(message) => self.use_jobs(message),
            Message::Detail(message) => self.use_detail(message),
            Message::Dialog(message) => {
                let Some(dialog) = &mut self.dialog else { return Task::none() };
                let action = dialog.update(&self.jobs, message);
                self.do_dialog(action)
            }
            Message::Intake(message) => match self.intake.update(message) {
                intake::Action::Run(task) => task.map(Message::Intake),
                intake::Action::Offer(sources) => self.offer(sources),
                intake::Action::NoChooser => {
                    self.confirm(Subject::NoChooser, text("window-no-chooser"))
                }
            },
            Message::Press(press) => self.press(&press),
            Message::CloseRequested => self.close(),
        }
    }

    fn take_events(&mut self, events: Vec<Event>) -> Task<Message> {
        let chosen = self.jobs.chosen().map(|job| job.id);
        let mut soon = false;
        for event in events {
            if event == Event::Stopped && self.closing {
                return iced::exit();
            }
            soon |= !matches!(event, Event::Progress { .. } | Event::Order { .. });
            self.jobs.apply(event, self.port.as_ref());
        }
        soon |= chosen != self.jobs.chosen().map(|job| job.id);
        let dialog = match &mut self.dialog {
            Some(dialog) => {
                let action = dialog.refresh(&self.jobs);
                self.do_dialog(action)
            }
            None => Task::none(),
        };
        Task::batch([dialog, self.refresh_entries(soon)])
    }

    fn header(&mut self, message: header::Message) -> Task<Message> {
        match message {
            header::Message::AddFiles => intake::pick_files().map(Message::Intake),
            header::Message::AddFolder => intake::pick_folders().map(Message::Intake),
            header::Message::NextTheme => {
                self.choice = self.choice.next();
                Task::none()
            }
        }
    }

    fn use_jobs(&mut self, message: jobs::Message) -> Task<Message> {
        match jobs::update(&self.jobs, message) {
            jobs::Action::None => Task::none(),
            jobs::Action::Choose(job) => {
                self.jobs.choose(job);
                self.refresh_entries(true)
            }
            jobs::Action::Send(command) => self.send(command),
            jobs::Action::AskCancel(job) => self.ask_cancel(job),
            jobs::Action::Remove(jobs) => self.remove(&jobs),
        }
    }

    fn use_detail(&mut self, message: detail::Message) -> Task<Message> {
        match detail::update(message) {
            detail::Action::Send(command) => self.send(command),
            detail::Action::AskCancel(job) => self.ask_cancel(job),
            detail::Action::Remove(job) => self.remove(&[job]),
            detail::Action::Decide(job) => self.decide(job, None),
            detail::Action::Look(job) => self.look(job),
            detail::Action::AnswerFailures(job, action) => {
                match dialog::failures::answer_all(&self.jobs, job, action) {
                    Some(command) => self.send(command),
                    None => Task::none(),
                }
            }
            detail::Action::Entries(message) => {
                let action = self.entries.update(self.jobs.chosen(), message);
                self.do_entries(action)
            }
        }
    }

    fn refresh_entries(&mut self, soon: bool) -> Task<Message> {
        let action = self.entries.refresh(self.jobs.chosen(), soon);
        self.do_entries(action)
    }

    fn do_entries(&mut self, action: entries::Action) -> Task<Message> {
        match action {
            entries::Action::None => Task::none(),
            entries::Action::StepAgain => {
                Task::done(Message::Detail(detail::Message::Entries(entries::Message::Step)))
            }
            entries::Action::Send(command) => self.send(command),
            entries::Action::Decide(job, question) => self.decide(job, Some(question)),
        }
    }

    fn do_dialog(&mut self, action: dialog::Action) -> Task<Message> {
        match action {
            dialog::Action::Run(task) => task.map(Message::Dialog),
            dialog::Action::Start(spec) => self.start(*spec),
            dialog::Action::Send(commands, task) => {
                commands.into_iter().for_each(|command| self.port.send(command));
                task.map(Message::Dialog)
            }
            dialog::Action::SendAndClose(commands) => {
                commands.into_iter().for_each(|command| self.port.send(command));
                self.dialog = None;
                Task::none()
            }
            dialog::Action::Confirmed(subject) => {
                self.dialog = None;
                match subject {
                    Subject::CancelJob(job) => self.send(Command::Cancel { job }),
                    Subject::CloseWindow => self.shut_down(),
                    Subject::NoChooser => Task::none(),
                }
            }
            dialog::Action::Close => {
                self.dialog = None;
                Task::none()
            }
        }
    }

    fn press(&mut self, press: &Press) -> Task<Message> {
        if let Some(dialog) = &mut self.dialog {
            let Some(key) = InDialog::of(press) else { return Task::none() };
            let action = dialog.press(&self.jobs, key);
            return self.do_dialog(action);
        }
        match InWindow::of(press) {
            Some(key) => self.use_key(key),
            None => Task::none(),
        }
    }

    fn use_key(&mut self, key: InWindow) -> Task<Message> {
        let chosen = self.jobs.chosen();
        let id = chosen.map(|job| job.id);
        let list = |message| Message::Detail(detail::Message::Entries(message));
        match (key, chosen, id) {
            (InWindow::AddFiles, ..) => self.header(header::Message::AddFiles),
            (InWindow::AddFolder, ..) => self.header(header::Message::AddFolder),
            (InWindow::NextTheme, ..) => self.header(header::Message::NextTheme),
            (InWindow::Close, ..) => self.close(),
            (InWindow::ChooseBy(steps), ..) => {
                self.jobs.choose_by(steps);
                self.refresh_entries(true)
            }
            (InWindow::Find, ..) => {
                iced::widget::operation::focus(iced::widget::Id::new(entries::FIND))
            }
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
            (InWindow::Decide, _, Some(id)) => self.decide(id, None),
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

    fn send(&mut self, command: Command) -> Task<Message> {
        self.port.send(command);
        Task::none()
    }

    /// Asks where sources shall go; more of them join those that wait already.
    fn offer(&mut self, sources: Vec<PathBuf>) -> Task<Message> {
        if let Some(Dialog::Destination(dialog)) = &mut self.dialog {
            dialog.add(sources);
            return Task::none();
        }
        let (dialog, task) = Destination::new(sources, &self.recent);
        self.dialog = Some(Dialog::Destination(dialog));
        task.map(Message::Dialog)
    }

    fn start(&mut self, spec: JobSpec) -> Task<Message> {
        self.dialog = None;
        self.recent.retain(|path| *path != spec.destination);
        self.recent.insert(0, spec.destination.clone());
        self.recent.truncate(RECENT);
        let _job = self.port.add(spec);
        Task::none()
    }

    fn decide(&mut self, job: JobId, question: Option<engine::QuestionId>) -> Task<Message> {
        let Some((dialog, task)) = Conflict::new(&self.jobs, job, question) else {
            return self.look(job);
        };
        self.dialog = Some(Dialog::Conflict(dialog));
        task.map(Message::Dialog)
    }

    fn look(&mut self, job: JobId) -> Task<Message> {
        self.dialog = Failures::new(&self.jobs, job).map(Dialog::Failures);
        Task::none()
    }

    fn confirm(&mut self, subject: Subject, title: String) -> Task<Message> {
        self.dialog = Some(Dialog::Confirm(Confirm::new(subject, title)));
        Task::none()
    }

    fn ask_cancel(&mut self, id: JobId) -> Task<Message> {
        let Some(job) = self.jobs.get(id) else { return Task::none() };
        let name = phrase::sources(&job.spec.sources);
        self.confirm(Subject::CancelJob(id), phrase::with("window-cancel-job", "name", name))
    }

    fn remove(&mut self, ids: &[JobId]) -> Task<Message> {
        for id in ids {
            self.jobs.remove(*id);
            self.port.send(Command::Forget { job: *id });
        }
        self.refresh_entries(true)
    }

    fn close(&mut self) -> Task<Message> {
        let open = self.jobs.open().count() as u64;
        if open == 0 || self.closing {
            return self.shut_down();
        }
        self.confirm(Subject::CloseWindow, phrase::counted("window-close-title", open))
    }

    /// Ends the engine; its last word closes the window.
    fn shut_down(&mut self) -> Task<Message> {
        if self.closing {
            return iced::exit();
        }
        self.closing = true;
        self.port.send(Command::ShutDown);
        after(PATIENCE, Message::CloseRequested)
    }
}

/// A message after some time.
fn after<M: Clone + Send + 'static>(time: Duration, message: M) -> Task<M> {
    Task::perform(async move { tokio::time::sleep(time).await }, move |()| message.clone())
}
