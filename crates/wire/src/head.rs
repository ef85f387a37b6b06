//! The bytes that programs parse: a buffer that is part of its packet.

use std::fmt;

/// The number of bytes kept in the packet itself, which holds the headers of three layers and more. It makes the whole
/// packet 256 bytes, with the first headers in the cache line after the one with the packet's metadata.
const INLINE: usize = 192;

/// The first bytes of a packet, which programs read and write.
#[repr(C)]
pub struct Head {
    /// The offset of the first byte, 16 bits, so that there is room for the next number: what would begin later is moved.
    start: u16,
    /// The number of bytes in front of the first one that are metadata.
    metadata: u16,
    end: u32,
    /// The memory of the bytes if they do not fit into the packet: one pointer, for there is room for no more.
    outside: Option<Box<Outside>>,
    inside: [u8; INLINE],
}

/// Memory of a head that does not fit into its packet.
struct Outside(Box<[u8]>);

impl Head {
    /// Returns a head without bytes.
    pub(crate) fn empty() -> Self {
        Self { start: 0, metadata: 0, end: 0, outside: None, inside: [0; INLINE] }
    }

    /// Replaces the content by a copy of `bytes`. Existing memory is reused if it is large enough.
    #[inline]
    pub fn rewrite(&mut self, bytes: &[u8]) {
        self.resize(bytes.len());
        self.storage_mut()[..bytes.len()].copy_from_slice(bytes);
    }

    /// Replaces the content by copies of `first` and, behind it, `second`. Existing memory is reused if it is large
    /// enough.
    pub(crate) fn rewrite_parts(&mut self, first: &[u8], second: &[u8]) {
        let middle = first.len();
        let end = middle + second.len();
        self.resize(end);
        let storage = self.storage_mut();
        storage[..middle].copy_from_slice(first);
        storage[middle..end].copy_from_slice(second);
    }

    /// Replaces the content by `length` unspecified bytes.
    #[inline]
    pub(crate) fn resize(&mut self, length: usize) {
        if length > INLINE || self.outside.is_some() {
            self.fit_outside(length);
        }
        // A head is part of a packet, whose length fits into 32 bits.
        (self.start, self.metadata, self.end) = (0, 0, length as u32);
    }

    /// Gives back the memory outside the packet if `length` bytes fit into the packet itself, and otherwise takes as much as
    /// they need, unless there is enough.
    fn fit_outside(&mut self, length: usize) {
        if length <= INLINE {
            self.outside = None;
        } else if length > self.outside() {
            // Rounded up, so that a buffer can be reused for packets of other lengths.
            self.outside = Some(Box::new(Outside(vec![0; length.next_power_of_two()].into())));
        }
    }

