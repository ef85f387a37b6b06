//! When a station wants to be woken.

use basis::Instant;
use serde::{Deserialize, Serialize};

/// The one replaceable deadline of a station. One that moves back costs nothing: its event finds out when it comes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Deadline {
    /// When the station wants to be woken; [`Instant::MAX`] if it does not.
    wanted: Instant,
    /// The earliest event that is under way for it; [`Instant::MAX`] if none is.
    scheduled: Instant,
}

/// What to do when an event for a deadline comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The station is to be woken now.
    Wake,
    /// It wants to be woken later: an event has to be pushed for then.
    Push(Instant),
    /// Nothing.
    Nothing,
}

impl Deadline {
    /// Of a station that does not want to be woken.
    pub const NONE: Self = Self { wanted: Instant::MAX, scheduled: Instant::MAX };

    /// What the station wants now; says for when an event has to be pushed, if one has.
    #[inline]
    pub fn set(&mut self, wanted: Option<Instant>) -> Option<Instant> {
        self.wanted = wanted.unwrap_or(Instant::MAX);
        if self.wanted >= self.scheduled {
            return None;
        }
        self.scheduled = self.wanted;
        Some(self.wanted)
    }

    /// What the station wants.
    #[inline]
    pub fn wanted(&self) -> Option<Instant> {
        Some(self.wanted).filter(|&wanted| wanted != Instant::MAX)
    }

    /// An event for the station has come.
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
    fn a_deadline_that_moves_back_is_met_once_and_one_that_moves_forward_too() {
        let mut deadline = Deadline::NONE;
        assert_eq!(deadline.set(Some(at(10))), Some(at(10)));
        assert_eq!(deadline.set(Some(at(20))), None, "the event at 10 will find out");
        assert_eq!(deadline.come(at(10)), Due::Push(at(20)));
        assert_eq!(deadline.set(Some(at(15))), Some(at(15)));
        assert_eq!(deadline.come(at(15)), Due::Wake);
        assert_eq!(deadline.come(at(20)), Due::Nothing);
    }

    #[test]
    fn a_deadline_that_was_taken_back_wakes_nobody() {
        let mut deadline = Deadline::NONE;
        assert_eq!(deadline.set(Some(at(10))), Some(at(10)));
        assert_eq!(deadline.set(None), None);
        assert_eq!(deadline.come(at(10)), Due::Nothing);
        assert_eq!(deadline.set(Some(at(30))), Some(at(30)), "no event is under way any more");
    }
}
