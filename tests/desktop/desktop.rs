//! A desktop of a test's own: a screen in memory, a window manager, a message bus, a home.
//! Only ImageMagick and xdotool look at it and use it as a user does.
//!
//! Xvfb keeps the screen in a file, so looking costs a read and no request: what a test
//! waits for is seen within milliseconds.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Place, skip};
use crate::picture::{Area, Frame};
use crate::process::{Started, command, end_all_with, installed};

/// The screen's size in pixels: room for a file manager beside the window at its first size.
pub const SCREEN: (usize, usize) = (1800, 1100);
/// All of the screen.
pub const EVERYTHING: Area = Area { x: 0, y: 0, width: SCREEN.0, height: SCREEN.1 };
/// Where the window manager puts Ferry's window. It has no title bar: xdotool tells places
/// of framed windows wrongly.
pub const FERRY_AT: (usize, usize) = (600, 40);
/// Where it puts the file manager's frame.
pub const FILES_AT: (usize, usize) = (20, 40);
/// Where the pointer waits while nothing is pointed at: on nothing.
const ASIDE: (usize, usize) = (SCREEN.0 - 4, SCREEN.1 - 4);
/// What must be installed.
const PROGRAMS: [&str; 6] = ["Xvfb", "openbox", "xdotool", "convert", "dbus-daemon", "setpriv"];
/// Marks everything that belongs to one desktop.
const MARK: &str = "FERRY_TEST_DESKTOP";
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Looks again and again until there is something.
#[track_caller]
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    let found = within(PATIENCE, look);
    found.unwrap_or_else(|| panic!("in {} seconds never: {what}", PATIENCE.as_secs()))
}

/// The same for some time only.
pub fn within<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + time;
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= end {
            return found;
        }
        std::thread::park_timeout(Duration::from_millis(8));
    }
}

/// The desktop. Dropping it ends everything on it.
pub struct Desktop {
    _window_manager: Started,
    _bus: Started,
    _screen: Started,
    display: String,
    bus_address: String,
    frames: PathBuf,
    artefacts: PathBuf,
    pictures: Cell<u32>,
    failed: Cell<bool>,
    writing: RefCell<Vec<Started>>,
    place: Place,
}

impl Desktop {
    /// A desktop for a test; `None` where it lacks something, which is said.
    pub fn open(test: &str) -> Option<Desktop> {
        Desktop::open_with(test, &[])
    }

