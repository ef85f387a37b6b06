//! The only source of randomness: a generator that is a pure function of its seed.

use serde::{Deserialize, Serialize};

/// The pseudorandom generator xoshiro256++, seeded through SplitMix64 (Blackman and Vigna, 2018).
///
/// It is implemented here because the bytes of every result depend on it: a library may change its stream between
/// versions, and this stream must never change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// Creates the generator of the stream that `seed` defines.
    pub fn new(seed: u64) -> Self {
        let mut mixer = seed;
        let state = std::array::from_fn(|_| split_mix(&mut mixer));
        Self { state }
    }

    /// Creates an independent stream for a part of a run, such as one port, from the seed and the number of the part.
    pub fn for_part(seed: u64, part: u64) -> Self {
        let mut mixer = part;
        Self::new(seed ^ split_mix(&mut mixer))
    }

    /// Returns the next 64 uniformly distributed bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Returns a uniformly distributed number in `0..bound`, without bias.
    ///
    /// # Panics
    /// Panics if `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "an empty range has no members");
        // Lemire, "Fast random integer generation in an interval", 2019.
        let mut product = u128::from(self.bits()) * u128::from(bound);
        if (product as u64) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u64) < threshold {
                product = u128::from(self.bits()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// Returns a uniformly distributed number in `[0, 1)`, a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns true with probability `probability`, which is from 0 to 1.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Puts `items` into a uniformly random order (Fisher–Yates shuffle).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mix(*state)
}

/// Mixes the bits of a word with the finalizer of SplitMix64. The function is a bijection and maps zero to zero.
#[inline]
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_of_a_seed_never_changes() {
        let mut random = Random::new(1);
        // The first output of the reference implementation for the state that SplitMix64 makes of seed 1.
        assert_eq!(random.bits(), 0xCFC5_D07F_6F03_C29B);
    }

    #[test]
    fn below_is_uniform() {
        let mut random = Random::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[random.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (9_500..10_500).contains(&count)), "{counts:?}");
    }
}
