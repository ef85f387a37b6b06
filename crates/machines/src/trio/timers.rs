//! Timers, which begin threads.

use std::collections::BTreeSet;

use basis::{Clock, Duration, Instant};
use ir::threads::{Timer, TimerId};
use serde::{Deserialize, Serialize};

/// The timers of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Timers {
    all: Vec<Running>,
    /// The cycles in which timers fire next, each with its timer. A timer that stands still has none, so there are never more
    /// deadlines than timers, however often these are started.
    deadlines: BTreeSet<(u64, u32)>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Running {
    /// The period in picoseconds; zero if the timer stands still.
    period: u64,
    /// The time in picoseconds at which it fires next.
    next: u64,
    /// The cycle of its deadline, if it has one.
    deadline: Option<u64>,
    /// The number of times that it has fired since it was started.
    fired: u64,
    /// Whether a thread for it waits for a free one.
    waits: bool,
    /// The number of times that it fired while a thread for it waited.
    overruns: u64,
}

impl Timers {
    /// Returns the timers of a program, all of which stand still.
    pub(super) fn new(timers: &[Timer]) -> Self {
        Self { all: vec![Running::default(); timers.len()], deadlines: BTreeSet::new() }
    }

    /// Starts a timer anew, with a period in nanoseconds.
    pub(super) fn start(&mut self, timer: TimerId, period: u64, now: Instant, clock: Clock) {
        let own = &mut self.all[timer.index()];
        own.period = Duration::from_nanoseconds(period).picoseconds();
        own.fired = 0;
        own.next = now.picoseconds();
        self.set_next(timer, clock);
    }

    /// Stops a timer.
    pub(super) fn stop(&mut self, timer: TimerId) {
        let own = &mut self.all[timer.index()];
        own.period = 0;
        if let Some(before) = own.deadline.take() {
            self.deadlines.remove(&(before, timer.0));
        }
    }

    /// Lets a timer fire a period later than the last time, in place of the deadline that it has.
    fn set_next(&mut self, timer: TimerId, clock: Clock) {
        let own = &mut self.all[timer.index()];
        own.next = own.next.saturating_add(own.period);
        // A period that reaches beyond the end of all time never ends.
        let cycle = (own.next < u64::MAX).then(|| clock.first_edge_at_or_after(Instant::from_picoseconds(own.next)));
        if let Some(before) = std::mem::replace(&mut own.deadline, cycle) {
            self.deadlines.remove(&(before, timer.0));
        }
        self.deadlines.extend(cycle.map(|cycle| (cycle, timer.0)));
    }

    /// Returns the next cycle in which a timer fires.
    #[inline]
    pub(super) fn next(&self) -> Option<u64> {
        self.deadlines.first().map(|(cycle, _)| *cycle)
    }

    /// Lets the first timer fire whose deadline has come by a cycle. Returns it, and how often it had fired before.
    pub(super) fn fire(&mut self, cycle: u64, clock: Clock) -> Option<(TimerId, u64)> {
        let (_, timer) = *self.deadlines.first().filter(|(due, _)| *due <= cycle)?;
        let own = &mut self.all[timer as usize];
        let before = own.fired;
        own.fired += 1;
        self.set_next(TimerId(timer), clock);
        Some((TimerId(timer), before))
    }

    /// Notes that a thread for a timer waits; returns false, and counts it, if one waits already.
    pub(super) fn wait(&mut self, timer: TimerId) -> bool {
        let own = &mut self.all[timer.index()];
        own.overruns += u64::from(own.waits);
        !std::mem::replace(&mut own.waits, true)
    }

    /// Notes that the thread for a timer which has waited begins.
    pub(super) fn begins(&mut self, timer: TimerId) {
        self.all[timer.index()].waits = false;
    }

    /// Returns how often timers fired for which a thread waited already.
    pub(super) fn overruns(&self) -> u64 {
        self.all.iter().map(|own| own.overruns).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Clock {
        Clock::new(Duration::from_picoseconds(1000), 1)
    }

    fn timers() -> Timers {
        Timers::new(&[Timer { name: "t".to_owned(), period: None }])
    }

    fn at(nanoseconds: u64) -> Instant {
        Instant::from_picoseconds(nanoseconds * 1000)
    }

    #[test]
    fn a_timer_fires_after_each_period_until_it_is_stopped_or_started_anew() {
        let mut timers = timers();
        timers.start(TimerId(0), 10, at(5), clock());
        assert_eq!((timers.next(), timers.fire(14, clock())), (Some(15), None));
        assert_eq!((timers.fire(15, clock()), timers.next()), (Some((TimerId(0), 0)), Some(25)));
        assert_eq!((timers.fire(25, clock()), timers.next()), (Some((TimerId(0), 1)), Some(35)));
        timers.start(TimerId(0), 3, at(30), clock());
        assert_eq!(
            (timers.next(), timers.fire(33, clock()), timers.next()),
            (Some(33), Some((TimerId(0), 0)), Some(36))
        );
        timers.stop(TimerId(0));
        assert_eq!((timers.next(), timers.fire(100, clock())), (None, None));
        assert!(timers.wait(TimerId(0)) && !timers.wait(TimerId(0)));
        timers.begins(TimerId(0));
        assert!(timers.wait(TimerId(0)));
        assert_eq!(timers.overruns(), 1);
    }

    /// Timers that were restarted once left their earlier deadlines behind until these had come, so that a program which
    /// restarts a timer of a long period for each packet took more and more memory.
    #[test]
    fn a_timer_that_is_restarted_has_one_deadline() {
        let mut timers = timers();
        for packet in 0..1000 {
            timers.start(TimerId(0), 1_000_000_000, at(packet), clock());
        }
        assert_eq!((timers.deadlines.len(), timers.next()), (1, Some(1_000_000_999)));
        timers.stop(TimerId(0));
        assert!(timers.deadlines.is_empty());
    }
}
