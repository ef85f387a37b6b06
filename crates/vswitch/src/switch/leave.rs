//! Carrying out what was decided: the packet leaves, perhaps cut into others, or does not.

use std::sync::Arc;

use basis::Instant;
use node::{Outbox, Reason};
use wire::{Ipv4, Layers, Network, Packet};

use super::forward::Passing;
use super::{VirtualSwitch, add};
use crate::action::Action;
use crate::action_lists::ListNumber;
use crate::configuration::{MacAddress, address};
use crate::metadata::Subject;
use crate::notice::Problem;
use crate::overlay::{Outer, encapsulate};
use crate::policy::Origin;
use crate::reasons;
use crate::rewrite::{decrement_time_to_live, set_ethernet};
use crate::translate::{translate, translate_error};

/// A tunnel that packets go into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tunnel {
    pub vni: u32,
    /// The address of the other endpoint, as a number.
    pub remote: u128,
    /// A hash of the flow.
    pub hash: u64,
}

impl VirtualSwitch {
    /// Carries out a list of actions.
    pub(super) fn act(
        &mut self,
        now: Instant,
        list: ListNumber,
        passing: Passing<'_>,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let origin = passing.origin;
        for place in 0.. {
            let Some(&action) = self.lists.get(list).get(place) else { break };
            match action {
                Action::DecrementTimeToLive => {
                    if let Err(reason) = decrement_time_to_live(&mut packet, &passing.metadata.layers) {
                        if reason == reasons::TIME_EXCEEDED {
                            return self.refuse(now, passing, packet, Problem::TimeExceeded, out);
                        }
                        return self.discard(Some(origin), packet, reason, out);
                    }
                }
                Action::Translate => {
                    let Passing { metadata, key, translation, .. } = &passing;
                    let is_done = match metadata.subject {
                        Subject::Error { .. } => {
                            translate_error(&mut packet, &metadata.layers, key.addresses()[0], translation)
                        }
                        _ => translate(&mut packet, &metadata.layers, translation),
                    };
                    if !is_done {
                        return self.discard(Some(origin), packet, Reason::MALFORMED, out);
                    }
                }
                Action::Leave => {
                    let Some(underlay) = self.policy.configuration().underlay.as_ref() else { break };
                    let (port, mac, next_hop, mtu) = (underlay.port, underlay.mac, underlay.next_hop, underlay.mtu);
                    let Some(packets) = self.fitted(now, passing, packet, (next_hop, mtu), out) else { return };
                    for mut packet in packets {
                        set_ethernet(&mut packet, mac, next_hop);
                        out.transmit(port, packet);
                    }
                    return;
                }
                Action::Deliver { vnic } => {
                    let own = &self.policy.configuration().vnics[vnic as usize];
                    let (mac, mtu) = (own.mac, own.mtu);
                    let Some(packets) = self.fitted(now, passing, packet, (mac, mtu), out) else { return };
                    packets.into_iter().for_each(|packet| self.deliver(vnic, packet, out));
                    return;
                }
                Action::Encapsulate { vni, remote, mac, mtu } => {
                    let Some(packets) = self.fitted(now, passing, packet, (mac, mtu), out) else { return };
                    let tunnel = Tunnel { vni, remote, hash: passing.hash };
                    packets.into_iter().for_each(|packet| self.send_through(tunnel, origin, packet, out));
                    return;
                }
            }
        }
        self.discard(Some(origin), packet, reasons::NO_ROUTE, out);
    }

