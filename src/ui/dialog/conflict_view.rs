//! How the conflict dialog looks.

use iced::widget::{self, Column, Row, column, container, row, space, text_input};
use iced::{Center, Element, Fill, Pixels};

use crate::engine::{About, Action as Answer, FileFacts, FileKind, Question, QuestionClass, Scope};
use crate::ui::dialog::conflict::{Conflict, Control, Message, NAME};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::{Job, Jobs};
use crate::ui::theme::{FIGURE, STRONG, TEXT, Tone};
use crate::ui::widget::{
    Kind, badge, control, cut_text, label, line, quiet, ring, sign_button, strong, tick, tip,
    toned, yielding_ring,
};
use crate::ui::{phrase, style};
use crate::words::{self, args, text, text_with};

impl Conflict {
    /// The dialog.
    pub fn view<'a>(&'a self, jobs: &'a Jobs) -> Element<'a, Message> {
        let Some((job, question)) = self.asked(jobs) else { return space().into() };
        let About::Conflict { source, source_path, existing, existing_path, same_file, .. } =
            &question.about
        else {
            return space().into();
        };
        let there = match question.class() {
            QuestionClass::SourcesMeet => "window-from-another-source",
            _ => "window-already-there",
        };
        let sides = row![
            side(text("window-coming"), source, source_path, existing, *same_file),
            side(text(there), existing, existing_path, source, *same_file),
        ]
        .spacing(12);
        let mut content = Column::new()
            .push(self.head(job, question))
            .push(space().height(14))
            .push(sides)
            .push(space().height(14))
            .push(self.keeping(question));
        if let Some(name) = &self.name {
            content = content.push(space().height(10)).push(self.naming(name));
        }
        if self.allows(question, &Answer::KeepExisting) {
            let gap = if self.name.is_some() { 4 } else { 10 };
            content = content.push(space().height(gap)).push(self.setting_aside(question));
        }
        if self.allows(question, &Answer::Replace) {
            content = content.push(space().height(10)).push(self.replacing(question));
        }
        content
            .push(space().height(14))
            .push(line())
            .push(space().height(12))
            .push(self.foot(job, question))
            .into()
    }

    fn head<'a>(&'a self, job: &'a Job, question: &Question) -> Element<'a, Message> {
        let name = phrase::last_name(&question.path);
        let About::Conflict { source, existing, same_file, .. } = &question.about else {
            return space().into();
        };
        let title = match question.class() {
            QuestionClass::TypeDiffers if existing.kind == FileKind::Folder => {
                phrase::with("window-is-a-folder-there", "name", name)
            }
            QuestionClass::TypeDiffers => phrase::with("window-is-a-file-there", "name", name),
            QuestionClass::FolderExists => phrase::with("window-folder-is-there", "name", name),
            QuestionClass::SourcesMeet => phrase::with("window-sources-meet", "name", name),
            _ => phrase::with("window-is-already-there", "name", name),
        };
        let open = self.open(job).count() as u64;
        let before = self.open(job).take_while(|other| other.id < question.id).count() as u64;
        let destination = &job.spec.destination;
        let inside = question.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = inside.map_or_else(|| destination.clone(), |inside| destination.join(inside));
        let folder = phrase::short_path(&folder);
        let place = phrase::with("window-in", "folder", folder);
        let number = args([("number", (before + 1).into()), ("count", open.into())]);
        let number = text_with("window-question-of", &number);
        let mut under = row![cut_text(place).tone(Tone::Quiet)].spacing(0).align_y(Center);
        if open > 1 {
            let number = format!("{}{number}", text("window-separator"));
            under = under.push(quiet(number).wrapping(widget::text::Wrapping::None));
        }
        let words = column![
            cut_text(title).size(FIGURE).font(STRONG).width(Fill),
            container(under).height(20).center_y(20),
        ]
        .spacing(2)
        .width(Fill);
        let mut head = row![words].spacing(8).align_y(Center);
        let files = source.kind != FileKind::Folder && existing.kind != FileKind::Folder;
        let same_size = source.size == existing.size && source.kind == existing.kind;
        let contents = match (files && same_size, job.compared(question.id)) {
            (true, Some(Some(true))) => Some(("window-contents-equal", Tone::Good)),
            (true, Some(None)) => Some(("window-contents-unread", Tone::Warning)),
            (true, Some(Some(false))) => Some(("window-contents-differ", Tone::Neutral)),
            (true, None) if source.kind == FileKind::File => {
                Some(("window-contents-compared", Tone::Neutral))
            }
            (false, _) if files => Some(("window-contents-differ", Tone::Neutral)),
            _ => None,
        };
        if *same_file {
            head = head.push(badge(text("window-same-file-badge"), Tone::Warning));
        } else if let Some((id, tone)) = contents {
            head = head.push(badge(text(id), tone));
        }
        if open > 1 {
            head = head.push(sign_button(
                Icon::Previous,
                text("window-previous-question"),
                Message::Previous,
            ));
            head = head.push(sign_button(Icon::Next, text("window-next-question"), Message::Next));
        }
        head.into()
    }

