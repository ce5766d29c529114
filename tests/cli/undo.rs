//! `ferry undo`, `redo`, `history` and `resume` as a user meets them.

use std::fs;
use std::os::unix::fs::MetadataExt;

use crate::common::command;
use crate::place::Place;

/// A place with a small tree in `source`.
fn place() -> Place {
    let place = Place::new();
    let _files = place
        .file("source/a/one", "one")
        .file("source/a/deep/two", "two")
        .file("source/three", "three");
    place
}

fn trash(place: &Place) -> String {
    let trash = place.home().join("data/Trash");
    if !trash.exists() {
        return String::new();
    }
    command("find", &[&trash, &"!", &"-type", &"d"])
}

#[test]
fn a_copy_is_taken_away_and_twice_does_no_harm() {
    let place = place();
    let _run = place.ferry("copy --quiet source/a source/three new/deep/to").ends(0);
    let run = place.ferry("undo");
    assert!(run.ends(0).out.contains("3 copies removed"), "{}", run.out);
    assert_eq!(place.names(""), ["source"]);
    assert_eq!(place.read("source/a/deep/two"), "two");
    let _again = place.ferry("undo").ends(1).says("no job to undo");
    let _again = place.ferry("undo 1").ends(1).says("undone already");
    assert_eq!(place.names(""), ["source"]);
}

