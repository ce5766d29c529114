//! The end of a job: what was copied, what was not, and why.

use iced::widget::{Column, Row, column, container, row};
use iced::{Center, Element, Fill, Padding};

use crate::engine::{EntryState, Outcome, Summary};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Job;
use crate::ui::screen::detail::{Message, RATE_PANEL};
use crate::ui::theme::{MEDIUM, Tone};
use crate::ui::widget::{Kind, control, curve, cut_text, label, line, scroll, sign_button, tip};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// How many failures are named here; the list below has them all.
const NAMED: usize = 50;
/// Below this width the words on the buttons give way.
const WIDE_FROM: f32 = 620.0;
/// The height of the lines that are shown at once.
const LINES: f32 = 124.0;

/// What the panel with the rate leaves below a head of the report.
const REST: f32 = RATE_PANEL - 42.0;

/// The report of an ended job, and what can be done now; nothing for one that has not ended.
pub fn view(job: &Job, roomy: bool, width: f32) -> Option<Element<'_, Message>> {
    let summary = job.summary.as_ref()?;
    let (sign, tone) = verdict(summary);
    let told = label(words::summary(job.spec.kind, summary)).font(MEDIUM).width(Fill);
    let can_undo = job.journal.is_some() && summary.entries.done > 0;
    let ways = ways(job, can_undo, width >= WIDE_FROM);
    let head = row![icon(sign, tone), told, ways].spacing(12).align_y(Center);
    let head = container(head)
        .padding(Padding { top: 7.0, right: 8.0, bottom: 7.0, left: 14.0 })
        .width(Fill);
    let lines = lines(job, summary);
    if lines.is_empty() {
        // Where the rate was, it stays, so that the list below does not jump at the end.
        let rate = roomy.then(|| {
            let curve = curve(&job.history, REST - 10.0);
            container(curve).height(REST).padding(Padding::default().left(14).right(14))
        });
        return Some(container(column![head].push(rate)).style(style::panel).into());
    }
    let height = LINES.min(lines.len() as f32 * 28.0 + 12.0);
    let height = if roomy { height.max(REST - 1.0) } else { height.min(68.0) };
    let list = Column::with_children(lines).padding(Padding {
        top: 6.0,
        right: 14.0,
        bottom: 6.0,
        left: 14.0,
    });
    let list = scroll(list).height(height).width(Fill);
    Some(container(column![head, line(), list]).style(style::panel).into())
}

/// What can be done with an ended job.
fn ways<'a>(job: &Job, can_undo: bool, wide: bool) -> Row<'a, Message> {
    let way = |sign, words: &str, key: &str, message| -> Element<'a, Message> {
        let words = text(words);
        if !wide {
            return sign_button(sign, format!("{words} ({key})"), message);
        }
        tip(control(Kind::Plain, Some(sign), words, Some(message)).height(28), key.to_owned())
    };
    let mut ways = Row::new().spacing(if wide { 8 } else { 0 });
    if job.summary.as_ref().is_some_and(|summary| summary.outcome != Outcome::Refused) {
        ways = ways.push(way(Icon::Folder, "window-open", "O", Message::Open(job.id)));
    }
    if can_undo {
        ways = ways.push(way(Icon::Undo, "window-undo", "U", Message::Undo(job.id)));
    }
    let save = Message::SaveReport(job.id);
    ways = ways.push(way(Icon::File, "window-save-report", "E", save));
    if job.can_repeat() {
        ways = ways.push(way(Icon::Retry, "window-repeat", "R", Message::Repeat(job.id)));
    }
    ways
}

fn verdict(summary: &Summary) -> (Icon, Tone) {
    match summary.outcome {
        Outcome::Cancelled | Outcome::Stopped => (Icon::Cross, Tone::Quiet),
        Outcome::Refused => (Icon::Warning, Tone::Failure),
        Outcome::Done if !summary.all_done() => (Icon::Warning, Tone::Failure),
        Outcome::Done => (Icon::Check, Tone::Good),
    }
}

fn lines<'a>(job: &Job, summary: &Summary) -> Vec<Element<'a, Message>> {
    let failures = summary.failures.iter().take(NAMED).map(|failure| {
        let error = &failure.error;
        let remedy = words::remedy(error).unwrap_or_default();
        told(
            Icon::Warning,
            Tone::Failure,
            phrase::short_error(error),
            remedy,
            words::error_and_remedy(error),
        )
    });
    let notices = summary.notices.iter().map(|notice| {
        let notice = words::notice(notice);
        told(Icon::Question, Tone::Warning, notice.clone(), String::new(), notice)
    });
    let entries = job.told.iter().flat_map(|entry| {
        let (sign, tone) = match entry.state {
            EntryState::Skipped | EntryState::Unanswered => (Icon::Skip, Tone::Quiet),
            _ => (Icon::Pencil, Tone::Accent),
        };
        let sentences = crate::report::sentences(entry).into_iter();
        sentences.map(move |words| told(sign, tone, words.clone(), String::new(), words))
    });
    failures.chain(notices).chain(entries).collect()
}

fn told<'a>(
    sign: Icon,
    tone: Tone,
    words: String,
    remedy: String,
    full: String,
) -> Element<'a, Message> {
    let content = row![icon(sign, tone), cut_text(words), cut_text(remedy).tone(Tone::Quiet)];
    tip(container(content.spacing(10).align_y(Center)).center_y(28).width(Fill), full)
}
