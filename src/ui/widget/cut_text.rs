//! A line of text that is cut in the middle when it is too long for its place.
//!
//! The ends of a file's name say the most: the start tells it from others, the end has its
//! number and extension. The cut is found by measuring and kept until text or width change.

use iced::advanced::text::{self, paragraph};
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Layout, Text, Widget, layout, mouse, renderer};
use iced::{Color, Element, Font, Length, Pixels, Rectangle, Renderer, Size, Theme, alignment};

use crate::ui::theme::{TEXT, Tone};

/// The fewest characters of a cut text that are worth showing.
const LEAST: usize = 4;

type Paragraph = paragraph::Plain<<Renderer as text::Renderer>::Paragraph>;

/// A line of text, cut in the middle to fit.
pub struct CutText {
    content: String,
    size: f32,
    font: Font,
    tone: Tone,
    width: Length,
}

/// A line of text, cut in the middle to fit.
pub fn cut_text(content: impl Into<String>) -> CutText {
    CutText {
        content: content.into(),
        size: TEXT,
        font: Font::DEFAULT,
        tone: Tone::Text,
        width: Length::Shrink,
    }
}

impl CutText {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Sets the size of the text.
    pub fn size(mut self, size: f32) -> Self {
        self.size = size;
        self
    }

    /// Sets the font.
    pub fn font(mut self, font: Font) -> Self {
        self.font = font;
        self
    }

    /// Sets the tone.
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Sets the width.
    pub fn width(mut self, width: impl Into<Length>) -> Self {
        self.width = width.into();
        self
    }

    fn text<'a>(&self, content: &'a str) -> Text<&'a str, Font> {
        Text {
            content,
            bounds: Size::INFINITE,
            size: Pixels(self.size),
            line_height: super::line_height(self.size),
            font: self.font,
            align_x: text::Alignment::Default,
            align_y: alignment::Vertical::Top,
            shaping: text::Shaping::Auto,
            wrapping: text::Wrapping::None,
        }
    }

    fn fit(&self, state: &mut State, room: f32) {
        let key = (self.size, self.font);
        if state.content != self.content || state.key != Some(key) {
            state.content.clone_from(&self.content);
            state.key = Some(key);
            let _changed = state.shown.update(self.text(&self.content));
            state.full_width = state.shown.min_width();
            state.fitted = f32::INFINITY;
        }
        // Half a pixel of grace: rounding in layouts must not cut a text that fits.
        let fits = state.full_width <= room + 0.5;
        if fits {
            if state.fitted.is_finite() {
                let _changed = state.shown.update(self.text(&self.content));
                state.fitted = f32::INFINITY;
            }
        } else if state.fitted != room {
            state.fitted = room;
            self.cut(state, room);
        }
    }

    fn cut(&self, state: &mut State, room: f32) {
        let chars: Vec<char> = self.content.chars().collect();
        let (mut low, mut high) = (0, chars.len());
        while low < high {
            let keep = (low + high).div_ceil(2);
            let _changed = state.shown.update(self.text(&middle_cut(&chars, keep)));
            if state.shown.min_width() <= room {
                low = keep;
            } else {
                high = keep - 1;
            }
        }
        // Two letters and an ellipsis tell nothing: rather leave the place empty.
        let cut = if low < LEAST { String::new() } else { middle_cut(&chars, low) };
        let _changed = state.shown.update(self.text(&cut));
    }
}

/// `keep` characters of a text, with an ellipsis in place of its middle.
fn middle_cut(chars: &[char], keep: usize) -> String {
    if keep >= chars.len() {
        return chars.iter().collect();
    }
    let tail = keep * 2 / 5;
    let head = keep - tail;
    let start = chars[..head].iter().collect::<String>();
    let end = chars[chars.len() - tail..].iter().collect::<String>();
    format!("{}…{}", start.trim_end(), end.trim_start())
}

#[derive(Default)]
struct State {
    content: String,
    key: Option<(f32, Font)>,
    full_width: f32,
    /// The room that the text was cut for; infinite when it is whole.
    fitted: f32,
    shown: Paragraph,
}

impl<Message> Widget<Message, Theme, Renderer> for CutText {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::default())
    }

    fn size(&self) -> Size<Length> {
        Size::new(self.width, Length::Shrink)
    }

    fn layout(
        &mut self,
        tree: &mut Tree,
        _renderer: &Renderer,
        limits: &layout::Limits,
    ) -> layout::Node {
        layout::sized(limits, self.width, Length::Shrink, |limits| {
            let state = tree.state.downcast_mut::<State>();
            self.fit(state, limits.max().width);
            state.shown.min_bounds()
        })
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        _style: &renderer::Style,
        layout: Layout<'_>,
        _cursor: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        let state = tree.state.downcast_ref::<State>();
        let color: Color = self.tone.color(theme);
        let position = layout.bounds().position();
        // A text that changes is redrawn within its measured bounds, but its letters' edges
        // may reach a pixel further. A clear ground of that size is redrawn as well.
        let ground = renderer::Quad {
            bounds: Rectangle::new(position, state.shown.min_bounds()).expand(1.0),
            ..renderer::Quad::default()
        };
        renderer::Renderer::fill_quad(renderer, ground, Color::TRANSPARENT);
        text::Renderer::fill_paragraph(renderer, state.shown.raw(), position, color, *viewport);
    }

    fn operate(
        &mut self,
        _tree: &mut Tree,
        layout: Layout<'_>,
        _renderer: &Renderer,
        operation: &mut dyn Operation,
    ) {
        operation.text(None, layout.bounds(), &self.content);
    }
}

impl<'a, Message: 'a> From<CutText> for Element<'a, Message> {
    fn from(text: CutText) -> Self {
        Element::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::middle_cut;

    fn cut(text: &str, keep: usize) -> String {
        middle_cut(&text.chars().collect::<Vec<_>>(), keep)
    }

    #[test]
    fn both_ends_of_a_name_stay() {
        assert_eq!(cut("holiday_panorama_original.dng", 15), "holiday_p…al.dng");
        assert_eq!(cut("short.txt", 20), "short.txt");
    }

    #[test]
    fn characters_stay_whole() {
        assert_eq!(cut("старый архив.zip", 8), "стары…zip");
        assert_eq!(cut("Rīga", 0), "…");
    }
}
