//! Limits on the size of a program, in addition to those that [`preprocessor`] sets for every language. Each is far
//! above what the chip can hold and bounds the memory, time and stack that hostile input can take.

/// The maximum number of tokens in one text, and of tokens that the preprocessor processes in total, including those
/// that are skipped and those that result from macro expansion.
pub(crate) const MOST_TOKENS: usize = 1 << 18;
/// The maximum number of included files; a file counts each time it is included.
pub(crate) const MOST_INCLUDES: usize = 256;
/// The maximum nesting depth of blocks, brackets and operators in the source.
pub(crate) const MOST_NESTING: u32 = 100;
/// The maximum height of an expression after names for values (`const`) have been replaced by these values.
pub(crate) const MOST_HEIGHT: u32 = 200;
/// The maximum number of operations in one instruction. No word of a machine holds as many.
pub(crate) const MOST_OPERATIONS: u32 = 1 << 10;
/// The maximum number of writes in one instruction.
pub(crate) const MOST_MOVES: usize = ir::threads::MAX_MOVES;
/// The maximum number of operations in a program, where a named value counts each time it is used.
pub(crate) const MOST_OPERATIONS_TOGETHER: u32 = 1 << 20;
/// The maximum number of instructions in a program.
pub(crate) const MOST_INSTRUCTIONS: usize = 1 << 16;
/// The maximum width of a bit field, in bits.
pub(crate) const MOST_BITS: u32 = 1 << 16;
/// The maximum width of a value, in bits.
pub(crate) const MOST_VALUE_BITS: u32 = 64;
/// The maximum size of a type, in bits.
pub(crate) const MOST_TYPE_BITS: u64 = 1 << 40;
/// The maximum number of bytes with first contents that are written down, in all memories together.
pub(crate) const MOST_CONTENT_BYTES: u64 = 1 << 26;
/// The maximum number of levels to which calls of subroutines can be nested (section 2.2).
pub(crate) const MOST_CALLS: usize = 8;
