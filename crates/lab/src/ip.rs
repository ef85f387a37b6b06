//! The command `ip` of iproute2, which carries out a list of commands in one process.
//!
//! A lab of thirty nodes needs about a hundred requests to the kernel. `ip -batch` sends them in a few milliseconds and says
//! by number which failed and why, so that a netlink library, all of which bring an asynchronous runtime, would gain nothing.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use diagnostics::{Diagnostic, Failure};

use crate::state::Namespace;

/// Commands that run together, in order.
pub struct Batch {
    namespace: Option<String>,
    lines: Vec<String>,
}

impl Batch {
    /// Returns an empty list of commands that run in a network namespace, or in that of this process.
    pub fn new(namespace: Option<&str>) -> Self {
        Self { namespace: namespace.map(str::to_owned), lines: Vec::new() }
    }

    /// Adds a command, such as `link set eth0 up`.
    pub fn add(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Runs the commands, and stops at the first that fails.
    ///
    /// # Errors
    /// Fails with what `ip` says about that command.
    pub fn run(self) -> Result<(), Failure> {
        self.start()?.end()
    }

    /// Starts the commands, beside others.
    pub fn start(self) -> Result<Running, Failure> {
        let mut command = Command::new("ip");
        if let Some(namespace) = &self.namespace {
            command.args(["-netns", namespace]);
        }
        command.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(cannot_run)?;
        let text = self.lines.join("\n") + "\n";
        if let Some(mut input) = child.stdin.take() {
            // If `ip` has ended already, it says why.
            let _ = input.write_all(text.as_bytes());
        }
        Ok(Running { child, batch: self })
    }
}

/// Commands that run.
pub struct Running {
    child: Child,
    batch: Batch,
}

impl Running {
    /// Waits for the commands.
    ///
    /// # Errors
    /// Fails with what `ip` says about the first that failed.
    pub fn end(self) -> Result<(), Failure> {
        let output = self.child.wait_with_output().map_err(cannot_run)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        // "Command failed -:3"
        let number = said.rsplit_once("-:").and_then(|(_, number)| number.trim().parse::<usize>().ok());
        let line = number.and_then(|number| self.batch.lines.get(number.checked_sub(1)?));
        let reason = said.lines().find(|line| !line.starts_with("Command failed")).unwrap_or("no reason is given");
        let inside = self.batch.namespace.map(|name| format!(" in namespace {name}")).unwrap_or_default();
        let message = format!("`ip {}`{inside} failed: {reason}", line.map_or("-batch", |line| line));
        Err(Failure::plain(message))
    }
}

/// Returns what `ip` says about the interfaces in a namespace; nothing if that has gone.
pub fn links(namespace: &Namespace) -> Vec<serde_json::Value> {
    let mut command = Command::new("ip");
    command.args(["-netns", &namespace.name, "-json", "link", "show"]).stderr(Stdio::null());
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    serde_json::from_slice(&output).unwrap_or_default()
}

fn cannot_run(error: std::io::Error) -> Failure {
    let error = Diagnostic::without_place(format!("`ip` cannot be run: {error}"));
    error.hint("it is in the package iproute2").into()
}
