//! How a run is watched, run and ended.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use basis::{Duration, Instant};
use measure::Interest;

/// How a run is watched and ended.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What stations are to tell.
    pub interest: Interest,
    /// How often [`super::Recorder::sample`] is called; never if there is no such time.
    pub sample_every: Option<Duration>,
    /// When the run is over at the latest; when nothing is left to happen if there is no such time.
    pub end: Option<Instant>,
    /// How often it is looked whether pauses wait for each other in a circle, which ends the run; never if there is no such
    /// time. It is to be longer than the time after which pauses are renewed.
    pub deadlocks_every: Option<Duration>,
    /// How many threads may run it side by side; nothing that comes out depends on it.
    pub threads: NonZeroUsize,
    /// When it is run by so many; nothing that comes out depends on that either.
    pub threading: Threading,
}

/// When several threads run a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threading {
    /// While that is faster than one, which is tried; never more threads than the machine has processors.
    #[default]
    WhereItHelps,
    /// Always, if the network can be cut.
    Always,
    /// By turns with one thread, each for so many events: for tests of what comes out.
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
    /// How many threads may be of use.
    pub(super) fn most_threads(&self) -> usize {
        match self.threading {
            Threading::WhereItHelps => self.threads.min(available_parallelism().unwrap_or(NonZeroUsize::MIN)).get(),
            Threading::Always | Threading::ByTurns(_) => self.threads.get(),
        }
    }
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to happen.
    Idle,
    /// Its time was up.
    TimeLimit,
    /// Pauses wait for each other in a circle, for ever: [`super::Simulation::deadlock`] says which.
    Deadlock,
    /// Whoever watched it did not want to see more.
    Stopped,
}
