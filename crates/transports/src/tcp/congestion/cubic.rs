//! CUBIC (RFC 9438), computed in integers, so that the results are the same on every machine. Units are bytes and
//! microseconds.

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::control::{Cause, CongestionAlgorithm, CongestionControl, Heard, Window};

/// C in segments per cubic second, as a fraction: 0.4 (RFC 9438, section 5.1).
const C: (u128, u128) = (2, 5);
/// The number of cubic microseconds in a cubic second.
const CUBIC: u128 = 1_000_000_000_000_000_000;
/// The number of fractional bits of W_est, which grows by fractions of a segment.
const PARTS: u32 = 16;

/// CUBIC.
#[derive(Debug)]
pub struct Cubic;

impl CongestionAlgorithm for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }

    fn control(&self) -> Box<dyn CongestionControl> {
        Box::new(Control::default())
    }
}

/// The state of CUBIC.
#[derive(Debug, Default)]
struct Control {
    /// W_max, in bytes; 0 before the first congestion.
    maximum: u64,
    /// cwnd_prior, in bytes.
    prior: u64,
    epoch: Option<Epoch>,
    /// True if there was a timeout since the last epoch began.
    has_timed_out: bool,
    /// The remainder of the last growth step.
    carry: u128,
}

/// An epoch of congestion avoidance.
#[derive(Debug, Serialize, Deserialize)]
struct Epoch {
    start: Instant,
    /// The plateau of the curve: W_max in bytes, and K in microseconds.
    plateau: u64,
    k: u64,
    /// W_est in bytes, with [`PARTS`] fractional bits.
    estimate: u64,
}

impl CongestionControl for Control {
    fn grow(&mut self, heard: &Heard, window: &mut Window) {
        let Window { bytes, segment, .. } = *window;
        window.bytes = self.grown(heard.now, heard.bytes, heard.smoothed_round_trip, bytes, segment);
    }

    /// Returns 0.7 times the bytes in flight (RFC 9438, section 4.6).
    fn reduced(&mut self, _: Cause, window: &Window, in_flight: u64) -> u64 {
        self.prior = window.bytes;
        // Fast convergence (section 4.7): a flow with a smaller window than at the last congestion leaves more to others.
        self.maximum = if window.bytes < self.maximum { window.bytes / 20 * 17 } else { window.bytes };
        self.epoch = None;
        self.carry = 0;
        in_flight / 10 * 7 + in_flight % 10 * 7 / 10
    }

    fn timed_out(&mut self) {
        self.has_timed_out = true;
        self.epoch = None;
    }
}

basis::snapshot!(Control { values maximum, prior, epoch, has_timed_out, carry; });

impl Control {
    /// Returns the window after `bytes` bytes were acknowledged in congestion avoidance.
    fn grown(&mut self, now: Instant, bytes: u64, round_trip: Duration, window: u64, segment: u64) -> u64 {
        // Without earlier congestion, and after a timeout, the curve begins at its plateau (sections 4.8 and 4.10).
        let maximum = if self.has_timed_out || self.maximum < window { window } else { self.maximum };
        let epoch = self.epoch.get_or_insert_with(|| {
            self.has_timed_out = false;
            Epoch { start: now, plateau: maximum, k: k(maximum - window, segment), estimate: window << PARTS }
        });
        // Section 4.3: alpha_cubic is 3 * (1 - 0.7) / (1 + 0.7) until W_est reaches cwnd_prior, and 1 from then on.
        let alpha = if epoch.estimate >> PARTS < self.prior { (9, 17) } else { (1, 1) };
        let grown = u128::from(bytes) * u128::from(segment << PARTS) * alpha.0 / (u128::from(window) * alpha.1);
        epoch.estimate += grown as u64;
        let estimate = epoch.estimate >> PARTS;
        let elapsed = now.since(epoch.start);
        if epoch.curve(elapsed, segment) < estimate {
            return window.max(estimate);
        }
        // Sections 4.2 and 4.4: the target is the value of the curve one round trip from now, at most 1.5 times the
        // window.
        let target = epoch.curve(elapsed + round_trip, segment).clamp(window, window + window / 2);
        self.carry += u128::from(target - window) * u128::from(bytes);
        let step = self.carry / u128::from(window);
        self.carry %= u128::from(window);
        window + step as u64
    }
}