    /// Adds bytes behind the others. Memory is only taken if they do not fit.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let (start, end, length) = (usize::from(self.start), self.end as usize, self.len());
        if end + bytes.len() <= self.storage_mut().len() {
            self.storage_mut()[end..end + bytes.len()].copy_from_slice(bytes);
            self.end += bytes.len() as u32;
        } else if length + bytes.len() <= self.storage_mut().len() {
            let storage = self.storage_mut();
            storage.copy_within(start..end, 0);
            storage[length..length + bytes.len()].copy_from_slice(bytes);
            (self.start, self.metadata, self.end) = (0, 0, (length + bytes.len()) as u32);
        } else {
            let own = self.bytes().to_vec();
            self.metadata = 0;
            self.rewrite_parts(&own, bytes);
        }
    }

    /// Replaces the first `length` bytes by `front`. The other bytes stay in place if there is room before them, as
    /// earlier headers leave it; otherwise they are moved, which for the headers of a packet costs less than always
    /// reserving room.
    #[inline]
    pub fn replace_front(&mut self, length: usize, front: &[u8]) {
        let rest = usize::from(self.start) + length.min(self.len());
        let end = self.end as usize;
        self.metadata = 0;
        if let Some(start) = rest.checked_sub(front.len()).and_then(|start| u16::try_from(start).ok()) {
            self.storage_mut()[usize::from(start)..rest].copy_from_slice(front);
            self.start = start;
        } else if front.len() + end - rest <= self.storage_mut().len() {
            let storage = self.storage_mut();
            storage.copy_within(rest..end, front.len());
            storage[..front.len()].copy_from_slice(front);
            (self.start, self.end) = (0, (front.len() + end - rest) as u32);
        } else {
            let rest = self.storage_mut()[rest..end].to_vec();
            self.rewrite_parts(front, &rest);
        }
    }

    /// Makes the first `length` bytes the metadata of the head, which begins behind them from now on. What was its metadata is none
    /// any more.
    ///
    /// # Panics
    ///
    /// If the head has fewer bytes, or it would begin beyond 65,535 bytes of its memory.
    pub fn set_apart(&mut self, length: usize) {
        assert!(length <= self.len(), "a head of {} bytes has {length} bytes of metadata", self.len());
        let start = u16::try_from(usize::from(self.start) + length).expect("metadata is short");
        // It is no longer than the start.
        (self.start, self.metadata) = (start, length as u16);
    }

    /// Returns the metadata: bytes that whoever received the packet has put in front of it for whoever reads it next, who must
    /// know what they mean. Usually there are none. They are not part of the packet, a copy of it has none, and they are gone when
    /// its front is replaced.
    #[inline]
    pub fn metadata(&self) -> &[u8] {
        let start = usize::from(self.start);
        &self.storage()[start - usize::from(self.metadata)..start]
    }

    /// Returns the bytes of the head.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.storage()[usize::from(self.start)..self.end as usize]
    }

    /// Returns the bytes of the head and `padding` bytes of unspecified content behind them, for readers that load
    /// several bytes at a time. Returns `None` if the memory of the head ends before that.
    #[inline]
    pub fn padded(&self, padding: usize) -> Option<&[u8]> {
        self.storage().get(usize::from(self.start)..self.end as usize + padding)
    }

    /// Returns the bytes of the head for writing.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let range = usize::from(self.start)..self.end as usize;
        &mut self.storage_mut()[range]
    }

    #[inline]
    fn storage(&self) -> &[u8] {
        match &self.outside {
            None => &self.inside,
            Some(outside) => &outside.0,
        }
    }

    #[inline]
    fn storage_mut(&mut self) -> &mut [u8] {
        match &mut self.outside {
            None => &mut self.inside,
            Some(outside) => &mut outside.0,
        }
    }

    /// Removes all bytes but the first `length`, if there are more.
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            self.end = u32::from(self.start) + length as u32;
        }
    }

    /// Returns the number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.end as usize - usize::from(self.start)
    }

    /// Returns true if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many bytes of memory are allocated outside the packet.
    pub(crate) fn outside(&self) -> usize {
        self.outside.as_ref().map_or(0, |outside| outside.0.len())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacing_the_front_keeps_the_rest() {
        for length in [0, 1, 60, 191, 192, 193, 300] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            for (parsed, front) in [(0, 0), (34, 34), (34, 54), (54, 34), (400, 20), (14, 180), (14, 700)] {
                let mut head = Head::empty();
                head.rewrite(&bytes);
                let front = vec![0xEE; front];
                head.replace_front(parsed, &front);
                let expected = [&front[..], &bytes[parsed.min(bytes.len())..]].concat();
                assert_eq!(head.bytes(), expected, "{length} bytes, {parsed} of them parsed");
                // The next front finds room where the first one left some.
                head.replace_front(front.len(), &[1, 2]);
                assert_eq!(head.bytes(), [&[1, 2][..], &expected[front.len()..]].concat());
                if let Some(padded) = head.padded(8) {
                    assert_eq!((padded.len(), &padded[..head.len()]), (head.len() + 8, head.bytes()));
                }
            }
        }
    }
}
