//! A content that tells when the mouse presses it: a field takes the keyboard then, and the
//! dialog's own focus follows.

use iced::advanced::widget::tree;
use iced::advanced::{Shell, mouse};
use iced::{Element, Event};

use super::around::{Around, Place, around};

/// The content; `message` is told when it is pressed.
pub fn pressed<'a, Message: Clone + 'a>(
    content: impl Into<Element<'a, Message>>,
    message: Message,
) -> Element<'a, Message> {
    around(Pressed { message }, content)
}

struct Pressed<Message> {
    message: Message,
}

impl<Message: Clone> Around<Message> for Pressed<Message> {
    fn event(
        &mut self,
        _state: &mut tree::State,
        _content: &mut tree::State,
        event: &Event,
        place: Place,
        shell: &mut Shell<'_, Message>,
    ) -> bool {
        let press = matches!(event, Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)));
        if press && place.cursor.is_over(place.bounds) {
            shell.publish(self.message.clone());
        }
        true
    }
}
