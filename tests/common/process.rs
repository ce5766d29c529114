//! Tests in a process of their own: for what belongs to a whole process (its user, umask,
//! limits, descriptors and threads). The same test runs once more there, alone.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Whether this process may do everything.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The name of the test that this stands in, as the test program knows it.
#[macro_export]
macro_rules! test_name {
    () => {{
        fn here() {}
        let name = std::any::type_name_of_val(&here);
        let name = name.strip_suffix("::here").unwrap_or(name);
        let name = name.strip_suffix("::{{closure}}").unwrap_or(name);
        name.split_once("::").map_or(name, |(_crate, test)| test)
    }};
}

/// A user that owns nothing.
pub const NOBODY: u32 = 65534;

/// How the other process is set up.
pub struct Child {
    test: &'static str,
    as_nobody: bool,
    groups: Option<u32>,
    shell: String,
    variables: Vec<(String, String)>,
}

impl Child {
    /// A process for a test (see [`test_name`](crate::test_name)).
    pub fn of(test: &'static str) -> Child {
        Child { test, as_nobody: false, groups: None, shell: String::new(), variables: vec![] }
    }

    /// With this umask.
    pub fn umask(mut self, mask: u32) -> Child {
        self.shell += &format!("umask {mask:04o}; ");
        self
    }

    /// With at most so many open descriptors.
    pub fn descriptors(mut self, most: u32) -> Child {
        self.shell += &format!("ulimit -n {most}; ");
        self
    }

    /// As a user without rights. Where the tests are not run by root they are run by one.
    pub fn by_nobody(mut self) -> Child {
        self.as_nobody = true;
        self
    }

    /// In one more group, where the tests are run by root.
    pub fn in_group(mut self, group: u32) -> Child {
        self.groups = Some(group);
        self
    }

    /// With this environment variable.
    pub fn variable(mut self, name: &str, value: &str) -> Child {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs the test's body there; fails where it fails.
    #[track_caller]
    pub fn run(self, body: impl FnOnce()) {
        const MARK: &str = "FERRY_TEST_CHILD";
        if std::env::var_os(MARK).is_some_and(|test| test == self.test) {
            body();
            return;
        }
        let drops = self.as_nobody && is_root();
        let program = if drops { program_for_all() } else { std::env::current_exe().unwrap() };
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{}exec \"$@\"", self.shell), "sh"]);
        if drops {
            let id = NOBODY.to_string();
            command.args(["setpriv", "--reuid", &id, "--regid", &id]);
            match self.groups {
                Some(group) => command.args(["--groups", &group.to_string()]),
                None => command.arg("--clear-groups"),
            };
            command.args(["--inh-caps=-all", "--"]).current_dir("/");
        }
        command.arg(program).args([self.test, "--exact", "--nocapture", "--test-threads=1"]);
        let output = command.env(MARK, self.test).envs(self.variables).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        for skipped in text.lines().filter(|line| line.starts_with("skipped: ")) {
            println!("{skipped}");
        }
        assert!(
            output.status.success() && text.contains("1 passed"),
            "in a process of its own ({}):\n{text}\n{errors}",
            output.status
        );
    }
}

/// This program where every user can run it: a checkout may lie in a private home.
fn program_for_all() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let place = super::mounts::shared_folder();
            let path = place.join("tests");
            std::fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        })
        .clone()
}
