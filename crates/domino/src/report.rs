//! What the front end found, errors and warnings apart.

use diagnostics::{Diagnostic, Diagnostics, Severity};
use preprocessor::MacroUses;

/// Errors and warnings. They are kept apart because each list is cut off when it is full, and warnings must not
/// push out the error that refuses a program.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub errors: Diagnostics,
    pub warnings: Diagnostics,
    /// For each use of a macro, where the macro is defined.
    macro_uses: MacroUses,
}

impl Report {
    /// Begins with what the preprocessor found.
    pub fn begin(&mut self, findings: Diagnostics, macro_uses: MacroUses) {
        findings.into_iter().for_each(|finding| self.keep(finding));
        self.macro_uses = macro_uses;
    }

    /// Adds a finding. One whose place is the use of a macro also shows the macro's definition, where its author
    /// will find the text that it is about.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.keep(self.macro_uses.explain(diagnostic));
    }

    fn keep(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.errors.push(diagnostic),
            Severity::Warning => self.warnings.push(diagnostic),
        }
    }

    /// The errors, in the order of their places.
    pub fn into_errors(self) -> Diagnostics {
        in_order(self.errors)
    }

    /// The warnings, in the order of their places.
    pub fn into_warnings(self) -> Diagnostics {
        in_order(self.warnings)
    }

    /// True if no further error would be kept, so that reading on is of no use.
    pub fn is_full(&self) -> bool {
        self.errors.is_full()
    }
}

/// The steps of the front end each go through the whole program; a person goes through it once.
fn in_order(findings: Diagnostics) -> Diagnostics {
    let mut sorted: Vec<Diagnostic> = findings.into_iter().collect();
    sorted.sort_by_key(|finding| finding.span.map(|span| (span.source, span.start)));
    let mut result = Diagnostics::new();
    result.extend(sorted);
    result
}
