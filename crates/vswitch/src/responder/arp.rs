//! ARP (RFC 826).

use std::net::Ipv4Addr;

use wire::{Ethernet, Packet};

use super::{Answered, is_answered_for, of};
use crate::policy::Policy;

const START: usize = Ethernet::<&[u8]>::LENGTH;
/// The length of a message for Ethernet and IPv4.
const LENGTH: usize = 28;
/// The first bytes of such a message: the types and lengths of the two kinds of addresses.
const KIND: [u8; 6] = [0, 1, 8, 0, 6, 4];
const REQUEST: u16 = 1;
const REPLY: u16 = 2;

pub fn answer(policy: &Policy, vnic: u32, head: &[u8]) -> Answered {
    let Some(message) = head.get(START..START + LENGTH) else { return Answered::Malformed };
    if message[..6] != KIND {
        return Answered::Malformed;
    }
    let own = of(policy, vnic);
    let address = |at: usize| Ipv4Addr::new(message[at], message[at + 1], message[at + 2], message[at + 3]);
    let (sender, target) = (address(14), address(24));
    // A probe has no sender's address yet (RFC 5227, section 2.1.1).
    let is_own = sender.is_unspecified() || own.addresses.contains(&sender.into());
    if message[8..14] != own.mac || head[6..12] != own.mac || !is_own {
        return Answered::Spoofed;
    }
    // A reply, or an announcement, tells the switch nothing that it does not know.
    if u16::from_be_bytes([message[6], message[7]]) != REQUEST || !is_answered_for(policy, vnic, target.into()) {
        return Answered::WithNothing;
    }
    let gateway = policy.configuration().vpcs[own.vpc].gateway_mac;
    let mut reply = Vec::with_capacity(START + LENGTH);
    reply.extend_from_slice(&own.mac);
    reply.extend_from_slice(&gateway);
    reply.extend_from_slice(&head[12..14]);
    reply.extend_from_slice(&KIND);
    reply.extend_from_slice(&REPLY.to_be_bytes());
    reply.extend_from_slice(&gateway);
    reply.extend_from_slice(&message[24..28]);
    reply.extend_from_slice(&own.mac);
    reply.extend_from_slice(&message[14..18]);
    Answered::With(Packet::of_bytes(&reply))
}
