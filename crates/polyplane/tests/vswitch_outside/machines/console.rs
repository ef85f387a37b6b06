//! The serial line of a machine, on which a shell waits for commands of one line.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long a machine may take to boot, and a command to end.
const LONGEST: Duration = Duration::from_secs(60);

/// The line.
pub struct Console {
    input: ChildStdin,
    lines: Receiver<String>,
    commands: u32,
}

impl Console {
    pub fn new(input: ChildStdin, output: ChildStdout) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if sender.send(text).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Self { input, lines, commands: 0 }
    }

    /// Waits for a line that ends so, and returns those before it.
    pub fn wait_for(&mut self, end: &str) -> Vec<String> {
        let (began, mut before) = (Instant::now(), Vec::new());
        loop {
            let left = LONGEST.saturating_sub(began.elapsed());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.ends_with(end) => return before,
                Ok(line) => before.push(line),
                Err(error) => panic!("the machine does not say `{end}`, but:\n{}\n{error}", before.join("\n")),
            }
        }
    }

    /// Runs a command, and returns whether it succeeds and what it prints.
    pub fn tries(&mut self, command: &str) -> (bool, String) {
        self.commands += 1;
        // The end stands on a line of its own, whatever comes before it.
        let end = format!("END {}", self.commands);
        let outcome = "outcome=$?; echo; [ $outcome = 0 ] && echo done || echo failed";
        self.says(&format!("{command}\n{outcome}; echo {end}"));
        let mut lines = self.wait_for(&end);
        let outcome = lines.pop().unwrap_or_default();
        (outcome == "done", lines.join("\n"))
    }

    /// Runs a command of which nothing is heard any more.
    pub fn says(&mut self, command: &str) {
        writeln!(self.input, "{command}").expect("the machine runs");
    }
}