#[test]
fn a_preview_tells_the_same_and_changes_nothing() {
    let place = place();
    let _old = place.file("to/a/one", "old").file("to/a/own", "the user's");
    let _run = place.ferry("copy --quiet --conflict=replace source/a source/three to").ends(0);
    let preview = place.ferry("undo --dry-run --json").ends(0).out.clone();
    assert_eq!(place.read("to/a/one"), "one");
    let report = place.ferry("undo --json").ends(0).out.clone();
    assert_eq!(preview, report);
    assert!(report.contains(r#""removed":2,"brought_back":1"#), "{report}");
    assert!(report.contains(r#""folders_removed":1"#), "{report}");
}

#[test]
fn replaced_files_come_back_and_leave_the_trash() {
    let place = place();
    let _old = place.file("to/three", "old and longer");
    let before = fs::metadata(place.at("to/three")).unwrap();
    let _run = place.ferry("copy --quiet --conflict=replace source/three to").ends(0);
    assert_eq!(place.read("to/three"), "three");
    let info = fs::read_to_string(place.home().join("data/Trash/info/three.trashinfo")).unwrap();
    let path = place.at("to/three");
    assert!(info.contains(&format!("\nPath={}\n", path.display())), "{info}");
    let _run = place.ferry("undo --quiet").ends(0);
    let after = fs::metadata(path).unwrap();
    assert_eq!(place.read("to/three"), "old and longer");
    assert_eq!((after.ino(), after.mtime_nsec()), (before.ino(), before.mtime_nsec()));
    assert_eq!(trash(&place), "");
}

#[test]
fn what_was_changed_since_is_left_and_named() {
    let place = place();
    let _old = place.file("to/three", "old");
    let _run = place.ferry("copy --quiet --conflict=replace source/a source/three to").ends(0);
    let _changed = place.file("to/a/one", "mine now").file("to/three", "mine too");
    let _more = place.file("to/a/deep/more", "the user's");
    let run = place.ferry("undo");
    for name in ["to/a/one", "to/three", "to/a/deep"] {
        let path = place.at(name);
        assert!(run.ends(1).out.contains(&path.display().to_string()), "{name}: {}", run.out);
    }
    assert_eq!(place.read("to/a/one"), "mine now");
    assert_eq!(place.read("to/three"), "mine too");
    assert_eq!(place.names("to/a/deep"), ["more"]);
    assert!(trash(&place).contains("files/three"), "what was replaced is still kept");
}

/// A change that leaves size and time as they were shows in the time of the last change of
/// any kind.
#[test]
fn a_change_with_the_old_time_is_seen() {
    let place = place();
    let _run = place.ferry("copy --quiet source/three to").ends(0);
    let copy = place.at("to/three");
    let time = fs::metadata(&copy).unwrap().modified().unwrap();
    // Times have parts of a second, the end of the job none.
    crate::common::eventually("a later second", || {
        fs::write(&copy, "THREE").unwrap();
        let ended = fs::metadata(place.home().join("state/ferry/jobs/1.journal")).unwrap();
        fs::metadata(&copy).unwrap().ctime() > ended.mtime() + 1
    });
    fs::File::open(&copy).unwrap().set_modified(time).unwrap();
    let _run = place.ferry("undo").ends(1);
    assert_eq!(place.read("to/three"), "THREE");
}

/// Makes a change at least a second after the job's end, again until it is one.
fn later(place: &Place, path: &str, change: impl Fn()) {
    crate::common::eventually("a later second", || {
        change();
        let ended = fs::metadata(place.home().join("state/ferry/jobs/1.journal")).unwrap();
        fs::metadata(place.at(path)).unwrap().ctime() > ended.mtime() + 1
    });
}

#[test]
fn a_copy_that_was_linked_goes_and_its_other_name_stays() {
    let place = place();
    let _run = place.ferry("copy --quiet source/a source/three to").ends(0);
    later(&place, "to/three", || {
        let _first_time = fs::remove_file(place.at("kept"));
        fs::hard_link(place.at("to/three"), place.at("kept")).unwrap();
    });
    let _run = place.ferry("undo").ends(0);
    assert_eq!(place.names(""), ["kept", "source"]);
    assert_eq!(place.read("kept"), "three");
}

#[test]
fn a_copy_with_other_permissions_or_another_name_is_left() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    let _run = place.ferry("copy --quiet source/a source/three to").ends(0);
    fs::rename(place.at("to/a/one"), place.at("to/a/renamed")).unwrap();
    fs::rename(place.at("to/a/deep"), place.at("to/a/deeper")).unwrap();
    later(&place, "to/three", || {
        fs::set_permissions(place.at("to/three"), fs::Permissions::from_mode(0o600)).unwrap();
    });
    let run = place.ferry("undo");
    let path = place.at("to/three");
    assert!(run.ends(1).out.contains(&path.display().to_string()), "{}", run.out);
    assert_eq!(place.read("to/three"), "three");
    assert_eq!(place.names("to/a"), ["deeper", "renamed"]);
    assert_eq!(place.read("to/a/deeper/two"), "two");
}

#[test]
fn a_move_goes_back_with_its_folders() {
    for parent in ["/tmp", "/dev/shm"] {
        if !std::path::Path::new(parent).is_dir() {
            continue;
        }
        let place = place();
        let elsewhere = Place::within(parent);
        let to = elsewhere.at("to");
        fs::create_dir_all(place.at("source/a/empty")).unwrap();
        let before = command("find", &[&place.at("source"), &"-printf", &"%P %m %s %T@\\n"]);
        let arguments = ["move", "--quiet", "source/a", "source/three"];
        let output = place.command().args(arguments).arg(&to).output().unwrap();
        assert!(output.status.success());
        assert_eq!(place.names("source"), Vec::<String>::new());
        let _run = place.ferry("undo --quiet").ends(0);
        let after = command("find", &[&place.at("source"), &"-printf", &"%P %m %s %T@\\n"]);
        let sorted = |text: &str| {
            // The source's own folder had things taken from it and put back.
            let mut lines: Vec<String> =
                text.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&before), sorted(&after), "{parent}");
        assert!(!to.exists());
    }
}

#[test]
fn a_moved_file_whose_old_place_is_taken_stays() {
    let place = place();
    let _run = place.ferry("move --quiet source/three to").ends(0);
    let _new = place.file("source/three", "another");
    let run = place.ferry("undo");
    assert!(run.ends(1).out.contains("old place"), "{}", run.out);
    assert_eq!(place.read("source/three"), "another");
    assert_eq!(place.read("to/three"), "three");
}

#[test]
fn a_replaced_file_that_is_kept_no_longer_leaves_the_only_one_there_is() {
    for keep in ["no", "job"] {
        let place = place();
        let _old = place.file("to/three", "old");
        let copy =
            format!("copy --quiet --conflict=replace --keep-replaced={keep} source/three to");
        let _run = place.ferry(&copy).ends(0);
        assert_eq!(trash(&place), "");
        let _run = place.ferry("undo").ends(1);
        assert_eq!(place.read("to/three"), "three");
    }
}

#[test]
fn a_cancelled_job_is_undone_and_one_under_another_name() {
    let place = place();
    let _old = place.file("to/three", "old").file("to/a", "a file");
    let _run = place.ferry("copy --quiet --conflict=keep-both source/three source/a to").ends(0);
    assert_eq!(place.read("to/three (2)"), "three");
    let _run = place.ferry("undo --quiet").ends(0);
    assert_eq!(place.names("to"), ["a", "three"]);
    assert_eq!(place.read("to/a"), "a file");
}

#[test]
fn redo_does_it_again() {
    let place = place();
    let _old = place.file("to/three", "old");
    let _run = place.ferry("copy --quiet --conflict=replace source/three source/a to").ends(0);
    let _none = place.ferry("redo").ends(1).says("nothing to do again");
    let _run = place.ferry("undo --quiet").ends(0);
    let _run = place.ferry("redo --quiet").ends(0);
    assert_eq!(place.read("to/three"), "three");
    assert_eq!(place.read("to/a/deep/two"), "two");
    let _run = place.ferry("undo --quiet").ends(0);
    assert_eq!(place.read("to/three"), "old");
    assert!(!place.has("to/a"));
}

#[test]
fn the_history_lists_the_newest_first() {
    let place = place();
    assert!(place.ferry("history").ends(0).out.contains("no jobs"));
    assert_eq!(place.ferry("history --json").ends(0).out, "");
    let _run = place.ferry("copy --quiet source/three to").ends(0);
    let _run = place.ferry("move --quiet source/a missing to").ends(1);
    let lines: Vec<serde_json::Value> = place
        .ferry("history --json")
        .ends(0)
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&lines[0]["id"], &lines[0]["kind"]), (&2.into(), &"move".into()));
    assert_eq!(lines[0]["entries"]["failed"], 1);
    assert_eq!((&lines[1]["id"], &lines[1]["state"]), (&1.into(), &"finished".into()));
    assert_eq!(lines[1]["sources"][0], place.at("source/three").to_str().unwrap());
    let text = place.ferry("history").ends(0).out.clone();
    assert!(text.starts_with('2') && text.contains("finished  move"), "{text}");
    let _run = place.ferry("undo --quiet 1").ends(0);
    assert!(place.ferry("history").ends(0).out.contains("undone  copy"));
}

