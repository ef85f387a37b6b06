//! The progress of `polyplane reproduce`, on standard error.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use polyplane::rooms::experiments::plan::Experiment;
use polyplane::rooms::experiments::reproduce::Watcher;
use polyplane::rooms::experiments::sweep::Finished;

use crate::output;

/// Reports how many runs are done: on a terminal in one line that is overwritten, elsewhere in one line per experiment.
pub struct RunProgress {
    is_terminal: bool,
    started: Instant,
    /// The time at which the line was last written.
    written: Option<Instant>,
    name: String,
    done: usize,
    of: usize,
    /// The number of runs of this and all later experiments that are not done.
    left: usize,
    /// The number of runs that this command executed, as opposed to those found in a journal; the rate is computed from
    /// them.
    run: usize,
    resumed: usize,
}

/// The least time between two updates of the line on a terminal.
const BETWEEN_LINES: Duration = Duration::from_millis(100);

impl RunProgress {
    /// Starts the clock; no run is done yet.
    pub fn new() -> Self {
        Self {
            is_terminal: std::io::stderr().is_terminal(),
            started: Instant::now(),
            written: None,
            name: String::new(),
            done: 0,
            of: 0,
            left: 0,
            run: 0,
            resumed: 0,
        }
    }

    fn line(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let left = match self.run {
            0 => String::new(),
            run => format!(", about {:.0} s left of all", seconds / run as f64 * self.left as f64),
        };
        format!("{}: {} of {} runs{left}", self.name, self.done, self.of)
    }

    /// Reports the total number of runs and the elapsed time.
    pub fn end(&self) {
        let resumed = match self.resumed {
            0 => String::new(),
            resumed => format!(", {resumed} of them finished by an earlier command"),
        };
        let clear = if self.is_terminal { "\r\x1b[K" } else { "" };
        let runs = self.run + self.resumed;
        output::tell(&format!("{clear}{runs} runs in {:.1} s{resumed}\n", self.started.elapsed().as_secs_f64()));
    }
}

impl Watcher for RunProgress {
    fn begins(&mut self, experiment: &Experiment, jobs: usize, left: usize) {
        (self.name, self.done, self.of, self.left) = (experiment.name.clone(), 0, jobs, left);
        if !self.is_terminal {
            output::tell(&format!("{}: {jobs} runs …\n", self.name));
        }
    }

    fn finished(&mut self, job: Finished<'_>) {
        self.done += 1;
        self.left -= 1;
        *if job.is_resumed { &mut self.resumed } else { &mut self.run } += 1;
        if self.is_terminal && self.written.is_none_or(|written| written.elapsed() >= BETWEEN_LINES) {
            output::tell(&format!("\r\x1b[K{}", self.line()));
            self.written = Some(Instant::now());
        }
    }
}
