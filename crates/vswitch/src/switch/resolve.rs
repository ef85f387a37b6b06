//! Packets on their way to the underlay, and the messages by which its hosts find each other's Ethernet addresses.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use basis::Instant;
use node::{Outbox, Port, Reason};
use wire::{Layers, Packet, ether_type};

use super::VirtualSwitch;
use super::edge::Edge;
use crate::configuration::{MacAddress, NextHop, Underlay, number};
use crate::policy::{Origin, Policy};
use crate::reasons;
use crate::resolution::{ArpMessage, DiscoveryKind, DiscoveryMessage, flag};
use crate::rewrite::set_ethernet;
use crate::underlay::{PathChange, PathState, Question, Waiting};

/// The Ethernet address of everybody.
const EVERYBODY: MacAddress = [0xFF; 6];
/// The address of all nodes of a link, and its Ethernet address (RFC 2464, section 7).
const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
const ALL_NODES_MAC: MacAddress = [0x33, 0x33, 0, 0, 0, 1];
/// The most changes of paths that wait for somebody to take them.
const MOST_CHANGES: usize = 1024;

/// Returns true if a packet is a message of ARP or of neighbour discovery.
pub(super) fn is_resolution(packet: &Packet, layers: &Layers) -> bool {
    is_arp(layers) || DiscoveryMessage::read(packet.head.bytes(), layers).is_some()
}

fn is_arp(layers: &Layers) -> bool {
    layers.ether_type == Some(ether_type::ARP) && layers.outer_vlan.is_none()
}

impl Edge {
    /// Sends an IP packet to the underlay: over the path that a hash gives, to its next hop, or to the destination itself. It
    /// waits while nobody knows the Ethernet address.
    pub(super) fn send_to_underlay(
        &mut self,
        policy: &Policy,
        origin: Option<Origin>,
        (hash, destination): (u64, IpAddr),
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let path = self.paths.choose(hash);
        let Some(own) = policy.configuration().underlay.as_ref().and_then(|underlay| underlay.paths.get(path)) else {
            return self.discard(origin, packet, reasons::NO_ROUTE, out);
        };
        let neighbour = match own.next_hop {
            NextHop::Mac(mac) => {
                set_ethernet(&mut packet, own.mac, mac);
                return out.transmit(own.port, packet);
            }
            NextHop::Router(address) => (path, address),
            NextHop::Neighbours => (path, destination),
        };
        match self.paths.neighbours.mac_for_packet(out.now(), neighbour) {
            Ok(Some(mac)) => {
                set_ethernet(&mut packet, own.mac, mac);
                out.transmit(own.port, packet);
            }
            Ok(None) => {
                if let Some(oldest) = self.paths.neighbours.hold(neighbour, Waiting { packet, origin }) {
                    self.discard(oldest.origin, oldest.packet, reasons::UNRESOLVED, out);
                }
            }
            Err(_) => self.discard(origin, packet, reasons::UNRESOLVED, out),
        }
    }

    /// Asks for the Ethernet addresses of neighbours, and whether routers are there, if it is time to, and finds what has waited in
    /// vain. Returns the time of the next call.
    pub(super) fn ask_neighbours(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let mut questions = Vec::new();
        self.paths.due(now, &mut questions, &mut self.in_vain);
        if !questions.is_empty() {
            let policy = Arc::clone(&self.policy);
            for question in questions {
                let underlay = policy.configuration().underlay.as_ref();
                if let Some((port, packet)) = underlay.and_then(|underlay| asked(underlay, question)) {
                    self.generated += 1;
                    out.transmit(port, packet);
                }
            }
        }
        for change in self.paths.take_changes(now) {
            if self.path_changes.len() >= MOST_CHANGES {
                self.path_changes.pop_front();
            }
            self.path_changes.push_back(change);
        }
        self.paths.next()
    }

