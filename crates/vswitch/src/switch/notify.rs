//! Telling the sender of a packet why it goes no further.

use std::net::IpAddr;

use basis::Instant;
use runtime::meter::Color;
use wire::Packet;

use super::core::Core;
use super::forward::Passing;
use super::leave::{Tunnel, Way};
use super::made::Made;
use crate::configuration::number;
use crate::metadata::Subject;
use crate::notice::{Problem, error};
use crate::policy::{Hop, Origin, Policy};
use crate::reasons;

impl Core {
    /// Discards a packet, and sends an ICMP error about it to its sender: from the gateway of the sender's subnet, or to the world
    /// outside from the address of a pool that the sender knows. The error is about the packet as its sender has sent it. None is
    /// sent about another error or about a fragment behind the first, nor more of them than may be.
    pub(super) fn refuse(
        &mut self,
        now: Instant,
        passing: Passing<'_>,
        mut packet: Packet,
        problem: Problem,
        made: &mut impl FnMut(Made),
    ) {
        let reason = match problem {
            Problem::TooBig(_) => reasons::TOO_LONG,
            Problem::TimeExceeded => reasons::TIME_EXCEEDED,
            Problem::Unreachable => reasons::UNRESOLVED,
        };
        let Passing { policy, origin, vpc, metadata, .. } = passing;
        // An error is about bytes of the payload too.
        if !self.join(now, metadata, &mut packet) {
            return made(Made::discard(Some(origin), packet, reasons::LATE_HEADERS));
        }
        let is_told_of = matches!(metadata.subject, Subject::Flow { .. }) && self.translate_back(passing, &mut packet);
        let sender = metadata.addresses[0];
        let source = match origin {
            Origin::Outside => Some(metadata.addresses[1]),
            _ => gateway_of(policy, vpc, sender),
        };
        if let Some(source) = source.filter(|_| is_told_of)
            && self.notices.with(|notices| notices.0.mark(now, 1, Color::Green)) != Color::Red
        {
            let configuration = policy.configuration();
            let gateway_mac = configuration.vpcs[vpc as usize].gateway_mac;
            let (mac, way, from) = match origin {
                Origin::Vnic(vnic) => (configuration.vnics[vnic as usize].mac, Way::Vnic(vnic), None),
                Origin::Endpoint(remote) => {
                    let tunnel = Tunnel { vni: policy.vni(vpc), remote, hash: metadata.hash };
                    let mac = match policy.hop_back(vpc, number(sender), remote) {
                        Hop::Endpoint { mac, .. } => mac,
                        _ => gateway_mac,
                    };
                    (mac, Way::Tunnel(tunnel), Some(origin))
                }
                // The path of the underlay has the Ethernet addresses.
                Origin::Outside => (gateway_mac, Way::Underlay(metadata.hash), Some(origin)),
            };
            if let Some(notice) = error(&packet, &metadata.layers, problem, [source, sender], [gateway_mac, mac]) {
                self.generated += 1;
                made(Made::send(from, None, way, notice));
            }
        }
        made(Made::discard(Some(origin), packet, reason));
    }
}

/// Returns the gateway of the subnet of an address, or else of any subnet of the same version.
pub(super) fn gateway_of(policy: &Policy, vpc: u32, address: IpAddr) -> Option<IpAddr> {
    let subnets = &policy.configuration().vpcs[vpc as usize].subnets;
    let of_subnet = subnets.iter().find(|subnet| subnet.prefix.contains(address));
    let of_version = || subnets.iter().find(|subnet| subnet.gateway.is_ipv4() == address.is_ipv4());
    of_subnet.or_else(of_version).map(|subnet| subnet.gateway)
}
