//! Taking a frame out of a tunnel.

use std::net::IpAddr;

use node::Reason;
use wire::{ChecksumState, Ipv4, Ipv6, Layers, Network, Packet, Tunnel, Udp, Vxlan, protocol};

use super::congestion;
use crate::preprocessor::headers::{Headers, reach, reached};
use crate::reasons;

/// A frame that came through a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decapsulated {
    /// The VXLAN network identifier.
    pub vni: u32,
    /// The addresses of the two endpoints: that of the other switch, and that of this one.
    pub addresses: [IpAddr; 2],
    /// The layers of the frame, which is all that is left of the packet.
    pub layers: Layers,
}

/// Takes the frame out of a packet of a tunnel, of which the headers are known, with the outer packet's congestion mark.
///
/// # Errors
/// The reason to discard the packet: it is not of a tunnel, or its outer headers are wrong.
pub fn decapsulate(packet: &mut Packet, headers: &Headers) -> Result<Decapsulated, Reason> {
    let outer = &headers.outer;
    // Behind the outer headers there may be no room for it.
    packet.lengthen_head(outer.payload.unwrap_or_default() + Vxlan::<&[u8]>::LENGTH);
    let head = packet.head.bytes();
    let network = head.get(outer.network_start..).ok_or(Reason::MALFORMED)?;
    let addresses: [IpAddr; 2] = match outer.network {
        Network::None => return Err(reasons::NOT_UNICAST_IP),
        Network::Ipv4 => {
            let ip = Ipv4::new(network).ok_or(Reason::MALFORMED)?;
            if ip.is_checksum_right() != Some(true) {
                return Err(Reason::MALFORMED);
            }
            [ip.source().into(), ip.destination().into()]
        }
        Network::Ipv6 => {
            let ip = Ipv6::new(network).ok_or(Reason::MALFORMED)?;
            [ip.source().into(), ip.destination().into()]
        }
    };
    if outer.network_end > packet.len() {
        return Err(Reason::MALFORMED);
    }
    if outer.is_fragment {
        return Err(reasons::FRAGMENTED_TUNNEL);
    }
    let (vni, start) = Tunnel::front(outer, head).ok_or(reasons::UNKNOWN_TUNNEL)?;
    if !is_checksum_right(packet, outer) {
        return Err(Reason::MALFORMED);
    }
    let mark = congestion::mark_of(packet.head.bytes(), outer);
    // Padding of the outer frame is none of the inner one.
    packet.truncate(outer.network_end);
    // Another switch of this computer may have left the checksum of the frame itself to whoever sends it on.
    let is_of_frame =
        matches!(packet.sidecar.checksum, ChecksumState::Partial { start: at, .. } if usize::from(at) > start);
    packet.replace_front(start, &[]);
    if !is_of_frame {
        packet.sidecar.checksum = ChecksumState::Unknown;
    }
    packet.sidecar.original_length = packet.len() as u32;
    let layers = match headers.inner {
        Some(inner) => reached(packet, inner.without_front(start)),
        None => reach(packet),
    };
    if !congestion::combine(mark, packet.head.bytes_mut(), &layers) {
        return Err(reasons::CONGESTION);
    }
    Ok(Decapsulated { vni, addresses, layers })
}

/// Compares the outer UDP checksum with the bytes. One of zero says that there is none, which RFC 7348 recommends and, for
/// tunnels over IPv6, RFC 6935 allows. Without the bytes of the tail, nothing can be compared.
fn is_checksum_right(packet: &Packet, outer: &Layers) -> bool {
    let head = packet.head.bytes();
    let Some(start) = outer.transport else { return false };
    let Some(udp) = head.get(start..).and_then(Udp::new) else { return false };
    if udp.checksum() == 0 || packet.sidecar.checksum != ChecksumState::Unknown || !packet.has_bytes() {
        return true;
    }
    let mut sum = packet.sum(start..outer.network_end);
    let addresses = if outer.network == Network::Ipv4 { 12..20 } else { 8..40 };
    sum.add(&head[outer.network_start..][addresses]);
    sum.add_word(u16::from(protocol::UDP));
    sum.add_word((outer.network_end - start) as u16);
    sum.checksum() == 0
}
