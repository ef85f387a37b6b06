//! Values of expressions during code generation.

use cranelift_codegen::ir::Value;

/// The value of an expression as raw bits; bits above its width are zero.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// A value of at most 64 bits in a machine word.
    Word(Value),
    /// A wider value in memory, which does not change until the end of the statement.
    Wide(MemoryWords),
}

/// Words in memory, least significant first.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryWords {
    pub(super) base: Value,
    /// The offset from the base in bytes.
    pub(super) offset: i32,
    pub(super) words: u32,
}

impl MemoryWords {
    /// Returns the offset of a word from the base in bytes.
    pub(super) fn at(self, word: u32) -> i32 {
        self.offset + word as i32 * 8
    }
}

/// The statuses that compiled functions return. A chain of blocks returns [`DONE`], or the status of the block that
/// failed with its place in the chain.
pub(crate) mod status {
    /// The block reached its end.
    pub(crate) const DONE: u64 = 0;
    /// The block executed `exit`.
    pub(crate) const EXIT: u64 = 1;
    /// An assertion failed. This status and [`UNFINISHED`] stop everything at once; they differ in the lowest bit only.
    pub(crate) const ASSERTION_FAILED: u64 = 2;
    /// The block took too many steps or nested calls too deeply.
    pub(crate) const UNFINISHED: u64 = 3;
    /// A flag that a parser rejected the packet; the lowest 32 bits are the error.
    pub(crate) const REJECTED: u64 = 1 << 32;
    /// How far the place of the block that failed is shifted in the status of a chain of blocks.
    pub(crate) const PLACE: u32 = 8;
}
