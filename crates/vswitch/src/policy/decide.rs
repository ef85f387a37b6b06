//! What the policy tables say about a session.

use node::Reason;

use super::{Hop, Policy, RuleId, Ruled};
use crate::action::Action;
use crate::configuration::{Course, Direction, number};
use crate::reasons;
use crate::session::FlowKey;
use crate::translate::translates_ports;

/// The place that a packet came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From a vNIC of this switch, by its position.
    Vnic(u32),
    /// Through a tunnel from another switch, whose endpoint has this address as a number.
    Endpoint(u128),
    /// From outside all VPCs, to an address of a pool.
    Outside,
}

/// A question to the policy tables about a session, by the packet that begins it.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// Where the packet came from.
    pub origin: Origin,
    /// The position of its VPC.
    pub vpc: u32,
    /// The key of the packet.
    pub key: FlowKey,
    /// A hash of the key.
    pub hash: u64,
    /// The key of replies, if the session is there already; what was chosen for it stays while it can.
    pub kept: Option<FlowKey>,
    /// Says whether no session has a key.
    pub is_free: &'a dyn Fn(&FlowKey) -> bool,
}

/// The decision about a session that may begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The keys of the two directions.
    pub keys: [FlowKey; 2],
    /// What is done with the packets of the two directions.
    pub actions: [Vec<Action>; 2],
    /// The positions of the vNICs of this switch at its two ends.
    pub ends: [Option<u32>; 2],
    /// The vNIC that the session is counted for: the one that began it, or else the one that it is for.
    pub owner: u32,
}

/// The reason why no session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The reason.
    pub reason: Reason,
    /// The rule of a security group that decided, if one did.
    pub rule: Option<RuleId>,
    /// The vNIC whose security groups have denied it, and the key of the packet as that vNIC sees it.
    pub at: Option<(u32, FlowKey)>,
}

impl Denied {
    pub(super) fn by(reason: Reason) -> Self {
        Self { reason, rule: None, at: None }
    }
}

/// What one of the policy tables has said about a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The rules of the security groups of a vNIC.
    Rules {
        /// The position of the vNIC.
        vnic: u32,
        /// Whether others begin the session, or the vNIC.
        direction: Direction,
        /// What they say.
        ruled: Ruled,
    },
    /// A load balancer has chosen a back end: its address as a number, and its port.
    BackEnd(u128, u16),
    /// The way to an address, as a number; `None` if there is none.
    Route(u128, Option<Hop>),
    /// A pool has chosen what the world outside sees: an address as a number, and a port.
    Outside(u128, u16),
}

/// The most ports of a pool that are tried for a session, so that one costs little when all are taken; for each core, since a port is
/// only of use to the core that its replies come to.
const MOST_TRIES: u32 = 256;

impl Policy {
    /// Goes over the policy tables in order, for the packet that begins a session: the rules for sending, the load balancers,
    /// the route, the rules for receiving, the pools. Replies go back to where the packet came from, whatever route there is.
    ///
    /// # Errors
    /// The reason, if the tables do not allow the session.
    pub fn decide(&self, asked: &Asked<'_>) -> Result<Decided, Denied> {
        self.decide_telling(asked, &mut |_| {})
    }

    /// As [`Self::decide`], and tells what each table has said.
    ///
    /// # Errors
    /// The reason, if the tables do not allow the session.
    pub fn decide_telling(&self, asked: &Asked<'_>, tell: &mut impl FnMut(Step)) -> Result<Decided, Denied> {
        let Asked { origin, vpc, key, .. } = *asked;
        match origin {
            Origin::Vnic(vnic) => self.allowed(vnic, Direction::Out, &key, key.destination, tell)?,
            // Whoever is here does not send from elsewhere.
            Origin::Endpoint(_) if self.is_here(vpc, key.source) => return Err(Denied::by(reasons::SPOOFED)),
            Origin::Endpoint(_) | Origin::Outside => {}
        }
        // What the receiver sees.
        let mut seen = key;
        let mut hop = self.hop(vpc, key.destination);
        if hop == Some(Hop::Balancer) {
            let kept = asked.kept.map(|kept| (kept.source, kept.ports()[0]));
            let chosen = self.balancers.choose(vpc, &key, kept).ok_or(Denied::by(reasons::NO_ROUTE))?;
            seen = key.with_destination(chosen.0, chosen.1);
            tell(Step::BackEnd(chosen.0, chosen.1));
            hop = self.hop(vpc, seen.destination);
        }
        tell(Step::Route(seen.destination, hop));
        if seen.source == seen.destination {
            return Err(Denied::by(reasons::TO_SENDER));
        }
        let hop = hop.ok_or(Denied::by(reasons::NO_ROUTE))?;
        let is_from_guest = matches!(origin, Origin::Vnic(_));
        let receiver = match hop {
            Hop::Vnic(vnic) => Some(vnic),
            // What came through a tunnel never goes into another one: that could be a loop.
            Hop::Endpoint { .. } | Hop::Nat { .. } if is_from_guest => None,
            _ => return Err(Denied::by(reasons::NO_ROUTE)),
        };
        if let Some(vnic) = receiver {
            self.allowed(vnic, Direction::In, &seen, seen.source, tell)?;
        }
        if let Hop::Nat { nat, .. } = hop {
            seen = self.translated(nat, asked)?;
            tell(Step::Outside(seen.source, seen.ports()[0]));
        }
        let keys = [key, seen.reversed()];
        let is_routed = is_from_guest && (seen != key || !self.is_one_subnet(vpc, &key));
        let [mut there, mut back] = [Vec::with_capacity(4), Vec::with_capacity(4)];
        if let Origin::Vnic(vnic) = origin {
            self.services.append(vnic, Course::Egress, &key, key.destination, &mut there);
        }
        if let Some(vnic) = receiver {
            self.services.append(vnic, Course::Egress, &seen, seen.source, &mut back);
        }
        if seen != key {
            there.push(Action::Translate);
            back.push(Action::Translate);
        }
        self.append_way(vpc, hop, is_routed, (&seen, seen.source), &mut there);
        match origin {
            Origin::Vnic(vnic) => {
                let is_routed = is_routed && !matches!(hop, Hop::Endpoint { .. });
                self.append_way(vpc, Hop::Vnic(vnic), is_routed, (&key, key.destination), &mut back);
            }
            Origin::Endpoint(address) => {
                let hop = self.hop_back(vpc, key.source, address);
                self.append_way(vpc, hop, !self.is_one_subnet(vpc, &key), (&key, key.destination), &mut back);
            }
            Origin::Outside => return Err(Denied::by(reasons::UNEXPECTED)),
        }
        let sender = match origin {
            Origin::Vnic(vnic) => Some(vnic),
            _ => None,
        };
        let owner = sender.or(receiver).ok_or(Denied::by(reasons::NO_ROUTE))?;
        Ok(Decided { keys, actions: [there, back], ends: [sender, receiver], owner })
    }

