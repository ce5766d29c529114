//! Which entries of a plan the list shows: by state and by name.
//!
//! A plan may hold a million entries, and their states change while they are looked at. So
//! the search goes on in short steps from where it stood: a search by name alone only looks
//! at what is new; one by state is made again, and its last whole result is shown meanwhile.
//!
//! The plan is in the order of the disk, which looks like none. Up to a size it is arranged:
//! folder after folder as they were listed, and by name within each. What takes longer than
//! a part of a frame is done aside, and shown when it is there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::engine::{EntryId, EntryState, FileKind, Plan};

/// The entries' states, as the tabs group them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Every entry.
    #[default]
    All,
    /// Those in work.
    InWork,
    /// Those that wait for an answer.
    Waiting,
    /// Those that failed or changed.
    Failed,
    /// Those that were left.
    Skipped,
    /// Those that are copied.
    Done,
}

impl Tab {
    /// Every tab, in the order in which they stand.
    pub const ALL: [Tab; 6] =
        [Tab::All, Tab::InWork, Tab::Waiting, Tab::Failed, Tab::Skipped, Tab::Done];

    /// Whether an entry belongs to it. A folder is not in work itself: its entries are.
    pub fn holds(self, state: EntryState, kind: FileKind) -> bool {
        use EntryState::{Asked, Changed, Done, Failed, InWork, Renamed, Skipped, Unanswered};
        match self {
            Tab::All => true,
            Tab::InWork => state == InWork && kind != FileKind::Folder,
            Tab::Waiting => state == Asked,
            Tab::Failed => matches!(state, Failed | Changed),
            Tab::Skipped => matches!(state, Skipped | Unanswered),
            Tab::Done => matches!(state, Done | Renamed),
        }
    }
}

/// How many entries are looked at before the clock is.
const STRIDE: u32 = 4096;

/// The largest plan whose entries are arranged by name.
const ARRANGED: usize = 50_000;
/// The largest plan that is arranged at once: 20 000 entries took 15 ms.
const AT_ONCE: usize = 2_000;

/// The entries that a tab and a name let through.
#[derive(Default)]
pub struct Matches {
    tab: Tab,
    needle: String,
    /// All entries as they are shown; what the plan has more of follows in its own order.
    all: Vec<EntryId>,
    /// The place of each of them, by its number.
    places: Vec<u32>,
    arranging: bool,
    found: Vec<EntryId>,
    fresh: Vec<EntryId>,
    next: u32,
    whole: bool,
    folded: String,
}

impl Matches {
    /// Takes another tab or name (in any case) and begins anew.
    pub fn set(&mut self, tab: Tab, needle: &str) {
        let Matches { all, places, arranging, .. } = std::mem::take(self);
        let needle = needle.trim().to_lowercase();
        *self = Matches { tab, needle, all, places, arranging, ..Matches::default() };
    }

    /// Whether the plan shall be arranged aside now; [`Matches::set_order`] is to follow.
    pub fn wants_order(&mut self, plan: &Plan) -> bool {
        let wants = !self.arranging
            && (AT_ONCE + 1..=ARRANGED).contains(&plan.len())
            && plan.len() != self.all.len();
        self.arranging |= wants;
        wants
    }

    /// The entries as they are to be shown; `None` when they could not be arranged in time.
    pub fn set_order(&mut self, order: Option<Vec<EntryId>>) {
        self.arranging = false;
        if let Some(order) = order {
            self.take_order(order);
        }
    }

    /// Looks at more entries, for no longer than `budget` or so. Tells whether some are left.
    pub fn step(&mut self, plan: &Plan, budget: Duration) -> bool {
        if self.shows_all() {
            self.arrange_all(plan);
            return false;
        }
        let until = Instant::now() + budget;
        let total = plan.len() as u32;
        for block in plan.blocks(EntryId(self.next)) {
            let first = block.id(0).0;
            for at in self.next.saturating_sub(first)..block.len() {
                if self.tab.holds(block.state(at), block.kind(at))
                    && self.name_matches(block.name(at))
                {
                    self.fresh.push(block.id(at));
                }
                self.next = first + at + 1;
                if self.next.is_multiple_of(STRIDE) && Instant::now() >= until {
                    return self.next < total;
                }
            }
        }
        self.end_pass(plan);
        false
    }

