//! Condition C1: who accessed a register's index before a packet that had arrived earlier.
//!
//! MP5 section 2.2, C1: "for each register state, the same set of input packets must access the state and in the
//! same order in both single and multi-pipelined switch". A single pipeline accesses every state in the order of
//! arrival, so a packet violates C1 if at some index its access came before that of a packet that arrived earlier.

use std::collections::{BTreeSet, VecDeque};

use basis::Instant;
use serde::Serialize;

/// Counts the packets that violate C1 while they run, in memory that follows the packets in flight and not the run.
///
/// Tell it every access in order of time, and now and then the lowest sequence that is still in flight.
#[derive(Debug, Default)]
pub struct AccessOrder {
    /// By unit, then by index: sequences that accessed it and overtook nobody yet, ascending.
    ///
    /// Ascending is enough: a late packet takes out all who overtook it, who are then counted for good and need not be
    /// remembered, so that an access costs constant time on average.
    accessed: Vec<Vec<VecDeque<u64>>>,
    /// Packets that are counted already and could be seen to overtake again.
    violating: BTreeSet<u64>,
    count: u64,
    first: Option<Overtaking>,
    /// No packet below accesses anything any more.
    lowest_in_flight: u64,
}

/// A packet whose access to an index came before that of a packet that arrived earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overtaking {
    /// Which group of registers, as the machine's program numbers its accesses.
    pub unit: u32,
    /// Which index of the group.
    pub index: u32,
    /// The packet that went first and arrived later.
    pub overtaker: u64,
    /// The packet that came too late.
    pub overtaken: u64,
    /// When the late one accessed the index, in picoseconds.
    pub at: u64,
}

impl AccessOrder {
    /// Nobody has accessed anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// The packet `sequence` accesses an index of a unit at an instant that is not before the last one told.
    pub fn access(&mut self, at: Instant, unit: u32, index: u32, sequence: u64) {
        let accessed = place(place(&mut self.accessed, unit), index);
        // Who is below the lowest in flight arrived before everybody who can still come here: it overtakes nobody.
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

    /// No packet below `sequence` is in flight: what is remembered of them can go. Never goes back.
    pub fn lowest_in_flight(&mut self, sequence: u64) {
        self.lowest_in_flight = self.lowest_in_flight.max(sequence);
        while self.violating.first().is_some_and(|&first| first < self.lowest_in_flight) {
            self.violating.pop_first();
        }
    }

    /// How many packets overtook an earlier one at some index; each counts once.
    pub fn violating_packets(&self) -> u64 {
        self.count
    }

    /// The first case that was seen: who went first of those that the first overtaken packet was overtaken by.
    pub fn first(&self) -> Option<&Overtaking> {
        self.first.as_ref()
    }
}

/// The entry of a number that a program's size bounds; the vector grows to hold it.
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

    /// The definition, word for word: for every pair of accesses to one place, the first by a later packet.
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
        fn counts_what_the_quadratic_definition_counts(
            // Each packet: which places it accesses, in its own order; then whose turn it is, again and again.
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
    fn the_first_case_names_both_packets_and_the_place() {
        let mut order = AccessOrder::new();
        let at = Instant::from_picoseconds;
        order.access(at(1), 0, 5, 2);
        order.access(at(2), 1, 5, 1);
        assert_eq!(order.first(), None, "another unit is another place");
        order.access(at(3), 0, 5, 1);
        order.access(at(4), 0, 5, 0);
        let expected = Overtaking { unit: 0, index: 5, overtaker: 2, overtaken: 1, at: 3 };
        assert_eq!(order.first(), Some(&expected));
        assert_eq!(order.violating_packets(), 2, "2 overtook 1 and 0, 1 overtook 0");
    }

    #[test]
    fn memory_follows_the_packets_in_flight() {
        let mut order = AccessOrder::new();
        for sequence in 0..100_000u64 {
            // Neighbours swap places, so that every second packet overtakes; four packets are in flight.
            order.access(Instant::ZERO, 0, 0, sequence ^ 1);
            order.lowest_in_flight(sequence.saturating_sub(3));
            assert!(remembered(&order) < 16);
        }
        assert_eq!(order.violating_packets(), 50_000);
    }
}