    /// Hears a message of ARP or of neighbour discovery on a path: learns what it says, answers it if it asks for this switch, and
    /// sends what has waited for its sender. Returns `None` if the packet is none.
    pub(super) fn hear(
        &mut self,
        now: Instant,
        policy: &Policy,
        (underlay, path): (&Underlay, usize),
        (packet, layers): (&Packet, &Layers),
        out: &mut Outbox,
    ) -> Option<Result<(), Reason>> {
        if is_arp(layers) {
            let read = ArpMessage::read(packet.head.bytes());
            let Some(message) = read.filter(|message| message.sender.0[0] & 1 == 0) else {
                return Some(Err(Reason::MALFORMED));
            };
            self.hear_arp(now, policy, (underlay, path), message, out);
            return Some(Ok(()));
        }
        match DiscoveryMessage::read(packet.head.bytes(), layers)? {
            Ok(message) => {
                let sender = packet.head.bytes().get(6..12).and_then(|sender| sender.first_chunk().copied());
                self.hear_discovery(now, policy, (underlay, path), (message, sender.unwrap_or(ALL_NODES_MAC)), out);
                Some(Ok(()))
            }
            Err(_) => Some(Err(Reason::MALFORMED)),
        }
    }

    fn hear_arp(
        &mut self,
        now: Instant,
        policy: &Policy,
        (underlay, path): (&Underlay, usize),
        message: ArpMessage,
        out: &mut Outbox,
    ) {
        let ArpMessage { is_request, sender: (mac, sender), target: (_, target) } = message;
        self.learn(now, policy, path, (sender.into(), mac, !is_request), out);
        let has = |address: std::net::Ipv4Addr| has_address(policy, underlay, address.into());
        if is_request && has(target) && !has(sender) {
            let own = &underlay.paths[path];
            let answer = ArpMessage { is_request: false, sender: (own.mac, target), target: message.sender };
            self.generated += 1;
            out.transmit(own.port, answer.frame(mac));
        }
    }

    fn hear_discovery(
        &mut self,
        now: Instant,
        policy: &Policy,
        (underlay, path): (&Underlay, usize),
        (message, sender): (DiscoveryMessage, MacAddress),
        out: &mut Outbox,
    ) {
        let DiscoveryMessage { kind, source, target, mac, .. } = message;
        let mac = mac.filter(|mac| mac[0] & 1 == 0);
        if let DiscoveryKind::Advertisement(flags) = kind {
            // An answer to a question that was not for everybody need not repeat the address (RFC 4861, section 4.4).
            if let Some(mac) = mac.or_else(|| self.paths.neighbours.mac(&(path, target.into()))) {
                self.learn(now, policy, path, (target.into(), mac, flags & flag::SOLICITED != 0), out);
            }
            return;
        }
        if let Some(mac) = mac {
            self.learn(now, policy, path, (source.into(), mac, false), out);
        }
        if has_address(policy, underlay, target.into()) {
            // Somebody without an address is answered by telling everybody (section 7.2.4).
            let (destination, to, solicited) = if source.is_unspecified() {
                (ALL_NODES, ALL_NODES_MAC, 0)
            } else {
                (source, mac.unwrap_or(sender), flag::SOLICITED)
            };
            let own = &underlay.paths[path];
            let kind = DiscoveryKind::Advertisement(solicited | flag::OVERRIDE);
            let answer = DiscoveryMessage { kind, source: target, destination, target, mac: Some(own.mac) };
            self.generated += 1;
            out.transmit(own.port, answer.frame([own.mac, to]));
        }
    }

    /// Learns that a neighbour has an Ethernet address, and sends it what has waited.
    fn learn(
        &mut self,
        now: Instant,
        policy: &Policy,
        path: usize,
        (address, mac, is_answer): (IpAddr, MacAddress, bool),
        out: &mut Outbox,
    ) {
        let waiting = self.paths.heard(now, (path, address), mac, is_answer);
        let Some(own) = policy.configuration().underlay.as_ref().and_then(|underlay| underlay.paths.get(path)) else {
            return;
        };
        for Waiting { mut packet, .. } in waiting {
            set_ethernet(&mut packet, own.mac, mac);
            out.transmit(own.port, packet);
        }
    }
}

