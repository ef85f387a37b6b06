//! The tokens that the lexer hands to the parser, each with the place that its author wrote.

use std::fmt;
use std::rc::Rc;

use diagnostics::Span;
use num_bigint::BigUint;

pub use crate::keyword::Keyword;

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The place of the token in the source text. A token from the body of a macro has the span of the use of the
    /// macro, so that all tokens of one use share a span; an argument of a macro keeps its own.
    pub span: Span,
    /// True for the first token of a line, and for [`TokenKind::End`]. What follows `@pragma` ends before the next
    /// such token (P4_16 1.2.5, section 20).
    pub first_of_line: bool,
    /// True if nothing stands between this token and the one before. `>` and `>` are one operator `>>` only if the
    /// second touches the first; spans cannot tell this where both come from one macro.
    pub touches_previous: bool,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name that is not a keyword.
    Identifier(Rc<str>),
    /// A keyword; some are names where the grammar allows it, see [`Keyword::is_name`].
    Keyword(Keyword),
    /// A number.
    Integer(Rc<Integer>),
    /// The characters between two `"`, as written: P4 passes escapes on unchanged (P4_16 1.2.5, section 6.4.3.3).
    Text(Rc<str>),
    /// An operator or a bracket, one of [`crate::token::PUNCTUATORS`]. `>` is always single: `>>` is `>` `>` and
    /// `>>=` is `>` `>=`, for the lexer cannot know whether two type arguments end there.
    Punctuator(&'static str),
    /// Text that is not a token of the language. It occurs only where the grammar allows anything: between the
    /// parentheses of `@name( )` and after `@pragma` (`UNEXPECTED_TOKEN` in P4_16 1.2.5, appendix G). Without text, it
    /// marks a place where the lexer reported an error: the parser then reports nothing more there.
    Unexpected(Rc<str>),
    /// The end of the program; there is exactly one, at the end of the main file.
    End,
}

/// A number as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The prefix `8w` or `8s`; without it, the number is of type `int`.
    pub width: Option<Width>,
    /// The value of its digits.
    pub value: BigUint,
    /// The base in which it is written.
    pub radix: Radix,
}

/// The prefix of a number that gives it a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// The number of bits, which is not checked and may be 0.
    pub bits: u32,
    /// True for `s`, which makes the type `int<N>`; false for `w`, which makes it `bit<N>`.
    pub signed: bool,
}

/// The base of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// `0b`
    Binary,
    /// `0o`
    Octal,
    /// No prefix, or `0d`.
    Decimal,
    /// `0x`
    Hexadecimal,
}

/// The operators and brackets; each stands before its own prefixes. `#` and `##` never reach the parser.
pub const PUNCTUATORS: [&str; 50] = [
    "|+|=", "|-|=", "|+|", "|-|", "&&&", "...", "<<=", "{#}", "..", "<<", "<=", ">=", "==", "!=", "&&", "||", "++",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=",
    "?", ":", ";", ",", ".", "@", "(", ")", "[", "]", "{", "}",
];

impl Token {
    /// True if the token is this operator or bracket.
    pub fn is(&self, punctuator: &str) -> bool {
        matches!(self.kind, TokenKind::Punctuator(own) if own == punctuator)
    }

    /// True if the token is this keyword.
    pub fn is_keyword(&self, keyword: Keyword) -> bool {
        self.kind == TokenKind::Keyword(keyword)
    }

    /// The name, if the token is an identifier or a keyword that may be a name (see [`Keyword::is_name`]).
    pub fn name(&self) -> Option<Rc<str>> {
        match &self.kind {
            TokenKind::Identifier(name) => Some(Rc::clone(name)),
            TokenKind::Keyword(keyword) if keyword.is_name() => Some(Rc::from(keyword.text())),
            _ => None,
        }
    }
}

impl TokenKind {
    /// Returns the words by which error messages refer to the token.
    pub fn describe(&self) -> String {
        match self {
            Self::Identifier(_) | Self::Punctuator(_) | Self::Integer(_) | Self::Unexpected(_) => {
                let text = self.to_string();
                if text.len() <= 60 { format!("`{text}`") } else { "this".to_owned() }
            }
            Self::Keyword(keyword) => format!("the keyword `{}`", keyword.text()),
            Self::Text(_) => "a string".to_owned(),
            Self::End => "the end of the program".to_owned(),
        }
    }
}

impl fmt::Display for TokenKind {
    /// Writes the token as P4 does; the end is written as nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identifier(text) | Self::Unexpected(text) => f.write_str(text),
            Self::Keyword(keyword) => f.write_str(keyword.text()),
            Self::Integer(integer) => integer.fmt(f),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Punctuator(sign) => f.write_str(sign),
            Self::End => Ok(()),
        }
    }
}

impl fmt::Display for Integer {
    /// Writes the number as P4 does, in its base.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(width) = self.width {
            write!(f, "{}{}", width.bits, if width.signed { 's' } else { 'w' })?;
        }
        match self.radix {
            Radix::Binary => write!(f, "0b{:b}", self.value),
            Radix::Octal => write!(f, "0o{:o}", self.value),
            Radix::Decimal => write!(f, "{}", self.value),
            Radix::Hexadecimal => write!(f, "0x{:x}", self.value),
        }
    }
}
