//! The head of the window: adding, what goes on in all, the colours.

use iced::widget::{Row, container, row, space};
use iced::{Center, Element, Fill};

use crate::engine::JobState;
use crate::ui::icon::Icon;
use crate::ui::job::Jobs;
use crate::ui::theme::{Choice, Tone};
use crate::ui::widget::{Kind, control, cut_text, ring, sign_button, tip};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The height of the head.
pub const HEIGHT: f32 = 52.0;

/// What can be done in the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Choose files to copy.
    AddFiles,
    /// Choose a folder to copy.
    AddFolder,
    /// Look at the jobs so far.
    History,
    /// Look at the settings.
    Settings,
    /// Take the next colours.
    NextTheme,
}

/// The buttons of the head, in the order of the Tab key.
pub const BUTTONS: [Message; 5] = [
    Message::AddFiles,
    Message::AddFolder,
    Message::History,
    Message::NextTheme,
    Message::Settings,
];

/// The head; `focus` is the button that the keyboard stands on.
pub fn view<'a>(jobs: &Jobs, choice: Choice, focus: Option<Message>) -> Element<'a, Message> {
    let seen = |message, button| ring(focus == Some(message), button);
    let add_files = text("window-add-files");
    let add_folder = text("window-add-folder");
    let (sign, tip_words) = match choice {
        Choice::System => (Icon::Contrast, text("window-theme-system")),
        Choice::Light => (Icon::Sun, text("window-theme-light")),
        Choice::Dark => (Icon::Moon, text("window-theme-dark")),
    };
    let content: Row<'a, Message> = row![
        seen(
            Message::AddFiles,
            tip(
                control(Kind::Primary, Some(Icon::Plus), add_files, Some(Message::AddFiles)),
                "Ctrl+O".to_owned(),
            )
        ),
        seen(
            Message::AddFolder,
            tip(
                control(Kind::Plain, Some(Icon::Folder), add_folder, Some(Message::AddFolder)),
                "Ctrl+Shift+O".to_owned(),
            )
        ),
        space::horizontal(),
        cut_text(summary(jobs)).tone(Tone::Quiet),
        row![
            seen(
                Message::History,
                sign_button(Icon::Clock, text("window-history"), Message::History)
            ),
            seen(Message::NextTheme, sign_button(sign, tip_words, Message::NextTheme)),
            seen(
                Message::Settings,
                sign_button(Icon::Gear, text("window-settings-tip"), Message::Settings)
            ),
        ],
    ]
    .spacing(8)
    .align_y(Center);
    container(content).padding([0, 16]).center_y(HEIGHT).width(Fill).style(style::header).into()
}

/// `2 jobs · 412 MB/s`: the jobs that have not ended and how fast they go together.
fn summary(jobs: &Jobs) -> String {
    let open = jobs.open().count() as u64;
    if open == 0 {
        return String::new();
    }
    let count = phrase::counted("window-jobs", open);
    // The last rate of a job that has come to rest is no rate of now.
    let running = jobs.open().filter(|job| job.state == JobState::Running);
    let rate: u64 = running.filter_map(|job| job.snapshot.rate).sum();
    if rate == 0 {
        return count;
    }
    [count, words::rate(rate)].join(&text("window-separator"))
}
