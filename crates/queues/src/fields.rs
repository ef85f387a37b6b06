//! The fields of a packet that queues read and write: code point, congestion marks, addresses, lengths.

use wire::{Ethernet, Ipv4, Ipv6, Layers, LinkLayer, Network, Packet, Udp, checksum, ether_type, protocol};

/// The IP version of a packet, and the offset of the IP header in the packet's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IpHeader {
    Ipv4(usize),
    Ipv6(usize),
}

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const IPV6: usize = Ipv6::<&[u8]>::LENGTH;

/// Finds the IP header of a packet; `None` if it has none.
#[inline(always)]
pub(crate) fn ip_header(packet: &Packet) -> Option<IpHeader> {
    let head = packet.head.bytes();
    // Nearly all packets are IPv4 directly over Ethernet. Parsing all layers would take longer than the queueing.
    if packet.sidecar.link == LinkLayer::Ethernet
        && head.len() >= ETHERNET + IPV4
        && head[12..14] == ether_type::IPV4.to_be_bytes()
        && head[ETHERNET] == 0x45
    {
        return Some(IpHeader::Ipv4(ETHERNET));
    }
    ip_header_in_any(packet)
}

#[cold]
fn ip_header_in_any(packet: &Packet) -> Option<IpHeader> {
    let layers = Layers::of(packet);
    match layers.network {
        Network::None => None,
        Network::Ipv4 => Some(IpHeader::Ipv4(layers.network_start)),
        Network::Ipv6 => Some(IpHeader::Ipv6(layers.network_start)),
    }
}

/// Returns the differentiated services code point of a packet, 0 to 63, or `None` if it has no IP header.
#[inline(always)]
pub fn code_point(packet: &Packet) -> Option<u8> {
    ip_header(packet).map(|ip_header| ip_header.dscp(packet))
}

impl IpHeader {
    /// Returns the byte that holds DSCP (6 bits) and ECN (2 bits).
    #[inline]
    pub fn traffic_class(self, packet: &Packet) -> u8 {
        let head = packet.head.bytes();
        match self {
            Self::Ipv4(at) => head[at + 1],
            // RFC 8200, section 3: the traffic class spans the first two bytes, between version and flow label.
            Self::Ipv6(at) => head[at] << 4 | head[at + 1] >> 4,
        }
    }

    /// Returns the code point, 0 to 63.
    #[inline]
    pub fn dscp(self, packet: &Packet) -> u8 {
        self.traffic_class(packet) >> 2
    }

    /// Sets DSCP and ECN, and updates the IPv4 checksum (RFC 1624) if `corrects_checksum` is set.
    pub fn set_traffic_class(self, packet: &mut Packet, value: u8, corrects_checksum: bool) {
        let head = packet.head.bytes_mut();
        match self {
            Self::Ipv4(at) => {
                let old = [head[at], head[at + 1]];
                head[at + 1] = value;
                if corrects_checksum {
                    update_checksum(&mut head[at..], &old, [old[0], value]);
                }
            }
            Self::Ipv6(at) => {
                head[at] = head[at] & 0xF0 | value >> 4;
                head[at + 1] = value << 4 | head[at + 1] & 0x0F;
            }
        }
    }

    /// Sets the code point and leaves ECN unchanged.
    pub fn set_dscp(self, packet: &mut Packet, dscp: u8, corrects_checksum: bool) {
        let ecn = self.traffic_class(packet) & 3;
        self.set_traffic_class(packet, dscp << 2 | ecn, corrects_checksum);
    }

    /// Sets the Congestion Experienced mark if the packet's transport is ECN-capable (RFC 3168, section 5). Returns
    /// whether the packet is marked now.
    pub fn mark(self, packet: &mut Packet) -> bool {
        let class = self.traffic_class(packet);
        if class & 3 == 0 {
            return false;
        }
        self.set_traffic_class(packet, class | 3, true);
        true
    }

