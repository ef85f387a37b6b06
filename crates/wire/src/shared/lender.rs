//! Buffers that an interface receives into and lends to packets.

use std::ops::Range;
use std::sync::Arc;

use super::SharedBytes;
use super::bytes::{ForeignMemory, Memory};

/// A piece of memory that is lent to packets again and again. It is free when no packet has a part of it.
#[derive(Debug)]
pub struct Loan(Arc<Memory>);

impl Loan {
    fn new(length: usize) -> Self {
        Self(Arc::new(Memory::Own(vec![0; length].into())))
    }

    /// Returns a loan of memory that belongs to somebody else.
    pub fn of_foreign(memory: impl ForeignMemory + 'static) -> Self {
        Self(Arc::new(Memory::Foreign(Box::new(memory))))
    }

    /// Returns true if no packet has a part of the memory.
    pub fn is_free(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }

    /// Returns the memory for writing, if it is free.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        Arc::get_mut(&mut self.0).map(Memory::bytes_mut)
    }

    /// Lends a part of the memory.
    ///
    /// # Panics
    /// If the range does not lie within the memory.
    pub fn lend(&self, range: Range<usize>) -> SharedBytes {
        SharedBytes::of_memory(Arc::clone(&self.0), range.end).part(range)
    }
}

/// Buffers that an interface receives into and lends to packets. A buffer is free again when the last packet that has
/// a part of it is dropped, on whatever thread. Lending allocates nothing.
#[derive(Debug)]
pub struct Lender {
    buffers: Vec<Loan>,
    /// The number of the buffer that is tried next.
    next: usize,
    /// The number of times that a packet got a copy because no buffer was free.
    copies: u64,
}

impl Lender {
    /// Returns a lender of `count` buffers of `length` bytes each.
    ///
    /// # Panics
    /// If `count` is 0, or `length` is 4 GB or more.
    pub fn new(count: usize, length: usize) -> Self {
        assert!(count > 0 && u32::try_from(length).is_ok(), "{count} buffers of {length} bytes");
        let buffers = (0..count).map(|_| Loan::new(length)).collect();
        Self { buffers, next: 0, copies: 0 }
    }

    /// Tries buffers from the first on again. Called before each burst, so that few buffers are used, which stay in the
    /// processor's caches.
    pub fn rewind(&mut self) {
        self.next = 0;
    }

    /// Returns a buffer that no packet has, to receive into; `None` if there is none after the one that was lent last.
    /// Until it is lent by [`Lender::lend`], the same buffer is returned again.
    pub fn buffer(&mut self) -> Option<&mut [u8]> {
        let free = self.buffers[self.next..].iter_mut().position(Loan::is_free);
        self.next = free.map_or(self.buffers.len(), |free| self.next + free);
        self.buffers.get_mut(self.next)?.bytes_mut()
    }

    /// Lends the first `length` bytes of the buffer that [`Lender::buffer`] returned last.
    ///
    /// # Panics
    /// If it returned none.
    pub fn lend(&mut self, length: usize) -> SharedBytes {
        let lent = SharedBytes::of_memory(Arc::clone(&self.buffers[self.next].0), length);
        self.next += 1;
        lent
    }

    /// Returns a copy of bytes that were received elsewhere because no buffer was free, and counts it.
    pub fn copy(&mut self, bytes: &[u8]) -> SharedBytes {
        self.copies += 1;
        bytes.into()
    }

    /// Returns the number of times that a packet got a copy because no buffer was free.
    pub fn copies(&self) -> u64 {
        self.copies
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn received(lender: &mut Lender, byte: u8) -> Option<SharedBytes> {
        lender.buffer()?[..2].fill(byte);
        Some(lender.lend(2))
    }

    #[test]
    fn a_buffer_is_free_again_when_nothing_has_a_part_of_it() {
        let mut lender = Lender::new(2, 8);
        let [first, second] = [1, 2].map(|byte| received(&mut lender, byte).expect("a free buffer"));
        assert_eq!((received(&mut lender, 3), lender.copies()), (None, 0));
        lender.rewind();
        assert_eq!(received(&mut lender, 3), None, "both are lent");
        assert_eq!((&*lender.copy(&[3, 3]), lender.copies()), (&[3, 3][..], 1));

        let part = first.part(1..2);
        drop(first);
        lender.rewind();
        assert_eq!(received(&mut lender, 4), None, "a part of the first is left");
        assert_eq!((&*part, &*second), (&[1][..], &[2, 2][..]));

        // Another thread may return it.
        thread::spawn(move || drop(part)).join().expect("no panic");
        lender.rewind();
        assert_eq!(received(&mut lender, 5).as_deref(), Some(&[5, 5][..]));
        assert_eq!(&*second, [2, 2]);
    }

    #[test]
    fn a_buffer_that_is_not_lent_is_returned_again() {
        let mut lender = Lender::new(1, 8);
        lender.buffer().expect("a free buffer")[0] = 7;
        assert_eq!(lender.buffer().map(|buffer| buffer[0]), Some(7));
    }
}
