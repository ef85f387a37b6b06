//! The time that work takes on a processor that is slower at times.

use basis::{Duration, Instant};

/// A period in which a processor is slower than usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slow {
    /// The beginning of the period.
    pub from: Instant,
    /// The end of the period, exclusive; it must be after `from`.
    pub until: Instant,
    /// The factor by which all work takes longer, greater than 1 to be slower. `None` if no work is done at all.
    pub times: Option<f64>,
}

/// Returns the time at which work that begins at `start` is done, if it takes `work` at the usual pace. The factors of
/// overlapping periods multiply. The result is [`Instant::MAX`] if the work is never done.
pub(super) fn done(slow: &[Slow], start: Instant, work: Duration) -> Instant {
    if slow.is_empty() {
        return start + work;
    }
    let (mut at, mut left) = (start, work.picoseconds() as f64);
    loop {
        let acting = || slow.iter().filter(|slow| (slow.from..slow.until).contains(&at));
        let times = acting().try_fold(1.0, |product, slow| Some(product * slow.times?));
        // The pace is constant until the next beginning or end of a period.
        let edges = slow.iter().flat_map(|slow| [slow.from, slow.until]).filter(|edge| *edge > at);
        let edge = edges.min().unwrap_or(Instant::MAX);
        if let Some(times) = times {
            let until_edge = edge.since(at).picoseconds() as f64;
            if left * times <= until_edge {
                return at + Duration::from_picoseconds((left * times) as u64);
            }
            left -= until_edge / times;
        }
        if edge == Instant::MAX {
            return edge;
        }
        at = edge;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanoseconds: u64) -> Instant {
        Instant::ZERO + Duration::from_nanoseconds(nanoseconds)
    }

    fn slow(from: u64, until: u64, times: Option<f64>) -> Slow {
        Slow { from: at(from), until: at(until), times }
    }

    #[track_caller]
    fn check(slow: &[Slow], start: u64, work: u64, expected: u64) {
        assert_eq!(done(slow, at(start), Duration::from_nanoseconds(work)), at(expected));
    }

    #[test]
    fn work_takes_longer_in_a_slow_period() {
        let twice = [slow(100, 200, Some(2.0))];
        check(&[], 50, 20, 70);
        check(&twice, 50, 20, 70);
        check(&twice, 100, 20, 140);
        check(&twice, 90, 20, 120);
        // 10 before the period, 50 during its 100, and 40 after it.
        check(&twice, 90, 100, 240);
        check(&twice, 200, 20, 220);
    }

    #[test]
    fn a_pause_delays_work_and_overlapping_factors_multiply() {
        check(&[slow(100, 200, None)], 90, 20, 210);
        check(&[slow(100, 200, None)], 150, 20, 220);
        check(&[slow(100, 200, None)], 150, 0, 200);
        let both = [slow(100, 200, Some(2.0)), slow(150, 300, Some(3.0))];
        // All 25 fit exactly into the first 50, where work takes twice as long.
        check(&both, 100, 25, 150);
        check(&both, 160, 5, 190);
        let for_ever = [Slow { until: Instant::MAX, ..slow(100, 200, None) }];
        assert_eq!(done(&for_ever, at(90), Duration::from_nanoseconds(20)), Instant::MAX);
    }
}
