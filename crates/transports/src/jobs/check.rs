//! The comparison of sums with sums that are formed apart from the network.

use crate::aggregation::Sum;
use crate::jobs::{Arithmetic, Values};

/// The most sets of workers that are tried for a sum that contains only some of the workers.
const MOST_SETS: u64 = 5_000;

/// Compares what comes out of a job with sums that it forms itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// The contributions of the job.
    pub values: Values,
    /// The number of workers.
    pub workers: u16,
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Checked {
    /// The sums are right.
    Right,
    /// A sum is not the sum of as many workers as it is said to contain.
    Wrong(Wrong),
    /// The sums contain only some of the workers, and there are too many sets of so many to try them all.
    Unknown,
}

/// A sum that is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrong {
    /// The position in the tensor.
    pub position: u64,
    /// The sum over all workers, formed apart from the network. Of floating-point numbers it is the nearest number.
    pub expected: f64,
    /// What came out.
    pub found: f64,
}

impl Check {
    /// Compares sums for the positions of a tensor from `first` on, which contain the contributions of `sources` workers.
    ///
    /// Sums of integers must be equal, where each is clamped to 32 bits. Sums of floating-point numbers may differ by what
    /// rounding them in any order can come to. Sums over fewer workers than there are must all be those of one set of
    /// workers.
    pub fn part(&self, tensor: u32, first: u64, sources: u16, sum: Sum<'_>) -> Checked {
        let all: Vec<u16> = (0..self.workers).collect();
        let wrong_of_all = self.first_wrong(&all, tensor, first, sum);
        if sources >= self.workers {
            return match wrong_of_all {
                _ if sources > self.workers => Checked::Wrong(wrong_of_all.unwrap_or_else(|| too_many(first, sum))),
                Some(wrong) => Checked::Wrong(wrong),
                None => Checked::Right,
            };
        }
        let missing = usize::from(self.workers - sources);
        if combinations(all.len() as u64, missing as u64) > MOST_SETS {
            return Checked::Unknown;
        }
        let is_right = sets_without(&all, missing).any(|set| self.first_wrong(&set, tensor, first, sum).is_none());
        match wrong_of_all.filter(|_| !is_right) {
            Some(wrong) => Checked::Wrong(wrong),
            None => Checked::Right,
        }
    }

    /// Returns the first of these sums that is not that of these workers.
    fn first_wrong(&self, workers: &[u16], tensor: u32, first: u64, sum: Sum<'_>) -> Option<Wrong> {
        match sum {
            Sum::Integers(found) => {
                let mut expected = vec![0i64; found.len()];
                for &rank in workers {
                    self.values.each_integer(rank, tensor, first, found.len(), |at, value| {
                        expected[at] += i64::from(value);
                    });
                }
                let clamped = |sum: i64| sum.clamp(i32::MIN.into(), i32::MAX.into());
                let wrong = |(at, (&found, &expected)): (usize, (&i32, &i64))| {
                    let expected = clamped(expected);
                    let wrong =
                        Wrong { position: first + at as u64, expected: expected as f64, found: f64::from(found) };
                    (i64::from(found) != expected).then_some(wrong)
                };
                found.iter().zip(&expected).enumerate().find_map(wrong)
            }
            Sum::Floats(found) => {
                let mut expected = vec![(0f64, 0f64); found.len()];
                for &rank in workers {
                    self.values.each_float(rank, tensor, first, found.len(), |at, value| {
                        expected[at].0 += f64::from(value);
                        expected[at].1 += f64::from(value).abs();
                    });
                }
                let steps = workers.len() as f64;
                // What each worker's number loses as an integer, in case some came as integers.
                let lost = match self.values.arithmetic {
                    Arithmetic::Floats { point, .. } => steps / point.scale,
                    Arithmetic::Integers { .. } => 0.0,
                };
                let wrong = |(at, (&found, &(expected, magnitude))): (usize, (&f32, &(f64, f64)))| {
                    // The bound for sums in any order: n units in the last place of the sum of magnitudes.
                    let tolerance = steps * f64::from(f32::EPSILON) * magnitude + lost;
                    let wrong = Wrong { position: first + at as u64, expected, found: f64::from(found) };
                    let is_near = (f64::from(found) - expected).abs() <= tolerance;
                    (!is_near).then_some(wrong)
                };
                found.iter().zip(&expected).enumerate().find_map(wrong)
            }
        }
    }
}

/// Sums that are right but are said to contain more workers than there are.
fn too_many(first: u64, sum: Sum<'_>) -> Wrong {
    let found = match sum {
        Sum::Integers(sums) => sums.first().map_or(0.0, |&sum| f64::from(sum)),
        Sum::Floats(sums) => sums.first().map_or(0.0, |&sum| f64::from(sum)),
    };
    Wrong { position: first, expected: found, found }
}

