//! How the table of taken names looks.

use std::fmt;

use iced::widget::{self, Row, column, container, responsive, row, space};
use iced::{Center, Element, Fill, Padding, Shrink, Size};

use crate::engine::{About, Action as Answer, FileFacts, FileKind, Question};
use crate::ui::dialog::table::{ANSWERS, Column, Control, FIND, Message, Table};
use crate::ui::icon::Icon;
use crate::ui::job::{Job, Jobs};
use crate::ui::theme::{MEDIUM, SMALL, STRONG, TEXT, Tone};
use crate::ui::widget::{
    Kind, control, cut_text, cut_tip, find_field, heading, line, pressed, quiet, ring, rows, tick,
    tip, turning_choice, yielding_ring,
};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The height of a row.
const ROW: f32 = 36.0;
/// How many rows are seen at once, where there is room.
const ROWS: usize = 12;
/// Below this width the times stand under the sizes.
const WIDE_FROM: f32 = 760.0;

/// The widths of the columns behind the name.
#[derive(Clone, Copy)]
struct Widths {
    facts: f32,
    answer: f32,
    wide: bool,
}

impl Widths {
    fn within(width: f32) -> Widths {
        match width >= WIDE_FROM {
            true => Widths { facts: 176.0, answer: 208.0, wide: true },
            false => Widths { facts: 96.0, answer: 176.0, wide: false },
        }
    }
}

/// An answer in the list of a row.
#[derive(Clone, PartialEq)]
struct Offered(Option<Answer>);

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.as_ref().map_or_else(|| text("window-table-ask"), words_of))
    }
}

/// What an answer is called.
fn words_of(answer: &Answer) -> String {
    text(match answer {
        Answer::Skip => "window-skip",
        Answer::KeepBoth => "window-keep-both",
        Answer::ReplaceIfNewer => "window-replace-newer",
        Answer::ReplaceIfDifferent => "window-replace-different",
        Answer::Replace => "window-replace",
        Answer::ReplaceIfSizeOrTime => "window-replace-size-or-time",
        Answer::Merge => "window-merge",
        Answer::KeepExisting => "window-keep-existing",
        Answer::Rename(_) | Answer::RenameBy(_) => "window-rename",
        Answer::MapName => "window-names-map",
        Answer::Retry => "window-retry",
    })
}

impl Table {
    /// The dialog.
    pub fn view<'a>(&'a self, jobs: &'a Jobs) -> Element<'a, Message> {
        let Some(job) = jobs.get(self.job) else { return space().into() };
        let marked = self.focus == Control::Find || !self.find.is_empty();
        let find = find_field(FIND, &self.find, marked, Message::Find).width(170);
        let find = pressed(find, Message::Finding);
        let title = phrase::counted("window-table-title", job.conflict_count() as u64);
        column![
            row![container(heading(title)).width(Fill), find].spacing(12).align_y(Center),
            space().height(12),
            self.ways(job),
            space().height(12),
            self.table(job),
            space().height(16),
            self.foot(job),
        ]
        .height(Shrink)
        .into()
    }

    /// What can be done with the selected ones.
    fn ways<'a>(&'a self, job: &'a Job) -> Element<'a, Message> {
        let chosen = self.chosen();
        let for_whom = match self.selected.len() as u64 {
            0 => text("window-table-for-this"),
            count => phrase::counted("window-table-for-selected", count),
        };
        let mut ways = Row::new().spacing(6).align_y(Center);
        for (answer, key) in ANSWERS.into_iter().zip(["S", "K", "N", "D", "R"]) {
            let possible = chosen.iter().any(|question| {
                job.question(*question).is_some_and(|asked| asked.about.allows(&answer))
            });
            let words = words_of(&answer);
            let message = possible.then_some(Message::DecideSelected(answer));
            let way = control(Kind::Plain, None, words, message).height(28).padding([0, 9]);
            ways = ways.push(tip(way, key.to_owned()));
        }
        row![cut_text(for_whom).tone(Tone::Quiet).width(Fill), ways]
            .spacing(8)
            .align_y(Center)
            .into()
    }

