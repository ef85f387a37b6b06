//! DCQCN's reaction point, which controls the rate of a queue pair (Zhu et al., "Congestion control for large-scale
//! RDMA deployments", SIGCOMM 2015). It computes in integers: rates in bits per second, and alpha in units of 2^-32.

use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

use super::parameters::Dcqcn;

/// The fixed-point representation of 1 for alpha.
const ONE: u64 = 1 << 32;

/// The rate of a queue pair.
///
/// Its two timers are evaluated lazily, when something is sent and when a notification arrives. In between, their exact
/// times have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReactionPoint {
    /// R_C.
    current: u64,
    /// R_T.
    target: u64,
    /// The estimate of congestion, 0 to [`ONE`].
    alpha: u64,
    /// The start of alpha's timer; `None` before the first notification.
    alpha_since: Option<Instant>,
    /// The start of the increase timer.
    timer_since: Instant,
    /// The number of bytes sent since the byte counter was last reset.
    bytes: u64,
    /// T and BC: the number of expirations of the timer and of the byte counter since the rate was cut.
    by_timer: u32,
    by_bytes: u32,
}

impl ReactionPoint {
    /// Creates the reaction point of a new queue pair, which begins at the link rate.
    pub fn new(line_rate: Rate) -> Self {
        Self {
            current: line_rate.bits_per_second(),
            target: line_rate.bits_per_second(),
            alpha: ONE,
            alpha_since: None,
            timer_since: Instant::ZERO,
            bytes: 0,
            by_timer: 0,
            by_bytes: 0,
        }
    }

    /// Returns true if the rate is below the link rate, so that packets are paced.
    #[inline]
    pub fn is_limited(&self, line_rate: Rate) -> bool {
        self.current < line_rate.bits_per_second()
    }

    /// Returns the current rate.
    pub fn rate(&self) -> Rate {
        Rate::from_bits_per_second(self.current.max(1))
    }

    /// Handles a congestion notification: cuts the rate (the paper's equation 1) and restarts the increase.
    pub fn notified(&mut self, now: Instant, line_rate: Rate, parameters: &Dcqcn) {
        self.advance(now, line_rate, parameters);
        let gain = u64::from(parameters.gain_divisor);
        self.target = self.current;
        let cut = ((u128::from(self.current) * u128::from(self.alpha)) >> 33) as u64;
        let lowest = parameters.lowest.bits_per_second().min(line_rate.bits_per_second());
        self.current = (self.current - cut).max(lowest);
        self.alpha = self.alpha - self.alpha / gain + ONE / gain;
        self.alpha_since = Some(now);
        self.timer_since = now;
        (self.bytes, self.by_timer, self.by_bytes) = (0, 0, 0);
    }

    /// Records that `bytes` bytes are sent.
    pub fn sent(&mut self, bytes: u64, line_rate: Rate, parameters: &Dcqcn) {
        if !self.is_limited(line_rate) {
            return;
        }
        self.bytes += bytes;
        while self.bytes >= parameters.byte_counter {
            self.bytes -= parameters.byte_counter;
            self.raise(line_rate, parameters);
            self.by_bytes += 1;
        }
    }

    /// Catches up with the timers that have expired until now.
    pub fn advance(&mut self, now: Instant, line_rate: Rate, parameters: &Dcqcn) {
        if let Some(since) = &mut self.alpha_since {
            // Equation 2: alpha = (1 - g) alpha, each time that the timer expires.
            while self.alpha > 0 && now.since(*since) >= parameters.alpha_timer {
                *since += parameters.alpha_timer;
                self.alpha -= self.alpha.div_ceil(u64::from(parameters.gain_divisor));
            }
            if self.alpha == 0 {
                *since = now;
            }
        }
        while self.is_limited(line_rate) && now.since(self.timer_since) >= parameters.increase_timer {
            self.timer_since += parameters.increase_timer;
            self.raise(line_rate, parameters);
            self.by_timer += 1;
        }
    }

    /// Raises the rate after the timer or the byte counter has expired. This is fast recovery to the target until
    /// either has expired F times; from then on the target is raised too, and in larger steps once both have expired
    /// more than F times.
    fn raise(&mut self, line_rate: Rate, parameters: &Dcqcn) {
        let [least, most] = [self.by_timer.min(self.by_bytes), self.by_timer.max(self.by_bytes)];
        let step = match () {
            () if most < parameters.fast_recoveries => 0,
            () if least > parameters.fast_recoveries => parameters.hyper.bits_per_second(),
            () => parameters.additive.bits_per_second(),
        };
        self.target = (self.target + step).min(line_rate.bits_per_second());
        // The result is rounded up, so that the target is reached.
        self.current = (self.current + self.target).div_ceil(2);
    }
}

