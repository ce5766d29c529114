//! The settings: what a new job begins with, how the window looks, and the room that kept
//! replaced files take.
//!
//! A change counts at once and is written in a thread of its own. The keyboard goes from
//! control to control with Tab; the arrow keys choose a value.

use iced::{Task, widget};

use crate::engine::{
    ConflictRule, FolderRule, ForeignRule, JournalError, KeepReplaced, KeptRoom, NamePattern,
    Preserve, Store,
};
use crate::settings::{self, Book, NotWritten, Workers};
use crate::ui::dialog::{self, Action, nothing};
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::theme::Choice;

/// The field for the names that renaming gives.
pub const PATTERN: &str = "settings-pattern";
/// What scrolls where the window is low.
pub const LIST: &str = "settings-list";

/// The dialog.
pub struct Settings {
    pub(super) settings: settings::Settings,
    pub(super) theme: Choice,
    /// The pattern as it is typed, be it one or not.
    pub(super) pattern: String,
    pub(super) kept: Kept,
    pub(super) trouble: Option<NotWritten>,
    pub(super) focus: Control,
    store: Option<Store>,
    book: Book,
}

/// What is known of the replaced files that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Nothing is remembered of jobs.
    Nowhere,
    /// They are being counted.
    Counting,
    /// They could not be counted.
    Unknown,
    /// So much.
    Known(KeptRoom),
    /// It is asked whether to remove them.
    Asking(KeptRoom),
    /// They are being removed.
    Freeing,
    /// They were removed.
    Freed(KeptRoom),
}

/// What can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Anew,
    Files,
    Folders,
    Pattern,
    Keep,
    Free,
    KeepThem,
    FreeNow,
    Verify,
    Attribute(Attribute),
    Workers,
    Foreign,
    Theme,
    Close,
}

/// Something that is kept beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// Permissions.
    Mode,
    /// Times.
    Times,
    /// Owner and group.
    Owner,
    /// Extended attributes.
    Xattrs,
    /// Hard links.
    Links,
}

impl Attribute {
    /// All of them, as they are shown.
    pub const ALL: [Attribute; 5] =
        [Attribute::Mode, Attribute::Times, Attribute::Owner, Attribute::Xattrs, Attribute::Links];

    /// Where it stands among what is kept.
    pub fn of(self, preserve: &mut Preserve) -> &mut bool {
        match self {
            Attribute::Mode => &mut preserve.mode,
            Attribute::Times => &mut preserve.times,
            Attribute::Owner => &mut preserve.owner,
            Attribute::Xattrs => &mut preserve.xattrs,
            Attribute::Links => &mut preserve.links,
        }
    }
}

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// This rule for files.
    Files(ConflictRule),
    /// This rule for folders.
    Folders(FolderRule),
    /// The pattern was typed.
    Pattern(String),
    /// Keep replaced files so long.
    Keep(KeepReplaced),
    /// Verify, or no longer.
    Verify,
    /// Keep this beside the data, or no longer.
    Preserve(Attribute),
    /// So many files at a time.
    Workers(Workers),
    /// This for names that the destination refuses.
    Foreign(ForeignRule),
    /// These colours.
    Theme(Choice),
    /// Replaced files were counted.
    Counted(Option<KeptRoom>),
    /// Ask whether to remove them.
    Free,
    /// Leave them.
    KeepThem,
    /// Remove them.
    FreeNow,
    /// They were removed.
    Freed(Option<KeptRoom>),
    /// Set the broken file aside and begin a new one.
    Anew,
    /// Close it.
    Close,
}

impl Settings {
    /// Shows the settings; the task counts what is kept.
    pub fn new(
        loaded: &settings::Loaded,
        book: Book,
        theme: Choice,
        store: Option<Store>,
    ) -> (Settings, Task<dialog::Message>) {
        let settings = loaded.settings.clone();
        let pattern = settings.rename_pattern.clone().unwrap_or_default().to_string();
        let trouble = loaded.broken.then_some(NotWritten::Broken);
        let kept = if store.is_some() { Kept::Counting } else { Kept::Nowhere };
        let dialog = Settings {
            settings,
            theme,
            pattern,
            kept,
            trouble,
            focus: Control::Close,
            store,
            book,
        };
        let count = dialog.with_store(Store::kept, Message::Counted);
        (dialog, count)
    }

