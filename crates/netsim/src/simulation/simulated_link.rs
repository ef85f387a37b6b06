//! Links: the single directions of cables.

use basis::{Duration, Instant, Rate};
use node::Port;
use serde::{Deserialize, Serialize};

use crate::topology::CableProperties;

/// The identifier of a link, which is one direction of a cable. Links are numbered by the station and port that
/// transmit on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// A link: one direction of a cable. It fits into one cache line, because every hop looks at two links.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct SimulatedLink {
    /// The properties of the link. A port without a cable has a link that carries nothing, because its longest packet
    /// has 0 bytes.
    pub plan: CableProperties,
    /// The station at which the link ends.
    pub station: u32,
    /// The port of that station.
    pub port: Port,
    /// The shard of that station.
    pub shard: u8,
    /// The special treatment that packets need, as a set of the bits below; almost always 0.
    pub special: u8,
    /// The packets and bytes that the link has carried.
    pub carried: Carried,
}

/// The packets and bytes that a link has carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The number of packets that were put on the link.
    pub packets: u64,
    /// The bytes of those packets, including framing.
    pub bytes: u64,
    /// The number of packets that have reached the other end.
    pub delivered: u64,
}

impl Carried {
    /// Adds what another shard has counted for the same link.
    pub(super) fn add(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.delivered += other.delivered;
    }
}

/// The period in which links carried packets: from the first bit of the first packet until the last packet reached, or
/// would have reached, the other end of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Traffic {
    first: Instant,
    last: Instant,
}

impl Traffic {
    /// The empty period of links that have carried nothing.
    pub const NONE: Self = Self { first: Instant::MAX, last: Instant::ZERO };

    /// Extends the period by a packet whose first bit is sent at `start` and which arrives at `arrival`.
    #[inline]
    pub fn add(&mut self, start: Instant, arrival: Instant) {
        self.first = self.first.min(start);
        self.last = self.last.max(arrival);
    }

    /// Returns the period that covers both.
    pub fn or(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// Returns the beginning and the end of the period, or `None` if there was no packet.
    pub fn span(self) -> Option<(Instant, Instant)> {
        (self.first <= self.last).then_some((self.first, self.last))
    }
}

impl SimulatedLink {
    /// Set if a recorder wants to see every packet on the link.
    pub const TAPPED: u8 = 1;
    /// Set if fault rules apply to the packets on the link.
    pub const FAULTY: u8 = 2;
    /// Set if the sender may report transmissions late, by up to the delay of the link.
    pub const REPORTED_LATE: u8 = 4;

    /// The link of a port without a cable.
    pub const NONE: Self = Self {
        plan: CableProperties { rate: Rate::from_bits_per_second(1), delay: Duration::ZERO, framing: 0, mtu: 0 },
        station: 0,
        port: Port(0),
        shard: 0,
        special: 0,
        carried: Carried { packets: 0, bytes: 0, delivered: 0 },
    };

    /// Returns true if there is a cable.
    pub fn is_there(&self) -> bool {
        self.plan.mtu > 0
    }

    /// Returns true if the sender may report transmissions late.
    #[inline]
    pub fn is_reported_late(&self) -> bool {
        self.special & Self::REPORTED_LATE != 0
    }

    /// Returns the time at which to call a sender that asks to be called at `at`. A sender that reports late asks for the start of the
    /// transmission plus the delay of the link; if the transmission starts by the `end` of the run, the call is not after that.
    #[inline]
    pub fn call_at(&self, at: Instant, end: Instant) -> Instant {
        let is_over = self.is_reported_late() && at > end && at <= end + self.plan.delay;
        if is_over { end } else { at }
    }

    /// Counts a packet of this many bytes whose first bit is sent at `start`, and returns when it arrives. Returns
    /// `None` if the packet is longer than the link carries.
    #[inline]
    pub fn carry(&mut self, start: Instant, bytes: usize) -> Option<Instant> {
        let plan = &self.plan;
        if bytes > plan.mtu as usize {
            return None;
        }
        let on_link = bytes as u64 + u64::from(plan.framing);
        self.carried.packets += 1;
        self.carried.bytes += on_link;
        Some(start + plan.rate.time_of(on_link) + plan.delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_into_a_cache_line() {
        assert_eq!(size_of::<SimulatedLink>(), 64);
    }
}
