//! The deadlines at which stations want to be woken.

use basis::Instant;
use serde::{Deserialize, Serialize};

/// The single, replaceable deadline of a station. Postponing it costs nothing: the event that was scheduled for the
/// earlier time finds that it is not due.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Deadline {
    /// The time at which the station wants to be woken; [`Instant::MAX`] if it does not.
    wanted: Instant,
    /// The time of the earliest pending event for this deadline; [`Instant::MAX`] if there is none.
    scheduled: Instant,
}

/// The action to take when the event for a deadline happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Wake the station now.
    Wake,
    /// Push an event for this later time, at which the station wants to be woken.
    Push(Instant),
    /// Do nothing.
    Nothing,
}

impl Deadline {
    /// The deadline of a station that does not want to be woken.
    pub const NONE: Self = Self { wanted: Instant::MAX, scheduled: Instant::MAX };

    /// Sets the time that the station wants. Returns the time for which an event must be pushed, if any.
    #[inline]
    pub fn set(&mut self, wanted: Option<Instant>) -> Option<Instant> {
        self.wanted = wanted.unwrap_or(Instant::MAX);
        if self.wanted >= self.scheduled {
            return None;
        }
        self.scheduled = self.wanted;
        Some(self.wanted)
    }

    /// Returns the time that the station wants, if any.
    #[inline]
    pub fn wanted(&self) -> Option<Instant> {
        Some(self.wanted).filter(|&wanted| wanted != Instant::MAX)
    }

    /// Handles an event for the deadline.
    pub fn come(&mut self, now: Instant) -> Due {
        if self.scheduled == now {
            self.scheduled = Instant::MAX;
        }
        if self.wanted <= now {
            self.wanted = Instant::MAX;
            return Due::Wake;
        }
        if self.wanted < self.scheduled {
            self.scheduled = self.wanted;
            return Due::Push(self.wanted);
        }
        Due::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microseconds: u64) -> Instant {
        Instant::from_microseconds(microseconds)
    }

    #[test]
    fn moved_deadlines_are_met_exactly_once() {
        let mut deadline = Deadline::NONE;
        assert_eq!(deadline.set(Some(at(10))), Some(at(10)));
        assert_eq!(deadline.set(Some(at(20))), None, "the event at 10 will push another");
        assert_eq!(deadline.come(at(10)), Due::Push(at(20)));
        assert_eq!(deadline.set(Some(at(15))), Some(at(15)));
        assert_eq!(deadline.come(at(15)), Due::Wake);
        assert_eq!(deadline.come(at(20)), Due::Nothing);
    }

    #[test]
    fn a_cancelled_deadline_does_not_wake_the_station() {
        let mut deadline = Deadline::NONE;
        assert_eq!(deadline.set(Some(at(10))), Some(at(10)));
        assert_eq!(deadline.set(None), None);
        assert_eq!(deadline.come(at(10)), Due::Nothing);
        assert_eq!(deadline.set(Some(at(30))), Some(at(30)), "no event is pending any more");
    }
}