    /// What leaves the existing file as it is.
    fn keeping<'a>(&'a self, question: &Question) -> Element<'a, Message> {
        let other = match &question.about {
            About::Conflict { other_name, .. } => words::name(other_name),
            About::Failure { .. } => String::new(),
        };
        let keep_both = phrase::with("window-keep-both-as", "name", other);
        let keep_both = control(Kind::Plain, None, keep_both, self.answering(Answer::KeepBoth));
        row![
            self.way(
                Control::Skip,
                Kind::Plain,
                Some(Icon::Skip),
                text("window-skip"),
                "S",
                self.answering(Answer::Skip),
            ),
            yielding_ring(self.focus == Control::KeepBoth, tip(keep_both, "K".to_owned())),
            self.way(
                Control::Rename,
                Kind::Plain,
                None,
                text("window-rename"),
                "M",
                Some(Message::Rename)
            ),
        ]
        .spacing(10)
        .into()
    }

    /// What gives the existing one another name, and what puts two folders together.
    fn setting_aside<'a>(&'a self, question: &Question) -> Element<'a, Message> {
        let other = match &question.about {
            About::Conflict { other_name, .. } => words::name(other_name),
            About::Failure { .. } => String::new(),
        };
        let aside = phrase::with("window-keep-existing-as", "name", other);
        let aside = control(Kind::Plain, None, aside, self.answering(Answer::KeepExisting));
        let aside = yielding_ring(self.focus == Control::KeepExisting, tip(aside, "E".to_owned()));
        if !self.allows(question, &Answer::Merge) {
            return row![aside].into();
        }
        let kind = if self.name.is_some() { Kind::Plain } else { Kind::Primary };
        let answer = self.answering(Answer::Merge);
        let merge = self.way(Control::Merge, kind, None, text("window-merge"), "G", answer);
        row![merge, aside].spacing(10).into()
    }

    /// What puts the coming one in the place of what is there.
    fn replacing(&self, question: &Question) -> Element<'_, Message> {
        if question.about.subject().folders {
            let answer = self.answering(Answer::Replace);
            let words = text("window-replace-folder");
            let replace = self.way(Control::Replace, Kind::Plain, None, words, "R", answer);
            return row![space::horizontal(), replace].into();
        }
        row![
            space::horizontal(),
            self.way(
                Control::Newer,
                Kind::Plain,
                None,
                text("window-replace-newer"),
                "N",
                self.answering(Answer::ReplaceIfNewer),
            ),
            self.way(
                Control::Different,
                Kind::Plain,
                None,
                text("window-replace-different"),
                "D",
                self.answering(Answer::ReplaceIfDifferent),
            ),
            self.way(
                Control::SizeOrTime,
                Kind::Plain,
                None,
                text("window-replace-size-or-time"),
                "T",
                self.answering(Answer::ReplaceIfSizeOrTime),
            ),
            self.way(
                Control::Replace,
                if self.name.is_some() { Kind::Plain } else { Kind::Primary },
                None,
                text("window-replace"),
                "R",
                self.answering(Answer::Replace),
            ),
        ]
        .spacing(10)
        .into()
    }

    /// What a button for an answer sends; it is drawn as one that cannot be pressed until
    /// the answer counts.
    fn answering(&self, answer: Answer) -> Option<Message> {
        self.armed().then_some(Message::Answer(answer))
    }

    fn way<'a>(
        &self,
        place: Control,
        kind: Kind,
        sign: Option<Icon>,
        words: String,
        key: &str,
        message: Option<Message>,
    ) -> Element<'a, Message> {
        let button = control(kind, sign, words, message);
        ring(self.focus == place, tip(button, key.to_owned()))
    }

    /// The other name, checked as it is typed.
    fn naming<'a>(&'a self, name: &str) -> Element<'a, Message> {
        let possible = self.typed_name().is_some();
        let field = text_input(&text("window-name-hint"), name)
            .id(widget::Id::new(NAME))
            .on_input(Message::Named)
            .size(TEXT)
            .line_height(Pixels(18.0))
            .padding([7, 10])
            .style(style::field(!possible));
        let take = control(
            Kind::Primary,
            None,
            text("window-take-name"),
            (possible && self.armed()).then_some(Message::TakeName),
        );
        let told = if possible {
            String::new()
        } else if name.is_empty() {
            text("window-name-empty")
        } else if self.scope != Scope::This || name.contains('{') {
            text("window-pattern-needed")
        } else {
            text("window-name-impossible")
        };
        let fields =
            row![field, ring(self.focus == Control::TakeName, take)].spacing(10).align_y(Center);
        column![fields, toned(told, Tone::Failure).size(12)].spacing(4).into()
    }

    fn foot<'a>(&'a self, job: &'a Job, question: &Question) -> Element<'a, Message> {
        let others = self.others(job, question);
        let words = phrase::counted("window-same-for-others", others);
        let (kind, every) = (Scope::AllOfKind, Scope::All);
        let ticks = column![
            ring(
                self.focus == Control::All,
                tip(tick(self.scope == kind, words, self.toggled(kind)), "A".to_owned())
            ),
            ring(
                self.focus == Control::Every,
                tip(
                    tick(self.scope == every, text("window-same-for-every"), self.toggled(every)),
                    "Y".to_owned()
                )
            ),
        ];
        let later = control(Kind::Plain, None, text("window-later"), Some(Message::Later));
        row![
            ticks,
            space::horizontal(),
            ring(self.focus == Control::Later, tip(later, "Esc".to_owned())),
        ]
        .align_y(Center)
        .into()
    }
}

