//! How large a program may be, beside what [`preprocessor`] bounds for every language. Each bound is far beyond what any
//! switch holds, and keeps hostile input from taking memory, time or stack without end.

/// Tokens of one text, and tokens that the preprocessor handles in all: skipped ones and expansions among them.
pub(crate) const MOST_TOKENS: usize = 1 << 21;
/// Files that one program includes, each counted as often as it is included.
pub(crate) const MOST_INCLUDES: usize = 1024;
/// Digits of one number. Reading decimal digits takes time that grows with their square.
pub(crate) const MOST_DIGITS: usize = 1 << 13;
