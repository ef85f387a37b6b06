//! Tokens, the output of the lexer, with their locations in the source.

use std::rc::Rc;

use diagnostics::Span;

/// A token of Microcode.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    /// The kind and value of the token.
    pub kind: TokenKind,
    /// The location of the token; for a token that results from a macro, the location of the macro's use.
    pub span: Span,
    /// Whether the token is the first on its line.
    pub first_of_line: bool,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Identifier(Rc<str>),
    /// A number.
    Integer(u64),
    /// A string: the text between two `"`.
    Text,
    /// An operator or a bracket.
    Punctuator(&'static str),
    /// The end of the program, after the last token.
    End,
}

impl Token {
    /// Returns whether the token is the operator or bracket `punctuator`.
    pub fn is(&self, punctuator: &str) -> bool {
        matches!(self.kind, TokenKind::Punctuator(own) if own == punctuator)
    }

    /// Returns the name if the token is a [`TokenKind::Identifier`].
    pub fn identifier(&self) -> Option<&Rc<str>> {
        match &self.kind {
            TokenKind::Identifier(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the description of the token for use in error messages.
    pub fn describe(&self) -> String {
        match &self.kind {
            TokenKind::Identifier(name) => format!("`{name}`"),
            TokenKind::Integer(_) => "a number".to_owned(),
            TokenKind::Text => "a string".to_owned(),
            TokenKind::Punctuator(sign) => format!("`{sign}`"),
            TokenKind::End => "the end of the program".to_owned(),
        }
    }
}
