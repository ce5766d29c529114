//! A list of rows of one height, of which only the visible ones exist.
//!
//! The offset is kept by the screen as a row number with a fraction (`f64`), not as pixels
//! of a tall content: at a million rows of 30 px an `f32` is exact to 2 px only, and rows
//! would jitter.

use std::cell::Cell;

use iced::advanced::widget::tree;
use iced::advanced::{Shell, layout, mouse, renderer};
use iced::border;
use iced::widget::{keyed_column, responsive};
use iced::{Element, Event, Length, Point, Rectangle, Renderer, Size, Theme};

use super::around::{Around, Content, Place, around};
use crate::ui::style;

/// How far one notch of the wheel goes, in rows.
const NOTCH: f64 = 3.0;
/// The width of the scroll bar's place, over the right padding of the rows.
const BAR: f32 = 12.0;
/// The width of the thumb.
const THUMB: f32 = 6.0;
/// The shortest thumb.
const THUMB_MIN: f32 = 28.0;

/// The place in a list that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offset(pub f64);

impl Offset {
    /// Moves by some rows and stays within a list of `total` rows of which `shown` fit.
    pub fn moved(self, rows: f64, total: usize, shown: f64) -> Offset {
        Offset(self.0 + rows).within(total, shown)
    }

    /// The nearest place within a list of `total` rows of which `shown` fit.
    pub fn within(self, total: usize, shown: f64) -> Offset {
        Offset(self.0.clamp(0.0, (total as f64 - shown).max(0.0)))
    }
}

/// How many rows fit, as the last layout found: for the keys that scroll.
#[derive(Debug, Default)]
pub struct Fit(Cell<f64>);

impl Fit {
    /// How many rows fit.
    pub fn rows(&self) -> f64 {
        self.0.get()
    }
}

/// The visible rows of a list. `row` makes the row at a place; `on_scroll` is told the
/// offset that the user wants.
pub fn rows<'a, Message: Clone + 'a>(
    total: usize,
    height: f32,
    offset: Offset,
    fit: &'a Fit,
    row: impl Fn(usize) -> Element<'a, Message> + 'a,
    on_scroll: impl Fn(Offset) -> Message + Clone + 'a,
) -> Element<'a, Message> {
    responsive(move |size| {
        let shown = f64::from(size.height / height);
        fit.0.set(shown);
        let offset = offset.within(total, shown);
        let first = offset.0 as usize;
        let last = total.min((offset.0 + shown).ceil() as usize);
        let visible = keyed_column((first..last).map(|at| (at, row(at))));
        let on_scroll = on_scroll.clone();
        around(Rows { total, height, offset, on_scroll: Box::new(on_scroll) }, visible)
    })
    .into()
}

struct Rows<'a, Message> {
    total: usize,
    height: f32,
    offset: Offset,
    on_scroll: Box<dyn Fn(Offset) -> Message + 'a>,
}

#[derive(Default)]
struct State {
    /// Where on the thumb it was grabbed.
    grabbed: Option<f32>,
}

