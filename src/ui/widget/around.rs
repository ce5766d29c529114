//! What all widgets around another one have in common: they hand everything on to it.
//!
//! iced asks a widget nine things; one that only wants to place, frame or overhear its
//! content answers what it cares for through [`Around`], and the rest goes to the content.

use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Clipboard, Layout, Shell, Widget, layout, mouse, overlay, renderer};
use iced::{Element, Event, Length, Rectangle, Renderer, Size, Theme, Vector};

/// What a widget does about its content. All of it can be left to the content.
pub trait Around<Message> {
    /// What it remembers between two views, if anything.
    fn memory(&self) -> (tree::Tag, tree::State) {
        (tree::Tag::stateless(), tree::State::None)
    }

    /// How large it wants to be when its content wants to be of a size.
    fn size(&self, content: Size<Length>) -> Size<Length> {
        content
    }

    /// Lays out the content: its own size, and the content in it.
    fn layout(&mut self, content: &mut Content<'_, '_, Message>) -> layout::Node {
        let limits = content.limits;
        let node = content.layout(&limits);
        layout::Node::with_children(node.size(), vec![node])
    }

    /// Draws; `content` draws the content.
    fn draw(
        &self,
        _state: &tree::State,
        renderer: &mut Renderer,
        _theme: &Theme,
        _place: Place,
        content: &dyn Fn(&mut Renderer),
    ) {
        content(renderer);
    }

    /// Hears of an event before its content, whose memory is `content`. Tells whether the
    /// content hears of it too.
    fn event(
        &mut self,
        _state: &mut tree::State,
        _content: &mut tree::State,
        _event: &Event,
        _place: Place,
        _shell: &mut Shell<'_, Message>,
    ) -> bool {
        true
    }

    /// Where the content sees the pointer, and what of the content is seen.
    fn seen(
        &self,
        _state: &tree::State,
        place: Place,
        viewport: Rectangle,
    ) -> (mouse::Cursor, Rectangle) {
        (place.cursor, viewport)
    }

    /// How the pointer looks, when that is not the content's business.
    fn interaction(&self, _state: &tree::State) -> Option<mouse::Interaction> {
        None
    }
}

/// Where a widget is, and where the pointer is.
#[derive(Clone, Copy)]
pub struct Place {
    /// Where the widget is.
    pub bounds: Rectangle,
    /// Where the pointer is.
    pub cursor: mouse::Cursor,
}

/// The content while it is being laid out.
pub struct Content<'c, 'a, Message> {
    element: &'c mut Element<'a, Message>,
    tree: &'c mut Tree,
    renderer: &'c Renderer,
    /// How much room there is.
    pub limits: layout::Limits,
}

impl<Message> Content<'_, '_, Message> {
    /// Lays it out within limits.
    pub fn layout(&mut self, limits: &layout::Limits) -> layout::Node {
        self.element.as_widget_mut().layout(self.tree, self.renderer, limits)
    }
}

/// Puts something around a content.
pub fn around<'a, Message: 'a>(
    how: impl Around<Message> + 'a,
    content: impl Into<Element<'a, Message>>,
) -> Element<'a, Message> {
    Element::new(Wrapped { how, content: content.into() })
}

struct Wrapped<'a, Message, How> {
    how: How,
    content: Element<'a, Message>,
}

impl<Message, How: Around<Message>> Widget<Message, Theme, Renderer> for Wrapped<'_, Message, How> {
    fn tag(&self) -> tree::Tag {
        self.how.memory().0
    }

    fn state(&self) -> tree::State {
        self.how.memory().1
    }

    fn children(&self) -> Vec<Tree> {
        vec![Tree::new(&self.content)]
    }

    fn diff(&self, tree: &mut Tree) {
        tree.diff_children(std::slice::from_ref(&self.content));
    }

    fn size(&self) -> Size<Length> {
        self.how.size(self.content.as_widget().size())
    }

    fn size_hint(&self) -> Size<Length> {
        self.how.size(self.content.as_widget().size_hint())
    }

    fn layout(
        &mut self,
        tree: &mut Tree,
        renderer: &Renderer,
        limits: &layout::Limits,
    ) -> layout::Node {
        let (element, tree) = (&mut self.content, &mut tree.children[0]);
        self.how.layout(&mut Content { element, tree, renderer, limits: *limits })
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
        let Some(child) = layout.children().next() else { return };
        let place = Place { bounds: layout.bounds(), cursor };
        let (cursor, viewport) = self.how.seen(&tree.state, place, *viewport);
        let (content, within) = (self.content.as_widget(), &tree.children[0]);
        self.how.draw(&tree.state, renderer, theme, place, &|renderer| {
            content.draw(within, renderer, theme, style, child, cursor, &viewport);
        });
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
        let Some(child) = layout.children().next() else { return };
        let place = Place { bounds: layout.bounds(), cursor };
        let (state, within) = (&mut tree.state, &mut tree.children[0]);
        if !self.how.event(state, &mut within.state, event, place, shell) {
            return;
        }
        let (cursor, viewport) = self.how.seen(state, place, *viewport);
        let content = self.content.as_widget_mut();
        content.update(within, event, child, cursor, renderer, clipboard, shell, &viewport);
    }

    fn mouse_interaction(
        &self,
        tree: &Tree,
        layout: Layout<'_>,
        cursor: mouse::Cursor,
        viewport: &Rectangle,
        renderer: &Renderer,
    ) -> mouse::Interaction {
        if let Some(interaction) = self.how.interaction(&tree.state) {
            return interaction;
        }
        let place = Place { bounds: layout.bounds(), cursor };
        let (cursor, viewport) = self.how.seen(&tree.state, place, *viewport);
        layout.children().next().map_or(mouse::Interaction::None, |child| {
            let content = self.content.as_widget();
            content.mouse_interaction(&tree.children[0], child, cursor, &viewport, renderer)
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
