//! The bytes that programs parse: a buffer that is part of its packet.

use std::fmt;

/// Bytes kept in the packet itself: headers of three layers and more. Together with what else a packet has 256 bytes,
/// so that the first headers lie in the cache line behind the one that says what a packet is.
const INLINE: usize = 192;

/// The first bytes of a packet, which programs read and write.
#[repr(C)]
pub struct Head {
    start: u32,
    end: u32,
    /// The bytes, if they do not fit the packet; else empty.
    outside: Box<[u8]>,
    inside: [u8; INLINE],
}

impl Head {
    /// A head without bytes.
    pub(crate) fn empty() -> Self {
        Self { start: 0, end: 0, outside: Box::default(), inside: [0; INLINE] }
    }

    /// Becomes copies of both, the second behind the first, in the memory that it has if that is enough.
    pub fn rewrite(&mut self, first: &[u8], second: &[u8]) {
        let middle = first.len();
        let end = middle + second.len();
        if end <= INLINE {
            if !self.outside.is_empty() {
                self.outside = Box::default();
            }
        } else if end > self.outside.len() {
            // Rounded up, so that buffers of many lengths serve each other's packets.
            self.outside = vec![0; end.next_power_of_two()].into_boxed_slice();
        }
        let storage = self.storage_mut();
        storage[..middle].copy_from_slice(first);
        storage[middle..end].copy_from_slice(second);
        // A head is part of a packet, whose length is counted in 32 bits.
        (self.start, self.end) = (0, end as u32);
    }

    /// Puts `front` in the place of the first `length` bytes. The rest stays where it is if there is room before it, as
    /// earlier headers leave; else it moves, which for a packet's headers costs less than room that is always there.
    pub fn replace_front(&mut self, length: usize, front: &[u8]) {
        let rest = self.start as usize + length.min(self.len());
        let Some(start) = rest.checked_sub(front.len()) else {
            let rest = self.bytes()[length.min(self.len())..].to_vec();
            return self.rewrite(front, &rest);
        };
        self.storage_mut()[start..rest].copy_from_slice(front);
        self.start = start as u32;
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        let storage = if self.outside.is_empty() { &self.inside[..] } else { &self.outside };
        &storage[self.start as usize..self.end as usize]
    }

    /// The bytes, to write into.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let range = self.start as usize..self.end as usize;
        &mut self.storage_mut()[range]
    }

    #[inline]
    fn storage_mut(&mut self) -> &mut [u8] {
        if self.outside.is_empty() { &mut self.inside } else { &mut self.outside }
    }

    /// Forgets all bytes but the first `length`, if there are more.
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            self.end = self.start + length as u32;
        }
    }

    /// How many bytes there are.
    #[inline]
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// True if there is no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes of memory it keeps outside the packet.
    pub(crate) fn outside(&self) -> usize {
        self.outside.len()
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Head {}

impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Head({:02x?})", self.bytes())
    }
}
