//! Statistics over the repetitions of a measurement.

use serde::Serialize;

/// The 97.5% quantiles of Student's t distribution for 1 to 30 degrees of freedom (Fisher and Yates, table III).
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
/// The 97.5% quantile of the normal distribution. Student's exceeds it by about 2.4 over the degrees of freedom.
const NORMAL: f64 = 1.960;

/// The mean and spread of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The number of numbers.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation (n - 1); 0 for a single number.
    pub standard_deviation: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

impl Spread {
    /// Computes the spread of numbers, which are summed in their order; `None` if there are none.
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

    /// Returns half the width of the 95% confidence interval of the mean by Student's t distribution; `None` for a
    /// single number, whose spread is unknown.
    pub fn confidence(&self) -> Option<f64> {
        let degrees = self.count.checked_sub(1).filter(|degrees| *degrees > 0)?;
        let quantile = STUDENT.get(degrees - 1).copied().unwrap_or(NORMAL + 2.4 / degrees as f64);
        Some(quantile * self.standard_deviation / (self.count as f64).sqrt())
    }

    /// Returns the standard error of the difference between this mean and that of `others` numbers with the same
    /// spread.
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
        assert_eq!(Spread::of(&[3.0]).and_then(|spread| spread.confidence()), None);
        // Two numbers: 12.706 * 1 / sqrt(2) * sqrt(2).
        let interval = Spread::of(&[1.0, 3.0]).and_then(|spread| spread.confidence()).expect("there are two");
        assert!((interval - 12.706).abs() < 1e-9);
        // With 40 degrees of freedom tables have 2.021.
        let many: Vec<f64> = (0..41).map(f64::from).collect();
        let spread = Spread::of(&many).expect("there are many");
        let quantile = spread.confidence().expect("there are many") * 41f64.sqrt() / spread.standard_deviation;
        assert!((quantile - 2.021).abs() < 0.002, "{quantile}");
    }
}
