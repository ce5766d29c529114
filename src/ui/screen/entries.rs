//! The list of all entries of the chosen job: a state for each, found by state or by name.

use std::sync::Arc;
use std::time::{Duration, Instant};

use iced::widget::{Row, column, container, row, space};
use iced::{Center, Element, Fill, Padding, widget};

use crate::engine::{
    Action as Answer, Command, EntryId, JobId, JobState, Plan, QuestionId, Scope, Snapshot,
};
use crate::ui::job::Job;
use crate::ui::screen::entry;
use crate::ui::screen::matches::{Matches, Tab};
use crate::ui::theme::{MEDIUM, Tone};
use crate::ui::widget::{Fit, Offset, cut_text, find_field, line, quiet, rows};
use crate::ui::{phrase, style};
use crate::words::{self, text};

/// The height of a row.
pub const ROW: f32 = 30.0;
/// The field to find an entry by its name.
pub const FIND: &str = "find-entry";
/// How long one step of a search may take: a view still fits into the same frame.
const STEP: Duration = Duration::from_millis(4);
/// How often a search by state is made again while a job runs.
const AGAIN: Duration = Duration::from_millis(500);

/// What can be done with the list.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Show the entries of a tab.
    Tab(Tab),
    /// Find by name.
    Find(String),
    /// Scroll.
    Scrolled(Offset),
    /// Search on.
    Step,
    /// A job's entries were arranged aside, or could not be in time.
    Arranged(JobId, Option<Vec<EntryId>>),
    /// Try a failed entry again.
    Retry(JobId, QuestionId),
    /// Skip an entry in work.
    Skip(JobId, EntryId),
    /// Answer the question about an entry.
    Decide(JobId, QuestionId),
}

/// What the window has to do.
pub enum Action {
    /// Nothing.
    None,
    /// Come back with [`Message::Step`].
    StepAgain,
    /// Arrange the entries of a job aside.
    Arrange(JobId, Arc<Plan>),
    /// Tell the engine.
    Send(Command),
    /// Open a question.
    Decide(JobId, QuestionId),
}

/// The state of the list; of one job at a time.
#[derive(Default)]
pub struct Entries {
    job: Option<JobId>,
    tab: Tab,
    find: String,
    offset: Offset,
    fit: Fit,
    matches: Matches,
    searching: bool,
    last_pass: Option<Instant>,
}

impl Entries {
    /// Takes in a message about the shown job.
    pub fn update(&mut self, job: Option<&Job>, message: Message) -> Action {
        match message {
            Message::Tab(tab) => {
                self.tab = tab;
                self.search(job)
            }
            Message::Find(find) => {
                self.find = find;
                self.search(job)
            }
            Message::Scrolled(offset) => {
                self.offset = offset;
                Action::None
            }
            Message::Step => {
                self.searching = false;
                self.step(job)
            }
            Message::Arranged(id, order) => {
                if self.job == Some(id) {
                    self.matches.set_order(order);
                    // More may have come meanwhile.
                    return self.step(job);
                }
                Action::None
            }
            Message::Retry(job, question) => Action::Send(Command::Answer {
                job,
                question,
                action: Answer::Retry,
                scope: Scope::This,
            }),
            Message::Skip(job, entry) => Action::Send(Command::SkipEntry { job, entry }),
            Message::Decide(job, question) => Action::Decide(job, question),
        }
    }

    /// The shown job or its entries have changed; `soon` when it may be the last change.
    pub fn refresh(&mut self, job: Option<&Job>, soon: bool) -> Action {
        let id = job.map(|job| job.id);
        if id != self.job {
            *self = Entries { job: id, tab: self.tab, ..Entries::default() };
            return self.search(job);
        }
        let rested = self.last_pass.is_none_or(|then| then.elapsed() >= AGAIN);
        if self.searching || !(soon || rested) {
            return Action::None;
        }
        self.step(job)
    }

    /// The chosen tab.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// The tab some places on, round and round.
    pub fn tab_after(&self, steps: isize) -> Tab {
        let count = Tab::ALL.len() as isize;
        let at = Tab::ALL.iter().position(|tab| *tab == self.tab).unwrap_or(0) as isize;
        Tab::ALL[(at + steps).rem_euclid(count) as usize]
    }

    /// Where the list stands after moving by some rows.
    pub fn scrolled_by(&self, job: Option<&Job>, steps: f64) -> Offset {
        let total = job.map_or(0, |job| self.len(job));
        self.offset.within(total, self.fit.rows()).moved(steps, total, self.fit.rows())
    }

    /// How many entries are shown.
    pub fn len(&self, job: &Job) -> usize {
        if self.by_work() {
            return job.snapshot.in_work.len();
        }
        let all = job.plan.as_ref().map_or(0, |plan| self.matches.len(plan));
        all.saturating_sub(self.apart(job).len())
    }

