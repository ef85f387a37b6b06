//! The resource report: all the reasons why a program does not fit a machine, written for the program's author.

use std::fmt;

use ir::pipeline::StageKind;

use crate::smallest::Smallest;

/// A single reason why a program does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The message that says what does not fit.
    pub message: String,
    /// Details of the problem and suggestions, each printed on a line of its own.
    pub notes: Vec<String>,
}

impl Finding {
    /// Creates a finding without notes.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), notes: Vec::new() }
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// All reasons why a machine cannot hold a program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ResourceReport {
    /// The name of the program.
    pub program: String,
    /// The reasons, at least one.
    pub findings: Vec<Finding>,
    /// The smallest machine that would hold the program, if one was found.
    pub smallest: Option<Box<Smallest>>,
}

/// Joins items into an enumeration such as "a, b and c".
pub(crate) fn enumeration(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

impl fmt::Display for ResourceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "`{}` does not fit the machine:", self.program)?;
        for finding in &self.findings {
            writeln!(f, "- {}", finding.message)?;
            for note in &finding.notes {
                writeln!(f, "  {note}")?;
            }
        }
        // For Banzai machines the findings already say everything that the smallest machine would.
        let smallest = self.smallest.as_ref().filter(|smallest| smallest.target.kind == StageKind::MatchAction);
        smallest.map_or(Ok(()), |smallest| writeln!(f, "{smallest}"))
    }
}

impl std::error::Error for ResourceReport {}
