//! Questions at a terminal: one after the other, in plain words, answered by a line.
//!
//! Pure: takes questions and lines, gives commands and text. No answer is a default: an
//! empty line asks again, and the end of the input leaves everything as it is, unanswered.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::engine::{
    About, Action, Command, FileFacts, FileKind, JobId, MappedName, NamePattern, Question,
    QuestionClass, QuestionId, Scope, Subject,
};
use crate::words;

/// The questions of one job and what was answered for all of a kind.
pub struct Asker {
    job: JobId,
    waiting: VecDeque<Question>,
    pattern: NamePattern,
    for_all: Vec<(Subject, Action, Scope)>,
    naming: bool,
    input_ended: bool,
    unanswered: u64,
}

/// What a line from the user leads to.
#[derive(Debug, Default, PartialEq)]
pub struct Reply {
    /// For the engine.
    pub commands: Vec<Command>,
    /// What was not understood, in words for the user.
    pub complaint: Option<String>,
}

impl Asker {
    /// An asker without questions.
    pub fn new(job: JobId) -> Asker {
        Asker {
            job,
            pattern: NamePattern::default(),
            waiting: VecDeque::new(),
            for_all: Vec::new(),
            naming: false,
            input_ended: false,
            unanswered: 0,
        }
    }

    /// Renaming by rule gives these names.
    pub fn rename_by(&mut self, pattern: NamePattern) {
        self.pattern = pattern;
    }

    /// Takes new questions; gives the answers that are known already.
    pub fn asked(&mut self, questions: Vec<Question>) -> Vec<Command> {
        let mut answers = Vec::new();
        for question in questions {
            match self.known_answer(&question) {
                Some(action) => answers.push(self.answer(question.id, action, Scope::This)),
                None => self.waiting.push_back(question),
            }
        }
        answers
    }

    /// Forgets questions that need no answer any more.
    pub fn settled(&mut self, settled: &[QuestionId]) {
        let shown = self.waiting.front().map(|question| question.id);
        self.waiting.retain(|question| !settled.contains(&question.id));
        if self.waiting.front().map(|question| question.id) != shown {
            self.naming = false;
        }
    }

    /// The question to show now, as text that ends where the answer is typed.
    pub fn prompt(&self) -> Option<String> {
        let question = self.waiting.front()?;
        if self.naming {
            return Some(words::text("ask-new-name") + " ");
        }
        Some(self.describe(question, self.waiting.len() as u64 - 1))
    }

    /// The number of the question to show now.
    pub fn current(&self) -> Option<QuestionId> {
        self.waiting.front().map(|question| question.id)
    }

    /// How many were left because the input had ended.
    pub fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// Takes a line that the user typed, with or without its line end.
    pub fn line(&mut self, line: &[u8]) -> Reply {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let Some(question) = self.waiting.front() else { return Reply::default() };
        if std::mem::take(&mut self.naming) {
            return self.rename(OsString::from_vec(line.to_vec()));
        }
        if let Some(name) = line.strip_prefix(b"rename ") {
            return self.rename(OsString::from_vec(name.to_vec()));
        }
        if line == b"rename" && question.about.allows(&Action::Rename(OsString::from("any"))) {
            self.naming = true;
            return Reply::default();
        }
        match self.choice(line).filter(|(action, _)| question.about.allows(action)) {
            Some((action, scope)) => self.chosen(action, scope),
            None => Reply { complaint: Some(words::text("ask-again")), ..Reply::default() },
        }
    }

    /// The input has ended: what waits and what comes is left as it is.
    pub fn input_ended(&mut self) -> Vec<Command> {
        self.input_ended = true;
        self.naming = false;
        let waiting = std::mem::take(&mut self.waiting);
        self.asked(waiting.into())
    }

    fn known_answer(&mut self, question: &Question) -> Option<Action> {
        let subject = question.about.subject();
        if subject.class == QuestionClass::Failure {
            return Some(Action::Skip);
        }
        // The last answer counts.
        let mut for_all = self.for_all.iter().rev();
        let known = for_all.find(|(asked, action, scope)| asked.reaches(subject, action, *scope));
        if let Some((_, action, _)) = known {
            return Some(action.clone());
        }
        self.input_ended.then(|| {
            self.unanswered += 1;
            Action::Skip
        })
    }

    fn rename(&mut self, name: OsString) -> Reply {
        let action = Action::Rename(name);
        if self.waiting.front().is_some_and(|question| question.about.allows(&action)) {
            return self.chosen(action, Scope::This);
        }
        Reply { complaint: Some(words::text("ask-bad-name")), ..Reply::default() }
    }

    fn chosen(&mut self, action: Action, scope: Scope) -> Reply {
        let Some(question) = self.waiting.pop_front() else { return Reply::default() };
        let mut commands = vec![self.answer(question.id, action.clone(), scope)];
        if scope != Scope::This {
            self.for_all.push((question.about.subject(), action, scope));
            // Answered one by one too: those that the engine settles by itself ignore it.
            let waiting = std::mem::take(&mut self.waiting);
            commands.extend(self.asked(waiting.into()));
        }
        Reply { commands, complaint: None }
    }

    fn answer(&self, question: QuestionId, action: Action, scope: Scope) -> Command {
        Command::Answer { job: self.job, question, action, scope }
    }
}

