//! Whether several threads are of use: found out while the run goes on.
//!
//! A round of several threads costs some microseconds beside its events, for they wait for each other. Whether that pays
//! depends on how many events fall into a round, on the machine, and on what else it does; so it is tried. A run begins
//! in one shard. When it has lasted for a while, and enough events fall into a round, it is cut and goes on in several
//! threads for as long as they are not slower than one was. How long a trial may be is a small part of the time that the
//! run has taken, and each that fails doubles the time to the next.
//!
//! This looks at a clock, and nothing that comes out of a run depends on it: shards change nothing but the speed.

use std::time::{Duration, Instant};

/// How long a run lasts before anything is tried: shorter ones would hardly gain.
const BEFORE_THE_FIRST: Duration = Duration::from_millis(20);
/// The part of the run's time so far that a trial may lose: one in so many.
const PART_LOST: u32 = 50;
/// A round of fewer events than these for each thread takes less time than its threads wait for each other.
const EVENTS_A_ROUND: f64 = 32.0;
/// One thread is measured, and several are judged, anew after so many events.
const EVENTS_A_MEASURE: u64 = 1 << 13;
const EVENTS_A_VERDICT: u64 = 1 << 16;

/// What the next events are run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// One shard, in the thread that there is.
    Alone,
    /// All shards, each in its thread.
    Together,
}

/// How a run goes on.
#[derive(Debug)]
pub(super) struct Pace {
    way: Way,
    /// When the last events were done.
    since: Instant,
    /// All time so far, and when the next trial may begin.
    total: Duration,
    next_trial: Duration,
    /// Time and events since what is measured was judged last.
    measured: (Duration, u64),
    /// Seconds that an event takes in one thread, lately; 0 if that is not known.
    alone: f64,
    /// What it took to begin a trial; `None` if that is part of what comes next.
    change: Option<Duration>,
    /// How much longer than one thread several may take.
    allowed: Duration,
}

impl Pace {
    /// That of a run that begins now, in one shard.
    pub fn new() -> Self {
        Self {
            way: Way::Alone,
            since: Instant::now(),
            total: Duration::ZERO,
            next_trial: BEFORE_THE_FIRST,
            measured: (Duration::ZERO, 0),
            alone: 0.0,
            change: None,
            allowed: Duration::ZERO,
        }
    }

    /// So many events have been run, of which about `a_round` would fall into a round of several threads, for each
    /// thread; says how to go on. What it takes to change over is part of what comes next.
    pub fn next(&mut self, events: u64, a_round: f64) -> Way {
        let now = Instant::now();
        let taken = now.duration_since(self.since);
        self.since = now;
        self.after(taken, events, a_round)
    }

    fn after(&mut self, taken: Duration, events: u64, a_round: f64) -> Way {
        self.total += taken;
        self.measured.0 += taken;
        self.measured.1 += events;
        match self.way {
            Way::Alone => self.after_alone(a_round),
            Way::Together => self.after_together(),
        }
        self.way
    }

    fn after_alone(&mut self, a_round: f64) {
        let (time, events) = self.measured;
        if events >= EVENTS_A_MEASURE {
            let each = time.as_secs_f64() / events as f64;
            // What a change of ways or another process took is forgotten soon.
            self.alone = if self.alone == 0.0 { each } else { (self.alone + each) / 2.0 };
            self.measured = (Duration::ZERO, 0);
        }
        if self.total >= self.next_trial && self.alone > 0.0 && a_round >= EVENTS_A_ROUND {
            self.allowed = self.total / PART_LOST;
            self.measured = (Duration::ZERO, 0);
            self.change = None;
            self.way = Way::Together;
        }
    }

    fn after_together(&mut self) {
        let (time, events) = self.measured;
        let of_one = Duration::from_secs_f64(self.alone * events as f64);
        let Some(change) = self.change else {
            self.change = Some(time.saturating_sub(of_one));
            self.measured = (Duration::ZERO, 0);
            return;
        };
        let is_judged = events >= EVENTS_A_VERDICT;
        if change + time > of_one + self.allowed || (is_judged && time > of_one) {
            self.way = Way::Alone;
            // One thread is measured anew, and what was lost is a small part of the time until the next trial.
            self.alone = 0.0;
            self.measured = (Duration::ZERO, 0);
            let lost = (change + time).saturating_sub(of_one);
            self.next_trial = (self.total * 2).max(self.total + lost * PART_LOST);
        } else if is_judged {
            // The threads are worth what it took to begin.
            self.change = Some(Duration::ZERO);
            self.measured = (Duration::ZERO, 0);
            self.allowed = self.total / PART_LOST;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: f64 = 1000.0;

    fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// One that has run alone for 30 ms, with 1 us for an event.
    fn tried() -> Pace {
        let mut pace = Pace::new();
        assert_eq!(pace.after(milliseconds(10), 10_000, MANY), Way::Alone, "too soon");
        assert_eq!(pace.after(milliseconds(20), 20_000, MANY), Way::Together);
        pace
    }

    #[test]
    fn threads_that_are_faster_stay() {
        let mut pace = tried();
        for _ in 0..1000 {
            assert_eq!(pace.after(milliseconds(1), 1500, MANY), Way::Together);
        }
    }

    #[test]
    fn threads_that_are_slower_are_left_and_tried_again_more_and_more_rarely() {
        let mut pace = tried();
        let (mut lost, mut trials) = (Duration::ZERO, 1);
        let mut way = Way::Together;
        // Ten times slower than one thread, in rounds of 10 us.
        for _ in 0..1_000_000 {
            let before = way;
            way = match way {
                Way::Together => {
                    lost += Duration::from_micros(9);
                    pace.after(Duration::from_micros(10), 1, MANY)
                }
                Way::Alone => pace.after(Duration::from_micros(10), 10, MANY),
            };
            trials += u32::from(before == Way::Alone && way == Way::Together);
        }
        assert!((2..=12).contains(&trials), "{trials} trials in {:?}", pace.total);
        assert!(lost < pace.total / 20, "{lost:?} of {:?} were lost", pace.total);
    }

    #[test]
    fn threads_that_become_slower_are_left() {
        let mut pace = tried();
        for _ in 0..100 {
            assert_eq!(pace.after(milliseconds(1), 1500, MANY), Way::Together);
        }
        let left = (0..1000).find(|_| pace.after(milliseconds(1), 900, MANY) == Way::Alone);
        assert!(left.is_some());
    }

    #[test]
    fn rounds_of_few_events_are_not_tried() {
        let mut pace = Pace::new();
        for _ in 0..10_000 {
            assert_eq!(pace.after(milliseconds(10), 10_000, 5.0), Way::Alone);
        }
    }
}
