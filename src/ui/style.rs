//! How buttons, panels, fields and bars look: iced's style functions over the palette.

use iced::border::{self, Border};
use iced::overlay::menu;
use iced::widget::{button, container, pick_list, progress_bar, scrollable, text, text_input};
use iced::{Background, Color, Shadow, Theme};

use super::theme::{CORNER, PANEL_CORNER, Tone, palette};

/// Text in a tone.
pub fn tone(tone: Tone) -> impl Fn(&Theme) -> text::Style {
    move |theme| text::Style { color: Some(tone.color(theme)) }
}

/// The one button that a screen or dialog leads to.
pub fn primary(theme: &Theme, status: button::Status) -> button::Style {
    let palette = palette(theme);
    let ground = match status {
        button::Status::Hovered => mix(palette.accent, palette.text, 0.12),
        button::Status::Pressed => mix(palette.accent, palette.text, 0.22),
        button::Status::Active => palette.accent,
        button::Status::Disabled => palette.neutral,
    };
    let text_color =
        if status == button::Status::Disabled { palette.on_neutral } else { palette.on_accent };
    flat(Some(ground), text_color, border::rounded(CORNER))
}

/// A plain button with a border.
pub fn plain(theme: &Theme, status: button::Status) -> button::Style {
    let palette = palette(theme);
    let border = Border { color: palette.line, width: 1.0, radius: CORNER.into() };
    let text_color =
        if status == button::Status::Disabled { palette.on_neutral } else { palette.text };
    flat(Some(over(palette.panel, theme, status)), text_color, border)
}

/// A plain button in a tone: what a banner leads to.
pub fn outlined(tone: Tone) -> impl Fn(&Theme, button::Status) -> button::Style {
    move |theme, status| {
        let color = tone.color(theme);
        let ground = match status {
            button::Status::Hovered => mix(tone.ground(theme), color, 0.10),
            button::Status::Pressed => mix(tone.ground(theme), color, 0.18),
            _ => tone.ground(theme),
        };
        let border = Border { color, width: 1.0, radius: CORNER.into() };
        flat(Some(ground), color, border)
    }
}

/// A button without a border, such as an icon alone.
pub fn bare(theme: &Theme, status: button::Status) -> button::Style {
    let palette = palette(theme);
    let ground = match status {
        button::Status::Hovered | button::Status::Pressed => {
            Some(over(palette.panel, theme, status))
        }
        _ => None,
    };
    flat(ground, palette.quiet, border::rounded(CORNER))
}

/// A tab: chosen or not.
pub fn tab(chosen: bool) -> impl Fn(&Theme, button::Status) -> button::Style {
    move |theme, status| {
        let palette = palette(theme);
        if chosen {
            flat(Some(palette.accent_ground), palette.accent_text, border::rounded(CORNER))
        } else {
            bare(theme, status)
        }
    }
}

/// One of several choices that stand together.
pub fn segment(chosen: bool) -> impl Fn(&Theme, button::Status) -> button::Style {
    move |theme, status| {
        let palette = palette(theme);
        if chosen {
            let border = Border { color: palette.line, width: 1.0, radius: 6.0.into() };
            flat(Some(palette.panel), palette.text, border)
        } else {
            let ground = (status == button::Status::Hovered)
                .then(|| mix(palette.neutral, palette.text, 0.05));
            flat(ground, palette.on_neutral, border::rounded(6.0))
        }
    }
}

/// A row that can be chosen.
pub fn choosable(chosen: bool) -> impl Fn(&Theme, button::Status) -> button::Style {
    move |theme, status| {
        let palette = palette(theme);
        let ground =
            if chosen { palette.accent_ground } else { over(palette.panel, theme, status) };
        flat(Some(ground), palette.text, border::rounded(CORNER))
    }
}

/// A job's card.
pub fn card(chosen: bool) -> impl Fn(&Theme, button::Status) -> button::Style {
    move |theme, status| {
        let palette = palette(theme);
        let border = if chosen {
            Border { color: palette.accent, width: 2.0, radius: PANEL_CORNER.into() }
        } else {
            let color = match status {
                button::Status::Hovered | button::Status::Pressed => {
                    mix(palette.line, palette.quiet, 0.35)
                }
                _ => palette.line,
            };
            Border { color, width: 1.0, radius: PANEL_CORNER.into() }
        };
        flat(Some(palette.panel), palette.text, border)
    }
}

