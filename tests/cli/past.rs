//! The report of an earlier job, out of its journal: what it was at the job's end.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::place::Place;

/// Runs a job with a report of each format, and has the same ones out of the history.
#[track_caller]
fn compared(place: &Place, arguments: &str, status: i32) -> String {
    let number = fs::read_dir(place.home().join("state/ferry/jobs")).map_or(0, |jobs| {
        let named = |name: &str| name.strip_suffix(".journal")?.parse::<u64>().ok();
        jobs.filter_map(|job| named(job.unwrap().file_name().to_str()?)).max().unwrap_or(0)
    }) + 1;
    let _ended = place.ferry(&format!("{arguments} --quiet --report now.json")).ends(status);
    let mut texts = Vec::new();
    for name in ["then.json", "then.csv", "then.txt"] {
        let _written = place.ferry(&format!("history {number} --report {name}")).ends(0);
        texts.push(place.read(name));
    }
    let now = place.read("now.json");
    assert_eq!(now, texts[0], "{arguments}");
    let text = texts.pop().unwrap();
    assert!(!text.contains("older Ferry"), "{text}");
    text
}

fn some() -> Place {
    let place = Place::new();
    let _files = place
        .file("tree/a", "new")
        .file("tree/b", "1")
        .file("tree/deep/c", "3")
        .file("one", "4")
        .file("folder/tree/a", "old")
        .file("folder/tree/deep/c", "old")
        .file("folder/one", "old");
    place
}

#[test]
fn a_past_job_gives_the_report_that_it_gave_at_its_end() {
    for kind in ["copy", "move"] {
        for (rules, status) in [
            ("", 1),
            ("--conflict=skip", 0),
            ("--conflict=replace", 0),
            ("--conflict=keep-both --folder-conflict=keep-both", 0),
            ("--conflict=keep-existing --folder-conflict=keep-existing", 0),
            ("--conflict=replace --folder-conflict=replace", 0),
            ("--conflict=rename --folder-conflict=rename --verify", 0),
        ] {
            let place = some();
            let _text = compared(&place, &format!("{kind} {rules} tree one folder"), status);
        }
    }
}

#[test]
fn a_past_job_says_why_something_failed_and_what_was_not_kept() {
    let place = some();
    let _more = place.file("two/one/inner", "5").file(OsStr::from_bytes(b"tree/caf\xe9"), "6");
    let _socket = UnixListener::bind(place.at("tree/socket")).unwrap();
    let sources = "tree two/one missing no/such / /proc/self/mem";
    let text = compared(&place, &format!("copy --checksums sums {sources} folder"), 1);
    for part in [
        "4 failed",
        "missing”: there is no such file or folder. Check the spelling of the path.",
        "no/such”: there is no such file or folder.",
        "“/” has no name of its own to keep.",
        "Could not read “/proc/self/mem”: the device reports a fault. Check the device",
        "a file and a folder have this name",
        "A socket was left out",
        "is not in the list of checksums",
        "Left undecided: “tree/a”",
    ] {
        assert!(text.contains(part), "“{part}” is missing in {text}");
    }
    // Data cannot be shared there.
    let elsewhere = Place::within("/dev/shm");
    let _files = elsewhere.file("tree/a", "1").file("tree/deep/b", "2").file("tree/empty", "");
    let text = compared(&elsewhere, "copy --reflink=always tree folder", 1);
    assert!(text.matches("cannot be cloned").count() >= 2, "{text}");
}

#[test]
fn a_job_that_could_begin_nothing_is_refused_in_the_history() {
    for sources in ["/", "missing", "tree", "/ missing tree no/such"] {
        let place = Place::new();
        let _files = place.file("tree/a", "1");
        let text = compared(&place, &format!("copy {sources} tree/into"), 1);
        assert!(text.starts_with("Nothing was copied. "), "{text}");
        let count = sources.split(' ').count();
        assert_eq!(
            text.matches("Could not look at").count()
                + text.matches("has no name").count()
                + text.matches("into itself").count(),
            count,
            "{text}"
        );
        let listed = place.ferry("history").ends(0).out.clone();
        assert!(listed.contains("  refused  "), "{listed}");
        assert!(place.ferry("history --json").ends(0).out.contains("\"state\":\"refused\""));
        let _nothing = place.ferry("undo").ends(1).says("no job to undo");
    }
}

#[test]
fn folders_that_were_there_are_told_apart_in_the_history() {
    let place = some();
    let text = compared(&place, "copy --conflict=skip tree one folder", 0);
    assert!(text.starts_with("Copied 1 item"), "{text}");
    let listed = place.ferry("history").ends(0).out.clone();
    assert!(listed.contains(": 1 done, 3 skipped"), "{listed}");
    let listed: serde_json::Value =
        serde_json::from_str(&place.ferry("history --json").ends(0).out).unwrap();
    assert_eq!((&listed["entries"]["done"], &listed["merged"]), (&3.into(), &2.into()), "{listed}");
    let table = place.read("then.csv");
    assert!(table.contains("total_done,,1,") && table.contains("total_merged,,2,"), "{table}");
}

/// A journal of a Ferry that did not write down reasons yet.
#[test]
fn a_journal_without_reasons_is_read_all_the_same() {
    let place = Place::new();
    let jobs = place.home().join("state/ferry/jobs");
    fs::create_dir_all(&jobs).unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/journals");
    let _bytes = fs::copy(old.join("without-reasons.journal"), jobs.join("1.journal")).unwrap();
    let listed = place.ferry("history").ends(0).out.clone();
    assert!(listed.contains("3 done, 1 skipped, 3 failed"), "{listed}");
    let _written = place.ferry("history 1 --report r.txt").ends(0);
    let text = place.read("r.txt");
    for part in
        ["an older Ferry", "1 skipped, 3 failed", "Failed: “tree/b”", "Skipped: “tree/socket”"]
    {
        assert!(text.contains(part), "“{part}” is missing in {text}");
    }
    // What is written from now on has them.
    let _new = place.file("one", "1").ferry("copy --quiet one missing folder").ends(1);
    let _written = place.ferry("history 2 --report r.txt").ends(0);
    assert!(place.read("r.txt").contains("there is no such file"), "{}", place.read("r.txt"));
}

#[test]
fn a_report_of_no_job_is_none() {
    let place = Place::new();
    let _words = place.ferry("history 3 --report r.txt").ends(1).says("no job 3");
    let _words = place.ferry("history --report r.txt").ends(2).says("ferry history JOB");
    assert!(!place.has("r.txt"));
    let _one = place.file("one", "1").ferry("copy --quiet one folder").ends(0);
    let one = place.ferry("history 1").ends(0).out.clone();
    assert!(one.lines().count() == 1 && one.starts_with("1  "), "{one}");
}

#[test]
fn a_journal_that_cannot_be_understood_is_said_to_be_that() {
    let place = Place::new();
    let _one = place.file("one", "1").ferry("copy --quiet one folder").ends(0);
    let jobs = place.home().join("state/ferry/jobs");
    let schema = fs::read(jobs.join("1.journal")).unwrap();
    for (number, bytes) in [(5, &b"no journal at all"[..]), (6, &schema[..20]), (7, b"")] {
        fs::write(jobs.join(format!("{number}.journal")), bytes).unwrap();
        for command in ["history", "undo", "undo --dry-run", "resume", "redo"] {
            let run = place.ferry(&format!("{command} {number}"));
            let _words = run.ends(1).says(&format!("ferry: The journal of job {number} cannot be"));
        }
    }
    let listed = place.ferry("history").ends(0).out.clone();
    assert_eq!(listed.lines().count(), 1, "{listed}");
}
