//! The palette, light and dark, and the tones and type that views speak of.
//!
//! Views name tones, never colours. Whether a theme is dark decides the palette, so that iced's
//! own light and dark theme serve too when the system's choice is followed.

use iced::{Color, Font, Theme, font};
use serde::{Deserialize, Serialize};

/// The colours of one mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// The window's ground.
    pub ground: Color,
    /// Cards, panels, dialogs.
    pub panel: Color,
    /// Borders and rules.
    pub line: Color,
    /// Text.
    pub text: Color,
    /// Secondary text.
    pub quiet: Color,
    /// What can be done, what moves.
    pub accent: Color,
    /// Text and icons on the accent.
    pub on_accent: Color,
    /// The accent, half said: small bars.
    pub accent_light: Color,
    /// The ground of what is chosen.
    pub accent_ground: Color,
    /// Accent text on its ground.
    pub accent_text: Color,
    /// Waits for the user.
    pub warning: Color,
    /// The ground of a warning.
    pub warning_ground: Color,
    /// Failed.
    pub failure: Color,
    /// The ground of a failure.
    pub failure_ground: Color,
    /// Went well.
    pub good: Color,
    /// The ground of badges and empty bars.
    pub neutral: Color,
    /// Text on the neutral ground.
    pub on_neutral: Color,
    /// What lies over the window while a dialog is open.
    pub veil: Color,
}

impl Palette {
    /// The theme of iced that stands for this palette.
    fn theme(&self, name: &str) -> Theme {
        let seed = iced::theme::Palette {
            background: self.ground,
            text: self.text,
            primary: self.accent,
            success: self.good,
            warning: self.warning,
            danger: self.failure,
        };
        Theme::custom(name.to_owned(), seed)
    }
}

const fn rgb(hex: u32) -> Color {
    Color::from_rgb8((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The light palette.
pub const LIGHT: Palette = Palette {
    ground: rgb(0xF6F7F9),
    panel: rgb(0xFFFFFF),
    line: rgb(0xE3E6EB),
    text: rgb(0x1B1F26),
    quiet: rgb(0x667085),
    accent: rgb(0x0F7C8A),
    on_accent: rgb(0xFFFFFF),
    accent_light: rgb(0x8FD0D8),
    accent_ground: rgb(0xE6F4F5),
    accent_text: rgb(0x0C6F7C),
    warning: rgb(0xB45309),
    warning_ground: rgb(0xFEF3E2),
    failure: rgb(0xB42318),
    failure_ground: rgb(0xFDECEA),
    good: rgb(0x1C7C4A),
    neutral: rgb(0xEEF0F3),
    on_neutral: rgb(0x5C6679),
    veil: Color::from_rgba8(0x14, 0x17, 0x1C, 0.42),
};

/// The dark palette.
pub const DARK: Palette = Palette {
    ground: rgb(0x14171C),
    panel: rgb(0x1C2027),
    line: rgb(0x2C323C),
    text: rgb(0xE8EBF0),
    quiet: rgb(0x98A2B3),
    accent: rgb(0x35B3C2),
    on_accent: rgb(0x0B1A1D),
    accent_light: rgb(0x1F5C66),
    accent_ground: rgb(0x173238),
    accent_text: rgb(0x35B3C2),
    warning: rgb(0xF0A94B),
    warning_ground: rgb(0x33260F),
    failure: rgb(0xF1746A),
    failure_ground: rgb(0x3B1A18),
    good: rgb(0x4CC38A),
    neutral: rgb(0x2A303A),
    on_neutral: rgb(0x98A2B3),
    veil: Color::from_rgba8(0x00, 0x00, 0x00, 0.55),
};

/// The palette that goes with a theme.
pub fn palette(theme: &Theme) -> &'static Palette {
    if theme.extended_palette().is_dark { &DARK } else { &LIGHT }
}

/// Which colours the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// As the desktop has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Choice {
    /// The next choice, round and round.
    pub fn next(self) -> Choice {
        match self {
            Choice::System => Choice::Light,
            Choice::Light => Choice::Dark,
            Choice::Dark => Choice::System,
        }
    }

    /// The theme of a choice; `None` follows the system.
    pub fn theme(self) -> Option<Theme> {
        match self {
            Choice::System => None,
            Choice::Light => Some(LIGHT.theme("Ferry light")),
            Choice::Dark => Some(DARK.theme("Ferry dark")),
        }
    }
}

/// What a text, an icon or a badge wants to say by its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    #[default]
    Text,
    /// Secondary text.
    Quiet,
    /// On a neutral ground.
    Neutral,
    /// Active, chosen.
    Accent,
    /// On the accent.
    OnAccent,
    /// Waits for the user.
    Warning,
    /// Failed.
    Failure,
    /// Went well.
    Good,
}

