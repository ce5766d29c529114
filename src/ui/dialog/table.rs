//! All names of a job that are taken, in one table: an answer a row, and answers for those
//! that are selected. Nothing is told to the engine before it is applied, and what is decided
//! by then is kept when the table is left.

use std::collections::{HashMap, HashSet};

use iced::Task;
use iced::widget;

use crate::engine::{
    About, Action as Answer, Command, FileFacts, JobId, Question, QuestionId, Scope,
};
use crate::ui::dialog::{self, Action, nothing};
use crate::ui::job::{Job, Jobs};
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::widget::{Fit, Offset};

/// The field that finds a name.
pub const FIND: &str = "table-find";
/// The answers that the table offers; the first ones have buttons, in this order.
pub const ANSWERS: [Answer; 8] = [
    Answer::Skip,
    Answer::KeepBoth,
    Answer::ReplaceIfNewer,
    Answer::ReplaceIfDifferent,
    Answer::Replace,
    Answer::Merge,
    Answer::KeepExisting,
    Answer::ReplaceIfSizeOrTime,
];

/// The dialog.
pub struct Table {
    pub(super) job: JobId,
    /// The questions that are shown, in their order.
    pub(super) rows: Vec<QuestionId>,
    /// The state of the questions that the rows were made of.
    made_of: Option<u64>,
    pub(super) sort: Column,
    pub(super) downwards: bool,
    pub(super) find: String,
    pub(super) offset: Offset,
    pub(super) fit: Fit,
    /// The row that the keyboard stands on.
    pub(super) cursor: usize,
    pub(super) selected: HashSet<QuestionId>,
    pub(super) decided: HashMap<QuestionId, Answer>,
    pub(super) focus: Control,
    /// The question whose list of answers is open.
    open: Option<QuestionId>,
    /// How often such a list was closed by something else than a click.
    pub(super) closings: u64,
}

/// A column to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// By the path.
    Name,
    /// By the time of what is coming.
    Coming,
    /// By the time of what is there.
    There,
    /// By what is to be done.
    Answer,
}

/// A control that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// The rows.
    Rows,
    /// The field that finds a name.
    Find,
    /// Decide later.
    Later,
    /// Apply what was decided.
    Apply,
}

const CONTROLS: [Control; 4] = [Control::Rows, Control::Find, Control::Later, Control::Apply];

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Sort by a column, or the other way round.
    Sort(Column),
    /// The field that finds a name has got the keyboard.
    Finding,
    /// Show only names with this in them.
    Find(String),
    /// Scroll.
    Scrolled(Offset),
    /// Select a question, or no longer.
    Select(QuestionId),
    /// Select all that are shown, or none.
    SelectAll,
    /// The list of answers of a question was opened, or one was closed.
    Turned(Option<QuestionId>),
    /// Do this with one question; with `None` it stays open.
    Decide(QuestionId, Option<Answer>),
    /// Do this with all that are selected and can be answered so.
    DecideSelected(Answer),
    /// Decide later.
    Later,
    /// Tell the engine what was decided.
    Apply,
}

impl Table {
    /// All taken names of a job; `None` when there are none.
    pub fn new(jobs: &Jobs, job: JobId) -> Option<Table> {
        let mut table = Table {
            job,
            rows: Vec::new(),
            made_of: None,
            sort: Column::Name,
            downwards: false,
            find: String::new(),
            offset: Offset::default(),
            fit: Fit::default(),
            cursor: 0,
            selected: HashSet::new(),
            decided: jobs.get(job)?.drafts.clone(),
            focus: Control::Rows,
            open: None,
            closings: 0,
        };
        table.make_rows(jobs.get(job)?);
        (!table.rows.is_empty()).then_some(table)
    }

