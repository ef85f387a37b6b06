//! Draws from the bytes of an input; zeros when they are used up.

use runtime::Bits;

/// Bytes of an input that are left.
pub struct Cursor<'d> {
    rest: &'d [u8],
}

impl<'d> Cursor<'d> {
    /// All bytes of an input.
    pub fn new(rest: &'d [u8]) -> Self {
        Self { rest }
    }

    /// Whether all bytes are used up.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    /// So many bytes, or as many as there are.
    pub fn bytes(&mut self, count: usize) -> &'d [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// A number below a bound, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    /// True for one byte of so many.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 1
    }

    /// A number, small ones often.
    pub fn number(&mut self) -> u64 {
        match self.byte() {
            byte @ 0..=127 => u64::from(byte),
            byte @ 128..=191 => 1u64.rotate_left(u32::from(byte)),
            192..=239 => u64::from(self.byte()) << 8 | u64::from(self.byte()),
            240 => u64::MAX,
            _ => self.bytes(8).iter().fold(0, |number, &byte| number << 8 | u64::from(byte)),
        }
    }

    /// A value, which now and then does not fit the width.
    pub fn bits(&mut self, width: u32) -> Bits {
        let width = if self.once_in(16) { width + 65 } else { width };
        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.number()).collect();
        Bits::from_limbs(&limbs, width)
    }
}
