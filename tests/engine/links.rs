//! Symbolic and hard links.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use ferry::engine::{ConflictRule, Reflink};

use crate::common::{Fs, Tree, What, assert_same_tree, copy, moving, names, read, scratch};

#[test]
fn links_are_copied_as_links_whatever_they_point_to() {
    let long = "x/".repeat(2000) + "end";
    let tree = Tree::new()
        .file("t/file", "contents")
        .folder("t/folder")
        .link("t/relative", "file")
        .link("t/up", "../t/file")
        .link("t/absolute", "/etc/passwd")
        .link("t/dangling", "nowhere")
        .link("t/self", "self")
        .link("t/one", "other")
        .link("t/other", "one")
        .link("t/to folder", "folder")
        .link("t/to above", "..")
        .link("t/slash", "folder/")
        .link("t/to device", "/dev/zero")
        .link(b"t/bytes \xff", b"\xff\n\xfe");
    for (from, to) in [(Fs::Ext4, Fs::Xfs), (Fs::Xfs, Fs::Tmpfs), (Fs::Tmpfs, Fs::Ext4)] {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        // XFS takes no text over 1024 bytes.
        let most = if from == Fs::Xfs || to == Fs::Xfs { 1000 } else { 4000 };
        tree.clone().link("t/long", &long[..most]).make(&place);
        let source = place.join("t");
        copy([&source], &*target).run().done();
        assert_same_tree(&source, &target.join("t"), &What { folder_times: false, ..What::ALL });
    }
}

#[test]
fn a_link_given_as_a_source_is_copied_as_a_link() {
    let place = scratch();
    let source = Tree::new()
        .file("folder/inner", "x")
        .link("to folder", "folder")
        .link("to nothing", "nothing")
        .make(&place.join("source"));
    let into = place.join("into");
    copy([source.join("to folder"), source.join("to nothing")], &into).run().done();
    assert_eq!(std::fs::read_link(into.join("to folder")).unwrap(), Path::new("folder"));
    assert_eq!(std::fs::read_link(into.join("to nothing")).unwrap(), Path::new("nothing"));
}

#[test]
fn a_link_in_the_way_is_replaced_as_a_link_and_its_target_is_untouched() {
    for text in ["../outside/target", "nowhere", "file"] {
        let place = scratch();
        let source = Tree::new().file("file", "new").make(&place.join("source")).join("file");
        Tree::new().file("outside/target", "untouched").link("into/file", text).make(&place);
        let into = place.join("into");
        copy([&source], &into).rule(ConflictRule::Replace).run().done();
        assert_eq!(read(place.join("outside/target")), b"untouched", "{text}");
        assert!(std::fs::symlink_metadata(into.join("file")).unwrap().is_file(), "{text}");
        assert_eq!(read(into.join("file")), b"new", "{text}");
        assert_eq!(names(&into), ["file"]);
        assert!(!into.join("nowhere").exists());
    }
}

#[test]
fn nothing_is_written_through_a_dangling_link() {
    for rule in [ConflictRule::SkipUnanswered, ConflictRule::Skip, ConflictRule::KeepBoth] {
        let place = scratch();
        let source = Tree::new().file("file", "new").make(&place.join("source")).join("file");
        let into = Tree::new().link("file", "../made").make(&place.join("into"));
        copy([&source], &into).rule(rule).run();
        assert!(!place.join("made").exists(), "{rule:?}");
        assert_eq!(std::fs::read_link(into.join("file")).unwrap(), Path::new("../made"));
    }
}

#[test]
fn a_link_replaces_a_file_and_a_link() {
    let place = scratch();
    let tree = Tree::new().link("one", "new").link("two", "new").link("three", "new");
    let source = tree.make(&place.join("source"));
    let into = Tree::new().file("one", "old").link("two", "old").fifo("three");
    let into = into.make(&place.join("into"));
    let sources = ["one", "two", "three"].map(|name| source.join(name));
    copy(&sources, &into).rule(ConflictRule::Replace).run().done();
    assert_same_tree(&source, &into, &What { folder_times: false, ..What::ALL });
}

#[test]
fn equal_links_do_not_differ() {
    let place = scratch();
    let source = Tree::new().link("same", "text").link("other", "here").make(&place.join("source"));
    let into = Tree::new().link("same", "text").link("other", "text").make(&place.join("into"));
    let before = std::fs::symlink_metadata(into.join("same")).unwrap().ino();
    let sources = [source.join("same"), source.join("other")];
    let run = copy(&sources, &into).rule(ConflictRule::Different).run().done();
    assert_eq!(run.summary.entries.skipped, 1, "{:?}", run.summary);
    assert_eq!(std::fs::symlink_metadata(into.join("same")).unwrap().ino(), before);
    assert_eq!(std::fs::read_link(into.join("other")).unwrap(), Path::new("here"));
}

