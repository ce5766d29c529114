//! How the settings look: groups of rows, each with its words at the left and its control at
//! the right. Every row has a height of its own, so that what has the focus can be scrolled to.

use iced::widget::{Column, Row, column, container, row, space, text_input};
use iced::{Center, Element, Fill};

use super::settings::{
    Attribute, COLOURS, Control, FILES, FOLDERS, FOREIGN, Kept, LIST, Message, PATTERN, Settings,
};
use crate::engine::{
    ConflictRule, FileFacts, FileKind, FolderRule, ForeignRule, KeepReplaced, KeptRoom,
};
use crate::settings::{NotWritten, Workers};
use crate::ui::icon::{Icon, icon};
use crate::ui::theme::{Choice, TEXT, Tone};
use crate::ui::widget::{
    self, Kind, choice, control, cut_text, heading, label, line_height, quiet, ring, scroll, small,
    strong, tick, toned,
};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The room for the words at the left.
const WORDS: f32 = 172.0;
/// The height of a row with a control, and of the line below it.
const ROW: f32 = 40.0;
const LINE: f32 = 22.0;
/// The height of a group's title, with what is above it.
const TITLE: f32 = 32.0;
const GAP: f32 = 16.0;

/// A value and its words.
#[derive(Clone, PartialEq)]
struct Named<T>(T, String);

impl<T> std::fmt::Display for Named<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.1)
    }
}

/// The rows so far.
#[derive(Default)]
struct Rows<'a> {
    rows: Vec<Element<'a, Message>>,
    height: f32,
    places: Vec<(Control, f32)>,
}

impl<'a> Rows<'a> {
    fn add(&mut self, height: f32, content: impl Into<Element<'a, Message>>) {
        self.rows.push(container(content).width(Fill).height(height).center_y(height).into());
        self.height += height;
    }

    fn title(&mut self, id: &str) {
        if !self.rows.is_empty() {
            self.add(GAP, widget::line());
        }
        self.add(TITLE, strong(text(id)));
    }

    /// A row with words and a control.
    fn control(&mut self, id: &str, at: Control, content: impl Into<Element<'a, Message>>) {
        self.places.push((at, self.height));
        let words = container(label(text(id))).width(WORDS);
        self.add(ROW, row![words, content.into()].spacing(12).align_y(Center));
    }

    /// A line of explanation below a control.
    fn line(&mut self, words: Element<'a, Message>) {
        let below = row![space().width(WORDS), words].spacing(12);
        self.rows.push(container(below).width(Fill).height(LINE).into());
        self.height += LINE;
    }
}

impl Settings {
    /// Where a control is, from the top of what scrolls; with something of what is above it.
    pub(super) fn place_of(&self, control: Control) -> Option<f32> {
        let rows = self.rows();
        let place = rows.places.iter().find(|(at, _)| *at == control).map(|(_, place)| *place)?;
        Some((place - ROW - TITLE).max(0.0))
    }

