//! Carrying out what was decided: the packet leaves, perhaps cut into others, or does not.

use basis::Instant;
use node::Reason;
use runtime::meter::Color;
use wire::{Ipv4, Layers, Network, Packet};

use super::core::Core;
use super::forward::Passing;
use super::made::{Made, Sender};
use crate::action::Action;
use crate::action_lists::ListNumber;
use crate::configuration::MacAddress;
use crate::metadata::{Metadata, Subject};
use crate::notice::Problem;
use crate::reasons;
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

impl Core {
    /// Carries out a list of actions from a place in it on.
    pub(super) fn act(
        &mut self,
        now: Instant,
        (list, from): (ListNumber, usize),
        passing: Passing<'_>,
        mut packet: Packet,
        made: &mut impl FnMut(Made),
    ) {
        let Passing { policy, origin, metadata, .. } = passing;
        let configuration = policy.configuration();
        for place in from.. {
            let Some(&action) = self.lists.get(list).get(place) else { break };
            match action {
                Action::Limit { limiter } => {
                    let is_superframe = packet.sidecar.segmentation.is_some();
                    let segments = packet.segments();
                    let color = self.limiters.with(|limiters| limiters.mark(now, limiter, &segments, is_superframe));
                    match color {
                        Color::Green => {}
                        Color::Yellow => {
                            if let Some(dscp) = self.limiters.with(|limiters| limiters.excess_dscp(limiter)) {
                                set_dscp(&mut packet, &metadata.layers, dscp);
                            }
                        }
                        Color::Red if is_superframe => {
                            if !self.join(now, metadata, &mut packet) {
                                return made(Made::discard(Some(origin), packet, reasons::LATE_HEADERS));
                            }
                            return self.act_on_segments(now, (list, place), passing, packet, made);
                        }
                        Color::Red => return made(Made::discard(Some(origin), packet, reasons::OVER_RATE)),
                    }
                }
                Action::Mirror { mirror, course } => {
                    if !self.join(now, metadata, &mut packet) {
                        return made(Made::discard(Some(origin), packet, reasons::LATE_HEADERS));
                    }
                    self.mirror(passing, (mirror, course), &mut packet, made);
                }
                Action::DecrementTimeToLive => {
                    if let Err(reason) = decrement_time_to_live(&mut packet, &metadata.layers) {
                        if reason == reasons::TIME_EXCEEDED {
                            return self.refuse(now, passing, packet, Problem::TimeExceeded, made);
                        }
                        return made(Made::discard(Some(origin), packet, reason));
                    }
                }
                Action::Translate => {
                    if !self.translated(passing, &mut packet) {
                        return made(Made::discard(Some(origin), packet, Reason::MALFORMED));
                    }
                }
                Action::Leave { mtu } => {
                    let Some(underlay) = configuration.underlay.as_ref() else { break };
                    let way = Way::Underlay(metadata.hash);
                    let mtu = mtu.min(underlay.mtu);
                    return self.leave(now, passing, packet, (way, MacAddress::default(), mtu), made);
                }
                Action::Deliver { vnic } => {
                    let own = &configuration.vnics[vnic as usize];
                    return self.leave(now, passing, packet, (Way::Vnic(vnic), own.mac, own.mtu), made);
                }
                Action::Encapsulate { vni, remote, mac, mtu } => {
                    let tunnel = Tunnel { vni, remote, hash: metadata.hash };
                    return self.leave(now, passing, packet, (Way::Tunnel(tunnel), mac, mtu), made);
                }
            }
        }
        made(Made::discard(Some(origin), packet, reasons::NO_ROUTE));
    }

    /// Carries out a list of actions from a place in it on for each segment of a superframe.
    fn act_on_segments(
        &mut self,
        now: Instant,
        place: (ListNumber, usize),
        passing: Passing<'_>,
        packet: Packet,
        made: &mut impl FnMut(Made),
    ) {
        let mut pieces = 0;
        let cut = packet.segment(|segment| {
            pieces += 1;
            let metadata = Metadata { layers: Layers::of(&segment), payload: None, ..*passing.metadata };
            self.act(now, place, Passing { metadata: &metadata, ..passing }, segment, made);
        });
        match cut {
            Ok(()) => self.becomes(pieces),
            Err(packet) => made(Made::discard(Some(passing.origin), packet, Reason::MALFORMED)),
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

    /// Writes the addresses and ports into a packet with which it came, if it was translated, for its sender knows no others (RFC 5508,
    /// section 4.2). Returns false if its headers do not lie within the head.
    pub(super) fn translate_back(&self, passing: Passing<'_>, packet: &mut Packet) -> bool {
        let Passing { metadata, flow, .. } = passing;
        let Some(session) = self.sessions.get(flow) else { return true };
        let direction = flow.direction();
        if session.keys[1 - direction].reversed() == session.keys[direction] {
            return true;
        }
        translate(packet, &metadata.layers, &Translation::into_key(&session.keys[direction]))
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
        made: &mut impl FnMut(Made),
    ) {
        let Passing { policy, origin, metadata, vpc, .. } = passing;
        if !self.join(now, metadata, &mut packet) {
            return made(Made::discard(Some(origin), packet, reasons::LATE_HEADERS));
        }
        let sender = Sender { vpc, address: metadata.addresses[0], hash: metadata.hash };
        let layers = &metadata.layers;
        let length = match packet.sidecar.segmentation {
            None => metadata.ip_length(),
            Some(_) => packet.segments().longest as usize - layers.network_start,
        };
        if length > mtu as usize && !may_be_cut(&packet, layers) {
            return self.refuse(now, passing, packet, Problem::TooBig(mtu), made);
        }
        set_ethernet(&mut packet, policy.configuration().vpcs[vpc as usize].gateway_mac, mac);
        if length <= mtu as usize {
            return made(Made::send(Some(origin), Some(sender), way, packet));
        }
        let mut pieces = 0;
        let cut = packet.segment(|mut segment| {
            let layers = Layers::of(&segment);
            let whole = if segment.complete_checksum() {
                segment.fragment(&layers, mtu as usize, |fragment| {
                    pieces += 1;
                    made(Made::send(Some(origin), Some(sender), way, fragment));
                })
            } else {
                Err(segment)
            };
            if let Err(segment) = whole {
                pieces += 1;
                made(Made::discard(Some(origin), segment, reasons::TOO_LONG));
            }
        });
        match cut {
            Ok(()) => self.becomes(pieces),
            Err(packet) => made(Made::discard(Some(origin), packet, Reason::MALFORMED)),
        }
    }

    /// Records that one packet has become so many, at least one.
    fn becomes(&mut self, pieces: u64) {
        self.replicated += pieces.saturating_sub(1);
    }
}

/// Returns true if a router may cut the packet: it is IPv4, and its sender does not forbid it (RFC 791, section 2.3).
fn may_be_cut(packet: &Packet, layers: &Layers) -> bool {
    let header = packet.head.bytes().get(layers.network_start..).and_then(Ipv4::new);
    layers.network == Network::Ipv4 && header.is_some_and(|header| header.fragmentation() & 0x4000 == 0)
}
