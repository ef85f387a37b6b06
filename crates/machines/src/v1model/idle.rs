//! Idle timeouts of table entries, and the control plane of the switch.

use basis::Instant;
use control::{Plane, Request};
use node::Outbox;
use queues::OutputQueues;

use super::switch::Switch;
use crate::blocks::Executor;

impl<E: Executor> Switch<E> {
    /// Returns the control plane with the state that it works on.
    pub(super) fn control_plane(&mut self) -> (&mut Plane, control::Device<'_>) {
        let (state, replication, digests) = (&mut self.state, &mut self.replication, &mut self.digests);
        (&mut self.plane, control::Device { states: std::slice::from_mut(state), replication, digests, now: self.now })
    }

    /// Notes what requests that were executed may have changed.
    pub(super) fn executed(&mut self, requests: &[Request]) {
        self.next_idle.executed(requests, std::slice::from_ref(&self.state));
    }

    /// Finds entries whose idle timeouts have ended.
    pub(super) fn expire(&mut self, now: Instant) {
        self.next_idle.expire(now, std::slice::from_mut(&mut self.state));
    }

    /// Asks to be woken for repeating pause frames, and when an idle timeout may end.
    pub(super) fn ask_wake(&mut self, out: &mut Outbox) {
        let refresh = self.queues().and_then(OutputQueues::next_refresh);
        if let Some(at) = refresh.into_iter().chain(self.next_idle.ask()).min() {
            out.wake_at(at);
        }
    }
}
