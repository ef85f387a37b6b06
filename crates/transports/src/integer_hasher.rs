//! A hasher for keys that are integers.

use std::hash::Hasher;

/// A hash of one integer that is the same in every run. The multiplication spreads low bits upwards, and the shift
/// brings them down again, where the table looks. Keys are addresses and message numbers of a simulation, so there is
/// no need to resist collision attacks.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegerHasher(u64);

impl Hasher for IntegerHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}