/// A panel with a border.
pub fn panel(theme: &Theme) -> container::Style {
    let palette = palette(theme);
    container::Style {
        background: Some(palette.panel.into()),
        border: Border { color: palette.line, width: 1.0, radius: PANEL_CORNER.into() },
        text_color: Some(palette.text),
        ..container::Style::default()
    }
}

/// The head of the window.
pub fn header(theme: &Theme) -> container::Style {
    container::background(palette(theme).panel)
}

/// The ground of choices that stand together.
pub fn segments(theme: &Theme) -> container::Style {
    container::Style {
        background: Some(palette(theme).neutral.into()),
        border: border::rounded(CORNER),
        ..container::Style::default()
    }
}

/// A line between parts.
pub fn line(theme: &Theme) -> container::Style {
    container::background(palette(theme).line)
}

/// A small ground in a tone: badges and banners.
pub fn ground(tone: Tone, radius: f32) -> impl Fn(&Theme) -> container::Style {
    move |theme| container::Style {
        background: Some(tone.ground(theme).into()),
        border: border::rounded(radius),
        text_color: Some(tone.color(theme)),
        ..container::Style::default()
    }
}

/// A dialog. It casts no shadow: iced's software renderer draws shadows beyond the part of
/// the window that it redraws, over what is already there.
pub fn dialog(theme: &Theme) -> container::Style {
    let palette = palette(theme);
    container::Style {
        background: Some(palette.panel.into()),
        border: Border { color: palette.line, width: 1.0, radius: 16.0.into() },
        text_color: Some(palette.text),
        ..container::Style::default()
    }
}

/// What lies over the window while a dialog is open.
pub fn veil(theme: &Theme) -> container::Style {
    container::background(palette(theme).veil)
}

/// A tooltip.
pub fn tooltip(theme: &Theme) -> container::Style {
    let palette = palette(theme);
    container::Style {
        background: Some(palette.text.into()),
        text_color: Some(palette.panel),
        border: border::rounded(6.0),
        ..container::Style::default()
    }
}

/// A text field; `bad` while its text is refused.
pub fn field(bad: bool) -> impl Fn(&Theme, text_input::Status) -> text_input::Style {
    move |theme, status| {
        let palette = palette(theme);
        let (color, width) = match status {
            _ if bad => (palette.failure, 1.5),
            text_input::Status::Focused { .. } => (palette.accent, 1.5),
            text_input::Status::Hovered => (mix(palette.line, palette.quiet, 0.4), 1.0),
            _ => (palette.line, 1.0),
        };
        text_input::Style {
            background: palette.panel.into(),
            border: Border { color, width, radius: CORNER.into() },
            icon: palette.quiet,
            placeholder: palette.quiet,
            value: palette.text,
            selection: palette.accent_light,
        }
    }
}

/// A progress bar, in the accent or in another tone.
pub fn bar(kind: BarKind) -> impl Fn(&Theme) -> progress_bar::Style {
    move |theme| {
        let palette = palette(theme);
        let bar = match kind {
            BarKind::Job => palette.accent,
            BarKind::Entry => palette.accent_light,
            BarKind::Resting => mix(palette.accent, palette.neutral, 0.45),
        };
        progress_bar::Style {
            background: palette.neutral.into(),
            bar: bar.into(),
            border: border::rounded(4.0),
        }
    }
}

/// What a bar tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarKind {
    /// A job.
    Job,
    /// One entry in work.
    Entry,
    /// A job that does not move now.
    Resting,
}

/// Scroll bars: a thin thumb, no rail.
pub fn scroller(theme: &Theme, status: scrollable::Status) -> scrollable::Style {
    let hovered = matches!(
        status,
        scrollable::Status::Dragged { .. }
            | scrollable::Status::Hovered { is_vertical_scrollbar_hovered: true, .. }
    );
    let thumb = thumb(theme, hovered);
    let rail = scrollable::Rail {
        background: None,
        border: Border::default(),
        scroller: scrollable::Scroller { background: thumb.into(), border: border::rounded(3.0) },
    };
    scrollable::Style {
        container: container::Style::default(),
        vertical_rail: rail,
        horizontal_rail: rail,
        gap: None,
        auto_scroll: scrollable::AutoScroll {
            background: Background::Color(palette(theme).panel),
            border: border::rounded(16.0),
            shadow: Shadow::default(),
            icon: palette(theme).quiet,
        },
    }
}

/// The colour of a scroll bar's thumb.
pub fn thumb(theme: &Theme, hovered: bool) -> Color {
    let palette = palette(theme);
    mix(palette.line, palette.quiet, if hovered { 0.8 } else { 0.35 })
}

