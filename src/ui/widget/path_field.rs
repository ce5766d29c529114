//! A field for a path that takes the keyboard by itself as soon as a path is begun.
//!
//! Giving it the focus by a task would come too late for fast typing: letters in between
//! would be lost or come in the wrong order. So the key that begins the path gives the focus
//! and then goes into the field, all within one event.

use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, renderer, text};
use iced::keyboard::{self, Key, key::Named};
use iced::widget::{TextInput, text_input};
use iced::{Element, Event, Length, Rectangle, Renderer, Size, Theme};

type State = text_input::State<<Renderer as text::Renderer>::Paragraph>;

/// The field with its own way to the keyboard. A path is `begun` when the next letters belong
/// to it, wherever the mouse has clicked meanwhile; else `/` or `~` begins a new one.
pub fn path_field<'a, Message: Clone + 'a>(
    field: TextInput<'a, Message>,
    begun: bool,
) -> Element<'a, Message> {
    Element::new(PathField { field, begun })
}

struct PathField<'a, Message> {
    field: TextInput<'a, Message>,
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

impl<Message> PathField<'_, Message> {
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

impl<Message: Clone> Widget<Message, Theme, Renderer> for PathField<'_, Message> {
    fn tag(&self) -> tree::Tag {
        self.field.tag()
    }

    fn state(&self) -> tree::State {
        self.field.state()
    }

    fn diff(&self, tree: &mut Tree) {
        self.field.diff(tree);
    }

    fn size(&self) -> Size<Length> {
        Widget::<Message, Theme, Renderer>::size(&self.field)
    }

    fn layout(
        &mut self,
        tree: &mut Tree,
        renderer: &Renderer,
        limits: &layout::Limits,
    ) -> layout::Node {
        Widget::layout(&mut self.field, tree, renderer, limits)
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        style: &renderer::Style,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        Widget::draw(&self.field, tree, renderer, theme, style, layout, cursor, viewport);
    }

    fn operate(
        &mut self,
        tree: &mut Tree,
        layout: Layout<'_>,
        renderer: &Renderer,
        operation: &mut dyn Operation,
    ) {
        self.field.operate(tree, layout, renderer, operation);
    }

    fn update(
        &mut self,
        tree: &mut Tree,
        event: &Event,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        renderer: &Renderer,
        clipboard: &mut dyn Clipboard,
        shell: &mut Shell<'_, Message>,
        viewport: &Rectangle,
    ) {
        let state = tree.state.downcast_mut::<State>();
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
            Effect::NotHere => return,
        }
        self.field.update(tree, event, layout, cursor, renderer, clipboard, shell, viewport);
    }

    fn mouse_interaction(
        &self,
        tree: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
        renderer: &Renderer,
    ) -> mouse::Interaction {
        self.field.mouse_interaction(tree, layout, cursor, viewport, renderer)
    }
}
