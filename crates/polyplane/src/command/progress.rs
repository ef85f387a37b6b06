//! How far a long command is, for whoever waits.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use polyplane::rooms::experiments::plan::Experiment;
use polyplane::rooms::experiments::reproduce::Watcher;
use polyplane::rooms::experiments::sweep::Finished;

use crate::output;

/// Tells how far the runs are: one line that changes on a terminal, a line an experiment elsewhere.
pub struct Progress {
    is_terminal: bool,
    started: Instant,
    /// When the line was last written.
    told: Option<Instant>,
    name: String,
    done: usize,
    of: usize,
    /// Of all experiments from now on, those not done.
    left: usize,
    /// How many were run, not found in a journal; the rate is theirs.
    run: usize,
    resumed: usize,
}

/// Often enough for eyes, seldom enough for terminals.
const BETWEEN_LINES: Duration = Duration::from_millis(100);

impl Progress {
    /// Nothing is done yet.
    pub fn new() -> Self {
        Self {
            is_terminal: std::io::stderr().is_terminal(),
            started: Instant::now(),
            told: None,
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

    /// Says how long all took.
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

impl Watcher for Progress {
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
        if self.is_terminal && self.told.is_none_or(|told| told.elapsed() >= BETWEEN_LINES) {
            output::tell(&format!("\r\x1b[K{}", self.line()));
            self.told = Some(Instant::now());
        }
    }
}
