//! Counters of packets and bytes, which programs write and the control plane reads.

use serde::{Deserialize, Serialize};

/// What a counter has counted. Wraps after 2^64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Count {
    /// Counts a packet of `bytes` bytes.
    #[inline]
    pub fn count(&mut self, bytes: u64) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(bytes);
    }
}

/// The counters of one `counter` of a program. They count packets and bytes; which of both a program's counter type
/// shows is the control plane's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterArray {
    counts: Vec<Count>,
}

impl CounterArray {
    /// Counters at zero.
    pub fn new(size: usize) -> Self {
        Self { counts: vec![Count::default(); size] }
    }

    /// Counts a packet of `bytes` bytes. Outside of the array nothing is counted (v1model: "If index >= size, no
    /// counter state will be updated").
    #[inline]
    pub fn count(&mut self, index: u64, bytes: u64) {
        if let Some(count) = usize::try_from(index).ok().and_then(|index| self.counts.get_mut(index)) {
            count.count(bytes);
        }
    }

    /// All counts, by index.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// What a counter has counted.
    pub fn get(&self, index: usize) -> Option<Count> {
        self.counts.get(index).copied()
    }

    /// Sets a counter. False if there is none at the index.
    pub fn set(&mut self, index: usize, count: Count) -> bool {
        self.counts.get_mut(index).map(|place| *place = count).is_some()
    }

    /// Sets all counters to zero.
    pub fn clear(&mut self) {
        self.counts.fill(Count::default());
    }
}

basis::snapshot!(CounterArray { values counts; });
