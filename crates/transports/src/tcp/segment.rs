//! TCP segments, and their conversion to and from packets.

use basis::Instant;
use node::Reason;
use serde::{Deserialize, Serialize};
use wire::checksum::Sum;
use wire::tcp::{LONGEST_OPTIONS, Options, flag};
use wire::{Ethernet, Ipv4, Packet, Sidecar, Tail, Tcp, dscp, ether_type, protocol};

pub use crate::frame::congestion;
use crate::frame::ethernet_address;
use crate::reasons;

/// The length of the Ethernet header in bytes.
pub const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const TCP: usize = Tcp::<&[u8]>::LENGTH;
/// The length of the IPv4 and TCP headers without options, in bytes.
pub const FIXED_HEADERS: usize = IPV4 + TCP;

/// The port of service 0; the ports of the other services follow it.
pub const FIRST_SERVICE: u16 = 5000;
/// The first ephemeral port, from which connections are opened, as in Linux.
pub const FIRST_EPHEMERAL: u16 = 32_768;

/// The fields of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub source_port: u16,
    pub destination_port: u16,
    pub sequence: u32,
    pub acknowledgement: u32,
    pub flags: u8,
    pub window: u16,
    pub options: Options,
    /// The length of the payload in bytes.
    pub payload: u32,
    /// The ECN field of the IPv4 header; see [`congestion`].
    pub congestion: u8,
}

impl Segment {
    /// Returns true if a flag is set.
    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the number of sequence numbers that the segment occupies (SEG.LEN).
    pub fn length(&self) -> u64 {
        u64::from(self.payload) + u64::from(self.has(flag::SYN)) + u64::from(self.has(flag::FIN))
    }

    /// Returns the RST that answers this segment if there is no connection (RFC 9293, section 3.5.2, group 1).
    pub fn reset(&self) -> Self {
        let back = Self {
            source_port: self.destination_port,
            destination_port: self.source_port,
            flags: flag::RST,
            ..Self::default()
        };
        if self.has(flag::ACK) {
            Self { sequence: self.acknowledgement, ..back }
        } else {
            let acknowledgement = self.sequence.wrapping_add(self.length() as u32);
            Self { flags: flag::RST | flag::ACK, acknowledgement, ..back }
        }
    }

    /// Builds the packet of this segment. The payload is given as bytes, or as a length that stands for zeros.
    pub fn packet(&self, now: Instant, source: u32, destination: u32, payload: Tail) -> Packet {
        debug_assert_eq!(payload.len(), self.payload as usize, "a segment says how long its payload is");
        let mut frame = [0; ETHERNET + FIXED_HEADERS + LONGEST_OPTIONS];
        let (ethernet, rest) = frame.split_at_mut(ETHERNET);
        let (ipv4, tcp) = rest.split_at_mut(IPV4);
        let mut options = [0; LONGEST_OPTIONS];
        let options_length = self.options.write(&mut options);
        tcp[TCP..].copy_from_slice(&options);
        let header_length = TCP + options_length;
        let mut header = Tcp::new(&mut tcp[..header_length]).expect("the frame has room");
        header.set_source_port(self.source_port);
        header.set_destination_port(self.destination_port);
        header.set_sequence(self.sequence);
        header.set_acknowledgement(self.acknowledgement);
        header.set_header_length_and_flags(header_length, self.flags);
        header.set_window(self.window);
        let length = header_length + self.payload as usize;
        // Zeros add nothing to the sum, so a payload of which only the length is known can be skipped. The header
        // consists of whole words.
        let mut sum = pseudo_header(source, destination, length);
        sum.add(header.bytes());
        if let Tail::Bytes(bytes) = &payload {
            sum.add(bytes);
        }
        header.set_checksum(sum.checksum());

        let mut ethernet = Ethernet::new(ethernet).expect("split to fit");
        ethernet.set_destination(ethernet_address(destination));
        ethernet.set_source(ethernet_address(source));
        ethernet.set_ether_type(ether_type::IPV4);
        let mut ipv4 = Ipv4::new(ipv4).expect("split to fit");
        ipv4.set_version_and_length(0x45);
        ipv4.set_traffic_class(dscp::DATA << 2 | self.congestion);
        ipv4.set_total_length((IPV4 + length) as u16);
        // Packets are never fragmented, so that the identification has no meaning (RFC 6864, section 4.1).
        ipv4.set_fragmentation(0x4000);
        ipv4.set_time_to_live(64);
        ipv4.set_protocol(protocol::TCP);
        ipv4.set_source_bits(source);
        ipv4.set_destination_bits(destination);
        ipv4.fill_checksum();
        let original_length = (ETHERNET + IPV4 + length) as u32;
        let sidecar = Sidecar { arrival: now, original_length, ..Sidecar::default() };
        Packet::new(&frame[..ETHERNET + IPV4 + header_length], payload, sidecar)
    }
}

fn pseudo_header(source: u32, destination: u32, length: usize) -> Sum {
    let mut sum = Sum::default();
    for address in [source, destination] {
        sum.add_word((address >> 16) as u16);
        sum.add_word(address as u16);
    }
    sum.add_word(u16::from(protocol::TCP));
    sum.add_word(length as u16);
    sum
}

