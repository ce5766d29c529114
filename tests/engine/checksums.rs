//! The list of checksums: what `b3sum --check` takes, of everything that was copied.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ferry::engine::{ConflictRule, ErrorKind, JobKind, NoticeKind, Outcome, Reflink};
use walkdir::WalkDir;

use crate::common::{Fs, Job, Tree, copy, names, read, scratch, skip};

fn tree() -> Tree {
    Tree::new()
        .file("t/empty", "")
        .file_of("t/small", 5000)
        .file_of("t/large", (3 << 20) + 1)
        .sparse("t/sparse", (5 << 20) + 3, &[(1 << 20, b"island")])
        .file("t/one", "of two names")
        .hard_link("t/two", "t/one")
        .link("t/link", "small")
        .fifo("t/fifo")
        .file("t/line\nbreak", "1")
        .file("t/back\\slash", "2")
        .file("t/both\\\n", "4")
        .file("t/ü and two  blanks ", "5")
        .file("t/inner/ /file", "6")
        .folder("t/empty folder")
}

/// A list, read by the format that b3sum documents: `hash  name`, or with a backslash before
/// it where backslashes, line feeds and carriage returns of the name are escaped.
fn listed(list: &Path) -> BTreeMap<String, String> {
    let text = String::from_utf8(read(list)).unwrap();
    let mut all = BTreeMap::new();
    for line in text.lines() {
        let escaped = line.starts_with('\\');
        let line = line.strip_prefix('\\').unwrap_or(line);
        let (sum, name) = line.split_once("  ").unwrap();
        let mut plain = String::new();
        let mut letters = name.chars();
        while let Some(letter) = letters.next() {
            plain.push(match letter {
                '\\' if escaped => match letters.next().unwrap() {
                    'n' => '\n',
                    'r' => '\r',
                    other => other,
                },
                letter => letter,
            });
        }
        assert!(all.insert(plain, sum.to_owned()).is_none(), "{line} twice");
    }
    all
}

/// The list as it is to be, made of the files that are there.
fn expected(folder: &Path) -> BTreeMap<String, String> {
    let files = WalkDir::new(folder).into_iter().map(Result::unwrap);
    files
        .filter(|file| file.file_type().is_file())
        .map(|file| {
            let name = file.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            (name, blake3::hash(&read(file.path())).to_string())
        })
        .collect()
}

fn b3sum() -> Option<PathBuf> {
    let found = std::env::var_os("FERRY_B3SUM").map_or_else(|| "b3sum".into(), PathBuf::from);
    let there = Command::new(&found).arg("--version").output().is_ok();
    if !there {
        skip("b3sum is not installed");
    }
    there.then_some(found)
}

#[test]
fn every_copied_file_is_listed_with_its_checksum() {
    let pairs = [
        (Fs::Ext4, Fs::Tmpfs),
        (Fs::Btrfs, Fs::Btrfs),
        (Fs::Xfs, Fs::Xfs),
        (Fs::Tmpfs, Fs::Ext4),
        (Fs::Ext4, Fs::Ext4),
    ];
    for (from, to) in pairs {
        let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
        for kind in [JobKind::Copy, JobKind::Move] {
            for verify in [false, true] {
                let tree = tree().file("t/a return\rwithin", "3");
                let source = tree.make(&place.join(format!("{kind:?} {verify}"))).join("t");
                let into = target.join(format!("into {kind:?} {verify}"));
                let list = place.join(format!("list {kind:?} {verify}"));
                let mut job = Job::new(kind, [&source], &into).checksums(&list);
                job.spec.options.verify = verify;
                let run = job.run().done();
                assert_eq!(listed(&list), expected(&into), "{from:?} {to:?} {kind:?}");
                assert!(listed(&list).len() == 12, "{:?}", listed(&list));
                assert_eq!(run.notice(NoticeKind::NotCheckable), None);
            }
        }
    }
}

#[test]
fn b3sum_accepts_the_list() {
    let Some(b3sum) = b3sum() else { return };
    let check = |into: &Path, list: &Path| {
        Command::new(&b3sum).arg("--check").arg(list).current_dir(into).output().unwrap()
    };
    for fs in [Fs::Btrfs, Fs::Ext4] {
        let Some(place) = fs.place() else { continue };
        let source = tree().make(&place.join("source")).join("t");
        let (into, list) = (place.join("into"), place.join("list"));
        // By itself it is standard input for b3sum.
        let dash = Tree::new().file("-", "7").make(&place.join("dash")).join("-");
        copy([&source, &dash], &into).checksums(&list).run().done();
        let told = check(&into, &list);
        let out = String::from_utf8_lossy(&told.stdout);
        assert!(told.status.success(), "{out}{}", String::from_utf8_lossy(&told.stderr));
        assert_eq!(out.matches(": OK").count(), 12, "{out}");
        std::fs::write(into.join("t/small"), "changed").unwrap();
        assert!(!check(&into, &list).status.success());
    }
}

