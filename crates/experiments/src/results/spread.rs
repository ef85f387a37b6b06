//! What repetitions of one measurement have in common.

use serde::Serialize;

/// Mean and spread of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, of a sample (n - 1); 0 of a single number.
    pub standard_deviation: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

impl Spread {
    /// Of these numbers, summed in their order; `None` of none.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let count = numbers.len();
        if count == 0 {
            return None;
        }
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
        // IEEE 754 defines the square root to the last bit, as it does the four operations.
        let standard_deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        let minimum = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let maximum = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some(Self { count, mean, standard_deviation, minimum, maximum })
    }

    /// The standard error of the difference between this mean and another over so many numbers with the same spread.
    pub fn error_of_difference(&self, others: f64) -> f64 {
        self.standard_deviation * (1.0 / self.count as f64 + 1.0 / others).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_that_of_a_sample() {
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).expect("there are numbers");
        assert_eq!((spread.mean, spread.minimum, spread.maximum), (5.0, 2.0, 9.0));
        assert!((spread.standard_deviation - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[3.0]).map(|spread| spread.standard_deviation), Some(0.0));
        assert_eq!(Spread::of(&[]), None);
    }
}
