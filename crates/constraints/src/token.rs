//! The tokens of the language.

use std::fmt;
use std::ops::Range;

use num_bigint::BigUint;

/// A token and its place in the text of the constraint, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub kind: TokenKind<'t>,
    pub place: Range<usize>,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind<'t> {
    True,
    False,
    /// A part of the name of a key or parameter, the name of a field of a key, of an attribute or of a kind of address.
    Identifier(&'t str),
    Number(BigUint),
    /// A text between single quotes, without them.
    Text(&'t str),
    Not,
    Minus,
    And,
    Or,
    Implies,
    Dot,
    DoubleColon,
    Semicolon,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Open,
    Close,
    /// The end of the constraint.
    End,
}

/// The signs, the longer of two that begin alike first.
pub(crate) const SIGNS: [(&str, TokenKind<'static>); 16] = [
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("->", TokenKind::Implies),
    ("::", TokenKind::DoubleColon),
    ("==", TokenKind::Equal),
    ("!=", TokenKind::NotEqual),
    (">=", TokenKind::GreaterOrEqual),
    ("<=", TokenKind::LessOrEqual),
    ("!", TokenKind::Not),
    ("-", TokenKind::Minus),
    (".", TokenKind::Dot),
    (";", TokenKind::Semicolon),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
];

/// Describes the token in an error message.
impl fmt::Display for TokenKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("`true`"),
            Self::False => f.write_str("`false`"),
            Self::Identifier(name) => write!(f, "`{name}`"),
            Self::Number(_) => f.write_str("a number"),
            Self::Text(_) => f.write_str("a text in single quotes"),
            Self::End => f.write_str("the end of the constraint"),
            sign => match SIGNS.iter().find(|(_, kind)| kind == sign) {
                Some((text, _)) => write!(f, "`{text}`"),
                None => f.write_str("a sign"),
            },
        }
    }
}
