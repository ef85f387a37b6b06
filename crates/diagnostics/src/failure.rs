//! The three shapes of failure: the input is bad, a program does not fit a machine, or a run stands still.

use crate::{Diagnostic, Diagnostics, Sources};

/// Why a command cannot give what was asked for.
#[derive(Debug)]
pub enum Failure {
    /// A bad program, binding, table, capture or plan.
    BadInput {
        /// The texts that the findings point into.
        sources: Sources,
        /// What is wrong.
        diagnostics: Diagnostics,
    },
    /// A program that the machine cannot hold: the resource report.
    DoesNotFit(String),
    /// A run that does not come to its end: what stands still, and why.
    StandsStill(String),
}

impl Failure {
    /// Something wrong that has no place in a text.
    pub fn plain(message: impl Into<String>) -> Self {
        Diagnostic::without_place(message).into()
    }

    /// The exit status of a command that fails so.
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::BadInput { .. } => 2,
            Self::DoesNotFit(_) => 3,
            Self::StandsStill(_) => 4,
        }
    }

    /// The failure as a person reads it.
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