/// The time at which the next packet may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pacer {
    next: Instant,
}

impl Pacer {
    pub fn next(&self) -> Instant {
        self.next
    }

    /// Records that a packet is sent, given the time that its bytes take at the current rate.
    pub fn sent(&mut self, now: Instant, time: Duration) {
        self.next = self.next.max(now) + time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Rate = Rate::from_gigabits_per_second(40);

    fn at(microseconds: u64) -> Instant {
        Instant::from_microseconds(microseconds)
    }

    fn megabits(point: &ReactionPoint) -> [u64; 2] {
        [point.current, point.target].map(|rate| rate / 1_000_000)
    }

    #[test]
    fn notifications_cut_the_rate_and_update_alpha() {
        let dcqcn = Dcqcn { gain_divisor: 16, ..Dcqcn::default() };
        let mut point = ReactionPoint::new(LINE);
        assert!(!point.is_limited(LINE));
        point.notified(at(10), LINE, &dcqcn);
        assert_eq!(megabits(&point), [20_000, 40_000]);
        assert_eq!(point.alpha, ONE);
        // Two alpha timers later alpha is (15/16)^2 = 225/256, and the increase timer has raised the rate half way back
        // twice.
        point.advance(at(10 + 110), LINE, &dcqcn);
        assert_eq!(megabits(&point), [35_000, 40_000]);
        assert_eq!(point.alpha, ONE / 256 * 225);
        // The next notification cuts by alpha / 2, to 35,000 x (1 - 225/512), and the target becomes the rate before
        // it.
        point.notified(at(121), LINE, &dcqcn);
        assert_eq!(point.current, 35_000_000_000 - 35_000_000_000 / 512 * 225);
        assert_eq!(megabits(&point)[1], 35_000);
        assert_eq!(point.alpha, ONE / 256 * 225 * 15 / 16 + ONE / 16);
    }

    #[test]
    fn increase_is_fast_then_additive_then_hyper() {
        let dcqcn = Dcqcn::default();
        let mut point = ReactionPoint::new(LINE);
        for _ in 0..2 {
            point.notified(at(0), LINE, &dcqcn);
        }
        // The rate is cut to 20 Gb/s, and then, since alpha is still 1, to 10 Gb/s.
        assert_eq!(megabits(&point), [10_000, 20_000]);
        let expected = [[15_000, 20_000], [17_500, 20_000], [18_750, 20_000], [19_375, 20_000], [19_687, 20_000]];
        for (step, expected) in expected.into_iter().enumerate() {
            point.advance(at(55 * (step as u64 + 1)), LINE, &dcqcn);
            assert_eq!(megabits(&point), expected, "step {step}");
        }
        // Additive: the target rises by 40 Mb/s. (19,687.5 + 20,040) / 2 and so on.
        point.advance(at(55 * 6), LINE, &dcqcn);
        assert_eq!(megabits(&point), [19_863, 20_040]);
        // Six times by bytes: this is still additive increase, because hyper increase needs both counters above five.
        for step in 1..=6u64 {
            point.sent(10_000_000, LINE, &dcqcn);
            assert_eq!(megabits(&point)[1], 20_040 + 40 * step);
        }
        point.sent(10_000_000, LINE, &dcqcn);
        assert_eq!(megabits(&point)[1], 20_280 + 200);
        // The byte counter accumulates over packets.
        let before = point;
        point.sent(9_999_999, LINE, &dcqcn);
        assert_eq!(point.target, before.target);
        point.sent(1, LINE, &dcqcn);
        assert_eq!(megabits(&point)[1], 20_680);
    }

    #[test]
    fn rates_stay_between_the_minimum_and_the_link_rate() {
        let dcqcn = Dcqcn::default();
        let mut point = ReactionPoint::new(LINE);
        point.notified(at(0), LINE, &dcqcn);
        point.advance(at(54), LINE, &dcqcn);
        point.notified(at(54), LINE, &dcqcn);
        point.advance(at(54 + 54), LINE, &dcqcn);
        assert_eq!(megabits(&point), [10_000, 20_000]);
        for time in 0..40 {
            point.notified(at(200 + time), LINE, &dcqcn);
        }
        assert_eq!(megabits(&point), [100, 100]);
        point.advance(at(10_000_000), LINE, &dcqcn);
        assert_eq!(megabits(&point), [40_000, 40_000]);
        assert!(!point.is_limited(LINE));
        // Without notifications, alpha finally decays to 0.
        point.advance(at(10_000_001), LINE, &dcqcn);
        assert_eq!(point.alpha, 0);
    }
}
