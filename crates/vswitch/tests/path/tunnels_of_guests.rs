//! Tunnels that guests have themselves, whose superframes they leave to the switch as they leave others (`tx-udp_tnl-segmentation`).

use vswitch::reasons;
use wire::checksum::Sum;
use wire::tcp::flag::ACK;
use wire::{ChecksumState, Layers, LinkLayer, Packet, Segmentation, SegmentationKind, Tail, Udp, checksum, protocol};

use crate::frames::{self, ip, tcp};
use crate::site::{Guest, Site, Told, address, configuration};
use crate::translation::outside;

/// The headers of the guest's tunnel in front of the frame in it: IP, UDP, VXLAN.
const OUTER: usize = 20 + 8 + 8;
/// The length of all headers: of Ethernet, of the tunnel, and of the frame in it.
const HEADERS: usize = 14 + OUTER + 54;
const PAYLOAD: usize = 20_000;

/// Returns the superframe of a connection in a guest's own tunnel to an address over IPv4, as an interface receives it, with segments of so
/// many bytes. The tunnel's datagrams have checksums.
fn superframe(from: &Guest, to: &str, size: u16) -> Packet {
    let within = Guest { addresses: vec![address("172.16.1.1")], ..from.clone() };
    let frame = frames::superframe(tcp(&within, "172.16.1.2", [1000, 80], ACK, [1, 1]), PAYLOAD, size);
    let frame = frame.head.bytes();
    let length = (16 + frame.len()) as u16;
    let mut datagram = vec![0xC0, 1, 0x21, 0x18, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 5, 0];
    datagram[4..6].copy_from_slice(&length.to_be_bytes());
    datagram.extend(frame);
    // The packet has a checksum that is right as long as it is not cut.
    let whole = ip(from, to, protocol::UDP, &datagram);
    let bytes = whole.head.bytes();
    let mut packet = Packet::of_bytes(&bytes[..128]).with_tail(Tail::Bytes(bytes[128..].into()));
    packet.sidecar.checksum = ChecksumState::Partial { start: (HEADERS - 20) as u16, offset: 16 };
    packet.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::TcpIpv4, size, has_cwr: false });
    packet
}

/// Returns the frames that a link has for a packet.
fn cut(packet: &Packet) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let outcome = packet.clone().segment(|mut segment| {
        assert!(segment.complete_checksum());
        let mut bytes = Vec::new();
        segment.append_to(&mut bytes);
        frames.push(bytes);
    });
    assert!(outcome.is_ok(), "it can be cut");
    frames
}

fn transport_sum(bytes: &[u8], layers: &Layers) -> u16 {
    let start = layers.transport.expect("a transport header");
    let mut sum = Sum::default();
    sum.add(&bytes[layers.network_start + 12..][..8]);
    sum.add_word(layers.protocol.into());
    sum.add_word((layers.network_end - start) as u16);
    sum.add(&bytes[start..layers.network_end]);
    sum.checksum()
}

/// Asserts that frames are those of the guest's superframe, with checksums that are right in the tunnel and around it.
fn are_right(frames: &[Vec<u8>], size: usize) {
    assert_eq!(frames.len(), PAYLOAD.div_ceil(size));
    let mut payload = 0;
    for bytes in frames {
        let outer = Layers::parse(LinkLayer::Ethernet, bytes, bytes.len());
        let inner = Layers::parse_from(LinkLayer::Ethernet, bytes, 14 + OUTER, bytes.len());
        for layers in [&outer, &inner] {
            assert_eq!(layers.network_end, bytes.len());
            assert_eq!(checksum::of(&bytes[layers.network_start..][..20]), 0);
            assert_eq!(transport_sum(bytes, layers), 0);
        }
        assert_ne!(Udp::new(&bytes[34..]).expect("a UDP header").checksum(), 0);
        payload += bytes.len() - HEADERS;
    }
    assert_eq!(payload, PAYLOAD);
}

/// Connections in tunnels of guests (container networks in virtual machines, for one) stood still, for all superframes in them were malformed.
#[test]
fn superframes_in_the_tunnel_of_a_guest_pass() {
    let mut site = Site::pair();
    let one = site.guest(1);
    // To a guest of the same switch as they are, and counted as what they will be cut into.
    let given = site.passes(1, 2, superframe(&one, "10.0.2.2", 1400));
    assert_eq!(given.sidecar.segmentation.map(|segmentation| segmentation.size), Some(1400));
    are_right(&cut(&given), 1400);
    let counts = site.switches[0].counts_of(0).sent;
    assert_eq!((counts.packets, counts.bytes), (15, (PAYLOAD + 15 * HEADERS) as u64));
    // Through the tunnel of the switch one by one.
    let told = site.send(1, superframe(&one, "10.0.1.3", 1400));
    let given: Vec<Vec<u8>> = told
        .iter()
        .flat_map(|told| match told {
            Told::Given(3, packet) => cut(packet),
            other => panic!("{other:?}"),
        })
        .collect();
    are_right(&given, 1400);
}

/// What must fit the way is a segment with all of its headers, of both packets.
#[test]
fn segments_in_the_tunnel_of_a_guest_are_judged_with_the_headers_around_them() {
    let mtu = 8500;
    let longest = (mtu + 14 - HEADERS) as u16;
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    site.passes(1, 2, superframe(&one, "10.0.2.2", longest));
    let told = site.send(1, superframe(&one, "10.0.2.2", longest + 1));
    let [Told::Given(1, error), Told::Dropped(0, reason)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(*reason, reasons::TOO_LONG);
    assert_eq!(error.head.bytes()[34..42], [3, 4, error.head.bytes()[36], error.head.bytes()[37], 0, 0, 0x21, 0x34]);
}

/// The checksum that is left to be completed is that of the inner packet; the outer one is there, and covers what is translated.
#[test]
fn a_pool_translates_the_tunnel_of_a_guest() {
    let mut site = Site::new(vec![outside(1024..=2000)]);
    let one = site.guest(1);
    assert_eq!(site.leave(1, superframe(&one, "203.0.113.9", 1000)), []);
    let out = cut(&site.between[0]);
    assert_eq!(out[0][26..30], [198, 51, 100, 1]);
    are_right(&out, 1000);
    // A packet that is not to be cut has its inner checksum left alone as well.
    let mut segment = None;
    let whole = superframe(&one, "203.0.113.9", 1000);
    assert!(whole.segment(|piece| segment = Some(piece)).is_ok());
    assert_eq!(site.leave(1, segment.expect("a segment")), []);
    let out = cut(&site.between[1]);
    let layers = Layers::parse(LinkLayer::Ethernet, &out[0], out[0].len());
    assert_eq!(transport_sum(&out[0], &layers), 0);
}
