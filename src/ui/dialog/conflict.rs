//! A name is taken: what now? Both sides side by side, and only what can be done.
//!
//! Nothing here is answered by what was meant for something else: the focus stands on Skip,
//! and keys and clicks answer only once a question has been seen for half a second. The
//! second half of a double click does not answer the next question.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use iced::Task;
use iced::widget;

use crate::engine::{
    About, Action as Answer, Command, JobId, Question, QuestionClass, QuestionId, Scope,
    name_is_possible,
};
use crate::ui::dialog::{self, Action, nothing};
use crate::ui::job::{Job, Jobs};
use crate::ui::keys::{InDialog, next_focus};
use crate::words;

/// The field for another name.
pub const NAME: &str = "conflict-name";
/// How long a question must have been seen before it can be answered.
const SEEN: Duration = Duration::from_millis(500);

/// The dialog.
pub struct Conflict {
    pub(super) job: JobId,
    pub(super) question: QuestionId,
    pub(super) all: bool,
    /// The other name, while it is being typed.
    pub(super) name: Option<String>,
    pub(super) focus: Control,
    answered: HashSet<QuestionId>,
    /// Counts the questions that were shown, so that only the last one's half second counts.
    shown: u64,
    armed: bool,
}

/// A control that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Skip.
    Skip,
    /// Keep both.
    KeepBoth,
    /// Rename.
    Rename,
    /// The field for the name.
    Name,
    /// Take the typed name.
    TakeName,
    /// Replace if newer.
    Newer,
    /// Replace if different.
    Different,
    /// Replace.
    Replace,
    /// For all of this kind.
    All,
    /// Decide later.
    Later,
}

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The question has been seen long enough to be answered.
    Seen(u64),
    /// Do this.
    Answer(Answer),
    /// For all of this kind, or not.
    All(bool),
    /// Type another name.
    Rename,
    /// The name was typed.
    Named(String),
    /// Take the typed name.
    TakeName,
    /// To the question before.
    Previous,
    /// To the next question.
    Next,
    /// Decide later.
    Later,
}

impl Conflict {
    /// Asks about a question of a job, or about its first one. `None` when nothing is asked.
    pub fn new(
        jobs: &Jobs,
        job: JobId,
        question: Option<QuestionId>,
    ) -> Option<(Conflict, Task<dialog::Message>)> {
        let owner = jobs.get(job)?;
        let known = question.filter(|id| owner.question(*id).is_some());
        let question = known.or_else(|| owner.conflicts().next().map(|question| question.id))?;
        let mut dialog = Conflict {
            job,
            question,
            all: false,
            name: None,
            focus: Control::Skip,
            answered: HashSet::new(),
            shown: 0,
            armed: false,
        };
        let seen = dialog.show(question);
        Some((dialog, seen))
    }

    /// Takes in a message.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        let Some((job, question)) = self.asked(jobs) else { return Action::Close };
        match message {
            Message::Seen(shown) => {
                self.armed |= shown == self.shown;
                nothing()
            }
            Message::Answer(answer) => self.answer(job, question, answer),
            Message::All(all) => {
                self.all = all;
                if all {
                    self.name = None;
                }
                nothing()
            }
            Message::Rename => {
                if self.all {
                    return nothing();
                }
                self.name = suggested(question);
                self.focus = Control::Name;
                Action::Run(self.show_focus())
            }
            Message::Named(name) => {
                self.name = Some(name);
                self.focus = Control::Name;
                nothing()
            }
            Message::TakeName => match self.typed_name() {
                Some(name) => self.answer(job, question, Answer::Rename(name)),
                None => nothing(),
            },
            Message::Previous => self.turn(job, true),
            Message::Next => self.turn(job, false),
            Message::Later => Action::Close,
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        let Some((job, question)) = self.asked(jobs) else { return Action::Close };
        let message = match key {
            InDialog::Next | InDialog::Previous => {
                let controls = self.controls(question);
                self.focus = next_focus(&controls, self.focus, key == InDialog::Previous);
                return Action::Run(self.show_focus());
            }
            InDialog::Leave if self.name.is_some() => {
                self.name = None;
                self.focus = Control::Rename;
                return nothing();
            }
            InDialog::Leave => Message::Later,
            InDialog::PageUp => return self.turn(job, true),
            InDialog::PageDown => return self.turn(job, false),
            InDialog::Activate if self.armed => self.pressed(question),
            InDialog::Letter(letter) if self.armed => match self.lettered(question, letter) {
                Some(message) => message,
                None => return nothing(),
            },
            _ => return nothing(),
        };
        self.update(jobs, message)
    }

