//! Contributions that follow from a seed.

use std::fmt;
use std::sync::Arc;

use basis::mix;

use crate::aggregation::{FixedPoint, Gradients};

/// The step between the inputs of two positions: 2^64 over the golden ratio, as in SplitMix64, so that any two inputs
/// differ in many bits.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The numbers of a job, and how large they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arithmetic {
    /// Integers of at most this magnitude.
    Integers {
        /// The largest magnitude of a contribution.
        size: u32,
    },
    /// Floating-point numbers of at most this magnitude, and the integers that stand for them.
    Floats {
        /// The largest magnitude of a contribution.
        size: f64,
        /// How integers stand for the numbers.
        point: FixedPoint,
    },
}

/// How contributions are distributed between the largest magnitude and its negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// All numbers are equally likely.
    Uniform,
    /// Small magnitudes are more likely than large ones: the mean of four uniform numbers, which has a standard deviation
    /// of 0.29 times the largest magnitude.
    Bell,
    /// Every number is the largest magnitude.
    Constant,
}

impl Distribution {
    /// The distributions by the names that plans use.
    pub const NAMES: [(&str, Self); 3] =
        [("uniform", Self::Uniform), ("bell", Self::Bell), ("constant", Self::Constant)];

    /// Returns a number from -1 to 1 for 64 random bits.
    #[inline]
    fn number(self, bits: u64) -> f64 {
        match self {
            Self::Uniform => unit(bits >> 11, 53),
            Self::Bell => (0..4).map(|part| unit(bits >> (16 * part) & 0xFFFF, 16)).sum::<f64>() / 4.0,
            Self::Constant => 1.0,
        }
    }
}

/// Returns a number in [-1, 1) for an integer of so many bits.
#[inline]
fn unit(bits: u64, width: u32) -> f64 {
    bits as f64 / (1u64 << (width - 1)) as f64 - 1.0
}

/// The contributions of all workers of a job, each a function of the worker's rank, the tensor and the position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values {
    /// The seed.
    pub seed: u64,
    /// The numbers, and how large they are.
    pub arithmetic: Arithmetic,
    /// How they are distributed.
    pub distribution: Distribution,
}

impl Values {
    /// Returns the contributions of the worker of a rank.
    pub fn of(self, rank: u16) -> Arc<dyn Gradients> {
        Arc::new(OfWorker { values: self, rank })
    }

    /// Calls `put` with the integer that a worker contributes to each of `count` positions.
    #[inline]
    pub(super) fn each_integer(
        &self,
        rank: u16,
        tensor: u32,
        first: u64,
        count: usize,
        mut put: impl FnMut(usize, i32),
    ) {
        match self.arithmetic {
            Arithmetic::Integers { size } => {
                let size = f64::from(size);
                // Numbers are rounded to the nearest, away from zero never beyond the size.
                self.each(rank, tensor, first, count, |at, number| put(at, (number * size).round_ties_even() as i32));
            }
            Arithmetic::Floats { size, point } => {
                self.each(rank, tensor, first, count, |at, number| put(at, point.integer((number * size) as f32)));
            }
        }
    }

    /// Calls `put` with the number that a worker contributes to each of `count` positions, as a floating-point number.
    #[inline]
    pub(super) fn each_float(&self, rank: u16, tensor: u32, first: u64, count: usize, mut put: impl FnMut(usize, f32)) {
        match self.arithmetic {
            Arithmetic::Integers { .. } => {
                self.each_integer(rank, tensor, first, count, |at, value| put(at, value as f32));
            }
            Arithmetic::Floats { size, .. } => {
                self.each(rank, tensor, first, count, |at, number| put(at, (number * size) as f32));
            }
        }
    }

    #[inline]
    fn each(&self, rank: u16, tensor: u32, first: u64, count: usize, mut put: impl FnMut(usize, f64)) {
        let of_tensor = mix(self.seed ^ mix(u64::from(rank) << 32 | u64::from(tensor)).wrapping_add(STEP));
        let mut input = of_tensor.wrapping_add(first.wrapping_mul(STEP));
        for at in 0..count {
            input = input.wrapping_add(STEP);
            put(at, self.distribution.number(mix(input)));
        }
    }
}

/// The contributions of one worker.
struct OfWorker {
    values: Values,
    rank: u16,
}

impl Gradients for OfWorker {
    fn integers(&self, tensor: u32, first: u64, values: &mut [i32]) {
        let count = values.len();
        self.values.each_integer(self.rank, tensor, first, count, |at, value| values[at] = value);
    }

    fn floats(&self, tensor: u32, first: u64, values: &mut [f32]) {
        let count = values.len();
        self.values.each_float(self.rank, tensor, first, count, |at, value| values[at] = value);
    }
}

impl fmt::Debug for OfWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of rank {}", self.values, self.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_has_one_value_however_it_is_read() {
        for distribution in [Distribution::Uniform, Distribution::Bell, Distribution::Constant] {
            let values = Values { seed: 3, arithmetic: Arithmetic::Integers { size: 1000 }, distribution };
            let worker = values.of(2);
            let mut all = [0; 100];
            worker.integers(7, 50, &mut all);
            let mut part = [0; 10];
            worker.integers(7, 90, &mut part);
            assert_eq!(part, all[40..50]);
            assert!(all.iter().all(|value| (-1000..=1000).contains(value)));
            let mut floats = [0.0; 100];
            worker.floats(7, 50, &mut floats);
            assert!(all.iter().zip(floats).all(|(&integer, float)| integer as f32 == float));
        }
    }

    #[test]
    fn workers_tensors_and_positions_differ() {
        let values = Values {
            seed: 1,
            arithmetic: Arithmetic::Integers { size: i32::MAX as u32 },
            distribution: Distribution::Uniform,
        };
        let mut seen = std::collections::BTreeSet::new();
        for (rank, tensor) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let mut all = [0; 500];
            values.of(rank).integers(tensor, 0, &mut all);
            seen.extend(all);
        }
        assert!(seen.len() > 1998, "{} of 2000 are different", seen.len());
    }

    #[test]
    fn floats_and_their_integers_stand_for_the_same_number() {
        let point = FixedPoint::ATP;
        let values =
            Values { seed: 9, arithmetic: Arithmetic::Floats { size: 2.0, point }, distribution: Distribution::Bell };
        let (mut integers, mut floats) = ([0; 64], [0.0; 64]);
        values.of(5).integers(0, 10, &mut integers);
        values.of(5).floats(0, 10, &mut floats);
        assert!(integers.iter().zip(floats).all(|(&integer, float)| point.integer(float) == integer));
    }
}
