//! Why a program does not fit a machine: everything that was found, in words for the program's author.

use std::fmt;

use ir::pipeline::StageKind;

use crate::smallest::Smallest;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What does not fit.
    pub message: String,
    /// What it is made of, or what would help; each a line of its own.
    pub notes: Vec<String>,
}

impl Finding {
    /// A reason without notes.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), notes: Vec::new() }
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Everything that keeps a machine from holding a program.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ResourceReport {
    /// The program.
    pub program: String,
    /// The reasons, at least one.
    pub findings: Vec<Finding>,
    /// The smallest machine that would hold it, if there is any.
    pub smallest: Option<Box<Smallest>>,
}

/// Such as "a, b and c".
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
        // What is said of a Banzai is what its findings say.
        let smallest = self.smallest.as_ref().filter(|smallest| smallest.target.kind == StageKind::MatchAction);
        smallest.map_or(Ok(()), |smallest| writeln!(f, "{smallest}"))
    }
}

impl std::error::Error for ResourceReport {}