    /// The dialog.
    pub fn view(&self) -> Element<'_, Message> {
        let rows = self.rows();
        let height = rows.height + 8.0;
        // Beside the bar, and with room for the ring around what has the focus.
        let list = container(Column::with_children(rows.rows)).padding(iced::Padding {
            top: 4.0,
            right: 18.0,
            bottom: 4.0,
            left: 4.0,
        });
        let list = scroll(list).id(iced::widget::Id::new(LIST)).width(Fill).height(Fill);
        let close = control(Kind::Primary, None, text("window-close"), Some(Message::Close));
        let close = ring(self.focus == Control::Close, close);
        column![
            heading(text("window-settings-title")),
            space().height(4),
            quiet(text("window-settings-when")),
        ]
        .push(self.trouble())
        .push(space().height(8))
        .push(container(list).max_height(height))
        .push(space().height(16))
        .push(row![small(text("window-settings-keys")), space::horizontal(), close].align_y(Center))
        .into()
    }

    /// What keeps the settings from being written.
    fn trouble(&self) -> Option<Element<'_, Message>> {
        let content: Element<'_, Message> = match self.trouble.as_ref()? {
            NotWritten::Failed(words) => toned(words.clone(), Tone::Failure).into(),
            NotWritten::Broken => {
                let way = text("window-settings-anew");
                let way = control(Kind::Outlined(Tone::Warning), None, way, Some(Message::Anew));
                let told = toned(text("window-settings-broken"), Tone::Warning).width(Fill);
                let way = ring(self.focus == Control::Anew, way);
                row![icon(Icon::Warning, Tone::Warning), told, way]
                    .spacing(10)
                    .align_y(Center)
                    .into()
            }
        };
        Some(container(content).padding(iced::Padding::ZERO.top(10)).width(Fill).into())
    }

    fn rows(&self) -> Rows<'_> {
        let settings = &self.settings;
        let mut rows = Rows::default();

        rows.title("window-settings-taken");
        let files = FILES.map(|rule| Named(rule, text(rule_id(rule)))).to_vec();
        let now = settings.conflict.unwrap_or_default();
        let list = self.list(Control::Files, files, now, Message::Files);
        rows.control("window-settings-files", Control::Files, list);
        let folders = FOLDERS.map(|rule| Named(rule, text(folder_rule_id(rule)))).to_vec();
        let now = settings.folder_conflict.unwrap_or_default();
        let list = self.list(Control::Folders, folders, now, Message::Folders);
        rows.control("window-settings-folders", Control::Folders, list);
        rows.control("window-settings-pattern", Control::Pattern, self.pattern());
        rows.line(self.pattern_told());

        rows.title("window-settings-replaced");
        let keeps = self.keeps().into_iter().map(|keep| Named(keep, keep_words(keep))).collect();
        let now = settings.keep_replaced.unwrap_or_default();
        let list = self.list(Control::Keep, keeps, now, Message::Keep);
        rows.control("window-settings-keep", Control::Keep, list);
        rows.line(small(text(keep_hint(now))).into());
        self.add_kept(&mut rows);

        rows.title("window-settings-copying");
        let verify = settings.verify.unwrap_or_default();
        let verify = tick(verify, text("window-settings-compare"), Message::Verify);
        let verify = ring(self.focus == Control::Verify, verify);
        rows.control("window-settings-check", Control::Verify, verify);
        rows.line(small(text("window-settings-verify")).into());
        let (first, second) = Attribute::ALL.split_at(3);
        rows.control("window-settings-preserve", Control::Attribute(first[0]), self.ticks(first));
        rows.places.extend(first.iter().map(|at| (Control::Attribute(*at), rows.height - ROW)));
        rows.places.extend(second.iter().map(|at| (Control::Attribute(*at), rows.height)));
        let more = row![space().width(WORDS), self.ticks(second)].spacing(12).align_y(Center);
        rows.add(ROW, more);
        let workers = self.workers().into_iter().map(|one| Named(one, worker_words(one)));
        let now = settings.workers.unwrap_or_default();
        let list = self.list(Control::Workers, workers.collect(), now, Message::Workers);
        rows.control("window-settings-workers", Control::Workers, list);
        rows.line(small(text("window-settings-workers-hint")).into());
        let foreign = FOREIGN.map(|rule| Named(rule, text(foreign_rule_id(rule)))).to_vec();
        let now = settings.foreign_names.unwrap_or_default();
        let list = self.list(Control::Foreign, foreign, now, Message::Foreign);
        rows.control("window-settings-foreign", Control::Foreign, list);
        rows.line(small(text("window-settings-foreign-hint")).into());

        rows.title("window-settings-look");
        let colours = COLOURS.map(|one| Named(one, text(colour_id(one)))).to_vec();
        let list = self.list(Control::Theme, colours, self.theme, Message::Theme);
        rows.control("window-settings-colours", Control::Theme, list);
        rows
    }

    /// A field with a list that opens.
    fn list<'a, T: Copy + PartialEq + 'a>(
        &self,
        at: Control,
        offered: Vec<Named<T>>,
        now: T,
        tell: fn(T) -> Message,
    ) -> Element<'a, Message> {
        let words = offered.iter().find(|one| one.0 == now).map(|one| one.1.clone());
        let now = Named(now, words.unwrap_or_default());
        let list = choice(offered, now, move |Named(value, _)| tell(value));
        ring(self.focus == at, list)
    }

    fn pattern(&self) -> Element<'_, Message> {
        let field = text_input("", &self.pattern)
            .id(iced::widget::Id::new(PATTERN))
            .on_input(Message::Pattern)
            .size(TEXT)
            .line_height(line_height(TEXT))
            .padding([7, 10])
            .style(style::field(self.typed_pattern().is_none()));
        ring(self.focus == Control::Pattern, field)
    }

    /// What the pattern makes of a name, or why it is none.
    fn pattern_told(&self) -> Element<'_, Message> {
        let pattern = match self.pattern.parse::<crate::engine::NamePattern>() {
            Ok(pattern) => pattern,
            Err(_) => {
                let words = text("window-settings-no-pattern");
                return cut_text(words).size(11.5).tone(Tone::Failure).width(Fill).into();
            }
        };
        let facts = FileFacts {
            kind: FileKind::File,
            size: 0,
            modified_seconds: jiff::Timestamp::now().as_second(),
            modified_nanoseconds: 0,
        };
        let name = text("window-settings-example");
        let made = pattern.apply(name.as_ref(), &facts, 2);
        let args = words::args([("name", name.into()), ("made", words::name(&made).into())]);
        let words = words::text_with("window-settings-example-made", &args);
        cut_text(words).size(11.5).tone(Tone::Quiet).width(Fill).into()
    }

    fn ticks(&self, attributes: &[Attribute]) -> Row<'_, Message> {
        let mut preserve = self.settings.preserve.unwrap_or_default();
        let ticks = attributes.iter().map(|attribute| {
            let ticked = *attribute.of(&mut preserve);
            let tick = tick(ticked, text(attribute_id(*attribute)), Message::Preserve(*attribute));
            let tick = ring(self.focus == Control::Attribute(*attribute), tick);
            container(tick).width(124).into()
        });
        Row::with_children(ticks.collect::<Vec<_>>())
    }

    /// The room that replaced files take, and the way to have it back.
    fn add_kept<'a>(&'a self, rows: &mut Rows<'a>) {
        let (words, tone) = match self.kept {
            Kept::Nowhere => return,
            Kept::Counting => (text("window-settings-counting"), Tone::Quiet),
            Kept::Freeing => (text("window-settings-freeing"), Tone::Quiet),
            Kept::Unknown => (text("window-settings-kept-unknown"), Tone::Failure),
            Kept::Known(room) => (kept_words(&room), Tone::Text),
            Kept::Freed(room) => {
                let size = words::size(room.bytes);
                (phrase::with("window-settings-freed", "size", size), Tone::Good)
            }
            Kept::Asking(room) => {
                (phrase::counted("window-settings-free-ask", room.files), Tone::Warning)
            }
        };
        let way = |at, kind, id: &str, message| {
            ring(self.focus == at, control(kind, None, text(id), Some(message)))
        };
        let words = cut_text(words).tone(tone).width(Fill);
        let mut content = row![words].spacing(10).align_y(Center);
        if self.removable().is_some() {
            rows.places.push((Control::Free, rows.height));
            let free = way(Control::Free, Kind::Plain, "window-settings-free", Message::Free);
            content = content.push(free);
        }
        if matches!(self.kept, Kept::Asking(_)) {
            rows.places.push((Control::KeepThem, rows.height));
            rows.places.push((Control::FreeNow, rows.height));
            let keep =
                way(Control::KeepThem, Kind::Plain, "window-settings-free-keep", Message::KeepThem);
            let kind = Kind::Outlined(Tone::Failure);
            let go = way(Control::FreeNow, kind, "window-settings-free-go", Message::FreeNow);
            content = content.push(keep).push(go);
        }
        rows.add(ROW, content);
    }
}

