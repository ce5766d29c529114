//! How long the window takes: an instrument that is off unless `FERRY_TIMINGS` is set. It
//! tells on standard error: of a job when it ends, of the window when it closes.
//!
//! A view is only whole once it is laid out: screens that depend on the room there is are
//! made then. So laying out counts to its view. Drawing is what widgets tell the renderer.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::rc::Rc;
use std::time::{Duration, Instant};

use iced::advanced::layout;
use iced::advanced::widget::tree;
use iced::{Element, Renderer, Theme};

use super::widget::{Around, Content, Place, around};
use crate::engine::Event;

/// The variable that switches it on.
pub const VARIABLE: &str = "FERRY_TIMINGS";

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Taking in a message.
    Update,
    /// Making and laying out a view.
    View,
    /// Telling the renderer what to draw.
    Draw,
}

const PARTS: [(Part, &str); 3] =
    [(Part::Update, "update"), (Part::View, "view"), (Part::Draw, "draw")];

/// The times so far. Its copies share them; without any it costs nothing.
#[derive(Clone, Default)]
pub struct Instrument(Option<Rc<RefCell<Times>>>);

#[derive(Default)]
struct Times {
    parts: [Vec<Duration>; PARTS.len()],
    began: bool,
}

impl Instrument {
    /// An instrument that measures when the environment says so.
    pub fn by_environment() -> Instrument {
        Instrument(std::env::var_os(VARIABLE).map(|_set| Rc::default()))
    }

    /// Times something.
    pub fn time<T>(&self, part: Part, work: impl FnOnce() -> T) -> T {
        let Some(times) = &self.0 else { return work() };
        let start = Instant::now();
        let done = work();
        times.borrow_mut().parts[part as usize].push(start.elapsed());
        done
    }

    /// Notes what the engine tells: what came before the first job does not count, and of
    /// a job that has ended it is told how long it took.
    pub fn note(&self, event: &Event) {
        let Some(times) = &self.0 else { return };
        match event {
            Event::Added { .. } if !std::mem::replace(&mut times.borrow_mut().began, true) => {
                times.borrow_mut().parts.iter_mut().for_each(Vec::clear);
            }
            Event::Finished { job, summary } => {
                let (entries, elapsed) = (summary.entries.done, summary.elapsed);
                say(&format!("job {}: {entries} entries in {elapsed} ms\n", job.0));
            }
            _ => {}
        }
    }

    /// Tells what was measured.
    pub fn tell(&self) {
        if let Some(told) = self.told() {
            say(&told);
        }
    }

    /// Times the laying out and the drawing of a view, too.
    pub fn watch<'a, M: 'a>(&self, view: impl Into<Element<'a, M>>) -> Element<'a, M> {
        if self.0.is_none() {
            return view.into();
        }
        around(Watched(self.clone()), view)
    }

    /// What was measured: one line a part.
    fn told(&self) -> Option<String> {
        let times = self.0.as_ref()?.borrow();
        let mut told = String::new();
        for (part, name) in PARTS {
            let mut sorted = times.parts[part as usize].clone();
            sorted.sort_unstable();
            let count = sorted.len();
            let at = |percent: usize| {
                let place = (count * percent).div_ceil(100).saturating_sub(1);
                sorted.get(place).copied().unwrap_or_default().as_secs_f64() * 1000.0
            };
            let (half, most, longest) = (at(50), at(99), at(100));
            let _infallible = writeln!(
                told,
                "{name}: p50 {half:.3} ms, p99 {most:.3} ms, max {longest:.3} ms ({count})"
            );
        }
        Some(told)
    }

    /// Adds to the last time of a part: one view is laid out as a part of it.
    fn add<T>(&self, part: Part, work: impl FnOnce() -> T) -> T {
        let Some(times) = &self.0 else { return work() };
        let start = Instant::now();
        let done = work();
        let mut times = times.borrow_mut();
        match times.parts[part as usize].last_mut() {
            Some(last) => *last += start.elapsed(),
            None => times.parts[part as usize].push(start.elapsed()),
        }
        done
    }
}

fn say(words: &str) {
    // Nobody may listen on standard error any more.
    let _heard_or_not = io::stderr().write_all(words.as_bytes());
}

struct Watched(Instrument);

impl<Message> Around<Message> for Watched {
    fn layout(&mut self, content: &mut Content<'_, '_, Message>) -> layout::Node {
        let limits = content.limits;
        let node = self.0.add(Part::View, || content.layout(&limits));
        layout::Node::with_children(node.size(), vec![node])
    }

    fn draw(
        &self,
        _state: &tree::State,
        renderer: &mut Renderer,
        _theme: &Theme,
        _place: Place,
        content: &dyn Fn(&mut Renderer),
    ) {
        self.0.time(Part::Draw, || content(renderer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_told_for_each_part() {
        let instrument = Instrument(Some(Rc::default()));
        if let Some(times) = &instrument.0 {
            times.borrow_mut().parts[0] = (1..=200).rev().map(Duration::from_millis).collect();
        }
        let told = instrument.told().unwrap_or_default();
        let first = told.lines().next();
        let wanted = "update: p50 100.000 ms, p99 198.000 ms, max 200.000 ms (200)";
        assert_eq!(first, Some(wanted), "{told}");
        assert!(told.contains("draw: p50 0.000 ms, p99 0.000 ms, max 0.000 ms (0)"), "{told}");
        assert_eq!(Instrument::default().told(), None);
    }
}
