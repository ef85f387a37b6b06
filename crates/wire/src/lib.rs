//! Packets, the standard headers, checksums, and capture files for reading and writing.
//!
//! A [`Packet`] consists of a head of real bytes, which programs parse, a tail that may be only a length, and a
//! sidecar with what is known about the packet but is not on the wire. A header type such as [`Ipv4`] wraps bytes and
//! gives them named fields; its constructor checks the length once, so no accessor can fail. [`Layers`] finds the
//! offset of each header of a packet in one pass, and [`FiveTuple`] identifies the packet's flow. [`capture`] reads
//! and writes pcap and pcapng.
//!
//! This crate knows nothing of programs, of ports or of simulated time beyond a packet's arrival. Begin with
//! [`Packet`] and [`Layers`].
//!
//! # Example
//!
//! ```
//! use wire::{Ethernet, FiveTuple, Ipv4, Layers, Network, Packet, ether_type, protocol};
//!
//! let mut bytes = [0; 64];
//! Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(ether_type::IPV4);
//! let mut ip = Ipv4::new(&mut bytes[Ethernet::<&[u8]>::LENGTH..]).unwrap();
//! ip.set_version_and_length(0x45);
//! ip.set_total_length(50);
//! ip.set_protocol(protocol::UDP);
//! ip.set_source_bits(0x0A000001);
//! ip.fill_checksum();
//!
//! let packet = Packet::of_bytes(&bytes);
//! let layers = Layers::of(&packet);
//! assert_eq!(layers.network, Network::Ipv4);
//! assert_eq!(layers.transport, Some(34));
//! assert_eq!(FiveTuple::of(&packet).unwrap().source.to_string(), "10.0.0.1");
//! ```

pub mod capture;
pub mod checksum;
pub mod dscp;
mod five_tuple;
mod flow_hash;
mod head;
mod headers;
pub mod invariant_crc;
mod layers;
mod link;
mod near;
mod offload;
mod packet;
pub mod path;
mod routed;
mod shared;
mod tunnel;

pub use five_tuple::FiveTuple;
pub use flow_hash::flow_hash;
pub use head::Head;
pub use headers::{
    Aeth, Atp, Bth, Eqds, Ethernet, Icmp, Ipv4, Ipv6, Ndp, PriorityPause, Reth, SwitchMl, Tcp, TrioMl, Udp, VlanTag,
    Vxlan, atp, eqds, ether_type, infiniband, ndp, protocol, switchml, tcp, trio_ml, vxlan,
};
pub use layers::{Layers, Network};
pub use link::LinkLayer;
pub use offload::{ChecksumState, Coalescer, Segmentation, SegmentationKind, Segments};
pub use packet::{Packet, Sidecar, Tail};
pub use routed::{NotRouted, routed_destination};
pub use shared::{ForeignMemory, Lender, Loan, SharedBytes};
pub use tunnel::Tunnel;
