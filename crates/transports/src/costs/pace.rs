//! How long work takes a processor that is slower at times.

use basis::{Duration, Instant};

/// A time in which a processor is slower than usual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slow {
    /// When it begins.
    pub from: Instant,
    /// When it is over; after `from`.
    pub until: Instant,
    /// How much longer everything takes: more than 1, if it is to be slower. `None` if nothing is done at all.
    pub times: Option<f64>,
}

/// When work that begins at `start` is done, if it takes so long at the usual pace. Times that overlap slow one another
/// down. [`Instant::MAX`] if never.
pub(super) fn done(slow: &[Slow], start: Instant, work: Duration) -> Instant {
    if slow.is_empty() {
        return start + work;
    }
    let (mut at, mut left) = (start, work.picoseconds() as f64);
    loop {
        let acting = || slow.iter().filter(|slow| (slow.from..slow.until).contains(&at));
        let times = acting().try_fold(1.0, |product, slow| Some(product * slow.times?));
        // The pace stays until one of them begins or ends.
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
    fn work_takes_longer_where_it_meets_a_slow_time() {
        let twice = [slow(100, 200, Some(2.0))];
        check(&[], 50, 20, 70);
        check(&twice, 50, 20, 70);
        check(&twice, 100, 20, 140);
        check(&twice, 90, 20, 120);
        // 10 before, 50 of it within 100, and 40 behind.
        check(&twice, 90, 100, 240);
        check(&twice, 200, 20, 220);
    }

    #[test]
    fn a_pause_moves_everything_behind_it_and_slow_times_multiply() {
        check(&[slow(100, 200, None)], 90, 20, 210);
        check(&[slow(100, 200, None)], 150, 20, 220);
        check(&[slow(100, 200, None)], 150, 0, 200);
        let both = [slow(100, 200, Some(2.0)), slow(150, 300, Some(3.0))];
        // 25 within the first 50, at 6 times 50 more: 8.333; the rest at 3 times.
        check(&both, 100, 25, 150);
        check(&both, 160, 5, 190);
        let for_ever = [Slow { until: Instant::MAX, ..slow(100, 200, None) }];
        assert_eq!(done(&for_ever, at(90), Duration::from_nanoseconds(20)), Instant::MAX);
    }
}