    /// How many entries are shown.
    pub fn len(&self, plan: &Plan) -> usize {
        if self.shows_all() { plan.len() } else { self.shown().len() }
    }

    /// The entry at a place.
    pub fn get(&self, at: usize) -> Option<EntryId> {
        if self.shows_all() {
            return Some(self.all.get(at).copied().unwrap_or(EntryId(at as u32)));
        }
        self.shown().get(at).copied()
    }

    /// The place of an entry while all are shown.
    pub fn place_in_all(&self, entry: EntryId) -> usize {
        self.places.get(entry.0 as usize).map_or(entry.0 as usize, |place| *place as usize)
    }

    fn shows_all(&self) -> bool {
        self.tab == Tab::All && self.needle.is_empty()
    }

    fn shown(&self) -> &[EntryId] {
        if self.whole { &self.found } else { &self.fresh }
    }

    /// Arranges what is small at once; what is too large is not arranged.
    fn arrange_all(&mut self, plan: &Plan) {
        let total = plan.len();
        if total > ARRANGED {
            self.take_order(Vec::new());
        } else if total <= AT_ONCE && total != self.all.len() {
            self.take_order(arranged(plan));
        }
    }

    fn take_order(&mut self, order: Vec<EntryId>) {
        self.places = vec![0; order.len()];
        for (place, entry) in order.iter().enumerate() {
            if let Some(known) = self.places.get_mut(entry.0 as usize) {
                *known = place as u32;
            }
        }
        self.all = order;
    }

    fn end_pass(&mut self, plan: &Plan) {
        self.arrange_all(plan);
        let places = &self.places;
        // Those that have no place yet are in their own order at the end.
        let place = |entry: &EntryId| places.get(entry.0 as usize).copied().unwrap_or(u32::MAX);
        self.fresh.sort_by_key(place);
        if self.tab == Tab::All {
            // Names do not change: what was found stays found, and the next step goes on.
            return;
        }
        std::mem::swap(&mut self.found, &mut self.fresh);
        self.fresh.clear();
        self.next = 0;
        self.whole = true;
    }

    fn name_matches(&mut self, name: &std::ffi::OsStr) -> bool {
        if self.needle.is_empty() {
            return true;
        }
        let name = name.as_encoded_bytes();
        if self.needle.is_ascii() && name.is_ascii() {
            let needle = self.needle.as_bytes();
            return name.windows(needle.len()).any(|part| part.eq_ignore_ascii_case(needle));
        }
        self.folded.clear();
        for chunk in name.utf8_chunks() {
            self.folded.extend(chunk.valid().chars().flat_map(char::to_lowercase));
            if !chunk.invalid().is_empty() {
                self.folded.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.folded.contains(&self.needle)
    }
}

/// All entries, in the order in which their folders were listed, and by name within a folder.
pub fn arranged(plan: &Plan) -> Vec<EntryId> {
    let mut folders = HashMap::new();
    let mut keys = Vec::with_capacity(plan.len());
    for block in plan.blocks(EntryId(0)) {
        for at in 0..block.len() {
            let next = folders.len();
            let folder = *folders.entry(block.folder(at)).or_insert(next);
            keys.push((folder, block.name(at).to_string_lossy().to_lowercase()));
        }
    }
    let mut entries: Vec<EntryId> = (0..keys.len() as u32).map(EntryId).collect();
    entries.sort_by(|one, other| keys[one.0 as usize].cmp(&keys[other.0 as usize]));
    entries
}