    /// Returns the offset of the IP payload according to the length that the header states.
    pub fn payload(self, packet: &Packet) -> usize {
        match self {
            Self::Ipv4(at) => at + usize::from(packet.head.bytes()[at] & 0x0F).max(5) * 4,
            Self::Ipv6(at) => at + IPV6,
        }
    }

    /// Sets the length fields of IP and UDP to match the packet's present length.
    pub fn correct_lengths(self, packet: &mut Packet, corrects_checksum: bool) {
        let end = packet.len();
        let Some((udp, end)) = self.correct_network_length(packet, end, corrects_checksum) else { return };
        if let Some(mut udp) = packet.head.bytes_mut().get_mut(udp..).and_then(Udp::new) {
            udp.set_length(u16::try_from(end).unwrap_or(u16::MAX));
        }
    }

    /// Sets the UDP checksum to zero, which means "none" (RFC 768; RFC 6935 for IPv6), because the bytes that it
    /// covered are gone.
    pub fn clear_udp_checksum(self, packet: &mut Packet) {
        let Some(udp) = self.udp(packet) else { return };
        if let Some(mut udp) = packet.head.bytes_mut().get_mut(udp..).and_then(Udp::new) {
            udp.set_checksum(0);
        }
    }

    /// Returns the offset of the UDP header if one follows the IP header directly.
    fn udp(self, packet: &Packet) -> Option<usize> {
        let head = packet.head.bytes();
        let is_udp = match self {
            Self::Ipv4(at) => {
                let header = Ipv4::new(&head[at..])?;
                header.protocol() == protocol::UDP && header.fragment_offset() == 0
            }
            Self::Ipv6(at) => Ipv6::new(&head[at..])?.next_header() == protocol::UDP,
        };
        is_udp.then(|| self.payload(packet))
    }

    /// Corrects the IP length. Returns the offset of the UDP header, if there is one, and the length of UDP header and
    /// payload.
    fn correct_network_length(self, packet: &mut Packet, end: usize, corrects: bool) -> Option<(usize, usize)> {
        let udp = self.udp(packet);
        let head = packet.head.bytes_mut();
        let network_end = match self {
            Self::Ipv4(at) => {
                let old = [head[at + 2], head[at + 3]];
                // Ethernet padding is not part of the datagram and must not become part of it.
                let new = u16::try_from(end - at).unwrap_or(u16::MAX).min(u16::from_be_bytes(old));
                head[at + 2..at + 4].copy_from_slice(&new.to_be_bytes());
                if corrects {
                    update_checksum(&mut head[at..], &old, new.to_be_bytes());
                }
                at + usize::from(new)
            }
            Self::Ipv6(at) => {
                let start = at + IPV6;
                let mut header = Ipv6::new(&mut head[at..])?;
                let new = u16::try_from(end - start).unwrap_or(u16::MAX).min(header.payload_length());
                header.set_payload_length(new);
                start + usize::from(new)
            }
        };
        udp.filter(|&udp| udp <= network_end).map(|udp| (udp, network_end - udp))
    }

    /// Exchanges source and destination addresses, including those of Ethernet if there are any. Checksums stay valid,
    /// because they are sums that cover both addresses.
    pub fn exchange_addresses(self, packet: &mut Packet) {
        let has_ethernet = packet.sidecar.link == LinkLayer::Ethernet;
        let head = packet.head.bytes_mut();
        let exchange = |bytes: &mut [u8], length: usize| {
            let (first, second) = bytes.split_at_mut(length);
            first.swap_with_slice(&mut second[..length]);
        };
        if has_ethernet {
            exchange(head, 6);
        }
        match self {
            Self::Ipv4(at) => exchange(&mut head[at + 12..at + 20], 4),
            Self::Ipv6(at) => exchange(&mut head[at + 8..at + 40], 16),
        }
    }
}

/// Updates the checksum of an IPv4 header after two bytes at an even offset have changed.
fn update_checksum(header: &mut [u8], old: &[u8; 2], new: [u8; 2]) {
    if let Some(mut header) = Ipv4::new(header) {
        let sum = checksum::update(header.checksum(), old, &new, false);
        header.set_checksum(sum);
    }
}