    /// Takes in a message.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        let Some(job) = jobs.get(self.job) else { return Action::Close };
        match message {
            Message::Sort(column) => {
                self.downwards = self.sort == column && !self.downwards;
                self.sort = column;
                self.make_rows(job);
            }
            Message::Finding => self.focus = Control::Find,
            Message::Find(find) => {
                self.find = find;
                self.focus = Control::Find;
                self.offset = Offset::default();
                self.cursor = 0;
                self.make_rows(job);
            }
            Message::Scrolled(offset) => self.offset = offset,
            Message::Select(question) => {
                if !self.selected.remove(&question) {
                    let _new = self.selected.insert(question);
                }
                let row = self.rows.iter().position(|row| *row == question);
                self.cursor = row.unwrap_or(self.cursor);
                self.focus = Control::Rows;
            }
            Message::SelectAll => {
                if self.all_selected() {
                    self.selected.clear();
                } else {
                    self.selected.extend(&self.rows);
                }
            }
            Message::Turned(open) => self.open = open,
            Message::Decide(question, answer) => {
                self.open = None;
                self.decide(job, question, answer);
            }
            Message::DecideSelected(answer) => {
                for question in self.chosen() {
                    self.decide(job, question, Some(answer.clone()));
                }
            }
            Message::Later => return Action::Close,
            Message::Apply => return self.apply(job),
        }
        nothing()
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        let page = self.fit.rows().max(1.0) as usize;
        match key {
            InDialog::Next | InDialog::Previous => {
                self.focus = next_focus(&CONTROLS, self.focus, key == InDialog::Previous);
                return Action::Run(self.show_focus());
            }
            InDialog::Up => self.go_to(self.cursor.saturating_sub(1)),
            InDialog::Down => self.go_to(self.cursor + 1),
            InDialog::PageUp => self.go_to(self.cursor.saturating_sub(page)),
            InDialog::PageDown => self.go_to(self.cursor + page),
            InDialog::Activate => match (self.focus, self.rows.get(self.cursor)) {
                (Control::Rows, Some(row)) => return self.update(jobs, Message::Select(*row)),
                (Control::Apply, _) => return self.update(jobs, Message::Apply),
                (Control::Later, _) => return Action::Close,
                (Control::Rows | Control::Find, _) => {}
            },
            InDialog::Letter('a') => return self.update(jobs, Message::SelectAll),
            InDialog::Letter(letter) => {
                if let Some(answer) = lettered(letter) {
                    return self.update(jobs, Message::DecideSelected(answer));
                }
            }
            // An open list is what is left first.
            InDialog::Leave if self.open.take().is_some() => self.closings += 1,
            InDialog::Leave => return Action::Close,
            InDialog::Alt(_) | InDialog::Delete => {}
        }
        nothing()
    }

    /// The jobs have changed: questions may have come, and some may be settled.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        let Some(job) = jobs.get(self.job).filter(|job| job.conflict_count() > 0) else {
            return Action::Close;
        };
        if self.made_of != Some(job.questions_changed()) {
            self.selected.retain(|question| job.question(*question).is_some());
            self.decided.retain(|question, _| job.question(*question).is_some());
            self.make_rows(job);
        }
        nothing()
    }

    /// The job, and what was decided but not applied: kept until the table is opened again.
    pub fn drafts(self) -> (JobId, HashMap<QuestionId, Answer>) {
        (self.job, self.decided)
    }

    /// How many questions are decided.
    pub(super) fn decided_count(&self) -> usize {
        self.decided.len()
    }

    /// Whether all that are shown are selected.
    pub(super) fn all_selected(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| self.selected.contains(row))
    }

    /// The selected ones; without any the one that the keyboard stands on.
    pub(super) fn chosen(&self) -> Vec<QuestionId> {
        if self.selected.is_empty() {
            return self.rows.get(self.cursor).copied().into_iter().collect();
        }
        self.rows.iter().filter(|row| self.selected.contains(row)).copied().collect()
    }

    fn decide(&mut self, job: &Job, question: QuestionId, answer: Option<Answer>) {
        let Some(asked) = job.question(question) else { return };
        let _earlier = match answer {
            Some(answer) if asked.about.allows(&answer) => self.decided.insert(question, answer),
            // What it cannot be answered by changes nothing.
            Some(_) => None,
            None => self.decided.remove(&question),
        };
    }

    fn apply(&mut self, job: &Job) -> Action {
        let mut decided: Vec<_> = std::mem::take(&mut self.decided).into_iter().collect();
        decided.sort_unstable_by_key(|(question, _)| *question);
        let all = decided.len() == job.conflict_count();
        let commands = decided.into_iter().map(|(question, action)| Command::Answer {
            job: job.id,
            question,
            action,
            scope: Scope::This,
        });
        let commands: Vec<Command> = commands.collect();
        if all { Action::SendAndClose(commands) } else { Action::Send(commands, Task::none()) }
    }

    fn go_to(&mut self, row: usize) {
        self.focus = Control::Rows;
        self.cursor = row.min(self.rows.len().saturating_sub(1));
        let (place, shown) = (self.cursor as f64, self.fit.rows());
        // Not yet laid out: then nothing was scrolled either.
        if shown < 1.0 {
            return;
        }
        let first = self.offset.0.clamp((place + 1.0 - shown).min(place), place);
        self.offset = Offset(first).within(self.rows.len(), shown);
    }

    fn make_rows(&mut self, job: &Job) {
        let needle = self.find.trim().to_lowercase();
        let folded = |question: &Question| question.path.to_string_lossy().to_lowercase();
        let holds = |question: &&Question| needle.is_empty() || folded(question).contains(&needle);
        let mut rows: Vec<(String, &Question)> =
            job.conflicts().filter(holds).map(|question| (folded(question), question)).collect();
        let times = |question: &Question, coming: bool| match &question.about {
            About::Conflict { source, existing, .. } => {
                time(if coming { source } else { existing })
            }
            About::Failure { .. } | About::ForeignName { .. } => (0, 0),
        };
        let place = |question: &Question| {
            let answer = self.decided.get(&question.id);
            answer.and_then(|answer| ANSWERS.iter().position(|other| other == answer))
        };
        rows.sort_by(|(one_name, one), (other_name, other)| {
            let order = match self.sort {
                Column::Name => one_name.cmp(other_name),
                Column::Coming => times(one, true).cmp(&times(other, true)),
                Column::There => times(one, false).cmp(&times(other, false)),
                Column::Answer => place(one).cmp(&place(other)),
            };
            let order = if self.downwards { order.reverse() } else { order };
            order.then_with(|| one.id.cmp(&other.id))
        });
        let rows: Vec<QuestionId> = rows.into_iter().map(|(_, question)| question.id).collect();
        // A list would stay open where it stands, for another question.
        let place = |rows: &[QuestionId], open| rows.iter().position(|row| *row == open);
        if self.open.take_if(|open| place(&rows, *open) != place(&self.rows, *open)).is_some() {
            self.closings += 1;
        }
        self.rows = rows;
        self.made_of = Some(job.questions_changed());
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        self.offset = self.offset.within(self.rows.len(), self.fit.rows());
    }

    fn show_focus(&self) -> Task<dialog::Message> {
        let field = if self.focus == Control::Find { FIND } else { "nothing" };
        widget::operation::focus(widget::Id::new(field))
    }
}

fn time(facts: &FileFacts) -> (i64, u32) {
    (facts.modified_seconds, facts.modified_nanoseconds)
}

/// The letters of the conflict dialog.
fn lettered(letter: char) -> Option<Answer> {
    Some(match letter {
        's' | '1' => Answer::Skip,
        'k' | '2' => Answer::KeepBoth,
        'n' | '4' => Answer::ReplaceIfNewer,
        'd' | '5' => Answer::ReplaceIfDifferent,
        'r' | '6' => Answer::Replace,
        't' | '7' => Answer::ReplaceIfSizeOrTime,
        'e' | '8' => Answer::KeepExisting,
        'g' | '9' => Answer::Merge,
        _ => return None,
    })
}
