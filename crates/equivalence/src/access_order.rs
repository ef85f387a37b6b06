//! Condition C1: which packets accessed a register's index before a packet that had arrived earlier.
//!
//! MP5 section 2.2, C1: "for each register state, the same set of input packets must access the state and in the
//! same order in both single and multi-pipelined switch". A single pipeline accesses every state in the order of
//! arrival, so a packet violates C1 if at some index its access came before that of a packet that arrived earlier.

use std::collections::{BTreeSet, VecDeque};

use basis::Instant;
use serde::Serialize;

/// Counts the packets that violate C1 during a run, in memory proportional to the packets in flight rather than to the
/// length of the run.
///
/// Every access must be recorded in order of time, and from time to time the lowest sequence number in flight.
///
/// # Example
///
/// ```
/// use basis::Instant;
/// use equivalence::AccessOrder;
///
/// let mut order = AccessOrder::new();
/// // Packet 2 accesses index 7 of unit 0 before packet 1 does, although packet 1 arrived earlier.
/// order.access(Instant::from_picoseconds(1000), 0, 7, 2);
/// order.access(Instant::from_picoseconds(2000), 0, 7, 1);
/// assert_eq!(order.violating_packets(), 1);
/// ```
#[derive(Debug, Default)]
pub struct AccessOrder {
    /// By unit and index, in ascending order: the sequence numbers of the packets that accessed the index and have not
    /// overtaken another packet so far.
    ///
    /// An ascending list suffices: a late packet removes all packets that overtook it, which have then been counted and
    /// need not be remembered. An access therefore takes constant time on average.
    accessed: Vec<Vec<VecDeque<u64>>>,
    /// Packets that have been counted and could be found to overtake again.
    violating: BTreeSet<u64>,
    count: u64,
    first: Option<Overtaking>,
    /// The lowest sequence number in flight; no packet below it accesses anything any more.
    lowest_in_flight: u64,
}

/// A packet whose access to an index came before that of a packet that arrived earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overtaking {
    /// The group of registers, as numbered by the machine's program.
    pub unit: u32,
    /// The index in the group.
    pub index: u32,
    /// The packet that accessed the index first although it arrived later.
    pub overtaker: u64,
    /// The packet that was overtaken.
    pub overtaken: u64,
    /// The time at which the overtaken packet accessed the index, in picoseconds.
    pub at: u64,
}

impl AccessOrder {
    /// Creates a counter for a run without accesses so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records that packet `sequence` accesses an index of a unit at `at`, which must not be before the previous
    /// access.
    pub fn access(&mut self, at: Instant, unit: u32, index: u32, sequence: u64) {
        let accessed = place(place(&mut self.accessed, unit), index);
        // A packet below the lowest in flight arrived before every packet that can still access this index, so it
        // overtakes none.
        while accessed.front().is_some_and(|&earlier| earlier < self.lowest_in_flight) {
            accessed.pop_front();
        }
        let overtakers = accessed.partition_point(|&other| other <= sequence);
        if let Some(&overtaker) = accessed.get(overtakers) {
            let at = at.picoseconds();
            self.first.get_or_insert(Overtaking { unit, index, overtaker, overtaken: sequence, at });
        }
        for overtaker in accessed.drain(overtakers..) {
            self.count += u64::from(self.violating.insert(overtaker));
        }
        if accessed.back() != Some(&sequence) {
            accessed.push_back(sequence);
        }
    }

    /// States that no packet below `sequence` is in flight, so that what is remembered about these packets can be
    /// dropped. Successive values must not decrease.
    pub fn lowest_in_flight(&mut self, sequence: u64) {
        self.lowest_in_flight = self.lowest_in_flight.max(sequence);
        while self.violating.first().is_some_and(|&first| first < self.lowest_in_flight) {
            self.violating.pop_first();
        }
    }

    /// Returns the number of packets that overtook an earlier one at some index; each packet counts once.
    pub fn violating_packets(&self) -> u64 {
        self.count
    }

    /// Returns the first violation that was detected: of the packets that overtook the first overtaken packet, the one
    /// that accessed the index first.
    pub fn first(&self) -> Option<&Overtaking> {
        self.first.as_ref()
    }
}

/// Returns the entry for a number that the size of a program bounds, growing the vector as necessary.
fn place<T: Default>(all: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if all.len() <= number {
        all.resize_with(number + 1, T::default);
    }
    &mut all[number]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Counts violations literally by the definition: for every pair of accesses to one index, whether the first is by
    /// a later packet.
    fn by_definition(accesses: &[(u32, u32, u64)]) -> u64 {
        let mut violating = BTreeSet::new();
        for (position, &(unit, index, sequence)) in accesses.iter().enumerate() {
            for &(unit_after, index_after, sequence_after) in &accesses[position + 1..] {
                if (unit, index) == (unit_after, index_after) && sequence > sequence_after {
                    violating.insert(sequence);
                }
            }
        }
        violating.len() as u64
    }

    fn remembered(order: &AccessOrder) -> usize {
        order.violating.len() + order.accessed.iter().flatten().map(VecDeque::len).sum::<usize>()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn agrees_with_the_quadratic_definition(
            // For each packet, the places it accesses, in order; then the sequence in which packets take turns.
            packets in prop::collection::vec(prop::collection::vec((0u32..2, 0u32..3), 0..4), 1..30),
            turns in prop::collection::vec(any::<prop::sample::Index>(), 120),
        ) {
            let total = packets.iter().map(Vec::len).sum::<usize>();
            let mut left: Vec<VecDeque<_>> = packets.into_iter().map(VecDeque::from).collect();
            let mut order = AccessOrder::new();
            let mut made = Vec::new();
            for turn in turns.iter().cycle().take(total) {
                let ready: Vec<usize> = (0..left.len()).filter(|&packet| !left[packet].is_empty()).collect();
                let packet = *turn.get(&ready);
                let (unit, index) = left[packet].pop_front().expect("it was ready");
                made.push((unit, index, packet as u64));
                order.access(Instant::ZERO, unit, index, packet as u64);
                let lowest = left.iter().position(|left| !left.is_empty()).unwrap_or(left.len());
                order.lowest_in_flight(lowest as u64);
            }
            prop_assert_eq!(order.violating_packets(), by_definition(&made));
            prop_assert_eq!(order.first().is_some(), order.violating_packets() > 0);
        }
    }

    #[test]
    fn reports_the_packets_and_index_of_the_first_case() {
        let mut order = AccessOrder::new();
        let at = Instant::from_picoseconds;
        order.access(at(1), 0, 5, 2);
        order.access(at(2), 1, 5, 1);
        assert_eq!(order.first(), None, "a different unit is a different place");
        order.access(at(3), 0, 5, 1);
        order.access(at(4), 0, 5, 0);
        let expected = Overtaking { unit: 0, index: 5, overtaker: 2, overtaken: 1, at: 3 };
        assert_eq!(order.first(), Some(&expected));
        assert_eq!(order.violating_packets(), 2, "2 overtook 1 and 0, 1 overtook 0");
    }

    #[test]
    fn memory_is_proportional_to_packets_in_flight() {
        let mut order = AccessOrder::new();
        for sequence in 0..100_000u64 {
            // Adjacent packets are swapped, so that every second packet overtakes; four packets are in flight.
            order.access(Instant::ZERO, 0, 0, sequence ^ 1);
            order.lowest_in_flight(sequence.saturating_sub(3));
            assert!(remembered(&order) < 16);
        }
        assert_eq!(order.violating_packets(), 50_000);
    }
}
