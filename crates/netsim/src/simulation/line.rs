//! One direction of a cable.

use basis::{Duration, Instant, Rate};
use node::Port;
use serde::{Deserialize, Serialize};

use crate::topology::LinePlan;

/// Which direction of which cable: numbered by the station and port that send on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineId(pub u32);

/// One direction of a cable: in one cache line, for every hop looks at two.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Line {
    /// What it is like. A port without a cable has a line that carries nothing: its longest packet has 0 bytes.
    pub plan: LinePlan,
    /// Where it ends.
    pub station: u32,
    /// At which port.
    pub port: Port,
    /// The shard of that station.
    pub shard: u8,
    /// What is out of the ordinary about it: none of the bits below, nearly always.
    pub special: u8,
    /// What it has carried.
    pub carried: Carried,
}

/// What a line has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// Packets that were put on it.
    pub packets: u64,
    /// Their bytes, with what each takes on the line beside its own.
    pub bytes: u64,
    /// Packets that have come out of it.
    pub delivered: u64,
}

impl Carried {
    /// Adds what another part of a network knows of the same line.
    pub(super) fn add(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.delivered += other.delivered;
    }
}

/// The time in which lines carried packets: from the first bit of the first packet until the last packet was, or would
/// have been, at its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Traffic {
    first: Instant,
    last: Instant,
}

impl Traffic {
    /// That of lines which have carried nothing.
    pub const NONE: Self = Self { first: Instant::MAX, last: Instant::ZERO };

    /// Adds a packet whose first bit is sent at one time and which is there at another.
    #[inline]
    pub fn add(&mut self, start: Instant, arrival: Instant) {
        self.first = self.first.min(start);
        self.last = self.last.max(arrival);
    }

    /// The time in which one of two carried packets.
    pub fn or(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// Its beginning and its end; `None` if there was no packet.
    pub fn span(self) -> Option<(Instant, Instant)> {
        (self.first <= self.last).then_some((self.first, self.last))
    }
}

impl Line {
    /// Somebody wants to see every packet on it.
    pub const TAPPED: u8 = 1;
    /// There are rules about what becomes of packets on it.
    pub const FAULTY: u8 = 2;

    /// That of a port without a cable.
    pub const NONE: Self = Self {
        plan: LinePlan { rate: Rate::from_bits_per_second(1), delay: Duration::ZERO, framing: 0, mtu: 0 },
        station: 0,
        port: Port(0),
        shard: 0,
        special: 0,
        carried: Carried { packets: 0, bytes: 0, delivered: 0 },
    };

    /// True if there is a cable.
    pub fn is_there(&self) -> bool {
        self.plan.mtu > 0
    }

    /// When a packet of so many bytes whose first bit is sent at `start` is there, and how many bytes it is on the
    /// line. `None` if the line does not carry it.
    #[inline]
    pub fn carry(&mut self, start: Instant, bytes: usize) -> Option<Instant> {
        let plan = &self.plan;
        if bytes > plan.mtu as usize {
            return None;
        }
        let on_line = bytes as u64 + u64::from(plan.framing);
        self.carried.packets += 1;
        self.carried.bytes += on_line;
        Some(start + plan.rate.time_of(on_line) + plan.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fills_a_cache_line() {
        assert_eq!(size_of::<Line>(), 64);
    }
}
