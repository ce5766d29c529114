//! The program killed at random moments: resumed, nothing is lost, doubled or left over.
//!
//! A round makes a tree, begins a job, kills it once its journal has grown to some size, and
//! resumes it; every third time the resuming is killed as well. `FERRY_CRASH_ROUNDS` sets how
//! many (`./x soak` runs more), `FERRY_CRASH_SEED` where their random numbers begin. With
//! `FERRY_TEST_KEEP` the folders of a round that failed are left.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{self, Tree, What, assert_same_tree, command, eventually};
use crate::place::Place;

/// Random enough, and the same again for the same seed (xorshift).
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What a round does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Copy,
    Replace,
    KeepBoth,
    Rename,
    MoveAcross,
    KeepExisting,
    ReplaceFolder,
    ExchangeFolder,
    FolderAside,
}

const CASES: [Case; 9] = [
    Case::Copy,
    Case::Replace,
    Case::KeepBoth,
    Case::Rename,
    Case::MoveAcross,
    Case::KeepExisting,
    Case::ReplaceFolder,
    Case::ExchangeFolder,
    Case::FolderAside,
];

/// A program that is killed, whatever becomes of the round.
struct Killed(std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may end in this moment.
        let _killed_or_ended = self.0.kill();
        let _status = self.0.wait();
    }
}

struct Round {
    place: Place,
    case: Case,
    to: PathBuf,
    _elsewhere: Option<common::Place>,
}

/// A tree with something of every kind, of about so many entries.
fn tree(random: &mut Random) -> Tree {
    let mut tree = Tree::new().folder("t").folder("t/empty").folder("t/closed").mode(0o555);
    tree = tree.folder("t/one").mode(0o750).time(1_400_000_000, 123_456_789);
    for folder in ["t", "t/one", "t/one/two", "t/three"] {
        for number in 0..12 {
            let len = match random.below(8) {
                0 => 0,
                1 => 1,
                7 => random.below(200_000),
                _ => random.below(9_000),
            };
            tree = tree.file_of(format!("{folder}/file {number}"), len as usize);
        }
        tree = tree.link(format!("{folder}/link"), "file 1").time(1_500_000_000, 5);
    }
    tree.file_of("t/big", 3 << 20)
        .sparse("t/one/holes", 700_000, &[(300_000, b"island")])
        .hard_link("t/one/again", "t/file 3")
        .hard_link("t/three/again", "t/one/file 4")
        .fifo("t/three/pipe")
}

impl Round {
    fn new(case: Case, number: u64, random: &mut Random) -> Round {
        // By turns on the disk and in memory, where there is one.
        let memory = Path::new("/dev/shm");
        let has_memory = memory.is_dir();
        let place = if number.is_multiple_of(2) || !has_memory {
            Place::new()
        } else {
            Place::within("/dev/shm")
        };
        let source = tree(random).make(&place.at("source")).join("t");
        let _log = command("cp", &[&"-a", &source, &place.at("reference")]);
        let elsewhere = (case == Case::MoveAcross && has_memory).then(|| {
            let parent = if number.is_multiple_of(2) { memory } else { Path::new("/tmp") };
            common::Place::new_in(parent)
        });
        let to = elsewhere.as_ref().map_or_else(|| place.at("to"), |place| place.join("to"));
        if !matches!(case, Case::Copy | Case::MoveAcross) {
            let mut old =
                Tree::new().folder("t").folder("t/one").mode(0o750).file_of("t/the user's own", 77);
            if case != Case::Rename {
                for number in 0..12 {
                    old = old.file(format!("t/one/file {number}"), format!("old {number}"));
                }
                old = old.link("t/link", "old text").file_of("t/big", 2 << 20);
            }
            let _made = old.make(&to);
            let _log = command("cp", &[&"-a", &to, &place.at("before")]);
        }
        Round { place, case, to, _elsewhere: elsewhere }
    }

