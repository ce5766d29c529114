//! Journals that lost their last records in a power cut, while what they told of was done.

use std::fs;
use std::path::PathBuf;

use ferry::engine::{ConflictRule, FolderRule, JobSpec, KeepReplaced, Left, LeftWhy};

use crate::common::{Place, Tree, copy, moving, names, read, scratch, small_tmpfs};
use crate::journal::{FIRST, finish, journal, replaced, run, small_tree, store};

/// What a user has before a job: each name below the destination and below the source, and what
/// it holds.
fn held(place: &Place) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![place.join("to"), place.join("source")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => all.push((path.clone(), read(&path))),
            }
        }
    }
    all.sort();
    all
}

/// A power cut takes the end of a journal, and not what was done: whatever it takes, an undo
/// loses nothing of what the user had, or says what it left.
#[test]
fn whatever_a_journal_lost_an_undo_takes_nothing_away_and_says_what_it_leaves() {
    type Make = fn(&Place) -> JobSpec;
    fn both(place: &Place) -> (PathBuf, PathBuf) {
        let source = small_tree(place);
        let old = Tree::new().folder("t").file("t/one", "old one").file("t/own", "own");
        (source, old.make(&place.join("to")))
    }
    let cases: [(&str, Make); 8] = [
        ("replaced", |place| {
            let (source, to) = both(place);
            copy([source], to).rule(ConflictRule::Replace).spec
        }),
        ("replaced and not kept", |place| {
            let (source, to) = both(place);
            let mut spec = copy([source], to).rule(ConflictRule::Replace).spec;
            spec.options.keep_replaced = KeepReplaced::No;
            spec
        }),
        ("set aside", |place| {
            let (source, to) = both(place);
            copy([source], to).rule(ConflictRule::KeepExisting).spec
        }),
        ("both kept", |place| {
            let (source, to) = both(place);
            copy([source], to).rule(ConflictRule::KeepBoth).spec
        }),
        ("folder exchanged", |place| {
            let (source, to) = both(place);
            let mut spec = copy([source], to).spec;
            spec.options.folder_conflict = FolderRule::Replace;
            spec
        }),
        ("folder set aside", |place| {
            let (source, to) = both(place);
            let mut spec = copy([source], to).spec;
            spec.options.folder_conflict = FolderRule::KeepExisting;
            spec
        }),
        ("moved and merged", |place| {
            let (source, to) = both(place);
            moving([source], to).rule(ConflictRule::Replace).spec
        }),
        ("moved", |place| {
            let source = small_tree(place);
            Tree::new().file("own", "own").make(&place.join("to"));
            moving([source], place.join("to")).spec
        }),
    ];
    for (what, make) in cases {
        let mut length = 0;
        let mut whole = usize::MAX;
        while length < whole {
            let place = scratch();
            let spec = make(&place);
            let before = held(&place);
            run(spec, store(&place));
            let bytes = read(journal(&place));
            // Not whole: that would be a job that ended.
            whole = bytes.len();
            fs::write(journal(&place), &bytes[..length.min(whole - 1)]).unwrap();
            length += 23;
            if store(&place).history().unwrap().is_empty() {
                continue;
            }
            let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
            let gone =
                before.iter().filter(|(path, bytes)| fs::read(path).ok().as_ref() != Some(bytes));
            let says = report.left_count > 0 || !report.failures.is_empty();
            if what == "replaced and not kept" {
                // Kept nowhere by the user's wish: only the new one can be there.
                let new = read(place.join("source/t/one"));
                let stands = read(place.join("to/t/one"));
                assert!(stands == b"old one" || stands == new, "cut at {}", length - 23);
                continue;
            }
            // What the job had nothing to do with: only a folder that it exchanged takes it along.
            let is_own = |path: &PathBuf| path.ends_with("own") && !what.starts_with("folder");
            for (own, bytes) in before.iter().filter(|(path, _)| is_own(path)) {
                assert_eq!(fs::read(own).ok().as_ref(), Some(bytes), "{what}: {}", own.display());
            }
            // What was set aside, and no record tells of, stays under its other name.
            let after = held(&place);
            let is_nowhere = |bytes: &Vec<u8>| after.iter().all(|(_, held)| held != bytes);
            let gone: Vec<&PathBuf> =
                gone.filter(|(_, bytes)| is_nowhere(bytes)).map(|(path, _)| path).collect();
            assert!(
                gone.is_empty() || says,
                "{what}, cut at {} of {whole}: {gone:?} gone: {report:?}",
                length - 23
            );
        }
    }
}

