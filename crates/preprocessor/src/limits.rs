//! Limits on the size of a program that are the same for all languages. Each is far above what any switch can hold and
//! bounds the memory, time and stack that hostile input can take.

/// The maximum size of one file, in bytes.
pub const MOST_FILE_BYTES: usize = 4 << 20;
/// The maximum total size of all files, in bytes; each file counts once.
pub(crate) const MOST_BYTES: usize = 32 << 20;
/// The maximum depth of nested `#include`s.
pub const MOST_INCLUDE_DEPTH: usize = 32;
/// The maximum depth of macro calls nested in the arguments of macro calls.
pub(crate) const MOST_MACRO_DEPTH: usize = 64;
/// The maximum number of parameters of a macro.
pub(crate) const MOST_MACRO_PARAMETERS: usize = 256;
/// The maximum size, in bytes, of a token that `#` or `##` produces.
pub(crate) const MOST_MADE_BYTES: usize = 1 << 16;
/// The number of bytes produced by `#` and `##` that count as much work as one token.
pub(crate) const MADE_BYTES_A_TOKEN: usize = 8;
/// The maximum nesting depth of operators and parentheses in the condition of an `#if`.
pub(crate) const MOST_CONDITION_DEPTH: usize = 100;
