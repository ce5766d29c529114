//! Ferry's window as its user sees it: what it shows, where its buttons are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::desktop::{Desktop, FERRY_AT, SCREEN, until, within};
use crate::picture::{Area, Frame};
use crate::process::{Started, command};
use crate::seen::{Seen, Theme};

/// The program that users run: the one that is told, else the newest that is built.
pub fn program() -> PathBuf {
    if let Some(told) = std::env::var_os("FERRY_PROGRAM") {
        return PathBuf::from(told);
    }
    let built = PathBuf::from(env!("CARGO_BIN_EXE_ferry"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let release = target.join("release/ferry");
    let age = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    if age(&release) >= age(&built) { release } else { built }
}

/// The running program and its window.
pub struct Ferry<'a> {
    desktop: &'a Desktop,
    process: Started,
    window: String,
    /// The theme that was chosen; `None` follows the desktop, which is light here.
    theme: Option<Theme>,
}

impl<'a> Ferry<'a> {
    /// Starts Ferry as for a new user, in the light theme, and waits for its window.
    pub fn start(desktop: &'a Desktop, arguments: &[&dyn AsRef<OsStr>]) -> Ferry<'a> {
        Ferry::start_by(desktop, command(program()), arguments)
    }

    /// The same by a command that starts Ferry, to which the arguments are added.
    pub fn start_by(
        desktop: &'a Desktop,
        mut command: Command,
        arguments: &[&dyn AsRef<OsStr>],
    ) -> Ferry<'a> {
        command.args(arguments.iter().map(|argument| argument.as_ref()));
        command.current_dir(desktop.place()).stderr(desktop.log("ferry"));
        desktop.settle_in(&mut command);
        // The colours that an earlier start in this home was left in.
        let _none = std::fs::remove_file(desktop.home().join(".local/state/ferry/window.json"));
        let mut process = Started::start(&mut command);
        let window = until("Ferry's window is there", || {
            if let Some(status) = process.ended() {
                panic!("Ferry ended ({status}): {}", desktop.logged("ferry"));
            }
            desktop.ask(&["search", "--onlyvisible", "--name", "^Ferry$"])
        });
        let ferry = Ferry { desktop, process, window, theme: None };
        until("the window manager has placed the window", || {
            let Area { x, y, .. } = ferry.area();
            ((x, y) == FERRY_AT).then_some(())
        });
        ferry.see("the window is drawn", |seen| seen.has_its_ground() || seen.has_dialog());
        ferry.take_focus();
        ferry
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Where its window is.
    pub fn area(&self) -> Area {
        let told = self.desktop.ask(&["getwindowgeometry", "--shell", &self.window]).unwrap();
        let number = |name: &str| {
            let value = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name}: {told}"))
        };
        Area { x: number("X"), y: number("Y"), width: number("WIDTH"), height: number("HEIGHT") }
    }

    /// Waits until the window shows something.
    #[track_caller]
    pub fn see(&self, what: &str, shows: impl Fn(&Seen) -> bool) {
        self.find(what, |seen| shows(seen).then_some(()));
    }

    /// Whether the window shows something now.
    pub fn shows(&self, shows: impl Fn(&Seen) -> bool) -> bool {
        shows(&self.look(&self.desktop.frame(self.area())))
    }

    fn look(&self, frame: &Frame) -> Seen {
        let colours = self.theme.unwrap_or(Theme::Light).colours();
        Seen { picture: frame.picture(), colours }
    }

    /// Waits until something is found in the window.
    #[track_caller]
    pub fn find<T>(&self, what: &str, find: impl Fn(&Seen) -> Option<T>) -> T {
        until(what, self.looking(find))
    }

    /// Looks for something in the window, whenever it has changed.
    fn looking<T>(&self, find: impl Fn(&Seen) -> Option<T>) -> impl FnMut() -> Option<T> {
        let area = self.area();
        let (mut before, mut looked) = (None, false);
        move || {
            let frame = self.desktop.frame(area);
            // Looked at when it stands still: nothing is caught while it is being drawn.
            if before.as_ref() != Some(&frame) {
                (before, looked) = (Some(frame), false);
                return None;
            }
            if std::mem::replace(&mut looked, true) { None } else { find(&self.look(&frame)) }
        }
    }

    /// Gives it the keyboard, as a click on its title bar would.
    pub fn take_focus(&self) {
        self.desktop.do_this(&["windowactivate", &self.window]);
        self.has_focus();
    }

    /// Waits until it has the keyboard.
    #[track_caller]
    pub fn has_focus(&self) {
        until("Ferry has the keyboard", || {
            (self.desktop.ask(&["getwindowfocus"])? == self.window).then_some(())
        });
    }

    /// Gives the window another size, and a place where all of it is seen.
    pub fn resize(&self, width: usize, height: usize) {
        let place = (FERRY_AT.0.min(SCREEN.0 - width), FERRY_AT.1);
        let [x, y, wide, high] = [place.0, place.1, width, height].map(|size| size.to_string());
        self.desktop.do_this(&["windowmove", &self.window, &x, &y]);
        self.desktop.do_this(&["windowsize", &self.window, &wide, &high]);
        let wanted = Area { x: place.0, y: place.1, width, height };
        until("the window has its new size", || (self.area() == wanted).then_some(()));
    }

    /// Turns to the light or the dark theme by the key for it.
    pub fn turn(&mut self, theme: Theme) {
        while self.theme != Some(theme) {
            self.desktop.press(&["t"]);
            self.theme = match self.theme {
                None => Some(Theme::Light),
                Some(Theme::Light) => Some(Theme::Dark),
                Some(Theme::Dark) => None,
            };
        }
        self.see("the theme has changed", Seen::has_its_ground);
    }

    /// Clicks on something in the window, waits for what comes of it, and leaves.
    #[track_caller]
    pub fn click(&self, place: Area, what: &str, comes: impl Fn(&Seen) -> bool) {
        let window = self.area();
        self.desktop.click(place.moved((window.x, window.y)).middle());
        self.see(what, comes);
        self.desktop.point_aside();
    }

    /// Clicks on an answer. A question takes none before it has been seen for half a second,
    /// which only the clock tells; on a busy machine that may be later.
    #[track_caller]
    pub fn answer(&self, place: Area, what: &str, comes: impl Fn() -> bool) {
        const SEEN: Duration = Duration::from_millis(600);
        const IGNORED: Duration = Duration::from_secs(3);
        let window = self.area();
        let middle = place.moved((window.x, window.y)).middle();
        let _time_passes = within(SEEN, || None::<()>);
        until(what, || {
            self.desktop.click(middle);
            within(IGNORED, || comes().then_some(()))
        });
        self.desktop.point_aside();
    }

    /// Closes the window as the window manager's key for it does.
    pub fn ask_to_close(&self) {
        self.desktop.press(&["alt+F4"]);
    }

    /// Waits until it has ended by itself.
    pub fn finish(mut self) -> ExitStatus {
        self.process.finish()
    }
}

impl Drop for Ferry<'_> {
    fn drop(&mut self) {
        self.desktop.keep_failure();
    }
}
