//! Superframes in tunnels of all kinds, as a Linux host leaves them to the switch in front of it (`tx-udp_tnl-segmentation`,
//! `tx-gre-segmentation`, `tx-ipxip4-segmentation` and their like in `ethtool -k`).

use wire::checksum::Sum;
use wire::{ChecksumState, Ipv4, Packet, Segmentation, SegmentationKind, Tail, protocol};

const SIZE: usize = 100;
const PAYLOAD: usize = 250;

/// A header in front of others.
#[derive(Clone, Copy, Debug)]
enum Header {
    Ethernet,
    Ipv4,
    Ipv6,
    /// IPv6 with the option that limits how many tunnels there are (RFC 2473, section 4.1.1), as Linux sends it.
    Ipv6WithOptions,
    /// To a port, and with a checksum.
    Udp(u16, bool),
    Vxlan,
    /// GENEVE with so many bytes of options.
    Geneve(usize),
    /// GRE with a checksum, and with a key.
    Gre(bool, bool),
    Tcp,
}

use Header::{Ethernet, Geneve, Gre, Ipv4 as V4, Ipv6 as V6, Ipv6WithOptions, Tcp, Udp, Vxlan};

impl Header {
    fn length(self) -> usize {
        match self {
            Ethernet => 14,
            V4 | Tcp => 20,
            V6 => 40,
            Ipv6WithOptions => 48,
            Udp(..) | Vxlan => 8,
            Geneve(options) => 8 + options,
            Gre(has_checksum, has_key) => 4 + 4 * usize::from(has_checksum) + 4 * usize::from(has_key),
        }
    }

    /// The number by which an IP header announces this one.
    fn protocol(self) -> u8 {
        match self {
            V4 => protocol::IPV4,
            V6 | Ipv6WithOptions => protocol::IPV6,
            Udp(..) => protocol::UDP,
            Gre(..) => protocol::GRE,
            Tcp => protocol::TCP,
            _ => panic!("IP does not carry {self:?}"),
        }
    }

    fn ether_type(self) -> [u8; 2] {
        match self {
            V4 => [8, 0],
            V6 | Ipv6WithOptions => [0x86, 0xDD],
            Ethernet => [0x65, 0x58],
            _ => panic!("Ethernet does not carry {self:?}"),
        }
    }

