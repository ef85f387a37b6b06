//! Stores for the results of jobs.

use diagnostics::Failure;

use super::{Job, Journal, Measured};

/// A store for the results of jobs, from which an interrupted sweep resumes.
pub trait Kept {
    /// Returns what a job has measured if it is stored.
    fn find(&self, job: &Job<'_>) -> Option<Measured>;

    /// Stores what a job has measured.
    ///
    /// # Errors
    /// Fails if the file system does.
    fn keep(&mut self, job: &Job<'_>, measured: &Measured) -> Result<(), Failure>;
}

impl Kept for Journal {
    fn find(&self, job: &Job<'_>) -> Option<Measured> {
        Journal::find(self, job.key()).cloned()
    }

    fn keep(&mut self, job: &Job<'_>, measured: &Measured) -> Result<(), Failure> {
        self.add(job.key(), measured)
    }
}
