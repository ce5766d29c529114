//! Puts something into the middle, on whole pixels.
//!
//! The exact middle is half a pixel off for every other height, and the borders of all that
//! lies inside would be smeared over two rows of pixels.

use iced::advanced::layout;
use iced::{Element, Length, Point, Size};

use super::around::{Around, Content, around};

/// Something in the middle of all the room there is.
pub fn middle<'a, Message: 'a>(content: impl Into<Element<'a, Message>>) -> Element<'a, Message> {
    around(Middle, content)
}

struct Middle;

impl<Message> Around<Message> for Middle {
    fn size(&self, _content: Size<Length>) -> Size<Length> {
        Size::new(Length::Fill, Length::Fill)
    }

    fn layout(&mut self, content: &mut Content<'_, '_, Message>) -> layout::Node {
        let room = content.limits.max();
        let limits = content.limits.loose();
        let node = content.layout(&limits);
        let size = node.size();
        let (left, top) = ((room.width - size.width) / 2.0, (room.height - size.height) / 2.0);
        let place = Point::new(left.round(), top.round());
        layout::Node::with_children(room, vec![node.move_to(place)])
    }
}
