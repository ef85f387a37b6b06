//! What the policy tables say about a session.

use node::Reason;

use super::{Hop, Policy, RuleId, Ruled};
use crate::action::Action;
use crate::configuration::Direction;
use crate::reasons;
use crate::session::FlowKey;

/// Where a packet came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From a vNIC of this switch, by its position.
    Vnic(u32),
    /// Through a tunnel from another switch, whose endpoint has this address as a number.
    Endpoint(u128),
}

/// What was decided about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The keys of the two directions.
    pub keys: [FlowKey; 2],
    /// What is done with the packets of the two directions.
    pub actions: [Vec<Action>; 2],
    /// The vNIC that the session is counted for: the one that began it, or else the one that it is for.
    pub owner: u32,
}

/// Why no session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The reason.
    pub reason: Reason,
    /// The rule of a security group that decided, if one did.
    pub rule: Option<RuleId>,
}

impl Denied {
    fn by(reason: Reason) -> Self {
        Self { reason, rule: None }
    }
}

impl Policy {
    /// Goes over the policy tables in order, for the packet that begins a session in a VPC, by its position: the rules for
    /// sending, the route, the rules for receiving. Replies go back to where the packet came from, whatever route there is.
    ///
    /// # Errors
    /// The reason, if the tables do not allow the session.
    pub fn decide(&self, origin: Origin, vpc: u32, key: FlowKey) -> Result<Decided, Denied> {
        if let Origin::Vnic(vnic) = origin {
            self.allowed(vnic, Direction::Out, &key, key.destination)?;
        }
        let hop = self.hop(vpc, key.destination).ok_or(Denied::by(reasons::NO_ROUTE))?;
        let receiver = match hop {
            Hop::Vnic(vnic) => Some(vnic),
            // What came through a tunnel never goes into another one: that could be a loop.
            Hop::Endpoint { .. } if matches!(origin, Origin::Vnic(_)) => None,
            Hop::Endpoint { .. } | Hop::Blackhole | Hop::Gateway => return Err(Denied::by(reasons::NO_ROUTE)),
        };
        if let Some(vnic) = receiver {
            self.allowed(vnic, Direction::In, &key, key.source)?;
        }
        let is_routed = matches!(origin, Origin::Vnic(_)) && !self.is_one_subnet(vpc, &key);
        let there = self.way(vpc, hop, is_routed);
        let back = match origin {
            Origin::Vnic(vnic) => self.way(vpc, Hop::Vnic(vnic), is_routed && receiver.is_some()),
            Origin::Endpoint(address) => {
                let is_routed = !self.is_one_subnet(vpc, &key);
                self.way(vpc, self.hop_back(vpc, key.source, address), is_routed)
            }
        };
        let owner = match (origin, receiver) {
            (Origin::Vnic(vnic), _) | (_, Some(vnic)) => vnic,
            (Origin::Endpoint(_), None) => return Err(Denied::by(reasons::NO_ROUTE)),
        };
        Ok(Decided { keys: [key, key.reversed()], actions: [there, back], owner })
    }

    /// Returns the way of replies to an address behind a tunnel endpoint: that of the route to it if this leads to the same
    /// endpoint, and else the same one without what a route says.
    fn hop_back(&self, vpc: u32, address: u128, endpoint: u128) -> Hop {
        match self.hop(vpc, address) {
            Some(hop @ Hop::Endpoint { address, .. }) if address == endpoint => hop,
            _ => Hop::Endpoint {
                address: endpoint,
                mac: self.configuration.vpcs[vpc as usize].gateway_mac,
                mtu: self.configuration.tunnel_mtu(crate::configuration::address(endpoint)),
            },
        }
    }

    fn way(&self, vpc: u32, hop: Hop, is_routed: bool) -> Vec<Action> {
        let mut actions = Vec::with_capacity(2);
        if is_routed {
            actions.push(Action::DecrementTimeToLive);
        }
        match hop {
            Hop::Vnic(vnic) => actions.push(Action::Deliver { vnic }),
            Hop::Endpoint { address, mac, mtu } => {
                actions.push(Action::Encapsulate { vni: self.vni(vpc), remote: address, mac, mtu });
            }
            Hop::Gateway | Hop::Blackhole => {}
        }
        actions
    }

    fn allowed(&self, vnic: u32, direction: Direction, key: &FlowKey, peer: u128) -> Result<(), Denied> {
        let [_, port] = key.ports();
        match self.security.rule(vnic, direction, key.protocol(), port, peer) {
            Ruled::Allowed(_) => Ok(()),
            Ruled::Denied(rule) => Err(Denied { reason: reasons::DENIED, rule }),
        }
    }
}