    /// Returns what the world outside sees of a session: an address of a pool and a port with which no other session's replies
    /// are mistaken for its own. It is the guest's own port if that is free (RFC 4787, section 4.2.1, preserves ports so), and
    /// else one from a place that the hash gives.
    fn translated(&self, nat: u32, asked: &Asked<'_>) -> Result<FlowKey, Denied> {
        let key = asked.key;
        let nat = &self.configuration.nats[nat as usize];
        let of_version = |address: &&std::net::IpAddr| address.is_ipv4() == key.addresses()[0].is_ipv4();
        let pool: Vec<u128> = nat.addresses.iter().filter(of_version).map(|address| number(*address)).collect();
        let outside = key.with_vni(0);
        // A source port of 0, with which UDP says that it expects no answer (RFC 768), is one like any other: two guests that
        // use it are told apart, and the world outside sees a port of the pool.
        let has_ports = translates_ports(key.protocol());
        let seen = |address: u128, port: u16| outside.with_source(address, port);
        if let Some(kept) = asked.kept
            && pool.contains(&kept.destination)
            && (!has_ports || nat.ports.contains(&kept.ports()[1]))
        {
            return Ok(kept.reversed());
        }
        if pool.is_empty() {
            return Err(Denied::by(reasons::NO_ROUTE));
        }
        // One guest has one address of the pool for all its sessions (RFC 4787, REQ-2).
        let first = basis::mix(key.source as u64) as usize % pool.len();
        let count = u32::from(nat.ports.end() - nat.ports.start()) + 1;
        let is_free = |seen: &FlowKey| (asked.is_free)(&seen.reversed());
        let own = key.ports()[0];
        for place in 0..pool.len() {
            let address = pool[(first + place) % pool.len()];
            if (nat.ports.contains(&own) || !has_ports) && is_free(&seen(address, own)) {
                return Ok(seen(address, own));
            }
            let most = MOST_TRIES * u32::from(self.configuration.path.cores);
            let tries = if has_ports { count.min(most) } else { 0 };
            let start = (asked.hash % u64::from(count)) as u32;
            let ports = (0..tries).map(|number| nat.ports.start() + ((start + number) % count) as u16);
            if let Some(free) = ports.map(|port| seen(address, port)).find(|seen| is_free(seen)) {
                return Ok(free);
            }
        }
        Err(Denied::by(reasons::NO_FREE_PORT))
    }

    /// Returns the way of replies to an address behind a tunnel endpoint: that of the route to it if this leads to the same
    /// endpoint, and else the same one without what a route says.
    pub fn hop_back(&self, vpc: u32, address: u128, endpoint: u128) -> Hop {
        match self.hop(vpc, address) {
            Some(hop @ Hop::Endpoint { address, .. }) if address == endpoint => hop,
            _ => Hop::Endpoint {
                address: endpoint,
                mac: self.configuration.vpcs[vpc as usize].gateway_mac,
                mtu: self.configuration.tunnel_mtu(self.vni(vpc), crate::configuration::address(endpoint)),
            },
        }
    }

    /// Appends what is done with packets on their way to a hop. `seen` are the key of the session as a vNIC at its end sees it,
    /// and the address of the other side.
    fn append_way(&self, vpc: u32, hop: Hop, is_routed: bool, seen: (&FlowKey, u128), actions: &mut Vec<Action>) {
        if is_routed {
            actions.push(Action::DecrementTimeToLive);
        }
        match hop {
            Hop::Vnic(vnic) => {
                self.services.append(vnic, Course::Ingress, seen.0, seen.1, actions);
                actions.push(Action::Deliver { vnic });
            }
            Hop::Endpoint { address, mac, mtu } => {
                actions.push(Action::Encapsulate { vni: self.vni(vpc), remote: address, mac, mtu });
            }
            Hop::Nat { mtu, .. } => actions.push(Action::Leave { mtu }),
            Hop::Gateway | Hop::Balancer | Hop::Blackhole => {}
        }
    }

    fn allowed(
        &self,
        vnic: u32,
        direction: Direction,
        key: &FlowKey,
        peer: u128,
        tell: &mut impl FnMut(Step),
    ) -> Result<(), Denied> {
        let [_, port] = key.ports();
        let ruled = self.security.rule(vnic, direction, key.protocol(), port, peer);
        tell(Step::Rules { vnic, direction, ruled });
        match ruled {
            Ruled::Allowed(_) => Ok(()),
            Ruled::Denied(rule) => Err(Denied { reason: reasons::DENIED, rule, at: Some((vnic, *key)) }),
        }
    }
}
