//! Ethernet, IPv4 and UDP around what a transport says: real bytes, so that captures decode.

use basis::Instant;
use wire::{Ethernet, Ipv4, Packet, Sidecar, Tail, Udp, dscp, ether_type, protocol};

/// Bytes from the first of Ethernet's to the first behind UDP's.
pub const ENVELOPE: usize = ETHERNET + IPV4 + UDP;
const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const UDP: usize = Udp::<&[u8]>::LENGTH;

/// The ECN field of an IP header (RFC 3168, section 5).
pub mod congestion {
    /// Not-ECT: whoever is congested drops it.
    pub const NOT_CAPABLE: u8 = 0;
    /// ECT(0): it may be marked instead.
    pub const CAPABLE: u8 = 2;
    /// CE: it is marked.
    pub const EXPERIENCED: u8 = 3;
}

/// Who sends a frame to whom, and how the network is to treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The IPv4 address of the sender, as a number.
    pub source: u32,
    /// The IPv4 address of the receiver, as a number.
    pub destination: u32,
    /// The differentiated services code point, 0 to 63.
    pub dscp: u8,
    /// Explicit congestion notification; see [`congestion`].
    pub ecn: u8,
    /// The UDP port that it comes from.
    pub source_port: u16,
    /// The UDP port to which it goes.
    pub destination_port: u16,
}

/// The Ethernet address of the host with an IPv4 address: a locally administered one (IEEE 802c) that ends in it.
pub fn ethernet_address(address: u32) -> [u8; 6] {
    let [a, b, c, d] = address.to_be_bytes();
    [2, 0, a, b, c, d]
}

impl Envelope {
    /// Puts this around a transport's header, which stands in `frame` behind room for the envelope, and a payload
    /// of so many bytes whose values do not matter.
    pub fn seal(&self, now: Instant, frame: &mut [u8], payload: u32) -> Packet {
        let length = frame.len() + payload as usize;
        let (ethernet, rest) = frame.split_at_mut(ETHERNET);
        let (ipv4, rest) = rest.split_at_mut(IPV4);
        let mut ethernet = Ethernet::new(ethernet).expect("split to fit");
        ethernet.set_destination(ethernet_address(self.destination));
        ethernet.set_source(ethernet_address(self.source));
        ethernet.set_ether_type(ether_type::IPV4);
        let mut ipv4 = Ipv4::new(ipv4).expect("split to fit");
        ipv4.set_version_and_length(0x45);
        ipv4.set_traffic_class(self.dscp << 2 | self.ecn);
        ipv4.set_total_length((length - ETHERNET) as u16);
        // Never fragmented, so that the identification has no meaning (RFC 6864, section 4.1).
        ipv4.set_identification(0);
        ipv4.set_fragmentation(0x4000);
        ipv4.set_time_to_live(64);
        ipv4.set_protocol(protocol::UDP);
        ipv4.set_source_bits(self.source);
        ipv4.set_destination_bits(self.destination);
        ipv4.fill_checksum();
        let mut udp = Udp::new(rest).expect("a frame has room for the envelope");
        udp.set_source_port(self.source_port);
        udp.set_destination_port(self.destination_port);
        udp.set_length((length - ETHERNET - IPV4) as u16);
        // None (RFC 768): a switch that trims could not correct it without reading the payload.
        udp.set_checksum(0);
        let sidecar = Sidecar { arrival: now, original_length: length as u32, ..Sidecar::default() };
        Packet::new(frame, Tail::Length(payload), sidecar)
    }

    /// True if the code point says that a switch has cut the payload off.
    pub fn is_marked_as_trimmed(&self) -> bool {
        matches!(self.dscp, dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP)
    }

    /// The envelope of a packet, and the bytes of its head behind it; `None` if it is no UDP in IPv4 without options
    /// or VLAN tags, which is all that hosts here send.
    pub fn open(packet: &Packet) -> Option<(Self, &[u8])> {
        let bytes = packet.head.bytes();
        let (envelope, rest) = bytes.split_at_checked(ENVELOPE)?;
        let ethernet = Ethernet::new(&envelope[..ETHERNET])?;
        let ipv4 = Ipv4::new(&envelope[ETHERNET..ETHERNET + IPV4])?;
        let udp = Udp::new(&envelope[ETHERNET + IPV4..])?;
        if ethernet.ether_type() != ether_type::IPV4
            || ipv4.version_and_length() != 0x45
            || ipv4.protocol() != protocol::UDP
        {
            return None;
        }
        let envelope = Self {
            source: ipv4.source_bits(),
            destination: ipv4.destination_bits(),
            dscp: ipv4.dscp(),
            ecn: ipv4.ecn(),
            source_port: udp.source_port(),
            destination_port: udp.destination_port(),
        };
        Some((envelope, rest))
    }
}

/// What the IPv4 header of a packet says to the host that it reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// It is for the host.
    Ours,
    /// It is for another.
    Foreign,
    /// It is not IPv4, or its checksum is wrong although no switch has trimmed it.
    Malformed,
}

/// Looks at the IPv4 header of a packet that reached the host with `address`.
pub fn delivery(packet: &Packet, address: u32) -> Delivery {
    let bytes = packet.head.bytes();
    let is_ipv4 = Ethernet::new(bytes).is_some_and(|ethernet| ethernet.ether_type() == ether_type::IPV4);
    let Some(ipv4) = bytes.get(ETHERNET..).filter(|_| is_ipv4).and_then(Ipv4::new) else { return Delivery::Malformed };
    // Some switches that trim leave length and checksum as they were.
    let is_cut = ETHERNET + usize::from(ipv4.total_length()) > packet.len()
        || matches!(ipv4.dscp(), dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP | dscp::RETURNED);
    if !is_cut && ipv4.is_checksum_right() != Some(true) {
        return Delivery::Malformed;
    }
    if ipv4.destination_bits() == address { Delivery::Ours } else { Delivery::Foreign }
}
