//! ARP (RFC 826) of guests.

use super::{Answered, is_answered_for, of};
use crate::policy::Policy;
use crate::resolution::ArpMessage;

pub fn answer(policy: &Policy, vnic: u32, head: &[u8]) -> Answered {
    let Some(message) = ArpMessage::read(head) else { return Answered::Malformed };
    let own = of(policy, vnic);
    let ArpMessage { is_request, sender: (mac, sender), target: (_, target) } = message;
    // A probe has no sender's address yet (RFC 5227, section 2.1.1).
    let is_own = sender.is_unspecified() || own.addresses.contains(&sender.into());
    if mac != own.mac || head[6..12] != own.mac || !is_own {
        return Answered::Spoofed;
    }
    // A reply, or an announcement, tells the switch nothing that it does not know.
    if !is_request || !is_answered_for(policy, vnic, target.into()) {
        return Answered::WithNothing;
    }
    let gateway = policy.configuration().vpcs[own.vpc].gateway_mac;
    let reply = ArpMessage { is_request: false, sender: (gateway, target), target: message.sender };
    Answered::With(reply.frame(own.mac))
}
