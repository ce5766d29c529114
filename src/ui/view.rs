//! How the window is put together: the head, the jobs, the chosen job, and what lies over
//! them.

use iced::widget::canvas::{self, Canvas, Geometry, LineDash, Path, Stroke};
use iced::widget::{bottom_center, column, container, responsive, row, space, stack};
use iced::{Element, Fill, Point, Rectangle, Renderer, Size, Theme, mouse};

use super::instrument::Part;
use super::screen::{detail, empty, header, jobs, left};
use super::theme::palette;
use super::widget::{Drawing, line, strong, upright};
use super::{Message, Window, phrase, style};

/// Below this width of the window the list of jobs gives way.
const WIDE_FROM: f32 = 900.0;

impl Window {
    /// The window.
    pub fn view(&self) -> Element<'_, Message> {
        let view = self.instrument.time(Part::View, || self.whole());
        self.instrument.watch(view)
    }

    fn whole(&self) -> Element<'_, Message> {
        let main = column![
            header::view(&self.jobs, self.memory.theme(), self.focus).map(Message::Header),
            line(),
        ]
        .push(left::view(&self.unfinished).map(|banner| banner.map(Message::Left)))
        .push(responsive(|size| self.body(size)));
        let mut layers = stack![main].width(Fill).height(Fill);
        if let Some(dialog) = &self.dialog {
            layers = layers.push(dialog.view(&self.jobs).map(Message::Dialog));
        }
        if self.intake.hovering() > 0 {
            layers = layers.push(drop_veil(self.intake.hovering() as u64));
        }
        layers.into()
    }

    fn body(&self, size: Size) -> Element<'_, Message> {
        if self.jobs.is_empty() {
            return empty::view().map(Message::Header);
        }
        let narrow = size.width < WIDE_FROM;
        let list = container(jobs::view(&self.jobs).map(Message::Jobs))
            .width(if narrow { 262.0 } else { 359.0 })
            .height(Fill);
        let chosen: Element<'_, Message> = match self.jobs.chosen() {
            Some(job) => detail::view(job, &self.entries).map(Message::Detail),
            None => space().into(),
        };
        row![list, upright(Fill), chosen].into()
    }
}

/// What shows that files can be dropped here.
fn drop_veil<'a>(count: u64) -> Element<'a, Message> {
    let words = strong(phrase::counted("window-drop", count));
    let panel = container(words).padding([14, 22]).style(style::dialog);
    let place = bottom_center(panel).padding(40);
    stack![Canvas::new(DropVeil).width(Fill).height(Fill), place].into()
}

struct DropVeil;

impl<Message> canvas::Program<Message> for DropVeil {
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
        drawing.draw(renderer, bounds.size(), palette.accent, |frame| {
            let size = frame.size();
            frame.fill_rectangle(Point::ORIGIN, size, palette.accent.scale_alpha(0.14));
            let inner = Size::new(size.width - 3.0, size.height - 3.0);
            let edge = Path::rectangle(Point::new(1.5, 1.5), inner);
            let stroke = Stroke {
                line_dash: LineDash { segments: &[7.0, 4.0], offset: 0 },
                ..Stroke::default().with_color(palette.accent).with_width(3.0)
            };
            frame.stroke(&edge, stroke);
        })
    }
}