    /// The same for a test that needs more programs.
    pub fn open_with(test: &str, programs: &[&str]) -> Option<Desktop> {
        let mut needed = PROGRAMS.iter().chain(programs);
        if let Some(missing) = needed.find(|program| installed(program).is_none()) {
            skip(&format!("desktop: {missing} is not installed"));
            return None;
        }
        let place = Place::new_in(&std::env::temp_dir());
        for folder in ["home/.config/openbox", "run", "frames"] {
            fs::create_dir_all(place.join(folder)).unwrap();
        }
        fs::set_permissions(place.join("run"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(place.join("home/.config/openbox/rc.xml"), window_manager_settings()).unwrap();
        let bus_settings = place.join("bus.conf");
        fs::write(&bus_settings, BUS_SETTINGS).unwrap();

        let frames = place.join("frames/Xvfb_screen0");
        let mut screen = command("Xvfb");
        screen.args(["-displayfd", "1", "-screen", "0"]);
        screen.arg(format!("{}x{}x24", SCREEN.0, SCREEN.1)).arg("-noreset");
        screen.arg("-fbdir").arg(place.join("frames")).env(MARK, &*place);
        let (screen, display) = started_with_a_line(screen.stderr(log(&place, "screen")));
        let display = format!(":{display}");

        let mut bus = command("dbus-daemon");
        bus.args(["--nofork", "--print-address=1"]);
        bus.arg(format!("--config-file={}", bus_settings.display()));
        bus.current_dir(place.join("run")).env(MARK, &*place);
        let (bus, bus_address) = started_with_a_line(bus.stderr(log(&place, "bus")));

        let mut window_manager = command("openbox");
        window_manager.arg("--sm-disable").stderr(log(&place, "window-manager"));
        settle_in(&mut window_manager, &place, &display, &bus_address);
        let artefacts = artefacts(test);
        let desktop = Desktop {
            _window_manager: Started::start(&mut window_manager),
            _bus: bus,
            _screen: screen,
            display,
            bus_address,
            frames,
            artefacts,
            pictures: Cell::new(0),
            failed: Cell::new(false),
            writing: RefCell::default(),
            place,
        };
        until("the window manager is there", || desktop.ask(&["get_desktop"]));
        desktop.point_aside();
        Some(desktop)
    }

    /// A folder of the test's own.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.place.join("home")
    }

    /// Makes a command one that runs on this desktop.
    pub fn settle_in(&self, command: &mut Command) {
        settle_in(command, &self.place, &self.display, &self.bus_address);
    }

    /// A file for what a program says on standard error.
    pub fn log(&self, name: &str) -> File {
        log(&self.place, name)
    }

    /// What a program has said on standard error so far.
    pub fn logged(&self, name: &str) -> String {
        let bytes = fs::read(self.place.join(format!("{name}.log"))).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Uses xdotool; its answer, or `None` where it fails.
    pub fn ask(&self, arguments: &[&str]) -> Option<String> {
        let mut xdotool = Command::new("xdotool");
        xdotool.args(arguments).env("DISPLAY", &self.display).stdin(Stdio::null());
        let output = xdotool.output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Uses xdotool and insists on success.
    #[track_caller]
    pub fn do_this(&self, arguments: &[&str]) {
        assert!(self.ask(arguments).is_some(), "xdotool {arguments:?} failed");
    }

    /// Presses keys, one after the other.
    pub fn press(&self, keys: &[&str]) {
        self.do_this(&[&["key", "--delay", "12"], keys].concat());
    }

    /// Types a text.
    pub fn write(&self, text: &str) {
        self.do_this(&["type", "--delay", "12", "--", text]);
    }

    /// Clicks on a place and leaves the pointer there.
    pub fn click(&self, (x, y): (usize, usize)) {
        let (x, y) = (x.to_string(), y.to_string());
        self.do_this(&["mousemove", &x, &y, "click", "1"]);
    }

    /// Moves the pointer away from everything.
    pub fn point_aside(&self) {
        self.do_this(&["mousemove", &ASIDE.0.to_string(), &ASIDE.1.to_string()]);
    }

    /// What is in a part of the screen.
    pub fn frame(&self, area: Area) -> Frame {
        until("the screen can be read", || {
            let screen = Frame::of_dump(&fs::read(&self.frames).ok()?)?;
            Some(screen.part(area))
        })
    }

    /// The same once it has stopped changing. (What blinks, does so in longer spaces.)
    pub fn settled(&self, area: Area) -> Frame {
        let (mut before, mut same) = (self.frame(area), 0);
        until("a part of the screen rests", || {
            let frame = self.frame(area);
            same = if frame == before { same + 1 } else { 0 };
            before = frame;
            (same == 10).then_some(())
        });
        before
    }

    /// Keeps a picture of the screen as it is.
    pub fn keep_picture(&self, name: &str) {
        let frame = self.frame(EVERYTHING);
        let number = self.pictures.get() + 1;
        self.pictures.set(number);
        let path = self.artefacts.join(format!("{number:02}-{name}.png"));
        let mut convert = command("convert");
        convert.args(["-size", &format!("{}x{}", SCREEN.0, SCREEN.1), "-depth", "8", "bgra:-"]);
        convert.args(["-alpha", "off", "-define", "png:compression-level=3"]).arg(&path);
        let mut convert = Started::start(convert.stdin(Stdio::piped()));
        let mut input = convert.child().stdin.take().unwrap();
        input.write_all(frame.bytes()).unwrap();
        self.writing.borrow_mut().push(convert);
    }

    /// The folder that the pictures of this test go to.
    pub fn artefacts(&self) -> &Path {
        &self.artefacts
    }

    /// While a test fails: keeps what the screen shows then, before the windows go.
    pub fn keep_failure(&self) {
        if std::thread::panicking() && !self.failed.replace(true) {
            self.keep_picture("failed");
            println!("the screen at the failure is in {}", self.artefacts.display());
            println!("Ferry said: {}", self.logged("ferry"));
        }
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        self.keep_failure();
        for mut picture in self.writing.take() {
            let _status = picture.child().wait();
        }
        end_all_with(MARK, &self.place);
    }
}

/// Sees to it that a program knows no other desktop than this one.
fn settle_in(command: &mut Command, place: &Path, display: &str, bus: &str) {
    let home = place.join("home");
    for gone in ["WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "GTK_THEME"] {
        command.env_remove(gone);
    }
    command
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env("XDG_DATA_HOME", home.join(".local/share"))
        .env("XDG_CACHE_HOME", home.join(".cache"))
        .env("XDG_STATE_HOME", home.join(".local/state"))
        .env("XDG_RUNTIME_DIR", place.join("run"))
        .env("DBUS_SESSION_BUS_ADDRESS", bus)
        .env("DISPLAY", display)
        .env("LC_ALL", "C.UTF-8")
        .env("NO_AT_BRIDGE", "1")
        .env(MARK, place);
}

/// Starts a program that tells on its first line where it can be found.
fn started_with_a_line(command: &mut Command) -> (Started, String) {
    let mut started = Started::start(command.stdout(Stdio::piped()));
    let output = started.child().stdout.take().unwrap();
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).unwrap();
    assert!(!line.trim().is_empty(), "{command:?} did not start");
    (started, line.trim().to_owned())
}

fn log(place: &Path, name: &str) -> File {
    let path = place.join(format!("{name}.log"));
    File::options().create(true).append(true).open(path).unwrap()
}

/// The window manager's own settings, with places for the two windows.
fn window_manager_settings() -> String {
    let settings = fs::read_to_string("/etc/xdg/openbox/rc.xml").unwrap();
    let rule = |class: &str, (x, y): (usize, usize), decor: &str| {
        format!(
            "<application class=\"{class}\"><decor>{decor}</decor><position force=\"yes\">\
             <x>{x}</x><y>{y}</y></position><maximized>no</maximized></application>"
        )
    };
    let rules = rule("org.ferrycopier.Ferry", FERRY_AT, "no") + &rule("Pcmanfm", FILES_AT, "yes");
    let settings = settings.replace("<keepBorder>yes", "<keepBorder>no");
    let settings = settings.replacen("<applications>", &format!("<applications>{rules}"), 1);
    assert!(settings.contains(&rules), "openbox's settings have no part for applications");
    settings
}

/// A bus on which nothing is started that a test did not start.
const BUS_SETTINGS: &str = r#"<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// Where pictures are kept; those of the last run are removed.
fn artefacts(test: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let all =
        std::env::var_os("FERRY_ARTEFACTS").map_or_else(|| target.join("artefacts"), PathBuf::from);
    let folder = all.join("desktop").join(test.replace("::", "/"));
    let _none_yet = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}
