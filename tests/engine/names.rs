//! Names are bytes, long names leave room for nothing, and folders go deep.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ferry::engine::{ConflictRule, ErrorKind, JobKind, Reflink};
use rustix::fs::{Mode, OFlags, openat};

use crate::common::process::Child;
use crate::common::tree::make_deep;
use crate::common::{
    Fs, Job, Tree, What, assert_same_tree, below, copy, differences, moving, names, read, scratch,
};
use crate::test_name;

fn odd_names() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = [
        "line\nbreak",
        "\n",
        "'",
        "\"",
        "`id`",
        "$(id)",
        "-rf",
        "--",
        "-",
        " ",
        " x ",
        "100%s%n",
        "\\",
        "\\n",
        "*",
        "?",
        "[a]",
        "~",
        "...",
        "..x",
        ".x",
        "tab\there",
        "\u{7f}",
        "ü",
        "u\u{308}",
        "日本語",
        "🚢",
        ":",
        "a:b",
        "|",
        "<>",
        "con",
        "x.",
        "#",
        ";",
        "&",
        "\u{202e}txt.exe",
    ]
    .iter()
    .map(|name| name.as_bytes().to_vec())
    .collect();
    all.push((1..=255).filter(|&byte| byte != b'/').collect::<Vec<u8>>());
    all.push(vec![0xff]);
    all.push(b"half \xc3".to_vec());
    all.push(vec![b'n'; 255]);
    all.push("ü".repeat(127).into_bytes());
    all.push(vec![0xfe; 255]);
    all
}

#[test]
fn names_are_bytes() {
    let mut tree = Tree::new();
    for name in odd_names() {
        tree = tree
            .file([b"t/files/", &name[..]].concat(), &name)
            .folder([b"t/folders/", &name[..]].concat())
            .file([b"t/folders/", &name[..], b"/inner"].concat(), "x")
            .link([b"t/links/", &name[..]].concat(), &name);
    }
    for fs in Fs::ALL {
        let Some(place) = fs.place() else { continue };
        let source = tree.make(&place.join("source")).join("t");
        copy([&source], place.join("into")).run().done();
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
    }
}

#[test]
fn sources_may_have_odd_names() {
    let place = scratch();
    let mut tree = Tree::new();
    for name in odd_names() {
        tree = tree.file(&name, &name);
    }
    let source = tree.make(&place.join("source"));
    let sources: Vec<PathBuf> = odd_names().iter().map(|name| below(&source, name)).collect();
    copy(&sources, place.join("into \n\u{fe}")).run().done();
    let what = What { folder_times: false, ..What::ALL };
    assert_same_tree(&source, &place.join("into \n\u{fe}"), &what);
}

#[test]
fn the_longest_names_are_replaced_and_moved() {
    for fs in Fs::ALL {
        for kind in [JobKind::Copy, JobKind::Move] {
            for reflink in [Reflink::Auto, Reflink::Never] {
                let Some(place) = fs.place() else { continue };
                let longest = ["n".repeat(255), "ü".repeat(127), ".".repeat(255)];
                let (mut new, mut old) = (Tree::new(), Tree::new());
                for name in &longest {
                    new = new.file_of(format!("t/{name}"), 2 << 20);
                    old = old.file(format!("t/{name}"), "old");
                }
                new.make(&place.join("expected"));
                let source = new.make(&place.join("source")).join("t");
                let into = old.make(&place.join("into"));
                let job = Job::new(kind, [&source], &into).rule(ConflictRule::Replace);
                job.reflink(reflink).run().done();
                let what = What { folder_times: false, ..What::ALL };
                assert_same_tree(&place.join("expected/t"), &into.join("t"), &what);
            }
        }
    }
}

