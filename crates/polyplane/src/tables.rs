//! Table entries and other requests of the control plane.

use std::path::Path;

use diagnostics::Failure;
use workbench::Entries;

use crate::Program;

/// Table entries and other requests of the control plane, read from files.
#[derive(Clone, Debug, Default)]
pub struct Tables(Entries);

impl Tables {
    /// Reads a file for a program: a packet test (`.stf`, of which only the requests count), the P4 tutorials' JSON
    /// (`.json`), or commands of `simple_switch_CLI` (any other name).
    ///
    /// # Errors
    /// Everything that is wrong with the file for this program, each at its place.
    pub fn read(path: impl AsRef<Path>, program: &Program) -> Result<Self, Failure> {
        Entries::read(path.as_ref(), program.loaded()).map(Self)
    }

    /// Adds the requests of others behind these.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.add(others.0);
        self
    }

    /// Returns the entries as the workbench has them.
    pub fn entries(&self) -> &Entries {
        &self.0
    }
}
