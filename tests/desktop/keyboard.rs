//! The window by keyboard alone.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use crate::common::{Place, Tree, What, assert_same_tree, names, pattern, skip};
use crate::desktop::{Desktop, until};
use crate::ferry::{Ferry, program};
use crate::process::command;
use crate::seen::Seen;
use crate::test_name;

/// Arguments, a typed folder that is not there yet, Enter; then the job is taken off the
/// list and the window closed.
#[test]
fn from_arguments_to_done_without_a_mouse() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let source = Tree::new()
        .folder("papers")
        .file_of("papers/one.pdf", 70_000)
        .file_of("papers/two.pdf", 900_000)
        .file("note.txt", b"a note")
        .make(&desktop.place().join("from"));
    let target = desktop.place().join("new/folder");
    let (papers, note) = (source.join("papers"), source.join("note.txt"));
    let ferry = Ferry::start(&desktop, &[&papers, &note]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_destination(&desktop, &target);
    desktop.keep_picture("typed");
    desktop.press(&["Return"]);
    ferry.see("the job has ended", Seen::has_ended);
    desktop.keep_picture("ended");
    assert_eq!(names(&target), ["note.txt", "papers"]);
    assert_same_tree(&papers, &target.join("papers"), &What::ALL);
    assert_same_tree(&note, &target.join("note.txt"), &What::ALL);

    desktop.press(&["Delete"]);
    ferry.see("the list of jobs is empty", |seen| seen.primary().len() == 2 && !seen.has_dialog());
    desktop.press(&["ctrl+q"]);
    let status = ferry.finish();
    assert!(status.success(), "{status}: {}", desktop.logged("ferry"));
}

/// Letters that come before the field is there are not lost, and are not taken for the keys
/// of copy and move.
#[test]
fn a_path_typed_at_once_is_whole() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let source = Tree::new().file("note.txt", b"a note").make(&desktop.place().join("from"));
    let note = source.join("note.txt");
    let ferry = Ferry::start(&desktop, &[&note]);
    ferry.see("it is asked where to", Seen::has_dialog);
    desktop.do_this(&["type", "--delay", "0", "--", "~/music/May and/more"]);
    desktop.press(&["Return"]);
    ferry.see("the job has ended", Seen::has_ended);
    desktop.keep_picture("ended");
    assert_same_tree(&note, &desktop.home().join("music/May and/more/note.txt"), &What::ALL);
}

/// Leaving the question where to copies nothing and asks nothing more.
#[test]
fn escape_takes_the_sources_back() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let source = Tree::new().file("note.txt", b"a note").make(&desktop.place().join("from"));
    let target = desktop.place().join("to");
    let ferry = Ferry::start(&desktop, &[&source.join("note.txt")]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_destination(&desktop, &target);
    desktop.press(&["Escape"]);
    ferry.see("the window is empty", |seen| seen.primary().len() == 2 && !seen.has_dialog());
    assert!(!target.exists(), "nothing was started");
}

