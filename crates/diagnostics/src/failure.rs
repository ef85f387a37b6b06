//! The ways in which a command can fail: bad input, a program that does not fit the machine, or a run that stalls.

use std::error::Error;
use std::fmt;

use crate::{Diagnostic, Diagnostics, Sources};

/// The reason why a command could not do what was asked.
pub enum Failure {
    /// A program, binding, table, capture or plan cannot be used.
    BadInput {
        /// The texts that the diagnostics point into.
        sources: Sources,
        /// The errors, at least one, and any warnings.
        diagnostics: Diagnostics,
    },
    /// The machine cannot hold the program; carries the text of the resource report.
    DoesNotFit(String),
    /// A run makes no further progress; carries a description of what is stuck and what it waits for.
    StandsStill(String),
}

impl Failure {
    /// Creates a bad-input failure from one error that has no location in a text.
    pub fn plain(message: impl Into<String>) -> Self {
        Diagnostic::without_place(message).into()
    }

    /// Returns the exit status of a command that fails in this way: 2, 3 or 4.
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::BadInput { .. } => 2,
            Self::DoesNotFit(_) => 3,
            Self::StandsStill(_) => 4,
        }
    }

    /// Renders the failure for a terminal, with ANSI colours if `coloured`.
    pub fn render(&self, coloured: bool) -> String {
        match self {
            Self::BadInput { sources, diagnostics } => diagnostics.render(sources, coloured),
            Self::DoesNotFit(report) | Self::StandsStill(report) => report.clone(),
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::BadInput { sources: Sources::new(), diagnostics: diagnostic.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl fmt::Debug for Failure {
    /// Writes the failure as a person reads it, so that a `main` which returns one prints something useful.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Failure {}
