//! Carrying out what was decided: the packet leaves, perhaps cut into others, or does not.

use basis::Instant;
use node::{Outbox, Reason};
use runtime::meter::Color;
use wire::{Ipv4, Layers, Network, Packet};

use super::arrive::ends_of;
use super::forward::Passing;
use super::{VirtualSwitch, add};
use crate::action::Action;
use crate::action_lists::ListNumber;
use crate::configuration::{MacAddress, address};
use crate::metadata::{Metadata, Subject};
use crate::notice::Problem;
use crate::overlay::{Outer, encapsulate};
use crate::policy::{Origin, Policy};
use crate::reasons;
use crate::reliable::Sent;
use crate::rewrite::{decrement_time_to_live, set_dscp, set_ethernet};
use crate::translate::{Translation, translate, translate_error};

/// A tunnel that packets go into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tunnel {
    pub vni: u32,
    /// The address of the other endpoint, as a number.
    pub remote: u128,
    /// A hash of the flow.
    pub hash: u64,
}

/// The way by which a frame leaves the switch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// To the underlay, as it is, over the path that a hash gives.
    Underlay(u64),
    /// To a vNIC, by its position.
    Vnic(u32),
    /// Through a tunnel.
    Tunnel(Tunnel),
}

impl VirtualSwitch {
    /// Carries out a list of actions from a place in it on.
    pub(super) fn act(
        &mut self,
        now: Instant,
        (list, from): (ListNumber, usize),
        passing: Passing<'_>,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let Passing { policy, origin, metadata, .. } = passing;
        let configuration = policy.configuration();
        for place in from.. {
            let Some(&action) = self.lists.get(list).get(place) else { break };
            match action {
                Action::Limit { limiter } => {
                    let is_superframe = packet.sidecar.segmentation.is_some();
                    match self.limiters.mark(now, limiter, &packet.segments(), is_superframe) {
                        Color::Green => {}
                        Color::Yellow => {
                            if let Some(dscp) = self.limiters.excess_dscp(limiter) {
                                set_dscp(&mut packet, &metadata.layers, dscp);
                            }
                        }
                        Color::Red if is_superframe => {
                            if !self.join(now, metadata, &mut packet) {
                                return self.discard(Some(origin), packet, reasons::LATE_HEADERS, out);
                            }
                            return self.act_on_segments(now, (list, place), passing, packet, out);
                        }
                        Color::Red => return self.discard(Some(origin), packet, reasons::OVER_RATE, out),
                    }
                }
                Action::Mirror { mirror, course } => {
                    if !self.join(now, metadata, &mut packet) {
                        return self.discard(Some(origin), packet, reasons::LATE_HEADERS, out);
                    }
                    self.mirror(passing, (mirror, course), &mut packet, out);
                }
                Action::DecrementTimeToLive => {
                    if let Err(reason) = decrement_time_to_live(&mut packet, &metadata.layers) {
                        if reason == reasons::TIME_EXCEEDED {
                            return self.refuse(now, passing, packet, Problem::TimeExceeded, out);
                        }
                        return self.discard(Some(origin), packet, reason, out);
                    }
                }
                Action::Translate => {
                    if !self.translated(passing, &mut packet) {
                        return self.discard(Some(origin), packet, Reason::MALFORMED, out);
                    }
                }
                Action::Leave => {
                    let Some(underlay) = configuration.underlay.as_ref() else { break };
                    let way = Way::Underlay(metadata.hash);
                    return self.leave(now, passing, packet, (way, MacAddress::default(), underlay.mtu), out);
                }
                Action::Deliver { vnic } => {
                    if self.is_congested(now, passing, vnic, &packet, out) {
                        return self.discard(Some(origin), packet, reasons::NOT_READ, out);
                    }
                    let own = &configuration.vnics[vnic as usize];
                    return self.leave(now, passing, packet, (Way::Vnic(vnic), own.mac, own.mtu), out);
                }
                Action::Encapsulate { vni, remote, mac, mtu } => {
                    let tunnel = Tunnel { vni, remote, hash: metadata.hash };
                    return self.leave(now, passing, packet, (Way::Tunnel(tunnel), mac, mtu), out);
                }
            }
        }
        self.discard(Some(origin), packet, reasons::NO_ROUTE, out);
    }

    /// Carries out a list of actions from a place in it on for each segment of a superframe.
    fn act_on_segments(
        &mut self,
        now: Instant,
        place: (ListNumber, usize),
        passing: Passing<'_>,
        packet: Packet,
        out: &mut Outbox,
    ) {
        let mut pieces = 0;
        let cut = packet.segment(|segment| {
            pieces += 1;
            let metadata = Metadata { layers: Layers::of(&segment), payload: None, ..*passing.metadata };
            self.act(now, place, Passing { metadata: &metadata, ..passing }, segment, out);
        });
        match cut {
            Ok(()) => self.becomes(pieces),
            Err(packet) => self.discard(Some(passing.origin), packet, Reason::MALFORMED, out),
        }
    }

    /// Writes the addresses and ports into a packet that the key of its session's other direction has, reversed. Returns
    /// false if its headers do not lie within the head.
    fn translated(&self, passing: Passing<'_>, packet: &mut Packet) -> bool {
        let Passing { metadata, flow, .. } = passing;
        let Some(session) = self.sessions.get(flow) else { return false };
        let direction = flow.direction();
        let translation = Translation::into_key(&session.keys[1 - direction].reversed());
        match metadata.subject {
            Subject::Error { .. } => {
                let peer = session.keys[direction].addresses()[0];
                translate_error(packet, &metadata.layers, peer, &translation)
            }
            _ => translate(packet, &metadata.layers, &translation),
        }
    }

