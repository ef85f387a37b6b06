//! Counters of packets and bytes, which programs write and the control plane reads.

use serde::{Deserialize, Serialize};

/// The value of a counter, which wraps around after 2^64 or, if it is narrower, after the power of two of its width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Count {
    /// The number of packets.
    pub packets: u64,
    /// The sum of the packets' lengths in bytes.
    pub bytes: u64,
}

impl Count {
    /// Counts packets that have `bytes` bytes in all.
    #[inline]
    pub fn count(&mut self, packets: u64, bytes: u64) {
        self.packets = self.packets.wrapping_add(packets);
        self.bytes = self.bytes.wrapping_add(bytes);
    }

    /// Returns what a counter of `width` bits holds.
    #[inline]
    pub fn of_width(self, width: u32) -> Self {
        let mask = crate::arithmetic::mask(width);
        Self { packets: self.packets & mask, bytes: self.bytes & mask }
    }
}

/// The counters of one `counter` instance of a program. They always count both packets and bytes; the control plane
/// shows the ones that the program's counter type names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterArray {
    counts: Vec<Count>,
    width: u32,
}

impl CounterArray {
    /// Creates counters of 64 bits at zero.
    pub fn new(size: usize) -> Self {
        Self::with_width(size, 64)
    }

    /// Creates counters of `width` bits at zero, each of which wraps around after 2^`width`.
    pub fn with_width(size: usize, width: u32) -> Self {
        Self { counts: vec![Count::default(); size], width }
    }

    /// Counts packets that have `bytes` bytes in all. If the index is outside of the array nothing is counted (v1model: "If index >=
    /// size, no counter state will be updated").
    #[inline]
    pub fn count(&mut self, index: u64, packets: u64, bytes: u64) {
        if let Some(count) = usize::try_from(index).ok().and_then(|index| self.counts.get_mut(index)) {
            count.count(packets, bytes);
            *count = count.of_width(self.width);
        }
    }

    /// Returns the values of all counters, by index.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// Returns the value of a counter; `None` if there is no counter at the index.
    pub fn get(&self, index: usize) -> Option<Count> {
        self.counts.get(index).copied()
    }

    /// Sets a counter to the lowest bits of a value that it can hold; returns false if there is no counter at the index.
    pub fn set(&mut self, index: usize, count: Count) -> bool {
        self.counts.get_mut(index).map(|place| *place = count.of_width(self.width)).is_some()
    }

    /// Sets all counters to zero.
    pub fn clear(&mut self) {
        self.counts.fill(Count::default());
    }
}

basis::snapshot!(CounterArray { values counts; });
