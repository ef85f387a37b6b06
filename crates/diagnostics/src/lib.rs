//! Diagnostics for everything that Polyplane reads as text: programs, bindings, plans, tables of packets.
//!
//! A reader adds each text to [`Sources`], collects one [`Diagnostic`] for each problem in a [`Diagnostics`] list
//! instead of stopping at the first, and renders the list against the sources. A [`Span`] is a byte range in one
//! source. [`Failure`] is what a command returns when it cannot do what was asked, and decides its exit status. This
//! crate knows nothing of the languages whose texts it points into.
//!
//! ```
//! use diagnostics::{Diagnostic, Diagnostics, Sources, Span, did_you_mean};
//!
//! let mut sources = Sources::new();
//! let id = sources.add("count.c", "int count = 0;\ncuont += 1;\n");
//! let mut unknown = Diagnostic::error(Span::new(id, 15, 20), "`cuont` is not declared").label("unknown name");
//! unknown.hint = did_you_mean("cuont", ["count"]);
//! let diagnostics = Diagnostics::from(unknown);
//!
//! assert!(diagnostics.has_errors());
//! let text = diagnostics.render(&sources, false);
//! assert!(text.contains("count.c:2:1"));
//! assert!(text.contains("help: did you mean `count`?"));
//! ```

mod failure;
mod render;
mod source;
mod suggest;

pub use failure::Failure;
pub use source::{SourceId, Sources, Span};
pub use suggest::{did_you_mean, there_are};

/// Diagnostics together with the texts that their spans point into.
pub type Findings = (Sources, Diagnostics);

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but may not mean what its author intended.
    Warning,
}

/// A single problem: what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity of the problem, which decides whether the input can still be used.
    pub severity: Severity,
    /// The description of the problem, without its location.
    pub message: String,
    /// The location of the problem; `None` if it lies in no text.
    pub span: Option<Span>,
    /// A description of the underlined text, shown beside the underline; empty for none.
    pub label: String,
    /// Further locations that help to explain the problem, each with a label of its own.
    pub related: Vec<(Span, String)>,
    /// A suggestion for a fix, shown below the source as "help".
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates an error at a location.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { span: Some(span), ..Self::without_place(message) }
    }

    /// Creates an error that has no location in a text, such as a file that cannot be opened.
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

    /// Creates a warning at a location.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Sets the label that is shown beside the underlined text.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a further location that helps to explain the problem, with its label.
    pub fn related(mut self, span: Span, words: impl Into<String>) -> Self {
        self.related.push((span, words.into()));
        self
    }

    /// Sets the suggestion for a fix. An empty text is none.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }
}

/// The list of diagnostics of one reader, in the order in which it reported them.
///
/// The list keeps at most a hundred diagnostics, plus the first error if it comes after them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    findings: Vec<Diagnostic>,
}

/// The maximum number of diagnostics kept. A longer list helps nobody, and hostile input could produce millions.
const MOST_FINDINGS: usize = 100;

impl Diagnostics {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic. Once the list holds a hundred, it is discarded unless it is the first error: warnings must
    /// never hide that the input is unusable.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_first_error = diagnostic.severity == Severity::Error && !self.has_errors();
        if self.findings.len() < MOST_FINDINGS || is_first_error {
            self.findings.push(diagnostic);
        }
    }

    /// Returns true if there are no diagnostics, not even warnings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns true if the list is full, so that a reader may stop early.
    pub fn is_full(&self) -> bool {
        self.findings.len() >= MOST_FINDINGS
    }

    /// Returns true if at least one diagnostic is an error, so that the input cannot be used.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Iterates over the diagnostics in the order in which they were reported.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter()
    }

    /// Returns `value` unless there are errors.
    ///
    /// # Errors
    ///
    /// Returns the whole list, warnings included, if any diagnostic is an error.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.has_errors() { Err(self) } else { Ok(value) }
    }

    /// Moves every primary span to character boundaries within its text: third-party parsers may point into the middle
    /// of a character or past the end.
    ///
    /// # Panics
    ///
    /// Panics if a span refers to a source that is not in `sources`.
    pub fn at_characters(mut self, sources: &Sources) -> Self {
        for finding in &mut self.findings {
            finding.span = finding.span.map(|span| span.at_characters(sources.text(span.source)));
        }
        self
    }

    /// Renders the diagnostics for a terminal, each with its location, source line, underline and hint; with ANSI
    /// colours if `coloured`.
    ///
    /// # Panics
    ///
    /// Panics if a span refers to a source that is not in `sources`.
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
