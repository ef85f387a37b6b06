//! The bytes that programs parse: a pooled buffer with headroom.

use std::cell::RefCell;
use std::fmt;

/// Room in front of a fresh head, so that a program can push headers without moving the rest.
const HEADROOM: usize = 64;
/// Most heads fit this; a buffer of another size is not pooled.
const POOLED: usize = 512;
/// Buffers kept per thread; more than this were in flight only in a burst.
const POOL_LIMIT: usize = 4096;

thread_local! {
    // A cache of memory and nothing else: contents are overwritten before they can be read.
    static POOL: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// The first bytes of a packet, which programs read and write.
pub struct Head {
    storage: Vec<u8>,
    start: usize,
}

impl Head {
    /// A head with a copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Self {
        Self::of_parts(bytes, &[])
    }

    /// A head with copies of both, the second behind the first.
    pub fn of_parts(first: &[u8], second: &[u8]) -> Self {
        let wanted = HEADROOM + first.len() + second.len();
        let mut storage = if wanted <= POOLED {
            POOL.with_borrow_mut(Vec::pop).unwrap_or_else(|| Vec::with_capacity(POOLED))
        } else {
            Vec::with_capacity(wanted)
        };
        storage.clear();
        storage.resize(HEADROOM, 0);
        storage.extend_from_slice(first);
        storage.extend_from_slice(second);
        Self { storage, start: HEADROOM }
    }

    /// Becomes copies of both, the second behind the first, in the memory that it has.
    pub fn rewrite(&mut self, first: &[u8], second: &[u8]) {
        if HEADROOM + first.len() + second.len() > self.storage.capacity() {
            // Grown, a buffer of the pool would be lost to it.
            *self = Self::of_parts(first, second);
            return;
        }
        self.start = HEADROOM;
        self.storage.resize(HEADROOM, 0);
        self.storage.extend_from_slice(first);
        self.storage.extend_from_slice(second);
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.storage[self.start..]
    }

    /// The bytes, to write into.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..]
    }

    /// Forgets all bytes but the first `length`, if there are more.
    pub fn truncate(&mut self, length: usize) {
        self.storage.truncate(self.start + length);
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.storage.len() - self.start
    }

    /// True if there is no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        if self.storage.capacity() == POOLED {
            let storage = std::mem::take(&mut self.storage);
            // While a thread ends its pool may be gone; then the memory just goes back.
            let _ = POOL.try_with(|pool| {
                let mut pool = pool.borrow_mut();
                if pool.len() < POOL_LIMIT {
                    pool.push(storage);
                }
            });
        }
    }
}

impl Clone for Head {
    fn clone(&self) -> Self {
        Self::copy_of(self.bytes())
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
