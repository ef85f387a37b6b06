//! Candidates by the samples on which they hold, so that a single word describes 64 candidates on one sample.
//!
//! A search asks most often for the first candidate that holds on all samples of one set and on none of another. After
//! a few samples few candidates are left, and no candidate is examined individually.

use super::bits::Bits;

/// A table of which candidates hold on which samples.
pub(super) struct BySample {
    /// For each group of 64 candidates and each sample, the candidates that hold on it, one bit per candidate.
    columns: Vec<Vec<u64>>,
    count: usize,
}

impl BySample {
    /// Transposes one set of samples per candidate, each out of `samples` samples.
    pub(super) fn new<'a>(samples: usize, candidates: impl ExactSizeIterator<Item = &'a Bits>) -> Self {
        let count = candidates.len();
        let mut columns = vec![vec![0; samples]; count.div_ceil(64)];
        for (candidate, holds) in candidates.enumerate() {
            let column = &mut columns[candidate / 64];
            holds.all(|sample| {
                column[sample] |= 1 << (candidate % 64);
                true
            });
        }
        Self { columns, count }
    }

    /// Returns the number of candidates that hold on a sample.
    pub(super) fn count_on(&self, sample: usize) -> usize {
        self.columns.iter().map(|column| column[sample].count_ones() as usize).sum()
    }

    /// Returns the candidates that hold on a sample, in order.
    pub(super) fn on(&self, sample: usize) -> Vec<usize> {
        self.numbers(|column, all| column[sample] & all)
    }

    /// Returns the candidates that hold on all samples of a set, in order.
    pub(super) fn on_all(&self, samples: &Bits) -> Vec<usize> {
        self.numbers(|column, all| holding(column, all, samples))
    }

    /// Returns the first candidate that holds on all samples of a set.
    pub(super) fn first_on_all(&self, samples: &Bits) -> Option<usize> {
        self.first(|column, all| holding(column, all, samples))
    }

    /// Returns the first candidate that holds on all samples of one set and on none of another.
    pub(super) fn first_between(&self, holds: &Bits, fails: &Bits) -> Option<usize> {
        self.first(|column, all| {
            let mut left = holding(column, all, holds);
            if left != 0 {
                fails.all(|sample| {
                    left &= !column[sample];
                    left != 0
                });
            }
            left
        })
    }

    /// Returns the first of the candidates that `of` selects. It is given each column and the mask of its valid
    /// candidates.
    fn first(&self, of: impl Fn(&[u64], u64) -> u64) -> Option<usize> {
        (0..self.columns.len()).find_map(|place| {
            let left = of(&self.columns[place], self.candidates(place));
            (left != 0).then(|| place * 64 + left.trailing_zeros() as usize)
        })
    }

    /// Returns all candidates that `of` selects, in order.
    fn numbers(&self, of: impl Fn(&[u64], u64) -> u64) -> Vec<usize> {
        let mut numbers = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            let mut left = of(column, self.candidates(place));
            while left != 0 {
                numbers.push(place * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
        numbers
    }

    /// Returns the mask of valid candidates of a column: all bits, except perhaps for the last column.
    fn candidates(&self, place: usize) -> u64 {
        match self.count - place * 64 {
            64.. => u64::MAX,
            last => (1 << last) - 1,
        }
    }
}

/// Returns those of `candidates` that hold on all of `samples`.
fn holding(column: &[u64], candidates: u64, samples: &Bits) -> u64 {
    let mut left = candidates;
    samples.all(|sample| {
        left &= column[sample];
        left != 0
    });
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_examining_each_candidate() {
        let samples = 70;
        for count in [0, 1, 63, 64, 65, 130] {
            // Candidate `n` holds on samples that are not multiples of `n + 2`.
            let of = |candidate: usize| Bits::where_(samples, |sample| sample % (candidate + 2) != 0);
            let sets: Vec<Bits> = (0..count).map(of).collect();
            let by_sample = BySample::new(samples, sets.iter());
            for start in 0..samples {
                let region = Bits::where_(samples, |sample| sample >= start && sample < start + 3);
                let fails = Bits::where_(samples, |sample| sample + 40 == start);
                let on: Vec<usize> = (0..count).filter(|&n| sets[n].contains(start)).collect();
                assert_eq!((by_sample.count_on(start), by_sample.on(start)), (on.len(), on));
                let all: Vec<usize> = (0..count).filter(|&n| region.is_in(&sets[n])).collect();
                assert_eq!(by_sample.first_on_all(&region), all.first().copied());
                assert_eq!(by_sample.on_all(&region), all);
                let between = all.into_iter().find(|&n| sets[n].and(&fails).is_empty());
                assert_eq!(by_sample.first_between(&region, &fails), between);
            }
        }
    }
}
