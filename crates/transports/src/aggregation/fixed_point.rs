//! Floating-point numbers as integers, which switches can add.

/// The scale by which floating-point numbers become integers (ATP, section 3.8): a number stands for itself times the scale,
/// rounded to the nearest integer, and clamped to 32 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPoint {
    /// The scale, above 0.
    pub scale: f64,
}

impl FixedPoint {
    /// The scale of ATP (section 3.8): as many decimal digits as a number of 32 bits has below 1.
    pub const ATP: Self = Self { scale: 1e8 };

    /// Returns the greatest scale with which the sum over so many workers cannot overflow if no value exceeds `bound` in
    /// magnitude: (2^31 - n) / (n B) (ATP, section B.1, theorem 2 of SwitchML).
    ///
    /// # Panics
    /// If there are no workers, or the bound is not above 0.
    pub fn without_overflow(workers: u32, bound: f64) -> Self {
        assert!(workers > 0 && bound > 0.0, "a job has workers, and a bound above 0");
        Self { scale: (2_147_483_648.0 - f64::from(workers)) / (f64::from(workers) * bound) }
    }

    /// Returns the greatest magnitude of values whose sum over so many workers cannot overflow: (2^31 - n) / (n s).
    ///
    /// # Panics
    /// If there are no workers.
    pub fn bound(self, workers: u32) -> f64 {
        Self::without_overflow(workers, self.scale).scale
    }

    /// Returns the integer that stands for a number. NaN becomes 0.
    pub fn integer(self, value: f32) -> i32 {
        // A conversion with `as` clamps, and turns NaN into 0.
        (f64::from(value) * self.scale).round_ties_even() as i32
    }

    /// Returns the number that an integer stands for.
    pub fn float(self, value: i32) -> f32 {
        (f64::from(value) / self.scale) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two examples of ATP's section B: a scale of 1e5 for 100 workers and B = 200, and a bound of 0.2 for a scale of
    /// 1e8.
    #[test]
    fn scale_and_bound_are_those_of_the_paper() {
        let scale = FixedPoint::without_overflow(100, 200.0).scale;
        assert!((1.07e5..1.08e5).contains(&scale), "{scale}");
        let bound = FixedPoint::ATP.bound(100);
        assert!((0.21..0.22).contains(&bound), "{bound}");
    }

    #[test]
    fn numbers_are_rounded_and_clamped() {
        let point = FixedPoint::ATP;
        assert_eq!(point.integer(0.5), 50_000_000);
        assert_eq!(point.integer(-1.0e-8), -1);
        assert_eq!((point.integer(100.0), point.integer(-100.0), point.integer(f32::NAN)), (i32::MAX, i32::MIN, 0));
        assert_eq!(point.float(-25_000_000), -0.25);
    }
}
