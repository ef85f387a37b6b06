//! Congestion marks of packets in tunnels (RFC 6040).

use wire::{Ipv4, Ipv6, Layers, Network};

use crate::rewrite::set_class;

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
    set_class(head, inner, |class| class | EXPERIENCED);
    true
}
