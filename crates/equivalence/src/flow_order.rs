//! Order within flows: packets of a flow should leave in the order in which they arrived.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;

use basis::Instant;
use serde::Serialize;

/// The number of flows below which none is forgotten, because searching for them would cost more than they occupy.
const FEW_FLOWS: usize = 1024;

/// Counts packets that leave after a packet of their flow that arrived later: "reordered" packets as RFC 4737 section
/// 3.3 defines them, with the order of arrival as the sequence number.
///
/// Packets that depart at the same time count as leaving in order of arrival, because no order between them can be
/// observed.
#[derive(Debug)]
pub struct FlowOrder<K> {
    /// Departures that were announced for a future time: a node may transmit ahead of time, and out of order.
    announced: BinaryHeap<Reverse<(Instant, u64, Flow<K>)>>,
    /// The latest arrival of each flow among the packets that have left. The map is never iterated to decide anything,
    /// because its order is not deterministic.
    latest: HashMap<K, u64>,
    /// The number of flows above which flows that can be forgotten are searched for.
    forget_above: usize,
    lowest_in_flight: u64,
    count: u64,
    first: Option<Reordering>,
}

/// A packet that left after a packet of its flow that arrived later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reordering {
    /// The packet that left too late.
    pub late: u64,
    /// The latest arrival of its flow among the packets that left before it.
    pub before_it: u64,
    /// The time at which the late packet left, in picoseconds.
    pub at: u64,
}

/// A flow as part of a heap entry, where it does not take part in the ordering.
#[derive(Debug)]
struct Flow<K>(K);

impl<K> PartialEq for Flow<K> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<K> Eq for Flow<K> {}

impl<K> PartialOrd for Flow<K> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Flow<K> {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl<K: Hash + Eq> Default for FlowOrder<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Hash + Eq> FlowOrder<K> {
    /// Creates a counter for a run in which no packet has left.
    pub fn new() -> Self {
        Self {
            announced: BinaryHeap::new(),
            latest: HashMap::new(),
            forget_above: FEW_FLOWS,
            lowest_in_flight: 0,
            count: 0,
            first: None,
        }
    }

    /// Records that packet `sequence` of a flow leaves at `at`, which may be in the future.
    pub fn departs(&mut self, at: Instant, sequence: u64, flow: K) {
        self.announced.push(Reverse((at, sequence, Flow(flow))));
    }

    /// States that all departures recorded from now on are at `now` or later, and are not of packets below
    /// `lowest_in_flight`.
    pub fn advance(&mut self, now: Instant, lowest_in_flight: u64) {
        self.lowest_in_flight = lowest_in_flight;
        while self.announced.peek().is_some_and(|Reverse((at, ..))| *at < now) {
            self.take_first();
        }
    }

    /// Processes the remaining departures at the end of the run.
    pub fn finish(&mut self) {
        while !self.announced.is_empty() {
            self.take_first();
        }
    }

    /// Returns the number of reordered packets.
    pub fn reordered_packets(&self) -> u64 {
        self.count
    }

    /// Returns the first reordered packet, in order of departure.
    pub fn first(&self) -> Option<&Reordering> {
        self.first.as_ref()
    }

    fn take_first(&mut self) {
        let Some(Reverse((at, sequence, Flow(flow)))) = self.announced.pop() else { return };
        let latest = self.latest.entry(flow).or_insert(sequence);
        if sequence < *latest {
            self.count += 1;
            let before_it = *latest;
            self.first.get_or_insert(Reordering { late: sequence, before_it, at: at.picoseconds() });
        } else {
            *latest = sequence;
        }
        if self.latest.len() > self.forget_above {
            self.forget();
        }
    }

    /// Forgets the flows whose latest departed packet arrived before all packets whose departure is still to be
    /// processed: no packet of these flows can be late.
    fn forget(&mut self) {
        let announced = self.announced.iter().map(|Reverse((_, sequence, _))| *sequence).min();
        let lowest = announced.map_or(self.lowest_in_flight, |announced| announced.min(self.lowest_in_flight));
        self.latest.retain(|_, latest| *latest > lowest);
        self.forget_above = FEW_FLOWS.max(2 * self.latest.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(departures: &[(u64, u64, u32)]) -> FlowOrder<u32> {
        let mut order = FlowOrder::new();
        for &(at, sequence, flow) in departures {
            order.departs(Instant::from_picoseconds(at), sequence, flow);
        }
        order.finish();
        order
    }

    #[test]
    fn compares_only_packets_of_the_same_flow() {
        assert_eq!(order(&[(1, 1, 7), (2, 0, 8), (3, 2, 8)]).reordered_packets(), 0);
        let order = order(&[(1, 3, 7), (2, 0, 7), (3, 1, 7), (4, 4, 7), (5, 2, 8)]);
        assert_eq!(order.reordered_packets(), 2, "0 and 1 left after 3");
        assert_eq!(order.first(), Some(&Reordering { late: 0, before_it: 3, at: 2 }));
    }

    #[test]
    fn equal_departure_times_are_not_reordering() {
        assert_eq!(order(&[(9, 1, 7), (8, 0, 7)]).reordered_packets(), 0);
        assert_eq!(order(&[(8, 1, 7), (8, 0, 7)]).reordered_packets(), 0);
    }

    #[test]
    fn forgets_flows_only_when_no_packet_can_be_late() {
        let mut order = FlowOrder::new();
        // Packet 0 of flow 0 is overtaken by packet 1 and stays in flight while a hundred thousand flows pass.
        order.departs(Instant::from_picoseconds(1), 1, 0u64);
        for flow in 2..100_000u64 {
            order.departs(Instant::from_picoseconds(flow), flow, flow);
            order.advance(Instant::from_picoseconds(flow), 0);
        }
        order.departs(Instant::from_picoseconds(100_000), 0, 0);
        order.advance(Instant::from_picoseconds(100_001), 100_000);
        assert_eq!(order.reordered_packets(), 1);
        for flow in 100_001..200_000u64 {
            order.departs(Instant::from_picoseconds(flow), flow, flow);
            order.advance(Instant::from_picoseconds(flow), flow);
        }
        assert!(order.latest.len() <= 2 * FEW_FLOWS, "{} flows are kept", order.latest.len());
        assert_eq!(order.reordered_packets(), 1);
    }
}