#[test]
fn nothing_is_left_to_resume_and_unknown_jobs_are_told() {
    let place = place();
    let _words = place.ferry("resume").ends(1).says("No job is unfinished");
    let _run = place.ferry("copy --quiet source/three to").ends(0);
    let _words = place.ferry("resume 1").ends(1).says("has ended");
    let _words = place.ferry("resume 7").ends(1).says("no job 7");
    let _words = place.ferry("undo 7").ends(1).says("no job 7");
    let _words = place.ferry("redo 7").ends(1).says("no job 7");
    let _usage = place.ferry("undo x").ends(2);
}

/// What was remembered is for nobody but the user.
#[test]
fn journals_are_private() {
    let place = place();
    let _run = place.ferry("copy --quiet source/three to").ends(0);
    let mode = |path: &str| fs::metadata(place.home().join(path)).unwrap().mode() & 0o7777;
    assert_eq!(mode("state/ferry/jobs"), 0o700);
    assert_eq!(mode("state/ferry/jobs/1.journal"), 0o600);
}

#[test]
fn without_a_place_to_remember_in_the_job_is_done_all_the_same() {
    let place = place();
    fs::write(place.home().join("state"), "no folder").unwrap();
    let _words = place.ferry("copy source/three to").ends(0).says("cannot be resumed or undone");
    assert_eq!(place.read("to/three"), "three");
}

