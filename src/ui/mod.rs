//! The window: its state, its messages, and where each message goes.
//!
//! The state is rebuilt from the engine's events alone; the engine is reached through a
//! [`Port`]. Screens and dialogs say by their `Action` what they want done; only here is it
//! done.

mod actions;
pub mod desktop_font;
pub mod dialog;
mod display;
pub mod history;
mod icon;
pub mod instrument;
pub mod intake;
pub mod job;
pub mod keys;
pub mod memory;
mod opening;
pub mod past;
mod phrase;
pub mod places;
pub mod port;
mod remembered;
pub mod saving;
pub mod screen;
mod style;
pub mod theme;
mod view;
pub mod widget;
mod window_icon;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use iced::{Subscription, Task, Theme, event, window};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::engine::{
    Command, Engine, Event, JobId, JobSpec, Options, Past, Preserve, ReportEntry, Store,
};
use crate::settings::{Book, Loaded, NotWritten};
use crate::words::text;
use dialog::{Dialog, confirm::Subject};
use instrument::{Instrument, Part};
use intake::Intake;
use job::Jobs;
use keys::{InDialog, InWindow, Press};
use memory::Memory;
use port::{Pace, Port};
use saving::Saved;
use screen::entries::{self, Entries};
use screen::matches::arranged;
use screen::{detail, header, jobs};

/// The application's id on the desktop.
pub const APPLICATION_ID: &str = "org.ferrycopier.Ferry";
/// The window's first size.
pub const SIZE: iced::Size = iced::Size::new(1120.0, 720.0);
/// The smallest size at which everything can be reached.
pub const MIN_SIZE: iced::Size = iced::Size::new(720.0, 480.0);

/// Opens the window and runs until it is closed. The sources wait in the destination dialog.
///
/// # Errors
/// The sentence that tells why no window can be opened, as without a display.
pub fn run(sources: Vec<PathBuf>, settings: Loaded) -> Result<(), String> {
    display::needed(|reached| run_on_display(sources, settings, reached))?
        .map_err(|error| error.to_string())
}

fn run_on_display(
    sources: Vec<PathBuf>,
    settings: Loaded,
    reached: display::Reached,
) -> iced::Result {
    let _family = desktop_font::choose();
    let (engine, events) = Engine::start_with(Store::of_user());
    let port: Arc<dyn Port> = Arc::new(engine);
    // iced may call the boot function again; the events can be given away but once.
    let start = RefCell::new(Some((events, sources, settings)));
    let boot = move || {
        reached.tell();
        let start = start.borrow_mut().take();
        let (events, sources, settings) = match start {
            Some((events, sources, settings)) => (Some(events), sources, settings),
            None => (None, Vec::new(), Loaded::default()),
        };
        let (mut window, task) = Window::new(Arc::clone(&port), Memory::load(), sources);
        window.use_settings(settings);
        let heard = listen(events, window.pace.clone());
        (window, Task::batch([task, heard]))
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
            icon: window_icon::icon(),
            exit_on_close_request: false,
            platform_specific: window::settings::PlatformSpecific {
                application_id: APPLICATION_ID.to_owned(),
                ..Default::default()
            },
            ..window::Settings::default()
        })
        .run()
}

fn listen(events: Option<UnboundedReceiver<Event>>, pace: Pace) -> Task<Message> {
    let listen = |events| Task::run(port::events(events, pace), Message::Engine);
    events.map_or_else(Task::none, listen)
}

/// Everything that can happen.
#[derive(Clone, Debug)]
pub enum Message {
    /// The engine tells something.
    Engine(Vec<Event>),
    /// The head was used.
    Header(header::Message),
    /// Something was told of the jobs of earlier days.
    Past(past::Message),
    /// The banner about unfinished jobs was used.
    Left(screen::left::Message),
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
    /// A file manager was asked to open a folder; whether one has.
    Opened(bool),
    /// What the end of a job tells of its entries.
    Told(JobId, Vec<ReportEntry>),
    /// A report was to be saved.
    Saved(Saved),
    /// The settings were to be written.
    Settled(Result<(), NotWritten>),
    /// The user wants to close the window.
    CloseRequested,
}

/// The state of the window.
pub struct Window {
    port: Arc<dyn Port>,
    jobs: Jobs,
    /// Jobs that an earlier run left.
    unfinished: Vec<Past>,
    entries: Entries,
    intake: Intake,
    dialog: Option<Dialog>,
    memory: Memory,
    instrument: Instrument,
    pace: Pace,
    settings: Loaded,
    book: Book,
    /// The button of the head that the keyboard stands on.
    focus: Option<header::Message>,
    closing: bool,
}

