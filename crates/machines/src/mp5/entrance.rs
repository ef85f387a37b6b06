//! The entrance of the pipelines: fresh packets in order of arrival, with recirculated ones going first.

use std::collections::VecDeque;

use basis::Instant;
use serde::{Deserialize, Serialize};

use super::parameters::Mp5Parameters;
use super::rules::Departure;

/// A packet that has arrived but has no number in the order of arrival yet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Arrival {
    at: Instant,
    port: u16,
    packet: u32,
}

/// A packet that is recirculating to an entrance.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Return {
    /// The first cycle in which it can enter.
    ready: u64,
    packet: u32,
}

/// The packets that wait to enter a pipeline.
#[derive(Clone, Debug)]
pub(super) struct Entrance {
    /// The packets that have arrived since the last cycle, ordered by time and then by port.
    arrivals: Vec<Arrival>,
    /// Fresh packets in order of arrival: one queue for all pipelines, or one per pipeline.
    fresh: Vec<VecDeque<u32>>,
    /// Recirculated packets by pipeline, in the order in which they can enter, since all take equally long.
    returning: Vec<VecDeque<Return>>,
    /// The number of recirculating packets.
    round: usize,
    waiting: usize,
    /// The pipeline that receives the next fresh packet.
    turn: usize,
    /// The pipeline that each port belongs to, with [`Departure::PortsFixed`].
    homes: Vec<u8>,
    next_order: u64,
}

impl Entrance {
    pub(super) fn new(parameters: &Mp5Parameters) -> Self {
        let k = parameters.pipelines;
        let queues = if parameters.rules.has(Departure::PortsFixed) { k } else { 1 };
        let ports = usize::from(parameters.ports);
        Self {
            arrivals: Vec::new(),
            fresh: vec![VecDeque::new(); queues],
            returning: vec![VecDeque::new(); k],
            round: 0,
            waiting: 0,
            turn: 0,
            // Ports belong to pipelines in equal contiguous ranges (section 2.3).
            homes: (0..ports).map(|port| (port * k / ports) as u8).collect(),
            next_order: 0,
        }
    }

    /// Accepts a packet. Packets that arrive at the same time are ordered by port (section 2.2.1), and packets on the
    /// same port by the order of the calls.
    #[inline]
    pub(super) fn arrive(&mut self, at: Instant, port: u16, packet: u32) {
        let arrival = Arrival { at, port, packet };
        // Drivers that call in the order of ports are the rule.
        match self.arrivals.last() {
            Some(last) if (last.at, last.port) > (at, port) => self.arrive_before_others(arrival),
            _ => self.arrivals.push(arrival),
        }
    }

    #[cold]
    fn arrive_before_others(&mut self, arrival: Arrival) {
        let key = (arrival.at, arrival.port);
        let place = self.arrivals.partition_point(|earlier| (earlier.at, earlier.port) <= key);
        self.arrivals.insert(place, arrival);
    }

    /// Moves the arrived packets to the queues of fresh packets and calls `number` with each packet and its number in
    /// the order of arrival.
    #[inline]
    pub(super) fn line_up(&mut self, mut number: impl FnMut(u32, u64)) {
        let Self { arrivals, fresh, waiting, homes, next_order, .. } = self;
        for arrival in &*arrivals {
            number(arrival.packet, *next_order);
            *next_order += 1;
            let queue = match &mut fresh[..] {
                [only] => only,
                several => {
                    let port = usize::from(arrival.port);
                    let home = homes.get(port).copied().unwrap_or_else(|| homes[port % homes.len()]);
                    &mut several[usize::from(home)]
                }
            };
            queue.push_back(arrival.packet);
        }
        *waiting += arrivals.len();
        arrivals.clear();
    }

    /// Recirculates a packet, which can enter `pipeline` from the cycle `ready` on.
    pub(super) fn come_back(&mut self, pipeline: usize, ready: u64, packet: u32) {
        self.returning[pipeline].push_back(Return { ready, packet });
        self.round += 1;
    }

    /// Returns the number of packets that are recirculating to the entrance of a pipeline.
    pub(super) fn returning_to(&self, pipeline: usize) -> usize {
        self.returning[pipeline].len()
    }