/// The destination's device is not there: its empty folder is no destination.
#[test]
fn another_folder_in_the_destinations_place_is_not_touched() {
    let place = place();
    let _run = place.ferry("copy --quiet source/three to").ends(0);
    fs::rename(place.at("to"), place.at("away")).unwrap();
    let _words = place.folder("to").ferry("undo").ends(1).says("destination");
    fs::remove_dir(place.at("to")).unwrap();
    fs::rename(place.at("away"), place.at("to")).unwrap();
    let _run = place.ferry("undo --quiet").ends(0);
    assert!(!place.has("to"));
}

#[test]
fn the_room_of_replaced_files_is_told_and_given_back() {
    let place = place();
    let told = |arguments: &str| place.ferry(arguments).ends(0).out.clone();
    assert_eq!(told("free"), "No replaced files are kept for undo.\n");
    let _old = place.file("to/three", "old");
    let _run = place.ferry("copy --quiet --conflict=replace source/three to").ends(0);
    let would = told("free --dry-run");
    assert!(would.starts_with("1 replaced file is kept for undo, since today "), "{would}");
    assert!(would.ends_with(": removing it would give back 4.1 KB.\n"), "{would}");
    assert!(trash(&place).contains("files/three"));
    let did = told("free");
    assert!(did.starts_with("4.1 KB given back: 1 replaced file was removed."), "{did}");
    assert_eq!(trash(&place), "");
    assert_eq!(told("free --dry-run"), "No replaced files are kept for undo.\n");
    let undone = place.ferry("undo").ends(1).out.clone();
    assert!(undone.contains("kept no longer"), "{undone}");
    assert_eq!(place.read("to/three"), "three");
}

/// A place for sources and one on another file system, unless there is only one here.
fn two_file_systems() -> Option<(Place, Place)> {
    let shared = std::path::Path::new("/dev/shm");
    let (place, elsewhere) = (Place::new(), shared.is_dir().then(|| Place::within("/dev/shm"))?);
    let device = |place: &Place| fs::metadata(place.path()).unwrap().dev();
    (device(&place) != device(&elsewhere)).then_some((place, elsewhere))
}

/// Moves to the other place.
fn move_to(place: &Place, elsewhere: &Place, arguments: &[&str]) {
    let mut command = place.command();
    let _self = command.args(["move", "--quiet"]).args(arguments).arg(elsewhere.path());
    assert!(command.output().unwrap().status.success());
}

fn has_strace() -> bool {
    std::process::Command::new("strace").arg("-V").output().is_ok()
}

/// The program in a place, killed when it makes a call for the nth time.
fn killed_at(place: &Place, call: &str, nth: u32) -> std::process::Command {
    let mut strace = std::process::Command::new("strace");
    let _self = strace.args(["-f", "-qq", "-o", "/dev/null", "-e"]).arg(format!("trace={call}"));
    let _self = strace.arg("-e").arg(format!("inject={call}:signal=KILL:when={nth}"));
    let _self = strace.arg(crate::place::FERRY).current_dir(place.path());
    for (name, value) in place.command().get_envs() {
        let _self = strace.env(name, value.unwrap_or_default());
    }
    strace
}

