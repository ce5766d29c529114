//! The table of taken names: what is drawn after a key is what would be drawn anew.

use crate::common::Tree;
use crate::desktop::Desktop;
use crate::ferry::Ferry;
use crate::picture::Picture;
use crate::seen::Seen;
use crate::test_name;

/// A job that asks about six names, with the table open.
fn with_table<'a>(desktop: &'a Desktop) -> Ferry<'a> {
    let tree =
        |text: &str| (1..=6).fold(Tree::new(), |tree, n| tree.file(format!("{n}.txt"), text));
    let source = tree("what is coming").make(&desktop.place().join("from"));
    let target = tree("old").make(&desktop.place().join("to"));
    let ferry = Ferry::start_job(desktop, &source, &target);
    ferry.see("the job waits for decisions", |seen| !seen.has_dialog() && seen.decide().is_some());
    desktop.press(&["l"]);
    ferry.see("the table is there", |seen| seen.has_dialog() && answers(seen) == 6);
    ferry
}

/// How many rows have a field for their answer.
fn answers(seen: &Seen) -> usize {
    seen.answers().len()
}

fn picture(ferry: &Ferry) -> Picture {
    ferry.find("a picture", |seen| Some(seen.picture.clone()))
}

/// Only what changed is redrawn: it must be all of it.
#[test]
fn an_answer_is_redrawn_whole_when_it_changes() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let ferry = with_table(&desktop);
    for (key, name) in [("s", "skip"), ("k", "keep-both"), ("e", "keep-existing"), ("r", "replace")]
    {
        let before = picture(&ferry);
        desktop.press(&[key]);
        ferry.see("the answer has changed", |seen| seen.picture.difference(&before).is_some());
        let redrawn = picture(&ferry);
        desktop.keep_picture(name);
        // Another size draws everything anew.
        ferry.resize(1130, 720);
        ferry.see("the table is wider", |seen| answers(seen) == 6);
        ferry.resize(1120, 720);
        ferry.see("the table is as it was", |seen| answers(seen) == 6);
        let anew = picture(&ferry);
        assert_eq!(redrawn.difference(&anew), None, "after {key}");
    }
}

/// Escape leaves first what was opened last.
#[test]
fn escape_closes_an_open_list_and_then_the_table() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let ferry = with_table(&desktop);
    let answer = ferry.find("a field for an answer", |seen| seen.answers().first().copied());
    ferry.click(answer, "the list is open", |seen| answers(seen) < 6);
    desktop.keep_picture("open");
    desktop.press(&["Escape"]);
    ferry.see("the list is closed", |seen| seen.has_dialog() && answers(seen) == 6);
    desktop.press(&["Escape"]);
    ferry.see("the table is closed", |seen| !seen.has_dialog());
}
