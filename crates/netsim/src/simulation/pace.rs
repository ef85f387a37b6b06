//! Decides during a run whether several threads are worth while.
//!
//! A round of several threads costs some microseconds beside its events, because the threads wait for each other.
//! Whether that pays depends on how many events fall into a round, on the machine, and on its other load; so it is
//! tried. A run begins in one shard. When it has lasted for a while, and enough events fall into a round, it is split
//! and continues in several threads for as long as they are not slower than one was. The length of a trial is limited
//! to a small fraction of the run's time so far, and each failed trial doubles the time until the next.
//!
//! This reads a clock, but no result depends on it: the number of shards affects nothing but the speed.

use std::time::{Duration, Instant};

/// The time that a run lasts before the first trial; shorter runs would hardly gain.
const BEFORE_THE_FIRST: Duration = Duration::from_millis(20);
/// The fraction of the run's time so far that a trial may lose, as a divisor.
const PART_LOST: u32 = 50;
/// The fewest events of a round per thread that are worth a trial. A round with fewer takes less time than its threads
/// wait for each other.
const EVENTS_A_ROUND: f64 = 32.0;
/// The numbers of events after which one thread is measured again, and several threads are judged again.
const EVENTS_A_MEASURE: u64 = 1 << 13;
const EVENTS_A_VERDICT: u64 = 1 << 16;

/// The way in which the next events are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// In one shard, by the calling thread.
    Alone,
    /// In all shards, each by its thread.
    Together,
}

/// The state of the decision.
#[derive(Debug)]
pub(super) struct Pace {
    way: Way,
    /// The time at which the last events were done.
    since: Instant,
    /// The run's time so far, and the time at which the next trial may begin.
    total: Duration,
    next_trial: Duration,
    /// The time and the number of events since the last measurement or verdict.
    measured: (Duration, u64),
    /// The recent time of an event in one thread, in seconds; 0 if it is not known.
    alone: f64,
    /// The cost of beginning the trial; `None` until the first events of the trial, which include it.
    change: Option<Duration>,
    /// The factor by which a trial may take longer than one thread.
    allowed: Duration,
}

impl Pace {
    /// Returns the state of a run that begins now in one shard.
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

    /// Records that `events` events have been run, and returns how to continue. `a_round` is the number of events per
    /// thread that would fall into a round of several threads. The cost of a change is part of the next measurement.
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
            // The average soon forgets the cost of a change or of another process.
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
            // One thread is measured again, and the loss is a small fraction of the time until the next trial.
            self.alone = 0.0;
            self.measured = (Duration::ZERO, 0);
            let lost = (change + time).saturating_sub(of_one);
            self.next_trial = (self.total * 2).max(self.total + lost * PART_LOST);
        } else if is_judged {
            // The threads have earned the cost of beginning the trial.
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

    /// Returns the state of a run that has run alone for 30 ms, with 1 us per event.
    fn tried() -> Pace {
        let mut pace = Pace::new();
        assert_eq!(pace.after(milliseconds(10), 10_000, MANY), Way::Alone, "too soon");
        assert_eq!(pace.after(milliseconds(20), 20_000, MANY), Way::Together);
        pace
    }

    #[test]
    fn faster_threads_are_kept() {
        let mut pace = tried();
        for _ in 0..1000 {
            assert_eq!(pace.after(milliseconds(1), 1500, MANY), Way::Together);
        }
    }

    #[test]
    fn slower_threads_are_retried_ever_more_rarely() {
        let mut pace = tried();
        let (mut lost, mut trials) = (Duration::ZERO, 1);
        let mut way = Way::Together;
        // The threads are ten times slower than one, in rounds of 10 us.
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
    fn threads_that_become_slower_are_given_up() {
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
