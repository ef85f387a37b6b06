//! ICMP echo to the gateway (RFC 792, RFC 4443, section 4.2).

use wire::{Ethernet, Icmp, Ipv4, Ipv6, Layers, Network, Packet, checksum, protocol};

/// The types of requests and of replies.
const IPV4: [u8; 2] = [8, 0];
const IPV6: [u8; 2] = [128, 129];
/// The time to live of replies.
const HOPS: u8 = 64;

/// Returns the types of requests and of replies in a packet that is a whole message of ICMP.
fn kinds(layers: &Layers) -> Option<[u8; 2]> {
    match (layers.network, layers.protocol, layers.is_fragment) {
        (Network::Ipv4, protocol::ICMP, false) => Some(IPV4),
        (Network::Ipv6, protocol::ICMPV6, false) => Some(IPV6),
        _ => None,
    }
}

/// Returns true if a packet is an echo request.
pub fn is_echo_request(packet: &Packet, layers: &Layers) -> bool {
    let message = |start: usize| packet.head.bytes().get(start..).and_then(Icmp::new);
    let Some([request, _]) = kinds(layers) else { return false };
    layers.transport.and_then(message).is_some_and(|message| message.kind() == request && message.code() == 0)
}

/// Turns a request into its reply, which goes back to where it came from. Returns false, and changes nothing, if the packet
/// is no echo request.
pub fn answer_echo(packet: &mut Packet, layers: &Layers) -> bool {
    if !is_echo_request(packet, layers) {
        return false;
    }
    let (Some(start), Some([request, reply])) = (layers.transport, kinds(layers)) else { return false };
    let head = packet.head.bytes_mut();
    let mut message = Icmp::new(&mut head[start..]).expect("it was read before");
    let sum = checksum::update(message.checksum(), &[request, 0], &[reply, 0], false);
    message.set_kind(reply);
    message.set_checksum(sum);
    let mut ethernet = Ethernet::new(&mut head[..]).expect("a frame has a network layer behind it");
    let (source, destination) = (ethernet.source(), ethernet.destination());
    ethernet.set_source(destination);
    ethernet.set_destination(source);
    let network = &mut head[layers.network_start..];
    // The sum of the pseudo-header is that of the same addresses in the other order.
    if layers.network == Network::Ipv4 {
        let mut ip = Ipv4::new(network).expect("it was read before");
        let (source, destination) = (ip.source_bits(), ip.destination_bits());
        ip.set_source_bits(destination);
        ip.set_destination_bits(source);
        ip.set_time_to_live(HOPS);
        ip.fill_checksum();
    } else {
        let mut ip = Ipv6::new(network).expect("it was read before");
        let (source, destination) = (ip.source_bits(), ip.destination_bits());
        ip.set_source_bits(destination);
        ip.set_destination_bits(source);
        ip.set_hop_limit(HOPS);
    }
    true
}
