//! When stations want to be woken.

use basis::Instant;

/// One replaceable deadline a station. A deadline that moves back costs nothing: its event finds out when it comes.
#[derive(Debug)]
pub(super) struct Deadlines {
    stations: Vec<Deadline>,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
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

impl Deadlines {
    /// Nobody wants to be woken.
    pub fn new(stations: usize) -> Self {
        let none = Deadline { wanted: Instant::MAX, scheduled: Instant::MAX };
        Self { stations: vec![none; stations] }
    }

    /// What the station wants now; says for when an event has to be pushed, if one has.
    #[inline]
    pub fn set(&mut self, station: usize, wanted: Option<Instant>) -> Option<Instant> {
        let deadline = &mut self.stations[station];
        deadline.wanted = wanted.unwrap_or(Instant::MAX);
        if deadline.wanted >= deadline.scheduled {
            return None;
        }
        deadline.scheduled = deadline.wanted;
        Some(deadline.wanted)
    }

    /// What the station wants.
    pub fn wanted(&self, station: usize) -> Option<Instant> {
        Some(self.stations[station].wanted).filter(|&wanted| wanted != Instant::MAX)
    }

    /// An event for the station has come.
    pub fn come(&mut self, station: usize, now: Instant) -> Due {
        let deadline = &mut self.stations[station];
        if deadline.scheduled == now {
            deadline.scheduled = Instant::MAX;
        }
        if deadline.wanted <= now {
            deadline.wanted = Instant::MAX;
            return Due::Wake;
        }
        if deadline.wanted < deadline.scheduled {
            deadline.scheduled = deadline.wanted;
            return Due::Push(deadline.wanted);
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
        let mut deadlines = Deadlines::new(1);
        assert_eq!(deadlines.set(0, Some(at(10))), Some(at(10)));
        assert_eq!(deadlines.set(0, Some(at(20))), None, "the event at 10 will find out");
        assert_eq!(deadlines.come(0, at(10)), Due::Push(at(20)));
        assert_eq!(deadlines.set(0, Some(at(15))), Some(at(15)));
        assert_eq!(deadlines.come(0, at(15)), Due::Wake);
        assert_eq!(deadlines.come(0, at(20)), Due::Nothing);
    }

    #[test]
    fn a_deadline_that_was_taken_back_wakes_nobody() {
        let mut deadlines = Deadlines::new(1);
        assert_eq!(deadlines.set(0, Some(at(10))), Some(at(10)));
        assert_eq!(deadlines.set(0, None), None);
        assert_eq!(deadlines.come(0, at(10)), Due::Nothing);
        assert_eq!(deadlines.set(0, Some(at(30))), Some(at(30)), "no event is under way any more");
    }
}
