//! The list of reasons why a program cannot be flattened, without duplicates.

use crate::report::Finding;

/// The reasons found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
}

impl Findings {
    /// Adds a reason unless it is already in the list.
    pub(super) fn push(&mut self, finding: Finding) {
        if !self.found.contains(&finding) {
            self.found.push(finding);
        }
    }

    /// Adds a reason without notes unless it is already in the list.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.push(Finding::new(message));
    }

    /// Returns an error with all reasons, if there are any.
    pub(super) fn result(self) -> Result<(), Vec<Finding>> {
        if self.found.is_empty() { Ok(()) } else { Err(self.found) }
    }
}