    fn table<'a>(&'a self, job: &'a Job) -> Element<'a, Message> {
        let count = self.rows.len();
        let height = ROWS.min(job.conflict_count().max(3)) as f32 * ROW + ROW + 3.0;
        let table = responsive(move |size: Size| {
            let widths = Widths::within(size.width);
            let body: Element<'a, Message> = if count == 0 {
                let words = phrase::with("window-none-found", "name", self.find.clone());
                container(quiet(words)).center(Fill).into()
            } else {
                let row = move |at: usize| self.row(job, at, widths);
                rows(count, ROW, self.offset, &self.fit, row, Message::Scrolled)
            };
            column![self.head(widths), line(), container(body).height(Fill)].into()
        });
        let table = container(table).padding(1).width(Fill).max_height(height).style(style::panel);
        // It takes no more room than its rows need.
        yielding_ring(self.focus == Control::Rows, table)
    }

    fn head<'a>(&'a self, widths: Widths) -> Element<'a, Message> {
        let title = |column, words: &str| -> Element<'a, Message> {
            let sorted = self.sort == column;
            let sign = if self.downwards { Icon::Down } else { Icon::Up };
            let tone = if sorted { Tone::Text } else { Tone::Quiet };
            let words = cut_text(text(words)).size(12.0).font(MEDIUM).tone(tone);
            let sign = sorted.then(|| crate::ui::icon::sized(sign, 12.0, Tone::Quiet));
            widget::button(row![words].push(sign).spacing(4).align_y(Center))
                .padding([4, 0])
                .style(style::unframed)
                .on_press(Message::Sort(column))
                .into()
        };
        let all = tick(self.all_selected(), String::new(), Message::SelectAll);
        cells(
            all,
            title(Column::Name, "window-table-name"),
            title(Column::Coming, "window-coming"),
            title(Column::There, "window-already-there"),
            title(Column::Answer, "window-table-answer"),
            widths,
        )
    }

    fn row<'a>(&'a self, job: &'a Job, at: usize, widths: Widths) -> Element<'a, Message> {
        let question = self.rows.get(at).and_then(|id| job.question(*id));
        let Some(question) = question else { return space().height(ROW).into() };
        let About::Conflict { source, existing, .. } = &question.about else {
            return space().height(ROW).into();
        };
        let selected = self.selected.contains(&question.id);
        let name = words::path(&question.path);
        let content = cells(
            tick(selected, String::new(), Message::Select(question.id)),
            cut_tip(cut_text(name.clone()).width(Fill), name),
            facts(source, existing, widths.wide),
            facts(existing, source, widths.wide),
            self.answers(question),
            widths,
        );
        let stands = self.focus == Control::Rows && at == self.cursor;
        column![
            container(content).height(ROW - 1.0).style(style::table_row(selected, stands)),
            line(),
        ]
        .into()
    }

    fn answers<'a>(&'a self, question: &'a Question) -> Element<'a, Message> {
        let possible = ANSWERS.into_iter().filter(|answer| question.about.allows(answer));
        let offered: Vec<Offered> =
            std::iter::once(None).chain(possible.map(Some)).map(Offered).collect();
        let decided = Offered(self.decided.get(&question.id).cloned());
        let id = question.id;
        let decide = move |Offered(answer)| Message::Decide(id, answer);
        let turn = move |open: bool| Message::Turned(open.then_some(id));
        turning_choice(self.closings, offered, decided, decide, turn)
    }

    fn foot<'a>(&'a self, job: &'a Job) -> Element<'a, Message> {
        let decided = self.decided_count();
        let open = job.conflict_count().saturating_sub(decided);
        let parts = [
            phrase::counted("window-table-decided", decided as u64),
            phrase::counted("window-table-open", open as u64),
        ];
        let later = control(Kind::Plain, None, text("window-later"), Some(Message::Later));
        let apply = (decided > 0).then_some(Message::Apply);
        let apply = control(Kind::Primary, None, text("window-table-apply"), apply);
        row![
            container(quiet(parts.join(&text("window-separator")))).width(Fill),
            ring(self.focus == Control::Later, tip(later, "Esc".to_owned())),
            ring(self.focus == Control::Apply, apply),
        ]
        .spacing(10)
        .align_y(Center)
        .into()
    }
}

fn cells<'a>(
    tick: Element<'a, Message>,
    name: Element<'a, Message>,
    coming: Element<'a, Message>,
    there: Element<'a, Message>,
    answer: Element<'a, Message>,
    widths: Widths,
) -> Element<'a, Message> {
    row![
        container(tick).width(20),
        container(name).width(Fill),
        container(coming).width(widths.facts),
        container(there).width(widths.facts),
        container(answer).width(widths.answer),
    ]
    .spacing(12)
    .padding(Padding { top: 0.0, right: 14.0, bottom: 0.0, left: 12.0 })
    .height(ROW - 1.0)
    .align_y(Center)
    .into()
}

/// Size and time of one side; what is larger or newer than the other side stands out. Where
/// there is little room the time stands below.
fn facts<'a>(one: &FileFacts, other: &FileFacts, wide: bool) -> Element<'a, Message> {
    let comparable = one.kind != FileKind::Folder && other.kind != FileKind::Folder;
    let size = match one.kind {
        FileKind::Folder => text("window-a-folder"),
        FileKind::Link => text("window-a-link"),
        _ => words::size(one.size),
    };
    let part = |words: String, stands_out: bool| {
        let words = cut_text(words).size(if wide { TEXT } else { SMALL });
        if stands_out { words.font(STRONG) } else { words.tone(Tone::Quiet) }
    };
    let size = part(size, comparable && one.size > other.size);
    let time = part(words::day_beside(one, other), one.newer_than(other));
    match wide {
        true => row![size, time].spacing(6).into(),
        false => column![size, time].into(),
    }
}
