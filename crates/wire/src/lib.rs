//! Packets as a head and a tail, standard headers, checksums, and captures in and out.
//!
//! A header type such as [`Ipv4`] is bytes with named fields, checked once for length; [`Layers`] is where each
//! header of one packet lies, found once; [`FiveTuple`] is what they mean together.

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
mod packet;
pub mod path;

pub use five_tuple::FiveTuple;
pub use flow_hash::flow_hash;
pub use head::Head;
pub use headers::{
    Aeth, Bth, Eqds, Ethernet, Icmp, Ipv4, Ipv6, Ndp, PriorityPause, Reth, Tcp, Udp, VlanTag, eqds, ether_type,
    infiniband, ndp, protocol, tcp,
};
pub use layers::{Layers, Network};
pub use link::LinkLayer;
pub use packet::{Packet, Sidecar, Tail};
