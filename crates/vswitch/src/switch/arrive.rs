//! Packets that arrive: from guests, through tunnels, and from outside all VPCs.

use std::net::IpAddr;

use basis::Instant;
use node::{Outbox, Reason};
use wire::{Ipv4, Ipv6, Layers, Network, Packet};

use super::add;
use super::edge::Edge;
use crate::configuration::{Underlay, number};
use crate::congestion::{Congestion, message};
use crate::encryption::Opened;
use crate::events::EventKind;
use crate::metadata::{Metadata, is_icmp_right};
use crate::overlay::decapsulate;
use crate::policy::{Hop, Origin, Policy};
use crate::preprocessor::headers::{Headers, reach};
use crate::reasons;
use crate::reliable::{self, Message, Numbered};
use crate::responder::{Answered, answer, answer_echo, is_echo_request};

/// The VXLAN network identifier that no VPC has, for the world outside all of them.
pub const OUTSIDE: u32 = 0;

/// A packet whose headers were read, so that its session can be looked for.
#[derive(Debug)]
pub struct Parsed {
    /// Where it came from.
    pub(super) origin: Origin,
    /// The position of its VPC.
    pub(super) vpc: u32,
    pub(super) metadata: Metadata,
    /// The packet, until it leaves.
    pub(super) packet: Option<Packet>,
}

/// What a packet of the underlay is.
#[expect(
    clippy::large_enum_variant,
    reason = "it is taken apart at once, and a box would be an allocation for each packet"
)]
pub(super) enum Brought {
    /// A packet of a VPC, by its position, with its origin and metadata.
    Packet(Origin, u32, Metadata),
    /// The message that a guest of a VPC, by its address, is to be slowed.
    Congestion(u32, u128),
    /// A message about a reliable tunnel of a VPC, by its position.
    Reliable(u32, reliable::Tunnel, Message),
}

/// What is to be recorded about a packet of a tunnel, if it is not only looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    /// The packet was encrypted.
    opened: Option<Opened>,
    /// It came through a reliable tunnel.
    numbered: Option<(reliable::Tunnel, Numbered)>,
}

impl Edge {
    /// Reads a packet that a guest sends. Returns `None` if the packet goes no further: it was answered, or discarded.
    pub(super) fn guest_sends(
        &mut self,
        now: Instant,
        policy: &Policy,
        vnic: u32,
        mut packet: Packet,
        out: &mut Outbox,
    ) -> Option<Parsed> {
        let own = &policy.configuration().vnics[vnic as usize];
        let origin = Origin::Vnic(vnic);
        let layers = self.reader.headers(&mut packet).outer;
        add(&mut self.of_vnics[vnic as usize].sent, &packet);
        let is_slowed = |congestion: &mut Congestion| !congestion.senders.sends(now, vnic, packet.len() as u64);
        if self.congestion.as_mut().is_some_and(is_slowed) {
            self.discard(Some(origin), packet, reasons::SLOWED, out);
            return None;
        }
        let reason = match answer(policy, vnic, &packet, &layers) {
            None => self.validated(policy, vnic, &packet, layers),
            Some(Answered::With(reply)) => {
                self.consumed += 1;
                self.generated += 1;
                self.deliver(policy, vnic, reply, out);
                return None;
            }
            Some(Answered::WithNothing) => {
                self.consumed += 1;
                return None;
            }
            Some(Answered::Spoofed) => Err(reasons::SPOOFED),
            Some(Answered::Malformed) => Err(Reason::MALFORMED),
        };
        let metadata = match reason {
            Ok(metadata) => metadata,
            Err(reason) => {
                if reason == reasons::SPOOFED {
                    self.events.happens(now, vnic, EventKind::Spoofed);
                }
                self.discard(Some(origin), packet, reason, out);
                return None;
            }
        };
        let vpc = own.vpc as u32;
        let is_for_gateway = || policy.hop(vpc, number(metadata.addresses[1])) == Some(Hop::Gateway);
        if is_echo_request(&packet, &layers) && is_for_gateway() {
            // Whoever answered it would have to make the checksum of the reply wrong, too (RFC 1122, section 3.2.2).
            if !is_icmp_right(&packet, &layers) || !answer_echo(&mut packet, &layers) {
                self.discard(Some(origin), packet, Reason::MALFORMED, out);
                return None;
            }
            self.consumed += 1;
            self.generated += 1;
            self.deliver(policy, vnic, packet, out);
            return None;
        }
        Some(Parsed { origin, vpc, metadata, packet: Some(packet) })
    }