impl<Message> Rows<'_, Message> {
    fn shown(&self, bounds: Rectangle) -> f64 {
        f64::from(bounds.height / self.height)
    }

    fn overflows(&self, bounds: Rectangle) -> bool {
        self.total as f64 > self.shown(bounds)
    }

    fn thumb(&self, bounds: Rectangle) -> Option<Rectangle> {
        if !self.overflows(bounds) {
            return None;
        }
        let shown = self.shown(bounds);
        let length = (bounds.height * (shown / self.total as f64) as f32).max(THUMB_MIN);
        let share = self.offset.0 / (self.total as f64 - shown);
        let top = (bounds.height - length) * share as f32;
        let left = bounds.x + bounds.width - BAR + (BAR - THUMB) / 2.0;
        Some(Rectangle::new(Point::new(left, bounds.y + top), Size::new(THUMB, length)))
    }

    fn rail(&self, bounds: Rectangle) -> Rectangle {
        Rectangle { x: bounds.x + bounds.width - BAR, width: BAR, ..bounds }
    }

    fn dragged(&self, bounds: Rectangle, thumb: Rectangle, y: f32, grabbed: f32) -> Offset {
        let room = f64::from(bounds.height - thumb.height).max(1.0);
        let share = f64::from(y - bounds.y - grabbed) / room;
        let shown = self.shown(bounds);
        Offset(share * (self.total as f64 - shown)).within(self.total, shown)
    }

    fn scroll(
        &self,
        state: &mut State,
        event: &Event,
        bounds: Rectangle,
        cursor: mouse::Cursor,
        shell: &mut Shell<'_, Message>,
    ) {
        let Some(thumb) = self.thumb(bounds) else { return };
        match event {
            Event::Mouse(mouse::Event::WheelScrolled { delta }) if cursor.is_over(bounds) => {
                let rows = match delta {
                    mouse::ScrollDelta::Lines { y, .. } => f64::from(-y) * NOTCH,
                    mouse::ScrollDelta::Pixels { y, .. } => f64::from(-y / self.height),
                };
                let wanted = self.offset.moved(rows, self.total, self.shown(bounds));
                shell.publish((self.on_scroll)(wanted));
                shell.capture_event();
            }
            Event::Mouse(mouse::Event::ButtonPressed(mouse::Button::Left)) => {
                let Some(at) = cursor.position_over(self.rail(bounds)) else { return };
                let grabbed = if thumb.y <= at.y && at.y <= thumb.y + thumb.height {
                    at.y - thumb.y
                } else {
                    thumb.height / 2.0
                };
                state.grabbed = Some(grabbed);
                shell.publish((self.on_scroll)(self.dragged(bounds, thumb, at.y, grabbed)));
                shell.capture_event();
            }
            Event::Mouse(mouse::Event::CursorMoved { position }) => {
                let Some(grabbed) = state.grabbed else { return };
                shell.publish((self.on_scroll)(self.dragged(bounds, thumb, position.y, grabbed)));
                shell.capture_event();
            }
            Event::Mouse(mouse::Event::ButtonReleased(mouse::Button::Left)) => {
                state.grabbed = None;
            }
            _ => {}
        }
    }
}

impl<Message> Around<Message> for Rows<'_, Message> {
    fn memory(&self) -> (tree::Tag, tree::State) {
        (tree::Tag::of::<State>(), tree::State::new(State::default()))
    }

    fn size(&self, _content: Size<Length>) -> Size<Length> {
        Size::new(Length::Fill, Length::Fill)
    }

    fn layout(&mut self, content: &mut Content<'_, '_, Message>) -> layout::Node {
        let size = content.limits.max();
        let above = -(self.offset.0.fract() as f32) * self.height;
        let room = layout::Limits::new(Size::ZERO, Size::new(size.width, f32::INFINITY));
        let node = content.layout(&room);
        layout::Node::with_children(size, vec![node.move_to(Point::new(0.0, above))])
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
        let Place { bounds, cursor } = place;
        let state = state.downcast_ref::<State>();
        renderer.with_layer(bounds, |renderer| {
            content(renderer);
            if let Some(thumb) = self.thumb(bounds) {
                let hovered = state.grabbed.is_some() || cursor.is_over(self.rail(bounds));
                let quad = renderer::Quad {
                    bounds: thumb,
                    border: border::rounded(THUMB / 2.0),
                    ..renderer::Quad::default()
                };
                renderer.fill_quad(quad, style::thumb(theme, hovered));
            }
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
        self.scroll(state.downcast_mut::<State>(), event, place.bounds, place.cursor, shell);
        !shell.is_event_captured()
    }

    fn seen(
        &self,
        _state: &tree::State,
        place: Place,
        _viewport: Rectangle,
    ) -> (mouse::Cursor, Rectangle) {
        let over = place.cursor.is_over(place.bounds);
        (if over { place.cursor } else { mouse::Cursor::Unavailable }, place.bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::Offset;

    #[test]
    fn an_offset_stays_in_its_list() {
        assert_eq!(Offset(5.0).moved(-9.0, 100, 10.0), Offset(0.0));
        assert_eq!(Offset(85.0).moved(20.0, 100, 10.0), Offset(90.0));
        assert_eq!(Offset(3.0).within(2, 10.0), Offset(0.0));
    }

    #[test]
    fn a_step_of_a_pixel_is_kept_at_the_end_of_a_million_rows() {
        let pixel = 1.0 / 30.0;
        let moved = Offset(999_000.0).moved(pixel, 1_000_000, 20.0);
        assert!((moved.0 - 999_000.0 - pixel).abs() < 1e-9);
    }
}
