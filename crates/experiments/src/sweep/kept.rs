//! Stores for the results of jobs.

use diagnostics::Failure;
use plans::Record;

use super::{Job, Journal};

/// A store for the results of jobs, from which an interrupted sweep resumes.
pub trait Kept {
    /// Returns the measures of a job if they are stored.
    fn find(&self, job: &Job<'_>) -> Option<Record>;

    /// Stores the measures of a job.
    ///
    /// # Errors
    /// Fails if the file system does.
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
