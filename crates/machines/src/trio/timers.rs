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
    /// The number of timers that are awaited.
    awaited: u32,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Running {
    /// The period in picoseconds; zero if the timer stands still.
    period: u64,
    /// The time in picoseconds at which it fires next.
    next: u64,
    /// The cycle of its deadline, if it has one.
    deadline: Option<u64>,
    /// Whether it was started for a packet or an event and has not fired since, so that the chip is not at rest until it has.
    is_awaited: bool,
    /// The number of times that it has fired since it was started.
    fired: u64,
    /// Whether a thread for it waits for a free one.
    waits: bool,
    /// The number of times that it fired while a thread for it waited.
    overruns: u64,
}

/// A timer that fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fired {
    pub(super) timer: TimerId,
    /// The number of times that it has fired before since it was started.
    pub(super) before: u64,
    /// Whether it was awaited.
    pub(super) was_awaited: bool,
}

impl Timers {
    /// Returns the timers of a program, all of which stand still.
    pub(super) fn new(timers: &[Timer]) -> Self {
        Self { all: vec![Running::default(); timers.len()], deadlines: BTreeSet::new(), awaited: 0 }
    }

    /// Starts a timer anew. Whether it is awaited says whether the chip is not at rest until it has fired.
    pub(super) fn start(&mut self, timer: TimerId, period: Duration, is_awaited: bool, now: Instant, clock: Clock) {
        let own = &mut self.all[timer.index()];
        own.period = period.picoseconds();
        own.fired = 0;
        own.next = now.picoseconds();
        self.set_next(timer, clock);
        // One that never fires is not awaited.
        self.set_awaited(timer, is_awaited && self.all[timer.index()].deadline.is_some());
    }

    /// Stops a timer.
    pub(super) fn stop(&mut self, timer: TimerId) {
        let own = &mut self.all[timer.index()];
        own.period = 0;
        if let Some(before) = own.deadline.take() {
            self.deadlines.remove(&(before, timer.0));
        }
        self.set_awaited(timer, false);
    }

    fn set_awaited(&mut self, timer: TimerId, is_awaited: bool) {
        let own = &mut self.all[timer.index()];
        self.awaited += u32::from(is_awaited);
        self.awaited -= u32::from(std::mem::replace(&mut own.is_awaited, is_awaited));
    }

    /// Returns the cycle in which the last of the timers fires that are awaited; `None` if none is.
    pub(super) fn last_awaited(&self) -> Option<u64> {
        let awaited = self.all.iter().filter(|own| own.is_awaited);
        if self.awaited == 0 { None } else { awaited.filter_map(|own| own.deadline).max() }
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

    /// Lets the first timer fire whose deadline has come by a cycle.
    pub(super) fn fire(&mut self, cycle: u64, clock: Clock) -> Option<Fired> {
        let (_, timer) = *self.deadlines.first().filter(|(due, _)| *due <= cycle)?;
        let (timer, own) = (TimerId(timer), &mut self.all[timer as usize]);
        let fired = Fired { timer, before: own.fired, was_awaited: own.is_awaited };
        own.fired += 1;
        self.set_next(timer, clock);
        self.set_awaited(timer, false);
        Some(fired)
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

    fn start(timers: &mut Timers, period: u64, is_awaited: bool, now: u64) {
        let now = Instant::from_picoseconds(now * 1000);
        timers.start(TimerId(0), Duration::from_nanoseconds(period), is_awaited, now, clock());
    }

    /// Returns how often the timer had fired before, if it fires.
    fn fire(timers: &mut Timers, cycle: u64) -> Option<u64> {
        timers.fire(cycle, clock()).map(|fired| fired.before)
    }

    #[test]
    fn a_timer_fires_after_each_period_until_it_is_stopped_or_started_anew() {
        let mut timers = timers();
        start(&mut timers, 10, false, 5);
        assert_eq!((timers.next(), fire(&mut timers, 14)), (Some(15), None));
        assert_eq!((fire(&mut timers, 15), timers.next()), (Some(0), Some(25)));
        assert_eq!((fire(&mut timers, 25), timers.next()), (Some(1), Some(35)));
        start(&mut timers, 3, false, 30);
        assert_eq!((timers.next(), fire(&mut timers, 33), timers.next()), (Some(33), Some(0), Some(36)));
        timers.stop(TimerId(0));
        assert_eq!((timers.next(), fire(&mut timers, 100)), (None, None));
        assert!(timers.wait(TimerId(0)) && !timers.wait(TimerId(0)));
        timers.begins(TimerId(0));
        assert!(timers.wait(TimerId(0)));
        assert_eq!(timers.overruns(), 1);
    }

    #[test]
    fn a_timer_is_awaited_until_it_has_fired_once_or_is_stopped() {
        let mut timers = timers();
        start(&mut timers, 10, false, 0);
        assert_eq!(timers.last_awaited(), None);
        start(&mut timers, 10, true, 0);
        start(&mut timers, 10, true, 5);
        assert_eq!(timers.last_awaited(), Some(15));
        let awaited = [15, 25].map(|cycle| timers.fire(cycle, clock()).map(|fired| fired.was_awaited));
        assert_eq!((awaited, timers.last_awaited()), ([Some(true), Some(false)], None));
        start(&mut timers, 10, true, 30);
        timers.stop(TimerId(0));
        assert_eq!(timers.last_awaited(), None);
        start(&mut timers, u64::MAX, true, 30);
        assert_eq!(timers.last_awaited(), None, "it never fires");
    }

    /// Timers that were restarted once left their earlier deadlines behind until these had come, so that a program which
    /// restarts a timer of a long period for each packet took more and more memory.
    #[test]
    fn a_timer_that_is_restarted_has_one_deadline() {
        let mut timers = timers();
        for packet in 0..1000 {
            start(&mut timers, 1_000_000_000, false, packet);
        }
        assert_eq!((timers.deadlines.len(), timers.next()), (1, Some(1_000_000_999)));
        timers.stop(TimerId(0));
        assert!(timers.deadlines.is_empty());
    }
}
