//! Sweeps: many jobs that have nothing to do with each other, run on all cores, with results in the order of the plan.
//!
//! A [`Job`] is a key (named values, such as `pipelines = 4, pattern = uniform, seed = 3`) and a function that gives
//! measures (named values again). [`sweep`] runs jobs and gives a [`Row`] for each, in the order in which they were
//! given, whatever the number of threads. With a [`Journal`], a sweep that was cut goes on where it was.
//!
//! A job must be a function of its key, the plan and the version alone: no clock, no ambient randomness. By convention
//! the name `seed` in a key is what a job is repeated over; means and spreads are taken over it.

mod journal;
mod kept;
mod points;
mod pool;

pub use journal::Journal;
pub use kept::Kept;
pub use points::Points;
pub use pool::{Finished, sweep};

use diagnostics::Failure;
use plans::{Record, Value};

/// The name in a key over which jobs are repeated.
pub const REPEATED_OVER: &str = "seed";

/// What a job does.
type Task<'j> = Box<dyn Fn() -> Result<Record, Failure> + Send + Sync + 'j>;

/// One job of a sweep.
pub struct Job<'j> {
    key: Record,
    contents: Option<String>,
    weight: u64,
    task: Task<'j>,
}

/// What came of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which job it was.
    pub key: Record,
    /// What it gave.
    pub measures: Record,
}

impl<'j> Job<'j> {
    /// A job that is told from the others of its sweep by `key` and takes about `weight`, in any unit that all jobs of
    /// the sweep share: the longest begin first.
    pub fn new(key: Record, weight: u64, task: impl Fn() -> Result<Record, Failure> + Send + Sync + 'j) -> Self {
        Self { key, contents: None, weight, task: Box::new(task) }
    }

    /// Says everything that what the job gives is a function of, beside the version: by it [`Points`] keep what it gave. It is
    /// the key if nothing is said.
    #[must_use]
    pub fn with_contents(self, contents: impl Into<String>) -> Self {
        Self { contents: Some(contents.into()), ..self }
    }

    /// Returns everything that what the job gives is a function of, beside the version.
    pub fn contents(&self) -> String {
        self.contents.clone().unwrap_or_else(|| self.key.to_string())
    }

    /// Which job it is.
    pub fn key(&self) -> &Record {
        &self.key
    }

    /// About how long it takes, beside the others of its sweep.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// Does it.
    ///
    /// # Errors
    /// What the function says.
    pub fn run(&self) -> Result<Record, Failure> {
        (self.task)()
    }
}

impl Row {
    /// A value of the key or, if the key has none of this name, of the measures.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.key.get(name).or_else(|| self.measures.get(name))
    }

    /// A number of the key or the measures.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }
}
