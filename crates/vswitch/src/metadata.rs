//! What the parser finds out about a packet (Triton, section 4.2).

use std::net::{IpAddr, Ipv4Addr};

use node::Reason;
use wire::{Icmp, Ipv4, Ipv6, Layers, Network, Packet, protocol};

use crate::reasons;
use crate::session::{FlowKey, Segment};

/// What is known of a packet before any table is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The offsets of its headers.
    pub layers: Layers,
    /// The key of its flow.
    pub key: FlowKey,
    /// What it says, if it is a segment of TCP.
    pub segment: Option<Segment>,
}

/// The types of ICMP messages that ask something or answer it, with an identifier (RFC 792, RFC 4443).
mod query {
    pub const OF_IPV4: [u8; 4] = [0, 8, 13, 14];
    pub const OF_IPV6: [u8; 2] = [128, 129];
}

impl Metadata {
    /// Reads a frame of a VPC, of which `vni` is the VXLAN network identifier, and validates its headers.
    ///
    /// # Errors
    /// The reason to discard it.
    pub fn read(packet: &Packet, layers: Layers, vni: u32) -> Result<Self, Reason> {
        let head = packet.head.bytes();
        let network = head.get(layers.network_start..).ok_or(Reason::MALFORMED)?;
        let addresses: [IpAddr; 2] = match layers.network {
            Network::None => return Err(reasons::NOT_UNICAST_IP),
            Network::Ipv4 => {
                let header = Ipv4::new(network).ok_or(Reason::MALFORMED)?;
                if header.is_checksum_right() == Some(false) {
                    return Err(Reason::MALFORMED);
                }
                [header.source().into(), header.destination().into()]
            }
            Network::Ipv6 => {
                let header = Ipv6::new(network).ok_or(Reason::MALFORMED)?;
                let addresses = [header.source(), header.destination()];
                // An address that stands for one of IPv4 never is on the wire (RFC 4291, section 2.5.5.2, RFC 6890).
                if addresses.iter().any(|address| address.to_ipv4_mapped().is_some()) {
                    return Err(Reason::MALFORMED);
                }
                addresses.map(Into::into)
            }
        };
        let is_broadcast = addresses[1] == IpAddr::V4(Ipv4Addr::BROADCAST);
        if is_broadcast || addresses.iter().any(IpAddr::is_multicast) {
            return Err(reasons::NOT_UNICAST_IP);
        }
        if layers.network_end > packet.len() {
            return Err(Reason::MALFORMED);
        }
        if layers.is_fragment {
            return Err(reasons::FRAGMENT);
        }
        let transport = layers.transport.and_then(|start| head.get(start..)).unwrap_or(&[]);
        let ports = Self::ports(&layers, transport)?;
        let segment = match layers.protocol {
            protocol::TCP => Some(Self::segment(&layers, transport)?),
            _ => None,
        };
        Ok(Self { layers, key: FlowKey::new(vni, addresses, layers.protocol, ports), segment })
    }

    /// Returns the ports of a packet, or what stands in their place.
    fn ports(layers: &Layers, transport: &[u8]) -> Result<[u16; 2], Reason> {
        let queries: &[u8] = match layers.protocol {
            protocol::ICMP => &query::OF_IPV4,
            protocol::ICMPV6 => &query::OF_IPV6,
            _ if layers.has_ports() => {
                let ports = transport.first_chunk::<4>().ok_or(Reason::MALFORMED)?;
                return Ok([[ports[0], ports[1]], [ports[2], ports[3]]].map(u16::from_be_bytes));
            }
            _ => return Ok([0, 0]),
        };
        let message = Icmp::new(transport).ok_or(Reason::MALFORMED)?;
        match queries.contains(&message.kind()) {
            true => Ok([message.identifier(); 2]),
            false => Err(reasons::UNSUPPORTED),
        }
    }

    fn segment(layers: &Layers, transport: &[u8]) -> Result<Segment, Reason> {
        let payload = layers.payload.ok_or(Reason::MALFORMED)?;
        Segment::read(transport, (layers.network_end - payload) as u32).ok_or(Reason::MALFORMED)
    }

    /// Returns the length of the IP packet, in bytes.
    pub fn ip_length(&self) -> usize {
        self.layers.network_end - self.layers.network_start
    }
}
