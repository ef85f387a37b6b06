//! The numbers of fragments in packets.
//!
//! The fragments of all tensors of a job are numbered in one sequence, from 0. A packet has 24 bits of that, by which switches
//! tell fragments apart. Each new setup of a job moves the sequence numbers on, so that nothing that is left of an earlier
//! setup in a switch, or is still on its way, has the number of a fragment that is under way now. The UDP source port, from
//! IANA's range of dynamic ports, has what hosts need besides: 4 bits of the number of the setup, and 10 further bits of the
//! number of the fragment.

use serde::{Deserialize, Serialize};
use wire::atp;

use crate::aggregation::Setup;

/// By how much a new setup moves the sequence numbers: more than the distance between any two fragments that are under way.
const STRIDE: u32 = 1 << 16;
const SEQUENCES: u32 = 1 << atp::SEQUENCE_BITS;
const EPOCH_BITS: u32 = 10;
/// The first of the dynamic ports (RFC 6335, section 6).
const FIRST_PORT: u16 = 0xC000;

/// The numbering of the fragments of a job in one of its setups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Numbering {
    pub job: u8,
    generation: u16,
}

impl Numbering {
    pub fn of(setup: &Setup) -> Self {
        Self { job: setup.job, generation: setup.generation }
    }

    /// Returns job and sequence number of a fragment as in packets.
    pub fn word(self, fragment: u64) -> u32 {
        // Only the lowest 24 bits of a sequence number count.
        atp::job_and_sequence(self.job, (fragment as u32).wrapping_add(self.offset()))
    }

    /// Returns the UDP source port of packets of a fragment.
    pub fn port(self, fragment: u64) -> u16 {
        let epoch = (fragment >> atp::SEQUENCE_BITS) as u16 & ((1 << EPOCH_BITS) - 1);
        FIRST_PORT | (self.generation << EPOCH_BITS) | epoch
    }

    /// Returns the fragment of a packet; `None` if it is of another job or setup.
    pub fn fragment(self, word: u32, port: u16) -> Option<u64> {
        let is_ours = (word >> atp::SEQUENCE_BITS) as u8 == self.job && (port ^ self.port(0)) >> EPOCH_BITS == 0;
        let epoch = u64::from(port & ((1 << EPOCH_BITS) - 1));
        let low = word.wrapping_sub(self.offset()) % SEQUENCES;
        is_ours.then_some(epoch << atp::SEQUENCE_BITS | u64::from(low))
    }

    fn offset(self) -> u32 {
        u32::from(self.generation).wrapping_mul(STRIDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_survive_and_setups_differ() {
        let of = |generation| Numbering { job: 200, generation };
        for generation in [0, 1, 15, 16, 255, 256, 65535] {
            for fragment in [0, 1, 65_535, 65_536, (1 << 24) - 1, 1 << 24, (5 << 24) + 77, (1 << 34) - 1] {
                let (word, port) = (of(generation).word(fragment), of(generation).port(fragment));
                assert_eq!(of(generation).fragment(word, port), Some(fragment));
                assert_eq!(of(generation.wrapping_add(1)).fragment(word, port), None);
                assert_eq!(Numbering { job: 201, generation }.fragment(word, port), None);
                assert_ne!(of(generation).word(fragment), of(generation.wrapping_add(1)).word(fragment));
            }
        }
    }
}
