//! A window without an engine: the tests hold the other end.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use ferry::engine::*;
use ferry::ui::keys::Press;
use ferry::ui::memory::Memory;
use ferry::ui::port::Port;
use ferry::ui::{Message, Window};
use iced::Theme;
use iced::keyboard::key::Named;
use iced_test::Simulator;
use iced_test::selector::Candidate;

/// The other end: notes what the window sends.
#[derive(Default)]
pub struct Notes {
    sent: Mutex<Vec<Command>>,
    plans: Mutex<HashMap<JobId, Arc<Plan>>>,
    pub store: Mutex<Option<Store>>,
}

impl Port for Notes {
    fn add(&self, spec: JobSpec) -> JobId {
        let mut sent = self.sent.lock().unwrap();
        let job = JobId(100 + sent.len() as u64);
        sent.push(Command::Add { job, spec });
        job
    }

    fn send(&self, command: Command) {
        self.sent.lock().unwrap().push(command);
    }

    fn plan(&self, job: JobId) -> Option<Arc<Plan>> {
        self.plans.lock().unwrap().get(&job).cloned()
    }

    fn store(&self) -> Option<Store> {
        self.store.lock().unwrap().clone()
    }

    fn journal(&self, job: JobId) -> Option<JournalId> {
        self.store().map(|_store| JournalId(job.0))
    }

    fn resume(&self, _id: JournalId) -> Result<JobId, JournalError> {
        Err(JournalError::NoDestination)
    }

    fn report(&self, _job: JobId) -> Option<Arc<Report>> {
        None
    }
}

/// A window and the other end of it.
pub struct Stage {
    pub window: Window,
    pub notes: Arc<Notes>,
    pub size: (f32, f32),
}

impl Stage {
    pub fn new() -> Stage {
        Stage::with_sources(Vec::new())
    }

    pub fn with_sources(sources: Vec<PathBuf>) -> Stage {
        Stage::with_memory(Memory::default(), sources)
    }

    /// A window that remembers something.
    pub fn with_memory(memory: Memory, sources: Vec<PathBuf>) -> Stage {
        let notes = Arc::new(Notes::default());
        let (window, _task) = Window::new(notes.clone(), memory, sources);
        Stage { window, notes, size: (1120.0, 720.0) }
    }

    /// The window takes in a message.
    pub fn tell(&mut self, message: Message) {
        let _task = self.window.update(message);
    }

    /// The engine tells something.
    pub fn event(&mut self, event: Event) {
        self.tell(Message::Engine(vec![event]));
    }

    /// A job with a plan appears.
    pub fn job(&mut self, id: u64, spec: JobSpec, plan: Plan) -> JobId {
        let job = JobId(id);
        let _none = self.notes.plans.lock().unwrap().insert(job, Arc::new(plan));
        self.event(Event::Added { job, spec });
        job
    }

    /// What the window has sent since it was last asked.
    pub fn sent(&self) -> Vec<Command> {
        std::mem::take(&mut self.notes.sent.lock().unwrap())
    }

