//! TCP segments in the middle of a connection that the switch does not know, because it was started again meanwhile.
//!
//! Such a connection is picked up by the first packet of the end that may begin it. What the other end sends is denied until
//! then, and a server that only sends would wait for ever. So the end that may begin is asked whether it has such a connection:
//! it is given the segment without its payload, one sequence number before its own, as a keep-alive is sent (RFC 9293, section
//! 3.8.4). Who has the connection answers with an acknowledgement (section 3.10.7.4), which begins the session; who has
//! not answers with a reset, which ends the other end. No byte of payload passes either way until that is decided.
//!
//! The client of a load balancer knows its connection by the address of that, and what a back end sends may belong to such a connection or to one
//! with the back end itself. Then the client is asked about each, by a question that acknowledges a number which the switch knows again: the
//! reset of a client that has no such connection would end another one that it has, and goes no further.

use wire::checksum::Sum;
use wire::tcp::flag;
use wire::{ChecksumState, Ethernet, Ipv4, Ipv6, Layers, Network, Packet, Tcp, ether_type, protocol};

use crate::session::Segment;

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const HOPS: u8 = 64;

/// Returns true if a segment can only belong to a connection that was there before: it acknowledges something, and neither
/// begins nor resets it.
pub fn is_midstream(segment: &Segment) -> bool {
    segment.flags & (flag::ACK | flag::SYN | flag::RST) == flag::ACK
}

/// Returns the acknowledgement number of the questions whether somebody has a connection that is one of several, by the hash of what would be
/// its next segment. The resets of those who do not have it carry it as their sequence number (RFC 9293, section 3.10.7.1).
pub fn number_of_question(hash: u64) -> u32 {
    basis::mix(hash) as u32
}

/// Returns true if a segment, of which the hash of the flow is known, answers that a connection is not there which is one of several.
pub fn is_no(segment: &Segment, hash: u64) -> bool {
    segment.flags & (flag::RST | flag::ACK) == flag::RST && segment.sequence == number_of_question(hash)
}

/// Returns the question whether the receiver of a segment has its connection. It acknowledges what the segment does, or another number. The
/// Ethernet addresses are still to be set.
pub fn question(packet: &Packet, layers: &Layers, acknowledgement: Option<u32>) -> Option<Packet> {
    let header = header(packet, layers)?;
    let mut header = header.to_vec();
    let mut tcp = Tcp::new(&mut header[..])?;
    tcp.set_sequence(tcp.sequence().wrapping_sub(1));
    tcp.set_acknowledgement(acknowledgement.unwrap_or(tcp.acknowledgement()));
    tcp.set_header_length_and_flags(tcp.header_length(), flag::ACK);
    segment(packet, layers, false, &header)
}

/// Returns the reset that a host answers a segment with whose connection it does not have (RFC 9293, section 3.10.7.1), from the
/// receiver to the sender. The Ethernet addresses are still to be set.
pub fn reset(packet: &Packet, layers: &Layers) -> Option<Packet> {
    let asked = Tcp::new(header(packet, layers)?)?;
    let mut header = [0; Tcp::<&[u8]>::LENGTH];
    let mut tcp = Tcp::new(&mut header[..])?;
    tcp.set_source_port(asked.destination_port());
    tcp.set_destination_port(asked.source_port());
    tcp.set_sequence(asked.acknowledgement());
    tcp.set_header_length_and_flags(Tcp::<&[u8]>::LENGTH, flag::RST);
    segment(packet, layers, true, &header)
}

/// Returns the TCP header of a packet, with its options.
fn header<'p>(packet: &'p Packet, layers: &Layers) -> Option<&'p [u8]> {
    let bytes = packet.head.bytes().get(layers.transport?..)?;
    bytes.get(..Tcp::new(bytes)?.header_length())
}

/// Returns a frame with a TCP header between the addresses of a packet, perhaps the other way.
fn segment(packet: &Packet, layers: &Layers, is_back: bool, header: &[u8]) -> Option<Packet> {
    let network = packet.head.bytes().get(layers.network_start..)?;
    let length = header.len() as u16;
    let (mut frame, mut sum) = (vec![0; ETHERNET], Sum::default());
    let kind = match layers.network {
        Network::None => return None,
        Network::Ipv4 => {
            let asked = Ipv4::new(network)?;
            let mut ends = [asked.source(), asked.destination()].map(|address| address.to_bits());
            if is_back {
                ends.swap(0, 1);
            }
            let mut bytes = [0; Ipv4::<&[u8]>::LENGTH];
            let mut ip = Ipv4::new(&mut bytes[..])?;
            ip.set_version_and_length(0x45);
            ip.set_total_length(Ipv4::<&[u8]>::LENGTH as u16 + length);
            ip.set_fragmentation(0x4000);
            ip.set_time_to_live(HOPS);
            ip.set_protocol(protocol::TCP);
            ip.set_source_bits(ends[0]);
            ip.set_destination_bits(ends[1]);
            ip.fill_checksum();
            sum.add(&bytes[12..20]);
            frame.extend_from_slice(&bytes);
            ether_type::IPV4
        }
        Network::Ipv6 => {
            let asked = Ipv6::new(network)?;
            let mut ends = [asked.source(), asked.destination()].map(|address| address.to_bits());
            if is_back {
                ends.swap(0, 1);
            }
            let mut bytes = [0; Ipv6::<&[u8]>::LENGTH];
            let mut ip = Ipv6::new(&mut bytes[..])?;
            ip.set_version_class_flow(6 << 28);
            ip.set_payload_length(length);
            ip.set_next_header(protocol::TCP);
            ip.set_hop_limit(HOPS);
            ip.set_source_bits(ends[0]);
            ip.set_destination_bits(ends[1]);
            sum.add(&bytes[8..40]);
            frame.extend_from_slice(&bytes);
            ether_type::IPV6
        }
    };
    Ethernet::new(&mut frame[..])?.set_ether_type(kind);
    let start = frame.len();
    frame.extend_from_slice(header);
    let mut tcp = Tcp::new(&mut frame[start..])?;
    tcp.set_checksum(0);
    sum.add_word(u16::from(protocol::TCP));
    sum.add_word(length);
    sum.add(tcp.bytes());
    let checksum = sum.checksum();
    tcp.set_checksum(checksum);
    let mut packet = Packet::of_bytes(&frame);
    packet.sidecar.checksum = ChecksumState::Verified;
    Some(packet)
}
