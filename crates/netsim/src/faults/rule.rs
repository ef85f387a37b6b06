//! Fault rules.

use basis::{Duration, Instant};
use queues::{DscpSet, code_point};
use wire::Packet;

use super::link_set::LinkSet;
use super::strikes::Strikes;

/// A rule about packets on links. Rules are applied in the order of the plan; each sees what the previous ones left.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The links on which the rule acts.
    pub links: LinkSet,
    /// The time at which the rule begins to act: it applies to packets whose first bit is put on the link at this time
    /// or later.
    pub from: Instant,
    /// The time at which the rule stops acting; [`Instant::MAX`] for never.
    pub until: Instant,
    /// The packets on which the rule may act.
    pub packets: Packets,
    /// The packets that the rule strikes, of those.
    pub strikes: Strikes,
    /// The treatment of the packets that it strikes.
    pub kind: FaultKind,
    /// A seed for the rule's draws, beside the seed of the run.
    pub seed: u64,
}

/// The treatment of the packets that a rule strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// They are lost.
    Loss,
    /// Bits of them are flipped, which Ethernet's check sequence detects, so that the receiving end of the link
    /// discards them (IEEE 802.3: a frame whose FCS does not match is invalid and is not passed on).
    Corruption,
    /// Random bits of the packet are flipped and no check sequence detects it, as in the memory of a switch or host,
    /// between the check of one check sequence and the computation of the next.
    UndetectedCorruption {
        /// The number of bits; at least 1.
        bits: u16,
    },
    /// A copy of them arrives as well.
    Duplication {
        /// The delay of the copy.
        later: Duration,
    },
    /// They are delayed by a time that is drawn uniformly.
    Delay {
        /// The shortest delay.
        least: Duration,
        /// The longest delay.
        most: Duration,
        /// True if packets behind a delayed one are delayed too, so that none overtakes another.
        keeps_order: bool,
    },
    /// The link is down while the rule acts: packets put on it are lost, and so are those on it when it goes down.
    Down,
}

/// The packets on which a rule may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// Their code points; `None` for all packets. A packet that is not IP has no code point.
    pub dscps: Option<DscpSet>,
    /// The shortest length, in bytes from the start of the Ethernet header.
    pub shortest: u32,
    /// The longest length, in the same bytes.
    pub longest: u32,
}

impl Rule {
    /// Returns a rule that acts everywhere and always, and strikes every packet.
    pub fn new(kind: FaultKind) -> Self {
        Self {
            links: LinkSet::All,
            from: Instant::ZERO,
            until: Instant::MAX,
            packets: Packets::ALL,
            strikes: Strikes::Always,
            kind,
            seed: 0,
        }
    }

    /// Returns true if the rule acts on a packet that starts at `start` and would arrive at `arrival`.
    pub(super) fn acts_on(&self, start: Instant, arrival: Instant, packet: &Packet) -> bool {
        let is_in_time = match self.kind {
            // The packet is on the link at some time at which the link is down.
            FaultKind::Down => start < self.until && arrival > self.from,
            _ => (self.from..self.until).contains(&start),
        };
        is_in_time && self.packets.have(packet)
    }
}

impl Packets {
    /// All packets.
    pub const ALL: Self = Self { dscps: None, shortest: 0, longest: u32::MAX };

    /// Returns true if a packet is one of these.
    pub fn have(&self, packet: &Packet) -> bool {
        let length = packet.len();
        if length < self.shortest as usize || length > self.longest as usize {
            return false;
        }
        self.dscps.is_none_or(|dscps| code_point(packet).is_some_and(|dscp| dscps.contains(dscp)))
    }
}

impl Default for Packets {
    fn default() -> Self {
        Self::ALL
    }
}
