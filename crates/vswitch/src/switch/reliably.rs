//! Tunnels in which packets are acknowledged, and sent again if they are lost.

use std::sync::Arc;

use basis::Instant;
use node::Outbox;
use wire::Packet;

use super::VirtualSwitch;
use super::edge::Edge;
use super::leave::Tunnel;
use crate::policy::Policy;
use crate::reliable::{Reliable, Sent};

impl VirtualSwitch {
    /// Returns the state of reliable tunnels.
    pub fn reliable(&self) -> &Reliable {
        &self.edge.reliable
    }
}

impl Edge {
    /// Gives a frame for a tunnel of a VPC a number, if that tunnel is a reliable one, and returns what becomes of it.
    pub(super) fn numbered(&mut self, policy: &Policy, tunnel: Tunnel, packet: &mut Packet) -> Sent {
        let Tunnel { vni, remote, hash } = tunnel;
        // Copies for somebody who watches go to whoever that is.
        let Some(vpc) = policy.vpc(vni) else { return Sent::Plain };
        let gateway = policy.configuration().vpcs[vpc as usize].gateway_mac;
        self.reliable.send((vni, remote), gateway, packet, hash)
    }

    /// Does what is due in reliable tunnels: acknowledges, sends again, asks other switches. Returns the time of the next call.
    pub(super) fn tend(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        if self.reliable.deadline().is_some_and(|deadline| deadline <= now) {
            let policy = Arc::clone(&self.policy);
            let gateway = |vni: u32| {
                let vpc = policy.vpc(vni)?;
                Some(policy.configuration().vpcs[vpc as usize].gateway_mac)
            };
            let mut due = Vec::new();
            self.reliable.tend(gateway, &mut due);
            for ((vni, remote), packet, hash) in due {
                self.generated += 1;
                self.enter(&policy, Tunnel { vni, remote, hash }, None, packet, out);
            }
        }
        self.reliable.deadline()
    }
}
