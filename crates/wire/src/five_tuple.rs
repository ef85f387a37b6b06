//! Which flow a packet belongs to.

use std::net::IpAddr;

use crate::{Ipv4, Ipv6, Layers, Network, Packet};

/// Addresses, protocol and ports: what tells flows apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FiveTuple {
    /// The source address.
    pub source: IpAddr,
    /// The destination address.
    pub destination: IpAddr,
    /// What IP carries; see [`crate::protocol`].
    pub protocol: u8,
    /// Source and destination port. `None` where there are none: in protocols without ports, and in every fragment
    /// of a datagram but the first.
    pub ports: Option<(u16, u16)>,
}

impl FiveTuple {
    /// The flow of a packet; `None` if it is no IP packet.
    pub fn of(packet: &Packet) -> Option<Self> {
        Self::at(&Layers::of(packet), packet.head.bytes())
    }

    /// The flow of a packet whose layers are known.
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

    /// A number of 64 bits that spreads flows evenly and never changes between versions: FNV-1a over the fields in
    /// order, then the finalizer of SplitMix64, for FNV alone leaves the upper bits of short inputs alike.
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