fn flat(ground: Option<Color>, text_color: Color, border: Border) -> button::Style {
    button::Style {
        background: ground.map(Background::Color),
        text_color,
        border,
        shadow: Shadow::default(),
        snap: true,
    }
}

fn over(ground: Color, theme: &Theme, status: button::Status) -> Color {
    let text = palette(theme).text;
    match status {
        button::Status::Hovered => mix(ground, text, 0.05),
        button::Status::Pressed => mix(ground, text, 0.10),
        _ => ground,
    }
}

/// Between two colours: 0 is the first, 1 the second.
pub fn mix(one: Color, other: Color, share: f32) -> Color {
    let between = |a: f32, b: f32| a + (b - a) * share;
    Color {
        r: between(one.r, other.r),
        g: between(one.g, other.g),
        b: between(one.b, other.b),
        a: between(one.a, other.a),
    }
}

/// An entry in work, above the list.
pub fn working(theme: &Theme) -> container::Style {
    container::background(mix(palette(theme).panel, palette(theme).accent_ground, 0.5))
}

/// A text field inside a [`field_box`].
pub fn bare_field(theme: &Theme, status: text_input::Status) -> text_input::Style {
    let mut look = field(false)(theme, status);
    look.background = Color::TRANSPARENT.into();
    look.border = Border::default();
    look
}

/// The box around a field with a sign; stronger while it holds something.
pub fn field_box(filled: bool) -> impl Fn(&Theme) -> container::Style {
    move |theme| {
        let palette = palette(theme);
        let color = if filled { palette.accent } else { palette.line };
        container::Style {
            background: Some(palette.panel.into()),
            border: Border { color, width: 1.0, radius: CORNER.into() },
            ..container::Style::default()
        }
    }
}

/// The square of a tick.
pub fn tick(ticked: bool) -> impl Fn(&Theme) -> container::Style {
    move |theme| {
        let palette = palette(theme);
        let (ground, color) =
            if ticked { (palette.accent, palette.accent) } else { (palette.panel, palette.quiet) };
        container::Style {
            background: Some(ground.into()),
            border: Border { color, width: 1.0, radius: 4.0.into() },
            ..container::Style::default()
        }
    }
}

/// A button that looks like plain text.
pub fn unframed(theme: &Theme, _status: button::Status) -> button::Style {
    flat(None, palette(theme).text, Border::default())
}

/// A row that the keyboard stands on.
pub fn chosen_row(chosen: bool) -> impl Fn(&Theme) -> container::Style {
    move |theme| container::Style {
        background: chosen.then(|| palette(theme).accent_ground.into()),
        border: border::rounded(CORNER),
        ..container::Style::default()
    }
}

/// A row of a table: selected, or where the keyboard stands.
pub fn table_row(selected: bool, stands: bool) -> impl Fn(&Theme) -> container::Style {
    move |theme| {
        let palette = palette(theme);
        let ground = match (selected, stands) {
            (true, false) => Some(palette.accent_ground),
            (true, true) => Some(mix(palette.accent_ground, palette.accent, 0.12)),
            (false, true) => Some(mix(palette.panel, palette.text, 0.05)),
            (false, false) => None,
        };
        container::Style {
            background: ground.map(Background::Color),
            ..container::Style::default()
        }
    }
}

/// A field with a list that opens.
pub fn choice(theme: &Theme, status: pick_list::Status) -> pick_list::Style {
    let palette = palette(theme);
    let color = match status {
        pick_list::Status::Opened { .. } => palette.accent,
        pick_list::Status::Hovered => mix(palette.line, palette.quiet, 0.4),
        pick_list::Status::Active => palette.line,
    };
    pick_list::Style {
        // The words lie over it: see `widget::choice`.
        text_color: Color::TRANSPARENT,
        placeholder_color: Color::TRANSPARENT,
        handle_color: Color::TRANSPARENT,
        background: palette.panel.into(),
        border: Border { color, width: 1.0, radius: CORNER.into() },
    }
}

/// The list that opens.
pub fn menu(theme: &Theme) -> menu::Style {
    let palette = palette(theme);
    menu::Style {
        background: palette.panel.into(),
        border: Border { color: palette.line, width: 1.0, radius: CORNER.into() },
        text_color: palette.text,
        selected_text_color: palette.accent_text,
        selected_background: palette.accent_ground.into(),
        shadow: Shadow::default(),
    }
}