    /// Reads the headers of a frame of a guest, which may send from its own addresses alone.
    pub(super) fn validated(
        &self,
        policy: &Policy,
        vnic: u32,
        packet: &Packet,
        layers: Layers,
    ) -> Result<Metadata, Reason> {
        let own = &policy.configuration().vnics[vnic as usize];
        let head = packet.head.bytes();
        let is_group = head.first().is_some_and(|first| first & 1 != 0);
        if is_group || layers.outer_vlan.is_some() {
            return Err(reasons::NOT_UNICAST_IP);
        }
        let metadata = Metadata::read(packet, layers, policy.vni(own.vpc as u32), &self.hasher)?;
        let is_own = head[6..12] == own.mac && own.addresses.contains(&metadata.addresses[0]);
        if is_own { Ok(metadata) } else { Err(reasons::SPOOFED) }
    }

    /// Reads a packet that the underlay brings: from another switch, or from outside all VPCs. Returns `None` if it was
    /// discarded, or was for the switch itself.
    pub(super) fn underlay_brings(
        &mut self,
        now: Instant,
        policy: &Policy,
        (underlay, path): (&Underlay, usize),
        mut packet: Packet,
        out: &mut Outbox,
    ) -> Option<Parsed> {
        let headers = self.reader.headers(&mut packet);
        let outer = headers.outer;
        // It is of another network on the same cable.
        if outer.outer_vlan.is_some() {
            self.discard(None, packet, reasons::NOT_OURS, out);
            return None;
        }
        if let Some(heard) = self.hear(now, policy, (underlay, path), (&packet, &outer), out) {
            match heard {
                Ok(()) => self.consumed += 1,
                Err(reason) => self.discard(None, packet, reason, out),
            }
            return None;
        }
        // Of two paths into one network, each may be brought what is for the other.
        if underlay.paths.len() > 1 && packet.head.bytes().get(..6) != Some(&underlay.paths[path].mac) {
            self.discard(None, packet, reasons::NOT_OURS, out);
            return None;
        }
        let read = self.read_from_underlay(policy, underlay, &mut packet, &headers);
        if let Ok((_, marks)) = &read {
            marks.opened.iter().for_each(|opened| self.associations.record(opened));
            if marks.numbered.is_some_and(|(tunnel, numbered)| !self.reliable.arrives(tunnel, numbered)) {
                self.discard(None, packet, reasons::COPY, out);
                return None;
            }
        }
        match read.map(|(brought, _)| brought) {
            Ok(Brought::Reliable(_, tunnel, message)) => {
                self.consumed += 1;
                self.reliable.told(tunnel, message);
                None
            }
            Ok(Brought::Packet(origin, vpc, metadata)) => Some(Parsed { origin, vpc, metadata, packet: Some(packet) }),
            Ok(Brought::Congestion(vpc, guest)) => {
                self.consumed += 1;
                self.told_of_congestion(now, policy, vpc, guest);
                None
            }
            Err((origin, reason)) => {
                self.discard(origin, packet, reason, out);
                None
            }
        }
    }

