//! What the lexer makes of a text: tokens, each with the place in the file that its author wrote.

use std::rc::Rc;

use diagnostics::Span;

/// One token. The preprocessor copies tokens about, so they are small and their texts are shared.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is; of a token that came out of a macro, where the macro was used.
    pub span: Span,
    /// True for the first token of a line; a `#` that begins a line begins a directive.
    pub first_of_line: bool,
    /// True if it touches the token before: `F(x)` defines a macro with a parameter, `F (x)` one without.
    pub touches_previous: bool,
    /// A macro's name inside that macro's own expansion, which is never expanded again (C11 6.10.3.4).
    pub painted: bool,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Identifier(Rc<str>),
    /// A number that was written in a base or as a character.
    Integer(Integer),
    /// What stands between two `"`.
    Text(Rc<str>),
    /// An operator or a bracket.
    Punctuator(&'static str),
    /// Something that is no token of the language. It is reported only if it gets past the preprocessor, for C lets
    /// a skipped part and an unused macro hold anything.
    Invalid(Rc<Complaint>),
    /// What follows the last token.
    End,
}

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    /// Its 32 bits.
    pub bits: u32,
    /// True if it was written in decimal, which is how people write numbers that they mean as numbers and not as bits.
    pub decimal: bool,
}

/// Why something is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub hint: String,
    /// True if a number or character was meant: then the parser goes on with a 0, so that it reports nothing that
    /// only follows from this.
    pub stands_for_number: bool,
}

impl Complaint {
    /// A complaint about something that was meant as a value.
    pub fn number(message: impl Into<String>, hint: impl Into<String>) -> TokenKind {
        let (message, hint) = (message.into(), hint.into());
        TokenKind::Invalid(Rc::new(Self { message, hint, stands_for_number: true }))
    }

    /// A complaint about something that was not.
    pub fn other(message: impl Into<String>, hint: impl Into<String>) -> TokenKind {
        let (message, hint) = (message.into(), hint.into());
        TokenKind::Invalid(Rc::new(Self { message, hint, stands_for_number: false }))
    }
}

impl Token {
    /// A token that was never written on its own.
    pub fn made(kind: TokenKind, span: Span) -> Self {
        Self { kind, span, first_of_line: false, touches_previous: false, painted: false }
    }

    /// True for this operator or bracket.
    pub fn is(&self, punctuator: &str) -> bool {
        matches!(self.kind, TokenKind::Punctuator(own) if own == punctuator)
    }

    /// The name, if it is one.
    pub fn identifier(&self) -> Option<&Rc<str>> {
        match &self.kind {
            TokenKind::Identifier(name) => Some(name),
            _ => None,
        }
    }

    /// How an error message calls it.
    pub fn describe(&self) -> String {
        match &self.kind {
            TokenKind::Identifier(name) => format!("`{name}`"),
            TokenKind::Integer(_) => "a number".to_owned(),
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Punctuator(sign) => format!("`{sign}`"),
            TokenKind::Invalid(_) => "something unreadable".to_owned(),
            TokenKind::End => "the end of the program".to_owned(),
        }
    }
}