    /// Admits at most one packet into each pipeline and returns the number of fresh ones. Recirculated packets go first,
    /// because holding them back would block the exit behind them.
    #[inline]
    pub(super) fn admit(&mut self, cycle: u64, slots: &mut [u32], free: u32) -> usize {
        if self.round > 0 {
            for (returning, slot) in self.returning.iter_mut().zip(slots.iter_mut()) {
                if let Some(&Return { ready, packet }) = returning.front()
                    && ready <= cycle
                {
                    returning.pop_front();
                    self.round -= 1;
                    *slot = packet;
                }
            }
        }
        let waiting = self.waiting;
        if waiting == 0 {
            return 0;
        }
        let pipelines = slots.len();
        let [only] = &mut self.fresh[..] else {
            for (queue, slot) in self.fresh.iter_mut().zip(slots) {
                if *slot == free
                    && let Some(packet) = queue.pop_front()
                {
                    self.waiting -= 1;
                    *slot = packet;
                }
            }
            return waiting - self.waiting;
        };
        for _ in 0..pipelines {
            let pipeline = self.turn;
            if slots[pipeline] == free {
                let Some(packet) = only.pop_front() else { break };
                slots[pipeline] = packet;
            }
            self.turn = if pipeline + 1 == pipelines { 0 } else { pipeline + 1 };
        }
        self.waiting = only.len();
        waiting - self.waiting
    }

    /// Returns the number of packets that are recirculating.
    pub(super) fn returning(&self) -> usize {
        self.round
    }

    /// Returns the packets that wait to enter for the first time: first those in the queues, then those that have just
    /// arrived.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> {
        let arrived = self.arrivals.iter().map(|arrival| arrival.packet);
        self.fresh.iter().flatten().copied().chain(arrived)
    }

    /// Returns the recirculating packets, each with the pipeline that it will enter.
    pub(super) fn going_round(&self) -> impl Iterator<Item = (usize, u32)> {
        let numbered = self.returning.iter().enumerate();
        numbered.flat_map(|(pipeline, queue)| queue.iter().map(move |waiting| (pipeline, waiting.packet)))
    }

    /// Returns the first cycle in which a recirculated packet can enter.
    pub(super) fn first_return(&self) -> Option<u64> {
        if self.round == 0 {
            return None;
        }
        self.returning.iter().filter_map(VecDeque::front).map(|first| first.ready).min()
    }
}

basis::snapshot!(Entrance { values arrivals, fresh, returning, round, waiting, turn, next_order; });

#[cfg(test)]
mod tests {
    use super::super::rules::Rules;
    use super::*;

    const FREE: u32 = u32::MAX;

    fn entrance(pipelines: usize, rules: Rules) -> Entrance {
        Entrance::new(&Mp5Parameters { pipelines, ports: 8, rules, ..Mp5Parameters::default() })
    }

    fn admitted(entrance: &mut Entrance, cycle: u64, pipelines: usize) -> Vec<u32> {
        entrance.line_up(|_, _| {});
        let mut slots = vec![FREE; pipelines];
        entrance.admit(cycle, &mut slots, FREE);
        slots
    }

    #[test]
    fn simultaneous_arrivals_are_ordered_by_port() {
        let mut entrance = entrance(2, Rules::paper());
        let at = Instant::from_picoseconds;
        for (time, port, packet) in [(5, 3, 0), (5, 1, 1), (7, 0, 2), (5, 2, 3)] {
            entrance.arrive(at(time), port, packet);
        }
        let mut order = Vec::new();
        entrance.line_up(|packet, number| order.push((packet, number)));
        assert_eq!(order, [(1, 0), (3, 1), (0, 2), (2, 3)]);
    }

    #[test]
    fn sprays_one_packet_per_pipeline_and_cycle() {
        let mut entrance = entrance(3, Rules::paper());
        (0..5).for_each(|packet| entrance.arrive(Instant::ZERO, 0, packet));
        assert_eq!(admitted(&mut entrance, 0, 3), [0, 1, 2]);
        assert_eq!(admitted(&mut entrance, 1, 3), [3, 4, FREE]);
        entrance.arrive(Instant::ZERO, 0, 5);
        assert_eq!(admitted(&mut entrance, 2, 3), [FREE, FREE, 5]);
    }

    #[test]
    fn ports_are_divided_into_equal_ranges() {
        let mut entrance = entrance(2, Rules::paper().with(Departure::PortsFixed));
        for port in [3, 1, 4] {
            entrance.arrive(Instant::ZERO, port, u32::from(port));
        }
        assert_eq!(admitted(&mut entrance, 0, 2), [1, 4]);
        assert_eq!(admitted(&mut entrance, 1, 2), [3, FREE]);
    }

    #[test]
    fn recirculated_packets_enter_before_fresh_ones() {
        let mut entrance = entrance(2, Rules::paper());
        entrance.come_back(0, 4, 9);
        entrance.arrive(Instant::ZERO, 0, 1);
        entrance.arrive(Instant::ZERO, 0, 2);
        assert_eq!(admitted(&mut entrance, 4, 2), [9, 1]);
        assert_eq!(admitted(&mut entrance, 5, 2), [2, FREE]);
    }
}
