//! What the value of an expression is while code is written.

use cranelift_codegen::ir::Value;

/// The value of an expression, raw bits, zero above its width.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// Of at most 64 bits: a machine word.
    Word(Value),
    /// Of more: words in memory, which stay as they are until the end of the statement.
    Wide(Place),
}

/// Words in memory, the lowest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) base: Value,
    /// In bytes.
    pub(super) offset: i32,
    pub(super) words: u32,
}

impl Place {
    /// Where a word is, in bytes from the base.
    pub(super) fn at(self, word: u32) -> i32 {
        self.offset + word as i32 * 8
    }
}

/// How a block ended, as compiled code says it: 0 if it came to its end.
pub(crate) mod status {
    /// It came to its end.
    pub(crate) const DONE: u64 = 0;
    /// `exit`.
    pub(crate) const EXIT: u64 = 1;
    /// An assertion failed. This and the next one end everything at once; they differ in the lowest bit.
    pub(crate) const ASSERTION_FAILED: u64 = 2;
    /// Too many steps, or too deep.
    pub(crate) const UNFINISHED: u64 = 3;
    /// A parser rejected; the lowest 32 bits are the error.
    pub(crate) const REJECTED: u64 = 1 << 32;
}
