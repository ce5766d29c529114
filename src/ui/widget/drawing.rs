//! A drawing that is kept until what it shows changes.
//!
//! Not only to save work: of drawings that are not kept, iced's software renderer redraws the
//! bounds of the paths alone, without the width of their strokes, and leaves traces.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};

use iced::widget::canvas::{Cache, Frame, Geometry};
use iced::{Color, Renderer, Size};

/// A drawing and what it was made of.
#[derive(Default)]
pub struct Drawing {
    cache: Cache,
    made_of: Cell<u64>,
}

impl Drawing {
    /// The drawing; made anew when `content`, the colour or the size has changed.
    pub fn draw(
        &self,
        renderer: &Renderer,
        size: Size,
        content: impl DrawnFrom,
        draw: impl FnOnce(&mut Frame),
    ) -> Vec<Geometry> {
        let made_of = content.digest();
        if self.made_of.replace(made_of) != made_of {
            self.cache.clear();
        }
        vec![self.cache.draw(renderer, size, draw)]
    }
}

/// What a drawing is made from, as a number that changes with it.
pub trait DrawnFrom {
    /// The number.
    fn digest(self) -> u64;
}

impl DrawnFrom for Color {
    fn digest(self) -> u64 {
        (self, 0).digest()
    }
}

impl<T: Hash> DrawnFrom for (Color, T) {
    fn digest(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.into_rgba8().hash(&mut hasher);
        self.1.hash(&mut hasher);
        hasher.finish()
    }
}
