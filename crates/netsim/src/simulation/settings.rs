//! The settings of a run.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use basis::{Duration, Instant};
use measure::Interest;

/// The settings of a run: how it is watched, executed and ended.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The events that stations report.
    pub interest: Interest,
    /// The interval between calls of [`super::Recorder::sample`]; `None` for never.
    pub sample_every: Option<Duration>,
    /// The time at which the run ends at the latest; with `None` it ends when no event is left.
    pub end: Option<Instant>,
    /// The interval between checks whether pauses wait for each other in a cycle, which ends the run; `None` for never.
    /// It must be longer than the time after which pauses are renewed.
    pub deadlocks_every: Option<Duration>,
    /// The most threads that may run the network in parallel; results do not depend on it.
    pub threads: NonZeroUsize,
    /// The policy by which that many threads are used; results do not depend on it.
    pub threading: Threading,
}

/// The policy by which several threads run a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threading {
    /// While they are faster than one thread, which is tried out; never more threads than the machine has processors.
    #[default]
    WhereItHelps,
    /// Always, if the network can be split.
    Always,
    /// In turn with one thread, each for this many events: for tests of determinism.
    ByTurns(u64),
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            interest: Interest::default(),
            sample_every: None,
            end: None,
            deadlocks_every: None,
            threads: NonZeroUsize::MIN,
            threading: Threading::default(),
        }
    }
}

impl Settings {
    /// Returns the most threads that can be useful.
    pub(super) fn most_threads(&self) -> usize {
        match self.threading {
            Threading::WhereItHelps => self.threads.min(available_parallelism().unwrap_or(NonZeroUsize::MIN)).get(),
            Threading::Always | Threading::ByTurns(_) => self.threads.get(),
        }
    }
}

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No event was left.
    Idle,
    /// The time limit was reached.
    TimeLimit,
    /// Pauses wait for each other in a cycle and can never end: see [`super::Simulation::deadlock`].
    Deadlock,
    /// The recorder stopped the run.
    Stopped,
}
