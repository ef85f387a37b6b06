//! The mistakes in a program.

use diagnostics::{Diagnostic, Diagnostics, Span, did_you_mean};

/// The diagnostics of a program, in the order in which they are found.
#[derive(Debug)]
pub(crate) struct Findings {
    found: Diagnostics,
}

impl Findings {
    pub fn new() -> Self {
        Self { found: Diagnostics::new() }
    }

    /// Adds a diagnostic.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Reports an error that needs no further explanation.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    /// Reports an error and says what to write instead.
    pub fn hinted(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Diagnostic::error(span, message).hint(hint));
    }

    /// Reports legal code that this front end does not support.
    pub fn unsupported(&mut self, span: Span, what: impl Into<String>) {
        self.report(Diagnostic::error(span, what).label("not supported"));
    }

    /// Reports an error about an unknown name, with the nearest of the candidates as its hint.
    pub fn suggest<'n>(&mut self, error: Diagnostic, name: &str, candidates: impl IntoIterator<Item = &'n str>) {
        // Comparing takes time, which is wasted on a diagnostic that is not kept.
        let hint = if self.is_full() { None } else { did_you_mean(name, candidates) };
        self.report(match hint {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }

    /// True if so many errors were found that further ones are only counted.
    pub fn is_full(&self) -> bool {
        self.found.is_full()
    }

    /// True if at least one of the diagnostics is an error.
    pub fn has_errors(&self) -> bool {
        self.found.has_errors()
    }

    /// The diagnostics, in the order in which they were found.
    pub fn into_diagnostics(self) -> Diagnostics {
        self.found
    }
}
