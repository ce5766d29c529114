//! The comparison that all other tests rely on sees what it is there to see.

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};

use crate::common::tree::{set_time, takes_xattrs};
use crate::common::{Fs, Tree, What, assert_same_tree, command, differences, scratch};
use crate::whole_tree::everything;

#[test]
fn a_tree_made_twice_is_the_same_twice() {
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let tree = everything(&place);
        let (one, other) = (tree.make(&place.join("one")), tree.make(&place.join("other")));
        let what = What { sockets_left_out: false, folder_times: false, ..What::ALL };
        assert_same_tree(&one, &other, &what);
    }
}

#[test]
fn the_comparison_sees_each_difference() {
    let place = scratch();
    let tree = Tree::new()
        .file("t/file", "contents")
        .folder("t/folder")
        .link("t/link", "text")
        .sparse("t/holes", 8 << 20, &[(4 << 20, b"island")])
        .file("t/one", "same")
        .hard_link("t/two", "t/one");
    let source = tree.make(&place.join("source")).join("t");
    type Change = fn(&std::path::Path);
    let changes: [(&str, Change); 12] = [
        ("is missing", |t| fs::remove_file(t.join("file")).unwrap()),
        ("in the copy only", |t| fs::write(t.join("more"), "").unwrap()),
        ("differs from byte 3", |t| {
            let file = fs::File::options().write(true).open(t.join("file")).unwrap();
            file.write_all_at(b"X", 3).unwrap();
        }),
        ("9 bytes", |t| fs::write(t.join("file"), "contentss").unwrap()),
        ("modified", |t| set_time(&t.join("file"), 1, 1).unwrap()),
        ("modified", |t| set_time(&t.join("link"), 1, 1).unwrap()),
        ("modified", |t| set_time(&t.join("folder"), 1, 1).unwrap()),
        ("mode 600", |t| {
            fs::set_permissions(t.join("file"), fs::Permissions::from_mode(0o600)).unwrap();
        }),
        ("points to", |t| {
            fs::remove_file(t.join("link")).unwrap();
            std::os::unix::fs::symlink("texT", t.join("link")).unwrap();
        }),
        ("is a Directory", |t| {
            fs::remove_file(t.join("file")).unwrap();
            fs::create_dir(t.join("file")).unwrap();
        }),
        ("not a name of the same file", |t| {
            fs::remove_file(t.join("two")).unwrap();
            fs::copy(t.join("one"), t.join("two")).unwrap();
        }),
        ("holes were filled", |t| {
            let bytes = fs::read(t.join("holes")).unwrap();
            fs::write(t.join("holes"), bytes).unwrap();
        }),
    ];
    for (number, (expected, change)) in changes.into_iter().enumerate() {
        let copy = tree.make(&place.join(format!("copy {number}"))).join("t");
        assert_same_tree(&source, &copy, &What::ALL);
        change(&copy);
        let found = differences(&source, &copy, &What::ALL);
        assert!(found.iter().any(|line| line.contains(expected)), "{expected}: {found:?}");
    }
    if takes_xattrs(&place) {
        let copy = tree.make(&place.join("copy with attributes")).join("t");
        command("setfattr", &[&"-n", &"user.more", &"-v", &"1", &copy.join("file")]);
        assert_eq!(differences(&source, &copy, &What::ALL).len(), 1);
    }
}
