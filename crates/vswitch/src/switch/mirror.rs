//! Copies of packets for somebody who watches.

use wire::{ChecksumState, Ethernet, Packet};

use super::core::Core;
use super::forward::Passing;
use super::leave::{Tunnel, Way};
use super::made::Made;
use crate::configuration::{Course, MirrorTarget, number};
use crate::rewrite::set_ethernet;

impl Core {
    /// Sends a copy of a packet to the receiver of a mirror: whole, or as much of it as the mirror wants and its way carries.
    /// Of a superframe that must be cut, a copy of each segment is sent.
    pub(super) fn mirror(
        &mut self,
        passing: Passing<'_>,
        (mirror, course): (u32, Course),
        packet: &mut Packet,
        made: &mut impl FnMut(Made),
    ) {
        let Passing { policy, metadata, vpc, .. } = passing;
        let configuration = policy.configuration();
        let mirror = &configuration.mirrors[mirror as usize];
        if course == Course::Ingress {
            // The copy is as the guest sees the packet.
            let gateway = configuration.vpcs[vpc as usize].gateway_mac;
            set_ethernet(packet, gateway, configuration.vnics[mirror.vnic].mac);
        }
        let (way, mtu) = match mirror.target {
            MirrorTarget::Vnic(vnic) => (Way::Vnic(vnic as u32), configuration.vnics[vnic].mtu),
            MirrorTarget::Endpoint { address, vni } => {
                let tunnel = Tunnel { vni, remote: number(address), hash: metadata.hash };
                (Way::Tunnel(tunnel), configuration.tunnel_mtu(vni, address))
            }
        };
        let most = mirror.length.unwrap_or(u32::MAX).min(mtu + Ethernet::<&[u8]>::LENGTH as u32) as usize;
        let copy = packet.clone();
        if packet.segments().longest <= most as u64 {
            self.replicated += 1;
            return made(Made::send(None, None, way, copy));
        }
        // A superframe whose headers are not what they should be goes no further itself.
        let _ = copy.segment(|mut segment| {
            self.replicated += 1;
            // Whoever looks at the copy cannot compute the checksum of what was cut off.
            let _ = segment.complete_checksum();
            segment.truncate(most);
            segment.sidecar.checksum = ChecksumState::Unknown;
            made(Made::send(None, None, way, segment));
        });
    }
}
