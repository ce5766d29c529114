//! The focus ring: drawn around a control, outside its bounds, so that nothing moves.
//!
//! iced gives the keyboard to text fields alone; dialogs keep a focus of their own and show
//! it with this.

use iced::advanced::widget::{Operation, Tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, overlay, renderer};
use iced::border::Border;
use iced::{Color, Element, Event, Length, Rectangle, Renderer, Size, Theme, Vector};

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
    Element::new(Ring { focused, yields: false, content: content.into() })
}

/// The same for a control that yields to its neighbours in a row: it gets the room that they
/// leave, and takes no more of it than it needs.
pub fn yielding_ring<'a, Message: 'a>(
    focused: bool,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    Element::new(Ring { focused, yields: true, content: content.into() })
}

struct Ring<'a, Message> {
    focused: bool,
    yields: bool,
    content: Element<'a, Message>,
}

impl<Message> Ring<'_, Message> {
    /// A row lays out last what would fill it.
    fn yielded(&self, size: Size<Length>) -> Size<Length> {
        if self.yields { Size { width: Length::Fill, ..size } } else { size }
    }
}

impl<Message> Widget<Message, Theme, Renderer> for Ring<'_, Message> {
    fn children(&self) -> Vec<Tree> {
        vec![Tree::new(&self.content)]
    }

    fn diff(&self, tree: &mut Tree) {
        tree.diff_children(std::slice::from_ref(&self.content));
    }

    fn size(&self) -> Size<Length> {
        self.yielded(self.content.as_widget().size())
    }

    fn size_hint(&self) -> Size<Length> {
        self.yielded(self.content.as_widget().size_hint())
    }

    fn layout(
        &mut self,
        tree: &mut Tree,
        renderer: &Renderer,
        limits: &layout::Limits,
    ) -> layout::Node {
        let loose = limits.loose();
        let limits = if self.yields { &loose } else { limits };
        let node = self.content.as_widget_mut().layout(&mut tree.children[0], renderer, limits);
        layout::Node::with_children(node.size(), vec![node])
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
        if self.focused {
            let quad = renderer::Quad {
                bounds: layout.bounds().expand(GAP + WIDTH),
                border: Border {
                    color: palette(theme).accent,
                    width: WIDTH,
                    radius: (CORNER + GAP + WIDTH).into(),
                },
                ..renderer::Quad::default()
            };
            renderer::Renderer::fill_quad(renderer, quad, Color::TRANSPARENT);
        }
        if let Some(child) = layout.children().next() {
            let content = self.content.as_widget();
            content.draw(&tree.children[0], renderer, theme, style, child, cursor, viewport);
        }
    }

    fn operate(
        &mut self,
        tree: &mut Tree,
        layout: Layout<'_>,
        renderer: &Renderer,
        operation: &mut dyn Operation,
    ) {
        if let Some(child) = layout.children().next() {
            let content = self.content.as_widget_mut();
            content.operate(&mut tree.children[0], child, renderer, operation);
        }
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
        if let Some(child) = layout.children().next() {
            let (content, tree) = (self.content.as_widget_mut(), &mut tree.children[0]);
            content.update(tree, event, child, cursor, renderer, clipboard, shell, viewport);
        }
    }

    fn mouse_interaction(
        &self,
        tree: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
        renderer: &Renderer,
    ) -> mouse::Interaction {
        layout.children().next().map_or(mouse::Interaction::None, |child| {
            let content = self.content.as_widget();
            content.mouse_interaction(&tree.children[0], child, cursor, viewport, renderer)
        })
    }

    fn overlay<'b>(
        &'b mut self,
        tree: &'b mut Tree,
        layout: Layout<'b>,
        renderer: &Renderer,
        viewport: &Rectangle,
        translation: Vector,
    ) -> Option<overlay::Element<'b, Message, Theme, Renderer>> {
        let child = layout.children().next()?;
        let content = self.content.as_widget_mut();
        content.overlay(&mut tree.children[0], child, renderer, viewport, translation)
    }
}
