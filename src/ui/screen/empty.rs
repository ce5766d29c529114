//! The window without jobs: says what to do.

use iced::widget::canvas::{self, Canvas, Geometry, LineDash, Path, Stroke};
use iced::widget::{center, column, row, space, stack};
use iced::{Center, Element, Fill, Point, Rectangle, Renderer, Size, Theme, mouse};

use crate::ui::icon::{self, Icon};
use crate::ui::screen::header::Message;
use crate::ui::style::mix;
use crate::ui::theme::{Tone, palette};
use crate::ui::widget::{Drawing, Kind, control, heading, quiet};
use crate::words::text;

/// The size of the place to drop on.
const PLACE: Size = Size::new(560.0, 348.0);

/// An empty window; its buttons are those of the head.
pub fn view<'a>() -> Element<'a, Message> {
    let ways = row![
        control(
            Kind::Primary,
            Some(Icon::Plus),
            text("window-add-files-more"),
            Some(Message::AddFiles),
        ),
        control(
            Kind::Plain,
            Some(Icon::Folder),
            text("window-add-folder-more"),
            Some(Message::AddFolder),
        ),
    ]
    .spacing(8);
    let content = column![
        icon::sized(Icon::Ferry, 88.0, Tone::Accent),
        space().height(14),
        heading(text("window-empty-title")),
        space().height(6),
        quiet(text("window-empty-hint")).center(),
        space().height(22),
        ways,
    ]
    .align_x(Center);
    let place = stack![Canvas::new(Edge).width(Fill).height(Fill), center(content).padding(20)]
        .width(PLACE.width)
        .height(PLACE.height);
    center(place).padding(24).into()
}

/// The dashed edge of the place to drop on.
struct Edge;

impl<Message> canvas::Program<Message> for Edge {
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
        let color = mix(palette.line, palette.quiet, 0.4);
        drawing.draw(renderer, bounds.size(), color, |frame| {
            let size = Size::new(frame.width() - 2.0, frame.height() - 2.0);
            let edge = Path::rounded_rectangle(Point::new(1.0, 1.0), size, 16.0.into());
            let stroke = Stroke {
                line_dash: LineDash { segments: &[6.0, 5.0], offset: 0 },
                ..Stroke::default().with_color(color).with_width(1.5)
            };
            frame.stroke(&edge, stroke);
        })
    }
}
