//! What keeps a program from being flattened, each thing told once.

use crate::report::Finding;

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Finding>,
}

impl Findings {
    /// Adds a reason, unless it is known.
    pub(super) fn push(&mut self, finding: Finding) {
        if !self.found.contains(&finding) {
            self.found.push(finding);
        }
    }

    /// Adds a reason without notes, unless it is known.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.push(Finding::new(message));
    }

    /// Everything that was found, if something was.
    pub(super) fn result(self) -> Result<(), Vec<Finding>> {
        if self.found.is_empty() { Ok(()) } else { Err(self.found) }
    }
}