#[test]
fn both_are_kept_under_the_next_free_name() {
    let cases: [(&str, &[&str], &str); 10] = [
        ("x.txt", &[], "x (2).txt"),
        ("x.txt", &["x (2).txt", "x (3).txt"], "x (4).txt"),
        ("x.tar.gz", &[], "x (2).tar.gz"),
        (".hidden", &[], ".hidden (2)"),
        (".hidden.txt", &[], ".hidden (2).txt"),
        ("plain", &["plain (2)"], "plain (3)"),
        ("x (2).txt", &[], "x (2) (2).txt"),
        ("x.", &[], "x. (2)"),
        ("a.b.c", &[], "a.b (2).c"),
        ("-n", &[], "-n (2)"),
    ];
    for (name, taken, expected) in cases {
        let place = scratch();
        let source = Tree::new().file(name, "new").make(&place.join("source")).join(name);
        let mut old = Tree::new().file(name, "old");
        for taken in taken {
            old = old.file(taken, "taken");
        }
        let into = old.make(&place.join("into"));
        let run = copy([&source], &into).rule(ConflictRule::KeepBoth).run().done();
        assert_eq!(run.summary.renamed, 1);
        assert_eq!(read(into.join(name)), b"old", "{name}");
        assert_eq!(read(into.join(expected)), b"new", "{name}");
        assert_eq!(names(&into).len(), taken.len() + 2, "{:?}", names(&into));
    }
}

#[test]
fn both_are_kept_when_the_name_is_the_longest() {
    for name in ["n".repeat(255), "ü".repeat(127), format!("{}.tar.gz", "n".repeat(248))] {
        let place = scratch();
        let source = Tree::new().file(&name, "new").make(&place.join("source")).join(&name);
        let into = Tree::new().file(&name, "old").make(&place.join("into"));
        for count in 2..5 {
            copy([&source], &into).rule(ConflictRule::KeepBoth).run().done();
            assert_eq!(names(&into).len(), count);
        }
        assert_eq!(read(into.join(&name)), b"old");
    }
}

#[test]
fn both_are_kept_of_many_files_at_once() {
    let place = scratch();
    let source = Tree::new().files("t/f", 300, 10).make(&place.join("source")).join("t");
    let into = place.join("into");
    for _ in 0..3 {
        copy([&source], &into).rule(ConflictRule::KeepBoth).workers(4).run().done();
    }
    assert_eq!(names(&into.join("t")).len(), 900);
    for number in [0, 150, 299] {
        for name in [format!("f{number}"), format!("f{number} (2)"), format!("f{number} (3)")] {
            let original = source.join(format!("f{number}"));
            assert_eq!(read(into.join("t").join(name)), read(original));
        }
    }
}

#[test]
fn paths_beyond_path_max_are_copied_and_moved() {
    let (Some(place), Some(target)) = (Fs::Ext4.place(), Fs::Tmpfs.place()) else { return };
    let name = vec![b'd'; 250];
    for folder in ["source", "moved"] {
        make_deep(&place.join(folder), &name, 60, write);
    }
    copy([place.join("source")], &*target).run().done();
    assert_same_tree(&place.join("source"), &target.join("source"), &What::ALL);
    moving([place.join("moved")], &*target).run().done();
    assert!(!place.join("moved").exists());
    let what = What { folder_times: false, times: false, ..What::ALL };
    assert_eq!(differences(&place.join("source"), &target.join("moved"), &what), [""; 0]);
}

fn write(level: usize, folder: &OwnedFd) {
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(folder, "file", flags, Mode::from(0o644)).unwrap();
    rustix::io::write(&file, format!("level {level}").as_bytes()).unwrap();
}

/// Copies a chain of folders, then moves it elsewhere, then copies over it.
fn five_thousand_levels(source: &Path, target: &Path) {
    const LEVELS: usize = 5000;
    make_deep(&source.join("deep"), b"d", LEVELS, write);
    let run = copy([source.join("deep")], target).run().done();
    assert_eq!(run.summary.entries.done, 2 * LEVELS as u64 + 2);
    assert_same_tree(&source.join("deep"), &target.join("deep"), &What::ALL);
    let again = copy([source.join("deep")], target).rule(ConflictRule::Skip).run().done();
    assert_eq!(again.summary.entries.skipped, LEVELS as u64 + 1, "{:?}", again.summary);
    moving([target.join("deep")], source.join("back")).run().done();
    assert!(!target.join("deep").exists());
    assert_same_tree(&source.join("deep"), &source.join("back/deep"), &What::ALL);
}

