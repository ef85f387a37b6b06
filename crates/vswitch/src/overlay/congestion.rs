//! Congestion marks of packets in tunnels (RFC 6040).

use wire::{Ipv4, Ipv6, Layers, Network, checksum};

/// The code points of ECN (RFC 3168).
const NOT_CAPABLE: u8 = 0;
const EXPERIENCED: u8 = 3;

/// Returns the ECN field of an IP packet, of which the layers are known; 0 for anything else.
pub fn mark_of(head: &[u8], layers: &Layers) -> u8 {
    let network = head.get(layers.network_start..).unwrap_or(&[]);
    let class = match layers.network {
        Network::Ipv4 => Ipv4::new(network).map(|ip| ip.ecn()),
        Network::Ipv6 => Ipv6::new(network).map(|ip| ip.traffic_class() & 3),
        Network::None => None,
    };
    class.unwrap_or(NOT_CAPABLE)
}

/// Combines the mark of the outer packet with that of the inner one, at the end of a tunnel (RFC 6040, section 4.2). Returns
/// false if the packet must be dropped: the tunnel has met congestion, and the inner transport could not be told.
pub fn combine(outer: u8, head: &mut [u8], inner: &Layers) -> bool {
    if outer != EXPERIENCED {
        return true;
    }
    if mark_of(head, inner) == NOT_CAPABLE {
        return false;
    }
    let Some(network) = head.get_mut(inner.network_start..) else { return true };
    match inner.network {
        Network::Ipv4 => {
            if let Some(mut ip) = Ipv4::new(network) {
                let old = [ip.bytes()[0], ip.bytes()[1]];
                let new = [old[0], old[1] | EXPERIENCED];
                let sum = checksum::update(ip.checksum(), &old, &new, false);
                ip.set_traffic_class(new[1]);
                ip.set_checksum(sum);
            }
        }
        Network::Ipv6 => {
            if let Some(mut ip) = Ipv6::new(network) {
                ip.set_version_class_flow(ip.version_class_flow() | u32::from(EXPERIENCED) << 20);
            }
        }
        Network::None => {}
    }
    true
}