#[test]
fn a_linked_folder_at_the_destination_is_merged_into() {
    for rule in [ConflictRule::SkipUnanswered, ConflictRule::Replace] {
        let place = scratch();
        let source = Tree::new().file("folder/new", "new").make(&place.join("source"));
        Tree::new().file("elsewhere/old", "old").link("into/folder", "../elsewhere").make(&place);
        let run = copy([source.join("folder")], place.join("into")).rule(rule).run().done();
        assert_eq!(run.summary.entries.done, 2, "{:?}", run.summary);
        assert_eq!(names(&place.join("elsewhere")), ["new", "old"]);
        assert!(std::fs::symlink_metadata(place.join("into/folder")).unwrap().is_symlink());
    }
}

#[test]
fn the_destination_itself_may_be_a_link() {
    let place = scratch();
    let source = Tree::new().file("file", "x").make(&place.join("source")).join("file");
    place.folder("real");
    symlink("real", place.join("link")).unwrap();
    copy([&source], place.join("link")).run().done();
    assert_eq!(read(place.join("real/file")), b"x");
    assert!(std::fs::symlink_metadata(place.join("link")).unwrap().is_symlink());
}

#[test]
fn hard_links_stay_hard_links() {
    for (from, to) in Fs::pairs() {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        let mut tree = Tree::new().file_of("t/a/first", 100_000).file_of("t/single", 10);
        for number in 0..200 {
            tree = tree.hard_link(format!("t/{}/name {number}", number % 7), "t/a/first");
        }
        let source = tree.make(&place).join("t");
        for reflink in [Reflink::Auto, Reflink::Never] {
            let into = target.join(format!("{reflink:?}"));
            let run = copy([&source], &into).reflink(reflink).workers(4).run().done();
            assert_same_tree(&source, &into.join("t"), &What::ALL);
            assert!(run.summary.bytes.done < 250_000, "once: {:?}", run.summary.bytes);
        }
        let names = std::fs::metadata(target.join("Auto/t/a/first")).unwrap().nlink();
        assert_eq!(names, 201, "{from:?} {to:?}");
    }
}

#[test]
fn names_of_one_link_or_fifo_stay_names_of_one() {
    let place = scratch();
    let tree = Tree::new()
        .link("t/link", "x")
        .hard_link("t/second link", "t/link")
        .fifo("t/fifo")
        .hard_link("t/second fifo", "t/fifo");
    let source = tree.make(&place.join("source")).join("t");
    copy([&source], place.join("into")).run().done();
    assert_same_tree(&source, &place.join("into/t"), &What::ALL);
}

#[test]
fn hard_links_between_sources_stay_hard_links() {
    let place = scratch();
    let tree = Tree::new().file("one/f", "x").hard_link("two/g", "one/f").hard_link("h", "one/f");
    let source = tree.make(&place.join("source"));
    let sources = ["one", "two", "h"].map(|name| source.join(name));
    copy(&sources, place.join("into")).run().done();
    assert_same_tree(&source, &place.join("into"), &What { folder_times: false, ..What::ALL });
}

#[test]
fn hard_links_are_moved_as_hard_links() {
    let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
    let tree = Tree::new().file("t/one/f", "x").hard_link("t/two/g", "t/one/f");
    tree.make(&place.join("expected"));
    let source = tree.make(&place.join("source"));
    moving([source.join("t")], &*target).run().done();
    assert_same_tree(&place.join("expected/t"), &target.join("t"), &What::ALL);
    assert_eq!(names(&source), [""; 0]);
}

#[test]
fn replacing_one_name_of_a_file_leaves_the_others_their_bytes() {
    for reflink in [Reflink::Auto, Reflink::Never] {
        for fs in Fs::ALL {
            let Some(place) = fs.place() else { continue };
            let source = Tree::new().file("file", "new").make(&place.join("source")).join("file");
            let into = Tree::new()
                .file("file", "old bytes")
                .hard_link("other name", "file")
                .make(&place.join("into"));
            copy([&source], &into).rule(ConflictRule::Replace).reflink(reflink).run().done();
            assert_eq!(read(into.join("file")), b"new");
            assert_eq!(read(into.join("other name")), b"old bytes");
        }
    }
}

#[test]
fn a_hard_link_replaces_what_is_in_its_way() {
    let place = scratch();
    let tree = Tree::new().file("t/one", "new").hard_link("t/two", "t/one");
    let source = tree.make(&place.join("source")).join("t");
    let into = place.join("into");
    Tree::new().file("t/one", "old").file("t/two", "old too").make(&into);
    copy([&source], &into).rule(ConflictRule::Replace).run().done();
    assert_same_tree(&source, &into.join("t"), &What { folder_times: false, ..What::ALL });
}

#[test]
fn a_hard_link_whose_first_name_was_skipped_is_copied_for_itself() {
    for taken in ["one", "two"] {
        let place = scratch();
        let tree = Tree::new().file("t/one", "new").hard_link("t/two", "t/one");
        let source = tree.make(&place.join("source")).join("t");
        let into = place.join("into");
        Tree::new().file(format!("t/{taken}"), "old").make(&into);
        copy([&source], &into).rule(ConflictRule::Skip).run().done();
        let free = if taken == "one" { "two" } else { "one" };
        assert_eq!(read(into.join("t").join(free)), b"new", "{taken} was taken");
        assert_eq!(read(into.join("t").join(taken)), b"old", "{taken} was taken");
    }
}
