//! Line rate: the rate of packets on a port, exact over any length of time.

use basis::{Duration, Instant};

/// The line rate of a switch of `ports` ports whose `pipelines` pipelines each accept one packet of 64 bytes per
/// cycle.
///
/// A packet occupies its port for (size / 64) * (ports / pipelines) cycles (MP5 section 2.3 and the published traces).
/// Time is counted in ticks, of which that is a whole number, so errors never accumulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRate {
    /// The number of ports.
    pub ports: u16,
    /// The number of pipelines that share the load.
    pub pipelines: u16,
    /// The clock period of one pipeline.
    pub period: Duration,
}

/// Time in units of 1 / (64 * pipelines) picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticks(pub(crate) u128);

/// The smallest packet in bytes, which is the size that a pipeline accepts at line rate.
pub(crate) const SMALLEST: u32 = 64;

impl LineRate {
    /// Returns how long a packet of `size` bytes occupies its port. Packets below the smallest size count as that
    /// size.
    pub(crate) fn on_a_port(self, size: u32) -> Ticks {
        Ticks(self.on_all_ports(size).0 * u128::from(self.ports))
    }

    /// Returns how long a packet of `size` bytes occupies the whole switch, which is the gap between packets if all
    /// ports share one sequence of packets.
    pub(crate) fn on_all_ports(self, size: u32) -> Ticks {
        Ticks(u128::from(size.max(SMALLEST)) * u128::from(self.period.picoseconds()))
    }

    /// Converts ticks to an instant, rounded down.
    pub(crate) fn instant(self, ticks: Ticks) -> Instant {
        let picoseconds = ticks.0 / (u128::from(SMALLEST) * u128::from(self.pipelines));
        Instant::from_picoseconds(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }
}

/// The arrival times of back-to-back packets at the line rate of all ports together.
pub(crate) struct WithoutGaps {
    rate: LineRate,
    /// The arrival of the last packet.
    ticks: Ticks,
}

impl WithoutGaps {
    pub(crate) fn new(rate: LineRate) -> Self {
        Self { rate, ticks: Ticks::default() }
    }

    /// Returns when the next packet arrives, which has `size` bytes.
    pub(crate) fn arrival(&mut self, size: u32) -> Instant {
        self.ticks.0 += self.rate.on_all_ports(size).0;
        self.rate.instant(self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_match_the_paper_and_add_up_exactly() {
        let rate = LineRate { ports: 64, pipelines: 4, period: Duration::from_nanoseconds(1) };
        assert_eq!(rate.instant(rate.on_a_port(64)), Instant::from_picoseconds(16_000));
        assert_eq!(rate.instant(rate.on_a_port(96)), Instant::from_picoseconds(24_000));
        assert_eq!(rate.instant(rate.on_all_ports(64)), Instant::from_picoseconds(250));
        assert_eq!(rate.on_a_port(40), rate.on_a_port(64));
        // 3 does not divide the period: a packet takes a third of a nanosecond, three million of them a millisecond.
        let rate = LineRate { ports: 64, pipelines: 3, period: Duration::from_nanoseconds(1) };
        let all = Ticks(rate.on_all_ports(64).0 * 3_000_000);
        assert_eq!(rate.instant(all), Instant::from_microseconds(1000));
    }
}
