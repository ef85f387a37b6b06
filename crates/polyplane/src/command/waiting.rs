//! What a command is at, for whoever waits for longer than a second.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use polyplane::rooms::passes::Observer;

use crate::output;

/// Tells what a command is at: on a terminal after a second in one line that changes, elsewhere after ten seconds in a line
/// for each step. Ends when it is dropped.
pub struct Waiting {
    step: Arc<Mutex<String>>,
    /// Dropped first, which ends the thread.
    done: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

const SECOND: Duration = Duration::from_secs(1);
/// Nobody watches a file, and what a command prints into one should not depend on how busy the computer is.
const FIRST_LINE: Duration = Duration::from_secs(10);

impl Waiting {
    /// Begins to wait for `what`, such as "compiling `heavy_hitters`".
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
        // Without a thread to spare nothing is told, and the command does its work all the same.
        let teller = std::thread::Builder::new().spawn(tell).ok();
        Self { step, done: Some(done), teller }
    }

    /// Says what is done from now on.
    pub fn step(&self, step: &str) {
        if let Ok(mut current) = self.step.lock() {
            step.clone_into(&mut current);
        }
    }
}

impl Observer for Waiting {
    fn begins(&mut self, step: &str) {
        self.step(step);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.done = None;
        if let Some(teller) = self.teller.take() {
            // It only writes, and a panic there would be its own.
            let _ = teller.join();
        }
    }
}
