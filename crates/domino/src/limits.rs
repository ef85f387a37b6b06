//! How large a program may be. Each bound is far beyond what any switch holds, and keeps hostile input from
//! taking memory, time or stack without end.

/// Tokens of one text, and tokens that the preprocessor handles in all, macro expansions among them.
pub(crate) const MOST_TOKENS: usize = 1 << 18;
/// Bytes of one file.
pub(crate) const MOST_FILE_BYTES: usize = 4 << 20;
/// Files that one program includes, each counted as often as it is included.
pub(crate) const MOST_INCLUDES: usize = 256;
/// Files that include one another.
pub(crate) const MOST_INCLUDE_DEPTH: usize = 32;
/// Macro calls inside the arguments of macro calls.
pub(crate) const MOST_MACRO_DEPTH: usize = 64;
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
