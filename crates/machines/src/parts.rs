//! What the parts of a machine have done, one by one.

use serde::Serialize;

/// What a part of a machine has done, such as an engine of a chip. Times are cycles of its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PartUse {
    /// The kind of the part, such as `ppe` or `bank`.
    pub part: &'static str,
    /// Its number among those of the kind, from 0.
    pub number: u32,
    /// How much it has done: instructions, requests or packets.
    pub work: u64,
    /// The time in which it was busy.
    pub busy: u64,
    /// The time for which work waited for it, summed over work.
    pub waited: u64,
    /// The greatest amount of work that waited for it at once.
    pub longest_queue: u64,
    /// The time from the moment at which work came to that at which it was done, summed over work.
    pub latency: u64,
    /// The greatest of these times.
    pub longest_latency: u64,
}
