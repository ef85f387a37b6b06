//! The way in: fresh packets in the order of their arrival, and recirculated ones before them.

use std::collections::VecDeque;

use basis::Instant;
use serde::{Deserialize, Serialize};

use super::parameters::Parameters;
use super::rules::Departure;

/// A packet that has arrived and has no place in the order yet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Arrival {
    at: Instant,
    port: u16,
    packet: u32,
}

/// A packet on its way back to an entrance.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Return {
    /// The first cycle in which it can enter.
    ready: u64,
    packet: u32,
}

/// Packets that wait to enter a pipeline.
#[derive(Clone, Debug)]
pub(super) struct Entrance {
    /// Arrived since the last cycle, by time and then by port.
    arrivals: Vec<Arrival>,
    /// In the order of arrival: one queue for all pipelines, or one for each.
    fresh: Vec<VecDeque<u32>>,
    /// Recirculated, by pipeline; in the order in which they can enter, for all take equally long.
    returning: Vec<VecDeque<Return>>,
    waiting: usize,
    /// The pipeline whose turn it is.
    turn: usize,
    ports: usize,
    next_order: u64,
}

impl Entrance {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let k = parameters.pipelines;
        let queues = if parameters.rules.has(Departure::PortsFixed) { k } else { 1 };
        Self {
            arrivals: Vec::new(),
            fresh: vec![VecDeque::new(); queues],
            returning: vec![VecDeque::new(); k],
            waiting: 0,
            turn: 0,
            ports: usize::from(parameters.ports),
            next_order: 0,
        }
    }

    /// A packet has arrived. Of equal times the smaller port goes first (section 2.2.1); of equal ports the
    /// packet that was handed over first.
    pub(super) fn arrive(&mut self, at: Instant, port: u16, packet: u32) {
        let place = self.arrivals.partition_point(|earlier| (earlier.at, earlier.port) <= (at, port));
        self.arrivals.insert(place, Arrival { at, port, packet });
    }

    /// Puts what has arrived in line. `number` is called with each packet and its place in the order of arrival.
    pub(super) fn line_up(&mut self, mut number: impl FnMut(u32, u64)) {
        let pipelines = self.returning.len();
        for arrival in self.arrivals.drain(..) {
            number(arrival.packet, self.next_order);
            self.next_order += 1;
            let queue = if self.fresh.len() == 1 {
                0
            } else {
                // Ports belong to pipelines in equal runs (section 2.3).
                usize::from(arrival.port) % self.ports * pipelines / self.ports
            };
            self.fresh[queue].push_back(arrival.packet);
            self.waiting += 1;
        }
    }

    /// A packet leaves the end of a pipeline to enter `pipeline` when `ready` has come.
    pub(super) fn come_back(&mut self, pipeline: usize, ready: u64, packet: u32) {
        self.returning[pipeline].push_back(Return { ready, packet });
    }

    /// How many packets are on their way to the entrance of a pipeline.
    pub(super) fn returning_to(&self, pipeline: usize) -> usize {
        self.returning[pipeline].len()
    }

    /// Lets at most one packet into each pipeline: a recirculated one if there is one, for it cannot be held back
    /// without holding up the exit behind it, else a fresh one.
    pub(super) fn admit(&mut self, cycle: u64, slots: &mut [u32], free: u32) {
        for (returning, slot) in self.returning.iter_mut().zip(slots.iter_mut()) {
            if let Some(&Return { ready, packet }) = returning.front()
                && ready <= cycle
            {
                returning.pop_front();
                *slot = packet;
            }
        }
        if self.waiting == 0 {
            return;
        }
        let pipelines = slots.len();
        if self.fresh.len() > 1 {
            for (queue, slot) in self.fresh.iter_mut().zip(slots) {
                if *slot == free
                    && let Some(packet) = queue.pop_front()
                {
                    self.waiting -= 1;
                    *slot = packet;
                }
            }
            return;
        }
        for _ in 0..pipelines {
            let pipeline = self.turn;
            if slots[pipeline] == free {
                let Some(packet) = self.fresh[0].pop_front() else { return };
                self.waiting -= 1;
                slots[pipeline] = packet;
            }
            self.turn = if pipeline + 1 == pipelines { 0 } else { pipeline + 1 };
        }
    }

    /// How many packets are on their way back to an entrance.
    pub(super) fn returning(&self) -> usize {
        self.returning.iter().map(VecDeque::len).sum()
    }

    /// The packets that wait to enter for the first time: those in line, then those that have just arrived.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> {
        let arrived = self.arrivals.iter().map(|arrival| arrival.packet);
        self.fresh.iter().flatten().copied().chain(arrived)
    }

    /// The packets that are on their way back to an entrance, and the pipelines that they are to enter.
    pub(super) fn going_round(&self) -> impl Iterator<Item = (usize, u32)> {
        let numbered = self.returning.iter().enumerate();
        numbered.flat_map(|(pipeline, queue)| queue.iter().map(move |waiting| (pipeline, waiting.packet)))
    }

    /// The first cycle in which a recirculated packet can enter.
    pub(super) fn first_return(&self) -> Option<u64> {
        self.returning.iter().filter_map(VecDeque::front).map(|first| first.ready).min()
    }
}

basis::snapshot!(Entrance { values arrivals, fresh, returning, waiting, turn, next_order; });

#[cfg(test)]
mod tests {
    use super::super::rules::Rules;
    use super::*;

    const FREE: u32 = u32::MAX;

    fn entrance(pipelines: usize, rules: Rules) -> Entrance {
        Entrance::new(&Parameters { pipelines, ports: 8, rules, ..Parameters::default() })
    }

    fn admitted(entrance: &mut Entrance, cycle: u64, pipelines: usize) -> Vec<u32> {
        entrance.line_up(|_, _| {});
        let mut slots = vec![FREE; pipelines];
        entrance.admit(cycle, &mut slots, FREE);
        slots
    }

    #[test]
    fn of_equal_times_the_smaller_port_is_first_in_the_order() {
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
    fn packets_are_sprayed_in_turn_one_a_pipeline_a_cycle() {
        let mut entrance = entrance(3, Rules::paper());
        (0..5).for_each(|packet| entrance.arrive(Instant::ZERO, 0, packet));
        assert_eq!(admitted(&mut entrance, 0, 3), [0, 1, 2]);
        assert_eq!(admitted(&mut entrance, 1, 3), [3, 4, FREE]);
        entrance.arrive(Instant::ZERO, 0, 5);
        assert_eq!(admitted(&mut entrance, 2, 3), [FREE, FREE, 5]);
    }

    #[test]
    fn ports_belong_to_pipelines_in_equal_runs() {
        let mut entrance = entrance(2, Rules::paper().with(Departure::PortsFixed));
        for port in [3, 1, 4] {
            entrance.arrive(Instant::ZERO, port, u32::from(port));
        }
        assert_eq!(admitted(&mut entrance, 0, 2), [1, 4]);
        assert_eq!(admitted(&mut entrance, 1, 2), [3, FREE]);
    }

    #[test]
    fn a_recirculated_packet_goes_before_a_fresh_one() {
        let mut entrance = entrance(2, Rules::paper());
        entrance.come_back(0, 4, 9);
        entrance.arrive(Instant::ZERO, 0, 1);
        entrance.arrive(Instant::ZERO, 0, 2);
        assert_eq!(admitted(&mut entrance, 4, 2), [9, 1]);
        assert_eq!(admitted(&mut entrance, 5, 2), [2, FREE]);
    }
}
