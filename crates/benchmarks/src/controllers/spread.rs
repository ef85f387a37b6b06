//! A figure of several rounds.

use serde::{Deserialize, Serialize};

/// A figure of several rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The least of all rounds.
    pub least: f64,
    /// The median of all rounds.
    pub median: f64,
    /// The most of all rounds.
    pub most: f64,
}

impl Spread {
    /// Returns the spread of the values of all rounds.
    ///
    /// # Panics
    /// Panics if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        };
        Self { least: values[0], median, most: values[values.len() - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        assert_eq!(Spread::of([4.0, 1.0, 2.0]), Spread { least: 1.0, median: 2.0, most: 4.0 });
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]), Spread { least: 1.0, median: 2.5, most: 4.0 });
    }
}
