//! Scales: from values to pixels, with ticks at round numbers.

use super::quantity::{Quantity, Unit, fixed};

/// A scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The values at both ends.
    pub low: f64,
    pub high: f64,
    from: f64,
    to: f64,
    step: f64,
    /// In which unit ticks are written.
    pub unit: Unit,
}

impl Scale {
    /// A scale from `values` to `pixels`, with at most so many steps between ticks. The upper end is the next tick
    /// above the values if `is_rounded`.
    pub fn new(values: (f64, f64), quantity: Quantity, steps: usize, is_rounded: bool) -> Self {
        let (low, high) = values;
        let high = if high > low { high } else { low + 1.0 };
        let unit = quantity.unit(high.abs().max(low.abs()), 1.5);
        let raw = (high - low) / unit.size / steps.max(1) as f64;
        let step = round_step(if quantity == Quantity::Count { raw.max(1.0) } else { raw }) * unit.size;
        let high = if is_rounded { (high / step - 1e-9).ceil() * step } else { high };
        Self { low, high, from: 0.0, to: 1.0, step, unit }
    }

    /// The same scale between these pixels.
    pub fn onto(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Returns the position of a value.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// The ticks: where they lie, and what stands beside them.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let dust = 1e-6;
        let first = (self.low / self.step - dust).ceil() as i64;
        let last = (self.high / self.step + dust).floor() as i64;
        let in_unit = self.step / self.unit.size;
        let tenths = std::iter::successors(Some(in_unit), |number| Some(number * 10.0));
        let places = tenths.take(9).position(is_whole).unwrap_or(9);
        let tick = |number: i64| (self.at(number as f64 * self.step), fixed(number as f64 * in_unit, places));
        (first..=last).map(tick).collect()
    }
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() < 1e-6
}

/// The next number that is 1, 2 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    // By multiplication alone, which gives the same bits on every computer.
    let mut power = 1.0;
    while power * 10.0 <= raw {
        power *= 10.0;
    }
    while power > raw && power > 1e-15 {
        power /= 10.0;
    }
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= raw * (1.0 - 1e-9)).unwrap_or(10.0);
    times * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: (f64, f64), quantity: Quantity, steps: usize) -> Vec<String> {
        Scale::new(values, quantity, steps, true).ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_those_of_counts_whole() {
        assert_eq!(labels((0.0, 3702.0), Quantity::Count, 5), ["0", "1000", "2000", "3000", "4000"]);
        assert_eq!(labels((0.0, 2.0), Quantity::Count, 8), ["0", "1", "2"]);
        assert_eq!(labels((0.0, 1.0), Quantity::Number, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels((0.9, 0.97), Quantity::Number, 4), ["0.9", "0.92", "0.94", "0.96", "0.98"]);
        assert_eq!(labels((0.0, 180.0 * 1024.0), Quantity::Bytes, 4), ["0", "50", "100", "150", "200"]);
        assert_eq!(labels((0.0, 42e-6), Quantity::Time, 5), ["0", "10", "20", "30", "40", "50"]);
    }

    #[test]
    fn an_axis_of_one_value_has_an_extent() {
        assert_eq!(labels((5.0, 5.0), Quantity::Count, 4), ["5", "6"]);
    }
}