/// Space pauses and goes on, Delete asks before it cancels, and what is cancelled leaves no
/// short file.
#[test]
fn a_long_job_is_paused_resumed_and_cancelled() {
    let Some(desktop) = Desktop::open_with(test_name!(), &["strace"]) else { return };
    let Some(slow) = Slow::place() else { return };
    let big = slow.big_file();
    let target = slow.folder.join("to");
    let ferry = Ferry::start_by(&desktop, slow.program(), &[&big]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_destination(&desktop, &target);
    desktop.press(&["Return"]);
    let size = || slow.written(&ferry, &target);
    until("some of the file is there", || size().filter(|size| *size > 0));
    ferry.see("the job can be paused", |seen| !seen.has_dialog());
    desktop.keep_picture("runs");

    desktop.press(&["space"]);
    slow.rests("the job is paused", size);
    desktop.keep_picture("paused");
    let paused_at = size();
    assert!(paused_at < Some(slow.size), "the pause came before the end");

    desktop.press(&["space"]);
    until("the job goes on", || (size() > paused_at).then_some(()));
    desktop.keep_picture("goes-on");

    desktop.press(&["Delete"]);
    ferry.see("it is asked whether to cancel", Seen::has_dialog);
    desktop.keep_picture("asks");
    // Enter keeps the job: that is where the keyboard stands.
    desktop.press(&["Return"]);
    ferry.see("the question is gone", |seen| !seen.has_dialog());
    let kept_at = size();
    until("the job still goes on", || (size() > kept_at).then_some(()));

    desktop.press(&["Delete"]);
    ferry.see("it is asked again", Seen::has_dialog);
    desktop.press(&["Tab", "Return"]);
    ferry.see("the job has ended", Seen::has_ended);
    desktop.keep_picture("cancelled");
    assert_eq!(names(&target), [""; 0], "a cancelled copy leaves no short file");
    assert_eq!(fs::read(&big).unwrap().len() as u64, slow.size, "the source is untouched");
}

/// A window with a running job asks before it closes, and then leaves no short file.
#[test]
fn closing_the_window_asks_while_a_job_runs() {
    let Some(desktop) = Desktop::open_with(test_name!(), &["strace"]) else { return };
    let Some(slow) = Slow::place() else { return };
    let big = slow.big_file();
    let target = slow.folder.join("to");
    let ferry = Ferry::start_by(&desktop, slow.program(), &[&big]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_destination(&desktop, &target);
    desktop.press(&["Return"]);
    until("the copy has begun", || slow.written(&ferry, &target));
    ferry.see("the job runs", |seen| !seen.has_dialog());
    ferry.ask_to_close();
    ferry.see("it is asked whether to close", Seen::has_dialog);
    desktop.keep_picture("asks");
    desktop.press(&["Tab", "Return"]);
    let status = ferry.finish();
    assert!(status.success() && status.signal().is_none(), "{status}: {}", desktop.logged("ferry"));
    assert_eq!(names(&target), [""; 0], "a cancelled copy leaves no short file");
}

impl Ferry<'_> {
    /// Types a path into the question where to: its first letter brings the field.
    pub fn type_path(&self, desktop: &Desktop, path: &Path) {
        desktop.press(&["slash"]);
        self.see("the field has the keyboard", Seen::field_has_keyboard);
        desktop.write(path.to_str().unwrap().strip_prefix('/').unwrap());
    }

    /// Types a path that can be taken.
    pub fn type_destination(&self, desktop: &Desktop, target: &Path) {
        self.type_path(desktop, target);
        self.see("what was typed is understood", |seen| seen.primary().len() == 1);
    }
}

/// A place where copying takes long: in memory, where no data can be shared, by a program
/// whose every request to copy is delayed.
struct Slow {
    folder: Place,
    size: u64,
}

impl Slow {
    /// `None` where there is no such place, which is said.
    fn place() -> Option<Slow> {
        let memory = Path::new("/dev/shm");
        if !memory.is_dir() {
            skip("desktop: there is no /dev/shm");
            return None;
        }
        Some(Slow { folder: Place::new_in(memory), size: 64 << 20 })
    }

    fn big_file(&self) -> PathBuf {
        let path = self.folder.join("big.iso");
        fs::write(&path, pattern(self.size as usize, 3)).unwrap();
        path
    }

    /// Ferry under strace, which is not its parent: the one that is started is Ferry.
    fn program(&self) -> std::process::Command {
        let mut strace = command("strace");
        strace.args(["-D", "-f", "-qq", "-o", "/dev/null", "--seccomp-bpf"]);
        strace.args(["-e", "trace=copy_file_range"]);
        strace.args(["-e", "inject=copy_file_range:delay_exit=150ms", "--"]).arg(program());
        strace
    }

    /// How much of the copy there is. It has no name before it is whole, but it is open.
    fn written(&self, ferry: &Ferry<'_>, target: &Path) -> Option<u64> {
        let open = fs::read_dir(format!("/proc/{}/fd", ferry.id())).ok()?;
        let mut files = open.flatten().map(|file| file.path()).filter(|file| {
            fs::read_link(file).is_ok_and(|path| path != target && path.starts_with(target))
        });
        Some(fs::metadata(files.next()?).ok()?.len())
    }

    /// Waits until the copy does not grow any more.
    fn rests(&self, what: &str, size: impl Fn() -> Option<u64>) {
        let (mut before, mut same) = (None, 0);
        until(what, || {
            let now = size();
            same = if now == before { same + 1 } else { 0 };
            before = now;
            // Looked at every 8 ms: longer than three requests take.
            (same > 60).then_some(())
        });
    }
}