fn kept_words(room: &KeptRoom) -> String {
    let Some(oldest) = room.oldest else { return text("window-settings-kept-none") };
    let days = jiff::Timestamp::now().as_second().saturating_sub(oldest).max(0) / 86_400;
    let size = words::size(room.bytes);
    let args = words::args([("size", size.into()), ("days", days.into())]);
    words::text_with("window-settings-kept", &args)
}

fn rule_id(rule: ConflictRule) -> &'static str {
    match rule {
        ConflictRule::Ask => "window-settings-ask",
        ConflictRule::Skip | ConflictRule::SkipUnanswered => "window-settings-skip",
        ConflictRule::Replace => "window-settings-replace",
        ConflictRule::Newer => "window-settings-newer",
        ConflictRule::Different => "window-settings-different",
        ConflictRule::SizeOrTime => "window-settings-size-or-time",
        ConflictRule::KeepBoth => "window-settings-keep-both",
        ConflictRule::KeepExisting => "window-settings-keep-existing",
        ConflictRule::Rename => "window-settings-rename",
    }
}

fn foreign_rule_id(rule: ForeignRule) -> &'static str {
    match rule {
        ForeignRule::Ask => "window-settings-ask",
        ForeignRule::Map => "window-settings-foreign-map",
        ForeignRule::Skip | ForeignRule::SkipUnanswered => "window-settings-foreign-skip",
    }
}

