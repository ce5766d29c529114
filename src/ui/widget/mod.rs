//! The small parts that views are made of: text, buttons, badges, bars.

mod afresh;
mod around;
mod curve;
mod cut_text;
mod drawing;
mod middle;
mod path_field;
mod pressed;
mod ring;
mod rows;
mod sorter;

use std::time::Duration;

use iced::widget::{
    Button, Container, PickList, Scrollable, Text, button, center_y, container, pick_list,
    progress_bar, row, scrollable, space, stack, text, text_input, tooltip,
};
use iced::{Center, Element, Fill, Length, Theme};

pub use afresh::afresh;
pub use around::{Around, Content, Place, around};
pub use curve::curve;
pub use cut_text::{CutText, cut_text, cut_tip};
pub use drawing::{Drawing, DrawnFrom};
pub use middle::middle;
pub use path_field::path_field;
pub use pressed::pressed;
pub use ring::{ring, yielding, yielding_ring};
pub use rows::{Fit, Offset, rows};
pub use sorter::sorter;

use super::icon::{self, Icon, icon};
use super::style::{self, BarKind};
use super::theme::{FIGURE, MEDIUM, SMALL, STRONG, TEXT, Tone};

/// The height of buttons and fields.
pub const CONTROL: f32 = 32.0;

/// The field that finds something in a list; `marked` when it has the focus or a word.
pub fn find_field<'a, Message: Clone + 'a>(
    id: &'static str,
    word: &str,
    marked: bool,
    on_input: impl Fn(String) -> Message + 'a,
) -> Container<'a, Message> {
    let field = text_input(&crate::words::text("window-find"), word)
        .id(iced::widget::Id::new(id))
        .on_input(on_input)
        .size(TEXT)
        .line_height(line_height(TEXT))
        .padding([5, 2])
        .style(style::bare_field);
    let content = row![icon(Icon::Search, Tone::Quiet), field].spacing(4).align_y(Center);
    container(content).padding([0, 10]).style(style::field_box(marked))
}

/// Text.
pub fn label<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    sized(content, TEXT)
}

/// Text of a size, in a line of whole pixels: what stands below would else have its hairlines
/// smeared over two rows of pixels.
pub fn sized<'a>(content: impl text::IntoFragment<'a>, size: f32) -> Text<'a> {
    text(content).size(size).line_height(line_height(size))
}

/// The height of a line of text of a size, in whole pixels.
pub fn line_height(size: f32) -> text::LineHeight {
    text::LineHeight::Absolute((size * 1.3).round().into())
}

/// Secondary text.
pub fn quiet<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    toned(content, Tone::Quiet)
}

/// Text in a tone.
pub fn toned<'a>(content: impl text::IntoFragment<'a>, tone: Tone) -> Text<'a> {
    label(content).style(style::tone(tone))
}

/// Small secondary text.
pub fn small<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    sized(content, SMALL).style(style::tone(Tone::Quiet))
}

/// Strong text.
pub fn strong<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    label(content).font(STRONG)
}

/// The title of a dialog.
pub fn heading<'a>(content: impl text::IntoFragment<'a>) -> Text<'a> {
    sized(content, FIGURE).font(STRONG)
}

/// A word or two on a small ground.
pub fn badge<'a, Message: 'a>(
    content: impl text::IntoFragment<'a>,
    tone: Tone,
) -> Element<'a, Message> {
    container(sized(content, SMALL).font(MEDIUM).wrapping(text::Wrapping::None))
        .padding([2, 7])
        .style(style::ground(tone, 6.0))
        .into()
}

/// A badge that can be pressed.
pub fn badge_button<'a, Message: Clone + 'a>(
    content: impl text::IntoFragment<'a>,
    tone: Tone,
    on_press: Message,
) -> Element<'a, Message> {
    let content = sized(content, SMALL).font(MEDIUM).wrapping(text::Wrapping::None);
    button(content)
        .padding([2, 7])
        .style(move |theme: &Theme, status| {
            let mut look = style::outlined(tone)(theme, status);
            look.border.width = 0.0;
            look.border.radius = 6.0.into();
            look
        })
        .on_press(on_press)
        .into()
}

/// What a button is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What the screen or dialog leads to.
    Primary,
    /// One of several ways.
    Plain,
    /// What a banner leads to.
    Outlined(Tone),
    /// Beside the way.
    Bare,
    /// One of the rarer ways.
    Link,
}

/// A button with words; without a message it cannot be pressed.
pub fn control<'a, Message: Clone + 'a>(
    kind: Kind,
    sign: Option<Icon>,
    words: impl Into<CutText>,
    on_press: Option<Message>,
) -> Button<'a, Message> {
    let tone = match kind {
        _ if on_press.is_none() => Tone::Neutral,
        Kind::Primary => Tone::OnAccent,
        Kind::Outlined(tone) => tone,
        Kind::Plain => Tone::Text,
        Kind::Bare => Tone::Quiet,
        Kind::Link => Tone::Accent,
    };
    let words = words.into();
    let words = (!words.is_empty()).then(|| words.font(MEDIUM).tone(tone));
    let content = row![sign.map(|sign| icon(sign, tone)), words].spacing(8).align_y(Center);
    button(center_y(content).width(Length::Shrink).height(Fill))
        .height(CONTROL)
        .padding([0, 12])
        .style(move |theme: &Theme, status| match kind {
            Kind::Primary => style::primary(theme, status),
            Kind::Plain => style::plain(theme, status),
            Kind::Outlined(tone) => style::outlined(tone)(theme, status),
            Kind::Bare | Kind::Link => style::bare(theme, status),
        })
        .on_press_maybe(on_press)
}

