//! Mistakes in constraints, each with its place.

use std::ops::Range;

use control::{ActionNumber, Identity, Info, TableNumber};
use diagnostics::Severity;

/// The table or action whose constraint is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The table with an `@entry_restriction`.
    Table(TableNumber),
    /// The action with an `@action_restriction`.
    Action(ActionNumber),
}

impl Subject {
    /// Returns the identity of the table or action.
    ///
    /// # Panics
    /// Panics if the program has no such table or action.
    pub fn identity(self, info: &Info) -> &Identity {
        match self {
            Self::Table(number) => &info.table(number).identity,
            Self::Action(number) => &info.action(number).identity,
        }
    }
}

/// Something that is wrong with a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The table or action.
    pub subject: Subject,
    /// An error, for which the constraint cannot be used, or a warning.
    pub severity: Severity,
    /// The description of the mistake.
    pub message: String,
    /// A suggestion of what to write instead.
    pub hint: Option<String>,
    /// The place in the text of the constraint in bytes, which is that of the annotation's strings, joined by line
    /// breaks; `None` if the annotation as a whole is meant.
    pub place: Option<Range<usize>>,
}

/// Collects what is wrong with one constraint.
#[derive(Debug)]
pub(crate) struct Problems {
    subject: Subject,
    pub found: Vec<Finding>,
}

impl Problems {
    pub fn new(subject: Subject) -> Self {
        Self { subject, found: Vec::new() }
    }

    /// Adds an error at a place.
    pub fn error(&mut self, place: &Range<usize>, message: impl Into<String>, hint: Option<String>) {
        self.add(Severity::Error, Some(place.clone()), message.into(), hint);
    }

    /// Adds a warning at a place.
    pub fn warning(&mut self, place: &Range<usize>, message: impl Into<String>, hint: Option<String>) {
        self.add(Severity::Warning, Some(place.clone()), message.into(), hint);
    }

    /// Adds an error about the whole annotation.
    pub fn whole(&mut self, severity: Severity, message: impl Into<String>, hint: impl Into<String>) {
        self.add(severity, None, message.into(), Some(hint.into()));
    }

    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|finding| finding.severity == Severity::Error)
    }

    fn add(&mut self, severity: Severity, place: Option<Range<usize>>, message: String, hint: Option<String>) {
        self.found.push(Finding { subject: self.subject, severity, message, hint, place });
    }
}
