//! The set of packets of a message that have arrived.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Packets that are this far ahead of the first missing one are not remembered, since no link has such a
/// bandwidth-delay product. The limit bounds the memory that a malicious packet can make the receiver allocate.
const FARTHEST: u32 = 1 << 20;

/// The set of packets of a message that have arrived. Its size is proportional to the extent of reordering.
#[derive(Debug, Serialize, Deserialize)]
pub struct Arrivals {
    packets: u32,
    missing: u32,
    /// All packets below this have arrived; a multiple of 64.
    base: u32,
    /// One bit for each packet from `base` on, set if the packet has arrived.
    bits: VecDeque<u64>,
    bytes: u64,
}

/// The classification of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Novelty {
    /// The packet has not arrived before.
    New,
    /// The packet is a duplicate.
    Old,
    /// The packet cannot belong to this message.
    Impossible,
}

impl Arrivals {
    /// Creates the state of a message of which no packet has arrived.
    pub fn new(packets: u32) -> Self {
        Self { packets, missing: packets, base: 0, bits: VecDeque::new(), bytes: 0 }
    }

    /// Classifies the packet with a sequence number that claims to be one of `packets` packets.
    pub fn novelty(&self, sequence: u32, packets: u32) -> Novelty {
        if packets != self.packets || sequence >= packets || sequence.saturating_sub(self.base) >= FARTHEST {
            return Novelty::Impossible;
        }
        if self.is_here(sequence) { Novelty::Old } else { Novelty::New }
    }

    fn is_here(&self, sequence: u32) -> bool {
        let Some(index) = sequence.checked_sub(self.base) else { return true };
        self.word(index / 64) >> (index % 64) & 1 == 1
    }

    fn word(&self, index: u32) -> u64 {
        self.bits.get(index as usize).copied().unwrap_or(0)
    }

    /// Records the arrival of a new packet with `payload` bytes.
    pub fn arrived(&mut self, sequence: u32, payload: u16) {
        let index = (sequence - self.base) as usize;
        if index / 64 >= self.bits.len() {
            self.bits.resize(index / 64 + 1, 0);
        }
        self.bits[index / 64] |= 1 << (index % 64);
        self.missing -= 1;
        self.bytes += u64::from(payload);
        while self.bits.front() == Some(&u64::MAX) {
            self.bits.pop_front();
            self.base += 64;
        }
    }

    /// Returns the first missing packet; one past the last packet if none is missing.
    pub fn first_missing(&self) -> u32 {
        self.base + self.word(0).trailing_ones()
    }

    /// Returns one bit for each of the 64 packets from `from` on, set if the packet has arrived; the lowest bit is for
    /// `from`, which must not be more than 64 below the first missing packet.
    pub fn from(&self, from: u32) -> u64 {
        let Some(index) = from.checked_sub(self.base) else {
            let here = (self.base - from).min(64);
            // All packets below the base have arrived.
            return if here == 64 { u64::MAX } else { self.word(0) << here | ((1 << here) - 1) };
        };
        let (low, shift) = (self.word(index / 64) >> (index % 64), 64 - index % 64);
        if shift == 64 { low } else { low | self.word(index / 64 + 1) << shift }
    }

    /// Returns the number of missing packets.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// Returns the payload that has arrived, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bitmap_covers_64_packets_from_anywhere() {
        let mut arrivals = Arrivals::new(1000);
        let is_here = |sequence: u32| sequence < 130 || sequence % 3 == 1 && sequence < 400;
        for sequence in (0..1000).rev().filter(|&sequence| is_here(sequence)) {
            arrivals.arrived(sequence, 1);
        }
        assert_eq!(arrivals.first_missing(), 131);
        for from in 64..600 {
            let expected = (0..64).filter(|bit| is_here(from + bit)).fold(0_u64, |bits, bit| bits | 1 << bit);
            assert_eq!(arrivals.from(from), expected, "{from}");
        }
    }

    #[test]
    fn impossible_packets_are_recognized() {
        let mut arrivals = Arrivals::new(1 << 21);
        arrivals.arrived(5, 1);
        let packets = 1 << 21;
        assert_eq!(arrivals.novelty(5, packets), Novelty::Old);
        assert_eq!(arrivals.novelty(4, packets), Novelty::New);
        assert_eq!(arrivals.novelty(4, packets - 1), Novelty::Impossible);
        assert_eq!(arrivals.novelty(packets, packets), Novelty::Impossible);
        assert_eq!(arrivals.novelty(FARTHEST, packets), Novelty::Impossible);
    }
}
