//! Where to? The sources wait here until a folder is chosen.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use iced::widget::{self, Column, container, row, scrollable, space, text_input};
use iced::{Center, Element, Fill, Shrink, Task};

use crate::engine::{JobKind, JobSpec};
use crate::ui::dialog::{self, Action, nothing};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::common_parent;
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::places::{self, Facts, Place, Space, typed_path};
use crate::ui::theme::{MEDIUM, STRONG, TEXT, Tone};
use crate::ui::widget::{Kind, control, cut_text, ring, scroll, small, tip, toned};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The field for the folder's path.
pub const PATH: &str = "destination-path";
/// The list of folders, to be scrolled.
const LIST: &str = "destination-places";
/// The height of a folder's row.
const ROW: f32 = 36.0;
/// How many rows are seen at once.
const ROWS: usize = 5;

/// The dialog.
pub struct Destination {
    sources: Vec<PathBuf>,
    kind: JobKind,
    places: Vec<Place>,
    target: Option<PathBuf>,
    typed: String,
    facts: HashMap<PathBuf, Facts>,
    looking: Option<PathBuf>,
    focus: Control,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Path,
    Other,
    Kind,
    Cancel,
    Start,
}

const CONTROLS: [Control; 5] =
    [Control::Path, Control::Other, Control::Kind, Control::Cancel, Control::Start];

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// These folders can be offered.
    Offered(Vec<Place>),
    /// A folder has been looked at.
    Looked(PathBuf, Facts),
    /// Take this folder.
    Choose(usize),
    /// The path was typed.
    Typed(String),
    /// Copy or move.
    Kind(JobKind),
    /// Choose another folder.
    Other,
    /// The chooser has closed.
    Picked(Option<PathBuf>),
    /// Copy nothing.
    Cancel,
    /// Start.
    Start,
}

impl Destination {
    /// Asks where the sources shall go. `recent` are the session's destinations, the last
    /// one first.
    pub fn new(sources: Vec<PathBuf>, recent: &[PathBuf]) -> (Destination, Task<dialog::Message>) {
        let dialog = Destination {
            sources,
            kind: JobKind::Copy,
            places: Vec::new(),
            target: None,
            typed: String::new(),
            facts: HashMap::new(),
            looking: None,
            focus: Control::Start,
        };
        let offered = Task::perform(places::places(recent.to_vec()), |places| {
            dialog::Message::Destination(Message::Offered(places))
        });
        (dialog, offered)
    }

