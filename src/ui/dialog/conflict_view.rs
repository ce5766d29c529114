//! How the conflict dialog looks.

use iced::widget::{self, Row, column, container, row, space, text_input};
use iced::{Center, Element, Fill, Pixels};

use crate::engine::{About, Action as Answer, FileFacts, FileKind, Question, QuestionClass, Scope};
use crate::ui::dialog::conflict::{Conflict, Control, Message, NAME};
use crate::ui::icon::{Icon, icon};
use crate::ui::job::{Job, Jobs};
use crate::ui::theme::{FIGURE, STRONG, TEXT, Tone};
use crate::ui::widget::{
    CONTROL, CutText, Kind, badge, control, cut_text, cut_tip, label, line, pressed, quiet, ring,
    sign_button, strong, tick, tip, toned, yielding_ring,
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
        // The rarer ways give their place to the field for a name, so that nothing jumps.
        let rarer = match &self.name {
            Some(name) => self.naming(name),
            None => self.rarer_ways(question),
        };
        let refusal = self.name.as_ref().and_then(|name| self.refusal(name));
        column![
            self.head(job, question),
            space().height(14),
            sides,
            space().height(14),
            self.ways(question),
            space().height(8),
            container(rarer).height(CONTROL).center_y(CONTROL),
            container(toned(refusal.unwrap_or_default(), Tone::Failure).size(12)).height(24),
            line(),
            space().height(12),
            self.foot(job, question),
        ]
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

    /// The four common ways.
    fn ways<'a>(&'a self, question: &Question) -> Element<'a, Message> {
        let keep_both = phrase::with("window-keep-both-as", "name", other_name(question));
        let message = self.answering(Answer::KeepBoth);
        let keep_both = control(self.kind(Control::KeepBoth), None, keep_both, message);
        let way = |place, sign, words: &str, key: &str, message| {
            let button = control(self.kind(place), sign, text(words), message);
            ring(self.focus == place, tip(button, key.to_owned()))
        };
        let skip = self.answering(Answer::Skip);
        let ways = row![
            way(Control::Skip, Some(Icon::Skip), "window-skip", "S", skip),
            yielding_ring(self.focus == Control::KeepBoth, tip(keep_both, "K".to_owned())),
            way(Control::Rename, None, "window-rename", "M", Some(Message::Rename)),
        ]
        .spacing(10)
        .width(Fill);
        let last = match self.leads_to(question) {
            Some(Control::Merge) => Some((Control::Merge, "window-merge", "G", Answer::Merge)),
            Some(_) => Some((Control::Replace, "window-replace", "R", Answer::Replace)),
            None => None,
        };
        let last = last.map(|(place, words, key, answer)| {
            way(place, None, words, key, self.answering(answer))
        });
        row![ways].push(last).spacing(10).into()
    }

    /// The rarer ways: at the left what gives the existing one another name, at the right
    /// what may replace it.
    fn rarer_ways<'a>(&'a self, question: &Question) -> Element<'a, Message> {
        let link = |words: CutText, key: &str, answer| {
            let way = control(Kind::Link, None, words, self.answering(answer));
            tip(way.height(28).padding([0, 8]), key.to_owned())
        };
        let mut aside: Element<'a, Message> = space().into();
        let mut replacing = Row::new().spacing(4).align_y(Center);
        for (place, answer) in self.rarer(question) {
            let (words, key) = match place {
                Control::KeepExisting => {
                    let whole =
                        phrase::with("window-keep-existing-as", "name", other_name(question));
                    let words = cut_text(whole).or(text("window-keep-existing"));
                    aside = yielding_ring(self.focus == place, link(words, "E", answer));
                    continue;
                }
                Control::Newer => {
                    replacing = replacing.push(quiet(text("window-replace-only")));
                    ("window-if-newer", "N")
                }
                Control::Different => ("window-if-different", "D"),
                Control::SizeOrTime => ("window-if-size-or-time", "T"),
                _ => ("window-replace-folder", "R"),
            };
            let way = link(cut_text(text(words)), key, answer);
            replacing = replacing.push(ring(self.focus == place, way));
        }
        row![container(aside).width(Fill), replacing].spacing(10).align_y(Center).into()
    }

    /// How a way looks: filled is what Enter presses, and that is never by chance one that
    /// replaces.
    fn kind(&self, place: Control) -> Kind {
        let typing = matches!(self.focus, Control::Name) && place == Control::TakeName;
        if self.focus == place || typing { Kind::Primary } else { Kind::Plain }
    }

    /// What a button for an answer sends; it is drawn as one that cannot be pressed until
    /// the answer counts.
    fn answering(&self, answer: Answer) -> Option<Message> {
        self.armed().then_some(Message::Answer(answer))
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
            self.kind(Control::TakeName),
            None,
            text("window-take-name"),
            (possible && self.armed()).then_some(Message::TakeName),
        );
        let field = pressed(field, Message::Typing);
        row![field, ring(self.focus == Control::TakeName, take)].spacing(10).align_y(Center).into()
    }

    /// Why a name cannot be taken.
    fn refusal(&self, name: &str) -> Option<String> {
        if self.typed_name().is_some() {
            return None;
        }
        Some(text(match name {
            "" => "window-name-empty",
            _ if self.scope != Scope::This || name.contains('{') => "window-pattern-needed",
            _ => "window-name-impossible",
        }))
    }

    fn foot<'a>(&'a self, job: &'a Job, question: &Question) -> Element<'a, Message> {
        let others = phrase::counted("window-same-for-others", self.others(job, question));
        let scopes = [
            (Control::All, Scope::AllOfKind, others, "A"),
            (Control::Every, Scope::All, text("window-same-for-every"), "Y"),
        ];
        let mut foot = Row::new().spacing(14).align_y(Center).height(CONTROL);
        for (place, scope, words, key) in scopes {
            if self.reaches(job, question, scope) {
                let tick = tick(self.scope == scope, words, self.toggled(scope));
                foot = foot.push(ring(self.focus == place, tip(tick, key.to_owned())));
            }
        }
        foot = foot.push(space::horizontal());
        if self.open(job).count() > 1 {
            let table = control(
                self.kind(Control::Table),
                None,
                text("window-table"),
                Some(Message::Table),
            );
            foot = foot.push(ring(self.focus == Control::Table, table));
        }
        let later =
            control(self.kind(Control::Later), None, text("window-later"), Some(Message::Later));
        let later = tip(later, "Esc".to_owned());
        foot.push(ring(self.focus == Control::Later, later)).spacing(10).into()
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
    let (what, size) = match facts.kind {
        FileKind::Folder => ("window-kind", text("window-a-folder")),
        FileKind::Link => ("window-kind", text("window-a-link")),
        _ => ("window-size", words::size(facts.size)),
    };
    let folder = path.parent().unwrap_or(path);
    let folder = cut_tip(cut_text(phrase::short_path(folder)).width(Fill), words::path(path));
    let content = column![
        container(head).height(24).center_y(24),
        space().height(8),
        fact(what, marked(size, larger)),
        fact("window-changed", marked(words::moment_beside(facts, other), newer)),
        fact("window-where", folder),
    ];
    container(content).padding([10, 13]).width(Fill).style(style::panel).into()
}

/// The name that keeping both would give.
fn other_name(question: &Question) -> String {
    match &question.about {
        About::Conflict { other_name, .. } => words::name(other_name),
        About::Failure { .. } | About::ForeignName { .. } => String::new(),
    }
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
