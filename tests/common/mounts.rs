//! Real file systems for tests: loop images, mounted once a process, unmounted after it.
//!
//! A shell of our own keeps the list of mounts. It reads it from a pipe and unmounts all of
//! them when the pipe's other end goes, which the kernel closes however this process ends:
//! well, by a panic, or killed. Mounting needs root; without it a test says "skipped".

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Place, is_root, skip};

/// A kind of file system that the tests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fs {
    /// ext4 on a loop image.
    Ext4,
    /// XFS (with reflinks) on a loop image.
    Xfs,
    /// btrfs on a loop image.
    Btrfs,
    /// tmpfs.
    Tmpfs,
}

/// How large the images seem; they are sparse.
const IMAGE_BYTES: u64 = 2 << 30;

impl Fs {
    /// The whole matrix.
    pub const ALL: [Fs; 4] = [Fs::Ext4, Fs::Xfs, Fs::Btrfs, Fs::Tmpfs];

    /// Every ordered pair of them.
    pub fn pairs() -> impl Iterator<Item = (Fs, Fs)> {
        Fs::ALL.into_iter().flat_map(|one| Fs::ALL.into_iter().map(move |other| (one, other)))
    }

    /// Its name, as the kernel calls it.
    pub fn name(self) -> &'static str {
        match self {
            Fs::Ext4 => "ext4",
            Fs::Xfs => "xfs",
            Fs::Btrfs => "btrfs",
            Fs::Tmpfs => "tmpfs",
        }
    }

    /// Whether files in it can share data.
    pub fn clones(self) -> bool {
        matches!(self, Fs::Xfs | Fs::Btrfs)
    }

    /// A new folder on such a file system; `None`, and said, where that cannot be.
    pub fn place(self) -> Option<Place> {
        static MOUNTED: [OnceLock<Option<PathBuf>>; 4] = [const { OnceLock::new() }; 4];
        let at = MOUNTED[self as usize].get_or_init(|| self.mount_once());
        if at.is_none() {
            skip(&format!("no {} here (mounting needs root)", self.name()));
        }
        at.as_deref().map(Place::new_in)
    }

    fn mount_once(self) -> Option<PathBuf> {
        if !is_root() {
            let memory = Path::new("/dev/shm");
            return (self == Fs::Tmpfs && memory.is_dir()).then(|| memory.to_path_buf());
        }
        let at = new_mount_point(self.name());
        match self {
            Fs::Tmpfs => mount("tmpfs", &["-t", "tmpfs", "-o", "size=3g,mode=755"], &at),
            _ => {
                let image = make_image(self, IMAGE_BYTES)?;
                mount(&image, &["-t", self.name(), "-o", "loop,nodiscard"], &at);
            }
        }
        Some(at)
    }
}

/// A folder of a test's own wherever temporary files are.
pub fn scratch() -> Place {
    Place::new_in(&reaper().base)
}

/// A mount of one test, unmounted at its end.
pub struct Mount {
    path: PathBuf,
}

impl std::ops::Deref for Mount {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _reaped_later_if_busy = Command::new("umount").arg(&self.path).output();
    }
}

/// A tmpfs with room for so many bytes and (0: enough) files; `None`, and said, without root.
pub fn small_tmpfs(bytes: u64, files: u64) -> Option<Mount> {
    may_mount()?;
    let path = new_mount_point("small");
    let options = format!("size={bytes},nr_inodes={files},mode=755");
    mount("tmpfs", &["-t", "tmpfs", "-o", &options], &path);
    Some(Mount { path })
}

/// A small ext4; `None`, and said, without root.
pub fn small_ext4(bytes: u64) -> Option<Mount> {
    small(Fs::Ext4, bytes)
}

/// An ext4 on a device that stays when it is unmounted: what a stick is to its user.
pub struct Removable {
    mount: Mount,
    device: String,
    /// Whoever holds the device keeps its number; it goes when the process does.
    _held: std::fs::File,
}

impl Removable {
    /// A small one, mounted; `None`, and said, without root.
    pub fn new(bytes: u64) -> Option<Removable> {
        let mount = small_ext4(bytes)?;
        let device = super::command("findmnt", &[&"-n", &"-o", &"SOURCE", &&*mount]);
        let device = device.trim().to_owned();
        let _held = std::fs::File::open(&device).unwrap();
        Some(Removable { mount, device, _held })
    }

    /// Whether it could be unmounted: nobody has anything open there.
    pub fn is_taken_away(&self) -> bool {
        Command::new("umount").arg(&*self.mount).output().unwrap().status.success()
    }

    /// Mounts it again.
    pub fn put_back(&self) {
        mount(&self.device, &["-t", "ext4"], &self.mount);
    }
}

impl std::ops::Deref for Removable {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.mount
    }
}

/// A small btrfs; `None`, and said, without root.
pub fn small_btrfs(bytes: u64) -> Option<Mount> {
    small(Fs::Btrfs, bytes)
}

fn small(kind: Fs, bytes: u64) -> Option<Mount> {
    may_mount()?;
    let path = new_mount_point("small");
    let image = make_image(kind, bytes)?;
    mount(&image, &["-t", kind.name(), "-o", "loop,nodiscard"], &path);
    Some(Mount { path })
}

/// A file system without attributes and access lists; `None`, and said, without root.
pub fn ramfs() -> Option<Mount> {
    may_mount()?;
    let path = new_mount_point("ramfs");
    mount("ramfs", &["-t", "ramfs", "-o", "mode=755"], &path);
    Some(Mount { path })
}

