//! The bytes of a packet that are read lie in its head, wherever an interface has let it end.

use wire::{Icmp, Layers, LinkLayer, Packet, protocol};

use crate::congestion::message::ETHER_TYPE;
use crate::metadata::{OF_ICMP, OF_ICMPV6};
use crate::{reliable, resolution};

/// Finds the headers of a packet, and moves what is read of its tail into its head: the headers, those of a packet within it that is to be cut,
/// and what [`reached`] says.
pub fn reach(packet: &mut Packet) -> Layers {
    packet.reach_cut();
    let layers = Layers::reach(packet);
    reached(packet, layers)
}

/// Moves what is read behind the headers of a packet into its head, and returns the headers, which are there already: those of the packet
/// that an error of ICMP is about, a message of neighbour discovery, or one of another switch.
#[inline]
pub fn reached(packet: &mut Packet, layers: Layers) -> Layers {
    let is_icmp = matches!(layers.protocol, protocol::ICMP | protocol::ICMPV6) && layers.transport.is_some();
    if is_icmp || layers.ether_type == Some(ETHER_TYPE) {
        reach_message(packet, &layers);
    }
    layers
}

#[cold]
fn reach_message(packet: &mut Packet, layers: &Layers) {
    if layers.ether_type == Some(ETHER_TYPE) {
        packet.lengthen_head(reliable::LONGEST_MESSAGE);
        return;
    }
    let Some(start) = layers.transport else { return };
    let Some(kind) = packet.head.bytes().get(start..).and_then(Icmp::new).map(|message| message.kind()) else { return };
    let (errors, is_of_neighbours) = match layers.protocol {
        protocol::ICMP => (OF_ICMP.errors, false),
        _ => (OF_ICMPV6.errors, resolution::is_kind(kind)),
    };
    if errors.contains(&kind) {
        Layers::reach_from(LinkLayer::Ip, packet, start + Icmp::<&[u8]>::LENGTH, layers.network_end);
    } else if is_of_neighbours {
        packet.lengthen_head(layers.network_end);
    }
}
