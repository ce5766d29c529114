//! A column of equally high items that can be dragged to other places in it.
//!
//! What is dragged is drawn under the pointer, its place is empty meanwhile; a line shows
//! where it will go.

use iced::advanced::widget::tree;
use iced::advanced::{Shell, mouse, renderer};
use iced::border;
use iced::keyboard::{self, Key, key::Named};
use iced::{Element, Event, Point, Rectangle, Renderer, Size, Theme, Vector};

use super::around::{Around, Place, around};
use crate::ui::theme::palette;

/// How far the pointer goes before a press becomes a drag, in pixels.
const SLACK: f32 = 6.0;
/// How thick the line is.
const LINE: f32 = 3.0;

/// Items with a gap between them. `movable` tells which can be dragged; `on_move` is told
/// the place of one and the gap that it shall go to, both counted from the top.
pub fn sorter<'a, Message: 'a>(
    content: impl Into<Element<'a, Message>>,
    gap: f32,
    movable: Vec<bool>,
    on_move: impl Fn(usize, usize) -> Message + 'a,
) -> Element<'a, Message> {
    around(Sorter { gap, movable, on_move: Box::new(on_move) }, content)
}

struct Sorter<'a, Message> {
    gap: f32,
    movable: Vec<bool>,
    on_move: Box<dyn Fn(usize, usize) -> Message + 'a>,
}

#[derive(Default)]
struct State {
    grabbed: Option<Grabbed>,
}

#[derive(Clone, Copy)]
struct Grabbed {
    item: usize,
    at: Point,
    dragged: bool,
    now: Point,
}

impl<Message> Sorter<'_, Message> {
    /// The height of an item and the gap below it.
    fn step(&self, bounds: Rectangle) -> f32 {
        (bounds.height + self.gap) / self.movable.len().max(1) as f32
    }

    fn item_at(&self, bounds: Rectangle, at: Point) -> Option<usize> {
        let item = ((at.y - bounds.y) / self.step(bounds)) as usize;
        (self.movable.get(item) == Some(&true)).then_some(item)
    }

    /// The gap that is nearest to the pointer: 0 is above the first item.
    fn gap_at(&self, bounds: Rectangle, at: Point) -> usize {
        let gap = ((at.y - bounds.y) / self.step(bounds)).round().max(0.0) as usize;
        gap.min(self.movable.len())
    }
}

fn dragged(state: &tree::State) -> Option<Grabbed> {
    state.downcast_ref::<State>().grabbed.filter(|grabbed| grabbed.dragged)
}

impl<Message> Around<Message> for Sorter<'_, Message> {
    fn memory(&self) -> (tree::Tag, tree::State) {
        (tree::Tag::of::<State>(), tree::State::new(State::default()))
    }

    fn draw(
        &self,
        state: &tree::State,
        renderer: &mut Renderer,
        theme: &Theme,
        place: Place,
        content: &dyn Fn(&mut Renderer),
    ) {
        use iced::advanced::Renderer as _;
        content(renderer);
        let Some(grabbed) = dragged(state) else { return };
        let Rectangle { x, y, width, .. } = place.bounds;
        let step = self.step(place.bounds);
        let above = self.gap_at(place.bounds, grabbed.now) as f32 * step;
        let middle = y + above - self.gap / 2.0;
        let line = renderer::Quad {
            bounds: Rectangle::new(
                Point::new(x, (middle - LINE / 2.0).round()),
                Size::new(width, LINE),
            ),
            border: border::rounded(LINE / 2.0),
            ..renderer::Quad::default()
        };
        let palette = palette(theme);
        let item = Rectangle::new(
            Point::new(x, y + grabbed.item as f32 * step),
            Size::new(width, step - self.gap),
        );
        let hole = renderer::Quad { bounds: item, ..renderer::Quad::default() };
        // In layers of their own: what lies over the cards is drawn after them.
        let room = place.bounds.expand(self.gap);
        renderer.with_layer(room, |renderer| {
            renderer.fill_quad(hole, palette.ground.scale_alpha(0.75));
            renderer.fill_quad(line, palette.accent);
        });
        let moved = Vector::new(0.0, (grabbed.now.y - grabbed.at.y).round());
        renderer.with_layer(item + moved, |renderer| {
            renderer.with_translation(moved, |renderer| content(renderer));
        });
    }

    fn event(
        &mut self,
        state: &mut tree::State,
        _content: &mut tree::State,
        event: &Event,
        place: Place,
        shell: &mut Shell<'_, Message>,
    ) -> bool {
        let state = state.downcast_mut::<State>();
        match event {
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)) => {
                let at = place.cursor.position_over(place.bounds);
                state.grabbed = at.and_then(|at| {
                    let item = self.item_at(place.bounds, at)?;
                    Some(Grabbed { item, at, dragged: false, now: at })
                });
            }
            Event::Mouse(mouse::Event::CursorMoved { .. }) => {
                let (Some(grabbed), Some(now)) = (&mut state.grabbed, place.cursor.position())
                else {
                    return true;
                };
                grabbed.now = now;
                grabbed.dragged |= (now.y - grabbed.at.y).abs() > SLACK;
                if grabbed.dragged {
                    shell.request_redraw();
                }
            }
            Event::Mouse(mouse::Event::ButtonReleased(mouse::Button::Left)) => {
                let Some(grabbed) = state.grabbed.take().filter(|grabbed| grabbed.dragged) else {
                    return true;
                };
                let gap = self.gap_at(place.bounds, grabbed.now);
                // The gaps above and below an item leave it where it is.
                if gap != grabbed.item && gap != grabbed.item + 1 {
                    shell.publish((self.on_move)(grabbed.item, gap));
                }
                shell.request_redraw();
            }
            Event::Keyboard(keyboard::Event::KeyPressed { key, .. })
                if *key == Key::Named(Named::Escape) && state.grabbed.take().is_some() =>
            {
                shell.request_redraw();
                shell.capture_event();
                return false;
            }
            _ => {}
        }
        true
    }

    fn seen(
        &self,
        state: &tree::State,
        place: Place,
        viewport: Rectangle,
    ) -> (mouse::Cursor, Rectangle) {
        let dragged = dragged(state).is_some();
        (if dragged { mouse::Cursor::Unavailable } else { place.cursor }, viewport)
    }

    fn interaction(&self, state: &tree::State) -> Option<mouse::Interaction> {
        dragged(state).map(|_dragged| mouse::Interaction::Grabbing)
    }
}
