//! Keeping the bindings of pools, and going on with those that another switch had.

use std::sync::Arc;

use basis::Instant;
use measure::Interest;
use node::Outbox;

use super::core::Core;
use super::made::{Made, Outcome};
use super::{TakenOver, VirtualSwitch};
use crate::bindings::{Binding, BindingChange};
use crate::handover::{HandedOrigin, HandedSession};
use crate::policy::{Hop, Origin};
use crate::session::{Count, FlowKey, TcpState};

impl VirtualSwitch {
    /// Tells by [`Self::binding_changes`] of the bindings that begin and end from now on.
    pub fn keep_bindings(&mut self) {
        self.edge.bindings.get_or_insert_default();
    }

    /// Takes the changes of bindings since the last call, in their order; nothing without [`Self::keep_bindings`]. Whoever takes them
    /// before a packet leaves knows its binding before anybody can answer.
    pub fn binding_changes(&mut self) -> impl Iterator<Item = BindingChange> {
        self.edge.bindings.iter_mut().flat_map(|changes| changes.drain(..))
    }

    /// Goes on with bindings that a switch had which has ended, as if a packet of each had come now. TCP connections are taken for
    /// established.
    pub fn restore(&mut self, now: Instant, bindings: &[Binding]) -> TakenOver {
        let policy = Arc::clone(self.policy());
        // Nothing is sent.
        let mut out = Outbox::new(Interest::default());
        let mut count = TakenOver::default();
        for Binding(keys) in bindings {
            let [key, _] = keys;
            let origin = policy.vpc(key.vni()).and_then(|vpc| match policy.hop(vpc, key.source) {
                Some(Hop::Vnic(vnic)) => Some(Origin::Vnic(vnic)),
                _ => None,
            });
            let session = HandedSession {
                keys: *keys,
                // The vNIC is known by its address.
                origin: HandedOrigin::Vnic(0),
                vni: key.vni(),
                counts: [Count::default(); 2],
                times: [now; 2],
                tcp: TcpState::of_unseen(),
                seen: Default::default(),
            };
            let is_taken = origin.is_some_and(|origin| self.take(now, (origin, now), &session, &mut out));
            *if is_taken { &mut count.taken } else { &mut count.refused } += 1;
        }
        count
    }
}

impl Core {
    /// Tells that the binding of a session has begun or has ended, if it has one.
    pub(super) fn tell_binding(&self, keys: &[FlowKey; 2], has_begun: bool, made: &mut impl FnMut(Made)) {
        if let Some(binding) = Binding::of(keys) {
            made(Made(Outcome::Bound(BindingChange { binding, has_begun })));
        }
    }
}