/// Returns the number of ways to choose `of` among `all`, or more than [`MOST_SETS`] if there are more.
fn combinations(all: u64, of: u64) -> u64 {
    (0..of.min(all - of)).fold(1, |ways, n| (ways.saturating_mul(all - n) / (n + 1)).min(u64::MAX / 64))
}

/// Returns all sets of workers without so many of them.
fn sets_without(all: &[u16], missing: usize) -> impl Iterator<Item = Vec<u16>> {
    let mut left_out: Option<Vec<usize>> = Some((0..missing).collect());
    std::iter::from_fn(move || {
        let out = left_out.take()?;
        let set = all.iter().enumerate().filter(|(at, _)| !out.contains(at)).map(|(_, rank)| *rank).collect();
        left_out = next_combination(out, all.len());
        Some(set)
    })
}

/// Returns the combination behind this one in lexicographic order.
fn next_combination(mut chosen: Vec<usize>, all: usize) -> Option<Vec<usize>> {
    let count = chosen.len();
    let to_move = (0..count).rev().find(|&at| chosen[at] < all - count + at)?;
    chosen[to_move] += 1;
    for at in to_move + 1..count {
        chosen[at] = chosen[at - 1] + 1;
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregation::FixedPoint;
    use crate::jobs::Distribution;

    fn check(arithmetic: Arithmetic) -> Check {
        Check { values: Values { seed: 4, arithmetic, distribution: Distribution::Uniform }, workers: 5 }
    }

    fn sums(check: &Check, workers: &[u16]) -> Vec<i32> {
        let mut sums = vec![0i32; 40];
        for &rank in workers {
            let mut values = [0; 40];
            check.values.of(rank).integers(2, 60, &mut values);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.saturating_add(value));
        }
        sums
    }

    #[test]
    fn a_sum_that_lacks_or_repeats_a_worker_is_wrong() {
        let check = check(Arithmetic::Integers { size: 1_000_000 });
        let part = |workers: &[u16], sources| check.part(2, 60, sources, Sum::Integers(&sums(&check, workers)));
        assert_eq!(part(&[0, 1, 2, 3, 4], 5), Checked::Right);
        for wrong in [&[0, 1, 2, 3][..], &[0, 1, 2, 3, 4, 4], &[0, 1, 2, 3, 3], &[]] {
            assert!(matches!(part(wrong, 5), Checked::Wrong(Wrong { position: 60, .. })), "{wrong:?}");
        }
        assert!(matches!(part(&[0, 1, 2, 3, 4], 6), Checked::Wrong(_)));
    }

    #[test]
    fn a_sum_over_some_workers_is_that_of_one_set() {
        let check = check(Arithmetic::Integers { size: 1_000_000 });
        assert_eq!(check.part(2, 60, 4, Sum::Integers(&sums(&check, &[0, 1, 3, 4]))), Checked::Right);
        assert!(matches!(check.part(2, 60, 3, Sum::Integers(&sums(&check, &[0, 1, 3, 4]))), Checked::Wrong(_)));
        let mut mixed = sums(&check, &[0, 1, 3, 4]);
        mixed[20..].copy_from_slice(&sums(&check, &[0, 1, 2, 4])[20..]);
        assert!(matches!(check.part(2, 60, 4, Sum::Integers(&mixed)), Checked::Wrong(_)));
    }

    #[test]
    fn floats_may_differ_by_rounding_only() {
        let check = check(Arithmetic::Floats { size: 3.0, point: FixedPoint::ATP });
        let mut sums = [0f32; 40];
        for rank in [3, 1, 4, 0, 2] {
            let mut values = [0.0; 40];
            check.values.of(rank).floats(2, 60, &mut values);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        assert_eq!(check.part(2, 60, 5, Sum::Floats(&sums)), Checked::Right);
        sums[7] += 1e-4;
        assert!(matches!(check.part(2, 60, 5, Sum::Floats(&sums)), Checked::Wrong(Wrong { position: 67, .. })));
        sums[7] = f32::NAN;
        assert!(matches!(check.part(2, 60, 5, Sum::Floats(&sums)), Checked::Wrong(Wrong { position: 67, .. })));
    }

    #[test]
    fn too_many_sets_are_not_tried() {
        assert_eq!(combinations(5, 2), 10);
        assert_eq!(combinations(32, 0), 1);
        assert!(combinations(32, 16) > MOST_SETS);
        assert_eq!(sets_without(&[0, 1, 2, 3], 2).count(), 6);
        assert_eq!(sets_without(&[0, 1, 2], 0).collect::<Vec<_>>(), [[0, 1, 2]]);
    }
}
