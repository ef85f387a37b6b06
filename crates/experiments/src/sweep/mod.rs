//! Sweeps: independent jobs that run on all cores, with results in the order of the plan.
//!
//! A [`Job`] is a key (named values, such as `pipelines = 4, pattern = uniform, seed = 3`) and a function that returns
//! measures (named values again). [`sweep`] runs jobs and returns a [`Row`] for each, in the order of the jobs,
//! whatever the number of threads. With a [`Journal`], an interrupted sweep resumes where it stopped.
//!
//! The measures of a job must depend on its key, the plan and the version alone: no clock, no ambient randomness. By
//! convention, jobs are repeated over the name `seed` of their keys; means and spreads are taken over it.

mod journal;
mod kept;
mod measured;
mod points;
mod pool;

pub use journal::Journal;
pub use kept::Kept;
pub use measured::{Course, Measured, Timeline, TimelineInterval};
pub use points::Points;
pub use pool::{Finished, sweep};

use diagnostics::Failure;
use plans::{Record, Value};

/// The name in a key over which jobs are repeated.
pub const REPEATED_OVER: &str = "seed";

/// The function of a job.
type Task<'j> = Box<dyn Fn() -> Result<Measured, Failure> + Send + Sync + 'j>;

/// One job of a sweep.
pub struct Job<'j> {
    key: Record,
    contents: Option<String>,
    weight: u64,
    keeps_timeline: bool,
    task: Task<'j>,
}

/// The key and the measures of a finished job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The key of the job.
    pub key: Record,
    /// The measures of the job.
    pub measures: Record,
    /// What was so over time, if the job tells it and something draws it.
    pub timeline: Timeline,
}

impl<'j> Job<'j> {
    /// Makes a job whose `task` returns measures, or [`Measured`]. Its `key` differs from those of the other jobs of its
    /// sweep. Its `weight` is its approximate duration in any unit that the jobs of the sweep share: the longest jobs begin
    /// first.
    pub fn new<M: Into<Measured>>(
        key: Record,
        weight: u64,
        task: impl Fn() -> Result<M, Failure> + Send + Sync + 'j,
    ) -> Self {
        let task = move || task().map(Into::into);
        Self { key, contents: None, weight, keeps_timeline: true, task: Box::new(task) }
    }

    /// Forgets what was so over time, because nobody draws it.
    #[must_use]
    pub fn without_timeline(self) -> Self {
        Self { keeps_timeline: false, ..self }
    }

    /// Sets the text of everything that the measures depend on, except for the version: [`Points`] stores the measures
    /// by it. It is the key by default.
    #[must_use]
    pub fn with_contents(self, contents: impl Into<String>) -> Self {
        Self { contents: Some(contents.into()), ..self }
    }

    /// Returns the text of everything that the measures depend on, except for the version.
    pub fn contents(&self) -> String {
        self.contents.clone().unwrap_or_else(|| self.key.to_string())
    }

    /// Returns the key of the job.
    pub fn key(&self) -> &Record {
        &self.key
    }

    /// Returns the approximate duration of the job relative to the others of its sweep.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// Runs the job.
    ///
    /// # Errors
    /// Fails if the function of the job does.
    pub fn run(&self) -> Result<Measured, Failure> {
        let mut measured = (self.task)()?;
        if !self.keeps_timeline {
            measured.timeline = Timeline::default();
        }
        Ok(measured)
    }
}

impl Row {
    /// Returns a value of the key or, if the key has none of this name, of the measures.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.key.get(name).or_else(|| self.measures.get(name))
    }

    /// Returns a number of the key or of the measures.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }
}
