//! How the destination dialog looks.

use iced::widget::{self, Column, Row, container, row, space, text_input};
use iced::{Center, Element, Fill, Pixels, Shrink};

use crate::engine::{JobKind, Space};
use crate::ui::dialog::destination::{Control, Destination, KEPT, LIST, Message, PATH, ROW};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Jobs;
use crate::ui::places::{Facts, Place, PlaceKind};
use crate::ui::theme::{FIGURE, MEDIUM, STRONG, TEXT, Tone};
use crate::ui::widget::{
    Kind, control, cut_text, path_field, pressed, quiet, ring, scroll, small, tick, tip, toned,
};
use crate::ui::{phrase, style};
use crate::words::{self, args, text, text_with};

impl Destination {
    /// The dialog.
    pub fn view<'a>(&'a self, jobs: &'a Jobs) -> Element<'a, Message> {
        let count = self.sources.len() as u64;
        let (title, start) = match self.kind {
            JobKind::Copy => ("window-copy-to", "window-copy-here"),
            JobKind::Move => ("window-move-to", "window-move-here"),
        };
        let title = if count == 1 {
            let name = self.sources.first().map(|path| phrase::last_name(path));
            phrase::with(&format!("{title}-one"), "name", name.unwrap_or_default())
        } else {
            phrase::counted(title, count)
        };
        let can_start = self.spec().map(|_| Message::Start);
        let ways = row![
            ring(self.focus == Control::Kind, self.kinds()),
            ring(self.focus == Control::Options, self.fold()),
            space::horizontal(),
            ring(
                self.focus == Control::Cancel,
                control(Kind::Plain, None, text("window-dismiss"), Some(Message::Cancel)),
            ),
            ring(
                self.focus == Control::Start,
                control(Kind::Primary, None, text(start), can_start),
            ),
        ]
        .spacing(10)
        .align_y(Center);
        let mut content = Column::new()
            .push(cut_text(title).size(FIGURE).font(STRONG).width(Fill))
            .push(space().height(4))
            .push(self.from())
            .push(space().height(14));
        if !self.places.is_empty() {
            content = content.push(self.list()).push(space().height(14));
        }
        content = content.push(self.field()).push(space().height(6)).push(self.told());
        if let Some(job) = self.joinable(jobs) {
            let name = phrase::sources(&job.spec.sources);
            let words = phrase::with("window-join", "name", name);
            let join = tick(self.joins, words, Message::Join(!self.joins));
            content = content.push(ring(self.focus == Control::Join, join));
        }
        if self.unfolded {
            content = content.push(container(self.options()).height(ROW).align_bottom(ROW));
        }
        content.push(space().height(14)).push(ways).into()
    }

