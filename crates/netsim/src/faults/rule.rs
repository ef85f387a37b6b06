//! What a rule says.

use basis::{Duration, Instant};
use queues::{DscpSet, code_point};
use wire::Packet;

use super::lines::Lines;
use super::strikes::Strikes;

/// A rule about packets on lines. Rules are tried in the order of the plan; each sees what those before it left.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// On which lines it acts.
    pub lines: Lines,
    /// When it begins to act: on packets whose first bit is put on the line then or later.
    pub from: Instant,
    /// When it has stopped to act; [`Instant::MAX`] if never.
    pub until: Instant,
    /// On which packets it may act.
    pub packets: Packets,
    /// Which of them it strikes.
    pub strikes: Strikes,
    /// What becomes of those.
    pub kind: Kind,
    /// Beside the seed of the run, what decides its draws.
    pub seed: u64,
}

/// What becomes of packets that a rule strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They are lost.
    Loss,
    /// Bits of them are flipped, which the check sequence of Ethernet finds, so that the receiving end of the line
    /// discards them (IEEE 802.3: a frame whose FCS does not match is invalid, and is not passed on).
    Corruption,
    /// So many bits of them are flipped, drawn from all bits of the packet, and nothing finds it: as memory of switches
    /// or hosts does it, behind one check sequence and before the next.
    UndetectedCorruption {
        /// How many; at least 1.
        bits: u16,
    },
    /// A copy of them comes as well.
    Duplication {
        /// So much later than they do.
        later: Duration,
    },
    /// They come later, by a time that is drawn uniformly.
    Delay {
        /// At least so much.
        least: Duration,
        /// At most so much.
        most: Duration,
        /// Whether they push those behind them back, so that none overtakes another.
        keeps_order: bool,
    },
    /// The line is down while the rule acts: what is put on it is lost, and what is on it when it goes down.
    Down,
}

/// Packets on which a rule may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// Of these code points; of any if there is none. A packet without IP has no code point.
    pub dscps: Option<DscpSet>,
    /// Not shorter than this, in bytes from the first of Ethernet's.
    pub shortest: u32,
    /// Not longer than this.
    pub longest: u32,
}

impl Rule {
    /// A rule that acts everywhere and always, and strikes every packet.
    pub fn new(kind: Kind) -> Self {
        Self {
            lines: Lines::All,
            from: Instant::ZERO,
            until: Instant::MAX,
            packets: Packets::ALL,
            strikes: Strikes::Always,
            kind,
            seed: 0,
        }
    }

    /// True if it acts on a packet that begins to leave at `start` and would be there at `arrival`.
    pub(super) fn acts_on(&self, start: Instant, arrival: Instant, packet: &Packet) -> bool {
        let is_in_time = match self.kind {
            // A packet that is on the line at any time at which it is down.
            Kind::Down => start < self.until && arrival > self.from,
            _ => (self.from..self.until).contains(&start),
        };
        is_in_time && self.packets.have(packet)
    }
}

impl Packets {
    /// All packets.
    pub const ALL: Self = Self { dscps: None, shortest: 0, longest: u32::MAX };

    /// True if a packet is one of them.
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
