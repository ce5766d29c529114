//! A content that begins anew: what it remembers between two views is forgotten.
//!
//! iced keeps the state of a widget while the widget in its place is of the same kind; a list
//! of iced's cannot be closed by anything but a click.

use iced::Element;
use iced::advanced::widget::tree;

use super::around::{Around, around};

/// The content; another `turn` than in the last view makes it forget its state.
pub fn afresh<'a, Message: 'a>(
    turn: u64,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    around(Afresh { even: turn.is_multiple_of(2) }, content)
}

struct Afresh {
    even: bool,
}

struct Even;
struct Odd;

impl<Message> Around<Message> for Afresh {
    fn memory(&self) -> (tree::Tag, tree::State) {
        let tag = if self.even { tree::Tag::of::<Even>() } else { tree::Tag::of::<Odd>() };
        (tag, tree::State::None)
    }
}
