//! The standing rules for taken names, on what is really there.

use std::path::PathBuf;

use ferry::engine::{ConflictRule, JobKind, Reflink};

use crate::common::{Fs, Job, Place, Tree, names, read, scratch};

/// What is left of a conflict.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Left {
    Old,
    New,
    Both,
    Aside,
    Dated,
}

struct Case {
    name: &'static str,
    old: (&'static str, i64, u32),
    new: (&'static str, i64, u32),
    expected: [(ConflictRule, Left); 9],
}

use ConflictRule::{
    Different, KeepBoth, KeepExisting, Newer, Rename, Replace, SizeOrTime, Skip, SkipUnanswered,
};

const CASES: [Case; 6] = [
    Case {
        name: "the source is newer by a nanosecond",
        old: ("old", 1000, 1),
        new: ("new", 1000, 2),
        expected: [
            (Skip, Left::Old),
            (SkipUnanswered, Left::Old),
            (Replace, Left::New),
            (Newer, Left::New),
            (Different, Left::New),
            (SizeOrTime, Left::New),
            (KeepBoth, Left::Both),
            (KeepExisting, Left::Aside),
            (Rename, Left::Dated),
        ],
    },
    Case {
        name: "the source is older",
        old: ("old", 2000, 0),
        new: ("new", 1000, 999_999_999),
        expected: [
            (Skip, Left::Old),
            (SkipUnanswered, Left::Old),
            (Replace, Left::New),
            (Newer, Left::Old),
            (Different, Left::New),
            (SizeOrTime, Left::New),
            (KeepBoth, Left::Both),
            (KeepExisting, Left::Aside),
            (Rename, Left::Dated),
        ],
    },
    Case {
        name: "the same time, other bytes",
        old: ("old", 1000, 7),
        new: ("new", 1000, 7),
        expected: [
            (Skip, Left::Old),
            (SkipUnanswered, Left::Old),
            (Replace, Left::New),
            (Newer, Left::Old),
            (Different, Left::New),
            (SizeOrTime, Left::Old),
            (KeepBoth, Left::Both),
            (KeepExisting, Left::Aside),
            (Rename, Left::Dated),
        ],
    },
    Case {
        name: "another size",
        old: ("old", 1000, 7),
        new: ("longer", 900, 0),
        expected: [
            (Skip, Left::Old),
            (SkipUnanswered, Left::Old),
            (Replace, Left::New),
            (Newer, Left::Old),
            (Different, Left::New),
            (SizeOrTime, Left::New),
            (KeepBoth, Left::Both),
            (KeepExisting, Left::Aside),
            (Rename, Left::Dated),
        ],
    },
    Case {
        name: "before 1970",
        old: ("old", -1000, 0),
        new: ("new", -999, 0),
        expected: [
            (Skip, Left::Old),
            (SkipUnanswered, Left::Old),
            (Replace, Left::New),
            (Newer, Left::New),
            (Different, Left::New),
            (SizeOrTime, Left::New),
            (KeepBoth, Left::Both),
            (KeepExisting, Left::Aside),
            (Rename, Left::Dated),
        ],
    },
    Case {
        name: "an empty source",
        old: ("old", 1000, 0),
        new: ("", 2000, 0),
        expected: [
            (Skip, Left::Old),
            (SkipUnanswered, Left::Old),
            (Replace, Left::New),
            (Newer, Left::New),
            (Different, Left::New),
            (SizeOrTime, Left::New),
            (KeepBoth, Left::Both),
            (KeepExisting, Left::Aside),
            (Rename, Left::Dated),
        ],
    },
];

#[test]
fn each_rule_does_what_it_says() {
    for kind in [JobKind::Copy, JobKind::Move] {
        for case in CASES {
            for (rule, left) in case.expected {
                let place = scratch();
                check(kind, &case, rule, left, &place);
            }
        }
    }
}

fn check(kind: JobKind, case: &Case, rule: ConflictRule, left: Left, place: &Place) {
    let context = format!("{kind:?} {rule:?}, {}", case.name);
    let tree = Tree::new().file("t/f", case.new.0).time(case.new.1, case.new.2);
    let source = tree.make(&place.join("source")).join("t");
    let old = Tree::new().file("t/f", case.old.0).time(case.old.1, case.old.2);
    let into = old.make(&place.join("into"));
    let run = Job::new(kind, [&source], &into).rule(rule).run();
    let file: PathBuf = into.join("t/f");
    let (old, new) = (case.old.0.as_bytes(), case.new.0.as_bytes());
    let taken = matches!(left, Left::New | Left::Aside);
    assert_eq!(read(&file), if taken { new } else { old }, "{context}");
    let folder = into.join("t");
    match left {
        Left::Both => assert_eq!(read(folder.join("f (2)")), new, "{context}"),
        Left::Aside => assert_eq!(read(folder.join("f (2)")), old, "{context}"),
        Left::Dated => assert_eq!(read(folder.join(dated(case.new.1))), new, "{context}"),
        Left::Old | Left::New => assert_eq!(names(&folder), ["f"], "{context}"),
    }
    let renamed = matches!(left, Left::Both | Left::Dated);
    assert_eq!(run.summary.renamed, u64::from(renamed), "{context}");
    assert_eq!(run.summary.set_aside, u64::from(left == Left::Aside), "{context}");
    let stays = kind == JobKind::Copy || left == Left::Old;
    assert_eq!(source.join("f").exists(), stays, "{context}");
    let entries = run.summary.entries;
    assert_eq!(run.summary.all_done(), rule != SkipUnanswered, "{context}: {:?}", run.summary);
    assert_eq!(entries.unanswered, u64::from(rule == SkipUnanswered), "{context}");
    let skipped = left == Left::Old && rule != SkipUnanswered;
    assert_eq!(entries.skipped, u64::from(skipped), "{context}: {entries:?}");
    if stays {
        assert_eq!(read(source.join("f")), new, "{context}");
    }
}

/// The name that the pattern makes of `f`, by the local day.
fn dated(seconds: i64) -> String {
    let zone = jiff::tz::TimeZone::system();
    let day = jiff::Timestamp::from_second(seconds).unwrap().to_zoned(zone);
    day.strftime("f (%Y-%m-%d)").to_string()
}

#[test]
fn equal_files_of_any_size_do_not_differ() {
    for size in [0, 1, 4096, 100_001, 5 << 20] {
        for (from, to) in [(Fs::Ext4, Fs::Tmpfs), (Fs::Btrfs, Fs::Btrfs)] {
            let (Some(place), Some(target)) = (from.place(), to.place()) else { continue };
            let source = Tree::new().file_of("f", size).time(5, 5).make(&place).join("f");
            let into = Tree::new().file_of("f", size).time(9, 9).make(&target.join("into"));
            let run = Job::new(JobKind::Copy, [&source], &into).rule(Different).run().done();
            assert_eq!(run.summary.entries.skipped, 1, "{size} {from:?} {to:?}");
            let kept = std::fs::metadata(into.join("f")).unwrap().modified().unwrap();
            assert_eq!(kept.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(), 9);
        }
    }
}

#[test]
fn files_that_differ_in_their_last_byte_differ() {
    let place = scratch();
    let mut bytes = crate::common::pattern(3_000_001, 5);
    let into = Tree::new().file("f", &bytes).make(&place.join("into"));
    *bytes.last_mut().unwrap() ^= 1;
    let source = Tree::new().file("f", &bytes).make(&place.join("source")).join("f");
    Job::new(JobKind::Copy, [&source], &into).rule(Different).run().done();
    assert_eq!(read(into.join("f")), bytes);
}

#[test]
fn a_file_and_its_sparse_twin_do_not_differ() {
    let place = scratch();
    let source = Tree::new().sparse("f", 3_000_001, &[(1_500_000, b"island")]);
    let source = source.make(&place.join("source")).join("f");
    let into = Tree::new().file("f", read(&source)).make(&place.join("into"));
    let run = Job::new(JobKind::Copy, [&source], &into).rule(Different).run().done();
    assert_eq!(run.summary.entries.skipped, 1);
}

#[test]
fn a_second_run_with_newer_copies_only_what_was_changed() {
    for reflink in [Reflink::Auto, Reflink::Never] {
        let (place, Some(target)) = (scratch(), Fs::Tmpfs.place()) else { return };
        let source = Tree::new().files("t/f", 50, 100).make(&place).join("t");
        let job = || Job::new(JobKind::Copy, [&source], &*target).rule(Newer).reflink(reflink);
        job().run().done();
        std::fs::write(source.join("f7"), "changed since").unwrap();
        let run = job().run().done();
        assert_eq!(run.summary.entries.skipped, 49, "times are kept, so nothing else is newer");
        assert_eq!(read(target.join("t/f7")), b"changed since");
    }
}
