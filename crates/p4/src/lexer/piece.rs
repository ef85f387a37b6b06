//! What the lexer makes of a text, before the preprocessor is through with it.

use std::rc::Rc;

use diagnostics::Span;

use crate::token::Integer;

/// One token, not yet of the language: names may be macros, and what is no token may never be used. The
/// preprocessor copies pieces about, so they are small and their texts are shared.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it is; of a piece that came out of a macro, where the macro was used.
    pub span: Span,
    /// True for the first of a line; a `#` that begins a line begins a directive.
    pub first_of_line: bool,
    /// True if it touches the piece before: `F(x)` defines a macro with a parameter, `F (x)` one without.
    pub touches_previous: bool,
    /// A macro's name inside that macro's own expansion, which is never expanded again (C11 6.10.3.4).
    pub painted: bool,
}

/// What a piece is.
#[derive(Clone, Debug)]
pub(crate) enum PieceKind {
    /// A name or a keyword.
    Word(Rc<str>),
    /// What begins with a digit.
    Number(Rc<Number>),
    /// What stands between two `"`, as written.
    Text(Rc<str>),
    /// An operator or a bracket, one of [`crate::token::PUNCTUATORS`], `#` or `##`.
    Punctuator(&'static str),
    /// No token of the language. It is reported only if it gets past the preprocessor, for C lets a skipped part
    /// and an unused macro hold anything.
    Invalid(Rc<Invalid>),
}

/// What begins with a digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    /// As written.
    pub text: String,
    /// What it means; it is read once, however often a macro puts it somewhere.
    pub value: Result<Rc<Integer>, Complaint>,
}

/// Something that is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// As written.
    pub text: String,
    /// Why it is none.
    pub complaint: Complaint,
    /// For a string without an end, what may have been meant as its content.
    pub stands_for: Option<Rc<str>>,
}

/// Why something is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
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
}

impl Piece {
    /// A piece that was never written on its own.
    pub fn made(kind: PieceKind, span: Span) -> Self {
        Self { kind, span, first_of_line: false, touches_previous: false, painted: false }
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
        match &self.kind {
            PieceKind::Word(name) => text.push_str(name),
            PieceKind::Number(number) => text.push_str(&number.text),
            PieceKind::Text(content) => {
                text.push('"');
                text.push_str(content);
                text.push('"');
            }
            PieceKind::Punctuator(sign) => text.push_str(sign),
            PieceKind::Invalid(invalid) => text.push_str(&invalid.text),
        }
    }

    /// How many bytes [`Self::spell`] appends.
    pub fn spelled_bytes(&self) -> usize {
        match &self.kind {
            PieceKind::Word(name) => name.len(),
            PieceKind::Number(number) => number.text.len(),
            PieceKind::Text(content) => content.len() + 2,
            PieceKind::Punctuator(sign) => sign.len(),
            PieceKind::Invalid(invalid) => invalid.text.len(),
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
