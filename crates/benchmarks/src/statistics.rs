//! The median of a few ratios, and how far it can be trusted.

use serde::Serialize;

/// An interval of ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lowest ratio.
    pub low: f64,
    /// The highest ratio.
    pub high: f64,
}

/// Returns the median of some values.
///
/// # Panics
/// Panics if there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Returns the interval in which the median of all that could be measured lies with a confidence of at least 95%, whatever the
/// distribution: between two of the values, of which as many are left out at each end as a fair coin allows (the sign
/// test; Conover, Practical Nonparametric Statistics, section 3.2). Fewer than six values do not give that confidence; then it
/// is all of them.
///
/// # Panics
/// Panics if there are no values.
pub fn interval(mut values: Vec<f64>) -> Interval {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    // The probability that at most `left_out` of `count` values lie on one side of the median.
    let (mut one, mut tail, mut left_out) = (0.5f64.powi(count as i32), 0.0, 0);
    while left_out < count / 2 {
        tail += one;
        if tail > 0.025 {
            break;
        }
        one *= (count - left_out) as f64 / (left_out + 1) as f64;
        left_out += 1;
    }
    let left_out = left_out.saturating_sub(1);
    Interval { low: values[left_out], high: values[count - 1 - left_out] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(count: u32) -> Vec<f64> {
        (1..=count).rev().map(f64::from).collect()
    }

    #[test]
    fn medians_lie_in_the_middle() {
        assert_eq!(median(values(5)), 3.0);
        assert_eq!(median(values(4)), 2.5);
        assert_eq!(median(values(1)), 1.0);
    }

    /// The ranks of published tables of the sign test for 95%.
    #[test]
    fn intervals_leave_out_what_the_sign_test_allows() {
        for (count, low) in [(1, 1), (5, 1), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (15, 4), (20, 6), (25, 8)] {
            let Interval { low: found, high } = interval(values(count));
            assert_eq!((found, high), (f64::from(low), f64::from(count + 1 - low)), "{count} values");
        }
    }
}