/// A button that is only a sign; its tooltip says what it does.
pub fn sign_button<'a, Message: Clone + 'a>(
    sign: Icon,
    tip_words: String,
    on_press: Message,
) -> Element<'a, Message> {
    let press = button(container(icon(sign, Tone::Quiet)).center(Fill))
        .width(28)
        .height(28)
        .padding(0)
        .style(style::bare)
        .on_press(on_press);
    tip(press, tip_words)
}

/// A box with a tick, and words beside it.
pub fn tick<'a, Message: Clone + 'a>(
    ticked: bool,
    words: String,
    on_press: Message,
) -> Element<'a, Message> {
    let sign: Element<'a, Message> = if ticked {
        container(icon::sized(Icon::Check, 12.0, Tone::OnAccent)).center(16).into()
    } else {
        space().width(16).height(16).into()
    };
    let square = container(sign).style(style::tick(ticked));
    let words = (!words.is_empty()).then(|| label(words));
    let content = row![square].push(words).spacing(8).align_y(Center);
    button(container(content).center_y(Fill))
        .height(28)
        .padding([0, 2])
        .style(style::unframed)
        .on_press(on_press)
        .into()
}

/// One of several values, chosen from a list that opens.
pub fn choice<'a, T: Clone + PartialEq + ToString + 'a, Message: Clone + 'a>(
    offered: Vec<T>,
    chosen: T,
    on_choose: impl Fn(T) -> Message + 'a,
) -> Element<'a, Message> {
    let face = face(&chosen);
    stack![list_of(offered, chosen, on_choose).padding([7, 10]), face].into()
}

/// The same where it is to be known that the list is open: `on_turn` is told when it opens
/// and when it is closed without a choice. Another count of `closings` closes it.
pub fn turning_choice<'a, T: Clone + PartialEq + ToString + 'a, Message: Clone + 'a>(
    closings: u64,
    offered: Vec<T>,
    chosen: T,
    on_choose: impl Fn(T) -> Message + 'a,
    on_turn: impl Fn(bool) -> Message,
) -> Element<'a, Message> {
    let face = face(&chosen);
    let list = list_of(offered, chosen, on_choose).on_open(on_turn(true)).on_close(on_turn(false));
    stack![afresh(closings, list), face].into()
}

fn list_of<'a, T: Clone + PartialEq + ToString + 'a, Message: Clone + 'a>(
    offered: Vec<T>,
    chosen: T,
    on_choose: impl Fn(T) -> Message + 'a,
) -> PickList<'a, T, Vec<T>, T, Message> {
    pick_list(offered, Some(chosen), on_choose)
        .text_size(TEXT)
        .text_line_height(line_height(TEXT))
        .padding([4, 10])
        .width(Fill)
        .handle(pick_list::Handle::None)
        .style(style::choice)
        .menu_style(style::menu)
}

/// The words and the sign on a field with a list. They lie over it, for iced's own words are
/// redrawn in half their height only when they change: text that is centred at a point is
/// taken for one that begins there.
fn face<'a, Message: 'a>(chosen: &impl ToString) -> Element<'a, Message> {
    let sign = icon::sized(Icon::Down, 12.0, Tone::Quiet);
    let words = cut_text(chosen.to_string()).width(Fill);
    let face = row![words, sign].spacing(6).align_y(Center);
    container(face).padding([0, 10]).center_y(Fill).into()
}

/// Words that appear when the pointer rests on something.
pub fn tip<'a, Message: 'a>(
    content: impl Into<Element<'a, Message>>,
    words: String,
) -> Element<'a, Message> {
    tooltip(content, text(words).size(SMALL), tooltip::Position::Bottom)
        .gap(4)
        .padding(6)
        .delay(Duration::from_millis(500))
        .style(style::tooltip)
        .into()
}

/// Something that can be scrolled, with a thin bar.
pub fn scroll<'a, Message: 'a>(
    content: impl Into<Element<'a, Message>>,
) -> Scrollable<'a, Message> {
    let thin = scrollable::Scrollbar::new().width(6).scroller_width(6).margin(2);
    scrollable(content).direction(scrollable::Direction::Vertical(thin)).style(style::scroller)
}

/// A bar, 8 px high for jobs and 4 px for entries; `None` is not known yet.
pub fn bar<'a, Message: 'a>(kind: BarKind, fraction: Option<f64>) -> Element<'a, Message> {
    let girth = if kind == BarKind::Entry { 4.0 } else { 8.0 };
    let value = fraction.unwrap_or(0.0).clamp(0.0, 1.0) as f32;
    progress_bar(0.0..=1.0, value).girth(girth).length(Fill).style(style::bar(kind)).into()
}

/// A line across.
pub fn line<'a, Message: 'a>() -> Element<'a, Message> {
    container(iced::widget::space()).width(Fill).height(1).style(style::line).into()
}

/// A line from top to bottom.
pub fn upright<'a, Message: 'a>(height: impl Into<Length>) -> Element<'a, Message> {
    container(iced::widget::space()).width(1).height(height).style(style::line).into()
}

impl From<String> for CutText {
    fn from(content: String) -> Self {
        cut_text(content)
    }
}
