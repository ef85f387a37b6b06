//! DCTCP, which reduces the window in proportion to the share of marked bytes (RFC 8257, section 3.3).

use super::control::{Cause, CongestionAlgorithm, CongestionControl, Heard, Window};

/// The fixed-point representation of 1 for alpha, fine enough for alpha to decay almost to 0 without marks.
const ONE: u64 = 1 << 32;
/// g is 1 / 2^4, as RFC 8257 recommends.
const GAIN_SHIFT: u32 = 4;

/// DCTCP, for data centres whose switches mark early.
#[derive(Debug)]
pub struct Dctcp;

impl CongestionAlgorithm for Dctcp {
    fn name(&self) -> &'static str {
        "dctcp"
    }

    fn counts_marks(&self) -> bool {
        true
    }

    fn control(&self) -> Box<dyn CongestionControl> {
        Box::new(Control::default())
    }
}

/// DCTCP's estimate of the extent of congestion.
#[derive(Debug)]
struct Control {
    /// DCTCP.Alpha: the smoothed share of bytes that were marked.
    alpha: u64,
    acknowledged: u64,
    marked: u64,
    /// DCTCP.WindowEnd.
    window_end: u64,
}

impl Default for Control {
    fn default() -> Self {
        // Alpha is initially 1 (RFC 8257, section 3.3).
        Self { alpha: ONE, acknowledged: 0, marked: 0, window_end: 1 }
    }
}

impl CongestionControl for Control {
    fn heard(&mut self, heard: &Heard, _: &mut Window) {
        self.count(heard.unacknowledged, heard.next, heard.bytes, heard.has_echo);
    }

    fn reduced(&mut self, cause: Cause, window: &Window, in_flight: u64) -> u64 {
        match cause {
            Cause::Mark => self.reduce(window.bytes),
            // RFC 5681, equation 4.
            Cause::Loss => in_flight / 2,
        }
    }
}

basis::snapshot!(Control { values alpha, acknowledged, marked, window_end; });

impl Control {
    fn count(&mut self, unacknowledged: u64, next: u64, bytes: u64, has_echo: bool) {
        self.acknowledged += bytes;
        if has_echo {
            self.marked += bytes;
        }
        if unacknowledged <= self.window_end || self.acknowledged == 0 {
            return;
        }
        // Alpha = Alpha * (1 - g) + g * M.
        let share = (u128::from(self.marked) * u128::from(ONE) / u128::from(self.acknowledged)) as u64;
        self.alpha = self.alpha - (self.alpha >> GAIN_SHIFT) + (share >> GAIN_SHIFT);
        (self.acknowledged, self.marked) = (0, 0);
        self.window_end = next;
    }

    /// Returns the window after an ECE: cwnd * (1 - Alpha / 2).
    fn reduce(&self, window: u64) -> u64 {
        window - (u128::from(window) * u128::from(self.alpha) / u128::from(2 * ONE)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_is_the_share_of_marked_bytes() {
        let mut dctcp = Control { alpha: 0, ..Control::default() };
        let mut place = 1;
        for (marked, reduced) in [(10, 50_000), (3, 85_000), (0, 100_000)] {
            // A window is ten packets of 100 bytes, of which `marked` are marked.
            for packet in 0..3000 {
                place += 100;
                dctcp.count(place, place + 1000, 100, packet % 10 < marked);
            }
            assert!(dctcp.reduce(100_000).abs_diff(reduced) < 300, "{} for {marked}", dctcp.reduce(100_000));
        }
    }

    #[test]
    fn alpha_moves_by_a_sixteenth_per_window() {
        let mut dctcp = Control::default();
        dctcp.count(1001, 2001, 1000, false);
        assert_eq!(dctcp.alpha, ONE / 16 * 15);
        dctcp.count(1501, 2501, 500, true);
        assert_eq!(dctcp.alpha, ONE / 16 * 15, "a window is not over");
        dctcp.count(2002, 3001, 500, false);
        assert_eq!(dctcp.alpha, ONE / 256 * 225 + ONE / 32);
    }
}