#[test]
fn across_file_systems_too_a_copy_stays_when_its_old_place_is_taken() {
    type Take = fn(&std::path::Path);
    let takes: [(&str, Take); 5] = [
        ("another file", |path| fs::write(path, "other").unwrap()),
        ("a file as long", |path| fs::write(path, "recious-data").unwrap()),
        ("an empty one", |path| fs::write(path, "").unwrap()),
        ("a folder", |path| fs::create_dir(path).unwrap()),
        ("a link to nothing", |path| std::os::unix::fs::symlink("nowhere", path).unwrap()),
    ];
    for (what, take) in takes {
        for replaced in [false, true] {
            let Some((place, elsewhere)) = two_file_systems() else { return };
            let _files = place.file("s/k/f", "precious-dat");
            if replaced {
                let _old = elsewhere.file("k/f", "old");
            }
            move_to(&place, &elsewhere, &["--conflict=replace", "s/k"]);
            fs::create_dir_all(place.at("s/k")).unwrap();
            take(&place.at("s/k/f"));
            let preview = place.ferry("undo --dry-run --json").out;
            let run = place.ferry("undo --json");
            assert_eq!(run.status, 1, "{what}: {}", run.out);
            assert_eq!(preview, run.out, "{what}");
            assert_eq!(elsewhere.read("k/f"), "precious-dat", "{what}");
            assert!(place.has("s/k/f"), "{what}");
        }
    }
}

#[test]
fn a_source_that_never_went_is_known_and_its_copy_goes() {
    let Some((place, elsewhere)) = two_file_systems() else { return };
    let _files = place.file("s/a", "one").file("s/b", "two");
    std::os::unix::fs::symlink("a", place.at("s/link")).unwrap();
    move_to(&place, &elsewhere, &["s"]);
    // As a killed move, or a killed undo, leaves them: both sides there.
    let _log = command("cp", &[&"-a", &elsewhere.at("s"), &place.at("s")]);
    let _run = place.ferry("undo").ends(0);
    assert_eq!(place.names("s"), ["a", "b", "link"]);
    assert!(!elsewhere.has("s"), "the copies are taken away");
}

#[test]
fn a_killed_undo_leaves_no_short_file_in_the_place_of_a_moved_one() {
    let Some((place, elsewhere)) = two_file_systems() else { return };
    if !has_strace() {
        return;
    }
    for call in ["pwrite64", "copy_file_range", "utimensat", "linkat"] {
        let _file = place.file("s/f", "precious-data");
        move_to(&place, &elsewhere, &["s/f"]);
        let _killed_or_not = killed_at(&place, call, 1).arg("undo").output().unwrap();
        let _or_done = place.ferry("undo");
        assert_eq!(place.read("s/f"), "precious-data", "{call}");
        assert!(!elsewhere.has("f"), "{call}");
        fs::remove_file(place.at("s/f")).unwrap();
    }
}

#[test]
fn a_resumed_move_does_not_take_a_new_file_for_the_source_of_a_moved_one() {
    let Some((place, elsewhere)) = two_file_systems() else { return };
    if !has_strace() {
        return;
    }
    let _files = place.file("s/f1", "original 1").file("s/f2", "original 2");
    let _files = place.file("s/f3", "original 3");
    let mut ferry = killed_at(&place, "unlinkat", 2);
    let _self = ferry.args(["move", "--workers=1", "--quiet", "s"]).arg(elsewhere.path());
    let _killed = ferry.output().unwrap();
    let left = place.names("s");
    let gone: Vec<u32> = (1..=3).filter(|n| !left.contains(&format!("f{n}"))).collect();
    assert!(!gone.is_empty() && gone.len() < 3, "killed amid the removing: {left:?}");
    let _new = place.file(format!("s/f{}", gone[0]), "foreign");
    let _run = place.ferry("resume").ends(1).says("--conflict");
    for number in 1..=3 {
        assert_eq!(elsewhere.read(format!("s/f{number}")), format!("original {number}"));
    }
    assert_eq!(place.read(format!("s/f{}", gone[0])), "foreign");
}

#[test]
fn what_is_no_journal_holds_nobody_up() {
    let place = place();
    let _run = place.ferry("copy --quiet source/three to").ends(0);
    let jobs = place.home().join("state/ferry/jobs");
    let _log = command("mkfifo", &[&jobs.join("9.journal")]);
    fs::create_dir(jobs.join("10.journal")).unwrap();
    let _run = place.ferry("history").ends(0);
    let _run = place.ferry("undo").ends(0);
    assert!(!place.has("to"));
}

