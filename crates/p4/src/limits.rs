//! Bounds on the size of a program, beyond those that [`preprocessor`] sets for every language. Each bound is far
//! larger than what any switch can hold, and keeps hostile input from exhausting memory, time or stack.

/// The most tokens of one text, and the most tokens that the preprocessor handles in total, including skipped tokens
/// and those of expansions.
pub(crate) const MOST_TOKENS: usize = 1 << 21;
/// The most files that one program may include, each counted as often as it is included.
pub(crate) const MOST_INCLUDES: usize = 1024;
/// The most digits of one number. The time to read decimal digits is quadratic in their number.
pub(crate) const MOST_DIGITS: usize = 1 << 13;