    /// What came of writing the settings.
    pub fn written(&mut self, result: Result<(), NotWritten>) {
        self.trouble = result.err();
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Action {
        let settings = &mut self.settings;
        match message {
            Message::Files(rule) => settings.conflict = Some(rule),
            Message::Folders(rule) => settings.folder_conflict = Some(rule),
            Message::Foreign(rule) => settings.foreign_names = Some(rule),
            Message::Pattern(typed) => {
                self.pattern = typed;
                self.focus = Control::Pattern;
                // What is no pattern is told, and the last one that was counts.
                match self.typed_pattern() {
                    Some(pattern) => self.settings.rename_pattern = Some(pattern),
                    None => return nothing(),
                }
            }
            Message::Keep(keep) => settings.keep_replaced = Some(keep),
            Message::Verify => settings.verify = Some(!settings.verify.unwrap_or_default()),
            Message::Preserve(attribute) => {
                let preserve = settings.preserve.get_or_insert_default();
                let kept = attribute.of(preserve);
                *kept = !*kept;
            }
            Message::Workers(workers) => settings.workers = Some(workers),
            Message::Theme(theme) => {
                self.theme = theme;
                return Action::Colours(theme);
            }
            Message::Counted(room) => {
                self.kept = room.map_or(Kept::Unknown, Kept::Known);
                return nothing();
            }
            Message::Free => {
                if let Some(room) = self.removable() {
                    self.kept = Kept::Asking(room);
                    self.focus = Control::KeepThem;
                }
                return Action::Run(self.follow());
            }
            Message::KeepThem => {
                if let Kept::Asking(room) = self.kept {
                    self.kept = Kept::Known(room);
                    self.focus = Control::Free;
                }
                return nothing();
            }
            Message::FreeNow => {
                let Kept::Asking(_) = self.kept else { return nothing() };
                self.kept = Kept::Freeing;
                self.focus = Control::Close;
                return Action::Run(self.with_store(Store::free_kept, Message::Freed));
            }
            Message::Freed(room) => {
                self.kept = room.map_or(Kept::Unknown, Kept::Freed);
                return nothing();
            }
            Message::Anew => {
                self.focus = Control::Close;
                return self.settle(true);
            }
            Message::Close => return Action::Close,
        }
        self.settle(false)
    }

    /// The settings have changed: they count, and are written.
    fn settle(&self, set_aside: bool) -> Action {
        self.book.note(&self.settings);
        let (book, (told, heard)) = (self.book.clone(), tokio::sync::oneshot::channel());
        let thread = std::thread::Builder::new().name("settings".to_owned());
        // Without a thread nobody tells, and that is an error as well.
        let _thread_or_none = thread.spawn(move || {
            // Nobody may listen any more.
            let _unheard = told.send(book.write(set_aside));
        });
        let no_thread = || NotWritten::Failed(crate::words::system_words(libc::EAGAIN));
        let written = async move { heard.await.unwrap_or_else(|_| Err(no_thread())) };
        Action::Settle(Box::new(self.settings.clone()), Task::perform(written, |result| result))
    }

    fn with_store(
        &self,
        act: fn(&Store) -> Result<KeptRoom, JournalError>,
        tell: fn(Option<KeptRoom>) -> Message,
    ) -> Task<dialog::Message> {
        let Some(store) = self.store.clone() else { return Task::none() };
        let acted = crate::ui::places::in_thread(move || act(&store).ok());
        Task::perform(acted, move |room| dialog::Message::Settings(tell(room.flatten())))
    }

    /// The pattern as it is typed, if it is one.
    pub(super) fn typed_pattern(&self) -> Option<NamePattern> {
        self.pattern.parse().ok()
    }

    /// What can be removed.
    pub(super) fn removable(&self) -> Option<KeptRoom> {
        match self.kept {
            Kept::Known(room) if room.files > 0 => Some(room),
            _ => None,
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, key: InDialog) -> Action {
        match key {
            InDialog::Next | InDialog::Previous => {
                let controls = self.controls();
                self.focus = next_focus(&controls, self.focus, key == InDialog::Previous);
                Action::Run(self.follow())
            }
            InDialog::Up => self.step(true),
            InDialog::Down => self.step(false),
            InDialog::Activate => self.activate(),
            InDialog::Leave if matches!(self.kept, Kept::Asking(_)) => {
                self.update(Message::KeepThem)
            }
            InDialog::Leave => Action::Close,
            _ => nothing(),
        }
    }

    fn activate(&mut self) -> Action {
        let message = match self.focus {
            Control::Files | Control::Folders | Control::Keep => return self.step(false),
            Control::Workers | Control::Foreign | Control::Theme => return self.step(false),
            Control::Pattern => return nothing(),
            Control::Anew => Message::Anew,
            Control::Free => Message::Free,
            Control::KeepThem => Message::KeepThem,
            Control::FreeNow => Message::FreeNow,
            Control::Verify => Message::Verify,
            Control::Attribute(attribute) => Message::Preserve(attribute),
            Control::Close => Message::Close,
        };
        self.update(message)
    }

    /// The next value of the control that has the focus, or the one before.
    fn step(&mut self, back: bool) -> Action {
        let settings = &self.settings;
        let message = match self.focus {
            Control::Files => {
                Message::Files(next_focus(&FILES, settings.conflict.unwrap_or_default(), back))
            }
            Control::Folders => {
                let rule = settings.folder_conflict.unwrap_or_default();
                Message::Folders(next_focus(&FOLDERS, rule, back))
            }
            Control::Keep => {
                let keep = settings.keep_replaced.unwrap_or_default();
                Message::Keep(next_focus(&self.keeps(), keep, back))
            }
            Control::Workers => {
                let workers = settings.workers.unwrap_or_default();
                Message::Workers(next_focus(&self.workers(), workers, back))
            }
            Control::Foreign => {
                let rule = settings.foreign_names.unwrap_or_default();
                Message::Foreign(next_focus(&FOREIGN, rule, back))
            }
            Control::Theme => Message::Theme(next_focus(&COLOURS, self.theme, back)),
            _ => return nothing(),
        };
        self.update(message)
    }

    /// How long replaced files can be kept; what the file says is among it.
    pub(super) fn keeps(&self) -> Vec<KeepReplaced> {
        let mut keeps = KEEPS.to_vec();
        let now = self.settings.keep_replaced.unwrap_or_default();
        if !keeps.contains(&now) {
            keeps.insert(1, now);
        }
        keeps
    }

    /// How many workers can be chosen; what the file says is among it.
    pub(super) fn workers(&self) -> Vec<Workers> {
        let numbers = [1, 2, 4, 8, 16, 32, settings::MOST_WORKERS].map(Workers::Number);
        let mut all: Vec<Workers> = [Workers::Automatic].into_iter().chain(numbers).collect();
        let now = self.settings.workers.unwrap_or_default();
        if !all.contains(&now) {
            all.push(now);
        }
        all.sort_by_key(|workers| workers.wish());
        all
    }

    fn controls(&self) -> Vec<Control> {
        let mut controls = Vec::new();
        if self.trouble == Some(NotWritten::Broken) {
            controls.push(Control::Anew);
        }
        controls.extend([Control::Files, Control::Folders, Control::Pattern, Control::Keep]);
        match self.kept {
            Kept::Asking(_) => controls.extend([Control::KeepThem, Control::FreeNow]),
            _ if self.removable().is_some() => controls.push(Control::Free),
            _ => {}
        }
        controls.push(Control::Verify);
        controls.extend(Attribute::ALL.map(Control::Attribute));
        controls.extend([Control::Workers, Control::Foreign, Control::Theme, Control::Close]);
        controls
    }

    /// Brings the control that has the focus into sight, and the keyboard into its field.
    fn follow(&self) -> Task<dialog::Message> {
        let id = match self.focus {
            Control::Pattern => widget::Id::new(PATTERN),
            _ => widget::Id::new("nothing"),
        };
        let keyboard = widget::operation::focus(id);
        let Some(place) = self.place_of(self.focus) else { return keyboard };
        let offset = widget::scrollable::AbsoluteOffset { x: None, y: Some(place) };
        let sight = widget::operation::scroll_to(widget::Id::new(LIST), offset);
        Task::batch([keyboard, sight])
    }
}

/// The rules for files.
pub(super) const FILES: [ConflictRule; 9] = [
    ConflictRule::Ask,
    ConflictRule::Skip,
    ConflictRule::Replace,
    ConflictRule::Newer,
    ConflictRule::Different,
    ConflictRule::SizeOrTime,
    ConflictRule::KeepBoth,
    ConflictRule::KeepExisting,
    ConflictRule::Rename,
];

/// The rules for folders.
pub(super) const FOLDERS: [FolderRule; 7] = [
    FolderRule::Merge,
    FolderRule::Ask,
    FolderRule::Skip,
    FolderRule::Replace,
    FolderRule::KeepBoth,
    FolderRule::KeepExisting,
    FolderRule::Rename,
];

/// What can be done with names that the destination refuses.
pub(super) const FOREIGN: [ForeignRule; 3] =
    [ForeignRule::Ask, ForeignRule::Map, ForeignRule::Skip];

/// How long replaced files can be kept.
const KEEPS: [KeepReplaced; 7] = [
    KeepReplaced::Undo,
    KeepReplaced::Days(14),
    KeepReplaced::Days(7),
    KeepReplaced::Days(1),
    KeepReplaced::Job,
    KeepReplaced::Trash,
    KeepReplaced::No,
];

/// The colours.
pub(super) const COLOURS: [Choice; 3] = [Choice::System, Choice::Light, Choice::Dark];
