//! The messages by which hosts find out the Ethernet addresses of IP addresses: ARP for IPv4, neighbour discovery for IPv6.

mod arp;
mod discovery;

pub use arp::ArpMessage;
pub use discovery::{DiscoveryKind, DiscoveryMessage, flag, is_kind};
