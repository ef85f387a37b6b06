//! Packets in tunnels: the frame inside, and where its headers are.

use crate::{Layers, LinkLayer, Network, Udp, Vxlan, protocol, vxlan};

/// A frame in a VXLAN tunnel (RFC 7348). All offsets count from the start of the packet's head, as those of the outer
/// headers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// The VXLAN network identifier, 24 bits.
    pub vni: u32,
    /// The offset of the inner Ethernet header.
    pub start: usize,
    /// The headers of the inner frame.
    pub inner: Layers,
}

impl Tunnel {
    /// Finds the frame in the tunnel, given the outer headers of a packet that begins with `head` and is `length` bytes long
    /// in all. Returns `None` if the packet is not VXLAN: UDP over IP that is not a fragment, to the port of VXLAN, with the
    /// flag that its VNI is valid. Bits that RFC 7348 reserves are ignored, as its section 5 asks.
    pub fn of(outer: &Layers, head: &[u8], length: usize) -> Option<Self> {
        let (vni, start) = Self::front(outer, head)?;
        let end = outer.network_end.min(length);
        let inner = Layers::parse_from(LinkLayer::Ethernet, &head[..end.min(head.len())], start, end);
        Some(Self { vni, start, inner })
    }

    /// Returns the VNI of a packet in a VXLAN tunnel, and where the inner frame begins; `None` if the packet is none, as [`Tunnel::of`] has
    /// it.
    pub fn front(outer: &Layers, head: &[u8]) -> Option<(u32, usize)> {
        if outer.network == Network::None || outer.protocol != protocol::UDP || outer.is_fragment {
            return None;
        }
        let udp = Udp::new(head.get(outer.transport?..)?)?;
        if udp.destination_port() != vxlan::PORT {
            return None;
        }
        let header = outer.payload?;
        let tunnel = Vxlan::new(head.get(header..)?)?;
        if tunnel.flags() & vxlan::VNI_IS_VALID == 0 {
            return None;
        }
        Some((tunnel.vni(), header + Vxlan::<&[u8]>::LENGTH))
    }
}
