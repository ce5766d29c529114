//! Taken names, decided with the mouse.

use std::path::Path;

use crate::common::{Tree, names, read};
use crate::desktop::{Desktop, until};
use crate::ferry::Ferry;
use crate::picture::Area;
use crate::seen::Seen;
use crate::test_name;

/// Six files of which all but the last are taken at the destination.
fn taken(desktop: &Desktop) -> (std::path::PathBuf, std::path::PathBuf) {
    let place = desktop.place();
    let every = ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt", "6.txt"];
    let tree = |names: &[&str], text: &str| {
        names.iter().fold(Tree::new(), |tree, name| tree.file(name, format!("{text} {name}")))
    };
    let source = tree(&every, "new").make(&place.join("from"));
    let target = tree(&every[..5], "old").make(&place.join("to"));
    (source, target)
}

fn assert_holds(file: &Path, text: &str) {
    assert_eq!(String::from_utf8_lossy(&read(file)), text, "{}", file.display());
}

/// Every answer by a click, after an Enter that was meant for something else.
#[test]
fn answers_are_given_by_clicks_and_a_stray_enter_gives_none() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let (source, target) = taken(&desktop);
    let ferry = Ferry::start_job(&desktop, &source, &target);
    ferry.see("the job waits for decisions", |seen| !seen.has_dialog() && seen.decide().is_some());
    assert_eq!(names(&target).len(), 6, "what is not taken is copied meanwhile");

    // The key opens the dialog; Enter follows at once, as in fast typing.
    desktop.press(&["d", "Return"]);
    ferry.see("the decision is asked for", Seen::asks_about_a_name);
    desktop.keep_picture("after-a-stray-enter");

    // Had Enter answered for 1.txt, 2.txt would be kept twice now.
    let keep_both = ferry.find("a button to keep both", |seen| way(seen, 0, 0));
    ferry.answer(keep_both, "both are kept", || target.join("1 (2).txt").exists());
    assert_holds(&target.join("1.txt"), "old 1.txt");
    assert_holds(&target.join("1 (2).txt"), "new 1.txt");
    desktop.keep_picture("next-question");

    let replace = ferry.find("a button to replace", |seen| way(seen, 0, 2));
    ferry.answer(replace, "it is replaced", || holds(&target.join("2.txt"), "new 2.txt"));

    let rename = ferry.find("a button to rename", |seen| way(seen, 0, 1));
    ferry.click(rename, "the field for the name", Seen::field_has_keyboard);
    desktop.press(&["ctrl+a"]);
    desktop.write("third");
    let take = ferry.find("a button to take the name", |seen| seen.primary().first().copied());
    desktop.keep_picture("renames");
    ferry.answer(take, "it is renamed", || holds(&target.join("third"), "new 3.txt"));
    assert_holds(&target.join("3.txt"), "old 3.txt");

    ferry.see("the next question", Seen::asks_about_a_name);
    let tick = ferry.find("a tick for the others", |seen| seen.ticks().first().copied());
    ferry.click(tick, "it is ticked", |seen| seen.ticks().is_empty());
    desktop.keep_picture("the-same-for-the-other-one");
    let replace = ferry.find("a button to replace", |seen| way(seen, 0, 2));
    ferry.answer(replace, "the job has ended", || ferry.shows(Seen::has_ended));
    desktop.keep_picture("ended");
    assert_holds(&target.join("4.txt"), "new 4.txt");
    assert_holds(&target.join("5.txt"), "new 5.txt");
    assert_holds(&target.join("6.txt"), "new 6.txt");
    assert_eq!(names(&target).len(), 8);
}

/// Deciding later leaves the question, and skipping leaves the file.
#[test]
fn a_question_can_wait_and_be_skipped() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let (source, target) = taken(&desktop);
    let ferry = Ferry::start_job(&desktop, &source, &target);
    let decide =
        ferry.find("a button to decide", |seen| seen.decide().filter(|_| !seen.has_dialog()));
    ferry.click(decide, "the decision is asked for", Seen::asks_about_a_name);
    let later = ferry.find("a button for later", |seen| {
        seen.plain().pop()?.pop().filter(|_| seen.ticks().len() == 1)
    });
    ferry.click(later, "the questions wait", |seen| !seen.has_dialog() && seen.decide().is_some());
    ferry.click(decide, "the decision is asked for again", Seen::asks_about_a_name);
    let tick = ferry.find("a tick for the others", |seen| seen.ticks().first().copied());
    ferry.click(tick, "it is ticked", |seen| seen.ticks().is_empty());
    let skip = ferry.find("a button to skip", |seen| seen.primary().pop());
    ferry.answer(skip, "the job has ended", || ferry.shows(Seen::has_ended));
    desktop.keep_picture("ended");
    for name in ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"] {
        assert_holds(&target.join(name), &format!("old {name}"));
    }
    assert_eq!(names(&target).len(), 6);
}

/// One of the ways that the dialog offers, by its row and its place in it.
fn way(seen: &Seen, row: usize, place: usize) -> Option<Area> {
    seen.plain().get(row)?.get(place).copied().filter(|_| seen.has_dialog())
}

fn holds(file: &Path, text: &str) -> bool {
    std::fs::read(file).is_ok_and(|bytes| bytes == text.as_bytes())
}

impl<'a> Ferry<'a> {
    /// Starts Ferry with all entries of a folder, and a job into another one.
    pub fn start_job(desktop: &'a Desktop, source: &Path, target: &Path) -> Ferry<'a> {
        let sources: Vec<_> = names(source).into_iter().map(|name| source.join(name)).collect();
        let arguments: Vec<&dyn AsRef<std::ffi::OsStr>> =
            sources.iter().map(|path| path as &dyn AsRef<std::ffi::OsStr>).collect();
        let ferry = Ferry::start(desktop, &arguments);
        ferry.see("it is asked where to", Seen::has_dialog);
        ferry.type_destination(desktop, target);
        desktop.press(&["Return"]);
        until("the destination is there", || target.is_dir().then_some(()));
        ferry
    }
}
