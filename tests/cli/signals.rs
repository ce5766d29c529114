//! Signals, and readers that go away.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use ferry::engine::{Event, Outcome, Summary};

use crate::place::{Place, Run};

const FILES: u64 = 10_000;
const CONTENTS: &str = "a file that is whole";

/// A tree that takes long enough to be interrupted.
fn long() -> Place {
    let place = Place::new();
    for number in 0..FILES {
        if number % 1000 == 0 {
            let _folder = place.folder(&format!("tree/{}", number / 1000));
        }
        fs::write(place.at(format!("tree/{}/{number}", number / 1000)), CONTENTS).unwrap();
    }
    place
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Runs until the first file is done, then sends a signal; gives the status and the summary.
fn interrupted(place: &Place, folder: &str, signal: &str) -> (Option<i32>, Summary) {
    let arguments = ["copy", "--json", "--workers=1", "--", "tree", folder];
    let mut child = place.command().args(arguments).spawn().unwrap();
    let mut sent = false;
    let mut finished = None;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        match serde_json::from_str(&line.unwrap()).unwrap() {
            Event::Progress { snapshot, .. } if !sent && snapshot.entries.done > 0 => {
                send(&child, signal);
                sent = true;
            }
            Event::Finished { summary, .. } => finished = Some(summary),
            _ => {}
        }
    }
    assert!(sent, "the job was over before its first sample");
    (child.wait().unwrap().code(), finished.expect("the end is told"))
}

/// The paths of all files below a folder.
fn files(place: &Place, folder: &str) -> Vec<std::path::PathBuf> {
    let walk = walkdir::WalkDir::new(place.at(folder)).into_iter();
    // Looked at while it is being copied into: names may come and go.
    walk.flatten().filter(|e| e.file_type().is_file()).map(|e| e.into_path()).collect()
}

#[test]
fn a_signal_cancels_and_leaves_only_whole_files() {
    let place = long();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (status, summary) = interrupted(&place, signal, signal);
        assert_eq!((status, summary.outcome), (Some(130), Outcome::Cancelled), "{signal}");
        let copied = files(&place, signal);
        assert!(!copied.is_empty() && (copied.len() as u64) < FILES);
        for path in copied {
            assert_eq!(fs::read_to_string(&path).unwrap(), CONTENTS, "{}", path.display());
        }
    }
    assert_eq!(files(&place, "tree").len() as u64, FILES);
}

#[test]
fn a_cancelled_job_says_so() {
    let place = long();
    let mut child = place.command().args(["copy", "--json", "tree", "folder"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let _progress = out.find(|line| line.as_ref().unwrap().contains("\"progress\"")).unwrap();
    send(&child, "-INT");
    // Nobody reads the rest: that must not keep the program.
    drop(out);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_closed_output_does_not_end_the_copy() {
    let place = Place::new();
    for number in 0..200 {
        let _file = place.file(format!("tree/{number}"), "x");
    }
    let mut child = place.command().args(["copy", "--json", "tree", "folder"]).spawn().unwrap();
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(place.names("folder/tree").len(), 200);
}

#[test]
fn closed_messages_do_not_end_the_copy() {
    let place = Place::new();
    let _files = place.file("one", "1").file("two", "2");
    let mut child =
        place.command().args(["copy", "missing", "one", "two", "folder"]).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(place.names("folder"), ["one", "two"]);
}

const UNREAD: usize = 600;

/// A copy whose first event, which names all sources, is more than the 64 KiB of a pipe.
fn unread(place: &Place) -> Child {
    let names: Vec<String> = (0..UNREAD).map(|number| format!("{number:0>200}")).collect();
    for name in &names {
        let _file = place.file(name, "x");
    }
    place.command().args(["copy", "--json"]).args(&names).arg("folder").spawn().unwrap()
}

#[test]
fn a_reader_that_stops_reading_does_not_hold_the_copy() {
    let place = Place::new();
    let mut child = unread(&place);
    let deadline = Instant::now() + Duration::from_secs(60);
    while files(&place, "folder").len() < UNREAD {
        assert!(Instant::now() < deadline, "the copy does not go on");
        std::thread::yield_now();
    }
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_signal_ends_a_program_that_waits_for_its_reader() {
    let place = Place::new();
    let mut child = unread(&place);
    let mut first = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    send(&child, "-TERM");
    let status = child.wait().unwrap().code();
    assert!(status == Some(130) || status == Some(0), "{status:?}");
}

#[test]
fn a_cancelled_job_says_how_it_can_be_finished() {
    let place = long();
    let arguments = ["copy", "--workers=1", "tree", "folder"];
    let child = place.command().args(arguments).spawn().unwrap();
    while files(&place, "folder").is_empty() {
        std::thread::yield_now();
    }
    send(&child, "-INT");
    let run = Run::from(child.wait_with_output().unwrap());
    let _words = run.ends(130).says("Cancelled after").says("“ferry resume 1” finishes it");
    let _rest = place.ferry("resume 1").ends(0).says("Copied");
    assert_eq!(files(&place, "folder").len() as u64, FILES);
}