    /// More sources for the same destination.
    pub fn add(&mut self, sources: Vec<PathBuf>) {
        for source in sources {
            if !self.sources.contains(&source) {
                self.sources.push(source);
            }
        }
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Action {
        match message {
            Message::Offered(places) => {
                self.places = places;
                let looks = self.places.iter().map(|place| self::look(place.path.clone()));
                let looks = Task::batch(looks);
                if self.target.is_none() && self.typed.is_empty() && !self.places.is_empty() {
                    self.choose(0);
                }
                Action::Run(looks)
            }
            Message::Looked(path, facts) => {
                if self.looking.as_ref() == Some(&path) {
                    self.looking = None;
                }
                let _earlier = self.facts.insert(path, facts);
                Action::Run(self.look_at_target())
            }
            Message::Choose(at) => {
                self.choose(at);
                Action::Run(self.look_at_target())
            }
            Message::Typed(typed) => {
                self.target = typed_path(&typed);
                self.typed = typed;
                self.focus = Control::Path;
                Action::Run(self.look_at_target())
            }
            Message::Kind(kind) => {
                self.kind = kind;
                nothing()
            }
            Message::Other => {
                Action::Run(Task::perform(pick_folder(self.target.clone()), |path| {
                    dialog::Message::Destination(Message::Picked(path))
                }))
            }
            Message::Picked(None) => nothing(),
            Message::Picked(Some(path)) => {
                self.take(path);
                self.focus = Control::Start;
                Action::Run(self.look_at_target())
            }
            Message::Cancel => Action::Close,
            Message::Start => match self.spec() {
                Some(spec) => Action::Start(Box::new(spec)),
                None => nothing(),
            },
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, key: InDialog) -> Action {
        match key {
            InDialog::Next | InDialog::Previous => {
                self.focus = next_focus(&CONTROLS, self.focus, key == InDialog::Previous);
                Action::Run(self.show_focus())
            }
            InDialog::Up => self.choose_by(-1),
            InDialog::Down => self.choose_by(1),
            InDialog::Activate => match self.focus {
                Control::Other => self.update(Message::Other),
                Control::Kind => self.update(Message::Kind(match self.kind {
                    JobKind::Copy => JobKind::Move,
                    JobKind::Move => JobKind::Copy,
                })),
                Control::Cancel => self.update(Message::Cancel),
                Control::Path | Control::Start => self.update(Message::Start),
            },
            InDialog::Leave => self.update(Message::Cancel),
            InDialog::Letter('c') => self.update(Message::Kind(JobKind::Copy)),
            InDialog::Letter('m') => self.update(Message::Kind(JobKind::Move)),
            // A path begins with these: whoever types one means the field.
            InDialog::Letter(begin @ ('/' | '~')) => {
                let look = match self.update(Message::Typed(begin.to_string())) {
                    Action::Run(task) => task,
                    _ => Task::none(),
                };
                let id = widget::Id::new(PATH);
                let field = widget::operation::focus(id.clone());
                let end = widget::operation::move_cursor_to_end(id);
                Action::Run(look.chain(field).chain(end))
            }
            _ => nothing(),
        }
    }

    /// The job, once it can be started.
    fn spec(&self) -> Option<JobSpec> {
        let destination = self.target.clone()?;
        if self.facts.get(&destination).is_some_and(|facts| !facts.usable()) {
            return None;
        }
        let (kind, sources) = (self.kind, self.sources.clone());
        Some(JobSpec { kind, sources, destination, ..JobSpec::default() })
    }

    fn chosen(&self) -> Option<usize> {
        let target = self.target.as_ref()?;
        self.places.iter().position(|place| place.path == *target)
    }

    fn choose(&mut self, at: usize) {
        if let Some(place) = self.places.get(at) {
            self.take(place.path.clone());
        }
    }

    fn choose_by(&mut self, steps: isize) -> Action {
        let last = self.places.len().saturating_sub(1);
        let at = self.chosen().map_or(0, |at| at.saturating_add_signed(steps).min(last));
        self.choose(at);
        let first_seen = at.saturating_sub(ROWS - 1) as f32 * ROW;
        let offset = scrollable::AbsoluteOffset { x: None, y: Some(first_seen) };
        let follow = widget::operation::scroll_to(widget::Id::new(LIST), offset);
        Action::Run(Task::batch([self.look_at_target(), follow]))
    }

    fn take(&mut self, path: PathBuf) {
        self.typed = phrase::short_path(&path);
        self.target = Some(path);
    }

    /// One look at a time: what is typed meanwhile is looked at next.
    fn look_at_target(&mut self) -> Task<dialog::Message> {
        match &self.target {
            Some(target) if self.looking.is_none() && !self.facts.contains_key(target) => {
                self.looking = Some(target.clone());
                look(target.clone())
            }
            _ => Task::none(),
        }
    }

    fn show_focus(&self) -> Task<dialog::Message> {
        if self.focus == Control::Path {
            let id = widget::Id::new(PATH);
            return widget::operation::focus(id.clone()).chain(widget::operation::select_all(id));
        }
        widget::operation::focus(widget::Id::new("nothing"))
    }

    /// The dialog.
    pub fn view(&self) -> Element<'_, Message> {
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
        let from = common_parent(&self.sources).map_or_else(
            || text("window-from-several"),
            |folder| phrase::with("window-from", "folder", phrase::short_path(folder)),
        );
        let can_start = self.spec().map(|_| Message::Start);
        let ways = row![
            ring(self.focus == Control::Kind, self.kinds()),
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
            .push(cut_text(title).size(17.0).font(STRONG).width(Fill))
            .push(space().height(4))
            .push(cut_text(from).tone(Tone::Quiet).width(Fill))
            .push(space().height(14));
        if !self.places.is_empty() {
            content = content.push(self.list()).push(space().height(14));
        }
        content
            .push(self.field())
            .push(space().height(6))
            .push(self.told())
            .push(space().height(14))
            .push(ways)
            .into()
    }

    fn list(&self) -> Element<'_, Message> {
        let chosen = self.chosen();
        let places = self.places.iter().enumerate();
        let list = Column::with_children(
            places.map(|(at, place)| self.place(at, place, chosen == Some(at))),
        );
        let height = ROWS.min(self.places.len()) as f32 * ROW;
        let list = scroll(list).id(widget::Id::new(LIST)).height(height).width(Fill);
        container(list).padding(4).style(style::panel).into()
    }

    fn place<'a>(&'a self, at: usize, place: &'a Place, chosen: bool) -> Element<'a, Message> {
        let path = &place.path;
        let why = match place.kind {
            places::PlaceKind::Recent => text("window-place-recent"),
            places::PlaceKind::Device => text("window-place-device"),
            _ => String::new(),
        };
        let tone = if chosen { Tone::Neutral } else { Tone::Quiet };
        let facts = self.facts.get(path).map(facts_in_words).unwrap_or_default();
        let words = row![
            icon(place.kind.icon(), if chosen { Tone::Accent } else { Tone::Quiet }),
            cut_text(phrase::short_path(path)).font(STRONG),
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
            .padding([7, 10])
            .style(style::field(bad));
        let other = control(
            Kind::Plain,
            Some(Icon::Folder),
            text("window-other-folder"),
            Some(Message::Other),
        );
        row![path, ring(self.focus == Control::Other, other)].spacing(10).align_y(Center).into()
    }

    /// What is known of the folder: a line that is always there, so that nothing jumps.
    fn told(&self) -> Element<'_, Message> {
        if let Some(words) = self.refusal() {
            return toned(words, Tone::Failure).size(12).into();
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
            segment(JobKind::Copy, Icon::Copy, "window-kind-copy", "C"),
            segment(JobKind::Move, Icon::Move, "window-kind-move", "M"),
        ])
        .padding(3)
        .width(Shrink)
        .style(style::segments)
        .into()
    }
}

fn look(path: PathBuf) -> Task<dialog::Message> {
    Task::perform(places::look(path), |(path, facts)| {
        dialog::Message::Destination(Message::Looked(path, facts))
    })
}

async fn pick_folder(start: Option<PathBuf>) -> Option<PathBuf> {
    let mut chooser = rfd::AsyncFileDialog::new().set_title(text("window-choose-folder"));
    if let Some(start) = start.filter(|start| start.parent().is_some()) {
        chooser = chooser.set_directory(start);
    }
    chooser.pick_folder().await.map(|folder| Path::to_owned(folder.path()))
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
