//! Tools that may be missing.

use std::process::{Child, Command, Stdio};

use crate::namespace::within;

/// Runs a test in a network namespace of its own if the tools are there, and says so otherwise.
pub fn with_tools(name: &str, tools: &[&str], body: impl FnOnce()) {
    let is_there = |tool: &&str| {
        let found = Command::new("sh").args(["-c", &format!("command -v {tool}")]).stdout(Stdio::null()).status();
        found.is_ok_and(|status| status.success())
    };
    match tools.iter().find(|tool| !is_there(tool)) {
        Some(missing) => eprintln!("SKIPPED {name}: not run: no {missing}"),
        None => within(name, body),
    }
}

/// A server that is ended when this is dropped.
pub struct Server(Child);

impl Server {
    pub fn start(mut command: Command) -> Self {
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Self(started.expect("nsenter is there"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command that must succeed, and returns what it prints.
pub fn said(mut command: Command) -> String {
    let output = command.output().expect("nsenter is there");
    let [text, errors] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{text}{errors}", output.status);
    text
}
