//! Idle timeouts of table entries.

use basis::Instant;
use control::Request;
use runtime::ProgramState;

/// The time at which the next idle timeout of a machine may end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NextIdle {
    at: Option<Instant>,
    is_new: bool,
}

impl NextIdle {
    /// Returns the time, if any entry has an idle timeout.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.at
    }

    /// Returns true if the driver has not been asked for the time yet.
    #[inline]
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the time, for which the driver is asked now.
    pub(crate) fn ask(&mut self) -> Option<Instant> {
        self.is_new = false;
        self.at
    }

    /// Finds the time in the states of a machine.
    pub(crate) fn find(&mut self, states: &[ProgramState]) {
        let at = states.iter().filter_map(ProgramState::next_idle).min();
        if at != self.at {
            *self = Self { at, is_new: true };
        }
    }

    /// Finds the time again if requests that were executed may have changed it.
    pub(crate) fn executed(&mut self, requests: &[Request], states: &[ProgramState]) {
        let may_change = |request: &Request| match request.without_pipe() {
            Request::Table(..) => !request.is_read(),
            Request::TakeIdleEntries => true,
            _ => false,
        };
        if requests.iter().any(may_change) {
            self.find(states);
        }
    }

    /// Finds entries whose idle timeouts have ended.
    pub(crate) fn expire(&mut self, now: Instant, states: &mut [ProgramState]) {
        if self.at.is_some_and(|at| at <= now) {
            states.iter_mut().for_each(|state| state.expire(now));
            self.find(states);
        }
    }
}
