//! How large a program may be, beside what [`preprocessor`] bounds for every language. Each bound is far beyond what any
//! switch holds, and keeps hostile input from taking memory, time or stack without end.

/// Tokens of one text, and tokens that the preprocessor handles in all: skipped ones and expansions among them.
pub(crate) const MOST_TOKENS: usize = 1 << 18;
/// Files that one program includes, each counted as often as it is included.
pub(crate) const MOST_INCLUDES: usize = 256;
/// Blocks, brackets and operators inside one another, as written.
pub(crate) const MOST_NESTING: u32 = 160;
/// The same after inlining of functions. Each of these makes at most two levels of IR, of whose text
/// [`ir::parse::MAX_DEPTH`] levels parse back.
pub(crate) const MOST_INLINED_NESTING: u32 = ir::parse::MAX_DEPTH / 2 - 10;
/// Operations of a program after inlining of functions.
pub(crate) const MOST_OPERATIONS: u32 = 1 << 16;
/// Values of one array.
pub(crate) const MOST_VALUES: u32 = 1 << 26;
/// Values of all arrays together.
pub(crate) const MOST_VALUES_TOGETHER: u64 = 1 << 27;
