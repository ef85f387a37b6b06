//! An event as the queue holds it.

/// An event: when, whose, and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    /// In picoseconds.
    pub(super) time: u64,
    /// Whose.
    pub(super) source: u32,
    /// What.
    pub(super) item: T,
}

impl<T> Entry<T> {
    /// True if it comes before `other`, wherever both stand.
    #[inline]
    pub(super) fn precedes(&self, other: &Self) -> bool {
        self.key() < other.key()
    }

    /// What decides the order.
    #[inline]
    pub(super) fn key(&self) -> (u64, u32) {
        (self.time, self.source)
    }
}
