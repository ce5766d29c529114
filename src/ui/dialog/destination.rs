//! Where to? The sources wait here until a folder is chosen.
//!
//! No letter is a command here: all that is typed belongs to the path, and what brings the
//! field into play is the field itself (see `path_field`), so that none is lost.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use iced::Task;
use iced::widget::{self, scrollable};

use crate::engine::{JobKind, JobSpec, JobState, Options, Phase, Preserve};
use crate::ui::dialog::{self, Action, nothing};
use crate::ui::intake::{Picked, pick_folder};
use crate::ui::job::{Job, Jobs};
use crate::ui::keys::{InDialog, next_focus};
use crate::ui::phrase;
use crate::ui::places::{self, Facts, Place, PlaceKind, typed_path};

/// The field for the folder's path.
pub const PATH: &str = "destination-path";
/// The list of folders, to be scrolled.
pub(super) const LIST: &str = "destination-places";
/// The height of a folder's row.
pub(super) const ROW: f32 = 36.0;
/// How many rows are seen at once.
pub(super) const ROWS: usize = 5;

/// The dialog.
pub struct Destination {
    pub(super) sources: Vec<PathBuf>,
    pub(super) kind: JobKind,
    pub(super) verify: bool,
    /// What is kept beside the data.
    pub(super) preserve: Preserve,
    /// The rarer options are shown.
    pub(super) unfolded: bool,
    pub(super) places: Vec<Place>,
    pub(super) target: Option<PathBuf>,
    pub(super) typed: String,
    pub(super) facts: HashMap<PathBuf, Facts>,
    /// The source that a folder lies in, of folders that were looked at for it.
    pub(super) around: HashMap<PathBuf, Option<PathBuf>>,
    /// The sources that are not there.
    pub(super) missing: Vec<PathBuf>,
    /// The user has named a folder; until then the first that is there is taken.
    named: bool,
    /// The sources join a job that goes there, where there is one.
    pub(super) joins: bool,
    looking: Option<PathBuf>,
    choosing: bool,
    pub(super) no_chooser: bool,
    pub(super) focus: Control,
}

/// A control that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Path,
    Other,
    Join,
    Keep,
    Verify,
    Kind,
    Options,
    Cancel,
    Start,
}

/// What can be kept beside the data, as far as it is offered here.
pub(super) const KEPT: [Preserve; 3] =
    [Preserve::ALL, Preserve { mode: true, times: true, ..Preserve::NONE }, Preserve::NONE];

/// What can happen in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// These folders can be offered.
    Offered(Vec<Place>),
    /// A folder has been looked at.
    Looked(PathBuf, Facts),
    /// It lies in this source, or in none.
    Around(PathBuf, Option<PathBuf>),
    /// These sources are not there.
    Missing(Vec<PathBuf>),
    /// Take this folder.
    Choose(usize),
    /// The field for the path has got the keyboard.
    Typing,
    /// The path was typed.
    Typed(String),
    /// Join a job that goes there, or not.
    Join(bool),
    /// Copy or move.
    Kind(JobKind),
    /// Read the copies back, or not.
    Verify(bool),
    /// Keep this beside the data.
    Keep(Preserve),
    /// Show the rarer options, or not.
    Unfold(bool),
    /// Choose another folder.
    Other,
    /// The chooser has closed.
    Picked(Picked),
    /// Copy nothing.
    Cancel,
    /// Start.
    Start,
}

impl Destination {
    /// Asks where the sources shall go. `recent` are the last destinations, the newest
    /// first.
    pub fn new(sources: Vec<PathBuf>, recent: &[PathBuf]) -> (Destination, Task<dialog::Message>) {
        let dialog = Destination {
            sources,
            kind: JobKind::Copy,
            verify: false,
            preserve: Preserve::ALL,
            unfolded: false,
            places: Vec::new(),
            target: None,
            typed: String::new(),
            facts: HashMap::new(),
            around: HashMap::new(),
            missing: Vec::new(),
            named: false,
            joins: false,
            looking: None,
            choosing: false,
            no_chooser: false,
            focus: Control::Start,
        };
        let offered = Task::perform(places::places(recent.to_vec()), |places| {
            dialog::Message::Destination(Message::Offered(places))
        });
        let missing = dialog.look_for_missing();
        (dialog, Task::batch([offered, missing]))
    }

    /// How the last job was copied, for the next one; what is not usual is shown.
    pub fn set_options(&mut self, verify: bool, preserve: Preserve) {
        (self.verify, self.preserve) = (verify, preserve);
        self.unfolded = verify || preserve != Preserve::ALL;
    }

    /// More sources for the same destination.
    pub fn add(&mut self, sources: Vec<PathBuf>) -> Task<dialog::Message> {
        for source in sources {
            if !self.sources.contains(&source) {
                self.sources.push(source);
            }
        }
        self.around.clear();
        Task::batch([self.look_for_missing(), self.look_around_target()])
    }