    /// Sends a frame, with the Ethernet address of its receiver, on a way that carries IP packets of at most so many bytes: as
    /// it is, or cut into fragments. It is discarded if it is too long and must not be cut. A superframe is judged by the
    /// frames that it will be cut into.
    fn leave(
        &mut self,
        now: Instant,
        passing: Passing<'_>,
        mut packet: Packet,
        (way, mac, mtu): (Way, MacAddress, u32),
        out: &mut Outbox,
    ) {
        let Passing { policy, origin, metadata, vpc, .. } = passing;
        if !self.join(now, metadata, &mut packet) {
            return self.discard(Some(origin), packet, reasons::LATE_HEADERS, out);
        }
        let layers = &metadata.layers;
        let length = match packet.sidecar.segmentation {
            None => metadata.ip_length(),
            Some(_) => packet.segments().longest as usize - layers.network_start,
        };
        if length > mtu as usize && !may_be_cut(&packet, layers) {
            return self.refuse(now, passing, packet, Problem::TooBig(mtu), out);
        }
        set_ethernet(&mut packet, policy.configuration().vpcs[vpc as usize].gateway_mac, mac);
        if length <= mtu as usize {
            return self.send(policy, Some(origin), way, packet, out);
        }
        let mut pieces = 0;
        let cut = packet.segment(|mut segment| {
            let layers = Layers::of(&segment);
            let whole = if segment.complete_checksum() {
                segment.fragment(&layers, mtu as usize, |fragment| {
                    pieces += 1;
                    self.send(policy, Some(origin), way, fragment, out);
                })
            } else {
                Err(segment)
            };
            if let Err(segment) = whole {
                pieces += 1;
                self.discard(Some(origin), segment, reasons::TOO_LONG, out);
            }
        });
        match cut {
            Ok(()) => self.becomes(pieces),
            Err(packet) => self.discard(Some(origin), packet, Reason::MALFORMED, out),
        }
    }

    /// Records that one packet has become so many, at least one.
    fn becomes(&mut self, pieces: u64) {
        self.replicated += pieces.saturating_sub(1);
    }

    /// Sends a frame that fits its way. If it cannot be sent, it counts as one of `origin`.
    pub(super) fn send(&mut self, policy: &Policy, origin: Option<Origin>, way: Way, packet: Packet, out: &mut Outbox) {
        match way {
            Way::Vnic(vnic) => self.deliver(policy, vnic, packet, out),
            Way::Tunnel(tunnel) => self.send_through(policy, tunnel, origin, packet, out),
            Way::Underlay(hash) => match ends_of(&packet, &Layers::of(&packet)) {
                Some([_, destination]) => self.send_to_underlay(policy, origin, (hash, destination), packet, out),
                None => self.discard(origin, packet, Reason::MALFORMED, out),
            },
        }
    }

    /// Puts a frame into a tunnel, with a number if that is a reliable one. A superframe is cut before, for no interface cuts frames
    /// inside a tunnel.
    pub(super) fn send_through(
        &mut self,
        policy: &Policy,
        tunnel: Tunnel,
        origin: Option<Origin>,
        packet: Packet,
        out: &mut Outbox,
    ) {
        let mut pieces = 0;
        let cut = packet.segment(|mut segment| {
            pieces += 1;
            if !segment.complete_checksum() {
                return self.discard(origin, segment, Reason::MALFORMED, out);
            }
            match self.numbered(policy, tunnel, &mut segment) {
                Sent::Plain => self.enter(policy, tunnel, origin, segment, out),
                Sent::Numbered(hash) => self.enter(policy, Tunnel { hash, ..tunnel }, origin, segment, out),
                Sent::Refused => self.discard(origin, segment, reasons::NOT_RELIABLE, out),
            }
        });
        match cut {
            Ok(()) => self.becomes(pieces),
            Err(packet) => self.discard(origin, packet, Reason::MALFORMED, out),
        }
    }

    /// Encapsulates a frame that is no superframe and has its checksum, encrypts it if its VPC is, and transmits it.
    pub(super) fn enter(
        &mut self,
        policy: &Policy,
        tunnel: Tunnel,
        origin: Option<Origin>,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let Tunnel { vni, remote, hash } = tunnel;
        let underlay = policy.configuration().underlay.as_ref();
        let own = underlay.and_then(|underlay| underlay.own(address(remote)));
        let Some(own) = own else {
            return self.discard(origin, packet, reasons::NO_ROUTE, out);
        };
        // The Ethernet addresses are those of the path.
        let outer = Outer { ethernet: Default::default(), addresses: [own, address(remote)], vni, hash };
        let layers = Layers::of(&packet);
        if !encapsulate(&mut packet, &layers, &outer) {
            return self.discard(origin, packet, Reason::MALFORMED, out);
        }
        match self.associations.seal(vni, &mut packet) {
            Ok(()) => self.send_to_underlay(policy, origin, (hash, address(remote)), packet, out),
            Err(reason) => self.discard(origin, packet, reason, out),
        }
    }

    pub(super) fn deliver(&mut self, policy: &Policy, vnic: u32, packet: Packet, out: &mut Outbox) {
        add(&mut self.of_vnics[vnic as usize].received, &packet);
        out.transmit(policy.configuration().vnics[vnic as usize].port, packet);
    }
}

/// Returns true if a router may cut the packet: it is IPv4, and its sender does not forbid it (RFC 791, section 2.3).
fn may_be_cut(packet: &Packet, layers: &Layers) -> bool {
    let header = packet.head.bytes().get(layers.network_start..).and_then(Ipv4::new);
    layers.network == Network::Ipv4 && header.is_some_and(|header| header.fragmentation() & 0x4000 == 0)
}
