//! Programs that run during a test: a switch by its command, and servers.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The time after which something will not happen any more.
const LONGEST: Duration = Duration::from_secs(20);

/// Waits until something holds.
///
/// # Panics
/// Panics if it does not within 20 seconds.
pub fn soon(what: &str, holds: impl FnMut() -> bool) {
    assert!(comes(holds), "not after {LONGEST:?}: {what}");
}

/// Waits until something holds, at most for 20 seconds, and returns whether it does.
pub fn comes(mut holds: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while !holds() {
        if began.elapsed() > LONGEST {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// Returns true if a program can be found.
pub fn is_there(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// A program that is killed when this is dropped.
pub struct Server(Child);

impl Server {
    /// Starts a program that says nothing.
    pub fn start(mut command: Command) -> Self {
        let started = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Self(started.unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a program that must succeed, and returns what it prints.
pub fn said(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [text, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{text}{errors}", output.status);
    text
}

/// The words that start a switch.
const RUN: [&str; 2] = ["run", "host.toml"];

/// `polyplane vswitch run`, in a process of its own.
pub struct SwitchProcess {
    child: Child,
    folder: TempDir,
}

impl SwitchProcess {
    /// Starts the switch of a configuration in this namespace, and returns when it is served.
    pub fn start(configuration: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join("host.toml"), configuration).expect("a file can be written");
        let child = Self::spawn(&folder, &RUN);
        let switch = Self { child, folder };
        switch.is_served();
        switch
    }

    fn spawn(folder: &TempDir, words: &[&str]) -> Child {
        let file = |name: &str| std::fs::File::create(folder.path().join(name)).expect("a file can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane"));
        command.arg("vswitch").args(words).args(["--json", "--socket", "socket"]).current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(file("ended.json")).stderr(file("said.txt")).spawn().expect("it is built")
    }

    fn is_served(&self) {
        soon("the switch is served", || {
            let said = std::fs::read_to_string(self.folder.path().join("said.txt")).unwrap_or_default();
            assert!(!said.contains("error"), "{said}");
            said.contains("control socket")
        });
    }

    /// Kills the switch, and starts it again with its configuration.
    pub fn kill_and_start_again(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it can be waited for");
        self.child = Self::spawn(&self.folder, &RUN);
        self.is_served();
    }

    /// Lets a new process take over from the one that runs, which ends.
    pub fn upgrades(&mut self) {
        let new = Self::spawn(&self.folder, &["upgrade"]);
        let mut old = std::mem::replace(&mut self.child, new);
        self.is_served();
        assert!(old.wait().expect("it can be waited for").success(), "the old switch ends in order");
    }

    /// Returns the path of the control socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// Returns what a subcommand says of the running switch.
    pub fn asks(&self, words: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane"));
        command.arg("vswitch").args(words).arg("--json").arg("--socket").arg(self.socket());
        serde_json::from_str(&said(command)).unwrap_or(Value::Null)
    }

    /// Stops the switch, and returns its counts, in which every frame has a verdict.
    pub fn end(mut self) -> Value {
        self.asks(&["stop"]);
        let status = self.child.wait().expect("it can be waited for");
        assert!(status.success(), "{status}");
        let counts = std::fs::read_to_string(self.folder.path().join("ended.json")).expect("it has said so");
        let counts: Value = serde_json::from_str(&counts).expect("JSON");
        assert_eq!(counts["missing"], 0, "every frame has a verdict: {counts}");
        counts
    }
}

impl Drop for SwitchProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
