//! The message by which a switch tells another one to slow a guest.
//!
//! It is a frame in a tunnel of the guest's VPC, from gateway to gateway, with the EtherType for local experiments (IEEE 802,
//! clause 9.2.4): the version 1, the kind 1, two bytes of zeros, and the guest's IP address of 16 bytes, where one of IPv4 is the
//! IPv4-mapped one (RFC 4291, section 2.5.5.2). A switch that does not know it discards it.

use wire::{Ethernet, Layers, Packet};

use crate::configuration::MacAddress;

/// The EtherType for local experiments, the first of two.
pub(crate) const ETHER_TYPE: u16 = 0x88B5;
const START: usize = Ethernet::<&[u8]>::LENGTH;
const HEADER: [u8; 4] = [1, 1, 0, 0];
const LENGTH: usize = START + HEADER.len() + 16;

/// Returns the message about a guest with an address, as a frame of a VPC.
pub fn make(gateway: MacAddress, guest: u128) -> Packet {
    let mut frame = [0; LENGTH];
    let mut ethernet = Ethernet::new(&mut frame[..]).expect("long enough");
    ethernet.set_source(gateway);
    ethernet.set_destination(gateway);
    ethernet.set_ether_type(ETHER_TYPE);
    frame[START..START + 4].copy_from_slice(&HEADER);
    frame[START + 4..].copy_from_slice(&guest.to_be_bytes());
    Packet::of_bytes(&frame)
}

/// Returns the address of the guest that a frame is about; `None` if it is no such message.
pub fn read(packet: &Packet, layers: &Layers) -> Option<u128> {
    let bytes = packet.head.bytes().get(START..LENGTH).filter(|_| layers.ether_type == Some(ETHER_TYPE))?;
    let guest = bytes.strip_prefix(&HEADER)?;
    Some(u128::from_be_bytes(*guest.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back() {
        let message = make([2, 0, 0, 0, 0, 9], 7 << 64 | 5);
        assert_eq!(read(&message, &Layers::of(&message)), Some(7 << 64 | 5));
        for (at, length) in [(12, LENGTH), (14, LENGTH), (15, LENGTH), (0, LENGTH - 1)] {
            let mut other = message.clone();
            other.head.bytes_mut()[at] ^= u8::from(length == LENGTH);
            other.truncate(length);
            assert_eq!(read(&other, &Layers::of(&other)), None, "{at}, {length}");
        }
    }
}