    /// Reads what the underlay brings, which comes out of its tunnel. The error is the reason to discard it, and
    /// the origin if it is known.
    pub(super) fn read_from_underlay(
        &self,
        policy: &Policy,
        underlay: &Underlay,
        packet: &mut Packet,
        headers: &Headers,
    ) -> Result<(Brought, Marks), (Option<Origin>, Reason)> {
        let outer = &headers.outer;
        let is_from_outside = policy.has_outside()
            && ends_of(packet, outer).is_some_and(|[_, destination]| policy.is_outside(number(destination)));
        if is_from_outside {
            // It passes if a session of a guest expects it, which knows the VPC.
            let read = Metadata::read(packet, *outer, OUTSIDE, &self.hasher);
            let read = read.map(|metadata| (Brought::Packet(Origin::Outside, 0, metadata), Marks::default()));
            read.map_err(|reason| (Some(Origin::Outside), reason))
        } else {
            self.tunnel_brings(policy, underlay, packet, headers)
        }
    }

    /// Takes a frame out of a tunnel and reads its headers. The error is the reason to discard it, and the origin if it is
    /// known.
    fn tunnel_brings(
        &self,
        policy: &Policy,
        underlay: &Underlay,
        packet: &mut Packet,
        headers: &Headers,
    ) -> Result<(Brought, Marks), (Option<Origin>, Reason)> {
        let outer = &headers.outer;
        let unknown = |reason: Reason| (None, reason);
        let opened = match ends_of(packet, outer) {
            Some([peer, _]) => self.associations.open(packet, outer, peer).map_err(unknown)?,
            None => None,
        };
        // What was encrypted nobody has seen before.
        let headers = if opened.is_some() { Headers::of(packet) } else { *headers };
        let tunnel = decapsulate(packet, &headers).map_err(unknown)?;
        match opened {
            None if self.associations.demands(tunnel.vni) => return Err(unknown(reasons::IN_CLEAR)),
            // A key speaks for one VPC alone.
            Some(opened) if opened.vni != tunnel.vni => return Err(unknown(reasons::UNKNOWN_TUNNEL)),
            _ => {}
        }
        let [remote, own] = tunnel.addresses;
        let vpc = policy.vpc(tunnel.vni).filter(|&vpc| policy.knows_endpoint(vpc, number(remote)));
        let vpc = vpc.filter(|_| underlay.addresses.contains(&own)).ok_or((None, reasons::UNKNOWN_TUNNEL))?;
        let (mut layers, mut marks) = (tunnel.layers, Marks { opened, numbered: None });
        // RFC 7348, section 6.1: a frame inside a tunnel with a VLAN tag is discarded.
        if layers.outer_vlan.is_some() {
            return Err((Some(Origin::Endpoint(number(remote))), reasons::NOT_UNICAST_IP));
        }
        if self.reliable.has(number(remote)) {
            let tunnel = (tunnel.vni, number(remote));
            match reliable::read(packet, &layers) {
                Some(reliable::Read::Message(message)) => return Ok((Brought::Reliable(vpc, tunnel, message), marks)),
                Some(reliable::Read::Data(numbered)) => {
                    marks.numbered = Some((tunnel, numbered));
                    reliable::unwrap(packet);
                    layers = reach(packet);
                }
                None => {}
            }
        }
        if self.congestion.is_some()
            && let Some(guest) = message::read(packet, &layers)
        {
            return Ok((Brought::Congestion(vpc, guest), marks));
        }
        let origin = Origin::Endpoint(number(remote));
        let read = Metadata::read(packet, layers, tunnel.vni, &self.hasher);
        read.map(|metadata| (Brought::Packet(origin, vpc, metadata), marks)).map_err(|reason| (Some(origin), reason))
    }
}

/// Returns the source and the destination address of an IP packet.
pub(super) fn ends_of(packet: &Packet, layers: &Layers) -> Option<[IpAddr; 2]> {
    let network = packet.head.bytes().get(layers.network_start..)?;
    match layers.network {
        Network::Ipv4 => Ipv4::new(network).map(|ip| [ip.source().into(), ip.destination().into()]),
        Network::Ipv6 => Ipv6::new(network).map(|ip| [ip.source().into(), ip.destination().into()]),
        Network::None => None,
    }
}