impl Window {
    /// A window over an engine, with what it remembers. With sources, it first asks where
    /// they shall go.
    pub fn new(
        port: Arc<dyn Port>,
        memory: Memory,
        sources: Vec<PathBuf>,
    ) -> (Window, Task<Message>) {
        let mut window = Window {
            port,
            jobs: Jobs::default(),
            unfinished: Vec::new(),
            entries: Entries::default(),
            intake: Intake::default(),
            dialog: None,
            memory,
            instrument: Instrument::by_environment(),
            pace: Pace::default(),
            settings: Loaded::default(),
            book: Book::default(),
            focus: None,
            closing: false,
        };
        let left = window.list_past();
        let task = if sources.is_empty() { Task::none() } else { window.offer(sources) };
        (window, Task::batch([left, task]))
    }

    /// Takes what the user has settled; what is wrong with it is told when no other dialog is
    /// open.
    pub fn use_settings(&mut self, settings: Loaded) {
        self.book = Book::of(&settings);
        self.settings = settings;
        // Sources that were named at the start wait already.
        let (verify, preserve) = self.standing_care();
        if let Some(Dialog::Destination(dialog)) = &mut self.dialog {
            dialog.set_options(verify, preserve);
        }
        self.tell_complaints();
    }

    /// Whether a new job verifies, and what it keeps: as settled, else as the last one did.
    fn standing_care(&self) -> (bool, Preserve) {
        let (verify, preserve) = self.memory.options();
        let settled = &self.settings.settings;
        (settled.verify.unwrap_or(verify), settled.preserve.unwrap_or(preserve))
    }

    /// A job that begins with what the user has settled; whether it is verified and what it
    /// keeps was said in the dialog.
    fn as_settled(&self, spec: JobSpec) -> JobSpec {
        let standing = self.settings.settings.options();
        JobSpec {
            options: Options {
                verify: spec.options.verify,
                preserve: spec.options.preserve,
                ..standing
            },
            ..spec
        }
    }

    fn tell_complaints(&mut self) {
        if self.dialog.is_none() && !self.settings.complaints.is_empty() {
            let told = std::mem::take(&mut self.settings.complaints).join("\n");
            let _no_task = self.confirm(Subject::Settings, told);
        }
    }

    /// The theme that the user has chosen; `None` follows the system.
    pub fn theme(&self) -> Option<Theme> {
        self.memory.theme().theme()
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
        let instrument = self.instrument.clone();
        instrument.time(Part::Update, || {
            let task = self.take_in(message);
            self.tell_complaints();
            task
        })
    }

    fn take_in(&mut self, message: Message) -> Task<Message> {
        match message {
            Message::Engine(events) => self.take_events(events),
            Message::Header(message) => self.header(message),
            Message::Past(message) => self.take_past(message),
            Message::Left(message) => self.use_left(message),
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
            Message::Opened(true) => Task::none(),
            Message::Opened(false) => {
                self.confirm(Subject::NoFileManager, text("window-no-file-manager"))
            }
            Message::Told(job, told) => {
                self.jobs.set_told(job, told);
                Task::none()
            }
            Message::Saved(Saved::Ended) => Task::none(),
            Message::Saved(Saved::NoChooser) => {
                self.confirm(Subject::NoChooser, text("window-no-chooser"))
            }
            Message::Saved(Saved::Failed(told)) => self.confirm(Subject::NotSaved, told),
            Message::Settled(result) => self.settled(result),
            Message::CloseRequested => self.close(),
        }
    }

