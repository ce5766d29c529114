//! Without a display the reason is told, in one sentence.

use std::process::{Command, Stdio};

/// What Ferry says where a display is named by this variable alone.
fn told(variable: Option<(&str, &str)>) -> String {
    let mut ferry = Command::new(env!("CARGO_BIN_EXE_ferry"));
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        let _ferry = ferry.env_remove(name);
    }
    let output = ferry.envs(variable).stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    errors
}

#[test]
fn no_display_is_told() {
    let rest = "; \"ferry copy\" works in the terminal\n";
    let no_display = "ferry: there is no display to open a window on";
    let unset = format!("{no_display} (DISPLAY and WAYLAND_DISPLAY are not set){rest}");
    assert_eq!(told(None), unset);
    assert_eq!(told(Some(("DISPLAY", ""))), unset);
}

#[test]
fn a_display_that_does_not_answer_is_told() {
    for (variable, value) in [("DISPLAY", ":4099"), ("WAYLAND_DISPLAY", "/nowhere/wayland")] {
        let errors = told(Some((variable, value)));
        let display = format!("({variable}={value} does not answer)");
        assert!(errors.starts_with("ferry: there is no display"), "{errors}");
        assert!(errors.contains(&display), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}
