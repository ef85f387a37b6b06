//! How many packets had left by when: a curve of few points, however many packets there are.

use equivalence::Watcher;
use node::Transmission;

/// More points than this nobody sees in a figure.
const MOST_POINTS: usize = 1024;

/// Counts packets that left, over time.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Picoseconds, and how many had left then; by rising count.
    points: Vec<(u64, u64)>,
    count: u64,
    /// Every so many packets make a point, a power of two.
    stride: u64,
}

impl Progress {
    /// Nothing has left yet.
    pub fn new() -> Self {
        Self { stride: 1, ..Self::default() }
    }

    /// One more packet left.
    pub fn add(&mut self, picoseconds: u64) {
        self.count += 1;
        if self.count.is_multiple_of(self.stride) {
            self.points.push((picoseconds, self.count));
        }
        if self.points.len() > MOST_POINTS {
            self.stride *= 2;
            let stride = self.stride;
            self.points.retain(|&(_, count)| count.is_multiple_of(stride));
        }
    }

    /// Microseconds and packets, from the origin on.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let later = self.points.iter().map(|&(at, count)| (at as f64 * 1e-6, count as f64));
        std::iter::once((0.0, 0.0)).chain(later).collect()
    }
}

impl Watcher for Progress {
    fn transmitted(&mut self, transmission: &Transmission) {
        self.add(transmission.at.picoseconds());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_few_points_of_the_same_curve() {
        let mut progress = Progress::new();
        for packet in 1..=1_000_000 {
            progress.add(packet * 1_000_000);
        }
        let points = progress.points();
        assert!(points.len() <= MOST_POINTS + 1 && points.len() > MOST_POINTS / 2);
        assert!(points.iter().all(|&(x, y)| (x - y).abs() < 1e-6), "{points:?}");
    }
}
