//! A program that is run to the end, and what that took.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::memory;
use diagnostics::Failure;

/// What a run of a program took.
pub(super) struct Finished {
    /// What it printed.
    pub output: String,
    /// From its start to its end.
    pub seconds: f64,
    /// The most memory that it had at a time, in bytes; `None` where no Linux says so.
    pub peak: Option<u64>,
}

/// Runs a program to its end.
///
/// # Errors
/// If it cannot be started.
pub(super) fn finish(command: &mut Command) -> Result<Finished, Failure> {
    let name = command.get_program().display().to_string();
    let fault = |error: std::io::Error| Failure::plain(format!("cannot run {name}: {error}"));
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(fault)?;
    let mut pipe = child.stdout.take().expect("it was asked for");
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let mut peak = None;
    // The kernel keeps the peak while the process lives: what is asked last is nearest to the truth.
    while child.try_wait().map_err(fault)?.is_none() {
        peak = memory::peak_of(child.id()).or(peak);
        thread::sleep(Duration::from_millis(1));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = reader.join().expect("a reader does not panic").map_err(fault)?;
    Ok(Finished { output, seconds, peak })
}