    /// Writes the header in front of the next one and of so many bytes in all behind it.
    fn written(self, next: Option<Header>, behind: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        let length = (behind as u16).to_be_bytes();
        match self {
            Ethernet => {
                // Addresses that might be taken for the beginning of an IP header.
                bytes[..12].copy_from_slice(&[0x62, 0x45, 0, 0x60, 0, 1, 0x66, 0x46, 0, 0x60, 0, 2]);
                bytes[12..].copy_from_slice(&next.expect("a header").ether_type());
            }
            V4 => {
                bytes.copy_from_slice(&[0x45, 0, 0, 0, 0, 9, 0x40, 0, 64, 0, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
                bytes[2..4].copy_from_slice(&(20 + behind as u16).to_be_bytes());
                bytes[9] = next.expect("a header").protocol();
                Ipv4::new(&mut bytes[..]).expect("20 bytes").fill_checksum();
            }
            V6 | Ipv6WithOptions => {
                let number = next.expect("a header").protocol();
                bytes[..8].copy_from_slice(&[0x60, 0, 0, 0, length[0], length[1], number, 64]);
                bytes[8..24].fill(0xFD);
                bytes[24..40].fill(0xFE);
                if let Ipv6WithOptions = self {
                    bytes[4..6].copy_from_slice(&(8 + behind as u16).to_be_bytes());
                    bytes[6] = protocol::DESTINATION_OPTIONS;
                    bytes[40..].copy_from_slice(&[number, 0, 4, 1, 4, 1, 1, 0]);
                }
            }
            Udp(port, has_checksum) => {
                bytes[..2].copy_from_slice(&[0xC0, 1]);
                bytes[2..4].copy_from_slice(&port.to_be_bytes());
                bytes[4..6].copy_from_slice(&(8 + behind as u16).to_be_bytes());
                bytes[7] = u8::from(has_checksum);
            }
            Vxlan => bytes[..8].copy_from_slice(&[8, 0, 0, 0, 0, 27, 89, 0]),
            Geneve(options) => {
                bytes[0] = options as u8 / 4;
                bytes[2..4].copy_from_slice(&next.expect("a header").ether_type());
                bytes[4..7].copy_from_slice(&[0x60, 0x45, 0x60]);
                bytes[8..].fill(0x45);
            }
            Gre(has_checksum, has_key) => {
                bytes[0] = u8::from(has_checksum) << 7 | u8::from(has_key) << 5;
                bytes[2..4].copy_from_slice(&next.expect("a header").ether_type());
                bytes[4..].fill(0x64);
            }
            Tcp => {
                bytes[..4].copy_from_slice(&[4, 0, 0, 80]);
                (bytes[12], bytes[13]) = (0x50, 0x18);
            }
        }
        bytes
    }
}

/// Returns the superframe with these headers, of which so many bytes are in the head, and where each header begins.
fn superframe(headers: &[Header], head: usize) -> (Packet, Vec<usize>) {
    let mut bytes: Vec<u8> = (0..PAYLOAD).map(|at| (at * 7) as u8).collect();
    for (place, header) in headers.iter().enumerate().rev() {
        bytes.splice(..0, header.written(headers.get(place + 1).copied(), bytes.len()));
    }
    let mut starts = Vec::new();
    headers.iter().fold(0, |start, header| {
        starts.push(start);
        start + header.length()
    });
    let (front, behind) = bytes.split_at(head.min(bytes.len()));
    let mut packet = Packet::of_bytes(front).with_tail(Tail::Bytes(behind.into()));
    let [.., network, Tcp] = headers else { panic!("what is cut is TCP") };
    let kind = if matches!(network, V4) { SegmentationKind::TcpIpv4 } else { SegmentationKind::TcpIpv6 };
    let start = *starts.last().expect("a header");
    packet.sidecar.checksum = ChecksumState::Partial { start: start as u16, offset: 16 };
    packet.sidecar.segmentation = Some(Segmentation { kind, size: SIZE as u16, has_cwr: false });
    (packet, starts)
}

/// Asserts that every length and every checksum of a segment is right, of all of its headers.
fn is_right(bytes: &[u8], headers: &[Header], starts: &[usize], number: usize) {
    let mut network = 0;
    for (header, &start) in headers.iter().zip(starts) {
        let rest = &bytes[start..];
        let word = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
        let mut sum = Sum::default();
        match header {
            V4 => {
                let ip = Ipv4::new(rest).expect("a header");
                assert_eq!((ip.is_checksum_right(), usize::from(ip.total_length())), (Some(true), rest.len()));
                assert_eq!(usize::from(ip.identification()), 9 + number);
                network = start;
            }
            V6 | Ipv6WithOptions => {
                assert_eq!(usize::from(word(4)), rest.len() - 40);
                network = start;
            }
            Udp(..) | Tcp => {
                sum.add(if bytes[network] >> 4 == 4 {
                    &bytes[network + 12..][..8]
                } else {
                    &bytes[network + 8..][..32]
                });
                sum.add_word(header.protocol().into());
                sum.add_word(rest.len() as u16);
                sum.add(rest);
                if let Udp(_, has_checksum) = header {
                    assert_eq!(usize::from(word(4)), rest.len());
                    assert_eq!(word(6) != 0, *has_checksum);
                }
                if !matches!(header, Udp(_, false)) {
                    assert_eq!(sum.checksum(), 0, "{header:?}");
                }
            }
            Gre(true, _) => {
                sum.add(rest);
                assert_eq!(sum.checksum(), 0, "{header:?}");
            }
            _ => {}
        }
    }
}

/// A guest's tunnels were another matter than those of the switch: each of their superframes was malformed.
#[test]
fn whatever_tunnel_a_host_has_each_segment_has_headers_of_its_own() {
    let tunnels: [&[Header]; 16] = [
        &[V4, Udp(8472, false), Vxlan, Ethernet, V4],
        &[V4, Udp(8472, true), Vxlan, Ethernet, V6],
        &[V6, Udp(4789, true), Vxlan, Ethernet, V4],
        &[V4, Udp(6081, true), Geneve(0), Ethernet, V4],
        &[V6, Udp(6081, false), Geneve(252), Ethernet, V6],
        &[V4, Udp(6081, true), Geneve(12), V6],
        &[V4, Gre(false, false), V4],
        &[V4, Gre(true, true), Ethernet, V6],
        &[V6, Gre(true, false), V4],
        &[V4, V4],
        &[V4, V6],
        &[Ipv6WithOptions, V4],
        &[V6, V6],
        // FOU, with the port of the kernel's documentation, over IPv4.
        &[V4, Udp(5555, true), V4],
        // Tunnels in tunnels.
        &[V4, Gre(true, false), Ethernet, V6, Udp(4789, true), Vxlan, Ethernet, V4],
        &[V6, Udp(6081, true), Geneve(4), Ethernet, V4, Gre(true, true), V6, V4],
    ];
    for tunnel in tunnels {
        let headers = [&[Ethernet], tunnel, &[Tcp]].concat();
        for head in [60, 128, 2000] {
            let (mut packet, starts) = superframe(&headers, head);
            let front = starts.last().expect("a header") + 20;
            packet.reach_cut();
            assert!(packet.is_cut_within_tunnel(), "{tunnel:?}");
            let counted = packet.segments();
            let (mut payload, mut lengths) = (Vec::new(), Vec::new());
            let cut = packet.segment(|mut segment| {
                assert!(segment.complete_checksum());
                let mut bytes = Vec::new();
                segment.append_to(&mut bytes);
                is_right(&bytes, &headers, &starts, lengths.len());
                lengths.push(bytes.len() as u64);
                payload.extend_from_slice(&bytes[front..]);
            });
            assert_eq!((cut, lengths.len()), (Ok(()), 3), "{tunnel:?}");
            assert!(payload.iter().enumerate().all(|(at, byte)| *byte == (at * 7) as u8) && payload.len() == PAYLOAD);
            let longest = (front + SIZE) as u64;
            assert_eq!((counted.count, counted.bytes, counted.longest), (3, lengths.iter().sum(), longest));
        }
    }
}

/// What is to be cut is said by the place of a checksum, which may be anything.
#[test]
fn what_is_not_found_within_a_packet_is_refused() {
    let headers = [Ethernet, V4, Udp(8472, true), Vxlan, Ethernet, V4, Tcp];
    let (packet, starts) = superframe(&headers, 128);
    let of_inner = starts[5];
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    let cut = |change: &dyn Fn(&mut Packet)| {
        let mut packet = packet.clone();
        change(&mut packet);
        packet.segment(|_| {}).is_ok()
    };
    assert!(cut(&|_| {}));
    // The version, the length and the checksum of the header within, and the protocol.
    for at in [0, 2, 3, 9, 10] {
        assert!(!cut(&|packet| packet.head.bytes_mut()[of_inner + at] ^= 0x20), "byte {at}");
    }
    for start in (35..200).filter(|start| usize::from(*start) != starts[6]) {
        assert!(!cut(&|packet| packet.sidecar.checksum = ChecksumState::Partial { start, offset: 16 }), "{start}");
    }
    // There are no more tunnels than a few.
    let (deep, _) = superframe(&[&[Ethernet][..], &[V4; 6], &[Tcp]].concat(), 200);
    assert!(deep.segment(|_| {}).is_err());
}
