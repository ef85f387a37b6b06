//! Tokens, the output of the lexer, with their locations in the source.

/// A token of Domino.
pub(crate) type Token = preprocessor::Token<Integer>;

/// The kind of a token of Domino.
pub(crate) type TokenKind = preprocessor::TokenKind<Integer>;

/// The value of a number, and how it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    /// The 32 bits of the number.
    pub bits: u32,
    /// Whether the number was written in decimal, which suggests a quantity rather than a bit pattern.
    pub decimal: bool,
}
