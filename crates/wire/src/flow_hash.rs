//! The hash of a flow, by which switches choose paths and hosts choose cores.

use basis::mix;

use crate::{Ethernet, Ipv4, protocol};

/// Returns a hash of the addresses, protocol and ports of an Ethernet frame without VLAN tags, which depends on
/// `salt`. Packets other than IPv4 all hash to the same value. Fragments are hashed by addresses and protocol only,
/// because only the first fragment has ports.
pub fn flow_hash(frame: &[u8], salt: u64) -> u64 {
    let Some(ip) = frame.get(Ethernet::<&[u8]>::LENGTH..).and_then(Ipv4::new) else { return mix(salt) };
    let Some(rest) = frame.get(Ethernet::<&[u8]>::LENGTH + ip.header_length()..) else { return mix(salt) };
    let addresses = u64::from(ip.source_bits()) << 32 | u64::from(ip.destination_bits());
    let has_ports = matches!(ip.protocol(), protocol::TCP | protocol::UDP) && ip.fragmentation() & 0x3FFF == 0;
    let ports: [u8; 4] = rest.get(..4).filter(|_| has_ports).map_or([0; 4], |ports| ports.try_into().expect("four"));
    mix(mix(salt ^ addresses) ^ (u64::from(u32::from_be_bytes(ports)) << 8 | u64::from(ip.protocol())))
}