#[test]
fn the_list_is_what_b3sum_would_write() {
    let Some(b3sum) = b3sum() else { return };
    let place = scratch();
    let source = tree().make(&place.join("source")).join("t");
    let (into, list) = (place.join("into"), place.join("list"));
    copy([&source], &into).checksums(&list).run().done();
    let files: Vec<PathBuf> = WalkDir::new(&into)
        .into_iter()
        .map(Result::unwrap)
        .filter(|file| file.file_type().is_file())
        .map(|file| file.path().strip_prefix(&into).unwrap().to_path_buf())
        .collect();
    let told = Command::new(b3sum).arg("--").args(files).current_dir(&into).output().unwrap();
    let lines = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(lines(&read(&list)), lines(&told.stdout));
}

/// Names that a line of text does not lead back to: no UTF-8, what stands for that, and a line's
/// end of two characters.
fn not_checkable() -> [Vec<u8>; 5] {
    let names: [&[u8]; 5] = [b"\xff", b"caf\xe9 \n \\", "\u{fffd}".as_bytes(), b"a\r", b"\r"];
    names.map(<[u8]>::to_vec)
}

#[test]
fn a_name_that_cannot_be_checked_is_left_out_and_said_and_the_rest_is_checked() {
    for kind in [JobKind::Copy, JobKind::Move] {
        let place = scratch();
        let mut tree = Tree::new().file("t/plain", "2").file("t/also\nplain", "3");
        for name in not_checkable() {
            tree = tree.file([b"t/".as_slice(), &name].concat(), "1");
        }
        let below = tree.file(b"t/f\xe4lder/below", "1");
        let source = below.make(&place.join("source")).join("t");
        let (into, list) = (place.join("into"), place.join("list"));
        let run = Job::new(kind, [&source], &into).checksums(&list).run().not_done();
        assert_eq!(run.summary.outcome, Outcome::Done);
        assert_eq!(run.summary.entries.failed, 0);
        assert_eq!(run.notice(NoticeKind::NotCheckable).map(|notice| notice.count), Some(6));
        let listed: Vec<String> = listed(&list).into_keys().collect();
        assert_eq!(listed, ["t/also\nplain", "t/plain"]);
        if kind == JobKind::Copy {
            // A folder that is renamed as a whole has one entry.
            let told = run.told().into_iter().filter(|e| e.notices == [NoticeKind::NotCheckable]);
            assert_eq!(told.count(), 6, "{:?}", run.told());
        }
        let Some(b3sum) = b3sum() else { continue };
        let told = Command::new(b3sum).arg("--check").arg(&list).current_dir(&into).output();
        let told = told.unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    }
}

#[test]
fn only_what_was_copied_is_listed() {
    let place = scratch();
    let source = Tree::new().file("t/new", "1").file("t/there", "2").make(&place.join("source"));
    let into = Tree::new().file("t/there", "old").make(&place.join("into"));
    let list = place.join("list");
    let sources = [source.join("t"), source.join("missing")];
    let job = copy(&sources, &into).rule(ConflictRule::Skip).checksums(&list);
    job.run().not_done();
    assert_eq!(listed(&list).into_keys().collect::<Vec<_>>(), ["t/new"]);
    // Under the name that it has now.
    let job = copy([source.join("t")], &into).rule(ConflictRule::KeepBoth).checksums(&list);
    job.reflink(Reflink::Never).run().done();
    let listed = listed(&list);
    assert_eq!(listed.keys().collect::<Vec<_>>(), ["t/new (2)", "t/there (2)"]);
}

#[test]
fn a_list_that_cannot_be_made_is_said_before_anything_is_copied() {
    let place = scratch();
    let source = Tree::new().file("f", "x").make(&place.join("source")).join("f");
    for list in [place.join("no/such/folder/list"), place.to_path_buf(), PathBuf::from("/")] {
        let run = copy([&source], place.join("into")).checksums(&list).run().not_done();
        assert_eq!(run.summary.outcome, Outcome::Refused);
        assert!(matches!(run.failure_kinds()[..], [ErrorKind::Os(_)]), "{:?}", run.summary);
        assert!(!place.join("into").exists());
    }
    assert_eq!(names(&place), ["source"]);
}
