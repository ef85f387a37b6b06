//! Idle timeouts of table entries, and the control plane of the switch.

use basis::Instant;
use control::{Plane, Request};
use node::Outbox;
use queues::OutputQueues;

use super::switch::Switch;
use crate::blocks::Executor;

/// The time at which the next idle timeout may end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NextIdle {
    /// The time, if any entry has an idle timeout.
    at: Option<Instant>,
    /// Whether the driver has not been asked for it yet.
    pub(super) is_new: bool,
}

impl<E: Executor> Switch<E> {
    /// Returns the control plane with the state that it works on.
    pub(super) fn control_plane(&mut self) -> (&mut Plane, control::Device<'_>) {
        let (state, replication, digests) = (&mut self.state, &mut self.replication, &mut self.digests);
        (&mut self.plane, control::Device { states: std::slice::from_mut(state), replication, digests, now: self.now })
    }

    /// Notes what requests that were executed may have changed.
    pub(super) fn executed(&mut self, requests: &[Request]) {
        let may_change = |request: &Request| match request.without_pipe() {
            Request::Table(..) => !request.is_read(),
            Request::TakeIdleEntries => true,
            _ => false,
        };
        if requests.iter().any(may_change) {
            self.find_next_idle();
        }
    }

    /// Finds entries whose idle timeouts have ended.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.next_idle.at.is_some_and(|at| at <= now) {
            self.state.expire(now);
            self.find_next_idle();
        }
    }

    /// Finds the next time at which an idle timeout may end.
    pub(super) fn find_next_idle(&mut self) {
        let at = self.state.next_idle();
        if at != self.next_idle.at {
            self.next_idle = NextIdle { at, is_new: true };
        }
    }

    /// Asks to be woken for repeating pause frames, and when an idle timeout may end.
    pub(super) fn ask_wake(&mut self, out: &mut Outbox) {
        let refresh = self.queues().and_then(OutputQueues::next_refresh);
        self.next_idle.is_new = false;
        if let Some(at) = refresh.into_iter().chain(self.next_idle.at).min() {
            out.wake_at(at);
        }
    }
}
