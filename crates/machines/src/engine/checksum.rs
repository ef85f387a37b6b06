//! Checksums and hashes of bits in the dense code.

use basis::Random;
use runtime::bits::write_narrow;
use runtime::checksum::Algorithm;

use super::Slot;

/// The bytes that most checksums are computed of fit here: an IPv6 header with what follows it in a pseudo-header.
const SHORT: usize = 64;

/// A checksum of values, one behind the other as on the wire.
#[derive(Clone, Debug)]
pub(super) struct Checksum {
    pub(super) algorithm: Algorithm,
    /// Where the values are, and how many of their bits count: at most 64.
    pub(super) parts: Box<[(Slot, u32)]>,
    /// The width of the result.
    pub(super) width: u32,
}

impl Checksum {
    pub(super) fn of(&self, frame: &[u64]) -> u64 {
        let bits: usize = self.parts.iter().map(|&(_, width)| width as usize).sum();
        let length = bits.div_ceil(8);
        if length <= SHORT {
            return self.sum(frame, &mut [0; SHORT][..length]);
        }
        self.sum(frame, &mut vec![0; length])
    }

    fn sum(&self, frame: &[u64], bytes: &mut [u8]) -> u64 {
        let mut place = 0;
        for &(slot, width) in &self.parts {
            write_narrow(bytes, place, width, frame[usize::from(slot)]);
            place += width as usize;
        }
        // As the interpreter of flat programs has it: nobody gave a seed to an algorithm that draws.
        self.algorithm.output(bytes, self.width, &mut Random::new(0)).low()
    }
}
