//! Superframes in a VXLAN tunnel, as Linux's own tunnels hand them over within a computer.

use wire::checksum::Sum;
use wire::{ChecksumState, Ipv4, Layers, Network, Packet, Segmentation, SegmentationKind, Tail, Tunnel};

const SIZE: usize = 100;
const PAYLOAD: usize = 250;

/// An IP header of a length, and the number of its protocol.
fn network(is_ipv6: bool, number: u8, length: usize) -> Vec<u8> {
    if is_ipv6 {
        let mut bytes = vec![0x60, 0, 0, 0, 0, 0, number, 64];
        bytes[4..6].copy_from_slice(&(length as u16).to_be_bytes());
        bytes.extend([0xFD; 16].into_iter().chain([0xFE; 16]));
        return bytes;
    }
    let mut bytes = vec![0x45, 0, 0, 0, 0, 9, 0x40, 0, 64, number, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    bytes[2..4].copy_from_slice(&(20 + length as u16).to_be_bytes());
    Ipv4::new(&mut bytes[..]).expect("20 bytes").fill_checksum();
    bytes
}

fn frame(is_ipv6: bool, number: u8, behind: Vec<u8>) -> Vec<u8> {
    let mut bytes = vec![2; 12];
    bytes.extend(if is_ipv6 { [0x86, 0xDD] } else { [8, 0] });
    bytes.extend(network(is_ipv6, number, behind.len()));
    bytes.extend(behind);
    bytes
}

/// A superframe of TCP or UDP in a tunnel.
fn superframe(kind: SegmentationKind, is_outer_ipv6: bool, is_inner_ipv6: bool, has_checksum: bool) -> Packet {
    let is_udp = kind == SegmentationKind::Udp;
    let mut transport = vec![0; if is_udp { 8 } else { 20 }];
    transport[..4].copy_from_slice(&[4, 0, 0, 80]);
    if is_udp {
        transport[4..6].copy_from_slice(&(8 + PAYLOAD as u16).to_be_bytes());
    } else {
        (transport[12], transport[13]) = (0x50, 0x18);
    }
    let before = transport.len();
    transport.extend((0..PAYLOAD).map(|at| (at * 7) as u8));
    let inner = frame(is_inner_ipv6, if is_udp { 17 } else { 6 }, transport);
    let mut udp = vec![0xC0, 0, 0x12, 0xB5, 0, 0, 0, u8::from(has_checksum), 8, 0, 0, 0, 0, 27, 89, 0];
    udp.extend(inner);
    let length = udp.len() as u16;
    udp[4..6].copy_from_slice(&length.to_be_bytes());
    let outer = frame(is_outer_ipv6, 17, udp);
    let start = outer.len() - PAYLOAD - before;
    let head = start + before;
    let mut packet = Packet::of_bytes(&outer[..head]).with_tail(Tail::Bytes(outer[head..].into()));
    packet.sidecar.checksum = ChecksumState::Partial { start: start as u16, offset: if is_udp { 6 } else { 16 } };
    packet.sidecar.segmentation = Some(Segmentation { kind, size: SIZE as u16, has_cwr: false });
    packet
}

/// Returns the sum of a transport layer with its pseudo-header, which is 0 if its checksum is right.
fn sum(bytes: &[u8], layers: &Layers) -> u16 {
    let start = layers.transport.expect("a header");
    let mut sum = Sum::default();
    let addresses = if layers.network == Network::Ipv4 { 12..20 } else { 8..40 };
    sum.add(&bytes[layers.network_start..][addresses]);
    sum.add_word(layers.protocol.into());
    sum.add_word((layers.network_end - start) as u16);
    sum.add(&bytes[start..layers.network_end]);
    sum.checksum()
}

#[test]
fn each_segment_has_a_tunnel_header_of_its_own() {
    use SegmentationKind::{TcpIpv4, TcpIpv6, Udp};
    for (kind, is_inner_ipv6) in [(TcpIpv4, false), (TcpIpv6, true), (Udp, false), (Udp, true)] {
        for (is_outer_ipv6, has_checksum) in [(false, false), (false, true), (true, false), (true, true)] {
            let packet = superframe(kind, is_outer_ipv6, is_inner_ipv6, has_checksum);
            assert!(packet.is_cut_within_tunnel());
            let counted = packet.segments();
            let (mut payload, mut lengths) = (Vec::new(), Vec::new());
            let cut = packet.segment(|mut segment| {
                assert!(segment.complete_checksum());
                let mut bytes = Vec::new();
                segment.append_to(&mut bytes);
                let outer = Layers::parse(segment.sidecar.link, &bytes, bytes.len());
                let tunnel = Tunnel::of(&outer, &bytes, bytes.len()).expect("a tunnel");
                assert_eq!((outer.network_end, tunnel.inner.network_end), (bytes.len(), bytes.len()));
                let field = outer.transport.expect("a header") + 6;
                match has_checksum {
                    true => assert_eq!(sum(&bytes, &outer), 0, "the outer checksum covers the complete inner one"),
                    false => assert_eq!(bytes[field..field + 2], [0, 0]),
                }
                assert_eq!(sum(&bytes, &tunnel.inner), 0);
                let identification = |layers: &Layers| {
                    let ip = Ipv4::new(&bytes[layers.network_start..]).filter(|_| layers.network == Network::Ipv4);
                    ip.is_none_or(|ip| {
                        ip.is_checksum_right() == Some(true) && usize::from(ip.identification()) == 9 + lengths.len()
                    })
                };
                assert!(identification(&outer) && identification(&tunnel.inner));
                lengths.push(bytes.len() as u64);
                payload.extend_from_slice(&bytes[tunnel.inner.payload.expect("a header")..]);
            });
            assert_eq!((cut, lengths.len()), (Ok(()), 3), "{kind:?} {is_outer_ipv6} {is_inner_ipv6}");
            assert!(payload.iter().enumerate().all(|(at, byte)| *byte == (at * 7) as u8));
            assert_eq!(payload.len(), PAYLOAD);
            assert_eq!((counted.count, counted.bytes, counted.longest), (3, lengths.iter().sum(), lengths[0]));
        }
    }
}

#[test]
fn datagrams_that_are_tunnels_themselves_are_cut_outside() {
    let mut packet = superframe(SegmentationKind::Udp, false, false, true);
    assert_eq!(packet.len(), 42 + 3 * SIZE);
    packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 6 };
    assert!(!packet.is_cut_within_tunnel());
    let mut lengths = Vec::new();
    packet.segment(|segment| lengths.push(segment.len())).expect("they are datagrams");
    assert_eq!(lengths, [42 + SIZE; 3]);
}
