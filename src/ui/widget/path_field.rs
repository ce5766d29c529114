//! A field for a path that takes the keyboard by itself as soon as a path is begun.
//!
//! Giving it the focus by a task would come too late for fast typing: letters in between
//! would be lost or come in the wrong order. So the key that begins the path gives the focus
//! and then goes into the field, all within one event.

use iced::advanced::widget::tree;
use iced::advanced::{Shell, text};
use iced::keyboard::{self, Key, key::Named};
use iced::widget::{TextInput, text_input};
use iced::{Element, Event, Renderer};

use super::around::{Around, Place, around};

type State = text_input::State<<Renderer as text::Renderer>::Paragraph>;

/// The field with its own way to the keyboard. A path is `begun` when the next letters belong
/// to it, wherever the mouse has clicked meanwhile; else `/` or `~` begins a new one.
pub fn path_field<'a, Message: Clone + 'a>(
    field: TextInput<'a, Message>,
    begun: bool,
) -> Element<'a, Message> {
    around(PathField { begun }, field)
}

struct PathField {
    begun: bool,
}

/// What a key does to the field.
enum Effect {
    /// As in any field.
    Usual,
    /// It goes on with the path.
    GoesOn,
    /// It begins a new path.
    Begins,
    /// It belongs to the dialog.
    NotHere,
}

impl PathField {
    fn effect(&self, event: &Event, focused: bool) -> Effect {
        let Event::Keyboard(keyboard::Event::KeyPressed { key, text, modifiers, .. }) = event
        else {
            return Effect::Usual;
        };
        if modifiers.alt() {
            return Effect::NotHere;
        }
        if focused || modifiers.command() || modifiers.logo() {
            return Effect::Usual;
        }
        let letter = text.as_ref().and_then(|text| text.chars().next());
        let letter = letter.filter(|letter| !letter.is_control());
        match letter {
            Some(_) if self.begun => Effect::GoesOn,
            None if self.begun && *key == Key::Named(Named::Backspace) => Effect::GoesOn,
            Some('/' | '~') => Effect::Begins,
            _ => Effect::Usual,
        }
    }
}

impl<Message> Around<Message> for PathField {
    fn event(
        &mut self,
        _state: &mut tree::State,
        content: &mut tree::State,
        event: &Event,
        _place: Place,
        _shell: &mut Shell<'_, Message>,
    ) -> bool {
        let state = content.downcast_mut::<State>();
        match self.effect(event, state.is_focused()) {
            Effect::Usual => {}
            Effect::GoesOn => {
                state.focus();
                state.move_cursor_to_end();
            }
            Effect::Begins => {
                state.focus();
                state.select_all();
            }
            Effect::NotHere => return false,
        }
        true
    }
}
