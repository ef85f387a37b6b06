//! The representation of an event in the queue.

/// An event: its time, its source and its item.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuedEvent<T> {
    /// The time in picoseconds.
    pub(super) time: u64,
    /// The source, which orders events at the same time.
    pub(super) source: u32,
    /// The item that the event stands for.
    pub(super) item: T,
}

impl<T> QueuedEvent<T> {
    /// Returns true if this event comes before `other`, disregarding the order of insertion.
    #[inline]
    pub(super) fn precedes(&self, other: &Self) -> bool {
        self.key() < other.key()
    }

    /// Returns the key that determines the order: the time and then the source, in one number, which is compared without a
    /// branch.
    #[inline]
    pub(super) fn key(&self) -> u128 {
        u128::from(self.time) << 32 | u128::from(self.source)
    }
}
