//! Looking at a packet without handling it: what the switch would find out about it.

use node::{Port, Reason};
use wire::{Packet, protocol};

use super::VirtualSwitch;
use super::arrive::Brought;
use super::edge::Edge;
use super::resolve::is_resolution;
use super::view::SessionView;
use crate::metadata::{Metadata, Subject, is_icmp_right, is_of_group, key_of};
use crate::policy::{Hop, Origin, Policy};
use crate::preprocessor::headers::Headers;
use crate::reasons;
use crate::responder::{Answered, answer, is_echo_request};
use crate::session::FlowKey;

/// What the switch finds out about a packet before it does anything.
#[derive(Clone, Debug)]
pub struct Peeked {
    /// Where the packet came from, if that is known.
    pub origin: Option<Origin>,
    /// The position of its VPC, if that is known.
    pub vpc: Option<u32>,
    /// The packet as it is matched: out of its tunnel, if it came by one.
    pub packet: Packet,
    /// The key of its flow, if it is a packet of one whose headers can be read; also if it is answered or discarded.
    pub key: Option<FlowKey>,
    /// What it belongs to.
    pub found: Found,
}

/// What a packet belongs to.
#[derive(Clone, Debug)]
pub enum Found {
    /// The switch itself answers it, or takes it.
    Own,
    /// It is discarded before any session is looked for.
    Discarded(Reason),
    /// It is a fragment of a datagram, about which the first fragment decides.
    Fragment,
    /// It is an ICMP error about a session, if there is that.
    ErrorAbout(Option<Box<SessionView>>),
    /// It is a packet of this flow, whose session is there, with the direction in it, or not.
    Flow(FlowKey, Option<Box<(SessionView, usize)>>),
}

impl VirtualSwitch {
    /// Looks at a packet that arrives at a port, without counting or changing anything.
    pub fn peek(&self, port: Port, packet: &Packet) -> Peeked {
        let Edge { policy, .. } = &self.edge;
        let mut packet = packet.clone();
        let headers = Headers::of(&mut packet);
        let layers = headers.outer;
        let underlay = policy.configuration().underlay_at(port);
        let (origin, vpc, read) = match (policy.vnic_at(port.0), underlay) {
            (Some(vnic), _) => {
                let vpc = policy.configuration().vnics[vnic as usize].vpc as u32;
                let read = match answer(policy, vnic, &packet, &layers) {
                    None => self.edge.validated(policy, vnic, &packet, layers).map(Some),
                    Some(Answered::With(_) | Answered::WithNothing) => Ok(None),
                    Some(Answered::Spoofed) => Err(reasons::SPOOFED),
                    Some(Answered::Malformed) => Err(Reason::MALFORMED),
                };
                (Some(Origin::Vnic(vnic)), Some(vpc), read)
            }
            (None, Some(_)) if is_resolution(&packet, &layers) => (None, None, Ok(None)),
            (None, Some((underlay, _))) => {
                match self.edge.read_from_underlay(policy, underlay, &mut packet, &headers).map(|(brought, _)| brought)
                {
                    Ok(Brought::Packet(origin, vpc, metadata)) => (Some(origin), Some(vpc), Ok(Some(metadata))),
                    Ok(Brought::Congestion(vpc, _) | Brought::Reliable(vpc, ..)) => (None, Some(vpc), Ok(None)),
                    Err((origin, reason)) => (origin, None, Err(reason)),
                }
            }
            (None, None) => (None, None, Err(Reason::NO_SUCH_PORT)),
        };
        let key = match &read {
            Ok(Some(Metadata { subject: Subject::Flow { key, .. } | Subject::Datagram { key, .. }, .. })) => Some(*key),
            Ok(_) => None,
            Err(_) => vpc.and_then(|vpc| key_of(&packet, &layers, policy.vni(vpc))),
        };
        let found = match read {
            Err(reason) => Found::Discarded(reason),
            Ok(None) => Found::Own,
            Ok(Some(metadata)) => self.belongs_to(&metadata, vpc, &packet),
        };
        Peeked { origin, vpc, packet, key, found }
    }

    fn belongs_to(&self, metadata: &Metadata, vpc: Option<u32>, packet: &Packet) -> Found {
        let destination = crate::configuration::number(metadata.addresses[1]);
        let is_for_gateway = vpc.is_some_and(|vpc| is_gateway(self.policy(), vpc, destination));
        if is_for_gateway && is_echo_request(packet, &metadata.layers) {
            let is_right = is_icmp_right(packet, &metadata.layers);
            return if is_right { Found::Own } else { Found::Discarded(Reason::MALFORMED) };
        }
        match metadata.subject {
            Subject::Flow { key, .. } => Found::Flow(key, self.session_of(&key).map(Box::new)),
            Subject::Datagram { .. } => Found::Fragment,
            Subject::Error { about } => {
                Found::ErrorAbout(self.session_of(&about.reversed()).map(|(session, _)| Box::new(session)))
            }
        }
    }
}

/// Returns what becomes of a packet before any session is looked for, if the key of its flow says that; `key` is that of an ICMP query if it is
/// one of ICMP. Packets of one flow may still be different: damaged, for one.
pub fn before_sessions(policy: &Policy, (origin, vpc): (Origin, u32), key: &FlowKey) -> Option<Found> {
    let addresses = key.addresses();
    if is_of_group(&addresses) {
        return Some(Found::Discarded(reasons::NOT_UNICAST_IP));
    }
    let echo = if addresses[0].is_ipv4() { protocol::ICMP } else { protocol::ICMPV6 };
    let is_of_guest = matches!(origin, Origin::Vnic(_));
    (is_of_guest && key.protocol() == echo && is_gateway(policy, vpc, key.destination)).then_some(Found::Own)
}

fn is_gateway(policy: &Policy, vpc: u32, address: u128) -> bool {
    policy.hop(vpc, address) == Some(Hop::Gateway)
}
