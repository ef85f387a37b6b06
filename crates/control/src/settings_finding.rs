//! Mistakes in texts of settings.

use std::fmt;

use diagnostics::{Diagnostic, Diagnostics, Severity, Sources};

use crate::Error;

/// A mistake in the text of a [`crate::ConfigureRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFinding {
    /// The line of the text, counted from 1; `None` if the mistake has no place.
    pub line: Option<usize>,
    /// The message, which says what is wrong.
    pub message: String,
    /// Advice on what would be right, if it is known.
    pub hint: Option<String>,
}

impl Error {
    /// Creates the refusal of a text of settings from what its reader found wrong.
    pub fn configuration(sources: &Sources, diagnostics: &Diagnostics) -> Self {
        let finding = |found: &Diagnostic| SettingsFinding {
            line: found.span.map(|span| sources.place(span).0),
            message: found.message.clone(),
            hint: found.hint.clone(),
        };
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        Self::Configuration(errors.map(finding).collect())
    }
}

impl fmt::Display for SettingsFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))
    }
}