    /// The jobs have changed: the question may have been settled.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        let Some(job) = jobs.get(self.job) else { return Action::Close };
        if job.question(self.question).is_some() && !self.answered.contains(&self.question) {
            return nothing();
        }
        self.go_on(job, Vec::new())
    }

    /// The job and the question, while it is open.
    pub(super) fn asked<'a>(&self, jobs: &'a Jobs) -> Option<(&'a Job, &'a Question)> {
        let job = jobs.get(self.job)?;
        Some((job, job.question(self.question)?))
    }

    /// The open questions that this dialog has not answered yet.
    pub(super) fn open<'a>(&'a self, job: &'a Job) -> impl Iterator<Item = &'a Question> {
        job.conflicts().filter(|question| !self.answered.contains(&question.id))
    }

    /// How many other open questions are of the same class.
    pub(super) fn others(&self, job: &Job, question: &Question) -> u64 {
        let class = question.class();
        let same = |other: &&Question| other.class() == class && other.id != question.id;
        self.open(job).filter(same).count() as u64
    }

    /// The typed name, when a file can have it.
    pub(super) fn typed_name(&self) -> Option<OsString> {
        let name = OsString::from(self.name.as_ref()?);
        name_is_possible(&name).then_some(name)
    }

    /// Whether the question has been seen long enough to be answered.
    pub(super) fn armed(&self) -> bool {
        self.armed
    }

    /// Whether an answer is possible and shown.
    pub(super) fn allows(&self, question: &Question, answer: &Answer) -> bool {
        question.about.allows(answer)
    }

    /// The controls in the order of the Tab key.
    fn controls(&self, question: &Question) -> Vec<Control> {
        let mut controls = vec![Control::Skip, Control::KeepBoth, Control::Rename];
        if self.name.is_some() {
            controls.extend([Control::Name, Control::TakeName]);
        }
        if self.allows(question, &Answer::Replace) {
            controls.extend([Control::Newer, Control::Different, Control::Replace]);
        }
        controls.extend([Control::All, Control::Later]);
        controls
    }

    fn pressed(&self, _question: &Question) -> Message {
        match self.focus {
            Control::Skip => Message::Answer(Answer::Skip),
            Control::KeepBoth => Message::Answer(Answer::KeepBoth),
            Control::Rename => Message::Rename,
            Control::Name | Control::TakeName => Message::TakeName,
            Control::Newer => Message::Answer(Answer::ReplaceIfNewer),
            Control::Different => Message::Answer(Answer::ReplaceIfDifferent),
            Control::Replace => Message::Answer(Answer::Replace),
            Control::All => Message::All(!self.all),
            Control::Later => Message::Later,
        }
    }

    /// The letters and digits that the buttons' tooltips tell.
    fn lettered(&self, question: &Question, letter: char) -> Option<Message> {
        let answer = match letter {
            's' | '1' => Answer::Skip,
            'k' | '2' => Answer::KeepBoth,
            'm' | '3' => return Some(Message::Rename),
            'n' | '4' => Answer::ReplaceIfNewer,
            'd' | '5' => Answer::ReplaceIfDifferent,
            'r' | '6' => Answer::Replace,
            'a' => return Some(Message::All(!self.all)),
            'l' => return Some(Message::Later),
            _ => return None,
        };
        self.allows(question, &answer).then_some(Message::Answer(answer))
    }

    fn answer(&mut self, job: &Job, question: &Question, action: Answer) -> Action {
        if !self.armed || !self.allows(question, &action) {
            return nothing();
        }
        let remembered = !matches!(action, Answer::Rename(_));
        let scope = if self.all && remembered { Scope::AllOfKind } else { Scope::This };
        let command = Command::Answer { job: job.id, question: question.id, action, scope };
        let _new = self.answered.insert(question.id);
        if scope == Scope::AllOfKind {
            let class: QuestionClass = question.class();
            let same = job.conflicts().filter(|other| other.class() == class);
            self.answered.extend(same.map(|other| other.id));
        }
        self.go_on(job, vec![command])
    }

    /// To the next open question after this one; round to the first; else the dialog ends.
    fn go_on(&mut self, job: &Job, commands: Vec<Command>) -> Action {
        let current = self.question;
        let next = self.open(job).find(|question| question.id > current);
        let next = next.or_else(|| self.open(job).next()).map(|question| question.id);
        match (next, commands.is_empty()) {
            (Some(next), true) => Action::Run(self.show(next)),
            (Some(next), false) => Action::Send(commands, self.show(next)),
            (None, true) => Action::Close,
            (None, false) => Action::SendAndClose(commands),
        }
    }

    fn turn(&mut self, job: &Job, back: bool) -> Action {
        let current = self.question;
        let next = if back {
            self.open(job).take_while(|question| question.id < current).last()
        } else {
            self.open(job).find(|question| question.id > current)
        };
        match next.map(|question| question.id) {
            Some(next) => Action::Run(self.show(next)),
            None => nothing(),
        }
    }

    /// Shows a question; its half second begins.
    fn show(&mut self, question: QuestionId) -> Task<dialog::Message> {
        self.question = question;
        self.name = None;
        self.focus = Control::Skip;
        self.armed = false;
        self.shown += 1;
        crate::ui::after(SEEN, dialog::Message::Conflict(Message::Seen(self.shown)))
    }

    fn show_focus(&self) -> Task<dialog::Message> {
        if self.focus == Control::Name {
            let id = widget::Id::new(NAME);
            return widget::operation::focus(id.clone()).chain(widget::operation::select_all(id));
        }
        widget::operation::focus(widget::Id::new("nothing"))
    }
}

/// The name to begin with: the one that keeping both would give, as far as it can be typed.
fn suggested(question: &Question) -> Option<String> {
    let About::Conflict { other_name, .. } = &question.about else { return None };
    let name = OsString::from_vec(other_name.clone().into_vec());
    Some(name.into_string().unwrap_or_else(|name| words::name(&name)))
}