    fn arguments(&self) -> Vec<String> {
        let kind = match self.case {
            Case::Rename | Case::MoveAcross | Case::ExchangeFolder => "move",
            _ => "copy",
        };
        let rule = match self.case {
            Case::KeepBoth => "--conflict=keep-both",
            Case::KeepExisting => "--conflict=keep-existing",
            Case::ReplaceFolder | Case::ExchangeFolder => "--folder-conflict=replace",
            Case::FolderAside => "--folder-conflict=keep-existing",
            _ => "--conflict=replace",
        };
        let to = self.to.to_str().unwrap().to_owned();
        let rule = rule.to_owned();
        let mut all = vec![kind.to_owned(), rule, "--quiet".to_owned()];
        if self.case == Case::Copy {
            all.push("--checksums=list".to_owned());
        }
        all.extend(["source/t".to_owned(), to]);
        all
    }

    fn journal(&self) -> PathBuf {
        self.place.home().join("state/ferry/jobs/1.journal")
    }

    fn journal_size(&self) -> u64 {
        self.journal().metadata().map_or(0, |metadata| metadata.len())
    }

    /// Runs the program and kills it once its journal has so many bytes; whether it lived
    /// that long.
    fn kill_at(&self, arguments: &[String], bytes: u64) -> bool {
        let mut child = Killed(self.place.command().args(arguments).spawn().unwrap());
        let mut ended = false;
        eventually("a journal of that size, or the end", || {
            ended = child.0.try_wait().unwrap().is_some();
            ended || self.journal_size() >= bytes
        });
        !ended
    }

    fn state(&self) -> Option<String> {
        let run = self.place.ferry("history --json");
        let line = run.ends(0).out.lines().next()?.to_owned();
        let past: serde_json::Value = serde_json::from_str(&line).unwrap();
        Some(past["state"].as_str()?.to_owned())
    }

    /// What every round must come to.
    fn check(&self) {
        let reference = self.place.at("reference");
        let made = self.to.join("t");
        match self.case {
            Case::Copy | Case::MoveAcross => {
                assert_same_tree(&reference, &made, &What::ALL);
                if self.case == Case::Copy {
                    self.check_list(&made);
                }
            }
            Case::Replace | Case::Rename => {
                let own = made.join("the user's own");
                assert_eq!(fs::metadata(&own).unwrap().len(), 77);
                fs::rename(&own, self.place.at("own")).unwrap();
                assert_same_tree(&reference, &made, &What { folder_times: false, ..What::ALL });
                fs::rename(self.place.at("own"), &own).unwrap();
            }
            Case::KeepBoth => self.check_both(&reference, &made, ["", " (2)"]),
            Case::KeepExisting => self.check_both(&reference, &made, [" (2)", ""]),
            Case::ReplaceFolder | Case::ExchangeFolder | Case::FolderAside => {
                assert_same_tree(&reference, &made, &What::ALL);
                let old = match self.case {
                    Case::FolderAside => self.to.join("t (2)"),
                    _ => self.place.home().join("data/Trash/files/t"),
                };
                assert_same_tree(&self.place.at("before/t"), &old, &What::ALL);
            }
        }
        if matches!(self.case, Case::Rename | Case::MoveAcross | Case::ExchangeFolder) {
            assert!(!self.place.has("source/t"), "the source is left");
        }
        let left = command("find", &[&self.to, &"-name", &"*.ferry-*"]);
        assert_eq!(left, "", "temporary files are left");
    }

    /// The list of checksums names every file once, whichever run copied it.
    fn check_list(&self, made: &Path) {
        let list = self.place.read("list");
        for line in list.lines() {
            let (sum, path) = line.split_once("  ").unwrap();
            let file = fs::read(self.to.join(path)).unwrap();
            assert_eq!(blake3::hash(&file).to_string(), sum, "{path}");
        }
        let files = command("find", &[&made, &"-type", &"f"]);
        assert_eq!(list.lines().count(), files.lines().count(), "{list}");
        let left = command("find", &[&self.place.path(), &"-name", &"*.ferry-*"]);
        assert_eq!(left, "", "the begun list of an earlier run is left");
    }

