//! Checksums and hashes of bits in the dense code.

use basis::Random;
use runtime::bits::write_narrow;
use runtime::checksum::Algorithm;

use super::Slot;

/// The size in bytes below which checksums need no allocation: enough for an IPv6 header and what follows it in a
/// pseudo-header.
const SHORT: usize = 64;

/// A checksum of values that are concatenated in network order.
#[derive(Clone, Debug)]
pub(super) struct Checksum {
    pub(super) algorithm: Algorithm,
    /// The slots of the values and their widths in bits, at most 64.
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
        // Like in the interpreter of flat programs, algorithms that draw random numbers start from seed 0.
        self.algorithm.output(bytes, self.width, &mut Random::new(0)).low()
    }
}