#[test]
fn a_replaced_folder_comes_back_also_when_the_user_took_the_new_one_away() {
    type Take = fn(&Place);
    let takes: [(&str, Take); 3] = [
        ("removed", |place| fs::remove_dir_all(place.at("to/d")).unwrap()),
        ("renamed", |place| fs::rename(place.at("to/d"), place.at("to/mine")).unwrap()),
        ("left alone", |_| {}),
    ];
    for (what, take) in takes {
        let place = Place::new();
        let _files = place.file("s/d/a", "new").file("to/d/a", "old").file("to/d/b", "old too");
        let _run = place.ferry("copy --quiet --folder-conflict=replace s/d to").ends(0);
        take(&place);
        let preview = place.ferry("undo --dry-run --json 1").out;
        let run = place.ferry("undo --json 1");
        assert_eq!(preview, run.out, "{what}");
        assert!(run.out.contains(r#""brought_back":1"#), "{what}: {}", run.out);
        assert_eq!((place.read("to/d/a"), place.names("to/d").len()), ("old".to_owned(), 2));
        assert_eq!(place.has("to/mine/a"), what == "renamed");
    }
}

#[test]
fn a_job_that_was_undone_in_part_is_the_last_one_while_more_can_be_taken_back() {
    let place = place();
    let _run = place.ferry("copy --quiet source/three first").ends(0);
    let _run = place.ferry("copy --quiet source/a to").ends(0);
    let _changed = place.file("to/a/one", "mine now");
    let part = place.ferry("undo").ends(1).out.clone();
    assert!(part.contains("Job 2 is undone as far as it can be"), "{part}");
    // What only stays as it is does not hold up the one before.
    let preview = place.ferry("undo --dry-run").ends(0).out.clone();
    assert!(preview.contains("Undoing job 1"), "{preview}");
    fs::remove_file(place.at("to/a/one")).unwrap();
    let preview = place.ferry("undo --dry-run").ends(0).out.clone();
    assert!(preview.contains("Undoing job 2"), "its folder is empty now: {preview}");
    for job in [2, 1] {
        let whole = place.ferry("undo").ends(0).out.clone();
        assert!(whole.contains(&format!("Job {job} is undone: ")), "{whole}");
    }
    let _run = place.ferry("undo").ends(1).says("no job to undo");
    assert_eq!(place.names(""), ["source"]);
}

/// The same size and time, and a moment after the job: the time of its last change tells.
#[test]
fn a_file_put_in_a_copys_place_right_after_the_job_is_not_taken_for_it() {
    for way in ["written", "renamed", "linked"] {
        let place = place();
        let _run = place.ferry("copy --quiet source/three to").ends(0);
        let copy = place.at("to/three");
        let time = fs::metadata(&copy).unwrap().modified().unwrap();
        let end = || {
            let bytes = fs::read(place.home().join("state/ferry/jobs/1.journal")).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let end: serde_json::Value = serde_json::from_str(
                text.rsplit_once("Z{").map(|(_, end)| format!("{{{end}")).unwrap().as_str(),
            )
            .unwrap();
            (end["at"].as_i64().unwrap(), end["nanoseconds"].as_i64().unwrap_or(i64::MAX))
        };
        let end = end();
        crate::common::eventually("the next step of the clock", || {
            let other = place.at("other");
            fs::write(&other, "THREE").unwrap();
            fs::File::open(&other).unwrap().set_modified(time).unwrap();
            match way {
                "written" => {
                    fs::write(&copy, "THREE").unwrap();
                    fs::File::open(&copy).unwrap().set_modified(time).unwrap();
                }
                "renamed" => fs::rename(&other, &copy).unwrap(),
                _ => {
                    fs::remove_file(&copy).unwrap();
                    fs::hard_link(&other, &copy).unwrap();
                    fs::remove_file(&other).unwrap();
                }
            }
            let now = fs::metadata(&copy).unwrap();
            (now.ctime(), now.ctime_nsec()) > end
        });
        let _run = place.ferry("undo").ends(1);
        assert_eq!(place.read("to/three"), "THREE", "{way}");
    }
}

#[test]
fn what_was_set_aside_and_is_not_there_any_more_is_named() {
    type Happens = fn(&Place);
    let cases: [(&str, Happens); 3] = [
        ("renamed", |place| fs::rename(place.at("to/three (2)"), place.at("to/mine")).unwrap()),
        ("removed", |place| fs::remove_file(place.at("to/three (2)")).unwrap()),
        ("another", |place| {
            fs::rename(place.at("to/three (2)"), place.at("mine")).unwrap();
            let _other = place.file("to/three (2)", "other");
        }),
    ];
    for (what, take) in cases {
        let place = place();
        let _old = place.file("to/three", "old");
        let _run = place.ferry("copy --quiet --conflict=keep-existing source/three to").ends(0);
        assert_eq!(place.read("to/three (2)"), "old");
        take(&place);
        let preview = place.ferry("undo --dry-run --json").out;
        let run = place.ferry("undo --json 1");
        assert_eq!((run.status, &preview), (1, &run.out), "{what}");
        assert!(run.out.contains("aside_gone") && run.out.contains("to/three (2)"), "{}", run.out);
        assert!(!place.has("to/three"), "{what}: the copy goes all the same");
    }
}

#[test]
fn where_the_old_folder_is_is_told_when_the_new_one_is_in_use() {
    let place = Place::new();
    let _files = place.file("s/d/a", "new").file("to/d/a", "old");
    let _run = place.ferry("copy --quiet --folder-conflict=replace s/d to").ends(0);
    let _own = place.file("to/d/own", "mine");
    let old = place.home().join("data/Trash/files/d");
    let run = place.ferry("undo").ends(1).out.clone();
    assert!(run.contains(&format!("the old one is here: “{}”", old.display())), "{run}");
    assert_eq!((place.read("to/d/own"), place.names("to/d").len()), ("mine".to_owned(), 1));
    assert!(old.join("a").exists());
}

/// An empty folder of the user's in the place of one that the job made, whatever its inode.
#[test]
fn a_folder_that_the_user_made_since_is_not_taken_for_the_jobs() {
    let place = Place::new();
    let _files = place.folder("s/d/empty").folder("s/e");
    let _run = place.ferry("copy --quiet s/d s/e to").ends(0);
    for path in ["to/d/empty", "to/e"] {
        fs::remove_dir(place.at(path)).unwrap();
        fs::create_dir(place.at(path)).unwrap();
    }
    let _run = place.ferry("undo --quiet");
    assert!(place.has("to/d/empty") && place.has("to/e"), "{:?}", place.names("to"));
}

#[test]
fn a_merged_folder_that_a_move_removed_gets_its_own_mode_back() {
    use std::os::unix::fs::PermissionsExt;
    for parent in ["/tmp", "/dev/shm"] {
        if !std::path::Path::new(parent).is_dir() {
            continue;
        }
        let place = Place::new();
        let elsewhere = Place::within(parent);
        let _files = place.file("s/d/a", "a").file("s/d/e/b", "b");
        let _old = elsewhere.file("d/own", "own").file("d/e/own", "own");
        let mode = |path: std::path::PathBuf, mode: u32| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (at, (ours, theirs)) in [("d", (0o750, 0o711)), ("d/e", (0o2770, 0o700))] {
            mode(place.at("s").join(at), ours);
            mode(elsewhere.at(at), theirs);
        }
        let list = || command("find", &[&place.at("s/d"), &"-printf", &"%P %m %T@\\n"]);
        let before = list();
        move_to(&place, &elsewhere, &["s/d"]);
        assert!(!place.has("s/d"), "{parent}");
        let _run = place.ferry("undo --quiet").ends(0);
        assert_eq!(list(), before, "{parent}");
    }
}