    /// Every old file is there, and beside it the new one, once.
    fn check_both(&self, reference: &Path, made: &Path, [old, new]: [&str; 2]) {
        let count =
            |folder: &Path| command("find", &[&folder, &"!", &"-type", &"d"]).lines().count();
        let before = self.place.at("before/t");
        assert_eq!(count(made), count(reference) + count(&before));
        for number in 0..12 {
            let name = |tail: &str| format!("one/file {number}{tail}");
            assert_eq!(common::read(made.join(name(old))), format!("old {number}").as_bytes());
            let both = common::read(made.join(name(new)));
            assert_eq!(both, common::read(reference.join(name(""))), "{number}");
        }
    }
}

impl Round {
    /// Undoes the job, and insists that everything is as it was before it.
    fn undo(&self) {
        // Without its number a job that had done nothing would not be found.
        let run = self.place.ferry("undo 1 --quiet");
        assert_eq!(run.status, 0, "{:?}: {}{}", self.case, run.out, run.err);
        let folders_differ = What { folder_times: false, ..What::ALL };
        let before = self.place.at("before");
        if before.exists() {
            assert_same_tree(&before, &self.to, &folders_differ);
        } else {
            let left =
                if self.to.exists() { command("find", &[&self.to, &"-ls"]) } else { String::new() };
            assert_eq!(
                left, "",
                "{:?}: the destination was made by the job: {}",
                self.case, run.out
            );
        }
        // Within a file system folders that were merged had the destination's times.
        let what = if self.case == Case::Rename { folders_differ } else { What::ALL };
        assert_same_tree(&self.place.at("reference"), &self.place.at("source/t"), &what);
        let trash = self.place.home().join("data/Trash");
        if trash.exists() {
            let left = command("find", &[&trash, &"!", &"-type", &"d"]);
            assert_eq!(left, "", "the trash holds what came back");
        }
        // Once more does no harm.
        assert_eq!(self.place.ferry("undo --quiet").status, 1);
    }
}

fn round(number: u64, random: &mut Random) {
    let case = CASES[(number % CASES.len() as u64) as usize];
    let round = Round::new(case, number, random);
    let resume: Vec<String> = ["resume", "--quiet"].map(str::to_owned).to_vec();
    // About what the journal of a whole job takes.
    let most = if case == Case::Replace { 7_000 } else { 4_500 };
    let mut bytes = 1 + random.below(most);
    if round.kill_at(&round.arguments(), bytes) && random.below(3) == 0 {
        let begun = round.journal_size();
        bytes = begun + random.below(most);
        let _lived = round.kill_at(&resume, bytes);
    }
    match round.state().as_deref() {
        // It can be undone where it stands.
        Some("unfinished") if random.below(4) == 0 => return round.undo(),
        Some("unfinished") => {
            let run = round.place.ferry("resume --quiet");
            assert_eq!(run.status, 0, "{case:?}: {}{}", run.out, run.err);
        }
        Some("finished") => {}
        // It had not begun.
        None => {
            let _lived = round.kill_at(&round.arguments(), u64::MAX);
        }
        other => panic!("{case:?}: {other:?}"),
    }
    round.check();
    // Once more does no harm: there is nothing left.
    assert_eq!(round.place.ferry("resume --quiet").status, 1);
    round.check();
    round.undo();
}

#[test]
fn killed_at_random_moments_and_resumed_nothing_is_lost() {
    let seed = setting("FERRY_CRASH_SEED", 20_261_201);
    for number in 0..setting("FERRY_CRASH_ROUNDS", 36) {
        let mut random = Random(seed + number * 7919 + 1);
        let _warm = random.below(2);
        println!("round {number} of seed {seed}");
        round(number, &mut random);
    }
}
