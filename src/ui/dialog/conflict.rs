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
    About, Action as Answer, Command, FileKind, JobId, NamePattern, Question, QuestionClass,
    QuestionId, Scope, name_is_possible,
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
    /// The class of the question.
    class: Option<QuestionClass>,
    /// What an answer is for.
    pub(super) scope: Scope,
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
    /// Replace if size or time differ.
    SizeOrTime,
    /// Replace.
    Replace,
    /// Give what is there another name.
    KeepExisting,
    /// Merge two folders.
    Merge,
    /// For all of this kind.
    All,
    /// For all kinds.
    Every,
    /// To the table of all taken names.
    Table,
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
    /// What an answer is for.
    For(Scope),
    /// Type another name.
    Rename,
    /// The field for the name has got the keyboard.
    Typing,
    /// The name was typed.
    Named(String),
    /// Take the typed name.
    TakeName,
    /// To the question before.
    Previous,
    /// To the next question.
    Next,
    /// To the table of all taken names.
    Table,
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
            class: None,
            scope: Scope::This,
            name: None,
            focus: Control::Skip,
            answered: HashSet::new(),
            shown: 0,
            armed: false,
        };
        let seen = dialog.show(owner, question);
        Some((dialog, seen))
    }

    /// Takes in a message.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        let before = self.question;
        let action = self.take_in(jobs, message);
        self.and_compare(jobs, before, action)
    }

    fn take_in(&mut self, jobs: &Jobs, message: Message) -> Action {
        let Some((job, question)) = self.asked(jobs) else { return Action::Close };
        match message {
            Message::Seen(shown) => {
                self.armed |= shown == self.shown;
                nothing()
            }
            Message::Answer(answer) => self.answer(job, question, answer),
            Message::For(scope) => {
                if scope == Scope::This || self.reaches(job, question, scope) {
                    self.scope = scope;
                }
                nothing()
            }
            Message::Rename => {
                self.name = match self.scope {
                    Scope::This => suggested(question),
                    _ => Some(job.spec.options.rename_pattern.to_string()),
                };
                self.focus = Control::Name;
                Action::Run(self.show_focus())
            }
            Message::Typing => {
                self.focus = Control::Name;
                nothing()
            }
            Message::Named(name) => {
                self.name = Some(name);
                self.focus = Control::Name;
                nothing()
            }
            Message::TakeName => match self.typed_name() {
                Some(answer) => self.answer(job, question, answer),
                None => nothing(),
            },
            Message::Previous => self.turn(job, true),
            Message::Next => self.turn(job, false),
            Message::Table => Action::Table(job.id),
            Message::Later => Action::Close,
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        let before = self.question;
        let action = self.take_key(jobs, key);
        self.and_compare(jobs, before, action)
    }

    fn take_key(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        let Some((job, question)) = self.asked(jobs) else { return Action::Close };
        let message = match key {
            InDialog::Next | InDialog::Previous => {
                let controls = self.controls(job, question);
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
            InDialog::Activate if self.armed => self.pressed(),
            InDialog::Letter(letter) if self.armed => match self.lettered(question, letter) {
                Some(message) => message,
                None => return nothing(),
            },
            _ => return nothing(),
        };
        self.take_in(jobs, message)
    }

    /// The jobs have changed: the question may have been settled.
    pub fn refresh(&mut self, jobs: &Jobs) -> Action {
        let Some(job) = jobs.get(self.job) else { return Action::Close };
        if job.question(self.question).is_some() && !self.answered.contains(&self.question) {
            return nothing();
        }
        let before = self.question;
        let action = self.go_on(job, Vec::new());
        self.and_compare(jobs, before, action)
    }

    /// The wish to compare both sides, where that would tell something new: other sizes are
    /// other contents.
    pub fn compare(&self, jobs: &Jobs) -> Option<Command> {
        let (job, question) = self.asked(jobs)?;
        let About::Conflict { source, existing, same_file: false, .. } = &question.about else {
            return None;
        };
        let files = source.kind == FileKind::File && existing.kind == FileKind::File;
        let open = files && source.size == existing.size && job.compared(question.id).is_none();
        open.then_some(Command::Compare { job: job.id, question: question.id })
    }

    /// What is to be done, and the wish to compare another question that is shown now.
    fn and_compare(&self, jobs: &Jobs, before: QuestionId, action: Action) -> Action {
        let command = self.compare(jobs).filter(|_| self.question != before);
        match (command, action) {
            (Some(command), Action::Run(task)) => Action::Send(vec![command], task),
            (Some(command), Action::Send(mut commands, task)) => {
                commands.push(command);
                Action::Send(commands, task)
            }
            (_, action) => action,
        }
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

    /// Whether an answer for more than this question has others to apply to: they are asked
    /// about now, or may follow while the job goes on.
    pub(super) fn reaches(&self, job: &Job, question: &Question, scope: Scope) -> bool {
        let class = question.class();
        let mut open = self.open(job).filter(|other| other.id != question.id);
        job.may_ask_more()
            || match scope {
                Scope::This => false,
                Scope::AllOfKind => open.any(|other| other.class() == class),
                Scope::All => open.any(|other| other.class() != class),
            }
    }

    /// The answer that the typed name gives: one name for this file, or a pattern, for many.
    pub(super) fn typed_name(&self) -> Option<Answer> {
        let typed = self.name.as_ref()?;
        if let Ok(pattern) = typed.parse::<NamePattern>() {
            return Some(Answer::RenameBy(pattern));
        }
        let name = OsString::from(typed);
        let one = self.scope == Scope::This && name_is_possible(&name);
        one.then_some(Answer::Rename(name))
    }

    /// Whether the question has been seen long enough to be answered.
    pub(super) fn armed(&self) -> bool {
        self.armed
    }

    /// Whether an answer is possible and shown.
    pub(super) fn allows(&self, question: &Question, answer: &Answer) -> bool {
        question.about.allows(answer)
    }

    /// What the dialog leads to: two folders are merged, anything else is replaced.
    pub(super) fn leads_to(&self, question: &Question) -> Option<Control> {
        let ways = [(Control::Merge, Answer::Merge), (Control::Replace, Answer::Replace)];
        let mut ways = ways.into_iter().filter(|(_, answer)| self.allows(question, answer));
        ways.next().map(|(control, _)| control)
    }

    /// The rarer ways, which stand more quietly: what gives the existing one another name,
    /// and what puts the coming one in its place.
    pub(super) fn rarer(&self, question: &Question) -> Vec<(Control, Answer)> {
        let leads_to = self.leads_to(question);
        let mut rarer = vec![
            (Control::KeepExisting, Answer::KeepExisting),
            (Control::Newer, Answer::ReplaceIfNewer),
            (Control::Different, Answer::ReplaceIfDifferent),
            (Control::SizeOrTime, Answer::ReplaceIfSizeOrTime),
            (Control::Replace, Answer::Replace),
        ];
        rarer.retain(|(control, answer)| {
            self.allows(question, answer) && leads_to != Some(*control)
        });
        rarer
    }

    /// The controls in the order of the Tab key.
    fn controls(&self, job: &Job, question: &Question) -> Vec<Control> {
        let mut controls = vec![Control::Skip, Control::KeepBoth, Control::Rename];
        controls.extend(self.leads_to(question));
        match &self.name {
            Some(_) => controls.extend([Control::Name, Control::TakeName]),
            None => controls.extend(self.rarer(question).into_iter().map(|(control, _)| control)),
        }
        let scopes = [(Control::All, Scope::AllOfKind), (Control::Every, Scope::All)];
        let scopes = scopes.into_iter().filter(|(_, scope)| self.reaches(job, question, *scope));
        controls.extend(scopes.map(|(control, _)| control));
        if self.open(job).count() > 1 {
            controls.push(Control::Table);
        }
        controls.push(Control::Later);
        controls
    }

    fn pressed(&self) -> Message {
        match self.focus {
            Control::Skip => Message::Answer(Answer::Skip),
            Control::KeepBoth => Message::Answer(Answer::KeepBoth),
            Control::Rename => Message::Rename,
            Control::Name | Control::TakeName => Message::TakeName,
            Control::Newer => Message::Answer(Answer::ReplaceIfNewer),
            Control::Different => Message::Answer(Answer::ReplaceIfDifferent),
            Control::Replace => Message::Answer(Answer::Replace),
            Control::KeepExisting => Message::Answer(Answer::KeepExisting),
            Control::Merge => Message::Answer(Answer::Merge),
            Control::SizeOrTime => Message::Answer(Answer::ReplaceIfSizeOrTime),
            Control::All => self.toggled(Scope::AllOfKind),
            Control::Every => self.toggled(Scope::All),
            Control::Table => Message::Table,
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
            't' | '7' => Answer::ReplaceIfSizeOrTime,
            'e' | '8' => Answer::KeepExisting,
            'g' | '9' => Answer::Merge,
            'a' => return Some(self.toggled(Scope::AllOfKind)),
            'y' => return Some(self.toggled(Scope::All)),
            'l' => return Some(Message::Later),
            _ => return None,
        };
        self.allows(question, &answer).then_some(Message::Answer(answer))
    }

    /// An answer for these, or again for one.
    pub(super) fn toggled(&self, scope: Scope) -> Message {
        Message::For(if self.scope == scope { Scope::This } else { scope })
    }

    fn answer(&mut self, job: &Job, question: &Question, action: Answer) -> Action {
        if !self.armed || !self.allows(question, &action) {
            return nothing();
        }
        let _new = self.answered.insert(question.id);
        let (asked, scope) = (question.about.subject(), self.scope);
        let reached = job
            .conflicts()
            .filter(|other| asked.reaches(other.about.subject(), &action, scope))
            .map(|other| other.id);
        self.answered.extend(reached);
        // What is said of all of them is not said of the next kind.
        self.scope = Scope::This;
        let command = Command::Answer { job: job.id, question: question.id, action, scope };
        self.go_on(job, vec![command])
    }

    /// To the next open question after this one; round to the first; else the dialog ends.
    fn go_on(&mut self, job: &Job, commands: Vec<Command>) -> Action {
        let current = self.question;
        let next = self.open(job).find(|question| question.id > current);
        let next = next.or_else(|| self.open(job).next()).map(|question| question.id);
        match (next, commands.is_empty()) {
            (Some(next), true) => Action::Run(self.show(job, next)),
            (Some(next), false) => Action::Send(commands, self.show(job, next)),
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
            Some(next) => Action::Run(self.show(job, next)),
            None => nothing(),
        }
    }

    /// Shows a question; its half second begins.
    fn show(&mut self, job: &Job, question: QuestionId) -> Task<dialog::Message> {
        let class = job.question(question).map(Question::class);
        if self.class.is_some() && self.class != class {
            self.scope = Scope::This;
        }
        self.class = class;
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
