//! Undoing a job: first what it would do, then whether, then what it has done.

use std::time::Duration;

use iced::widget::{Column, column, container, row, space};
use iced::{Center, Element, Fill, Task};

use crate::engine::{JournalId, LeftWhy, Store, UndoReport};
use crate::ui::dialog::{self, Action, nothing};
use crate::ui::icon::{Icon, icon};
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::past::{self, Progress};
use crate::ui::theme::{FIGURE, STRONG, Tone};
use crate::ui::widget::{Kind, control, cut_text, label, quiet, ring, scroll, tip, toned};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// How often the progress of an undo is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How many of what is left are named.
const NAMED: usize = 200;

/// The dialog.
pub struct Undo {
    store: Store,
    id: JournalId,
    name: String,
    stage: Stage,
    focus: Control,
}

enum Stage {
    /// It is looked what undoing would do.
    Looking,
    /// It would do this.
    Preview(UndoReport),
    /// It is being done.
    Undoing(Progress),
    /// It did this.
    Done(UndoReport),
    /// It cannot be done.
    Impossible(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Close,
    Go,
}

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// It was looked what undoing would do.
    Previewed(JournalId, Result<UndoReport, String>),
    /// Undo.
    Go,
    /// Look how far it is.
    Look,
    /// It was undone.
    Undone(JournalId, Result<UndoReport, String>),
    /// Close it; an undo that is under way stops.
    Close,
}

impl Undo {
    /// Looks what undoing a job would do.
    pub fn new(store: Store, id: JournalId, name: String) -> (Undo, Task<dialog::Message>) {
        let preview = past::preview(store.clone(), id);
        let preview = Task::perform(preview, move |report| {
            dialog::Message::Undo(Message::Previewed(id, report))
        });
        let dialog = Undo { store, id, name, stage: Stage::Looking, focus: Control::Close };
        (dialog, preview)
    }

    /// Takes in a message.
    pub fn update(&mut self, message: Message) -> Action {
        match message {
            Message::Previewed(id, report) if id == self.id => {
                self.stage = match report {
                    Ok(report) => Stage::Preview(report),
                    Err(words) => Stage::Impossible(words),
                };
                nothing()
            }
            Message::Go if self.can_go() => {
                let progress = Progress::default();
                let (id, store) = (self.id, self.store.clone());
                let undo = Task::perform(past::undo(store, id, progress.clone()), move |report| {
                    dialog::Message::Undo(Message::Undone(id, report))
                });
                self.stage = Stage::Undoing(progress);
                self.focus = Control::Close;
                Action::Run(Task::batch([undo, look_soon()]))
            }
            Message::Look if matches!(self.stage, Stage::Undoing(_)) => Action::Run(look_soon()),
            Message::Undone(id, report) if id == self.id => {
                self.stage = match report {
                    Ok(report) => Stage::Done(report),
                    Err(words) => Stage::Impossible(words),
                };
                nothing()
            }
            Message::Close => match &self.stage {
                Stage::Undoing(progress) => {
                    progress.stop();
                    nothing()
                }
                _ => Action::Close,
            },
            _ => nothing(),
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, key: InDialog) -> Action {
        match key {
            InDialog::Next | InDialog::Previous if self.can_go() => {
                let controls = [Control::Close, Control::Go];
                self.focus = next_focus(&controls, self.focus, key == InDialog::Previous);
                nothing()
            }
            InDialog::Activate if self.focus == Control::Go => self.update(Message::Go),
            InDialog::Letter('u') => self.update(Message::Go),
            InDialog::Activate | InDialog::Leave => self.update(Message::Close),
            _ => nothing(),
        }
    }

    /// Whether there is something to undo.
    fn can_go(&self) -> bool {
        matches!(&self.stage, Stage::Preview(report) if does_something(report))
    }

    /// The dialog.
    pub fn view(&self) -> Element<'_, Message> {
        let title = match &self.stage {
            Stage::Done(_) => "window-undo-done-title",
            _ => "window-undo-title",
        };
        let title = phrase::with(title, "name", self.name.clone());
        let told: Element<'_, Message> = match &self.stage {
            Stage::Looking => quiet(text("window-undo-looking")).into(),
            Stage::Preview(report) => told(report, true),
            Stage::Done(report) => told(report, false),
            Stage::Undoing(progress) => {
                quiet(phrase::counted("window-undo-running", progress.looked_at())).into()
            }
            Stage::Impossible(words) => toned(words.clone(), Tone::Failure).into(),
        };
        let close = match &self.stage {
            Stage::Preview(_) => "window-dismiss",
            Stage::Undoing(_) => "window-undo-stop",
            _ => "window-close",
        };
        let close = control(Kind::Plain, None, text(close), Some(Message::Close));
        let mut ways = row![space::horizontal(), ring(self.focus == Control::Close, close)];
        if matches!(self.stage, Stage::Preview(_) | Stage::Looking) {
            let go = self.can_go().then_some(Message::Go);
            let kind = Kind::Outlined(Tone::Failure);
            let kind = if go.is_some() { kind } else { Kind::Plain };
            let go = control(kind, Some(Icon::Undo), text("window-undo-go"), go);
            ways = ways.push(ring(self.focus == Control::Go, tip(go, "U".to_owned())));
        }
        column![
            cut_text(title).size(FIGURE).font(STRONG).width(Fill),
            space().height(12),
            told,
            space().height(20),
            ways.spacing(10),
        ]
        .width(Fill)
        .into()
    }
}