#[test]
fn five_thousand_levels_are_copied_and_moved() {
    let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
    five_thousand_levels(&place, &target);
}

#[test]
fn five_thousand_levels_are_copied_with_few_descriptors() {
    Child::of(test_name!()).descriptors(200).run(|| {
        let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
        five_thousand_levels(&place, &target);
    });
}

#[test]
fn a_wide_tree_is_copied_with_few_descriptors() {
    Child::of(test_name!()).descriptors(200).run(|| {
        let place = scratch();
        let mut tree = Tree::new();
        for folder in 0..600 {
            tree = tree.file(format!("t/{folder}/inner/file"), "x");
        }
        let source = tree.make(&place.join("source")).join("t");
        copy([&source], place.join("into")).workers(4).run().done();
        assert_same_tree(&source, &place.join("into/t"), &What::ALL);
    });
}

#[test]
fn sources_in_thousands_of_folders_are_copied_with_few_descriptors() {
    Child::of(test_name!()).descriptors(200).run(|| {
        let place = scratch();
        let mut sources = Vec::new();
        for number in 0..3000 {
            let folder = place.folder(&number.to_string());
            std::fs::write(folder.join(format!("f{number}")), number.to_string()).unwrap();
            sources.push(folder.join(format!("f{number}")));
        }
        let run = copy(&sources, place.join("into")).workers(4).run().done();
        assert_eq!(run.summary.entries.done, 3000);
        for number in (0..3000).step_by(100) {
            let copied = std::fs::read(place.join("into").join(format!("f{number}"))).unwrap();
            assert_eq!(copied, number.to_string().as_bytes());
        }
    });
}

#[test]
fn a_trailing_slash_of_a_source_means_nothing() {
    let place = scratch();
    let source = Tree::new().file("folder/file", "x").make(&place.join("source"));
    let into = place.join("into/");
    copy([source.join("folder/")], &into).run().done();
    assert_same_tree(&source.join("folder"), &into.join("folder"), &What::ALL);
}

#[test]
fn a_source_without_a_name_is_refused() {
    let place = scratch();
    for source in [PathBuf::from("/"), PathBuf::from("/.."), PathBuf::new()] {
        let into = place.join("into");
        let run = copy([&source], &into).run().not_done();
        let clear = |kind: &ErrorKind| {
            matches!(kind, ErrorKind::NoName | ErrorKind::IntoItself | ErrorKind::Os(_))
        };
        assert!(run.failure_kinds().iter().all(clear), "{source:?} {:?}", run.summary);
        assert_eq!(std::fs::read_dir(&into).map_or(0, Iterator::count), 0, "{source:?}");
    }
}

#[test]
fn a_source_ending_in_dots_is_the_folder_that_they_name() {
    let place = scratch();
    let source = Tree::new().file("outer/inner/file", "x").make(&place).join("outer");
    for (dots, name) in [("inner/..", "outer"), ("inner/.", "inner")] {
        let into = place.join(format!("into from {}", dots.len()));
        let run = copy([source.join(dots)], &into).run();
        // Refusing is clear as well.
        if run.summary.all_done() {
            assert_eq!(names(&into), [name]);
        } else {
            assert_eq!(run.failure_kinds(), [ErrorKind::NoName]);
            assert_eq!(std::fs::read_dir(&into).map_or(0, Iterator::count), 0);
        }
    }
}

#[test]
fn a_name_that_differs_in_one_byte_is_another_name() {
    let place = scratch();
    let source = Tree::new().file(b"f\xff", "new").make(&place.join("source"));
    let into = Tree::new().file(b"f\xfe", "old").make(&place.join("into"));
    copy([source.join(OsStr::from_bytes(b"f\xff"))], &into).run().done();
    assert_eq!(std::fs::read_dir(&into).unwrap().count(), 2);
}
