//! A quiet banner about jobs that an earlier run of the program left.

use iced::widget::{Row, container, row};
use iced::{Center, Element, Fill, Padding};

use crate::engine::{JournalId, Past};
use crate::ui::icon::{Icon, icon};
use crate::ui::theme::{MEDIUM, Tone};
use crate::ui::widget::{Kind, control, cut_text};
use crate::ui::{phrase, style};
use crate::words::{args, text, text_with};

/// What can be done with them.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Let it go on.
    Resume(JournalId),
    /// Forget it (asks first).
    Discard(JournalId),
    /// Look at all of them.
    Look,
    /// Not now.
    Later,
}

/// The banner; nothing when nothing was left.
pub fn view(left: &[Past]) -> Option<Element<'_, Message>> {
    let first = left.first()?;
    let way = |id: &str, message| control(Kind::Plain, None, text(id), Some(message)).height(28);
    let mut ways = Row::new().spacing(6);
    let words = if left.len() == 1 {
        ways = ways.push(way("window-left-resume", Message::Resume(first.id)));
        ways = ways.push(way("window-left-discard", Message::Discard(first.id)));
        let name = phrase::past_sources(first);
        let place = phrase::last_name(&first.destination);
        let args = args([("name", name.clone().into()), ("place", place.into())]);
        cut_text(text_with("window-left-one", &args)).or(phrase::with(
            "window-left-one-short",
            "name",
            name,
        ))
    } else {
        ways = ways.push(way("window-look", Message::Look));
        cut_text(phrase::counted("window-left-many", left.len() as u64))
    };
    ways = ways.push(way("window-later", Message::Later));
    let words = words.font(MEDIUM).width(Fill);
    let content = row![icon(Icon::Clock, Tone::Accent), words, ways].spacing(12).align_y(Center);
    let padding = Padding { top: 8.0, right: 8.0, bottom: 8.0, left: 14.0 };
    let banner = container(content).padding(padding).width(Fill);
    let banner = banner.style(style::ground(Tone::Accent, 10.0));
    Some(container(banner).padding([10, 14]).into())
}
