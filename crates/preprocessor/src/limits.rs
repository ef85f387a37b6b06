//! How large a program may be, whatever its language. Each bound is far beyond what any switch holds, and keeps hostile
//! input from taking memory, time or stack without end.

/// Bytes of one file.
pub const MOST_FILE_BYTES: usize = 4 << 20;
/// Bytes of all files together, each counted once.
pub(crate) const MOST_BYTES: usize = 32 << 20;
/// Files that include one another.
pub const MOST_INCLUDE_DEPTH: usize = 32;
/// Macro calls inside the arguments of macro calls.
pub(crate) const MOST_MACRO_DEPTH: usize = 64;
/// Parameters of one macro.
pub(crate) const MOST_MACRO_PARAMETERS: usize = 256;
/// Bytes of a token that `#` or `##` makes.
pub(crate) const MOST_MADE_BYTES: usize = 1 << 16;
/// Bytes that `#` and `##` make, for which as much work is counted as for one token.
pub(crate) const MADE_BYTES_A_TOKEN: usize = 8;
/// Operators and brackets inside one another in the condition of an `#if`.
pub(crate) const MOST_CONDITION_DEPTH: usize = 100;
