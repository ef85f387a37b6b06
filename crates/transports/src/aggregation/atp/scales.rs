//! The dynamic scale of appendix B.3, from which the paper leaves open how all workers come to the same one.
//!
//! The scale of a fragment follows from the sums of the fragment that is a largest window before it, whose answer every
//! worker has when it sends: it is the greatest scale, halved from that of the job, with which sums of twice that magnitude
//! do not overflow. No packet has to tell it, and no two workers can come to different ones. Who does not know these sums
//! sends original values.

use serde::{Deserialize, Serialize};

/// The number of halvings of the scale for each fragment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Scales {
    /// The scale of the job.
    scale: f64,
    distance: u64,
    /// For the fragments of the latest answers, by their numbers modulo the length: the fragment, and the number of halvings
    /// that follow from its sums.
    known: Vec<Option<(u64, u8)>>,
}

impl Scales {
    /// Creates the scales of a job that begins with `scale`. If they are not dynamic, `distance` is `None`.
    pub fn new(scale: f64, distance: Option<u32>) -> Self {
        let distance = distance.map_or(0, u64::from);
        // Servers keep answers for four windows.
        Self { scale, distance, known: vec![None; 4 * distance as usize] }
    }

    /// Returns the scale of a fragment; `None` if it is not known here.
    pub fn of(&self, fragment: u64) -> Option<f64> {
        let Some(before) = fragment.checked_sub(self.distance).filter(|_| self.distance > 0) else {
            return Some(self.scale);
        };
        match self.known[before as usize % self.known.len()] {
            Some((known, halvings)) if known == before => Some(self.scale / f64::from(1u32 << halvings)),
            _ => None,
        }
    }

    /// Takes over the sums of a fragment.
    pub fn learn(&mut self, fragment: u64, sums: impl Iterator<Item = f32>) {
        if self.distance > 0 {
            let greatest = sums.map(f32::abs).filter(|sum| sum.is_finite()).fold(0.0, f32::max);
            let bound = f64::from(i32::MAX) / (2.0 * f64::from(greatest));
            let halvings = (0..30).find(|&halvings| self.scale / f64::from(1u32 << halvings) <= bound);
            let place = fragment as usize % self.known.len();
            self.known[place] = Some((fragment, halvings.unwrap_or(30)));
        }
    }

    /// Forgets all sums.
    pub fn clear(&mut self) {
        self.known.fill(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_follows_the_sums_one_window_before() {
        let mut scales = Scales::new(1e8, Some(4));
        assert_eq!((scales.of(3), scales.of(4)), (Some(1e8), None));
        scales.learn(0, [1.0, -30.0].into_iter());
        // 2 * 30 * 1e8 is below 2^31 after two halvings.
        assert_eq!(scales.of(4), Some(2.5e7));
        scales.learn(1, [0.0].into_iter());
        assert_eq!(scales.of(5), Some(1e8));
        scales.clear();
        assert_eq!(scales.of(5), None);
        assert_eq!(Scales::new(7.0, None).of(1000), Some(7.0));
    }
}
