//! The icons, drawn for Ferry: SVG with one stroke width, coloured by the theme.

use iced::widget::{Svg, svg};

use super::theme::Tone;

macro_rules! icons {
    ($($(#[$doc:meta])* $name:ident = $file:literal,)*) => {
        /// An icon by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Icon {
            $($(#[$doc])* $name,)*
        }

        impl Icon {
            fn bytes(self) -> &'static [u8] {
                match self {
                    $(Icon::$name => {
                        include_bytes!(concat!("../../assets/icons/", $file, ".svg"))
                    })*
                }
            }
        }
    };
}

icons! {
    /// Add.
    Plus = "plus",
    /// A folder.
    Folder = "folder",
    /// A file.
    File = "file",
    /// A symbolic link.
    Link = "link",
    /// Pause.
    Pause = "pause",
    /// Go on.
    Play = "play",
    /// Cancel, remove.
    Cross = "cross",
    /// Done.
    Check = "check",
    /// Waits for an answer.
    Question = "question",
    /// Failed.
    Warning = "warning",
    /// Find.
    Search = "search",
    /// From here to there.
    Arrow = "arrow",
    /// Skip.
    Skip = "skip",
    /// Light colours.
    Sun = "sun",
    /// Dark colours.
    Moon = "moon",
    /// The system's colours.
    Contrast = "contrast",
    /// Earlier.
    Up = "up",
    /// Later.
    Down = "down",
    /// The one before.
    Previous = "previous",
    /// The one after.
    Next = "next",
    /// A file system.
    Drive = "drive",
    /// A removable device.
    Stick = "stick",
    /// The home folder.
    Home = "home",
    /// Try again.
    Retry = "retry",
    /// Copy, keep both.
    Copy = "copy",
    /// Move.
    Move = "move",
    /// Rename.
    Pencil = "pencil",
    /// Waits.
    Clock = "clock",
    /// Settings.
    Gear = "gear",
    /// Undo.
    Undo = "undo",
    /// The ferry itself.
    Ferry = "ferry",
}

/// An icon of 16 px in a tone.
pub fn icon<'a>(icon: Icon, tone: Tone) -> Svg<'a> {
    sized(icon, 16.0, tone)
}

/// An icon of another size in a tone.
pub fn sized<'a>(icon: Icon, size: f32, tone: Tone) -> Svg<'a> {
    Svg::new(svg::Handle::from_memory(icon.bytes()))
        .width(size)
        .height(size)
        .style(move |theme, _status| svg::Style { color: Some(tone.color(theme)) })
}