/// One side: what it is, how large, how old, where.
fn side<'a>(
    title: String,
    facts: &FileFacts,
    path: &std::path::Path,
    other: &FileFacts,
    same_file: bool,
) -> Element<'a, Message> {
    let newer = !same_file && facts.newer_than(other);
    let comparable = facts.kind != FileKind::Folder && other.kind != FileKind::Folder;
    let larger = !same_file && comparable && facts.size > other.size;
    let marks: Vec<String> = [("window-newer", newer), ("window-larger", larger)]
        .into_iter()
        .filter(|(_, holds)| *holds)
        .map(|(id, _)| text(id))
        .collect();
    let mut head: Row<'a, Message> =
        row![kind_icon(facts.kind), strong(title), space::horizontal()].spacing(8).align_y(Center);
    if !marks.is_empty() {
        head = head.push(badge(marks.join(&text("window-separator")), Tone::Accent));
    }
    let size = match facts.kind {
        FileKind::Folder => text("window-a-folder"),
        FileKind::Link => text("window-a-link"),
        _ => words::size(facts.size),
    };
    let folder = path.parent().unwrap_or(path);
    let folder = tip(cut_text(phrase::short_path(folder)).width(Fill), words::path(path));
    let content = column![
        container(head).height(24).center_y(24),
        space().height(8),
        fact("window-size", marked(size, larger)),
        fact("window-changed", marked(words::moment(facts), newer)),
        fact("window-where", folder),
    ];
    container(content).padding([10, 13]).width(Fill).style(style::panel).into()
}

fn marked<'a>(words: String, mark: bool) -> Element<'a, Message> {
    if mark { strong(words).into() } else { label(words).into() }
}

fn fact<'a>(id: &str, value: Element<'a, Message>) -> Element<'a, Message> {
    row![quiet(text(id)).width(70), value].height(22).align_y(Center).into()
}

fn kind_icon<'a>(kind: FileKind) -> Element<'a, Message> {
    let sign = match kind {
        FileKind::Folder => Icon::Folder,
        FileKind::Link => Icon::Link,
        _ => Icon::File,
    };
    icon(sign, Tone::Quiet).into()
}
