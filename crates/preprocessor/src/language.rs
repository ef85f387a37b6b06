//! What a language that is written like C has of its own.

use crate::piece::Complaint;

/// What the preprocessor has to know of a language.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Operators and brackets, longer ones before those that they begin with. `#` and `##` are always known. A language
    /// without `...` has no macros that take any number of arguments.
    pub punctuators: &'static [&'static str],
    /// Numbers may have a point and an exponent (C11 6.4.8). Without them, `1..2` is a range.
    pub fractions: bool,
    /// A string may go on over the ends of lines. Else it ends with its line (C11 6.4.5).
    pub strings_of_lines: bool,
    /// The value of a character from what stands between its two `'`, if it is one. `None` in a language without
    /// characters, where a `'` is no token.
    pub characters: Option<fn(&str) -> Option<i64>>,
    /// Macros only put whole tokens in places: `#`, `##` and `...` (C11 6.10.3) in a `#define` are refused.
    pub plain_macros: bool,
    /// What the language brings along under this name, written as in `#include`.
    pub header: fn(&str) -> Option<Header>,
    /// What to say of an `#include` for which there is no file: of its name, and whether that is in quotes.
    pub no_such_file: fn(name: &str, is_quoted: bool) -> Complaint,
    /// How an `#include` is written.
    pub how_to_include: &'static str,
    /// How large a program may be.
    pub limits: Limits,
}

/// A header that a language brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// What it declares is part of the language: to include it does nothing, and no file of that name is ever read.
    PartOfLanguage,
    /// This text, unless the user has a file of that name.
    Text(&'static str),
}

/// How large a program may be, where languages differ. Each bound should be far beyond what any switch holds; it keeps
/// hostile input from taking memory and time without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pieces of one text, and pieces that are handled in all: skipped ones and expansions among them.
    pub tokens: usize,
    /// Files that one program includes, each counted as often as it is included.
    pub includes: usize,
}
