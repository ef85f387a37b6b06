//! Cutting a packet into the packets that its sender left to the interface to make, as Linux cuts it
//! (`inet_gso_segment`, `tcp_gso_segment` and `__udp_gso_segment` in its sources).

use super::Segments;
use super::headers::{Headers, checksum_offset, headers, pseudo_header_sum, write_network, write_tunnel};
use crate::tcp::flag;
use crate::{ChecksumState, Layers, Packet, Segmentation, SegmentationKind, Sidecar, Tail, Tcp, Udp};

/// The length of a TCP header with all options that fit.
pub(super) const LONGEST_TRANSPORT: usize = 60;

impl Packet {
    /// Cuts the packet into those that its [`crate::Sidecar::segmentation`] asks for, each with all headers, and passes
    /// them on in order: identification of IPv4 counts up, CWR is in the first only, FIN and PSH in the last only. The
    /// checksums of the transport layer are left partial. A packet that is not to be cut is passed on as it is.
    ///
    /// If the partial checksum is that of a packet in a tunnel, or in one within another, that packet is cut, and each segment has headers of
    /// the tunnels of its own (`skb_udp_tunnel_segment` and `gre_gso_segment` in Linux).
    ///
    /// Payload in the tail is shared and not copied.
    ///
    /// # Errors
    /// Returns the packet, perhaps with more of it in its head, if its headers are not those of its segmentation, or are not known.
    pub fn segment(mut self, mut pass_on: impl FnMut(Packet)) -> Result<(), Packet> {
        let Some(segmentation) = self.sidecar.segmentation else {
            pass_on(self);
            return Ok(());
        };
        self.reach_cut();
        let Some(headers) = headers(&self, segmentation) else { return Err(self) };
        let payload = self.len() - headers.payload;
        let size = usize::from(segmentation.size);
        let count = headers.segments(self.len(), segmentation);
        for number in 0..count {
            let first = number * size;
            let mut segment = self.piece(headers.payload, first..payload.min(first + size));
            segment.write_headers(&headers, segmentation, number, number + 1 == count);
            pass_on(segment);
        }
        Ok(())
    }

    /// Moves the headers of the packet that is to be cut from the tail into the head, as far as they are known.
    pub fn reach_cut(&mut self) {
        match self.sidecar {
            // It is one of TCP or UDP, perhaps in a tunnel.
            Sidecar { segmentation: Some(_), checksum: ChecksumState::Partial { start, .. }, .. } => {
                self.lengthen_head(usize::from(start) + LONGEST_TRANSPORT);
            }
            Sidecar { segmentation: Some(_), .. } => {
                Layers::reach(self);
            }
            _ => {}
        }
    }

    /// Returns true if [`Packet::segment`] cuts the packet into what every other implementation makes of it: its headers are
    /// those of its segmentation, and the checksum of the pseudo-header stands where the partial checksum will. True for a
    /// packet that is not to be cut.
    pub fn is_ready_to_cut(&self) -> bool {
        let Some(segmentation) = self.sidecar.segmentation else { return true };
        let Some(headers) = headers(self, segmentation) else { return false };
        let bytes = self.head.bytes();
        let field = headers.transport + checksum_offset(segmentation.kind);
        let Some(field) = bytes.get(field..field + 2) else { return false };
        let length = self.len() - headers.transport;
        let sum = pseudo_header_sum(bytes, &headers, segmentation.kind, length);
        length <= usize::from(u16::MAX) && u16::from_be_bytes([field[0], field[1]]) == sum
    }

    /// Returns true if the packet has another one in it, as in a tunnel, and that is to be cut.
    pub fn is_cut_within_tunnel(&self) -> bool {
        let headers = self.sidecar.segmentation.and_then(|segmentation| headers(self, segmentation));
        headers.is_some_and(|headers| !headers.tunnels.is_empty())
    }

    /// Returns what [`Packet::segment`] would cut the packet into: the packet itself if it is not to be cut, or cannot.
    pub fn segments(&self) -> Segments {
        let length = self.len() as u64;
        let uncut = Segments { count: 1, bytes: length, longest: length };
        let Some(segmentation) = self.sidecar.segmentation else { return uncut };
        let Some(headers) = headers(self, segmentation) else { return uncut };
        let (count, before) = (headers.segments(self.len(), segmentation) as u64, headers.payload as u64);
        let longest = length.min(before + u64::from(segmentation.size));
        Segments { count, bytes: length + (count - 1) * before, longest }
    }

