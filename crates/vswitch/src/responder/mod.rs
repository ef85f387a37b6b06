//! What the switch answers itself, in the gateway's name: who has an address (ARP, neighbour discovery), and whether the
//! gateway is there (ICMP echo).

mod arp;
mod echo;
mod neighbour;

use std::net::IpAddr;

use wire::{Layers, Packet, ether_type};

use crate::configuration::{Configuration, Vnic, number};
use crate::policy::{Hop, Policy};

pub use echo::{answer_echo, is_echo_request};

/// The answer of the switch to a request.
#[derive(Debug, PartialEq)]
pub enum Answered {
    /// This packet, to the vNIC that asked.
    With(Packet),
    /// Nothing, because nobody needs to be told: nobody has the address, or the guest asks for its own.
    WithNothing,
    /// The sender names addresses that are not its own.
    Spoofed,
    /// The request is malformed.
    Malformed,
}

/// Answers a request of a vNIC for the Ethernet address of an IP address; `None` if the packet is no such request.
pub fn answer(policy: &Policy, vnic: u32, packet: &Packet, layers: &Layers) -> Option<Answered> {
    if layers.ether_type == Some(ether_type::ARP) && layers.outer_vlan.is_none() {
        return Some(arp::answer(policy, vnic, packet.head.bytes()));
    }
    neighbour::answer(policy, vnic, packet.head.bytes(), layers)
}

/// Returns true if packets of a vNIC to an address go anywhere, so that the gateway answers for it. A guest that asks for an
/// address of its own looks whether somebody else has it (RFC 5227, section 2.1.1; RFC 4862, section 5.4), which nobody has.
fn is_answered_for(policy: &Policy, vnic: u32, target: IpAddr) -> bool {
    let hop = policy.hop(of(policy, vnic).vpc as u32, number(target));
    !matches!(hop, None | Some(Hop::Blackhole)) && hop != Some(Hop::Vnic(vnic))
}

fn of(policy: &Policy, vnic: u32) -> &Vnic {
    let configuration: &Configuration = policy.configuration();
    &configuration.vnics[vnic as usize]
}
