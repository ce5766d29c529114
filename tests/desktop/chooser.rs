//! Sources from the desktop's file chooser. Without a portal on the bus that is zenity.

use crate::common::{Tree, What, assert_same_tree};
use crate::desktop::{Desktop, EVERYTHING, until};
use crate::ferry::Ferry;
use crate::seen::Seen;
use crate::test_name;

#[test]
fn a_file_is_added_by_the_file_chooser() {
    let Some(desktop) = Desktop::open_with(test_name!(), &["zenity"]) else { return };
    let source = Tree::new().file_of("novel.txt", 50_000).make(&desktop.place().join("from"));
    let novel = source.join("novel.txt");
    let target = desktop.place().join("to");
    let ferry = Ferry::start(&desktop, &[]);
    let add = ferry.find("a button to add files", |seen| seen.primary().first().copied());
    ferry.click(add, "the window goes on", |seen| !seen.has_dialog());
    let chooser = until("the chooser is there", || {
        let found = desktop.ask(&["search", "--onlyvisible", "--class", "^zenity$"])?;
        found.lines().last().map(str::to_owned)
    });
    desktop.do_this(&["windowactivate", "--sync", &chooser]);
    desktop.settled(EVERYTHING);
    // The first letter of a path brings a field for it.
    desktop.press(&["slash"]);
    desktop.settled(EVERYTHING);
    desktop.write(novel.to_str().unwrap().strip_prefix('/').unwrap());
    desktop.settled(EVERYTHING);
    desktop.keep_picture("chooser");
    desktop.press(&["Return"]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.take_focus();
    ferry.type_destination(&desktop, &target);
    desktop.press(&["Return"]);
    ferry.see("the job has ended", Seen::has_ended);
    assert_same_tree(&novel, &target.join("novel.txt"), &What::ALL);
}
