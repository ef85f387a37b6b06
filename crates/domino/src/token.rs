//! What the lexer hands to the parser: tokens, each with the place that its author wrote.

use std::rc::Rc;

use diagnostics::Span;

/// One token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is; of a token that came out of a macro, where the macro was used.
    pub span: Span,
    /// True for the first token of a line.
    pub first_of_line: bool,
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

impl Token {
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
            TokenKind::End => "the end of the program".to_owned(),
        }
    }
}
