//! ICMP errors that the switch sends in the gateway's name (RFC 792, RFC 1191, RFC 4443).

use std::net::IpAddr;

use wire::checksum::Sum;
use wire::{Ethernet, Icmp, Ipv4, Ipv6, Layers, Network, Packet, Tail, ether_type, protocol};

use crate::configuration::MacAddress;

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const IPV6: usize = Ipv6::<&[u8]>::LENGTH;
const ICMP: usize = Icmp::<&[u8]>::LENGTH;
/// The longest error, in bytes of the IP packet: RFC 1812, section 4.3.2.3, and RFC 4443, section 2.4, c.
const LONGEST_IPV4: usize = 576;
const LONGEST_IPV6: usize = 1280;
const HOPS: u8 = 64;

/// A problem of a packet that its sender is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It is longer than what its way carries, which is so many bytes of an IP packet.
    TooBig(u32),
    /// Its time to live was used up.
    TimeExceeded,
    /// The next hop or the other end of its tunnel does not answer.
    Unreachable,
}

impl Problem {
    /// Returns the type and the code of the message, and the four bytes behind its checksum.
    fn message(self, is_ipv4: bool) -> (u8, u8, [u8; 4]) {
        match (self, is_ipv4) {
            // RFC 1191, section 4: the next hop's MTU in the low 16 bits.
            (Self::TooBig(mtu), true) => (3, 4, mtu.min(u16::MAX.into()).to_be_bytes()),
            (Self::TooBig(mtu), false) => (2, 0, mtu.to_be_bytes()),
            (Self::TimeExceeded, true) => (11, 0, [0; 4]),
            (Self::TimeExceeded, false) => (3, 0, [0; 4]),
            // RFC 792; RFC 4443, section 3.1.
            (Self::Unreachable, true) => (3, 1, [0; 4]),
            (Self::Unreachable, false) => (1, 3, [0; 4]),
        }
    }
}

/// Returns the error about a frame, from the gateway to the host that has sent it. The frame must be no ICMP error itself, and
/// no fragment but the first (RFC 1812, section 4.3.2.7).
pub fn error(
    packet: &Packet,
    layers: &Layers,
    problem: Problem,
    [source, destination]: [IpAddr; 2],
    [gateway, host]: [MacAddress; 2],
) -> Option<Packet> {
    let is_ipv4 = layers.network == Network::Ipv4;
    let (ip, longest) = if is_ipv4 { (IPV4, LONGEST_IPV4) } else { (IPV6, LONGEST_IPV6) };
    let quoted = quoted(packet, layers, longest - ip - ICMP);
    let mut frame = vec![0; ETHERNET + ip + ICMP];
    frame.extend_from_slice(&quoted);
    let length = (ICMP + quoted.len()) as u16;
    let (kind, code, rest) = problem.message(is_ipv4);
    let mut message = Icmp::new(&mut frame[ETHERNET + ip..])?;
    message.set_kind(kind);
    message.set_code(code);
    message.bytes_mut()[4..8].copy_from_slice(&rest);
    let mut sum = Sum::default();
    sum.add(message.bytes());
    let mut ethernet = Ethernet::new(&mut frame[..])?;
    ethernet.set_source(gateway);
    ethernet.set_destination(host);
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) if is_ipv4 => {
            ethernet.set_ether_type(ether_type::IPV4);
            let mut header = Ipv4::new(&mut frame[ETHERNET..])?;
            header.set_version_and_length(0x45);
            header.set_total_length(IPV4 as u16 + length);
            header.set_time_to_live(HOPS);
            header.set_protocol(protocol::ICMP);
            header.set_source_bits(source.to_bits());
            header.set_destination_bits(destination.to_bits());
            header.fill_checksum();
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) if !is_ipv4 => {
            ethernet.set_ether_type(ether_type::IPV6);
            let mut header = Ipv6::new(&mut frame[ETHERNET..])?;
            header.set_version_class_flow(6 << 28);
            header.set_payload_length(length);
            header.set_next_header(protocol::ICMPV6);
            header.set_hop_limit(HOPS);
            header.set_source_bits(source.to_bits());
            header.set_destination_bits(destination.to_bits());
            sum.add(&frame[ETHERNET + 8..ETHERNET + IPV6]);
            sum.add_word(length);
            sum.add_word(u16::from(protocol::ICMPV6));
        }
        _ => return None,
    }
    Icmp::new(&mut frame[ETHERNET + ip..])?.set_checksum(sum.checksum());
    Some(Packet::of_bytes(&frame))
}

/// Returns the beginning of an IP packet, at most so many bytes.
fn quoted(packet: &Packet, layers: &Layers, most: usize) -> Vec<u8> {
    let head = packet.head.bytes();
    let whole = layers.network_end - layers.network_start;
    let mut quoted = head[layers.network_start..head.len().min(layers.network_end)].to_vec();
    if let Tail::Bytes(tail) = &packet.tail {
        quoted.extend_from_slice(&tail[..tail.len().min(whole.saturating_sub(quoted.len()))]);
    }
    quoted.truncate(most);
    quoted
}
