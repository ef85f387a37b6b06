//! Limits on the size of a program, in addition to those that [`preprocessor`] sets for every language. Each is far
//! above what any switch can hold and bounds the memory, time and stack that hostile input can take.

/// The maximum number of tokens in one text, and of tokens that the preprocessor processes in total, including those
/// that are skipped and those that result from macro expansion.
pub(crate) const MOST_TOKENS: usize = 1 << 18;
/// The maximum number of included files; a file counts each time it is included.
pub(crate) const MOST_INCLUDES: usize = 256;
/// The maximum nesting depth of blocks, brackets and operators in the source.
pub(crate) const MOST_NESTING: u32 = 160;
/// The maximum nesting depth after inlining. Each level becomes at most two levels of IR, and [`ir::parse::MAX_DEPTH`]
/// levels of IR text can be parsed back.
pub(crate) const MOST_INLINED_NESTING: u32 = ir::parse::MAX_DEPTH / 2 - 10;
/// The maximum number of operations of a program after inlining.
pub(crate) const MOST_OPERATIONS: u32 = 1 << 16;
/// The maximum length of an array, in values.
pub(crate) const MOST_VALUES: u32 = 1 << 26;
/// The maximum total length of all arrays, in values.
pub(crate) const MOST_VALUES_TOGETHER: u64 = 1 << 27;