    /// Looks at the window.
    pub fn look<T>(&self, eye: impl FnOnce(&mut Simulator<'_, Message>) -> T) -> T {
        eye(&mut Simulator::with_size(settings(), self.size, self.window.view()))
    }

    /// Whether these words are seen.
    pub fn shows(&self, words: &str) -> bool {
        self.look(|eye| eye.find(grouped(words)).is_ok())
    }

    /// All words that are there, seen or not.
    pub fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        self.look(|eye| {
            let _none = eye.find(|candidate: Candidate<'_>| {
                if let Candidate::Text { content, .. } = candidate {
                    texts.push(content.to_owned());
                }
                None::<()>
            });
        });
        texts
    }

    /// How often these words are seen.
    pub fn count(&self, words: &str) -> usize {
        let words = grouped(words);
        let mut count = 0;
        self.look(|eye| {
            let _none = eye.find(|candidate: Candidate<'_>| {
                if let Candidate::Text { content, .. } = candidate {
                    count += usize::from(content == words);
                }
                None::<()>
            });
        });
        count
    }

    /// Clicks on words and lets the window take in what comes of it.
    pub fn click(&mut self, words: &str) {
        assert!(self.try_click(words), "nothing happens at “{words}”");
    }

    /// The same where nothing may come of it; tells whether something did.
    pub fn try_click(&mut self, words: &str) -> bool {
        let messages: Vec<Message> = {
            let mut eye: Simulator<'_, Message> =
                Simulator::with_size(settings(), self.size, self.window.view());
            let _text =
                eye.click(words.to_owned()).unwrap_or_else(|error| panic!("“{words}”: {error}"));
            eye.into_messages().collect()
        };
        let some = !messages.is_empty();
        for message in messages {
            self.tell(message);
        }
        some
    }

    /// Drags from the middle of some words to a place beside that of others, so many pixels
    /// below their middle, with what `last` adds before the button is let go.
    pub fn drag(&mut self, from: &str, to: &str, below: f32, last: Option<iced::Event>) {
        use iced::mouse::{Button, Event};
        let messages: Vec<Message> = {
            let mut eye: Simulator<'_, Message> =
                Simulator::with_size(settings(), self.size, self.window.view());
            let middle = |eye: &mut Simulator<'_, Message>, words: &str| {
                eye.find(words.to_owned()).expect("words to drag").bounds().center()
            };
            let (from, to) = (middle(&mut eye, from), middle(&mut eye, to));
            let to = iced::Point::new(from.x, to.y + below);
            let mut at = |place: iced::Point, event: Option<Event>| {
                eye.point_at(place);
                let moved = Event::CursorMoved { position: place };
                let events = [Some(moved), event].into_iter().flatten().map(iced::Event::Mouse);
                let _statuses = eye.simulate(events);
            };
            at(from, Some(Event::ButtonPressed(Button::Left)));
            at(iced::Point::new(from.x, (from.y + to.y) / 2.0), None);
            at(to, None);
            let _statuses = eye.simulate(last);
            let _statuses = eye.simulate([iced::Event::Mouse(Event::ButtonReleased(Button::Left))]);
            eye.into_messages().collect()
        };
        messages.into_iter().for_each(|message| self.tell(message));
    }

    /// Types words at once: no task of the window has run yet, as on a slow machine. The
    /// window hears of the keys as it does from iced: after what its widgets made of them.
    pub fn type_at_once(&mut self, words: &str) {
        let events: Vec<iced::Event> = iced_test::simulator::typewrite(words).collect();
        let (statuses, messages): (_, Vec<Message>) = {
            let mut eye: Simulator<'_, Message> =
                Simulator::with_size(settings(), self.size, self.window.view());
            let statuses = eye.simulate(events.clone());
            (statuses, eye.into_messages().collect())
        };
        messages.into_iter().for_each(|message| self.tell(message));
        for (event, status) in events.into_iter().zip(statuses) {
            let iced::Event::Keyboard(event) = event else { continue };
            let captured = status == iced::event::Status::Captured;
            if let Some(press) = Press::of(event, captured) {
                self.press(press);
            }
        }
    }

    /// Presses a key.
    pub fn press(&mut self, press: Press) {
        self.tell(Message::Press(press));
    }

    /// Presses a named key.
    pub fn key(&mut self, key: Named) {
        self.press(Press::named(key));
    }

    /// Presses a letter.
    pub fn letter(&mut self, letter: char) {
        self.press(Press::letter(letter));
    }

    /// The conflict dialog's question has been seen for its half second; it is the
    /// `shown`th of the dialog.
    pub fn seen(&mut self, shown: u64) {
        use ferry::ui::dialog::{Message as Dialog, conflict::Message as Conflict};
        self.tell(Message::Dialog(Dialog::Conflict(Conflict::Seen(shown))));
    }

    /// A picture of the window into the folder that FERRY_PICTURES names, to be looked at.
    pub fn picture(&self, name: &str, theme: &Theme) {
        let Some(folder) = std::env::var_os("FERRY_PICTURES") else { return };
        let path = PathBuf::from(folder).join(name);
        let snapshot = self.look(|eye| eye.snapshot(theme)).expect("a picture");
        let _old = std::fs::remove_file(path.with_file_name(format!("{name}-tiny-skia.png")));
        assert!(snapshot.matches_image(path).expect("a written picture"));
    }
}

/// Words as they are shown: a blank between digits is a narrow one that does not break.
fn grouped(words: &str) -> String {
    let chars: Vec<char> = words.chars().collect();
    let digit = |at: Option<&char>| at.is_some_and(char::is_ascii_digit);
    let shown = |(at, letter): (usize, &char)| match letter {
        ' ' if at > 0 && digit(chars.get(at - 1)) && digit(chars.get(at + 1)) => '\u{202f}',
        other => *other,
    };
    chars.iter().enumerate().map(shown).collect()
}

/// The desktop's font by its name: iced_test would take another one for the default.
static FONT: LazyLock<iced::Font> = LazyLock::new(|| match ferry::ui::desktop_font::choose() {
    Some(family) => iced::Font::with_name(family.leak()),
    None => iced::Font::with_name("DejaVu Sans"),
});

