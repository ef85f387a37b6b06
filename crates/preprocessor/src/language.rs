//! The lexical properties in which C-like languages differ.

use crate::piece::Complaint;

/// The properties of a language that the preprocessor depends on.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The operators and brackets. An operator must come before its own prefixes. `#` and `##` are always recognized
    /// and need not be listed. A language without `...` has no variadic macros.
    pub punctuators: &'static [&'static str],
    /// Whether numbers may have a decimal point and an exponent (C11 6.4.8). If not, `1..2` is a range.
    pub fractions: bool,
    /// Whether a string may extend over several lines. If not, it ends at the end of its line (C11 6.4.5).
    pub strings_of_lines: bool,
    /// Returns the value of a character constant given the text between its quotes, or `None` if the text is not a
    /// valid character. The field is `None` for a language without character constants, in which `'` is not a token.
    pub characters: Option<fn(&str) -> Option<i64>>,
    /// Whether macros can only substitute whole tokens. If so, `#`, `##` and `...` (C11 6.10.3) are refused in a
    /// `#define`.
    pub plain_macros: bool,
    /// Returns the built-in header of this name, if there is one. The name is written as in `#include`.
    pub header: fn(&str) -> Option<Header>,
    /// Returns the error for an `#include` whose file does not exist, given the name and whether it is in quotes.
    pub no_such_file: fn(name: &str, is_quoted: bool) -> Complaint,
    /// The hint that explains how to write an `#include`.
    pub how_to_include: &'static str,
    /// The limits on the size of a program.
    pub limits: Limits,
}

/// A header that comes with the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// A header whose declarations are part of the language. Including it has no effect, and a file of that name is
    /// never read.
    PartOfLanguage,
    /// A header with this text, unless the user has a file of the same name.
    Text(&'static str),
}

/// The limits on the size of a program that depend on the language. Each limit should be far above what any switch can
/// hold; it bounds the memory and the time that hostile input can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of pieces in one text, and of pieces processed in total, including those that are skipped and
    /// those that result from macro expansion.
    pub tokens: usize,
    /// The maximum number of included files; a file counts each time it is included.
    pub includes: usize,
}
