//! Which packets of a message are here.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Packets this far ahead of the first that is missing are not remembered; no line is so fast and so long. It bounds
/// what a packet that lies can make us allocate.
const FARTHEST: u32 = 1 << 20;

/// Which packets of a message are here: as wide as they are out of order.
#[derive(Debug, Serialize, Deserialize)]
pub struct Arrivals {
    packets: u32,
    missing: u32,
    /// The packets below this are here; a multiple of 64.
    base: u32,
    /// A bit for each packet from `base` on, set if it is here.
    bits: VecDeque<u64>,
    bytes: u64,
}

/// What a data packet was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Novelty {
    /// Not here until now.
    New,
    /// Here before.
    Old,
    /// None of this message.
    Impossible,
}

impl Arrivals {
    /// Of a message of which none is here.
    pub fn new(packets: u32) -> Self {
        Self { packets, missing: packets, base: 0, bits: VecDeque::new(), bytes: 0 }
    }

    /// What a packet is that says to be one of `packets`.
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

    /// A packet that was not here until now is here, with so many bytes of payload.
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

    /// The first packet that is missing; behind the last if none is.
    pub fn first_missing(&self) -> u32 {
        self.base + self.word(0).trailing_ones()
    }

    /// A bit for each of 64 packets from `from` on, which is not below 64 before the first that is missing; the lowest
    /// for `from`. Set if it is here.
    pub fn from(&self, from: u32) -> u64 {
        let Some(index) = from.checked_sub(self.base) else {
            let here = (self.base - from).min(64);
            // All below the base are here.
            return if here == 64 { u64::MAX } else { self.word(0) << here | ((1 << here) - 1) };
        };
        let (low, shift) = (self.word(index / 64) >> (index % 64), 64 - index % 64);
        if shift == 64 { low } else { low | self.word(index / 64 + 1) << shift }
    }

    /// Packets that are missing.
    pub fn missing(&self) -> u32 {
        self.missing
    }

    /// Payload that is here, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitmap_from_anywhere_says_which_of_64_packets_are_here() {
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
    fn packets_of_another_message_or_from_too_far_ahead_are_none_of_it() {
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
