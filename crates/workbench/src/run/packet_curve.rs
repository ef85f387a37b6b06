//! The number of packets over time, as a curve of few points, however many packets there are.

use equivalence::Watcher;
use node::Transmission;

/// The maximum number of points; more are not visible in a figure.
const MOST_POINTS: usize = 1024;

/// A curve of the number of packets over time.
#[derive(Clone, Debug, Default)]
pub struct PacketCurve {
    /// Times in picoseconds with the number of packets until then, in ascending order.
    points: Vec<(u64, u64)>,
    count: u64,
    /// The number of packets between two points, a power of two.
    stride: u64,
}

impl PacketCurve {
    /// Returns a curve without packets.
    pub fn new() -> Self {
        Self { stride: 1, ..Self::default() }
    }

    /// Adds a packet at a time, which must not be before that of the previous packet.
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

    /// Returns the points of the curve, beginning at the origin: times in microseconds, and numbers of packets.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let later = self.points.iter().map(|&(at, count)| (at as f64 * 1e-6, count as f64));
        std::iter::once((0.0, 0.0)).chain(later).collect()
    }
}

impl Watcher for PacketCurve {
    fn transmitted(&mut self, transmission: &Transmission) {
        self.add(transmission.at.picoseconds());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_few_points() {
        let mut curve = PacketCurve::new();
        for packet in 1..=1_000_000 {
            curve.add(packet * 1_000_000);
        }
        let points = curve.points();
        assert!(points.len() <= MOST_POINTS + 1 && points.len() > MOST_POINTS / 2);
        assert!(points.iter().all(|&(x, y)| (x - y).abs() < 1e-6), "{points:?}");
    }
}