fn look_soon() -> Task<dialog::Message> {
    crate::ui::after(LOOK, dialog::Message::Undo(Message::Look))
}

fn does_something(report: &UndoReport) -> bool {
    report.removed + report.brought_back + report.moved_back + report.folders_removed > 0
}

/// What an undo would do, or has done: a line a kind, and what it leaves.
fn told<'a>(report: &UndoReport, ahead: bool) -> Element<'a, Message> {
    let ids = match ahead {
        true => [
            "window-undo-will-remove",
            "window-undo-will-bring-back",
            "window-undo-will-move-back",
            "window-undo-will-remove-folders",
        ],
        false => [
            "window-undo-removed",
            "window-undo-brought-back",
            "window-undo-moved-back",
            "window-undo-removed-folders",
        ],
    };
    let counts = [report.removed, report.brought_back, report.moved_back, report.folders_removed];
    let signs = [Icon::Cross, Icon::Undo, Icon::Move, Icon::Folder];
    let mut lines = Column::new().spacing(8);
    if !does_something(report) {
        lines = lines.push(quiet(text("window-undo-nothing")));
    }
    for ((id, count), sign) in ids.into_iter().zip(counts).zip(signs) {
        if count > 0 {
            let words = label(phrase::counted(id, count));
            lines = lines.push(row![icon(sign, Tone::Quiet), words].spacing(10).align_y(Center));
        }
    }
    if report.gone > 0 {
        lines = lines.push(quiet(phrase::counted("window-undo-gone", report.gone)));
    }
    if report.left_count > 0 {
        let words = toned(phrase::counted("window-undo-left", report.left_count), Tone::Warning);
        lines = lines.push(row![icon(Icon::Warning, Tone::Warning), words].spacing(10));
    }
    let left = report.left.iter().map(|left| {
        let why = text(match left.why {
            LeftWhy::Changed => "window-undo-changed",
            LeftWhy::ReplacedGone => "window-undo-replaced-gone",
            LeftWhy::PlaceTaken => "window-undo-place-taken",
            LeftWhy::NotThere => "window-undo-not-there",
            LeftWhy::NotEmpty => "window-undo-not-empty",
            LeftWhy::OldInTrash => "window-undo-old-in-trash",
            LeftWhy::AsideGone => "window-undo-aside-gone",
            LeftWhy::NotTold => "window-undo-not-told",
        });
        let why = match &left.old {
            Some(old) => {
                let path = phrase::short_path(old);
                words::text_with(
                    "window-undo-old",
                    &words::args([("why", why.into()), ("path", path.into())]),
                )
            }
            None => why,
        };
        named(phrase::short_path(&left.path), why)
    });
    let failed = report
        .failures
        .iter()
        .map(|error| named(phrase::short_path(&error.path), words::error(error)));
    let named: Vec<Element<'a, Message>> = failed.chain(left).take(NAMED).collect();
    if !named.is_empty() {
        let height = (named.len() as f32 * 22.0 + 16.0).min(148.0);
        let list = scroll(Column::with_children(named).padding([8, 12])).width(Fill);
        lines = lines.push(container(list.height(height)).style(style::panel));
    }
    lines.into()
}

fn named<'a>(path: String, why: String) -> Element<'a, Message> {
    let content = row![
        crate::ui::widget::yielding(cut_text(path.clone())),
        cut_text(why.clone()).size(12.0).tone(Tone::Quiet),
    ];
    let full = format!("{path}: {why}");
    tip(container(content.spacing(10).align_y(Center)).center_y(22).width(Fill), full)
}