impl Tone {
    /// The colour of text and icons in this tone.
    pub fn color(self, theme: &Theme) -> Color {
        let palette = palette(theme);
        match self {
            Tone::Text => palette.text,
            Tone::Quiet => palette.quiet,
            Tone::Neutral => palette.on_neutral,
            Tone::Accent => palette.accent_text,
            Tone::OnAccent => palette.on_accent,
            Tone::Warning => palette.warning,
            Tone::Failure => palette.failure,
            Tone::Good => palette.good,
        }
    }

    /// The ground that goes with the tone.
    pub fn ground(self, theme: &Theme) -> Color {
        let palette = palette(theme);
        match self {
            Tone::Accent => palette.accent_ground,
            Tone::OnAccent => palette.accent,
            Tone::Warning => palette.warning_ground,
            Tone::Failure => palette.failure_ground,
            Tone::Text | Tone::Quiet | Tone::Neutral | Tone::Good => palette.neutral,
        }
    }
}

/// The size of text, in logical pixels.
pub const TEXT: f32 = 13.0;
/// The size of quiet text.
pub const SMALL: f32 = 11.5;
/// The size of figures.
pub const FIGURE: f32 = 17.0;
/// The size of a title.
pub const TITLE: f32 = 20.0;
/// The corner of controls.
pub const CORNER: f32 = 8.0;
/// The corner of panels.
pub const PANEL_CORNER: f32 = 12.0;

/// The desktop's font, a little stronger: labels of controls.
pub const MEDIUM: Font = Font { weight: font::Weight::Medium, ..Font::DEFAULT };
/// The desktop's font, strong: names and titles.
pub const STRONG: Font = Font { weight: font::Weight::Semibold, ..Font::DEFAULT };

#[cfg(test)]
mod tests {
    use super::*;

    fn contrast(one: Color, other: Color) -> f32 {
        let (one, other) = (one.relative_luminance(), other.relative_luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_stands_out_from_its_ground() {
        for p in [LIGHT, DARK] {
            let pairs = [
                ("text on ground", p.text, p.ground),
                ("text on panel", p.text, p.panel),
                ("text on chosen", p.text, p.accent_ground),
                ("text on neutral", p.text, p.neutral),
                ("quiet on ground", p.quiet, p.ground),
                ("quiet on panel", p.quiet, p.panel),
                ("neutral", p.on_neutral, p.neutral),
                ("neutral on chosen", p.on_neutral, p.accent_ground),
                ("button", p.on_accent, p.accent),
                ("accent on panel", p.accent_text, p.panel),
                ("accent on chosen", p.accent_text, p.accent_ground),
                ("warning", p.warning, p.warning_ground),
                ("warning on panel", p.warning, p.panel),
                ("failure", p.failure, p.failure_ground),
                ("failure on panel", p.failure, p.panel),
                ("good", p.good, p.neutral),
                ("good on panel", p.good, p.panel),
            ];
            for (name, text, ground) in pairs {
                let ratio = contrast(text, ground);
                assert!(ratio >= 4.5, "{name}: {ratio:.2}");
            }
        }
    }

    #[test]
    fn the_choice_goes_round() {
        let mut choice = Choice::default();
        for _ in 0..3 {
            choice = choice.next();
        }
        assert_eq!(choice, Choice::System);
    }
}