    fn take_events(&mut self, events: Vec<Event>) -> Task<Message> {
        let chosen = self.jobs.chosen().map(|job| job.id);
        let mut soon = false;
        let mut told = Vec::new();
        self.pace.note();
        for event in events {
            if event == Event::Stopped && self.closing {
                return self.leave();
            }
            self.instrument.note(&event);
            if let Event::Finished { job, .. } = event {
                told.push(self.tell_end(job));
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
        told.extend([dialog, self.refresh_entries(soon)]);
        Task::batch(told)
    }

    /// Looks aside what the end of a job has to tell of its entries.
    fn tell_end(&self, id: JobId) -> Task<Message> {
        let Some(report) = self.port.report(id) else { return Task::none() };
        let told = places::in_thread(move || job::notable(&report));
        Task::perform(told, move |told| Message::Told(id, told.unwrap_or_default()))
    }

    fn header(&mut self, message: header::Message) -> Task<Message> {
        match message {
            header::Message::AddFiles => self.intake.choose(false).map(Message::Intake),
            header::Message::AddFolder => self.intake.choose(true).map(Message::Intake),
            header::Message::History => self.show_history(),
            header::Message::Settings => self.show_settings(),
            header::Message::NextTheme => {
                self.memory.set_theme(self.memory.theme().next());
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
            detail::Action::Table(job) => self.table(job),
            detail::Action::Look(job) => self.look(job),
            detail::Action::Open(job) => self.open(job),
            detail::Action::Undo(job) => self.undo(job),
            detail::Action::Repeat(job) => self.repeat(job),
            detail::Action::SaveReport(job) => self.save_report(job),
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
            entries::Action::Arrange(job, plan) => {
                let arranged = places::aside(move || arranged(&plan));
                Task::perform(arranged, move |order| {
                    let arranged = entries::Message::Arranged(job, order);
                    Message::Detail(detail::Message::Entries(arranged))
                })
            }
            entries::Action::Send(command) => self.send(command),
            entries::Action::Decide(job, question) => self.decide(job, Some(question)),
        }
    }

    fn do_dialog(&mut self, action: dialog::Action) -> Task<Message> {
        match action {
            dialog::Action::Run(task) => task.map(Message::Dialog),
            dialog::Action::Start(spec) => {
                self.memory.set_options(spec.options.verify, spec.options.preserve);
                let spec = self.as_settled(*spec);
                self.start(spec)
            }
            dialog::Action::Join(job, spec) => {
                self.close_dialog();
                self.jobs.choose(job);
                let spec = self.as_settled(*spec);
                self.send(Command::AddSources { job, spec })
            }
            dialog::Action::Send(commands, task) => {
                commands.into_iter().for_each(|command| self.port.send(command));
                task.map(Message::Dialog)
            }
            dialog::Action::SendAndClose(commands) => {
                commands.into_iter().for_each(|command| self.port.send(command));
                self.close_dialog();
                Task::none()
            }
            dialog::Action::Table(job) => self.table(job),
            dialog::Action::Settle(settings, written) => {
                self.settings.settings = *settings;
                written.map(Message::Settled)
            }
            dialog::Action::Colours(choice) => {
                self.memory.set_theme(choice);
                Task::none()
            }
            dialog::Action::Past(deed, past) => self.do_past(deed, &past),
            dialog::Action::Confirmed(subject) => {
                self.close_dialog();
                match subject {
                    Subject::CancelJob(job) => self.send(Command::Cancel { job }),
                    Subject::StopJob(job) => self.send(Command::Stop { job }),
                    Subject::CloseWindow => self.shut_down(),
                    Subject::StopAll => {
                        // Before the engine's end cancels them: stopped, they are offered
                        // when the window is opened again.
                        for job in self.jobs.open().map(|job| job.id).collect::<Vec<_>>() {
                            self.port.send(Command::Stop { job });
                        }
                        self.shut_down()
                    }
                    Subject::Forget(id) => self.forget_past(id),
                    Subject::NoChooser
                    | Subject::NoPast
                    | Subject::NoFileManager
                    | Subject::Settings
                    | Subject::NotSettled
                    | Subject::NotSaved => Task::none(),
                }
            }
            dialog::Action::Close => {
                self.close_dialog();
                Task::none()
            }
        }
    }

    /// Opens a dialog in the place of one that is open.
    fn show_dialog(&mut self, dialog: Dialog) {
        self.close_dialog();
        self.dialog = Some(dialog);
    }

    /// Closes the dialog; what was decided in the table of taken names is kept.
    fn close_dialog(&mut self) {
        if let Some(Dialog::Table(table)) = self.dialog.take() {
            let (job, drafts) = table.drafts();
            self.jobs.keep_drafts(job, drafts);
        }
    }

    fn press(&mut self, press: &Press) -> Task<Message> {
        if let Some(dialog) = &mut self.dialog {
            self.focus = None;
            let Some(key) = InDialog::of(press) else { return Task::none() };
            let action = dialog.press(&self.jobs, key);
            return self.do_dialog(action);
        }
        match InWindow::of(press) {
            Some(key) => self.use_key(key),
            None => Task::none(),
        }
    }
}

/// A message after some time.
fn after<M: Clone + Send + 'static>(time: Duration, message: M) -> Task<M> {
    Task::perform(async move { tokio::time::sleep(time).await }, move |()| message.clone())
}