    /// Returns a packet with the first `headers` bytes and a part of the payload behind them.
    pub(super) fn piece(&self, headers: usize, payload: std::ops::Range<usize>) -> Packet {
        let bytes = self.head.bytes();
        let of_head = bytes.len() - headers;
        let in_head = payload.start.min(of_head)..payload.end.min(of_head);
        let in_tail = payload.start.max(of_head) - of_head..payload.end.max(of_head) - of_head;
        let tail = match &self.tail {
            Tail::Bytes(tail) if !in_tail.is_empty() => Tail::Bytes(tail.part(in_tail)),
            _ => Tail::Length(in_tail.len() as u32),
        };
        let [front, behind] = [&bytes[..headers], &bytes[headers..][in_head]];
        let mut sidecar = self.sidecar;
        sidecar.original_length = (headers + payload.len()) as u32;
        sidecar.segmentation = None;
        Packet::of_parts(front, behind, tail, sidecar)
    }

    /// Changes the headers of a segment, which are those of the whole packet.
    fn write_headers(&mut self, headers: &Headers, segmentation: Segmentation, number: usize, is_last: bool) {
        let length = self.len();
        let bytes = self.head.bytes_mut();
        write_network(bytes, headers.network, headers.network_start, (length, number));
        let transport = &mut bytes[headers.transport..];
        match segmentation.kind {
            SegmentationKind::TcpIpv4 | SegmentationKind::TcpIpv6 => {
                let mut tcp = Tcp::new(transport).expect("it was read before");
                let before = number * usize::from(segmentation.size);
                tcp.set_sequence(tcp.sequence().wrapping_add(before as u32));
                let mut flags = tcp.flags();
                if number > 0 {
                    flags &= !flag::CWR;
                }
                if !is_last {
                    flags &= !(flag::FIN | flag::PSH);
                }
                let header_length = tcp.header_length();
                tcp.set_header_length_and_flags(header_length, flags);
            }
            SegmentationKind::Udp => {
                let mut udp = Udp::new(transport).expect("it was read before");
                udp.set_length((length - headers.transport) as u16);
            }
        }
        let field = headers.transport + checksum_offset(segmentation.kind);
        let sum = pseudo_header_sum(bytes, headers, segmentation.kind, length - headers.transport);
        bytes[field..field + 2].copy_from_slice(&sum.to_be_bytes());
        // A checksum of a tunnel covers what the tunnels in it have become.
        for outer in headers.tunnels.iter().rev() {
            write_tunnel(bytes, outer, (headers.transport, sum), (length, number));
        }
        let offset = checksum_offset(segmentation.kind) as u8;
        self.sidecar.checksum = ChecksumState::Partial { start: headers.transport as u16, offset };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::Sum;
    use crate::{Ethernet, Ipv4, Ipv6, Layers, Network, Sidecar, checksum, ether_type, protocol};

    const PAYLOAD: usize = 2500;

    /// A packet of 2,500 bytes of payload, of which `in_head` are in the head.
    fn packet(kind: SegmentationKind, in_head: usize) -> Packet {
        let mut bytes = vec![0; 14];
        let mut ethernet = Ethernet::new(&mut bytes[..]).expect("14 bytes");
        let (is_ipv6, is_udp) = (kind == SegmentationKind::TcpIpv6, kind == SegmentationKind::Udp);
        ethernet.set_ether_type(if is_ipv6 { ether_type::IPV6 } else { ether_type::IPV4 });
        let number = if is_udp { protocol::UDP } else { protocol::TCP };
        let transport = if is_udp { 8 } else { 32 };
        if is_ipv6 {
            bytes.extend([0; 40]);
            let mut ipv6 = Ipv6::new(&mut bytes[14..]).expect("40 bytes");
            ipv6.set_version_class_flow(6 << 28);
            ipv6.set_next_header(number);
            ipv6.set_payload_length((transport + PAYLOAD) as u16);
            ipv6.set_source_bits(0xFD00 << 112 | 1);
            ipv6.set_destination_bits(0xFD00 << 112 | 2);
        } else {
            bytes.extend([0; 20]);
            let mut ipv4 = Ipv4::new(&mut bytes[14..]).expect("20 bytes");
            ipv4.set_version_and_length(0x45);
            ipv4.set_protocol(number);
            ipv4.set_total_length((20 + transport + PAYLOAD) as u16);
            ipv4.set_identification(0xFFFF);
            ipv4.set_source_bits(0x0A00_0001);
            ipv4.set_destination_bits(0x0A00_0002);
        }
        let start = bytes.len();
        bytes.resize(start + transport, 0);
        if is_udp {
            let mut udp = Udp::new(&mut bytes[start..]).expect("8 bytes");
            udp.set_source_port(1000);
            udp.set_length((8 + PAYLOAD) as u16);
        } else {
            let mut tcp = Tcp::new(&mut bytes[start..]).expect("32 bytes");
            tcp.set_sequence(u32::MAX - 999);
            tcp.set_header_length_and_flags(32, flag::CWR | flag::ACK | flag::PSH | flag::FIN);
        }
        bytes.extend((0..PAYLOAD).map(|at| (at * 7) as u8));
        let boundary = start + transport + in_head;
        let segmentation = Some(Segmentation { kind, size: 1000, has_cwr: kind != SegmentationKind::Udp });
        let tail = if boundary < bytes.len() { Tail::Bytes(bytes[boundary..].into()) } else { Tail::Length(0) };
        Packet::new(&bytes[..boundary], tail, Sidecar { segmentation, ..Sidecar::default() })
    }

    #[test]
    fn segments_have_all_headers_and_all_of_the_payload() {
        use SegmentationKind::{TcpIpv4, TcpIpv6, Udp as UdpKind};
        for kind in [TcpIpv4, TcpIpv6, UdpKind] {
            for in_head in [0, 1, 500, 1000, 1001, 2500] {
                let mut payload = Vec::new();
                let mut number = 0;
                let cut = packet(kind, in_head).segment(|mut segment| {
                    assert!(segment.complete_checksum());
                    let mut bytes = Vec::new();
                    segment.append_to(&mut bytes);
                    assert_eq!(segment.sidecar.original_length as usize, bytes.len());
                    let whole = Packet::of_bytes(&bytes);
                    let layers = Layers::of(&whole);
                    assert_eq!(layers.network_end, bytes.len(), "the length field fits");
                    let (start, end) = (layers.transport.expect("a header"), layers.payload.expect("a payload"));
                    let addresses = if layers.network == Network::Ipv4 { 26..34 } else { 22..54 };
                    let mut sum = Sum::default();
                    sum.add(&bytes[addresses]);
                    sum.add_word(u16::from(layers.protocol));
                    sum.add_word((bytes.len() - start) as u16);
                    sum.add(&bytes[start..]);
                    assert_eq!(sum.checksum(), 0, "the checksum is right");
                    if layers.network == Network::Ipv4 {
                        let ipv4 = Ipv4::new(&bytes[14..]).expect("IPv4");
                        assert_eq!(ipv4.identification(), 0xFFFFu16.wrapping_add(number));
                        assert_eq!(checksum::of(&bytes[14..34]), 0);
                    }
                    if kind == UdpKind {
                        let udp = Udp::new(&bytes[start..]).expect("UDP");
                        assert_eq!((udp.source_port(), usize::from(udp.length())), (1000, bytes.len() - start));
                    } else {
                        let tcp = Tcp::new(&bytes[start..]).expect("TCP");
                        assert_eq!(tcp.sequence(), (u32::MAX - 999).wrapping_add(u32::from(number) * 1000));
                        let flags = [flag::CWR | flag::ACK, flag::ACK, flag::ACK | flag::PSH | flag::FIN];
                        assert_eq!(tcp.flags(), flags[usize::from(number)]);
                    }
                    payload.extend_from_slice(&bytes[end..]);
                    number += 1;
                });
                assert_eq!((cut, number), (Ok(()), 3));
                assert!(payload.iter().enumerate().all(|(at, byte)| *byte == (at * 7) as u8));
                assert_eq!(payload.len(), PAYLOAD);
            }
        }
    }

    #[test]
    fn headers_of_another_kind_are_refused() {
        let mut other = packet(SegmentationKind::TcpIpv4, 0);
        other.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::Udp, size: 1000, has_cwr: false });
        let before = other.clone();
        assert_eq!(other.segment(|_| panic!("nothing is passed on")), Err(before));
        let mut without_size = packet(SegmentationKind::Udp, 0);
        without_size.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::Udp, size: 0, has_cwr: false });
        assert!(without_size.segment(|_| panic!("nothing is passed on")).is_err());
        let mut short = packet(SegmentationKind::TcpIpv6, 0);
        short.truncate(60);
        assert!(short.segment(|_| panic!("nothing is passed on")).is_err());
    }
}