    /// Makes a frame ready for a way that carries IP packets of at most so many bytes, with its Ethernet addresses: as it is,
    /// or cut into fragments. Returns `None` if it was discarded, because it is too long and must not be cut. A superframe is
    /// judged by the frames that it will be cut into.
    fn fitted(
        &mut self,
        now: Instant,
        passing: Passing<'_>,
        mut packet: Packet,
        (mac, mtu): (MacAddress, u32),
        out: &mut Outbox,
    ) -> Option<Vec<Packet>> {
        let gateway = self.policy.configuration().vpcs[passing.vpc as usize].gateway_mac;
        let layers = &passing.metadata.layers;
        let length = match packet.sidecar.segmentation {
            None => passing.metadata.ip_length(),
            Some(_) => packet.segments().longest as usize - layers.network_start,
        };
        if length <= mtu as usize {
            set_ethernet(&mut packet, gateway, mac);
            return Some(vec![packet]);
        }
        if !may_be_cut(&packet, layers) {
            self.refuse(now, passing, packet, Problem::TooBig(mtu), out);
            return None;
        }
        set_ethernet(&mut packet, gateway, mac);
        let segments = match cut_superframe(packet) {
            Ok(segments) => segments,
            Err(packet) => {
                self.discard(Some(passing.origin), packet, Reason::MALFORMED, out);
                return None;
            }
        };
        let (mut fitted, mut refused) = (Vec::new(), Vec::new());
        for mut segment in segments {
            let layers = Layers::of(&segment);
            if !segment.complete_checksum() {
                refused.push(segment);
            } else if let Err(segment) = segment.fragment(&layers, mtu as usize, |fragment| fitted.push(fragment)) {
                refused.push(segment);
            }
        }
        // One packet has become as many as there are now.
        self.replicated += (fitted.len() + refused.len()) as u64 - 1;
        refused.into_iter().for_each(|packet| self.discard(Some(passing.origin), packet, reasons::TOO_LONG, out));
        Some(fitted)
    }

    /// Puts a frame into a tunnel. A superframe is cut before, for no interface cuts frames inside a tunnel.
    pub(super) fn send_through(&mut self, tunnel: Tunnel, origin: Origin, packet: Packet, out: &mut Outbox) {
        let policy = Arc::clone(&self.policy);
        let Tunnel { vni, remote, hash } = tunnel;
        let underlay = policy.configuration().underlay.as_ref();
        let own = underlay.and_then(|underlay| underlay.own(address(remote)));
        let (Some(underlay), Some(own)) = (underlay, own) else {
            return self.discard(Some(origin), packet, reasons::NO_ROUTE, out);
        };
        let segments = match cut_superframe(packet) {
            Ok(segments) => segments,
            Err(packet) => return self.discard(Some(origin), packet, Reason::MALFORMED, out),
        };
        self.replicated += (segments.len() - 1) as u64;
        let ethernet = [underlay.mac, underlay.next_hop];
        let outer = Outer { ethernet, addresses: [own, address(remote)], vni, hash };
        for mut segment in segments {
            let layers = Layers::of(&segment);
            if segment.complete_checksum() && encapsulate(&mut segment, &layers, &outer) {
                out.transmit(underlay.port, segment);
            } else {
                self.discard(Some(origin), segment, Reason::MALFORMED, out);
            }
        }
    }

    pub(super) fn deliver(&mut self, vnic: u32, packet: Packet, out: &mut Outbox) {
        add(&mut self.of_vnics[vnic as usize].received, packet.len() as u64);
        out.transmit(self.policy.configuration().vnics[vnic as usize].port, packet);
    }
}

/// Returns true if a router may cut the packet: it is IPv4, and its sender does not forbid it (RFC 791, section 2.3).
fn may_be_cut(packet: &Packet, layers: &Layers) -> bool {
    let header = packet.head.bytes().get(layers.network_start..).and_then(Ipv4::new);
    layers.network == Network::Ipv4 && header.is_some_and(|header| header.fragmentation() & 0x4000 == 0)
}

/// Returns the frames that a superframe is to be cut into; any other frame as it is.
fn cut_superframe(packet: Packet) -> Result<Vec<Packet>, Packet> {
    let mut segments = Vec::new();
    packet.segment(|segment| segments.push(segment)).map(|()| segments)
}
