//! Tokens, the output of the lexer, with their locations in the source.

/// A token of Microcode.
pub(crate) type Token = preprocessor::Token<u64>;

/// The kind of a token of Microcode.
pub(crate) type TokenKind = preprocessor::TokenKind<u64>;
