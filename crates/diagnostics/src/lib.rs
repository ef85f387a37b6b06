//! One way to report an error at a place in a text: a program, a binding, a table of packets.
//!
//! Readers collect [`Diagnostic`]s in [`Diagnostics`], as many as there are, and render them against the
//! [`Sources`] that they point into. A span is a byte range in one source.

mod failure;
mod render;
mod source;
mod suggest;

pub use failure::Failure;
pub use source::{SourceId, Sources, Span};
pub use suggest::{did_you_mean, there_are};

/// What was found in texts, together with the texts that it points into.
pub type Findings = (Sources, Diagnostics);

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used; its author may not have meant it.
    Warning,
}

/// One finding: what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the input can still be used.
    pub severity: Severity,
    /// What is wrong, without the place.
    pub message: String,
    /// Where, if it is anywhere.
    pub span: Option<Span>,
    /// What the underlined text is, shown beside the underline.
    pub label: String,
    /// Other places that explain it, each with its words.
    pub related: Vec<(Span, String)>,
    /// What would be right.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { span: Some(span), ..Self::without_place(message) }
    }

    /// An error that has no place in a text, such as a file that cannot be opened.
    pub fn without_place(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span: None,
            label: String::new(),
            related: Vec::new(),
            hint: None,
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Says what the underlined text is.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds another place that explains the error.
    pub fn related(mut self, span: Span, words: impl Into<String>) -> Self {
        self.related.push((span, words.into()));
        self
    }

    /// Says what would be right.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The findings of one reader, in the order in which it made them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    findings: Vec<Diagnostic>,
}

/// More than this many errors help nobody; a reader of hostile bytes could make millions.
const MOST_FINDINGS: usize = 100;

impl Diagnostics {
    /// No findings yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding. Past a hundred they are not kept, but for the first error: warnings must not push out what
    /// refuses the input.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_first_error = diagnostic.severity == Severity::Error && !self.has_errors();
        if self.findings.len() < MOST_FINDINGS || is_first_error {
            self.findings.push(diagnostic);
        }
    }

    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// True if no further finding would be kept: a reader may stop.
    pub fn is_full(&self) -> bool {
        self.findings.len() >= MOST_FINDINGS
    }

    /// True if the input cannot be used.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The findings in order.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter()
    }

    /// `value` if no finding is an error, else the findings.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }

    /// The same findings, each at whole characters of its text: parsers of others may point into the middle of one, or
    /// behind the end.
    pub fn at_characters(mut self, sources: &Sources) -> Self {
        for finding in &mut self.findings {
            finding.span = finding.span.map(|span| span.at_characters(sources.text(span.source)));
        }
        self
    }

    /// The findings as a person reads them: place, source line, underline, hint; coloured if `coloured`.
    pub fn render(&self, sources: &Sources, coloured: bool) -> String {
        render::render(self, sources, coloured)
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { findings: vec![diagnostic] }
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, iter: T) {
        for diagnostic in iter {
            self.push(diagnostic);
        }
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.findings.into_iter()
    }
}