/// Parses a packet, and returns the IPv4 address of its sender and its segment.
///
/// # Errors
/// The reason to discard the packet: it is not TCP, or it was changed on the way, for example by trimming.
pub fn read(packet: &Packet) -> Result<(u32, Segment), Reason> {
    let bytes = packet.head.bytes();
    let ipv4 = bytes.get(ETHERNET..).and_then(Ipv4::new).ok_or(Reason::MALFORMED)?;
    let (start, end) = (ETHERNET + ipv4.header_length(), ETHERNET + usize::from(ipv4.total_length()));
    if ipv4.protocol() != protocol::TCP || ipv4.fragmentation() & 0x3FFF != 0 {
        return Err(reasons::UNEXPECTED);
    }
    let header = bytes.get(start..).and_then(Tcp::new).ok_or(Reason::MALFORMED)?;
    let payload_start = start + header.header_length();
    // The frame may be longer than the datagram, because Ethernet pads, but not shorter.
    if header.header_length() < TCP || payload_start > end || end > packet.len() {
        return Err(Reason::MALFORMED);
    }
    let options = header.options().and_then(Options::parse).ok_or(Reason::MALFORMED)?;
    let mut sum = pseudo_header(ipv4.source_bits(), ipv4.destination_bits(), end - start);
    sum.add(&bytes[start..end.min(bytes.len())]);
    if let Tail::Bytes(tail) = &packet.tail {
        let rest = &tail[..end.saturating_sub(bytes.len())];
        if (bytes.len() - start).is_multiple_of(2) { sum.add(rest) } else { sum.add_at_odd_place(rest) }
    }
    if sum.checksum() != 0 {
        return Err(Reason::MALFORMED);
    }
    let segment = Segment {
        source_port: header.source_port(),
        destination_port: header.destination_port(),
        sequence: header.sequence(),
        acknowledgement: header.acknowledgement(),
        flags: header.flags(),
        window: header.window(),
        options,
        payload: (end - payload_start) as u32,
        congestion: ipv4.ecn(),
    };
    Ok((ipv4.source_bits(), segment))
}

/// The payload of a segment as its packet holds it: part in the head, part in the tail, and the rest as zeros that are
/// not stored.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    head: &'a [u8],
    tail: &'a [u8],
    zeros: usize,
}

impl<'a> Payload<'a> {
    pub fn new(head: &'a [u8], tail: &'a [u8], zeros: usize) -> Self {
        Self { head, tail, zeros }
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> u64 {
        (self.head.len() + self.tail.len() + self.zeros) as u64
    }

    /// Returns the bytes in order.
    pub fn bytes(&self) -> impl Iterator<Item = u8> {
        self.head.iter().chain(self.tail).copied().chain(std::iter::repeat_n(0, self.zeros))
    }
}

/// Returns the payload of a packet, given the segment that [`read`] has returned for it.
pub fn payload<'a>(packet: &'a Packet, segment: &Segment) -> Payload<'a> {
    let bytes = packet.head.bytes();
    let total = bytes.get(ETHERNET..).and_then(Ipv4::new).map_or(0, |ipv4| usize::from(ipv4.total_length()));
    let (end, length) = (ETHERNET + total, segment.payload as usize);
    let start = end.saturating_sub(length);
    let head = bytes.get(start..end.min(bytes.len())).unwrap_or(&[]);
    let tail = match &packet.tail {
        Tail::Bytes(tail) => &tail[start.saturating_sub(bytes.len())..end.saturating_sub(bytes.len())],
        Tail::Length(_) => &[],
    };
    Payload::new(head, tail, length - head.len() - tail.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> Segment {
        let mut options = Options::default();
        options.timestamps = Some((77, 66));
        options.add_sack_block(5000, 6001);
        let flags = flag::ACK | flag::PSH;
        Segment {
            source_port: 32_768,
            destination_port: 5000,
            sequence: 9,
            flags,
            options,
            payload: 1001,
            congestion: 2,
            ..Segment::default()
        }
    }

    #[test]
    fn segments_with_bytes_or_lengths_are_read_as_written() {
        let packet = segment().packet(Instant::ZERO, 0x0A00_0001, 0x0A00_0002, Tail::Length(1001));
        assert_eq!(read(&packet), Ok((0x0A00_0001, segment())));
        let mut bytes = Vec::new();
        packet.append_to(&mut bytes);
        for cut in [54, 55, 500, bytes.len()] {
            // The head must hold the entire TCP header, since a shorter one would mean that a switch has trimmed the
            // packet.
            let (head, tail) = bytes.split_at(cut.max(packet.head.len()));
            let whole = Packet::of_bytes(head).with_tail(Tail::Bytes(tail.into()));
            assert_eq!(read(&whole), Ok((0x0A00_0001, segment())));
        }
        // Ethernet pads short frames.
        bytes.resize(bytes.len() + 7, 0);
        assert_eq!(read(&Packet::of_bytes(&bytes)), Ok((0x0A00_0001, segment())));
    }

    #[test]
    fn changed_or_truncated_segments_are_refused() {
        let packet = || segment().packet(Instant::ZERO, 0x0A00_0001, 0x0A00_0002, Tail::Length(1001));
        for place in 34..packet().head.len() {
            let mut changed = packet();
            changed.head.bytes_mut()[place] ^= 0x10;
            assert_eq!(read(&changed), Err(Reason::MALFORMED), "byte {place}");
        }
        assert_eq!(read(&packet().with_tail(Tail::Length(0))), Err(Reason::MALFORMED));
        // A switch that corrects the length is detected too, because the checksum covers the length.
        let mut trimmed = packet().with_tail(Tail::Length(0));
        let length = (trimmed.len() - ETHERNET) as u16;
        Ipv4::new(&mut trimmed.head.bytes_mut()[ETHERNET..]).unwrap().set_total_length(length);
        assert_eq!(read(&trimmed), Err(Reason::MALFORMED));
    }
}
