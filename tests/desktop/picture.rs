//! What is on the screen, and where in it something is: blocks of one colour.

use std::collections::HashSet;
use std::ops::RangeInclusive;

/// A colour, `0xRRGGBB`.
pub type Rgb = u32;

/// Whether two colours are the same but for rounding.
pub fn close(one: Rgb, other: Rgb) -> bool {
    [16, 8, 0].iter().all(|shift| (one >> shift & 0xFF).abs_diff(other >> shift & 0xFF) <= 3)
}

/// A part of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    pub x: usize,
    pub y: usize,
    pub width: usize,
    pub height: usize,
}

impl Area {
    /// Its middle.
    pub fn middle(&self) -> (usize, usize) {
        (self.x + self.width / 2, self.y + self.height / 2)
    }

    /// The same moved.
    pub fn moved(self, (x, y): (usize, usize)) -> Area {
        Area { x: self.x + x, y: self.y + y, ..self }
    }
}

/// A part of the screen as the screen keeps it: blue, green, red and nothing, row by row.
#[derive(PartialEq, Eq)]
pub struct Frame {
    width: usize,
    bytes: Vec<u8>,
}

impl Frame {
    /// Reads the X window dump that Xvfb keeps: a head of numbers in big-endian order, a
    /// table of colours that is not used here, the rows of pixels.
    pub fn of_dump(dump: &[u8]) -> Option<Frame> {
        let number = |at: usize| {
            let field = dump.get(at * 4..at * 4 + 4)?.try_into().ok()?;
            usize::try_from(u32::from_be_bytes(field)).ok()
        };
        let (head, width, height, colours) = (number(0)?, number(4)?, number(5)?, number(19)?);
        let (order, bits, row) = (number(7)?, number(11)?, number(12)?);
        assert_eq!((order, bits, row), (0, 32, width * 4), "an unusual screen");
        let bytes = dump.get(head + colours * 12..)?.get(..row * height)?.to_vec();
        Some(Frame { width, bytes })
    }

    /// A part of it.
    pub fn part(&self, area: Area) -> Frame {
        let (left, right) = (area.x.min(self.width), (area.x + area.width).min(self.width));
        let rows = self.bytes.chunks_exact(self.width * 4).skip(area.y).take(area.height);
        let rows: Vec<&[u8]> = rows.map(|row| &row[left * 4..right * 4]).collect();
        let bytes = rows.concat();
        Frame { width: right - left, bytes }
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// To look at.
    pub fn picture(&self) -> Picture {
        let pixel = |bytes: &[u8; 4]| Rgb::from_le_bytes(*bytes) & 0xFF_FF_FF;
        Picture::new(self.width, self.bytes.as_chunks::<4>().0.iter().map(pixel).collect())
    }
}

/// What is seen.
#[derive(Clone)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pixels: Vec<Rgb>,
}

impl Picture {
    /// A picture of rows of pixels.
    pub fn new(width: usize, pixels: Vec<Rgb>) -> Picture {
        Picture { width, height: pixels.len() / width.max(1), pixels }
    }

    /// The colour of a pixel.
    pub fn at(&self, x: usize, y: usize) -> Rgb {
        self.pixels[y * self.width + x]
    }

    /// How many colours there are.
    pub fn colours(&self) -> usize {
        self.pixels.iter().collect::<HashSet<_>>().len()
    }

    /// How many pixels have a colour, or about that colour.
    pub fn count(&self, colour: Rgb) -> usize {
        self.pixels.iter().filter(|pixel| close(**pixel, colour)).count()
    }

    /// Where two pictures differ.
    pub fn difference(&self, other: &Picture) -> Option<Area> {
        let differs = |at: &usize| self.pixels[*at] != other.pixels[*at];
        let differing = (0..self.pixels.len().min(other.pixels.len())).filter(differs);
        let mut places = differing.map(|at| (at % self.width, at / self.width));
        let (x, y) = places.next()?;
        let (mut left, mut right, mut bottom) = (x, x, y);
        for (x, y) in places {
            (left, right, bottom) = (left.min(x), right.max(x), y);
        }
        Some(Area { x: left, y, width: right - left + 1, height: bottom - y + 1 })
    }

    /// Blocks of a colour that are so high, from top to bottom: at least as wide as high and
    /// mostly filled (the words on it are not). A button is one, or what its frame encloses.
    pub fn blocks(&self, colour: Rgb, height: RangeInclusive<usize>) -> Vec<Area> {
        let mut seen = vec![false; self.pixels.len()];
        let mut found = Vec::new();
        for start in 0..self.pixels.len() {
            if seen[start] || self.pixels[start] != colour {
                continue;
            }
            let (area, count) = self.block(start, colour, &mut seen);
            let filled = count * 2 > area.width * area.height;
            if filled && area.width + 1 >= area.height && height.contains(&area.height) {
                found.push(area);
            }
        }
        found
    }

    /// The block that a pixel belongs to, and of how many pixels it is.
    fn block(&self, start: usize, colour: Rgb, seen: &mut [bool]) -> (Area, usize) {
        let (mut left, mut right) = (start % self.width, start % self.width);
        let (top, mut bottom, mut count) = (start / self.width, start / self.width, 0);
        let mut open = vec![start];
        seen[start] = true;
        while let Some(at) = open.pop() {
            let (x, y) = (at % self.width, at / self.width);
            (left, right, bottom) = (left.min(x), right.max(x), bottom.max(y));
            count += 1;
            let beside = [
                (x > 0).then(|| at - 1),
                (x + 1 < self.width).then(|| at + 1),
                (y > 0).then(|| at - self.width),
                (y + 1 < self.height).then(|| at + self.width),
            ];
            for next in beside.into_iter().flatten() {
                if !seen[next] && self.pixels[next] == colour {
                    seen[next] = true;
                    open.push(next);
                }
            }
        }
        let area = Area { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
        (area, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `#` is one colour, `+` half of it, everything else nothing of it.
    fn drawn(rows: &[&str]) -> Picture {
        let pixel = |byte: u8| match byte {
            b'#' => 255,
            b'+' => 128,
            _ => 0,
        };
        let pixels = rows.iter().flat_map(|row| row.bytes().map(pixel)).collect();
        Picture::new(rows[0].len(), pixels)
    }

    #[test]
    fn what_a_frame_encloses_is_found() {
        let picture = drawn(&[
            "#####++++++++#####",
            "####+........+####",
            "####+........+####",
            "####+........+####",
            "#####++++++++#####",
        ]);
        assert_eq!(picture.blocks(0, 3..=3), [Area { x: 5, y: 1, width: 8, height: 3 }]);
    }

    #[test]
    fn a_filled_button_is_found_and_a_word_is_not() {
        let picture = drawn(&[
            "..........#.#.............",
            "..########...#............",
            "..###..###..#.#...........",
            "..########................",
        ]);
        assert_eq!(picture.blocks(255, 3..=3), [Area { x: 2, y: 1, width: 8, height: 3 }]);
    }

    #[test]
    fn a_difference_has_its_place() {
        let (one, other) = (drawn(&["....", "....", "...."]), drawn(&["....", ".#..", "..#."]));
        assert_eq!(one.difference(&one), None);
        assert_eq!(one.difference(&other), Some(Area { x: 1, y: 1, width: 2, height: 2 }));
    }
}
