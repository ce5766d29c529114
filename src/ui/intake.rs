//! How sources come in: drops from a file manager, the choosers.
//!
//! A drop reaches the window as one event a file, so those of one drop are gathered until
//! no more have come for a moment.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use iced::Task;

use crate::words::text;

/// How long no file must have come for a drop to be whole. The files of one drop are told
/// within one turn of the event loop.
const QUIET: Duration = Duration::from_millis(60);
/// A chooser that closes sooner than anyone can dismiss it was never there.
const DISMISSED: Duration = Duration::from_millis(250);

/// What comes in.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A file is held over the window.
    Hovered,
    /// The files are no longer held over it.
    HoverLeft,
    /// A file was dropped.
    Dropped(PathBuf),
    /// As many had been dropped a moment ago.
    Settled(usize),
    /// A chooser has closed.
    Picked(Picked),
}

/// What a chooser gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// These.
    Paths(Vec<PathBuf>),
    /// Nothing: dismissed.
    Nothing,
    /// There is no chooser on this desktop.
    NoChooser,
}

/// What the window has to do.
pub enum Action {
    /// Run this.
    Run(Task<Message>),
    /// Ask where these shall go.
    Offer(Vec<PathBuf>),
    /// Say that there is no chooser.
    NoChooser,
}

/// What is held over the window, and what of a drop has come so far.
#[derive(Default)]
pub struct Intake {
    hovering: usize,
    dropped: Vec<PathBuf>,
    choosing: bool,
}

impl Intake {
    /// How many files are held over the window.
    pub fn hovering(&self) -> usize {
        self.hovering
    }

    /// Opens a chooser, of files or of folders; one at a time.
    pub fn choose(&mut self, folders: bool) -> Task<Message> {
        if std::mem::replace(&mut self.choosing, true) {
            return Task::none();
        }
        if folders { pick_folders() } else { pick_files() }
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Action {
        if let Message::Picked(_) = message {
            self.choosing = false;
        }
        match message {
            Message::Hovered => self.hovering += 1,
            Message::HoverLeft => self.hovering = 0,
            Message::Dropped(path) => {
                self.hovering = 0;
                self.dropped.push(path);
                if self.dropped.len() == 1 {
                    return Action::Run(settle(1));
                }
            }
            Message::Settled(count) if count < self.dropped.len() => {
                return Action::Run(settle(self.dropped.len()));
            }
            Message::Settled(_) if !self.dropped.is_empty() => {
                return Action::Offer(std::mem::take(&mut self.dropped));
            }
            Message::Picked(Picked::Paths(paths)) if !paths.is_empty() => {
                return Action::Offer(paths);
            }
            Message::Picked(Picked::NoChooser) => return Action::NoChooser,
            Message::Settled(_) | Message::Picked(_) => {}
        }
        Action::Run(Task::none())
    }
}

fn settle(count: usize) -> Task<Message> {
    super::after(QUIET, Message::Settled(count))
}

fn pick_files() -> Task<Message> {
    pick(async {
        rfd::AsyncFileDialog::new().set_title(text("window-choose-files")).pick_files().await
    })
}

fn pick_folders() -> Task<Message> {
    pick(async {
        rfd::AsyncFileDialog::new().set_title(text("window-choose-folders")).pick_folders().await
    })
}

/// Lets the user choose one folder, beginning in `start`.
pub async fn pick_folder(start: Option<PathBuf>) -> Picked {
    let mut chooser = rfd::AsyncFileDialog::new().set_title(text("window-choose-folder"));
    if let Some(start) = start.filter(|start| start.parent().is_some()) {
        chooser = chooser.set_directory(start);
    }
    picked(async { Some(vec![chooser.pick_folder().await?]) }).await
}

/// Lets the user choose a file that is to be written.
pub async fn pick_new_file(name: &str) -> Picked {
    let chooser = rfd::AsyncFileDialog::new()
        .set_title(text("window-choose-report"))
        .set_file_name(name)
        .add_filter(text("window-report-text"), &["txt"])
        .add_filter(text("window-report-csv"), &["csv"])
        .add_filter(text("window-report-json"), &["json"]);
    picked(async { Some(vec![chooser.save_file().await?]) }).await
}

fn pick(
    chooser: impl Future<Output = Option<Vec<rfd::FileHandle>>> + Send + 'static,
) -> Task<Message> {
    Task::perform(picked(chooser), Message::Picked)
}

async fn picked(chooser: impl Future<Output = Option<Vec<rfd::FileHandle>>>) -> Picked {
    let asked = Instant::now();
    match chooser.await {
        Some(files) => {
            Picked::Paths(files.iter().map(|file| Path::to_owned(file.path())).collect())
        }
        None if asked.elapsed() < DISMISSED => Picked::NoChooser,
        None => Picked::Nothing,
    }
}
