//! The counters of a stream's run.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use equivalence::AccessOrder;
use machines::pipelines::events::Access;
use measure::Event;
use node::{Discarded, Sink, Transmission};

/// Counts departures and violations of condition C1, with memory proportional to the packets in flight.
#[derive(Debug)]
pub(super) struct Watch {
    period: Duration,
    /// The interval of steady arrivals, in cycles.
    steady: std::ops::RangeInclusive<u64>,
    /// The time of an undelayed packet, by which the interval of steady departures is later.
    depth: u64,
    pub(super) packets: u64,
    pub(super) discarded: u64,
    pub(super) last_departure: u64,
    /// The numbers of arrivals and of departures in the steady interval.
    pub(super) steady_arrivals: u64,
    pub(super) steady_departures: u64,
    pub(super) order: AccessOrder,
    /// Whether each packet has left, from the lowest number in flight on.
    gone: VecDeque<bool>,
    lowest: u64,
}

impl Watch {
    /// Nothing has happened; the last packet arrives in cycle `last_arrival`, at a machine `depth` stages deep.
    pub(super) fn new(period: Duration, last_arrival: u64, depth: u64) -> Self {
        Self {
            period,
            steady: last_arrival / 10..=last_arrival,
            depth,
            packets: 0,
            discarded: 0,
            last_departure: 0,
            steady_arrivals: 0,
            steady_departures: 0,
            order: AccessOrder::new(),
            gone: VecDeque::new(),
            lowest: 0,
        }
    }

    fn cycle(&self, at: Instant) -> u64 {
        at.picoseconds() / self.period.picoseconds()
    }

    /// Records the departure of a packet that arrived at the given time.
    fn leaves(&mut self, sequence: u64, arrival: Instant) {
        self.packets += 1;
        self.steady_arrivals += u64::from(self.steady.contains(&self.cycle(arrival)));
        // What runs on for ever would not fit a memory's addresses.
        let place = (sequence - self.lowest) as usize;
        if self.gone.len() <= place {
            self.gone.resize(place + 1, false);
        }
        self.gone[place] = true;
        while self.gone.front() == Some(&true) {
            self.gone.pop_front();
            self.lowest += 1;
        }
        self.order.lowest_in_flight(self.lowest);
    }
}

impl Sink for Watch {
    fn transmitted(&mut self, transmission: Transmission) {
        let sidecar = transmission.packet.sidecar;
        let departure = self.cycle(transmission.at);
        self.last_departure = self.last_departure.max(departure);
        let is_steady = departure.checked_sub(self.depth).is_some_and(|cycle| self.steady.contains(&cycle));
        self.steady_departures += u64::from(is_steady);
        self.leaves(sidecar.id, sidecar.arrival);
    }

    fn discarded(&mut self, _: Instant, discarded: Discarded) {
        self.discarded += 1;
        self.leaves(discarded.packet.sidecar.id, discarded.packet.sidecar.arrival);
    }

    fn event(&mut self, at: Instant, event: Event) {
        if let Ok(Access { unit, index, sequence }) = event.read() {
            self.order.access(at, unit, index, sequence);
        }
    }
}
