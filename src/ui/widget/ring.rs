//! The focus ring: drawn around a control, outside its bounds, so that nothing moves; and
//! contents that yield to their neighbours.
//!
//! iced gives the keyboard to text fields alone; dialogs keep a focus of their own and show
//! it with this.

use iced::advanced::widget::tree;
use iced::advanced::{layout, renderer};
use iced::border::Border;
use iced::{Color, Element, Length, Renderer, Size, Theme};

use super::around::{Around, Content, Place, around};
use crate::ui::theme::{CORNER, palette};

/// How far the ring stands off its control.
const GAP: f32 = 2.0;
/// How thick it is.
const WIDTH: f32 = 2.0;

/// A control with a ring around it while `focused`.
pub fn ring<'a, Message: 'a>(
    focused: bool,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    around(Ring { focused, yields: false }, content)
}

/// The same for a control that yields to its neighbours in a row.
pub fn yielding_ring<'a, Message: 'a>(
    focused: bool,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    around(Ring { focused, yields: true }, content)
}

/// Something that yields to its neighbours in a row: it gets the room that they leave, and
/// takes no more of it than it needs.
pub fn yielding<'a, Message: 'a>(content: impl Into<Element<'a, Message>>) -> Element<'a, Message> {
    yielding_ring(false, content)
}

struct Ring {
    focused: bool,
    yields: bool,
}

impl<Message> Around<Message> for Ring {
    /// A row lays out last what would fill it.
    fn size(&self, content: Size<Length>) -> Size<Length> {
        if self.yields { Size { width: Length::Fill, ..content } } else { content }
    }

    fn layout(&mut self, content: &mut Content<'_, '_, Message>) -> layout::Node {
        let limits = if self.yields { content.limits.loose() } else { content.limits };
        let node = content.layout(&limits);
        layout::Node::with_children(node.size(), vec![node])
    }

    fn draw(
        &self,
        _state: &tree::State,
        renderer: &mut Renderer,
        theme: &Theme,
        place: Place,
        content: &dyn Fn(&mut Renderer),
    ) {
        if self.focused {
            let quad = renderer::Quad {
                bounds: place.bounds.expand(GAP + WIDTH),
                border: Border {
                    color: palette(theme).accent,
                    width: WIDTH,
                    radius: (CORNER + GAP + WIDTH).into(),
                },
                ..renderer::Quad::default()
            };
            renderer::Renderer::fill_quad(renderer, quad, Color::TRANSPARENT);
        }
        content(renderer);
    }
}
