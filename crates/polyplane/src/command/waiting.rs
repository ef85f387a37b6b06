//! Reports on standard error which step a command is at, if it takes longer than a second.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use polyplane::rooms::passes::Observer;

use crate::output;

/// Reports which step a command is at until it is dropped: on a terminal after one second, in a line that is
/// overwritten; elsewhere after ten seconds, with one line per step.
pub struct WaitNotice {
    step: Arc<Mutex<String>>,
    /// Dropped before the thread is joined, which ends the thread.
    done: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

const SECOND: Duration = Duration::from_secs(1);
/// The time before the first line if standard error is not a terminal: long enough that output to a file rarely depends
/// on how busy the computer is.
const FIRST_LINE: Duration = Duration::from_secs(10);

impl WaitNotice {
    /// Starts reporting on `what`, such as "compiling `heavy_hitters`".
    pub fn new(what: &str) -> Self {
        let step = Arc::new(Mutex::new(String::new()));
        let (done, ended) = channel::<()>();
        let (what, shared, started) = (what.to_owned(), Arc::clone(&step), Instant::now());
        let tell = move || {
            let is_terminal = std::io::stderr().is_terminal();
            let mut told = String::new();
            while ended.recv_timeout(SECOND) == Err(RecvTimeoutError::Timeout) {
                let step = shared.lock().map(|step| step.clone()).unwrap_or_default();
                let line = format!("{what}: {step}, {:.0} s", started.elapsed().as_secs_f64());
                if is_terminal {
                    output::tell(&format!("\r\x1b[K{line}"));
                    told = step;
                } else if told != step && started.elapsed() >= FIRST_LINE {
                    output::tell(&format!("{line}\n"));
                    told = step;
                }
            }
            if is_terminal && !told.is_empty() {
                output::tell("\r\x1b[K");
            }
        };
        // If no thread can be spawned, the command works without reports.
        let teller = std::thread::Builder::new().spawn(tell).ok();
        Self { step, done: Some(done), teller }
    }

    /// Sets the step that is reported from now on.
    pub fn step(&self, step: &str) {
        if let Ok(mut current) = self.step.lock() {
            step.clone_into(&mut current);
        }
    }
}

impl Observer for WaitNotice {
    fn begins(&mut self, step: &str) {
        self.step(step);
    }
}

impl Drop for WaitNotice {
    fn drop(&mut self) {
        self.done = None;
        if let Some(teller) = self.teller.take() {
            // The thread only writes reports; if it panicked, the command's result is unaffected.
            let _ = teller.join();
        }
    }
}
