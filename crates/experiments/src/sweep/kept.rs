//! Where a sweep keeps what jobs gave.

use diagnostics::Failure;
use plans::Record;

use super::{Job, Journal};

/// Keeps what jobs gave, so that a sweep that was cut goes on where it was.
pub trait Kept {
    /// Returns what a job gave, if that is kept.
    fn find(&self, job: &Job<'_>) -> Option<Record>;

    /// Keeps what a job gave.
    ///
    /// # Errors
    /// What the file system says.
    fn keep(&mut self, job: &Job<'_>, measures: &Record) -> Result<(), Failure>;
}

impl Kept for Journal {
    fn find(&self, job: &Job<'_>) -> Option<Record> {
        Journal::find(self, job.key()).cloned()
    }

    fn keep(&mut self, job: &Job<'_>, measures: &Record) -> Result<(), Failure> {
        self.add(job.key(), measures)
    }
}
