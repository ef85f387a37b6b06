//! Namespaces for one test, and a folder with plans of labs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The time in seconds after which a test is considered hung.
const LONGEST: &str = "120";
/// What runs in the namespaces before the script of a test: an empty `/run`, loopback, the program, and words for checks.
const PRELUDE: &str = r#"
    mount -t tmpfs tmpfs /run && ip link set lo up || exit 77
    fail() { echo "FAILED: $*"; polyplane lab status; exit 1; }
    lab() { polyplane lab "$@"; }
    pings() { for try in 1 2 3 4 5; do lab exec ${3:+--lab "$3"} "$1" -- ping -n -c 1 -W 1 "$2" > /dev/null && return 0; done; return 1; }
    nothing_is_left() {
        test -z "$(ls /run/netns)" || fail "namespaces are left: $(ls /run/netns)"
        test -z "$(ls /run/polyplane/lab)" || fail "folders are left: $(ls /run/polyplane/lab)"
        ! pgrep -f "^[^ ]*polyplane live /run" || fail "switches are left"
    }
"#;

/// A folder for one test, which is removed afterwards.
pub struct Site {
    folder: PathBuf,
    name: &'static str,
}

/// A line of three switches that learn, with two hosts.
pub const LINE: &str = r#"
name = "line"
program = "learning_switch.p4"
machine = "v1model"
host = [{ name = "h1", address = "10.0.0.1/24", mac = "02:00:00:00:00:01" }, { name = "h2", address = "10.0.0.2/24" }]
switch = [
    { name = "s1", tables = ["commands.txt"] },
    { name = "s2", tables = ["commands.txt"] },
]
link = [{ between = ["h1", "s1-p0"] }, { between = ["s1-p1", "s2-p1"] }, { between = ["h2", "s2-p0"] }]
"#;

impl Site {
    /// Makes the folder, with the learning switch and `line.toml` in it.
    pub fn new(name: &'static str) -> Self {
        let folder = std::env::temp_dir().join(format!("polyplane-lab-{name}-{}", std::process::id()));
        let site = Self { folder, name };
        std::fs::create_dir_all(&site.folder).expect("a temporary folder can be made");
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/learning_switch");
        for file in ["learning_switch.p4", "commands.txt"] {
            std::fs::copy(programs.join(file), site.folder.join(file)).expect("the program is there");
        }
        site.write("line.toml", LINE);
        site
    }

    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.folder.join(file), text).expect("a temporary file can be written");
    }

    /// Runs a script in the namespaces, in the folder. Returns `None`, after saying why, where that is not possible.
    pub fn run(&self, script: &str) -> Option<Output> {
        let polyplane = Path::new(env!("CARGO_BIN_EXE_polyplane")).parent().expect("it is in a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("timeout");
        command.args([
            "-s",
            "KILL",
            LONGEST,
            "unshare",
            "--user",
            "--map-root-user",
            "--net",
            "--mount",
            "--pid",
            "--fork",
        ]);
        command.args(["--mount-proc", "--kill-child", "sh", "-c", &format!("{PRELUDE}\n{script}")]);
        command.current_dir(&self.folder).env("PATH", format!("{}:{path}:/usr/sbin:/sbin", polyplane.display()));
        let output = command.output();
        let can_not = match &output {
            Err(error) => Some(error.to_string()),
            Ok(output) if output.status.code() == Some(77) => Some("no mount or no `ip` in namespaces".to_owned()),
            Ok(output) if output.stderr.starts_with(b"unshare:") => {
                Some(String::from_utf8_lossy(&output.stderr).trim().to_owned())
            }
            Ok(_) => None,
        };
        if let Some(why) = can_not {
            eprintln!("SKIPPED {}: {why}; no lab was made", self.name);
            return None;
        }
        output.ok()
    }

    /// Runs a script that must succeed, and returns what it prints.
    pub fn succeeds(&self, script: &str) -> String {
        let Some(output) = self.run(script) else { return String::new() };
        let [out, error] = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(output.status.success(), "{}: {out}\n{error}", output.status);
        out
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
