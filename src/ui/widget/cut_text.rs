//! A line of text that is cut in the middle when it is too long for its place, or gives way
//! to a shorter one.
//!
//! The ends of a file's name say the most: the start tells it from others, the end has its
//! number and extension. Sentences and numbers are not for cutting: they have shorter forms.
//! What fits is found by measuring and kept until text or width change.

use std::cell::Cell;
use std::rc::Rc;

use iced::advanced::text::{self, paragraph};
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Layout, Text, Widget, layout, mouse, renderer};
use iced::{Color, Element, Font, Length, Pixels, Rectangle, Renderer, Size, Theme, alignment};

use super::around::{Around, Place, around};
use crate::ui::theme::{TEXT, Tone};

/// The fewest characters of a cut text that are worth showing.
const LEAST: usize = 4;

type Paragraph = paragraph::Plain<<Renderer as text::Renderer>::Paragraph>;

/// A line of text, cut in the middle to fit.
pub struct CutText {
    /// The whole text, then shorter ones, of which the last is cut where nothing fits.
    contents: Vec<String>,
    size: f32,
    font: Font,
    tone: Tone,
    width: Length,
    /// Is told whether something of the text is left out.
    told: Option<Rc<Cell<bool>>>,
}

/// A line of text, cut in the middle to fit.
pub fn cut_text(content: impl Into<String>) -> CutText {
    CutText {
        contents: vec![content.into()],
        size: TEXT,
        font: Font::DEFAULT,
        tone: Tone::Text,
        width: Length::Shrink,
        told: None,
    }
}

/// The same with words that appear when the pointer rests on it, where it is cut: a whole
/// text needs no words that repeat it.
pub fn cut_tip<'a, Message: 'a>(text: CutText, words: String) -> Element<'a, Message> {
    let is_cut = Rc::new(Cell::new(false));
    let text = CutText { told: Some(Rc::clone(&is_cut)), ..text };
    around(WhenCut { is_cut }, super::tip(text, words))
}

struct WhenCut {
    is_cut: Rc<Cell<bool>>,
}

impl<Message> Around<Message> for WhenCut {
    fn seen(
        &self,
        _state: &tree::State,
        place: Place,
        viewport: Rectangle,
    ) -> (mouse::Cursor, Rectangle) {
        let cursor = if self.is_cut.get() { place.cursor } else { mouse::Cursor::Unavailable };
        (cursor, viewport)
    }
}

impl CutText {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.contents.iter().all(String::is_empty)
    }

    /// A shorter text for where there is no room for what came before.
    pub fn or(mut self, shorter: impl Into<String>) -> Self {
        self.contents.push(shorter.into());
        self
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
        if state.contents != self.contents || state.key != Some(key) {
            state.contents.clone_from(&self.contents);
            state.key = Some(key);
            state.widths.clear();
        }
        // Half a pixel of grace: rounding in layouts must not cut a text that fits.
        let whole = (0..self.contents.len()).find(|&at| self.measured(state, at) <= room + 0.5);
        let wanted = whole.map_or(Fitted::Cut(room), Fitted::Whole);
        if state.fitted != Some(wanted) {
            match wanted {
                Fitted::Whole(at) => {
                    let _changed = state.shown.update(self.text(&self.contents[at]));
                }
                Fitted::Cut(room) => self.cut(state, room),
            }
            state.fitted = Some(wanted);
        }
        if let Some(told) = &self.told {
            told.set(wanted != Fitted::Whole(0));
        }
    }

    /// How wide the whole of a text is.
    fn measured(&self, state: &mut State, at: usize) -> f32 {
        while state.widths.len() <= at {
            let _changed = state.shown.update(self.text(&self.contents[state.widths.len()]));
            state.widths.push(state.shown.min_width());
            state.fitted = None;
        }
        state.widths[at]
    }

    fn cut(&self, state: &mut State, room: f32) {
        let Some(shortest) = self.contents.last() else { return };
        let chars: Vec<char> = shortest.chars().collect();
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
    contents: Vec<String>,
    key: Option<(f32, Font)>,
    /// The widths of the texts that have been measured.
    widths: Vec<f32>,
    fitted: Option<Fitted>,
    shown: Paragraph,
}

/// What is shown.
#[derive(Clone, Copy, PartialEq)]
enum Fitted {
    /// The whole of a text.
    Whole(usize),
    /// What is left of the shortest one in so much room.
    Cut(f32),
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
        if let Some(whole) = self.contents.first() {
            operation.text(None, layout.bounds(), whole);
        }
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
