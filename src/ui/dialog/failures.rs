//! What failed and waits: why, what can be done, and trying again.

use iced::widget::{column, container, row, space};
use iced::{Center, Element, Fill, Task};

use crate::engine::{About, Action as Answer, Command, JobId, Question, QuestionId, Scope};
use crate::ui::dialog::{Action, nothing};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::Jobs;
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::theme::{MEDIUM, Tone};
use crate::ui::widget::{
    Fit, Kind, Offset, control, cut_text, heading, quiet, ring, rows, sign_button, tip, yielding,
};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The height of a row.
const ROW: f32 = 58.0;
/// How many rows are seen at once.
const ROWS: usize = 5;

/// The dialog.
pub struct Failures {
    job: JobId,
    offset: Offset,
    fit: Fit,
    chosen: usize,
    focus: Control,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    RetryAll,
    SkipAll,
    Later,
}

const CONTROLS: [Control; 3] = [Control::SkipAll, Control::RetryAll, Control::Later];

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Answer one.
    Answer(QuestionId, Answer),
    /// Answer all alike.
    AnswerAll(Answer),
    /// Scroll.
    Scrolled(Offset),
    /// Decide later.
    Later,
}

impl Failures {
    /// Shows what failed in a job; `None` when nothing waits.
    pub fn new(jobs: &Jobs, job: JobId) -> Option<Failures> {
        let _first = jobs.get(job)?.failures().next()?;
        Some(Failures {
            job,
            offset: Offset::default(),
            fit: Fit::default(),
            chosen: 0,
            focus: Control::Later,
        })
    }

    /// Takes in a message.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        let job = self.job;
        match message {
            Message::Answer(question, action) => {
                let command = Command::Answer { job, question, action, scope: Scope::This };
                Action::Send(vec![command], Task::none())
            }
            Message::AnswerAll(action) => match answer_all(jobs, job, action) {
                Some(command) => Action::SendAndClose(vec![command]),
                None => Action::Close,
            },
            Message::Scrolled(offset) => {
                self.offset = offset;
                nothing()
            }
            Message::Later => Action::Close,
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        match key {
            InDialog::Next | InDialog::Previous => {
                self.focus = next_focus(&CONTROLS, self.focus, key == InDialog::Previous);
                nothing()
            }
            InDialog::Up => self.choose(jobs, self.chosen.saturating_sub(1)),
            InDialog::Down => self.choose(jobs, self.chosen + 1),
            InDialog::PageUp => self.choose(jobs, self.chosen.saturating_sub(ROWS)),
            InDialog::PageDown => self.choose(jobs, self.chosen + ROWS),
            InDialog::Letter('r') => self.answer_chosen(jobs, Answer::Retry),
            InDialog::Letter('s') => self.answer_chosen(jobs, Answer::Skip),
            InDialog::Activate => match self.focus {
                Control::RetryAll => self.update(jobs, Message::AnswerAll(Answer::Retry)),
                Control::SkipAll => self.update(jobs, Message::AnswerAll(Answer::Skip)),
                Control::Later => Action::Close,
            },
            InDialog::Leave => Action::Close,
            _ => nothing(),
        }
    }

    /// The jobs have changed: when nothing waits any more, the dialog ends.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        match jobs.get(self.job).map_or(0, |job| job.failure_count()) {
            0 => Action::Close,
            count => {
                self.chosen = self.chosen.min(count - 1);
                nothing()
            }
        }
    }

    fn choose(&mut self, jobs: &Jobs, at: usize) -> Action {
        let count = jobs.get(self.job).map_or(0, |job| job.failure_count());
        self.chosen = at.min(count.saturating_sub(1));
        let place = self.chosen as f64;
        let first = self.offset.0.clamp(place + 1.0 - ROWS as f64, place);
        self.offset = Offset(first).within(count, ROWS as f64);
        nothing()
    }

    fn answer_chosen(&mut self, jobs: &Jobs, answer: Answer) -> Action {
        let question = jobs.get(self.job).and_then(|job| job.failures().nth(self.chosen));
        match question.map(|question| question.id) {
            Some(id) => self.update(jobs, Message::Answer(id, answer)),
            None => nothing(),
        }
    }

    /// The dialog.
    pub fn view<'a>(&'a self, jobs: &'a Jobs) -> Element<'a, Message> {
        let Some(job) = jobs.get(self.job) else { return space().into() };
        let questions: Vec<&Question> = job.failures().collect();
        let count = questions.len();
        let chosen = self.chosen;
        let list = rows(
            count,
            ROW,
            self.offset,
            &self.fit,
            move |at| failure(questions[at], at == chosen),
            Message::Scrolled,
        );
        let height = ROWS.min(count) as f32 * ROW + 8.0;
        // Where the window is low, the list gives way.
        let list = container(list).max_height(height).padding(4).style(style::panel);
        let way = |place, kind, id: &str, message| {
            ring(self.focus == place, control(kind, None, text(id), Some(message)))
        };
        let ways =
            row![
                way(
                    Control::SkipAll,
                    Kind::Plain,
                    "window-skip-all",
                    Message::AnswerAll(Answer::Skip),
                ),
                way(
                    Control::RetryAll,
                    Kind::Plain,
                    "window-retry-all",
                    Message::AnswerAll(Answer::Retry),
                ),
                space::horizontal(),
                way(Control::Later, Kind::Primary, "window-later", Message::Later),
            ]
            .spacing(10);
        column![
            heading(phrase::counted("window-have-failed", count as u64)),
            space().height(4),
            quiet(text("window-failures-hint")),
            space().height(14),
            list,
            space().height(16),
            ways,
        ]
        .into()
    }
}

/// One answer to all failures of a job that wait.
pub fn answer_all(jobs: &Jobs, job: JobId, action: Answer) -> Option<Command> {
    let question = jobs.get(job)?.failures().next()?.id;
    Some(Command::Answer { job, question, action, scope: Scope::AllOfKind })
}

fn failure<'a>(question: &Question, chosen: bool) -> Element<'a, Message> {
    let About::Failure { error } = &question.about else { return space().into() };
    let folder = error.path.parent().map(phrase::short_path);
    let folder = phrase::with("window-in", "folder", folder.unwrap_or_default());
    let remedy = words::remedy(error).map(|remedy| [text("window-separator"), remedy].concat());
    let quiet = |words| cut_text(words).size(12.0).tone(Tone::Quiet);
    let under = row![yielding(quiet(folder)), remedy.map(quiet)];
    let told =
        column![cut_text(phrase::short_error(error)).font(MEDIUM).width(Fill), under.width(Fill),]
            .spacing(2)
            .width(Fill);
    let told = tip(told, words::error_and_remedy(error));
    let answer = |answer| Message::Answer(question.id, answer);
    let content = row![
        icon(Icon::Warning, Tone::Failure),
        told,
        sign_button(Icon::Retry, text("window-retry"), answer(Answer::Retry)),
        sign_button(Icon::Skip, text("window-skip"), answer(Answer::Skip)),
    ]
    .spacing(10)
    .align_y(Center);
    let content = container(content).padding([0, 12]).center_y(ROW).width(Fill);
    content.style(style::chosen_row(chosen)).into()
}
