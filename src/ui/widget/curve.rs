//! The rate over the last two minutes, as a filled curve.

use iced::widget::canvas::{self, Canvas, Frame, Geometry, LineCap, LineJoin, Path, Stroke};
use iced::{Element, Length, Point, Rectangle, Renderer, Theme, mouse};

use crate::ui::history::{HISTORY, History};
use crate::ui::theme::palette;
use crate::ui::widget::Drawing;

/// The time that a young job's curve spans at least, in milliseconds.
const SPAN_MIN: u64 = 5_000;

/// The curve of a job's rate.
pub fn curve<'a, Message: 'a>(history: &'a History, height: f32) -> Element<'a, Message> {
    Canvas::new(Curve { history }).width(Length::Fill).height(height).into()
}

struct Curve<'a> {
    history: &'a History,
}

impl Curve<'_> {
    fn points(&self, frame: &Frame) -> Vec<Point> {
        let Some((newest, _)) = self.history.points().last() else { return Vec::new() };
        let span = newest.clamp(SPAN_MIN, HISTORY) as f32;
        let peak = self.history.peak().max(1) as f32;
        let (width, height) = (frame.width(), frame.height() - 3.0);
        self.history
            .points()
            .map(|(at, rate)| {
                let age = (newest - at) as f32;
                let x = width * (1.0 - age / span);
                Point::new(x, 2.0 + height * (1.0 - rate as f32 / peak))
            })
            .filter(|point| point.x >= -width)
            .collect()
    }
}

/// A smooth line through points that are ordered by `x`: between two of them the curve
/// leaves and arrives level, so it never overshoots a peak or dips under nought.
fn trace(builder: &mut canvas::path::Builder, points: &[Point]) {
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let middle = (from.x + to.x) / 2.0;
        builder.bezier_curve_to(Point::new(middle, from.y), Point::new(middle, to.y), to);
    }
}

impl<Message> canvas::Program<Message> for Curve<'_> {
    type State = Drawing;

    fn draw(
        &self,
        drawing: &Drawing,
        renderer: &Renderer,
        theme: &Theme,
        bounds: Rectangle,
        _cursor: mouse::Cursor,
    ) -> Vec<Geometry> {
        let palette = palette(theme);
        let content = (palette.accent, self.history);
        drawing.draw(renderer, bounds.size(), content, |frame| {
            let points = self.points(frame);
            let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
            let bottom = frame.height();
            let area = Path::new(|builder| {
                builder.move_to(Point::new(first.x, bottom));
                builder.line_to(*first);
                trace(builder, &points);
                builder.line_to(Point::new(last.x, bottom));
                builder.close();
            });
            frame.fill(&area, palette.accent_ground);
            let line = Path::new(|builder| {
                builder.move_to(*first);
                trace(builder, &points);
            });
            let stroke = Stroke::default()
                .with_color(palette.accent)
                .with_width(2.0)
                .with_line_cap(LineCap::Round)
                .with_line_join(LineJoin::Round);
            frame.stroke(&line, stroke);
        })
    }
}
