//! What a journal says of a job's end on another day.

use std::fs;
use std::process::Command;

use ferry::engine::{ConflictRule, ErrorKind, JournalId, NoticeKind, Summary};
use ferry::report::{Format, write};

use crate::common::tree::takes_xattrs;
use crate::common::{Fs, Place, Tree, copy, ramfs, read, scratch, skip};
use crate::journal::{finish, run, store};

const FIRST: JournalId = JournalId(1);

fn count(summary: &Summary, kind: NoticeKind) -> u64 {
    summary.notices.iter().find(|notice| notice.kind == kind).map_or(0, |notice| notice.count)
}

fn as_json(place: &Place) -> String {
    let past = store(place).report(FIRST).unwrap().expect("it has ended");
    let mut bytes = Vec::new();
    write(&mut bytes, Format::Json, &past.spec, &past.summary, &past.report).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A job that lost its last record goes on. What it had done is trusted, and what of that was not
/// kept is said again, each thing once.
#[test]
fn what_was_not_kept_is_said_again_when_a_job_goes_on() {
    let Some(target) = ramfs() else { return };
    let place = scratch();
    if !takes_xattrs(&place) {
        skip("no attributes where temporary files are");
        return;
    }
    let tree = Tree::new().file("t/plain", "x").file("t/one", "1").xattr("user.note", "1");
    let tree = tree.file("t/two", "2").xattr("user.note", "2").file("t/list", "3").acl(1, 6);
    let source = tree.make(&place.join("source")).join("t");
    let sources = [source.clone(), place.join("missing"), place.join("no/such")];
    let first = run(copy(&sources, &*target).spec, store(&place));
    assert_eq!((count(&first, NoticeKind::Xattr), count(&first, NoticeKind::Acl)), (2, 1));
    let then = as_json(&place);
    let journal = place.join("state/jobs/1.journal");
    for _again in 0..3 {
        let whole = read(&journal);
        fs::write(&journal, &whole[..whole.len() - 1]).unwrap();
        assert!(store(&place).report(FIRST).unwrap().is_none(), "it has no end");
        let resumed = finish(
            |engine| {
                let _job = engine.resume(FIRST, false).unwrap();
            },
            store(&place),
        );
        assert_eq!(resumed.notices, first.notices);
        assert_eq!(resumed.entries.failed, 2);
        let kinds: Vec<ErrorKind> = resumed.failures.iter().map(|it| it.error.kind).collect();
        assert_eq!(kinds, [ErrorKind::Os(libc::ENOENT); 2]);
        let entries = |json: &str| json.split_once("\"entries\":[\n").unwrap().1.to_owned();
        assert_eq!(entries(&as_json(&place)), entries(&then));
    }
}

/// What failed and went well the next time is said of no more.
#[test]
fn what_was_mended_is_no_failure_any_more() {
    let Some(place) = Fs::Ext4.place() else { return };
    let source = Tree::new().file("t/a", "1").file("t/d/b", "2").make(&place.join("source"));
    let sources = [source.join("t"), source.join("late")];
    // Nothing can be made in the one, and what stands in the place of the other is a folder.
    let into = Tree::new().folder("t/d").file("t/a/in", "there").make(&place.join("into"));
    let closed = |how: &str| {
        let set = Command::new("chattr").arg(how).arg(into.join("t/d")).status();
        assert!(set.expect("chattr runs").success());
    };
    closed("+i");
    let _first = run(copy(&sources, &into).rule(ConflictRule::Replace).spec, store(&place));
    closed("-i");
    let told = as_json(&place);
    for part in ["\"type_differs\"", "{\"os\":2}", "{\"os\":1}"] {
        assert!(told.contains(part), "{part} is missing in {told}");
    }
    fs::remove_dir_all(into.join("t/a")).unwrap();
    fs::write(source.join("late"), "3").unwrap();
    let journal = place.join("state/jobs/1.journal");
    let whole = read(&journal);
    fs::write(&journal, &whole[..whole.len() - 1]).unwrap();
    let resumed = finish(
        |engine| {
            let _job = engine.resume(FIRST, false).unwrap();
        },
        store(&place),
    );
    assert!(resumed.all_done(), "{resumed:?}");
    let told = as_json(&place);
    assert!(told.ends_with("\"entries\":[\n]}\n"), "{told}");
}