    /// Where the sources lie, and whether they do.
    fn from(&self) -> Element<'_, Message> {
        if let Some(first) = self.missing.first() {
            let name = ("name", phrase::last_name(first).into());
            let words = args([("count", (self.missing.len() as u64).into()), name]);
            let words = text_with("window-sources-missing", &words);
            let all = self.missing.len() == self.sources.len();
            let tone = if all { Tone::Failure } else { Tone::Warning };
            return cut_text(words).tone(tone).width(Fill).into();
        }
        let from = phrase::common_parent(&self.sources).map_or_else(
            || text("window-from-several"),
            |folder| phrase::with("window-from", "folder", phrase::short_path(folder)),
        );
        cut_text(from).tone(Tone::Quiet).width(Fill).into()
    }

    fn list(&self) -> Element<'_, Message> {
        let chosen = self.chosen();
        let places = self.places.iter().enumerate();
        let list = Column::with_children(
            places.map(|(at, place)| self.place(at, place, chosen == Some(at))),
        );
        let height = self.rows() as f32 * ROW;
        let list = scroll(list).id(widget::Id::new(LIST)).height(height).width(Fill);
        container(list).padding(4).style(style::panel).into()
    }

    fn place<'a>(&'a self, at: usize, place: &'a Place, chosen: bool) -> Element<'a, Message> {
        let path = &place.path;
        let why = match place.kind {
            PlaceKind::Recent => text("window-place-recent"),
            PlaceKind::Device => text("window-place-device"),
            _ => String::new(),
        };
        let tone = if chosen { Tone::Neutral } else { Tone::Quiet };
        let facts = self.facts.get(path).map(facts_in_words).unwrap_or_default();
        let words = row![
            icon(place.kind.icon(), if chosen { Tone::Accent } else { Tone::Quiet }),
            cut_text(phrase::place(path)).font(STRONG),
            toned(why, tone),
            space::horizontal(),
            toned(facts, tone).wrapping(widget::text::Wrapping::None),
        ]
        .spacing(8)
        .align_y(Center);
        widget::button(container(words).center_y(Fill))
            .width(Fill)
            .height(ROW)
            .padding([0, 12])
            .style(style::choosable(chosen))
            .on_press(Message::Choose(at))
            .into()
    }

    fn field(&self) -> Element<'_, Message> {
        let bad = self.refusal().is_some();
        let path = text_input(&text("window-path-hint"), &self.typed)
            .id(widget::Id::new(PATH))
            .on_input(Message::Typed)
            .size(TEXT)
            .line_height(Pixels(18.0))
            .padding([7, 10])
            .style(style::field(bad));
        let other = control(
            Kind::Plain,
            Some(Icon::Folder),
            text("window-other-folder"),
            Some(Message::Other),
        );
        let path = pressed(path_field(path, self.focus == Control::Path), Message::Typing);
        row![path, ring(self.focus == Control::Other, other)].spacing(10).align_y(Center).into()
    }

    /// What is known of the folder: a line that is always there, so that nothing jumps.
    fn told(&self) -> Element<'_, Message> {
        if self.no_chooser {
            return toned(text("window-place-no-chooser"), Tone::Warning).size(12).into();
        }
        if let Some(words) = self.refusal() {
            return toned(words, Tone::Failure).size(12).into();
        }
        if let Some(source) = self.around() {
            let name = phrase::last_name(source);
            let words = phrase::with("window-place-inside", "name", name);
            let tone = if self.sources.len() == 1 { Tone::Failure } else { Tone::Warning };
            return cut_text(words).size(12.0).tone(tone).width(Fill).into();
        }
        let words = match self.target.as_ref().and_then(|target| self.facts.get(target)) {
            Some(facts) => facts_in_words(facts),
            None if self.target.is_some() => text("window-place-looking"),
            None => text("window-place-none"),
        };
        small(words).size(12).into()
    }

    /// Why the folder cannot be taken.
    fn refusal(&self) -> Option<String> {
        let Some(target) = &self.target else {
            let typed = !self.typed.trim().is_empty();
            return typed.then(|| text("window-place-relative"));
        };
        Some(text(match self.facts.get(target)? {
            Facts::NotAFolder => "window-place-not-a-folder",
            Facts::Refused => "window-place-refused",
            Facts::Silent => "window-place-silent",
            Facts::Folder(_) | Facts::Missing(_) => return None,
        }))
    }

    /// What shows the rarer options.
    fn fold(&self) -> Element<'_, Message> {
        let sign = if self.unfolded { Icon::Up } else { Icon::Down };
        let message = Message::Unfold(!self.unfolded);
        let fold = control(Kind::Bare, Some(sign), text("window-options"), Some(message));
        tip(fold.padding([0, 8]), "Alt+O".to_owned())
    }

    /// What is kept beside the data, and whether the copies are read back.
    fn options(&self) -> Element<'_, Message> {
        let words = ["window-keep-all", "window-keep-mode-times", "window-keep-none"];
        let kept = KEPT.into_iter().zip(words).map(|(kept, words)| {
            let chosen = self.preserve == kept;
            let tone = if chosen { Tone::Text } else { Tone::Neutral };
            let words = cut_text(text(words)).font(MEDIUM).tone(tone);
            widget::button(container(words).center_y(Fill))
                .height(26)
                .padding([0, 10])
                .style(style::segment(chosen))
                .on_press(Message::Keep(kept))
                .into()
        });
        let kept = container(Row::with_children(kept)).padding(3).style(style::segments);
        let verify = tick(self.verify, text("window-verify"), Message::Verify(!self.verify));
        row![
            quiet(text("window-keep")),
            ring(self.focus == Control::Keep, tip(kept, text("window-keep-tip"))),
            space::horizontal(),
            ring(self.focus == Control::Verify, tip(verify, text("window-verify-tip"))),
        ]
        .spacing(10)
        .align_y(Center)
        .into()
    }

    fn kinds(&self) -> Element<'_, Message> {
        let segment = |kind, sign, words: &str, key: &str| {
            let chosen = self.kind == kind;
            let tone = if chosen { Tone::Text } else { Tone::Neutral };
            let words = cut_text(text(words)).font(MEDIUM).tone(tone);
            let content = row![icon(sign, tone), words].spacing(6).align_y(Center);
            let button = widget::button(container(content).center_y(Fill))
                .height(26)
                .padding([0, 10])
                .style(style::segment(chosen))
                .on_press(Message::Kind(kind));
            tip(button, key.to_owned())
        };
        container(row![
            segment(JobKind::Copy, Icon::Copy, "window-kind-copy", "Alt+C"),
            segment(JobKind::Move, Icon::Move, "window-kind-move", "Alt+M"),
        ])
        .padding(3)
        .width(Shrink)
        .style(style::segments)
        .into()
    }
}

/// `ext4 · 210 GB free`.
fn facts_in_words(facts: &Facts) -> String {
    match facts {
        Facts::Folder(space) => space_in_words(space),
        Facts::Missing(space) => {
            let parts = [text("window-place-made"), space_in_words(space)];
            parts
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(&text("window-separator"))
        }
        Facts::NotAFolder => text("window-place-not-a-folder"),
        Facts::Refused => text("window-place-refused"),
        Facts::Silent => text("window-place-silent"),
    }
}

fn space_in_words(space: &Space) -> String {
    let file_system = space.file_system.as_deref().map(|name| words::file_system(name).to_owned());
    let free = space.free.map(|free| phrase::with("window-free", "size", words::size(free)));
    file_system.into_iter().chain(free).collect::<Vec<_>>().join(&text("window-separator"))
}