    /// The places of the entries that stand apart above the list, not in it, in
    /// order: while a job moves and no other entries are asked for.
    fn apart(&self, job: &Job) -> Vec<usize> {
        if !self.has_lines(job) {
            return Vec::new();
        }
        let lines = job.lines().iter();
        let mut places: Vec<usize> = lines.map(|id| self.matches.place_in_all(*id)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Whether the entries in work have lines of their own.
    fn has_lines(&self, job: &Job) -> bool {
        job.moves() && self.tab == Tab::All && self.find.is_empty()
    }

    /// Entries in work are few and told by every sample: no search is needed.
    fn by_work(&self) -> bool {
        self.tab == Tab::InWork && self.find.is_empty()
    }

    fn search(&mut self, job: Option<&Job>) -> Action {
        self.matches.set(self.tab, &self.find);
        self.offset = Offset::default();
        self.last_pass = None;
        if self.searching {
            return Action::None;
        }
        self.step(job)
    }

    fn step(&mut self, job: Option<&Job>) -> Action {
        let Some(plan) = job.and_then(|job| job.plan.as_ref()) else { return Action::None };
        if self.by_work() {
            return Action::None;
        }
        self.searching = self.matches.step(plan, STEP);
        if self.searching {
            return Action::StepAgain;
        }
        self.last_pass = Some(Instant::now());
        match self.job {
            Some(job) if self.matches.wants_order(plan) => Action::Arrange(job, Arc::clone(plan)),
            _ => Action::None,
        }
    }
}

/// The list.
pub fn view<'a>(job: &'a Job, list: &'a Entries, width: f32) -> Element<'a, Message> {
    let narrow = width < 620.0;
    let mut content = column![head(job, list, width), line()];
    if list.has_lines(job) {
        for id in job.lines() {
            content = match job.snapshot.in_work.iter().find(|work| work.entry == *id) {
                Some(work) => {
                    let entry = container(entry::in_work(job, work, narrow)).height(ROW - 1.0);
                    content.push(entry.width(Fill).style(style::working)).push(line())
                }
                None => content.push(container(entry::of_plan(job, *id, narrow)).height(ROW)),
            };
        }
    }
    let total = list.len(job);
    let body: Element<'a, Message> = if total == 0 {
        container(quiet(empty_words(job, list))).center(Fill).into()
    } else if list.by_work() {
        let row = move |at: usize| match job.snapshot.in_work.get(at) {
            Some(work) => entry::in_work(job, work, narrow),
            None => space().into(),
        };
        rows(total, ROW, list.offset, &list.fit, row, Message::Scrolled)
    } else {
        let apart = list.apart(job);
        let row = move |at: usize| match list.matches.get(past(&apart, at)) {
            Some(id) => entry::of_plan(job, id, narrow),
            None => space().into(),
        };
        rows(total, ROW, list.offset, &list.fit, row, Message::Scrolled)
    };
    content = content.push(container(body).height(Fill).padding(Padding::ZERO.bottom(6.0)));
    container(content).height(Fill).style(style::panel).padding(1).into()
}

/// The place in a list that a row has when some places are left out.
fn past(left_out: &[usize], row: usize) -> usize {
    left_out.iter().fold(row, |place, left_out| place + usize::from(*left_out <= place))
}

fn head<'a>(job: &Job, list: &Entries, width: f32) -> Element<'a, Message> {
    let tabs = Tab::ALL
        .into_iter()
        .filter(|tab| width >= 760.0 || *tab == list.tab || tab_matters(*tab, &job.snapshot, width))
        .map(|tab| tab_button(tab, list.tab == tab, &job.snapshot, width));
    let find = find_field(FIND, &list.find, !list.find.is_empty(), Message::Find)
        .width(if width < 620.0 { 116.0 } else { 170.0 });
    row![Row::with_children(tabs).spacing(2).width(Fill).clip(true), find]
        .spacing(8)
        .align_y(Center)
        .padding([8, 10])
        .into()
}

/// Whether a tab is worth its place where there is little of it.
fn tab_matters(tab: Tab, snapshot: &Snapshot, width: f32) -> bool {
    match tab {
        Tab::All => true,
        Tab::Done => width >= 420.0,
        Tab::InWork => false,
        Tab::Skipped if width < 500.0 => false,
        _ => tab_count(tab, snapshot) > 0,
    }
}

fn tab_count(tab: Tab, snapshot: &Snapshot) -> u64 {
    let entries = &snapshot.entries;
    match tab {
        Tab::All => entries.total,
        Tab::InWork => snapshot.in_work.len() as u64,
        Tab::Waiting => entries.waiting,
        Tab::Failed => entries.failed,
        Tab::Skipped => entries.skipped + entries.unanswered,
        Tab::Done => entries.done,
    }
}

fn tab_button<'a>(tab: Tab, chosen: bool, snapshot: &Snapshot, width: f32) -> Element<'a, Message> {
    let name = text(match tab {
        Tab::All => "window-tab-all",
        Tab::InWork => "window-tab-in-work",
        Tab::Waiting => "window-tab-waiting",
        Tab::Failed => "window-tab-failed",
        Tab::Skipped => "window-tab-skipped",
        Tab::Done => "window-tab-done",
    });
    let words = match tab_count(tab, snapshot) {
        0 => cut_text(name),
        count => cut_text(format!("{name} {}", words::count(count))).or(name),
    };
    let words = words.font(MEDIUM).tone(if chosen { Tone::Accent } else { Tone::Quiet });
    widget::button(words)
        .padding([5, if width < 620.0 { 7 } else { 10 }])
        .style(style::tab(chosen))
        .on_press(Message::Tab(tab))
        .into()
}

fn empty_words(job: &Job, list: &Entries) -> String {
    if !list.find.is_empty() {
        return phrase::with("window-none-found", "name", list.find.clone());
    }
    text(match list.tab {
        Tab::All if job.ended() => "window-list-nothing",
        Tab::All if job.state == JobState::Queued => "window-list-queued",
        Tab::All if job.state == JobState::Paused => "window-list-paused",
        Tab::All => "window-list-empty",
        Tab::InWork => "window-list-no-work",
        Tab::Waiting => "window-list-no-waiting",
        Tab::Failed => "window-list-no-failed",
        Tab::Skipped => "window-list-no-skipped",
        Tab::Done => "window-list-no-done",
    })
}
