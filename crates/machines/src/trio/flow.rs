//! Flows of packets for which the program does not say to which they belong.

use basis::mix;
use runtime::hash;
use wire::{FiveTuple, Packet};

/// The bytes of an Ethernet header.
const ETHERNET: usize = 14;

/// Returns a hash of the addresses, protocol and ports of an IP packet, and of the Ethernet header of any other.
pub(super) fn of_packet(packet: &Packet) -> u64 {
    match FiveTuple::of(packet) {
        Some(flow) => flow.hash(),
        None => {
            let head = packet.head.bytes();
            hash::of_bytes(&head[..head.len().min(ETHERNET)], 0)
        }
    }
}

/// Returns a hash of the values by which a program says to which flow a packet belongs.
pub(super) fn of_values(values: &[u64]) -> u64 {
    values.iter().fold(0, |hash, value| mix(hash ^ *value))
}
