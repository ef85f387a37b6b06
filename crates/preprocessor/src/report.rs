//! The diagnostics of a front end, with errors and warnings separate.

use diagnostics::{Diagnostic, Diagnostics, Severity};

use crate::preprocess::MacroUses;

/// The errors and warnings of a compilation. They are kept apart because each list has a maximum length, and warnings
/// must not displace the error that rejects a program.
#[derive(Debug, Default)]
pub struct Report {
    /// The errors, in the order in which they were reported.
    pub errors: Diagnostics,
    /// The warnings, in the order in which they were reported.
    pub warnings: Diagnostics,
    /// The uses of macros, with their definitions.
    macro_uses: MacroUses,
}

impl Report {
    /// Adds the diagnostics of the preprocessor and stores the macro uses.
    pub fn begin(&mut self, findings: Diagnostics, macro_uses: MacroUses) {
        findings.into_iter().for_each(|finding| self.keep(finding));
        self.macro_uses = macro_uses;
    }

    /// Adds a diagnostic. If its location is the use of a macro, it also shows the macro's definition, because the
    /// offending text is found there.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.keep(self.macro_uses.explain(diagnostic));
    }

    fn keep(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.errors.push(diagnostic),
            Severity::Warning => self.warnings.push(diagnostic),
        }
    }

    /// Returns the errors in the order of their locations.
    pub fn into_errors(self) -> Diagnostics {
        in_order(self.errors)
    }

    /// Returns the warnings in the order of their locations.
    pub fn into_warnings(self) -> Diagnostics {
        in_order(self.warnings)
    }

    /// Returns whether the list of errors is full, so that reading on is useless.
    pub fn is_full(&self) -> bool {
        self.errors.is_full()
    }
}

/// Sorts diagnostics by location. Each step of the front end passes over the whole program, but the author reads it
/// once.
fn in_order(findings: Diagnostics) -> Diagnostics {
    let mut sorted: Vec<Diagnostic> = findings.into_iter().collect();
    sorted.sort_by_key(|finding| finding.span.map(|span| (span.source, span.start)));
    let mut result = Diagnostics::new();
    result.extend(sorted);
    result
}