/// The same, but the job goes on first: what it then tells of old files is what is undone.
#[test]
fn a_job_whose_records_of_replacing_were_lost_goes_on_and_is_undone() {
    for rule in [ConflictRule::Replace, ConflictRule::KeepExisting] {
        for twice in [false, true] {
            let place = scratch();
            let source = small_tree(&place);
            Tree::new().folder("t").file("t/one", "old one").make(&place.join("to"));
            let before = held(&place);
            run(copy([source], place.join("to")).rule(rule).spec, store(&place));
            let bytes = read(journal(&place));
            // The last record before what tells of the file's own folder's end.
            let name = match rule {
                ConflictRule::Replace => &b"/Trash"[..],
                _ => b"one (2)",
            };
            let told = bytes.windows(name.len()).rposition(|part| part == name).unwrap();
            fs::write(journal(&place), &bytes[..told]).unwrap();
            for _ in 0..=usize::from(twice) {
                let summary = finish(
                    |engine| {
                        let _job = engine.resume(FIRST, false).unwrap();
                    },
                    store(&place),
                );
                assert!(summary.all_done(), "{summary:?}");
                let bytes = read(journal(&place));
                if twice && bytes.ends_with(b"}") {
                    fs::write(journal(&place), &bytes[..bytes.len() - 1]).unwrap();
                }
            }
            assert_eq!(read(place.join("to/t/one")), read(place.join("source/t/one")));
            let report = store(&place).undo(FIRST, &mut |_| true).unwrap();
            // What was made and is in no record stays, and the folder that it lies in.
            let stays = |left: &Left| left.why == LeftWhy::NotEmpty;
            assert!(report.failures.is_empty() && report.left.iter().all(stays), "{report:?}");
            let after = held(&place);
            assert!(before.iter().all(|had| after.contains(had)), "{rule:?}: {after:?}");
        }
    }
}

/// Killed between the exchange and the trash, and what told of it is lost: the temporary name
/// holds the user's file.
#[test]
fn an_old_file_under_a_temporary_name_is_not_swept_away() {
    for resumed in [false, true] {
        let place = scratch();
        let spec = replaced(&place);
        let old = place.join("to/t/one");
        fs::write(place.join("older"), "old one").unwrap();
        fs::remove_file(&old).unwrap();
        // Older than the job, as the user's is.
        let kept = place.join("older");
        run(spec, store(&place));
        let bytes = read(journal(&place));
        let header = String::from_utf8_lossy(&bytes).into_owned();
        let tag = header.split("\"tag\":").nth(1).unwrap();
        let tag: u64 = tag.split(',').next().unwrap().parse().unwrap();
        fs::rename(kept, place.join(format!("to/t/.one.ferry-{tag:016x}-0"))).unwrap();
        // A job that did not end.
        let end = bytes.windows(11).rposition(|bytes| bytes == b"Z{\"outcome\"").unwrap();
        fs::write(journal(&place), &bytes[..end]).unwrap();
        if resumed {
            let summary = finish(
                |engine| {
                    let _job = engine.resume(FIRST, false).unwrap();
                },
                store(&place),
            );
            assert!(summary.all_done(), "{summary:?}");
        }
        let _report = store(&place).undo(FIRST, &mut |_| true).unwrap();
        let found = names(&place.join("to/t"));
        let holds = |name: &String| read(place.join("to/t").join(name)) == b"old one";
        assert!(found.iter().any(holds), "resumed: {resumed}: {found:?}");
        assert!(!found.iter().any(|name| name.contains("ferry-")), "{found:?}");
    }
}

/// Killed while a file is copied by a move to another file system: its source stands, and what
/// was begun goes, however much of it there is.
#[test]
fn what_a_killed_move_had_begun_goes_and_its_source_stays() {
    let Some(small) = small_tmpfs(4 << 20, 0) else { return };
    for begun in [0, 1, 5_000, 9_999] {
        let place = scratch();
        let source = Tree::new().file_of("f", 10_000).make(&place.join("source")).join("f");
        let contents = read(&source);
        // It is there before, so that it stays.
        fs::create_dir_all(small.join("to")).unwrap();
        run(moving([&source], small.join("to")).spec, store(&place));
        let bytes = read(journal(&place));
        let mut removed = 0;
        for length in (0..bytes.len()).step_by(7) {
            fs::write(&source, &contents).unwrap();
            let _there_or_not = fs::remove_file(small.join("to/f"));
            fs::write(small.join("to/f"), &contents[..begun]).unwrap();
            fs::write(journal(&place), &bytes[..length]).unwrap();
            let Ok(report) = store(&place).undo(FIRST, &mut |_| true) else { continue };
            let context = format!("{begun}, cut at {length}: {report:?}");
            assert!(report.left.iter().all(|left| left.why != LeftWhy::PlaceTaken), "{context}");
            assert_eq!(read(&source), contents, "{context}");
            removed += report.removed;
        }
        assert!(removed > 0, "{begun}");
    }
}
