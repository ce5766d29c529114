//! What is seen of Ferry's window: its colours tell what it shows and where its buttons are.

use std::ops::RangeInclusive;

use ferry::ui::theme::{DARK, LIGHT, Palette};

use crate::picture::{Area, Picture, Rgb, close};

/// How high a button is in pixels.
const BUTTON: RangeInclusive<usize> = 30..=34;
/// How high the inside of a framed button or of a field is.
const FRAMED: RangeInclusive<usize> = 27..=34;
/// The same in a banner, where buttons are lower.
const IN_BANNER: RangeInclusive<usize> = 24..=34;
/// How high the inside of a field in a table is.
const IN_TABLE: RangeInclusive<usize> = 22..=26;
/// How high the inside of the square for a tick is.
const TICK: RangeInclusive<usize> = 12..=18;
/// The rows of the window in which the buttons of the chosen job are.
const TITLE: RangeInclusive<usize> = 56..=140;

/// The colours of the theme as the screen has them.
#[derive(Clone, Copy)]
pub struct Colours {
    pub ground: Rgb,
    pub panel: Rgb,
    pub accent: Rgb,
    pub warning_ground: Rgb,
    pub failure: Rgb,
    pub failure_ground: Rgb,
    /// The ground while a dialog is open.
    veiled: Rgb,
    /// The ground while files are held over the window.
    hovered: Rgb,
}

/// The two themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// Its colours.
    pub fn colours(self) -> Colours {
        match self {
            Theme::Light => Colours::of(&LIGHT),
            Theme::Dark => Colours::of(&DARK),
        }
    }
}

impl Colours {
    fn of(palette: &Palette) -> Colours {
        let rgb = |[red, green, blue, _]: [u8; 4]| {
            Rgb::from(red) << 16 | Rgb::from(green) << 8 | Rgb::from(blue)
        };
        let ground = rgb(palette.ground.into_rgba8());
        let (veil, accent) = (palette.veil, palette.accent);
        Colours {
            ground,
            panel: rgb(palette.panel.into_rgba8()),
            accent: rgb(accent.into_rgba8()),
            warning_ground: rgb(palette.warning_ground.into_rgba8()),
            failure: rgb(palette.failure.into_rgba8()),
            failure_ground: rgb(palette.failure_ground.into_rgba8()),
            veiled: mixed(ground, rgb(veil.into_rgba8()), veil.a),
            hovered: mixed(ground, rgb(accent.into_rgba8()), 0.14),
        }
    }
}

/// A colour with some of another over it.
fn mixed(below: Rgb, above: Rgb, share: f32) -> Rgb {
    let part = |shift: u32| {
        let (below, above) = ((below >> shift & 0xFF) as f32, (above >> shift & 0xFF) as f32);
        ((below + (above - below) * share).round() as Rgb) << shift
    };
    part(16) | part(8) | part(0)
}

/// A look at the window.
pub struct Seen {
    /// The window.
    pub picture: Picture,
    /// The colours that it should have.
    pub colours: Colours,
}

impl Seen {
    /// Whether a dialog is open.
    pub fn has_dialog(&self) -> bool {
        close(self.corner(), self.colours.veiled)
    }

    /// Whether files are held over the window.
    pub fn is_hovered(&self) -> bool {
        close(self.picture.at(12, self.picture.height - 12), self.colours.hovered)
    }

    /// The ground beside the list of jobs, where nothing else ever is.
    pub fn corner(&self) -> Rgb {
        self.picture.at(3, self.picture.height - 4)
    }

    /// The buttons that the window or a dialog leads to, from top to bottom.
    pub fn primary(&self) -> Vec<Area> {
        self.picture.blocks(self.colours.accent, BUTTON)
    }

    /// Plain buttons and fields, row by row.
    pub fn plain(&self) -> Vec<Vec<Area>> {
        rows(self.picture.blocks(self.colours.panel, FRAMED))
    }

    /// The fields for the answers in the table of taken names: they stand in a column.
    pub fn answers(&self) -> Vec<Area> {
        let mut fields = self.picture.blocks(self.colours.panel, IN_TABLE);
        fields.retain(|field| field.width > 140);
        let column = fields.last().map(|field| field.x);
        fields.retain(|field| Some(field.x) == column);
        fields
    }

    /// The field of a dialog: what is plain and widest.
    pub fn field(&self) -> Option<Area> {
        self.plain().concat().into_iter().max_by_key(|area| area.width)
    }

    /// Whether that field has the keyboard: its frame is in the accent then.
    pub fn field_has_keyboard(&self) -> bool {
        let Some(field) = self.field().filter(|_| self.has_dialog()) else { return false };
        let green = |colour: Rgb| (colour >> 8 & 0xFF) as i32;
        let (panel, accent) = (green(self.colours.panel), green(self.colours.accent));
        let (_, y) = field.middle();
        let frame = field.x.saturating_sub(3)..field.x;
        frame.into_iter().any(|x| {
            // The frame may lie between two pixels: half an accent is enough.
            2 * (green(self.picture.at(x, y)) - panel).abs() >= (accent - panel).abs()
        })
    }

    /// Squares without a tick.
    pub fn ticks(&self) -> Vec<Area> {
        let mut squares = self.picture.blocks(self.colours.panel, TICK);
        squares.retain(|square| square.width.abs_diff(square.height) <= 1);
        squares
    }

    /// Whether the dialog about a taken name offers its common ways: skip, which Enter
    /// presses, so that it is filled; keep both, rename, replace; later, and the list of all
    /// where others are asked about.
    pub fn asks_about_a_name(&self) -> bool {
        let rows: Vec<usize> = self.plain().iter().map(Vec::len).collect();
        self.has_dialog() && self.primary().len() == 1 && matches!(rows[..], [3, 1 | 2])
    }

    /// The button of the banner that waits for the user.
    pub fn decide(&self) -> Option<Area> {
        self.picture.blocks(self.colours.warning_ground, IN_BANNER).pop()
    }

    /// Whether something is marked as failed.
    pub fn has_failure(&self) -> bool {
        self.picture.count(self.colours.failure_ground) > 100
    }

    /// Whether something is refused: there are words about it.
    pub fn has_refusal(&self) -> bool {
        self.picture.count(self.colours.failure) > 20
    }

    /// Whether the chosen job has ended: it can only be removed now, not paused or cancelled.
    pub fn has_ended(&self) -> bool {
        let mut buttons = self.plain().concat();
        buttons.retain(|button| TITLE.contains(&button.y));
        buttons.len() == 1 && !self.has_dialog()
    }

    /// Whether the colours are the right ones, without a dialog.
    pub fn has_its_ground(&self) -> bool {
        close(self.corner(), self.colours.ground)
    }
}

/// Areas side by side make a row.
fn rows(mut areas: Vec<Area>) -> Vec<Vec<Area>> {
    areas.sort_by_key(|area| (area.y, area.x));
    let mut rows: Vec<Vec<Area>> = Vec::new();
    for area in areas {
        match rows.last_mut() {
            Some(row) if row[0].y.abs_diff(area.y) <= 3 => row.push(area),
            _ => rows.push(vec![area]),
        }
    }
    for row in &mut rows {
        row.sort_by_key(|area| area.x);
    }
    rows
}
