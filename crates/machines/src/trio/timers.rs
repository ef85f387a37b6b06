//! Timers, which begin threads.

use basis::{Duration, Instant};
use ir::threads::{Timer, TimerId};
use serde::{Deserialize, Serialize};

/// The timers of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Timers(Vec<Running>);

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Running {
    /// The number of times that the timer was started or stopped, by which an earlier deadline is known to be void.
    generation: u32,
    /// The period; zero if the timer stands still.
    period: u64,
    /// The time in picoseconds at which it fires next.
    next: u64,
    /// The number of times that it has fired since it was started.
    fired: u64,
    /// Whether a thread for it waits for a free one.
    waits: bool,
    /// The number of times that it fired while a thread for it waited.
    overruns: u64,
}

/// A time at which a timer is going to fire, unless it is started or stopped before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Deadline {
    pub(super) timer: u32,
    generation: u32,
}

impl Timers {
    /// Returns the timers of a program, of which those with a period run from the beginning.
    pub(super) fn new(timers: &[Timer]) -> Self {
        Self(vec![Running::default(); timers.len()])
    }

    /// Starts a timer anew, with a period in nanoseconds, and returns when it fires first.
    pub(super) fn start(&mut self, timer: TimerId, period: u64, now: Instant) -> (Instant, Deadline) {
        let own = &mut self.0[timer.index()];
        own.generation += 1;
        own.period = Duration::from_nanoseconds(period).picoseconds();
        own.fired = 0;
        own.next = now.picoseconds().saturating_add(own.period);
        (Instant::from_picoseconds(own.next), Deadline { timer: timer.0, generation: own.generation })
    }

    /// Stops a timer.
    pub(super) fn stop(&mut self, timer: TimerId) {
        let own = &mut self.0[timer.index()];
        own.generation += 1;
        own.period = 0;
    }

    /// Lets a timer fire. Returns how often it had fired before and when it fires next; `None` if the deadline is void.
    pub(super) fn fire(&mut self, deadline: Deadline) -> Option<(u64, Instant)> {
        let own = &mut self.0[deadline.timer as usize];
        if own.generation != deadline.generation {
            return None;
        }
        let before = own.fired;
        own.fired += 1;
        own.next = own.next.saturating_add(own.period);
        Some((before, Instant::from_picoseconds(own.next)))
    }

    /// Notes that a thread for a timer waits; returns false, and counts it, if one waits already.
    pub(super) fn wait(&mut self, timer: TimerId) -> bool {
        let own = &mut self.0[timer.index()];
        own.overruns += u64::from(own.waits);
        !std::mem::replace(&mut own.waits, true)
    }

    /// Notes that the thread for a timer which has waited begins.
    pub(super) fn begins(&mut self, timer: TimerId) {
        self.0[timer.index()].waits = false;
    }

    /// Returns how often timers fired for which a thread waited already.
    pub(super) fn overruns(&self) -> u64 {
        self.0.iter().map(|own| own.overruns).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_fires_after_each_period_until_it_is_stopped_or_started_anew() {
        let timer = Timer { name: "t".to_owned(), period: None };
        let mut timers = Timers::new(&[timer]);
        let at = |nanoseconds: u64| Instant::from_picoseconds(nanoseconds * 1000);
        let (first, deadline) = timers.start(TimerId(0), 10, at(5));
        assert_eq!(first, at(15));
        assert_eq!(timers.fire(deadline), Some((0, at(25))));
        assert_eq!(timers.fire(deadline), Some((1, at(35))));
        let (first, anew) = timers.start(TimerId(0), 3, at(30));
        assert_eq!((first, timers.fire(deadline), timers.fire(anew)), (at(33), None, Some((0, at(36)))));
        timers.stop(TimerId(0));
        assert_eq!(timers.fire(anew), None);
        assert!(timers.wait(TimerId(0)) && !timers.wait(TimerId(0)));
        timers.begins(TimerId(0));
        assert!(timers.wait(TimerId(0)));
        assert_eq!(timers.overruns(), 1);
    }
}
