//! Files and folders dragged out of a file manager onto the window.

use std::path::Path;

use crate::common::{Tree, What, assert_same_tree, names, pattern, read};
use crate::desktop::Desktop;
use crate::ferry::Ferry;
use crate::file_manager::FileManager;
use crate::seen::Seen;
use crate::seen::Theme;
use crate::test_name;

/// From the file manager to the right bytes, with the mouse; only the path is typed.
#[test]
fn files_and_a_folder_dragged_from_a_file_manager_arrive() {
    let Some(desktop) = Desktop::open_with(test_name!(), &["pcmanfm"]) else { return };
    let source = Tree::new()
        .folder("album")
        .folder("album/inner")
        .file("album/inner/deep.txt", b"deep")
        .file("album/cover.jpg", pattern(300_000, 1))
        .file("letter.txt", b"the new letter")
        .file("list.csv", b"1;2;3")
        .file("recording.wav", pattern(2_000_000, 2))
        .make(&desktop.place().join("from"));
    let target = Tree::new().file("letter.txt", b"the old one").make(&desktop.place().join("to"));
    let ferry = Ferry::start(&desktop, &[]);
    let files = FileManager::open(&desktop, &source);
    ferry.drag_in_and_decide(&desktop, &files, &source, &target, 4);
    assert_eq!(read(target.join("letter.txt")), b"the new letter");
}

/// The same in the dark: for its pictures, and because a drop knows nothing of themes.
#[test]
fn a_drag_onto_a_dark_window_arrives() {
    let Some(desktop) = Desktop::open_with(test_name!(), &["pcmanfm"]) else { return };
    let source = Tree::new()
        .folder("album")
        .file("album/cover.jpg", pattern(300_000, 1))
        .file("letter.txt", b"the new letter")
        .make(&desktop.place().join("from"));
    let target = Tree::new().file("letter.txt", b"the old one").make(&desktop.place().join("to"));
    let mut ferry = Ferry::start(&desktop, &[]);
    ferry.turn(Theme::Dark);
    let files = FileManager::open(&desktop, &source);
    ferry.drag_in_and_decide(&desktop, &files, &source, &target, 2);

    // Once more: the folder of the last job is offered first, and a click takes it.
    let letter = target.join("letter.txt");
    std::fs::remove_file(&letter).unwrap();
    ferry.drag_in(&desktop, &files, 2);
    let start = ferry.find("a button to start", |seen| seen.primary().pop());
    desktop.keep_picture("recent-folder");
    ferry.click(start, "the album waits for a decision", |seen| seen.decide().is_some());
    assert_eq!(read(letter), b"the new letter");
}

impl Ferry<'_> {
    /// Drags all `count` entries of a folder in.
    fn drag_in(&self, desktop: &Desktop, files: &FileManager<'_>, count: usize) {
        let chosen = files.choose_all(count);
        desktop.keep_picture("chosen");
        let window = self.area();
        let over = (window.x + 300, window.y + 300);
        desktop.drag((chosen.x + 30, chosen.y + 10), over);
        self.see("the window shows that it takes them", Seen::is_hovered);
        desktop.keep_picture("held-over-the-window");
        desktop.drop_at(over);
        self.see("it is asked where to", Seen::has_dialog);
        desktop.point_aside();
        // Who drops is asked, and can answer with the keyboard.
        self.has_focus();
    }

    /// The same into a folder where `letter.txt` is taken; has it replaced.
    fn drag_in_and_decide(
        &self,
        desktop: &Desktop,
        files: &FileManager<'_>,
        source: &Path,
        target: &Path,
        count: usize,
    ) {
        self.drag_in(desktop, files, count);
        let field =
            self.find("the field for the path", |seen| seen.field().filter(|_| seen.has_dialog()));
        desktop.keep_picture("where-to");
        self.click(field, "the field has the keyboard", Seen::field_has_keyboard);
        desktop.press(&["ctrl+a"]);
        desktop.write(target.to_str().unwrap());
        let start = self.find("a button to start", |seen| seen.primary().pop());
        desktop.keep_picture("typed");
        self.click(start, "the job waits for a decision", |seen| {
            !seen.has_dialog() && seen.decide().is_some()
        });
        desktop.keep_picture("waits");
        assert_eq!(read(target.join("letter.txt")), b"the old one", "nothing is replaced unasked");

        let decide = self.find("a button to decide", |seen| seen.decide());
        self.click(decide, "the decision is asked for", Seen::asks_about_a_name);
        let replace =
            self.find("a button to replace", |seen| seen.plain().first()?.get(2).copied());
        desktop.keep_picture("conflict");
        self.answer(replace, "the job has ended", || self.shows(Seen::has_ended));
        desktop.keep_picture("ended");
        for name in names(source) {
            assert_same_tree(&source.join(&name), &target.join(&name), &What::ALL);
        }
    }
}
