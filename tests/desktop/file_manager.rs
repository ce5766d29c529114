//! A real file manager: PCManFM, showing one folder as a list.

use std::fs;
use std::path::Path;

use crate::desktop::{Desktop, FILES_AT, until};
use crate::picture::Area;
use crate::process::{Started, command};

/// The size of its window.
const SIZE: (usize, usize) = (520, 460);
/// Where its window is.
const WINDOW: Area = Area { x: FILES_AT.0, y: FILES_AT.1, width: SIZE.0, height: SIZE.1 };
/// How high a row of the list is at least.
const ROW: usize = 16;
/// How far the pointer goes at a time while dragging, in pixels, and how long it rests then.
const STEP: usize = 30;
const REST: &str = "0.03";

/// The file manager's window.
pub struct FileManager<'a> {
    desktop: &'a Desktop,
    _process: Started,
    window: String,
}

impl<'a> FileManager<'a> {
    /// Opens a folder.
    pub fn open(desktop: &'a Desktop, folder: &Path) -> FileManager<'a> {
        let settings = desktop.home().join(".config/pcmanfm/default");
        fs::create_dir_all(&settings).unwrap();
        fs::write(settings.join("pcmanfm.conf"), settings_file()).unwrap();
        let mut pcmanfm = command("pcmanfm");
        pcmanfm.arg("--no-desktop").arg(folder).stderr(desktop.log("file-manager"));
        desktop.settle_in(&mut pcmanfm);
        let process = Started::start(&mut pcmanfm);
        let title = format!("^{}$", folder.file_name().unwrap().to_str().unwrap());
        let window = until("the file manager's window is there", || {
            desktop.ask(&["search", "--onlyvisible", "--name", &title])
        });
        FileManager { desktop, _process: process, window }
    }

    /// Chooses all entries; the part of the list in which that is seen. The list may still
    /// be filling, so it is asked again until so many rows are marked.
    pub fn choose_all(&self, count: usize) -> Area {
        // The click below the list takes any choice away, and gives the list the keyboard.
        let below = (FILES_AT.0 + SIZE.0 / 2, FILES_AT.1 + SIZE.1 - 40);
        until("all entries are chosen", || {
            self.desktop.do_this(&["windowactivate", &self.window]);
            self.desktop.click(below);
            let plain = self.desktop.settled(WINDOW);
            self.desktop.press(&["ctrl+a"]);
            let chosen = self.desktop.settled(WINDOW);
            let marked = plain.picture().difference(&chosen.picture())?;
            (marked.height >= count * ROW).then(|| marked.moved(FILES_AT))
        })
    }
}

impl Drop for FileManager<'_> {
    fn drop(&mut self) {
        self.desktop.keep_failure();
    }
}

impl Desktop {
    /// Takes what is under a place and holds it over another one.
    pub fn drag(&self, from: (usize, usize), to: (usize, usize)) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).div_ceil(STEP).max(1);
        let between = |from: usize, to: usize, step: usize| {
            let far = to.abs_diff(from) * step / steps;
            (if to < from { from - far } else { from + far }).to_string()
        };
        let start = ["mousemove", &from.0.to_string(), &from.1.to_string()].map(str::to_owned);
        let mut moves: Vec<String> = start.to_vec();
        moves.extend(["sleep", REST, "mousedown", "1"].map(str::to_owned));
        for step in 1..=steps {
            let (x, y) = (between(from.0, to.0, step), between(from.1, to.1, step));
            moves.extend(["sleep", REST, "mousemove", &x, &y].map(str::to_owned));
        }
        self.do_this(&moves.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Lets go of what is held over a place.
    pub fn drop_at(&self, (x, y): (usize, usize)) {
        // The source asks again with each move whether it may drop here.
        let at = |far: usize| [(x + far).to_string(), (y + far).to_string()];
        let ([x1, y1], [x2, y2]) = (at(5), at(0));
        let moves = ["mousemove", &x1, &y1, "sleep", REST, "mousemove", &x2, &y2, "sleep", REST];
        self.do_this(&[&moves, &["mouseup", "1"][..]].concat());
    }
}

fn settings_file() -> String {
    format!(
        "[config]\nbm_open_method=0\n\n[volume]\nmount_on_startup=0\nmount_removable=0\n\
         autorun=0\n\n[ui]\nwin_width={}\nwin_height={}\nmaximized=0\nside_pane_mode=hidden;\
         places;\nview_mode=list\nshow_hidden=0\nsort=name;ascending;\ntoolbar=navigation;\n\
         show_statusbar=0\n",
        SIZE.0, SIZE.1
    )
}