fn folder_rule_id(rule: FolderRule) -> &'static str {
    match rule {
        FolderRule::Merge => "window-settings-merge",
        FolderRule::Ask => "window-settings-ask",
        FolderRule::Skip | FolderRule::SkipUnanswered => "window-settings-skip-folder",
        FolderRule::Replace => "window-settings-replace-folder",
        FolderRule::KeepBoth => "window-settings-keep-both",
        FolderRule::KeepExisting => "window-settings-keep-existing",
        FolderRule::Rename => "window-settings-rename",
    }
}

fn keep_words(keep: KeepReplaced) -> String {
    match keep {
        KeepReplaced::Days(days) => phrase::counted("window-settings-keep-days", days.into()),
        KeepReplaced::Undo => text("window-settings-keep-undo"),
        KeepReplaced::Job => text("window-settings-keep-job"),
        KeepReplaced::Trash => text("window-settings-keep-trash"),
        KeepReplaced::No => text("window-settings-keep-no"),
    }
}

/// What follows from it.
fn keep_hint(keep: KeepReplaced) -> &'static str {
    match keep {
        KeepReplaced::Undo | KeepReplaced::Days(_) => "window-settings-keep-hint",
        KeepReplaced::Trash => "window-settings-keep-hint-trash",
        KeepReplaced::Job | KeepReplaced::No => "window-settings-keep-hint-no",
    }
}

fn worker_words(workers: Workers) -> String {
    match workers {
        Workers::Automatic => text("window-settings-automatic"),
        Workers::Number(number) => words::count(number.into()),
    }
}

fn attribute_id(attribute: Attribute) -> &'static str {
    match attribute {
        Attribute::Mode => "window-settings-mode",
        Attribute::Times => "window-settings-times",
        Attribute::Owner => "window-settings-owner",
        Attribute::Xattrs => "window-settings-xattrs",
        Attribute::Links => "window-settings-links",
    }
}

fn colour_id(colours: Choice) -> &'static str {
    match colours {
        Choice::System => "window-settings-system",
        Choice::Light => "window-settings-light",
        Choice::Dark => "window-settings-dark",
    }
}
