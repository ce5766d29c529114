//! The window without jobs: says what to do.

use iced::widget::{center, column, row, space};
use iced::{Center, Element};

use crate::ui::icon::{self, Icon};
use crate::ui::screen::header::Message;
use crate::ui::theme::Tone;
use crate::ui::widget::{Kind, control, heading, quiet};
use crate::words::text;

/// An empty window; its buttons are those of the head.
pub fn view<'a>() -> Element<'a, Message> {
    let ways = row![
        control(
            Kind::Primary,
            Some(Icon::Plus),
            text("window-add-files-more"),
            Some(Message::AddFiles),
        ),
        control(
            Kind::Plain,
            Some(Icon::Folder),
            text("window-add-folder-more"),
            Some(Message::AddFolder),
        ),
    ]
    .spacing(8);
    let content = column![
        icon::sized(Icon::Ferry, 72.0, Tone::Accent),
        space().height(16),
        heading(text("window-empty-title")),
        space().height(6),
        quiet(text("window-empty-hint")).center(),
        space().height(20),
        ways,
    ]
    .align_x(Center)
    .max_width(460);
    center(content).padding(24).into()
}
