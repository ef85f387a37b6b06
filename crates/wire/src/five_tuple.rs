//! The five-tuple that identifies the flow of a packet.

use std::net::IpAddr;

use crate::{Ipv4, Ipv6, Layers, Network, Packet};

/// The addresses, protocol and ports that distinguish flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FiveTuple {
    /// The source address.
    pub source: IpAddr,
    /// The destination address.
    pub destination: IpAddr,
    /// The protocol that IP carries; see [`crate::protocol`].
    pub protocol: u8,
    /// The source and destination port. `None` where there are none: in protocols without ports, and in every fragment
    /// of a datagram but the first.
    pub ports: Option<(u16, u16)>,
}

impl FiveTuple {
    /// Returns the flow of a packet, or `None` if it is not an IP packet.
    pub fn of(packet: &Packet) -> Option<Self> {
        Self::at(&Layers::of(packet), packet.head.bytes())
    }

    /// Returns the flow of a packet whose layers are known, or `None` if it is not an IP packet.
    pub fn at(layers: &Layers, head: &[u8]) -> Option<Self> {
        let network = head.get(layers.network_start..)?;
        let (source, destination) = match layers.network {
            Network::None => return None,
            Network::Ipv4 => {
                let header = Ipv4::new(network)?;
                (header.source().into(), header.destination().into())
            }
            Network::Ipv6 => {
                let header = Ipv6::new(network)?;
                (header.source().into(), header.destination().into())
            }
        };
        let transport = layers.transport.filter(|_| layers.has_ports());
        let ports = transport.and_then(|start| head.get(start..start + 4));
        let ports = ports.map(|p| (u16::from_be_bytes([p[0], p[1]]), u16::from_be_bytes([p[2], p[3]])));
        Some(Self { source, destination, protocol: layers.protocol, ports })
    }

    /// Returns a 64-bit hash that spreads flows evenly and never changes between versions: FNV-1a over the fields in
    /// order, followed by the finalizer of SplitMix64, because FNV alone mixes the upper bits of short inputs poorly.
    pub fn hash(&self) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325u64;
        let mut feed = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
            }
        };
        for address in [self.source, self.destination] {
            match address {
                IpAddr::V4(address) => feed(&address.octets()),
                IpAddr::V6(address) => feed(&address.octets()),
            }
        }
        feed(&[self.protocol]);
        if let Some((source, destination)) = self.ports {
            feed(&source.to_be_bytes());
            feed(&destination.to_be_bytes());
        }
        basis::mix(hash)
    }
}
