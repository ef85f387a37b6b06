//! Preprocessing tokens, which the lexer produces and the preprocessor transforms.

use std::rc::Rc;

use diagnostics::Span;

/// A preprocessing token (C11 6.4). It is not yet a token of the language: a name may be a macro, and invalid text is
/// an error only if it is used. Pieces are copied often, so they are small and share their texts.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The kind and text of the piece.
    pub kind: PieceKind,
    /// The location of the piece. All pieces from the body of a macro have the location of the macro's use; a macro
    /// argument keeps its own.
    pub span: Span,
    /// Whether the piece is the first on its line; a `#` that begins a line begins a directive.
    pub first_of_line: bool,
    /// Whether no white space separates the piece from the previous one: `F(x)` defines a macro with a parameter, `F
    /// (x)` one without.
    pub touches_previous: bool,
    /// Whether the piece is the name of a macro inside that macro's own expansion, where it is never expanded again
    /// (C11 6.10.3.4).
    pub(crate) painted: bool,
    /// The part of a multi-line string that the piece is. Every piece of the preprocessor's output is
    /// [`StringPart::Whole`].
    pub(crate) part: StringPart,
}

/// The part of a string that a piece holds. A multi-line string that contains directives is read line by line, so that
/// the directives are carried out, and is joined again afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringPart {
    /// A complete string, or a piece that is not a string.
    Whole,
    /// The text from the opening quote to the end of its line.
    First,
    /// A whole line.
    Middle,
    /// The text from the beginning of a line to the closing quote.
    Last,
}

/// The kind of a piece, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// An identifier or a keyword.
    Word(Rc<str>),
    /// A preprocessing number, as written. It begins as a number does, but the language may not accept it. See
    /// [`crate::ReadOnce`].
    Number(Rc<str>),
    /// A string: the text between two `"`, as written.
    Text(Rc<str>),
    /// A character constant: the text between two `'`, as written.
    Character(Rc<str>),
    /// One of [`crate::Language::punctuators`], `#` or `##`.
    Punctuator(&'static str),
    /// Text that is not a token. It should be reported only if it remains after preprocessing, because C permits any
    /// text in skipped groups and in macros that are not used.
    Invalid(Rc<Invalid>),
}

/// Text that is not a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The text as written.
    pub text: String,
    /// The reason why the text is not a token.
    pub complaint: Complaint,
    /// The presumable content of a string or character constant that is not closed.
    pub content: Option<Rc<str>>,
}

/// An error message with a hint, without a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// A description of the error.
    pub message: String,
    /// A hint how to correct it.
    pub hint: String,
}

impl Complaint {
    /// Creates a complaint from an error message and a hint.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// Returns an error diagnostic at `span` with this message and hint.
    pub fn at(&self, span: Span) -> diagnostics::Diagnostic {
        diagnostics::Diagnostic::error(span, &*self.message).hint(&*self.hint)
    }
}

impl Piece {
    /// Creates a piece that does not occur as such in the source.
    pub(crate) fn made(kind: PieceKind, span: Span) -> Self {
        Self { kind, span, first_of_line: false, touches_previous: false, painted: false, part: StringPart::Whole }
    }

    /// Returns whether the piece is the operator or bracket `punctuator`.
    pub fn is(&self, punctuator: &str) -> bool {
        matches!(self.kind, PieceKind::Punctuator(own) if own == punctuator)
    }

    /// Returns the name if the piece is a [`PieceKind::Word`].
    pub fn word(&self) -> Option<&Rc<str>> {
        match &self.kind {
            PieceKind::Word(name) => Some(name),
            _ => None,
        }
    }

    /// Appends the piece to `text` as it was written.
    pub fn spell(&self, text: &mut String) {
        let (quote, own) = self.parts();
        text.push_str(quote);
        text.push_str(own);
        text.push_str(quote);
    }

    /// Returns the number of bytes that [`Self::spell`] appends.
    pub fn spelled_bytes(&self) -> usize {
        let (quote, own) = self.parts();
        2 * quote.len() + own.len()
    }

    /// Returns the quote that encloses the text of the piece (empty for most kinds) and the text.
    fn parts(&self) -> (&'static str, &str) {
        match &self.kind {
            PieceKind::Word(text) | PieceKind::Number(text) => ("", text),
            PieceKind::Text(content) => ("\"", content),
            PieceKind::Character(content) => ("'", content),
            PieceKind::Punctuator(own) => ("", own),
            PieceKind::Invalid(invalid) => ("", &invalid.text),
        }
    }

    /// Returns the description of the piece for use in error messages.
    pub fn describe(&self) -> String {
        match &self.kind {
            PieceKind::Text(_) => "a string".to_owned(),
            PieceKind::Invalid(_) => "an invalid token".to_owned(),
            _ if self.spelled_bytes() > 60 => "this".to_owned(),
            _ => {
                let mut text = String::new();
                self.spell(&mut text);
                format!("`{text}`")
            }
        }
    }
}
