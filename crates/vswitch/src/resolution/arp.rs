//! ARP (RFC 826).

use std::net::Ipv4Addr;

use wire::{Ethernet, Packet, ether_type};

use crate::configuration::MacAddress;

const START: usize = Ethernet::<&[u8]>::LENGTH;
/// The length of a message for Ethernet and IPv4.
const LENGTH: usize = 28;
/// The first bytes of such a message: the types and lengths of the two kinds of addresses.
const KIND: [u8; 6] = [0, 1, 8, 0, 6, 4];
const REQUEST: u16 = 1;
const REPLY: u16 = 2;

/// A message of ARP for Ethernet and IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArpMessage {
    /// Whether it is a request. Whatever is no request is a reply.
    pub is_request: bool,
    /// The addresses of the sender.
    pub sender: (MacAddress, Ipv4Addr),
    /// The addresses of the target, of which a request does not know the first.
    pub target: (MacAddress, Ipv4Addr),
}

impl ArpMessage {
    /// Reads the message in a frame without VLAN tags. Returns `None` if it is cut off, or of other kinds of addresses.
    pub fn read(head: &[u8]) -> Option<Self> {
        let message = head.get(START..START + LENGTH)?;
        if message[..6] != KIND {
            return None;
        }
        let ends = |at: usize| {
            let mac = message[at..at + 6].first_chunk::<6>().copied().unwrap_or_default();
            (mac, Ipv4Addr::new(message[at + 6], message[at + 7], message[at + 8], message[at + 9]))
        };
        let is_request = u16::from_be_bytes([message[6], message[7]]) == REQUEST;
        Some(Self { is_request, sender: ends(8), target: ends(18) })
    }

    /// Returns the frame with the message, from its sender to an Ethernet address.
    pub fn frame(&self, to: MacAddress) -> Packet {
        let mut frame = Vec::with_capacity(START + LENGTH);
        frame.extend_from_slice(&to);
        frame.extend_from_slice(&self.sender.0);
        frame.extend_from_slice(&ether_type::ARP.to_be_bytes());
        frame.extend_from_slice(&KIND);
        frame.extend_from_slice(&if self.is_request { REQUEST } else { REPLY }.to_be_bytes());
        for (mac, address) in [self.sender, self.target] {
            frame.extend_from_slice(&mac);
            frame.extend_from_slice(&address.octets());
        }
        Packet::of_bytes(&frame)
    }
}
