//! Ethernet, IPv4 and UDP headers around a transport's header: real bytes, so that captures can be decoded.

use basis::Instant;
use wire::{Ethernet, Ipv4, Packet, Sidecar, Tail, Udp, dscp, ether_type, protocol};

/// The length of the Ethernet, IPv4 and UDP headers together, in bytes.
pub const ENVELOPE: usize = ETHERNET + IPV4 + UDP;
const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const UDP: usize = Udp::<&[u8]>::LENGTH;

/// The values of the ECN field of an IP header (RFC 3168, section 5).
pub mod congestion {
    /// Not-ECT: congested nodes drop the packet.
    pub const NOT_CAPABLE: u8 = 0;
    /// ECT(0): congested nodes may mark the packet instead of dropping it.
    pub const CAPABLE: u8 = 2;
    /// CE: the packet has met congestion.
    pub const EXPERIENCED: u8 = 3;
}

/// The fields of the Ethernet, IPv4 and UDP headers that a transport chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The IPv4 address of the sender, as a number.
    pub source: u32,
    /// The IPv4 address of the receiver, as a number.
    pub destination: u32,
    /// The differentiated services code point, 0 to 63.
    pub dscp: u8,
    /// The ECN field; see [`congestion`].
    pub ecn: u8,
    /// The UDP source port.
    pub source_port: u16,
    /// The UDP destination port.
    pub destination_port: u16,
}

/// Returns the Ethernet address of the host with the given IPv4 address: a locally administered one (IEEE 802c) that
/// ends in the IPv4 address. That of a group is the one of RFC 1112, section 6.4.
pub fn ethernet_address(address: u32) -> [u8; 6] {
    let [a, b, c, d] = address.to_be_bytes();
    if a >> 4 == 0b1110 { [1, 0, 0x5E, b & 0x7F, c, d] } else { [2, 0, a, b, c, d] }
}

impl Envelope {
    /// Fills in the envelope of `frame`, whose transport header begins at [`ENVELOPE`], and adds a payload of `payload`
    /// bytes whose values do not matter.
    ///
    /// # Panics
    /// If `frame` is shorter than [`ENVELOPE`].
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
        // Packets are never fragmented, so that the identification has no meaning (RFC 6864, section 4.1).
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
        // No checksum (RFC 768): a switch that trims could not correct it without reading the payload.
        udp.set_checksum(0);
        let sidecar = Sidecar { arrival: now, original_length: length as u32, ..Sidecar::default() };
        Packet::new(frame, Tail::Length(payload), sidecar)
    }

    /// Returns true if the code point says that a switch has trimmed the payload.
    pub fn is_marked_as_trimmed(&self) -> bool {
        matches!(self.dscp, dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP)
    }

    /// Returns the envelope of a packet and the bytes of its head after it; `None` if the packet is not UDP in IPv4
    /// without options or VLAN tags, which is all that hosts here send.
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

/// The result of checking the IPv4 header of a packet at the host that it has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The packet is addressed to this host.
    Ours,
    /// The packet is addressed to another host.
    Foreign,
    /// The packet is not IPv4, or its header checksum is wrong although no switch has trimmed it.
    Malformed,
}

/// Checks the IPv4 header of a packet that has reached the host with `address`.
pub fn delivery(packet: &Packet, address: u32) -> Delivery {
    let bytes = packet.head.bytes();
    let is_ipv4 = Ethernet::new(bytes).is_some_and(|ethernet| ethernet.ether_type() == ether_type::IPV4);
    let Some(ipv4) = bytes.get(ETHERNET..).filter(|_| is_ipv4).and_then(Ipv4::new) else { return Delivery::Malformed };
    // Some switches do not update length and checksum when they trim a packet.
    let is_cut = ETHERNET + usize::from(ipv4.total_length()) > packet.len()
        || matches!(ipv4.dscp(), dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP | dscp::RETURNED);
    if !is_cut && ipv4.is_checksum_right() != Some(true) {
        return Delivery::Malformed;
    }
    if ipv4.destination_bits() == address { Delivery::Ours } else { Delivery::Foreign }
}
