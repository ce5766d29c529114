//! What cannot be done is said at once and clearly, and nothing is written that was not asked for.

use std::path::PathBuf;

use ferry::engine::{ErrorKind, JobKind, Outcome};

use crate::common::{Job, Tree, What, assert_same_tree, copy, names, read, scratch};

#[test]
fn a_job_without_sources_is_refused() {
    let place = scratch();
    let run = copy([] as [PathBuf; 0], place.join("into")).run().not_done();
    assert_eq!(run.summary.outcome, Outcome::Refused);
    assert_eq!(run.failure_kinds(), [ErrorKind::NoSources]);
    assert_eq!(names(&place), [""; 0]);
}

#[test]
fn a_destination_that_is_a_file_is_refused() {
    for kind in [JobKind::Copy, JobKind::Move] {
        let place = scratch();
        let tree = Tree::new().file("source", "1").file("into", "2").link("dangling", "no");
        tree.fifo("fifo").make(&place);
        let before = names(&place);
        for into in ["into", "into/below", "fifo", "fifo/x"] {
            let run = Job::new(kind, [place.join("source")], place.join(into)).run().not_done();
            assert_eq!(run.summary.outcome, Outcome::Refused, "{into}");
            let clear =
                [ErrorKind::NotAFolder, ErrorKind::Os(rustix::io::Errno::NOTDIR.raw_os_error())];
            let kinds = run.failure_kinds();
            assert!(kinds.len() == 1 && clear.contains(&kinds[0]), "{into}: {kinds:?}");
        }
        assert_eq!(names(&place), before);
        assert_eq!(read(place.join("source")), b"1");
        assert_eq!(read(place.join("into")), b"2");
    }
}

#[test]
fn a_destination_that_is_a_dangling_link_is_said_and_nothing_is_written_through_it() {
    let place = scratch();
    Tree::new().file("source", "1").link("into", "nowhere").make(&place);
    copy([place.join("source")], place.join("into")).run().not_done();
    assert_eq!(names(&place), ["into", "source"]);
}

#[test]
fn a_missing_destination_is_made_with_all_above_it() {
    let place = scratch();
    let source = Tree::new().file("f", "1").make(&place.join("source"));
    copy([source.join("f")], place.join("a/b/c")).run().done();
    assert_eq!(read(place.join("a/b/c/f")), b"1");
}

#[test]
fn a_relative_path_is_one_below_the_working_folder() {
    let run = copy([PathBuf::from("Cargo.toml")], scratch().join("into")).run().done();
    assert_eq!(run.summary.entries.done, 1);
}

#[test]
fn a_source_below_a_file_is_a_clear_failure() {
    let place = scratch();
    let source = Tree::new().file("f", "1").make(&place.join("source"));
    let run = copy([source.join("f/below")], place.join("into")).run().not_done();
    let not_there = ErrorKind::Os(rustix::io::Errno::NOTDIR.raw_os_error());
    let kinds = run.failure_kinds();
    assert!(kinds == [not_there] || kinds == [ErrorKind::NotAFolder], "{kinds:?}");
    assert_same_tree(&source, &source, &What::ALL);
}

#[test]
fn all_sources_missing_is_a_failure_each() {
    let place = scratch();
    let sources = ["one", "two", "three"].map(|name| place.join(name));
    let run = copy(&sources, place.join("into")).run().not_done();
    let kinds = run.failure_kinds();
    assert_eq!(kinds, [ErrorKind::Os(rustix::io::Errno::NOENT.raw_os_error()); 3]);
}
