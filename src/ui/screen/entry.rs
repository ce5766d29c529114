//! One row of the list of entries.

use std::path::Path;

use iced::widget::{Row, column, container, row};
use iced::{Center, Element, Fill};

use crate::engine::{EntryId, EntryState, EntryView, FileKind, InWork, JobKind, Phase};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Job;
use crate::ui::phrase;
use crate::ui::screen::entries::{Message, ROW};
use crate::ui::style::BarKind;
use crate::ui::theme::Tone;
use crate::ui::widget::{badge, badge_button, bar, cut_text, line, sign_button, tip};
use crate::words::{self, text as word};

/// The place of the size.
const SIZE: f32 = 76.0;

/// An entry of a plan; one in work shows how far it is.
pub fn of_plan<'a>(job: &Job, id: EntryId, narrow: bool) -> Element<'a, Message> {
    let Some(plan) = job.plan.as_ref() else { return line() };
    let Some(entry) = plan.entry(id) else { return line() };
    let folder = plan.path(id).and_then(|path| path.parent().map(Path::to_owned));
    let in_work = job.snapshot.in_work.iter().find(|work| work.entry == id);
    let state = match in_work {
        Some(work) => work_bar(job, work),
        None => state(job, &entry),
    };
    let size = entry.size.filter(|_| entry.kind != FileKind::Folder);
    let name = words::name(&entry.name);
    framed(parts(sign(&entry), name, folder.as_deref(), size, state, narrow))
}

/// An entry in work.
pub fn in_work<'a>(job: &Job, work: &InWork, narrow: bool) -> Element<'a, Message> {
    let name = phrase::last_name(&work.path);
    let signs = icon(Icon::File, Tone::Accent).into();
    let state = work_bar(job, work);
    parts(signs, name, work.path.parent(), Some(work.size), state, narrow)
}

fn framed<'a>(content: Element<'a, Message>) -> Element<'a, Message> {
    column![container(content).height(ROW - 1.0), line()].into()
}

fn parts<'a>(
    sign: Element<'a, Message>,
    name: String,
    folder: Option<&Path>,
    size: Option<u64>,
    state: Element<'a, Message>,
    narrow: bool,
) -> Element<'a, Message> {
    let mut names: Row<'a, Message> = row![cut_text(name)].spacing(8).align_y(Center).width(Fill);
    if let Some(folder) = folder.filter(|folder| !narrow && !folder.as_os_str().is_empty()) {
        names = names.push(cut_text(words::path(folder)).size(11.5).tone(Tone::Quiet));
    }
    let size = cut_text(size.map(words::size).unwrap_or_default()).tone(Tone::Quiet);
    let size = container(size).align_right(SIZE);
    let state = container(state).width(if narrow { 128.0 } else { 164.0 });
    row![sign, names, size, state]
        .spacing(if narrow { 8.0 } else { 14.0 })
        .padding([0, 14])
        .align_y(Center)
        .height(ROW - 1.0)
        .into()
}

/// How far an entry in work is, and a way to leave it.
fn work_bar<'a>(job: &Job, work: &InWork) -> Element<'a, Message> {
    let share = if work.size == 0 { 0.0 } else { work.done as f64 / work.size as f64 };
    let bar = bar(BarKind::Entry, Some(share));
    if !job.moves() || job.busy_with() != Phase::Copying {
        return container(bar).padding(iced::Padding::ZERO.right(12.0)).into();
    }
    let skip = Message::Skip(job.id, work.entry);
    let skip = sign_button(Icon::Skip, word("window-skip-file"), skip);
    row![bar, skip].spacing(4).align_y(Center).into()
}

fn sign<'a>(entry: &EntryView) -> Element<'a, Message> {
    use EntryState::{Asked, Changed, Done, Failed, Renamed, Skipped, Unanswered};
    let (sign, tone) = match (entry.state, entry.kind) {
        (Asked, _) => (Icon::Question, Tone::Warning),
        (Failed | Changed, _) => (Icon::Warning, Tone::Failure),
        (Skipped | Unanswered, _) => (Icon::Skip, Tone::Quiet),
        (_, FileKind::Folder) => (Icon::Folder, Tone::Quiet),
        (Done | Renamed, _) => (Icon::Check, Tone::Good),
        (_, FileKind::Link) => (Icon::Link, Tone::Quiet),
        _ => (Icon::File, Tone::Quiet),
    };
    icon(sign, tone).into()
}

fn state<'a>(job: &Job, entry: &EntryView) -> Element<'a, Message> {
    let copied = match job.spec.kind {
        JobKind::Copy => "window-entry-copied",
        JobKind::Move => "window-entry-moved",
    };
    match entry.state {
        EntryState::Pending if job.ended() => badge(word("window-entry-not-begun"), Tone::Neutral),
        EntryState::Pending => badge(word("window-entry-waiting"), Tone::Neutral),
        EntryState::InWork if entry.kind == FileKind::Folder => {
            badge(word("window-entry-filling"), Tone::Neutral)
        }
        EntryState::InWork => badge(word("window-entry-in-work"), Tone::Accent),
        EntryState::Done => badge(word(copied), Tone::Good),
        EntryState::Renamed => badge(word("window-entry-renamed"), Tone::Accent),
        EntryState::Skipped => badge(word("window-entry-skipped"), Tone::Neutral),
        EntryState::Unanswered => badge(word("window-entry-unanswered"), Tone::Warning),
        EntryState::Asked => asked(job, entry.id),
        EntryState::Failed => failed(job, entry.id, "window-entry-failed"),
        EntryState::Changed => failed(job, entry.id, "window-entry-changed"),
    }
}

fn asked<'a>(job: &Job, entry: EntryId) -> Element<'a, Message> {
    let words = word("window-entry-asked");
    match job.question_about(entry) {
        Some(question) => badge_button(words, Tone::Warning, Message::Decide(job.id, question.id)),
        None => badge(words, Tone::Warning),
    }
}

fn failed<'a>(job: &Job, entry: EntryId, id: &str) -> Element<'a, Message> {
    let sign = match job.question_about(entry) {
        Some(question) => {
            let words = [word(id), word("window-retry")].join(&word("window-separator"));
            badge_button(words, Tone::Failure, Message::Retry(job.id, question.id))
        }
        None => badge(word(id), Tone::Failure),
    };
    match job.failure_of(entry) {
        Some(error) => tip(sign, words::error(error)),
        None => sign,
    }
}