impl Asker {
    /// What a letter stands for; a capital is for all of this kind, with `!` for all.
    fn choice(&self, line: &[u8]) -> Option<(Action, Scope)> {
        let (letter, scope) = match line.trim_ascii() {
            [letter] if letter.is_ascii_uppercase() => (letter, Scope::AllOfKind),
            [letter] => (letter, Scope::This),
            [letter, b'!'] if letter.is_ascii_uppercase() => (letter, Scope::All),
            _ => return None,
        };
        if self.waiting.front().is_some_and(|front| front.about.allows(&Action::MapName)) {
            // Asked once, about all such names.
            let action = match letter.to_ascii_lowercase() {
                b'm' => Action::MapName,
                b's' => Action::Skip,
                _ => return None,
            };
            return Some((action, Scope::AllOfKind));
        }
        let action = match letter.to_ascii_lowercase() {
            b's' => Action::Skip,
            b'm' => Action::Merge,
            b'r' => Action::Replace,
            b'n' => Action::ReplaceIfNewer,
            b'd' => Action::ReplaceIfDifferent,
            b't' => Action::ReplaceIfSizeOrTime,
            b'k' => Action::KeepBoth,
            b'e' => Action::KeepExisting,
            b'p' => Action::RenameBy(self.pattern.clone()),
            _ => return None,
        };
        Some((action, scope))
    }

    /// A question in words: both sides, and the answers that it allows.
    fn describe(&self, question: &Question, more: u64) -> String {
        if let About::ForeignName { examples, file_system } = &question.about {
            return describe_foreign(examples, file_system);
        }
        let About::Conflict {
            source,
            source_path,
            existing,
            existing_path,
            other_name,
            same_file,
            ..
        } = &question.about
        else {
            return String::new();
        };
        let head = match (same_file, question.class()) {
            (true, _) => "ask-same-file",
            (false, QuestionClass::TypeDiffers) => "ask-type-differs",
            (false, QuestionClass::FolderExists) => "ask-folder-exists",
            (false, QuestionClass::SourcesMeet) => "ask-sources-meet",
            (false, _) => "ask-exists",
        };
        let args =
            words::args([("path", words::path(&question.path).into()), ("more", more.into())]);
        let mut lines = vec![words::text_with(head, &args)];
        if !same_file {
            lines.push(side("ask-existing", existing, source, &words::path(existing_path)));
            lines.push(side("ask-coming", source, existing, &words::path(source_path)));
        }
        let choices = |choices: &[(Action, &str)]| {
            let allowed = choices.iter().filter(|(action, _)| question.about.allows(action));
            let pattern = words::name(self.pattern.to_string().as_ref());
            let name = words::name(other_name);
            let args = words::args([("name", name.into()), ("pattern", pattern.into())]);
            let words: Vec<String> = allowed.map(|(_, id)| words::text_with(id, &args)).collect();
            (!words.is_empty()).then(|| words.join("  "))
        };
        let replace = match question.about.subject().folders {
            true => "ask-replace-folder",
            false => "ask-replace",
        };
        lines.extend(choices(&[
            (Action::Skip, "ask-skip"),
            (Action::Merge, "ask-merge"),
            (Action::Replace, replace),
            (Action::ReplaceIfNewer, "ask-newer"),
            (Action::ReplaceIfDifferent, "ask-different"),
        ]));
        lines.extend(choices(&[
            (Action::ReplaceIfSizeOrTime, "ask-size-or-time"),
            (Action::KeepExisting, "ask-keep-existing"),
        ]));
        lines.extend(choices(&[
            (Action::KeepBoth, "ask-keep-both"),
            (Action::RenameBy(self.pattern.clone()), "ask-pattern"),
            (Action::Rename(OsString::from("any")), "ask-rename"),
        ]));
        lines.push(words::text("ask-all") + " ");
        lines.join("\n")
    }
}

/// The question about refused names: some of them, and what they would become.
fn describe_foreign(examples: &[MappedName], file_system: &str) -> String {
    let head = words::args([("system", file_system.to_owned().into())]);
    let mut lines = vec![words::text_with("ask-foreign-name", &head)];
    lines.extend(examples.iter().map(|example| {
        let (name, mapped) = (words::name(&example.name), words::name(&example.mapped));
        let args = words::args([("name", name.into()), ("mapped", mapped.into())]);
        words::text_with("ask-foreign-example", &args)
    }));
    lines.push(words::text("ask-foreign-choices"));
    lines.push(words::text("ask-foreign-all") + " ");
    lines.join("\n")
}

/// One side of a conflict: what it is, and what it has over the other.
fn side(id: &str, this: &FileFacts, other: &FileFacts, path: &str) -> String {
    let what = match this.kind {
        FileKind::File => words::size(this.size),
        FileKind::Folder => words::text("ask-folder"),
        FileKind::Link => words::text("ask-link"),
        FileKind::Fifo | FileKind::Socket | FileKind::Device => words::text("ask-special"),
    };
    let files = this.kind == FileKind::File && other.kind == FileKind::File;
    let mut facts = vec![what, words::moment(this)];
    if this.newer_than(other) {
        facts.push(words::text("ask-is-newer"));
    }
    if files && this.size > other.size {
        facts.push(words::text("ask-is-larger"));
    }
    let args = words::args([("facts", facts.join(", ").into()), ("path", path.into())]);
    format!("  {}", words::text_with(id, &args))
}

#[cfg(test)]
mod tests;