impl VirtualSwitch {
    /// Learns what a packet says about routers of the underlay that are asked whether they are there, and does nothing else: a
    /// switch that is to take over from another one knows then which paths are alive.
    pub fn overhear(&mut self, now: Instant, port: Port, packet: &Packet) {
        let Some((_, path)) = self.edge.policy.configuration().underlay_at(port) else { return };
        let layers = Layers::of(packet);
        let said: Option<(IpAddr, MacAddress)> = if is_arp(&layers) {
            let message = ArpMessage::read(packet.head.bytes()).filter(|message| !message.is_request);
            message.map(|ArpMessage { sender: (mac, sender), .. }| (sender.into(), mac))
        } else {
            let message = DiscoveryMessage::read(packet.head.bytes(), &layers).and_then(Result::ok);
            message.and_then(|DiscoveryMessage { kind, target, mac, .. }| {
                let is_answer = matches!(kind, DiscoveryKind::Advertisement(flags) if flags & flag::SOLICITED != 0);
                mac.filter(|_| is_answer).map(|mac| (target.into(), mac))
            })
        };
        if let Some((address, mac)) = said {
            self.edge.in_vain.extend(self.edge.paths.heard(now, (path, address), mac, true));
        }
    }

    /// Takes the changes of paths of the underlay; of more than 1,024 that wait, the oldest are forgotten. Paths are meant by
    /// their positions in the present configuration.
    pub fn path_changes(&mut self) -> impl Iterator<Item = PathChange> {
        self.edge.path_changes.drain(..)
    }

    /// Returns the states of the paths of the underlay, in the order of the configuration, each with the Ethernet address of its
    /// next hop if all packets have one and it is known.
    pub fn underlay_paths(&self) -> impl Iterator<Item = (&PathState, Option<MacAddress>)> {
        let underlay = self.edge.policy.configuration().underlay.as_ref();
        let paths = underlay.into_iter().flat_map(|underlay| &underlay.paths).enumerate();
        self.edge.paths.states().iter().zip(paths).map(|(state, (position, path))| {
            let mac = match path.next_hop {
                NextHop::Mac(mac) => Some(mac),
                NextHop::Router(address) => self.edge.paths.neighbours.mac(&(position, address)),
                NextHop::Neighbours => None,
            };
            (state, mac)
        })
    }
}

/// Returns true if packets to an address of the underlay come to this switch: it is a tunnel endpoint, or of a pool.
fn has_address(policy: &Policy, underlay: &Underlay, address: IpAddr) -> bool {
    underlay.addresses.contains(&address) || policy.is_outside(number(address))
}

/// Returns the frame that asks a question, and the port that it leaves by.
fn asked(underlay: &Underlay, question: Question) -> Option<(Port, Packet)> {
    let Question { neighbour: (path, address), to } = question;
    let own = underlay.paths.get(path)?;
    let frame = match (address, underlay.own(address)?) {
        (IpAddr::V4(target), IpAddr::V4(source)) => {
            let target = (to.unwrap_or_default(), target);
            let message = ArpMessage { is_request: true, sender: (own.mac, source), target };
            message.frame(to.unwrap_or(EVERYBODY))
        }
        (IpAddr::V6(target), IpAddr::V6(source)) => {
            // The solicited-node address (RFC 4291, section 2.7.1), and its Ethernet address (RFC 2464, section 7).
            let [.., high, middle, low] = target.octets();
            let group = Ipv6Addr::from_bits((0xFF02 << 112) | 0x1_FF00_0000 | (target.to_bits() & 0xFF_FFFF));
            let (destination, to) = match to {
                Some(to) => (target, to),
                None => (group, [0x33, 0x33, 0xFF, high, middle, low]),
            };
            let kind = DiscoveryKind::Solicitation;
            DiscoveryMessage { kind, source, destination, target, mac: Some(own.mac) }.frame([own.mac, to])
        }
        _ => return None,
    };
    Some((own.port, frame))
}