    /// The job that goes to the same place and can be joined, with its name.
    pub(super) fn joinable<'a>(&self, jobs: &'a Jobs) -> Option<&'a Job> {
        let target = self.target.as_ref()?;
        let same = |job: &&Job| {
            job.spec.destination == *target
                && job.spec.kind == self.kind
                // What is to be verified joins no job that does not.
                && (job.spec.options.verify || !self.verify)
                && job.spec.options.preserve == self.preserve
                && job.state != JobState::Cancelling
                && job.busy_with() == Phase::Copying
        };
        jobs.open().find(same)
    }

    /// Takes in a message.
    pub fn update(&mut self, jobs: &Jobs, message: Message) -> Action {
        match message {
            Message::Offered(places) => {
                self.places = places;
                let looks = self.places.iter().map(|place| self::look(place.path.clone()));
                let looks = Task::batch(looks);
                if self.target.is_none() && self.typed.is_empty() && !self.places.is_empty() {
                    self.choose(0);
                }
                Action::Run(looks)
            }
            Message::Looked(path, facts) => {
                if self.looking.as_ref() == Some(&path) {
                    self.looking = None;
                }
                if matches!(facts, Facts::Missing(_)) {
                    self.forget_recent(&path);
                }
                let _earlier = self.facts.insert(path, facts);
                Action::Run(self.look_at_target())
            }
            Message::Around(destination, source) => {
                let _earlier = self.around.insert(destination, source);
                nothing()
            }
            Message::Missing(sources) => {
                self.missing = sources;
                nothing()
            }
            Message::Choose(at) => {
                self.named = true;
                self.choose(at);
                self.focus = Control::Start;
                Action::Run(self.look_at_target())
            }
            Message::Typing => {
                self.focus = Control::Path;
                nothing()
            }
            Message::Typed(typed) => {
                self.target = typed_path(&typed);
                self.typed = typed;
                self.named = true;
                self.focus = Control::Path;
                Action::Run(self.look_at_target())
            }
            Message::Kind(kind) => {
                self.kind = kind;
                nothing()
            }
            Message::Verify(verify) => {
                self.verify = verify;
                self.unfolded |= verify;
                nothing()
            }
            Message::Keep(preserve) => {
                self.preserve = preserve;
                nothing()
            }
            Message::Unfold(unfolded) => {
                self.unfolded = unfolded;
                nothing()
            }
            Message::Other if self.choosing => nothing(),
            Message::Other => {
                self.choosing = true;
                Action::Run(Task::perform(pick_folder(self.target.clone()), |picked| {
                    dialog::Message::Destination(Message::Picked(picked))
                }))
            }
            Message::Picked(Picked::Paths(paths)) => {
                self.choosing = false;
                let Some(path) = paths.into_iter().next() else { return nothing() };
                self.named = true;
                self.take(path);
                self.focus = Control::Start;
                Action::Run(self.look_at_target())
            }
            Message::Picked(picked) => {
                self.choosing = false;
                self.no_chooser = picked == Picked::NoChooser;
                nothing()
            }
            Message::Cancel => Action::Close,
            Message::Join(joins) => {
                self.joins = joins;
                nothing()
            }
            Message::Start => match self.spec() {
                Some(spec) => match self.joinable(jobs).filter(|_| self.joins) {
                    Some(job) => Action::Join(job.id, Box::new(spec)),
                    None => Action::Start(Box::new(spec)),
                },
                None => nothing(),
            },
        }
    }

    /// Takes in a key.
    pub fn press(&mut self, jobs: &Jobs, key: InDialog) -> Action {
        match key {
            InDialog::Next | InDialog::Previous => {
                let joins = self.joinable(jobs).map(|_job| Control::Join);
                let mut controls = vec![Control::Path, Control::Other];
                controls.extend(joins);
                if self.unfolded {
                    controls.extend([Control::Keep, Control::Verify]);
                }
                controls.extend([Control::Kind, Control::Options, Control::Cancel, Control::Start]);
                self.focus = next_focus(&controls, self.focus, key == InDialog::Previous);
                Action::Run(self.show_focus())
            }
            InDialog::Up => self.choose_by(-1),
            InDialog::Down => self.choose_by(1),
            InDialog::Activate => match self.focus {
                Control::Other => self.update(jobs, Message::Other),
                Control::Join => self.update(jobs, Message::Join(!self.joins)),
                Control::Kind => self.update(
                    jobs,
                    Message::Kind(match self.kind {
                        JobKind::Copy => JobKind::Move,
                        JobKind::Move => JobKind::Copy,
                    }),
                ),
                Control::Options => self.update(jobs, Message::Unfold(!self.unfolded)),
                Control::Keep => {
                    let at = KEPT.iter().position(|kept| *kept == self.preserve);
                    let next = at.map_or(0, |at| (at + 1) % KEPT.len());
                    self.update(jobs, Message::Keep(KEPT[next]))
                }
                Control::Verify => self.update(jobs, Message::Verify(!self.verify)),
                Control::Cancel => self.update(jobs, Message::Cancel),
                Control::Path | Control::Start => self.update(jobs, Message::Start),
            },
            InDialog::Leave => self.update(jobs, Message::Cancel),
            InDialog::Alt('c') => self.update(jobs, Message::Kind(JobKind::Copy)),
            InDialog::Alt('o') => self.update(jobs, Message::Unfold(!self.unfolded)),
            InDialog::Alt('v') => self.update(jobs, Message::Verify(!self.verify)),
            InDialog::Alt('m') => self.update(jobs, Message::Kind(JobKind::Move)),
            _ => nothing(),
        }
    }

    /// The job, once it can be started.
    pub(super) fn spec(&self) -> Option<JobSpec> {
        let destination = self.target.clone()?;
        if self.facts.get(&destination).is_some_and(|facts| !facts.usable()) {
            return None;
        }
        let all_missing = self.missing.len() == self.sources.len();
        if all_missing || self.around().is_some() && self.sources.len() == 1 {
            return None;
        }
        let (kind, sources) = (self.kind, self.sources.clone());
        let (verify, preserve) = (self.verify, self.preserve);
        let options = Options { verify, preserve, ..Options::default() };
        Some(JobSpec { kind, sources, destination, options, ..JobSpec::default() })
    }

    /// The source that the target lies in.
    pub(super) fn around(&self) -> Option<&Path> {
        self.around.get(self.target.as_ref()?)?.as_deref()
    }

    /// A recent folder that is gone (as a device that is not there now) is not offered.
    fn forget_recent(&mut self, path: &Path) {
        let gone = |place: &Place| place.kind == PlaceKind::Recent && place.path == *path;
        if !self.places.iter().any(gone) {
            return;
        }
        self.places.retain(|place| !gone(place));
        if !self.named && self.target.as_deref() == Some(path) {
            self.target = None;
            self.typed.clear();
            self.choose(0);
        }
    }

    /// How many rows are seen at once: the options take the place of one.
    pub(super) fn rows(&self) -> usize {
        match self.places.len() {
            count if count < ROWS => count,
            _ => ROWS - usize::from(self.unfolded),
        }
    }

    pub(super) fn chosen(&self) -> Option<usize> {
        let target = self.target.as_ref()?;
        self.places.iter().position(|place| place.path == *target)
    }

    fn choose(&mut self, at: usize) {
        if let Some(place) = self.places.get(at) {
            self.take(place.path.clone());
        }
    }

    fn choose_by(&mut self, steps: isize) -> Action {
        let last = self.places.len().saturating_sub(1);
        let at = self.chosen().map_or(0, |at| at.saturating_add_signed(steps).min(last));
        self.named = true;
        self.choose(at);
        let first_seen = (at + 1).saturating_sub(self.rows()) as f32 * ROW;
        let offset = scrollable::AbsoluteOffset { x: None, y: Some(first_seen) };
        let follow = widget::operation::scroll_to(widget::Id::new(LIST), offset);
        Action::Run(Task::batch([self.look_at_target(), follow]))
    }

    fn take(&mut self, path: PathBuf) {
        self.typed = phrase::short_path(&path);
        self.target = Some(path);
    }

    /// One look at a time: what is typed meanwhile is looked at next.
    fn look_at_target(&mut self) -> Task<dialog::Message> {
        match &self.target {
            Some(target) if self.looking.is_none() && !self.facts.contains_key(target) => {
                self.looking = Some(target.clone());
                Task::batch([look(target.clone()), self.look_around_target()])
            }
            _ => self.look_around_target(),
        }
    }

    fn look_around_target(&mut self) -> Task<dialog::Message> {
        let Some(target) = &self.target else { return Task::none() };
        // A mount that does not answer is not looked at twice.
        let silent = self.facts.get(target) == Some(&Facts::Silent);
        if silent || self.around.contains_key(target) {
            return Task::none();
        }
        let _not_known_yet = self.around.insert(target.clone(), None);
        let around = places::around(target.clone(), self.sources.as_slice().into());
        Task::perform(around, |(destination, source)| {
            dialog::Message::Destination(Message::Around(destination, source))
        })
    }

    fn look_for_missing(&self) -> Task<dialog::Message> {
        Task::perform(places::missing(self.sources.as_slice().into()), |missing| {
            dialog::Message::Destination(Message::Missing(missing))
        })
    }

    fn show_focus(&self) -> Task<dialog::Message> {
        if self.focus == Control::Path {
            let id = widget::Id::new(PATH);
            return widget::operation::focus(id.clone()).chain(widget::operation::select_all(id));
        }
        widget::operation::focus(widget::Id::new("nothing"))
    }
}

fn look(path: PathBuf) -> Task<dialog::Message> {
    Task::perform(places::look(path), |(path, facts)| {
        dialog::Message::Destination(Message::Looked(path, facts))
    })
}
