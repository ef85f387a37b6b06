//! Runs a program to its end, and measures its time and memory.

use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::memory;
use diagnostics::Failure;

/// The result of running a program.
pub(super) struct Finished {
    /// Its standard output.
    pub output: String,
    /// The wall-clock time from its start to its end, in seconds.
    pub seconds: f64,
    /// Its peak resident set size in bytes; `None` on systems other than Linux.
    pub peak: Option<u64>,
}

/// Runs a program to its end.
///
/// # Errors
/// If the program cannot be started or its output cannot be read.
pub(super) fn finish(command: &mut Command) -> Result<Finished, Failure> {
    let name = command.get_program().display().to_string();
    let fault = |error: std::io::Error| Failure::plain(format!("cannot run {name}: {error}"));
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(fault)?;
    let mut pipe = child.stdout.take().expect("standard output is piped");
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let mut peak = None;
    // The kernel reports the peak only while the process lives, so the last reading is the most accurate.
    while child.try_wait().map_err(fault)?.is_none() {
        peak = memory::peak_of(child.id()).or(peak);
        thread::sleep(Duration::from_millis(1));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = reader.join().expect("the reader does not panic").map_err(fault)?;
    Ok(Finished { output, seconds, peak })
}
