//! A bit string to which fields are appended.

use crate::bits::{Bits, write_bits};

/// A bit string in network order, padded with zeros to a whole byte. It can be cleared and reused for many packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitString {
    bytes: Vec<u8>,
    length: usize,
    /// The number of zero bytes that follow those in memory.
    zeros: usize,
}

impl BitString {
    /// Creates an empty bit string.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all bits but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
        self.zeros = 0;
    }

    /// Appends a value of `width` bits.
    #[inline]
    pub fn push(&mut self, value: &Bits, width: u32) {
        debug_assert_eq!(self.zeros, 0, "nothing may be appended after the zero bytes at the end");
        let start = self.length;
        self.length += width as usize;
        self.bytes.resize(self.length.div_ceil(8), 0);
        write_bits(&mut self.bytes, start, width, value);
    }

    /// Appends whole bytes, such as a payload.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        if self.length.is_multiple_of(8) {
            self.bytes.extend_from_slice(bytes);
            self.length += bytes.len() * 8;
        } else {
            bytes.iter().for_each(|&byte| self.push(&Bits::Narrow(byte.into()), 8));
        }
    }

    /// Appends zero bytes that take no memory, such as the part of a payload of which only the length is known. Nothing
    /// may be appended after them.
    pub fn end_with_zeros(&mut self, bytes: usize) {
        self.zeros += bytes;
    }

    /// Returns the number of zero bytes that follow [`BitString::bytes`].
    pub fn zeros(&self) -> usize {
        self.zeros
    }

    /// Returns the number of bits before the zero bytes at the end.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no bits before the zero bytes at the end.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the bits as bytes, without the zero bytes at the end. The first bit is the most significant one of the
    /// first byte.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