fn settings() -> iced::Settings {
    iced::Settings { default_font: *FONT, default_text_size: 13.into(), ..Default::default() }
}

pub fn spec(sources: &[&str], destination: &str) -> JobSpec {
    JobSpec {
        sources: sources.iter().map(PathBuf::from).collect(),
        destination: PathBuf::from(destination),
        ..JobSpec::default()
    }
}

pub type Sample = (OsString, FileKind, Option<u64>, EntryState);

pub fn file(name: &str, size: u64, state: EntryState) -> Sample {
    (name.into(), FileKind::File, Some(size), state)
}

/// A plan of many pictures and a few files with a story.
pub fn photos(count: usize) -> Plan {
    let plan = Plan::default();
    let block =
        plan.add_sample(None, [("Photos 2026".into(), FileKind::Folder, None, EntryState::InWork)]);
    let mut entries = vec![
        file("IMG_20260714_201311.jpg", 6_100_000, EntryState::Done),
        file("IMG_20260714_201502.mp4", 812_000_000, EntryState::InWork),
        file(
            "IMG_20260714_201822_a_very_long_name_for_a_picture_of_the_old_town_at_night_panorama_original_from_the_other_side_of_the_river.dng",
            94_000_000,
            EntryState::InWork,
        ),
        file("Rīga, vecpilsēta.xcf", 210_400_000, EntryState::Asked),
        file("старый архив.zip", 1_400_000_000, EntryState::Failed),
        file("notes: june?.txt", 4_000, EntryState::Renamed),
        file("left alone.txt", 12_000, EntryState::Skipped),
        file("live.log", 1_200_000, EntryState::Changed),
        ("link to the raw ones".into(), FileKind::Link, Some(12), EntryState::Done),
    ];
    for number in 0..count {
        let name = format!("IMG_20260714_{:06}.jpg", 202_240 + number * 37);
        let size = Some(5_000_000 + (number as u64 * 7_919) % 3_000_000);
        let state = if number % 3 == 0 { EntryState::Done } else { EntryState::Pending };
        entries.push((name.into(), FileKind::File, size, state));
    }
    let _block = plan.add_sample(Some(block.id(0)), entries);
    plan
}

pub fn conflict(id: u64, entry: u32, path: &str) -> Question {
    Question {
        id: QuestionId(id),
        entry: EntryId(entry),
        path: path.into(),
        about: About::Conflict {
            source: facts(FileKind::File, 210_400_000, 1_784_000_000),
            source_path: format!("/home/anna/Pictures/{path}").into(),
            existing: facts(FileKind::File, 208_900_000, 1_783_000_000),
            existing_path: format!("/media/anna/Backup stick/{path}").into(),
            other_name: other_name(PathBuf::from(path).file_name().unwrap(), FileKind::File, 2),
            same_file: false,
            sources_meet: false,
        },
    }
}

pub fn facts(kind: FileKind, size: u64, modified_seconds: i64) -> FileFacts {
    FileFacts { kind, size, modified_seconds, modified_nanoseconds: 0 }
}

pub fn failure(id: u64, entry: u32, path: &str, errno: i32) -> Question {
    Question {
        id: QuestionId(id),
        entry: EntryId(entry),
        path: path.into(),
        about: About::Failure {
            error: Error {
                operation: Operation::Open,
                path: format!("/home/anna/Pictures/{path}").into(),
                kind: ErrorKind::Os(errno),
            },
        },
    }
}

/// A sample in the middle of a job.
pub fn sample(elapsed: u64, rate: u64) -> Snapshot {
    Snapshot {
        compared: None,
        phase: Phase::Copying,
        entries: EntryCounts {
            total: 29_316,
            total_is_final: true,
            done: 18_420,
            skipped: 2,
            unanswered: 0,
            waiting: 3,
            failed: 1,
        },
        bytes: ByteCounts { done: 41_210_000_000, cloned: 0, total: Some(65_400_000_000) },
        fraction: Some(0.63),
        rate: Some(rate),
        entry_rate: Some(18),
        left: Some(248_000),
        elapsed,
        in_work: vec![
            InWork {
                entry: EntryId(2),
                path: "Photos 2026/IMG_20260714_201502.mp4".into(),
                done: 570_000_000,
                size: 812_000_000,
            },
            InWork {
                entry: EntryId(3),
                path: "Photos 2026/IMG_20260714_201822_a_very_long_name_for_a_picture_of_the_old_town_at_night_panorama_original_from_the_other_side_of_the_river.dng".into(),
                done: 20_000_000,
                size: 94_000_000,
            },
        ],
    }
}
