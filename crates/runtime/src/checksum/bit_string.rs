//! A string of bits that fields are put into one after the other.

use crate::bits::{Bits, write_bits};

/// A string of bits in network order, filled up with zeros to a whole byte; used again for packet after packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitString {
    bytes: Vec<u8>,
    length: usize,
    /// How many bytes that are all 0 follow those that are in memory.
    zeros: usize,
}

impl BitString {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes everything out, and keeps the room.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
        self.zeros = 0;
    }

    /// Adds a value of `width` bits.
    #[inline]
    pub fn push(&mut self, value: &Bits, width: u32) {
        debug_assert_eq!(self.zeros, 0, "nothing comes behind the zeros at the end");
        let start = self.length;
        self.length += width as usize;
        self.bytes.resize(self.length.div_ceil(8), 0);
        write_bits(&mut self.bytes, start, width, value);
    }

    /// Adds whole bytes, such as a payload.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        if self.length.is_multiple_of(8) {
            self.bytes.extend_from_slice(bytes);
            self.length += bytes.len() * 8;
        } else {
            bytes.iter().for_each(|&byte| self.push(&Bits::Narrow(byte.into()), 8));
        }
    }

    /// Ends the string with so many bytes that are all 0, which take no memory: the part of a payload of which only the
    /// length is known. Nothing may be added behind them.
    pub fn end_with_zeros(&mut self, bytes: usize) {
        self.zeros += bytes;
    }

    /// How many bytes that are all 0 follow [`BitString::bytes`].
    pub fn zeros(&self) -> usize {
        self.zeros
    }

    /// How many bits there are before the zeros at the end.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there is no bit.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bits in bytes, without the zeros at the end, the first one in the most significant bit of the first byte.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
