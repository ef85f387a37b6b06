//! What the lexer makes of a text, before the preprocessor is through with it.

use std::rc::Rc;

use diagnostics::Span;

/// One token of the preprocessor (C11 6.4), not yet of the language: names may be macros, and what is no token may
/// never be used. Pieces are copied about, so they are small and their texts are shared.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it is. A piece out of a macro's body has the place where the macro is used, so that all pieces of one use
    /// share a place; an argument of a macro keeps its own.
    pub span: Span,
    /// True for the first of a line; a `#` that begins a line begins a directive.
    pub first_of_line: bool,
    /// True if it touches the piece before: `F(x)` defines a macro with a parameter, `F (x)` one without.
    pub touches_previous: bool,
    /// A macro's name inside that macro's own expansion, which is never expanded again (C11 6.10.3.4).
    pub(crate) painted: bool,
    /// Which part of a string it is; what leaves the preprocessor is whole.
    pub(crate) part: StringPart,
}

/// A string of several lines with directives among them is read line by line, so that the directives are carried out,
/// and joined again behind that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringPart {
    /// All of a string, and whatever is no string.
    Whole,
    /// From the quote to the end of its line.
    First,
    /// A line.
    Middle,
    /// From the beginning of a line to the quote.
    Last,
}

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A name or a keyword.
    Word(Rc<str>),
    /// What begins as a number does, as written; the language may find that it is none. See [`crate::ReadOnce`].
    Number(Rc<str>),
    /// What stands between two `"`, as written.
    Text(Rc<str>),
    /// What stands between two `'`, as written.
    Character(Rc<str>),
    /// One of [`crate::Language::punctuators`], `#` or `##`.
    Punctuator(&'static str),
    /// No token of any language. It should be reported only if it gets past the preprocessor, for C lets a skipped
    /// part and an unused macro hold anything.
    Invalid(Rc<Invalid>),
}

/// Something that is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// As written.
    pub text: String,
    /// Why it is none.
    pub complaint: Complaint,
    /// For a string or a character without an end, what may have been meant as its content.
    pub content: Option<Rc<str>>,
}

/// Why something is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub hint: String,
}

impl Complaint {
    /// What is wrong and what would be right.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }

    /// The same as an error at a place.
    pub fn at(&self, span: Span) -> diagnostics::Diagnostic {
        diagnostics::Diagnostic::error(span, &*self.message).hint(&*self.hint)
    }
}

impl Piece {
    /// A piece that was never written on its own.
    pub(crate) fn made(kind: PieceKind, span: Span) -> Self {
        Self { kind, span, first_of_line: false, touches_previous: false, painted: false, part: StringPart::Whole }
    }

    /// True for this operator or bracket.
    pub fn is(&self, punctuator: &str) -> bool {
        matches!(self.kind, PieceKind::Punctuator(own) if own == punctuator)
    }

    /// The name, if it is one.
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

    /// How many bytes [`Self::spell`] appends.
    pub fn spelled_bytes(&self) -> usize {
        let (quote, own) = self.parts();
        2 * quote.len() + own.len()
    }

    /// What stands around it, and itself.
    fn parts(&self) -> (&'static str, &str) {
        match &self.kind {
            PieceKind::Word(text) | PieceKind::Number(text) => ("", text),
            PieceKind::Text(content) => ("\"", content),
            PieceKind::Character(content) => ("'", content),
            PieceKind::Punctuator(own) => ("", own),
            PieceKind::Invalid(invalid) => ("", &invalid.text),
        }
    }

    /// How an error message calls it.
    pub fn describe(&self) -> String {
        match &self.kind {
            PieceKind::Text(_) => "a string".to_owned(),
            PieceKind::Invalid(_) => "something unreadable".to_owned(),
            _ if self.spelled_bytes() > 60 => "this".to_owned(),
            _ => {
                let mut text = String::new();
                self.spell(&mut text);
                format!("`{text}`")
            }
        }
    }
}