/// File systems of other systems, on loop images, by their FUSE drivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// exFAT: folds case, has neither links nor modes, refuses characters.
    Exfat,
    /// NTFS that holds names for Windows alone: refuses characters, ends and reserved names.
    Ntfs,
}

impl Foreign {
    /// Both of them.
    pub const ALL: [Foreign; 2] = [Foreign::Exfat, Foreign::Ntfs];

    /// A new one; `None`, and said, without root or its tools.
    pub fn mount(self) -> Option<Mount> {
        may_mount()?;
        let (kind, make, driver, options): (_, &[&str], _, _) = match self {
            Foreign::Exfat => ("exfat-fuse", &["mkfs.exfat"], "mount.exfat-fuse", "loop"),
            Foreign::Ntfs => {
                ("ntfs-3g", &["mkfs.ntfs", "-F", "-Q"], "ntfs-3g", "loop,windows_names")
            }
        };
        let image = reaper().new_path("image");
        std::fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
        let made = Command::new(make[0]).args(&make[1..]).arg(&image).output();
        let has_driver = Command::new(driver).arg("--version").output().is_ok();
        if !has_driver || !made.as_ref().is_ok_and(|made| made.status.success()) {
            skip(&format!("{}, {driver}: not installed", make[0]));
            return None;
        }
        let path = new_mount_point(kind);
        mount(&image, &["-t", kind, "-o", options], &path);
        Some(Mount { path })
    }
}

/// A folder seen a second time somewhere else; `None`, and said, without root.
pub fn bind(folder: &Path) -> Option<Mount> {
    may_mount()?;
    let path = new_mount_point("bind");
    mount(folder, &["--bind"], &path);
    Some(Mount { path })
}

fn may_mount() -> Option<()> {
    if !is_root() {
        skip("mounting needs root");
    }
    is_root().then_some(())
}

fn make_image(kind: Fs, bytes: u64) -> Option<PathBuf> {
    let image = reaper().new_path("image");
    std::fs::File::create(&image).unwrap().set_len(bytes).unwrap();
    let (program, arguments): (&str, &[&str]) = match kind {
        Fs::Ext4 => ("mkfs.ext4", &["-q", "-F", "-I", "256", "-E", "nodiscard"]),
        Fs::Xfs => ("mkfs.xfs", &["-q", "-f", "-K", "-m", "reflink=1"]),
        Fs::Btrfs => ("mkfs.btrfs", &["-q", "-f", "-K"]),
        Fs::Tmpfs => return None,
    };
    match Command::new(program).args(arguments).arg(&image).output() {
        Ok(output) if output.status.success() => Some(image),
        Ok(output) => panic!("{program}: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            skip(&format!("{program}: {error}"));
            None
        }
    }
}

fn new_mount_point(name: &str) -> PathBuf {
    let path = reaper().new_path(name);
    std::fs::create_dir(&path).unwrap();
    path
}

/// Mounts; the list is told first, so that no moment is left in which a mount is unknown.
fn mount(source: impl AsRef<std::ffi::OsStr>, arguments: &[&str], at: &Path) {
    reaper().tell(at);
    let output =
        Command::new("mount").args(arguments).arg(source.as_ref()).arg(at).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "mount {arguments:?}: {error}");
}

/// Unmounts in the reverse order what it was told, then removes images and mount points.
const REAP: &str = r#"
trap '' INT TERM HUP
base=$1; shift; set --
while IFS= read -r mount; do set -- "$mount" "$@"; done
for mount in "$@"; do
    for try in 1 2 3 4 5 6 7 8 9 10; do
        mountpoint -q "$mount" || break
        umount "$mount" || sleep 0.3
    done
    mountpoint -q "$mount" && umount -l "$mount"
done
rm -rf --one-file-system -- "$base"
"#;

struct Reaper {
    base: PathBuf,
    /// The pipe, and how many paths were given out.
    list: Mutex<(ChildStdin, u32)>,
    /// It outlives this process: nobody waits for it.
    _shell: Child,
}

fn reaper() -> &'static Reaper {
    static REAPER: OnceLock<Reaper> = OnceLock::new();
    REAPER.get_or_init(|| {
        let base = tempfile::Builder::new().prefix("ferry-mounts-").tempdir().unwrap().keep();
        std::fs::set_permissions(&base, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut shell = Command::new("sh")
            .args(["-c", REAP, "sh"])
            .arg(&base)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A ^C at the terminal ends the tests, not their cleaning up.
            .process_group(0)
            .spawn()
            .unwrap();
        let list = shell.stdin.take().unwrap();
        Reaper { base, list: Mutex::new((list, 0)), _shell: shell }
    })
}

impl Reaper {
    fn new_path(&self, name: &str) -> PathBuf {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        list.1 += 1;
        self.base.join(format!("{name}-{}", list.1))
    }

    fn tell(&self, mount: &Path) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(list.0, "{}", mount.display()).unwrap();
        list.0.flush().unwrap();
    }
}

/// A folder that every user can read, removed after this process.
pub fn shared_folder() -> PathBuf {
    reaper().base.clone()
}

/// A tmpfs over a folder; `None`, and said, without root.
pub fn tmpfs_over(folder: &Path) -> Option<Mount> {
    may_mount()?;
    mount("tmpfs", &["-t", "tmpfs", "-o", "size=64m,mode=755"], folder);
    Some(Mount { path: folder.to_path_buf() })
}