impl Epoch {
    /// W_cubic: C * (t - K)^3 + W_max (RFC 9438, equation 1).
    fn curve(&self, elapsed: Duration, segment: u64) -> u64 {
        let time = elapsed.picoseconds() / 1_000_000;
        // The distance is limited to a day, which is more than any window needs and whose cube does not overflow.
        let distance = u128::from(time.abs_diff(self.k).min(86_400_000_000));
        let cube = distance * distance * distance / 1_000_000;
        let rise = cube * u128::from(segment) / (CUBIC / 1_000_000) * C.0 / C.1;
        let rise = u64::try_from(rise).unwrap_or(u64::MAX);
        if time < self.k { self.plateau.saturating_sub(rise) } else { self.plateau.saturating_add(rise).min(1 << 46) }
    }
}

/// Returns K: the time in microseconds that the curve takes to rise by `bytes` bytes to its plateau (RFC 9438, equation
/// 2).
fn k(bytes: u64, segment: u64) -> u64 {
    cube_root(u128::from(bytes) * CUBIC / u128::from(segment) * C.1 / C.0)
}

/// Returns the largest number whose cube is at most `value`.
fn cube_root(value: u128) -> u64 {
    let mut root = 0u128;
    // Bit by bit, since this is needed only once per epoch. 2^42 cubed is 2^126.
    for bit in (0..42).rev() {
        let tried = root | 1 << bit;
        if tried * tried * tried <= value {
            root = tried;
        }
    }
    root as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    #[test]
    fn the_curve_matches_the_rfc() {
        // W_max of 100 segments, reduced to 70: K = cbrt(30 / 0.4) = 4.217163 s.
        let k = k(30 * SEGMENT, SEGMENT);
        assert_eq!(k, 4_217_163);
        let epoch = Epoch { start: Instant::ZERO, plateau: 100 * SEGMENT, k, estimate: 0 };
        // 0.4 * (t - K)^3 + 100 segments, computed independently with more digits.
        for (seconds, bytes) in [(0, 70_000), (1, 86_680), (3, 99_279), (4, 99_996), (6, 102_267), (10, 177_354)] {
            let curve = epoch.curve(Duration::from_microseconds(seconds * 1_000_000), SEGMENT);
            assert!(curve.abs_diff(bytes) <= 1, "{curve} and not {bytes} after {seconds} s");
        }
    }

    /// Acknowledges one window per round trip, and returns the window after `round_trips` of them.
    fn after(cubic: &mut Control, window: u64, round_trips: u64, round_trip: Duration) -> u64 {
        let mut window = window;
        for trip in 0..round_trips {
            let now = Instant::ZERO + round_trip.times(trip);
            for _ in 0..window / SEGMENT {
                window = cubic.grown(now, SEGMENT, round_trip, window, SEGMENT);
            }
        }
        window
    }

    /// A loss when the window, all of it in flight, has so many segments.
    fn reduce(cubic: &mut Control, segments: u64) -> u64 {
        let bytes = segments * SEGMENT;
        cubic.reduced(Cause::Loss, &Window { bytes, threshold: u64::MAX, segment: SEGMENT, credit: 0 }, bytes)
    }

    #[test]
    fn long_round_trips_follow_the_curve() {
        let mut cubic = Control::default();
        let reduced = reduce(&mut cubic, 1000);
        assert_eq!(reduced, 700 * SEGMENT);
        // K = cbrt(300 / 0.4) = 9.086 s, so the window is back at 1000 segments after 91 round trips of 100 ms.
        let window = after(&mut cubic, reduced, 91, Duration::from_microseconds(100_000));
        assert!(window.abs_diff(1000 * SEGMENT) < 2 * SEGMENT, "{window}");
    }

    #[test]
    fn short_round_trips_grow_in_the_reno_friendly_region() {
        let mut cubic = Control::default();
        let reduced = reduce(&mut cubic, 100);
        // The window grows by 9/17 of a segment per round trip until it reaches its value before the reduction.
        let window = after(&mut cubic, reduced, 34, Duration::from_microseconds(100));
        assert!(window.abs_diff(70 * SEGMENT + 18 * SEGMENT) < SEGMENT, "{window}");
    }

    #[test]
    fn fast_convergence_lowers_the_maximum() {
        let mut cubic = Control::default();
        reduce(&mut cubic, 100);
        reduce(&mut cubic, 80);
        assert_eq!(cubic.maximum, 68 * SEGMENT);
    }

    #[test]
    fn cube_roots_are_exact() {
        for root in [0u128, 1, 2, 99, 1 << 20, (1 << 42) - 1] {
            let cube = root * root * root;
            assert_eq!(cube_root(cube), root as u64);
            assert_eq!(cube_root(cube + 3 * root * root), root as u64);
        }
    }
}
