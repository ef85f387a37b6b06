//! The hash functions that programs can call: CRCs, as the hash units of switches compute them.
//!
//! Each function takes 32-bit words, as little-endian bytes, one after the other. As a 32-bit two's complement number a
//! result is never negative, so `hash % N` is a valid index.

use crc::{CRC_16_ARC, CRC_32_AIXM, CRC_32_ISCSI, CRC_32_ISO_HDLC, Crc};

/// A hash function, identified by the name that programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HashFunction {
    /// `hash2`: CRC-16/ARC of two words, 0 to 65535.
    Hash2,
    /// `hash3`: CRC-16/ARC of three words, 0 to 65535.
    Hash3,
    /// `hash2a`: the upper 31 bits of CRC-32/ISO-HDLC of two words.
    Hash2a,
    /// `hash2b`: the upper 31 bits of CRC-32C of two words.
    Hash2b,
    /// `hash2c`: the upper 31 bits of CRC-32/AIXM (also known as CRC-32Q) of two words.
    Hash2c,
}

static ARC: Crc<u16> = Crc::<u16>::new(&CRC_16_ARC);
static ISO_HDLC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
static ISCSI: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
static AIXM: Crc<u32> = Crc::<u32>::new(&CRC_32_AIXM);

impl HashFunction {
    /// All functions.
    pub const ALL: [Self; 5] = [Self::Hash2, Self::Hash3, Self::Hash2a, Self::Hash2b, Self::Hash2c];

    /// Returns the name that programs use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hash2 => "hash2",
            Self::Hash3 => "hash3",
            Self::Hash2a => "hash2a",
            Self::Hash2b => "hash2b",
            Self::Hash2c => "hash2c",
        }
    }

    /// Returns the function of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// Returns the number of words that the function takes.
    pub const fn arity(self) -> usize {
        match self {
            Self::Hash3 => 3,
            _ => 2,
        }
    }

    /// Returns the hash of `words`, whose number must be [`HashFunction::arity`]. The upper 32 bits of each word are
    /// ignored.
    ///
    /// # Panics
    /// In debug builds, if the number of words is wrong.
    pub fn of(self, words: &[u64]) -> u64 {
        debug_assert_eq!(words.len(), self.arity());
        let mut bytes = [0; 12];
        for (chunk, &word) in bytes.chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&(word as u32).to_le_bytes());
        }
        let bytes = &bytes[..4 * self.arity()];
        match self {
            Self::Hash2 | Self::Hash3 => u64::from(ARC.checksum(bytes)),
            Self::Hash2a => u64::from(ISO_HDLC.checksum(bytes) >> 1),
            Self::Hash2b => u64::from(ISCSI.checksum(bytes) >> 1),
            Self::Hash2c => u64::from(AIXM.checksum(bytes) >> 1),
        }
    }
}

/// Returns a hash of 64 bits of some bytes, of which functions with different seeds are independent of each other.
///
/// The bytes are taken as words of 8 bytes in network order, with zeros behind the last one. The hash begins with the seed
/// plus the number of bytes; each word is added to it by exclusive or, and the result is mixed ([`basis::mix`]) after the
/// golden ratio's odd constant of SplitMix64 was added, so that zeros count too.
pub fn of_bytes(bytes: &[u8], seed: u64) -> u64 {
    let mix = |hash: u64| basis::mix(hash.wrapping_add(0x9E37_79B9_7F4A_7C15));
    let mut hash = mix(seed.wrapping_add(bytes.len() as u64));
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_be_bytes(word));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_sketch_hashes_are_independent() {
        // The flows differ in few bits, as ports do: every pair of buckets must be about equally likely.
        let functions = [HashFunction::Hash2a, HashFunction::Hash2b, HashFunction::Hash2c];
        for (first, second) in [(0, 1), (0, 2), (1, 2)] {
            let mut cells = [0u32; 256];
            for source in 1024..1024 + 256u64 {
                for destination in 0..100u64 {
                    let words = [source, destination];
                    let cell = functions[first].of(&words) % 16 * 16 + functions[second].of(&words) % 16;
                    cells[cell as usize] += 1;
                }
            }
            // For 25,600 flows in 256 cells, chi-square with 255 degrees of freedom is below 347 except with
            // probability 1/10,000.
            let chi_square: f64 = cells.iter().map(|&n| (f64::from(n) - 100.0).powi(2) / 100.0).sum();
            assert!(chi_square < 347.0, "{first} {second}: {chi_square}");
        }
    }

    #[test]
    fn results_are_never_negative_and_ignore_high_bits() {
        assert_eq!(HashFunction::Hash2.of(&[80, 1024]), HashFunction::Hash2.of(&[80 | 1 << 40, 1024]));
        for function in HashFunction::ALL {
            for word in 0..1000u64 {
                let words = [word, word << 20, 77];
                assert!(function.of(&words[..function.arity()]) < 1 << 31);
            }
        }
    }
}
