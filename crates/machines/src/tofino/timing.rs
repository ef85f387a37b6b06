//! The time that packets take in the chip: one packet a cycle in each gress of a pipe, and latencies.

use basis::{Clock, Duration, Instant};
use serde::{Deserialize, Serialize};

use super::settings::LatencySettings;

/// A part of a pipe that takes one packet a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Ingress,
    Egress,
}

/// The clock and the latencies of a chip in which something takes time, and what its pipes have taken so far.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    clock: Clock,
    pub(super) latencies: LatencySettings,
    /// The first cycle in which ingress and egress of each pipe have not taken a packet yet.
    pub(super) free: Vec<Cycles>,
}

/// The first free cycles of ingress and of egress of a pipe.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Cycles([u64; 2]);

impl Timing {
    pub(super) fn new(latencies: LatencySettings, pipes: u16) -> Self {
        // So many cycles in 1 s.
        let clock = Clock::new(Duration::from_picoseconds(1_000_000_000_000), latencies.clock.max(1));
        Self { clock, latencies, free: vec![Cycles::default(); pipes.into()] }
    }

    /// Returns the number of packets that wait for their cycle in front of a part.
    pub(super) fn backlog(&self, now: Instant, pipe: usize, part: Part) -> u64 {
        self.free[pipe].0[part as usize].saturating_sub(self.clock.first_edge_at_or_after(now))
    }

    /// Returns the time of the next cycle.
    pub(super) fn next_cycle(&self, now: Instant) -> Instant {
        self.clock.edge(self.clock.first_edge_at_or_after(now))
    }

    /// Gives a packet that comes to a part the next cycle, and returns its time.
    pub(super) fn take(&mut self, now: Instant, pipe: usize, part: Part) -> Instant {
        let free = &mut self.free[pipe].0[part as usize];
        let cycle = self.clock.first_edge_at_or_after(now).max(*free);
        *free = cycle.saturating_add(1);
        self.clock.edge(cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gress_of_each_pipe_takes_one_packet_a_cycle() {
        let latencies = LatencySettings { clock: 1_000_000_000, ..LatencySettings::default() };
        let mut timing = Timing::new(latencies, 2);
        let now = Instant::from_picoseconds(2_500);
        let picoseconds = |at: Instant| at.picoseconds();
        let ingress: Vec<_> = (0..3).map(|_| picoseconds(timing.take(now, 0, Part::Ingress))).collect();
        assert_eq!(ingress, [3_000, 4_000, 5_000]);
        assert_eq!(timing.backlog(now, 0, Part::Ingress), 3);
        assert_eq!(picoseconds(timing.take(now, 0, Part::Egress)), 3_000);
        assert_eq!(picoseconds(timing.take(now, 1, Part::Ingress)), 3_000);
        assert_eq!(timing.backlog(Instant::from_picoseconds(5_500), 0, Part::Ingress), 0);
    }

    /// No cycle is lost to rounding: in 1 s, the clock of 1.22 GHz takes 1,220,000,000 packets.
    #[test]
    fn cycles_that_are_no_whole_number_of_picoseconds_are_exact() {
        let mut timing = Timing::new(LatencySettings::default(), 1);
        let times: Vec<_> = (0..1221).map(|_| timing.take(Instant::ZERO, 0, Part::Ingress)).collect();
        assert_eq!(times[1].picoseconds(), 819);
        assert_eq!(times[1220].picoseconds(), 1_000_000);
    }
}
