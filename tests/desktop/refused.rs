//! What cannot be done is said: on the window where there is one, else on standard error.

use std::process::{Command, Stdio};

use crate::desktop::Desktop;
use crate::ferry::{Ferry, program};
use crate::seen::Seen;
use crate::test_name;

#[test]
fn a_missing_source_is_told_on_the_window() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let (missing, target) = (desktop.place().join("missing"), desktop.place().join("to"));
    let ferry = Ferry::start(&desktop, &[&missing]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_path(&desktop, &target);
    let refused =
        |seen: &Seen| seen.has_dialog() && seen.primary().is_empty() && seen.has_refusal();
    ferry.see("it is told and nothing can be started", refused);
    desktop.keep_picture("missing-source");
    desktop.press(&["Return"]);
    ferry.see("Enter starts nothing", refused);
    assert!(!target.exists(), "nothing was made");
    // Beside one that is there it is no reason to copy nothing: the job tells that it failed.
    drop(ferry);
    let source = desktop.place().join("note");
    std::fs::write(&source, "a note").unwrap();
    let ferry = Ferry::start(&desktop, &[&missing, &source]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_destination(&desktop, &target);
    desktop.press(&["Return"]);
    ferry.see("the failure is shown", |seen| !seen.has_dialog() && seen.has_failure());
}

#[test]
fn a_destination_that_is_a_file_cannot_be_chosen() {
    let Some(desktop) = Desktop::open(test_name!()) else { return };
    let (source, file) = (desktop.place().join("note"), desktop.place().join("file"));
    std::fs::write(&source, "a note").unwrap();
    std::fs::write(&file, "a file").unwrap();
    let ferry = Ferry::start(&desktop, &[&source]);
    ferry.see("it is asked where to", Seen::has_dialog);
    ferry.type_path(&desktop, &file);
    let refused =
        |seen: &Seen| seen.has_dialog() && seen.primary().is_empty() && seen.has_refusal();
    ferry.see("the reason is told and nothing can be started", refused);
    desktop.keep_picture("a-file");
    desktop.press(&["Return"]);
    ferry.see("Enter starts nothing", refused);
    assert_eq!(std::fs::read(&file).unwrap(), b"a file");
}

#[test]
fn without_a_display_the_reason_is_told() {
    let mut ferry = Command::new(program());
    for display in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        ferry.env_remove(display);
    }
    let output = ferry.stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.starts_with("ferry: "), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}
