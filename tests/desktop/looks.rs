//! How the window looks: light and dark, at three sizes, with and without a dialog. The
//! pictures are for people; what can be told without them is checked.

use crate::common::Tree;
use crate::desktop::Desktop;
use crate::ferry::Ferry;
use crate::seen::Seen;
use crate::seen::Theme;
use crate::test_name;

const SIZES: [(usize, usize); 3] = [(720, 480), (1120, 720), (1600, 1000)];

#[test]
fn an_empty_window_fills_its_frame_in_light_and_dark() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let mut ferry = Ferry::start(&desktop, &[]);
    for theme in [Theme::Light, Theme::Dark] {
        ferry.turn(theme);
        for (width, height) in SIZES {
            ferry.resize(width, height);
            ferry.see("the window is filled", |seen| fills(seen) && seen.primary().len() == 2);
            desktop.keep_picture(&format!("empty-{theme:?}-{width}x{height}").to_lowercase());
        }
    }
}

#[test]
fn jobs_and_dialogs_fill_their_frame_in_light_and_dark() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let source = Tree::new()
        .files("photographs/from the summer/IMG_20", 30, 40_000)
        .file("photographs/index.html", b"new")
        .file("letter to the insurance company.odt", b"the new one")
        .file_of("recording.wav", 5_000_000)
        .make(&desktop.place().join("from"));
    let target = Tree::new()
        .file("photographs/index.html", b"the old one")
        .file("letter to the insurance company.odt", b"the old one")
        .make(&desktop.place().join("to"));
    let mut ferry = Ferry::start_job(&desktop, &source, &target);
    let waits = |seen: &Seen| fills(seen) && seen.decide().is_some();
    ferry.see("the job waits for decisions", waits);
    for theme in [Theme::Light, Theme::Dark] {
        ferry.turn(theme);
        for (width, height) in SIZES {
            let name = |what: &str| format!("{what}-{theme:?}-{width}x{height}").to_lowercase();
            ferry.resize(width, height);
            ferry.see("the window is filled", waits);
            desktop.keep_picture(&name("waits"));
            desktop.press(&["d"]);
            ferry.see("the dialog is whole", Seen::asks_about_a_name);
            desktop.keep_picture(&name("conflict"));
            desktop.press(&["Escape"]);
            ferry.see("the dialog is gone", waits);
        }
    }
}

/// However long the name is: it is what gives way, and no answer does.
#[test]
fn a_long_name_leaves_room_for_every_answer() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let name = format!("{}.txt", "a name that is longer than any window is wide ".repeat(5));
    let source = Tree::new().file(&name, b"new").make(&desktop.place().join("from"));
    let target = Tree::new().file(&name, b"old").make(&desktop.place().join("to"));
    let ferry = Ferry::start_job(&desktop, &source, &target);
    ferry.see("the job waits for a decision", |seen| seen.decide().is_some());
    for (width, height) in SIZES {
        ferry.resize(width, height);
        ferry.see("the window is filled", |seen| fills(seen) && seen.decide().is_some());
        desktop.keep_picture(&format!("waits-{width}x{height}"));
        desktop.press(&["d"]);
        ferry.see("the dialog is whole", Seen::asks_about_a_name);
        desktop.keep_picture(&format!("conflict-{width}x{height}"));
        desktop.press(&["Escape"]);
    }
}

/// Whether the ground reaches the edges, the head is above it, and there is something on it.
fn fills(seen: &Seen) -> bool {
    let Seen { picture, colours } = seen;
    let (right, bottom) = (picture.width - 1, picture.height - 1);
    let ground = [(0, bottom), (right, bottom), (0, bottom / 2), (right, 90)];
    ground.iter().all(|&(x, y)| picture.at(x, y) == colours.ground)
        && [(0, 0), (right, 0)].iter().all(|&(x, y)| picture.at(x, y) == colours.panel)
        && picture.count(colours.ground) * 10 > picture.width * picture.height
        && picture.colours() > 30
}
