//! Packets between guests of two switches.

use node::{Node, Reason};
use vswitch::reasons;
use wire::tcp::flag::{ACK, SYN};
use wire::{
    ChecksumState, Ethernet, Ipv4, Layers, Network, Packet, Segmentation, SegmentationKind, Tail, Tunnel, Udp,
    ether_type, vxlan,
};

use crate::frames::{described, echo, ip, tcp, udp};
use crate::site::{Site, Told, address, configuration};

#[test]
fn guests_of_two_switches_reach_each_other() {
    let mut site = Site::pair();
    let [one, three, four] = [1, 3, 4].map(|number| site.guest(number));
    let given = site.passes(1, 3, udp(&one, "10.0.1.3", [1000, 53], b"question"));
    assert_eq!(described(&given), "fe>03 10.0.1.1>10.0.1.3 17 1000>53 ttl 64 ok", "one subnet");
    let given = site.passes(3, 1, udp(&three, "10.0.1.1", [53, 1000], b"answer"));
    assert_eq!(described(&given), "fe>01 10.0.1.3>10.0.1.1 17 53>1000 ttl 64 ok");
    let given = site.passes(1, 4, tcp(&one, "10.0.2.4", [1000, 80], SYN, [1, 0]));
    assert_eq!(described(&given), "fe>04 10.0.1.1>10.0.2.4 6 1000>80 ttl 63 ok", "one router, though two switches");
    let given = site.passes(4, 1, tcp(&four, "10.0.1.1", [80, 1000], SYN | ACK, [1, 2]));
    assert_eq!(described(&given), "fe>01 10.0.2.4>10.0.1.1 6 80>1000 ttl 63 ok");
    let given = site.passes(4, 1, echo(&four, "fd00::1", true, 9));
    assert_eq!(described(&given), "fe>01 fd00::4>fd00::1 58 ttl 64 ok");
    assert_eq!(site.switches.iter().map(|switch| switch.sessions_count()).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn outer_headers_are_those_of_rfc_7348() {
    let mut site = Site::pair();
    let one = site.guest(1);
    for port in 1..=20 {
        site.passes(1, 3, udp(&one, "10.0.1.3", [port, 53], b"odd"));
    }
    let mut ports = Vec::new();
    for packet in &site.between {
        let head = packet.head.bytes();
        let ethernet = Ethernet::new(head).expect("a frame");
        assert_eq!((ethernet.source()[4..].to_vec(), ethernet.destination()[4..].to_vec()), (vec![0, 0], vec![0, 1]));
        assert_eq!(ethernet.ether_type(), ether_type::IPV4);
        assert_eq!(described(packet).split(' ').nth(1), Some("192.0.2.1>192.0.2.2"));
        assert!(described(packet).ends_with("ttl 64 ok"), "its UDP checksum is right: {}", described(packet));
        let layers = Layers::of(packet);
        let ip = Ipv4::new(&head[14..]).expect("an IPv4 header");
        assert_eq!(ip.fragmentation(), 0x4000, "never fragmented");
        let udp = Udp::new(&head[34..]).expect("a UDP header");
        assert_eq!(udp.destination_port(), vxlan::PORT);
        assert!(udp.source_port() >= 49_152);
        ports.push(udp.source_port());
        let tunnel = Tunnel::of(&layers, head, packet.len()).expect("a tunnel");
        assert_eq!((tunnel.vni, tunnel.inner.network), (7001, Network::Ipv4));
    }
    ports.sort_unstable();
    ports.dedup();
    assert!(ports.len() > 10, "flows have ports of their own: {ports:?}");
}

#[test]
fn tunnels_of_strangers_lead_nowhere() {
    let mut site = Site::pair();
    let one = site.guest(1);
    site.passes(1, 3, udp(&one, "10.0.1.3", [1, 2], b"text"));
    let packet = site.between[0].clone();
    // The checksum of the outer headers must not be what gives it away.
    let changed = |at: usize, bytes: &[u8]| {
        let mut packet = packet.clone();
        packet.head.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        packet.head.bytes_mut()[40..42].fill(0);
        let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
        ip.fill_checksum();
        packet
    };
    let unknown = [Told::Dropped(1, reasons::UNKNOWN_TUNNEL)];
    assert_eq!(site.arrive(1, changed(14 + 12, &[192, 0, 2, 9])), unknown, "the endpoint of nobody");
    assert_eq!(site.arrive(1, changed(14 + 16, &[192, 0, 2, 9])), unknown, "the endpoint of another switch");
    assert_eq!(site.arrive(1, changed(42 + 4, &[0, 27, 90])), unknown, "the number of no VPC");
    assert_eq!(site.arrive(1, changed(42, &[0])), unknown, "no number at all");
    assert_eq!(site.arrive(1, changed(36, &[0, 53])), unknown, "no tunnel");
    for fragment in [[0x20, 0], [0, 5]] {
        assert_eq!(site.arrive(1, changed(14 + 6, &fragment)), [Told::Dropped(1, reasons::FRAGMENTED_TUNNEL)]);
    }
    let mut damaged = packet.clone();
    *damaged.head.bytes_mut().last_mut().expect("a byte") ^= 1;
    // The outer checksum was computed here, which a frame from a wire would not say.
    damaged.sidecar.checksum = ChecksumState::Unknown;
    assert_eq!(site.arrive(1, damaged), [Told::Dropped(1, Reason::MALFORMED)]);
    assert!(matches!(site.arrive(1, packet.clone())[..], [Told::Given(3, _)]));
    // Through a tunnel, nothing goes into another one.
    let back = site.arrive(1, changed(14 + 20 + 8 + 8 + 14 + 16, &[10, 0, 1, 1]));
    assert!(matches!(back[..], [Told::Dropped(1, _)]), "{back:?}");
}

#[test]
fn congestion_marks_cross_tunnels() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let marked = |ecn: u8| {
        let mut packet = udp(&one, "10.0.1.3", [1, 2], b"");
        let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
        ip.set_traffic_class(ecn);
        ip.fill_checksum();
        packet
    };
    for ecn in 0..=3 {
        let given = site.passes(1, 3, marked(ecn));
        assert_eq!(given.head.bytes()[15], ecn);
        let mut outer = site.between.pop().expect("a packet between switches");
        assert_eq!(outer.head.bytes()[15], ecn, "the outer packet has the mark of the inner one");
        // A switch on the way marks it.
        let mut ip = Ipv4::new(&mut outer.head.bytes_mut()[14..]).expect("an IPv4 header");
        ip.set_traffic_class(3);
        ip.fill_checksum();
        match &site.arrive(1, outer)[..] {
            [Told::Given(3, given)] if ecn > 0 => {
                assert_eq!(given.head.bytes()[15], 3);
                assert!(described(given).ends_with("ok"));
            }
            [Told::Dropped(1, reason)] => assert_eq!((*reason, ecn), (reasons::CONGESTION, 0)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn replies_go_back_to_the_endpoint_that_the_request_came_from() {
    let mut far = configuration(1);
    // The route to guest 1 has moved to another endpoint, but what came from the old one is answered there.
    far.vpcs[0].routes[0].target =
        vswitch::configuration::RouteTarget::Endpoint { address: address("192.0.2.7"), mac: None };
    far.vpcs[0].routes.push(vswitch::configuration::Route {
        prefix: crate::site::prefix("10.9.0.0/16"),
        target: vswitch::configuration::RouteTarget::Endpoint { address: address("192.0.2.1"), mac: None },
        mtu: None,
    });
    let mut site = Site::new(vec![configuration(0), far]);
    let [one, three] = [1, 3].map(|number| site.guest(number));
    site.passes(1, 3, udp(&one, "10.0.1.3", [1, 2], b""));
    site.passes(3, 1, udp(&three, "10.0.1.1", [2, 1], b""));
    let reply = &site.between[1];
    assert_eq!(described(reply).split(' ').nth(1), Some("192.0.2.2>192.0.2.1"));
}

#[test]
fn a_tail_that_is_only_a_length_crosses_the_tunnel() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let mut packet = udp(&one, "10.0.1.3", [1, 2], &[0; 100]);
    packet.head.truncate(42);
    packet.tail = Tail::Length(100);
    let given = site.passes(1, 3, packet);
    assert_eq!((given.len(), given.tail.len()), (142, 100));
    assert!(described(&given).ends_with("ok"));
}

/// A real interface receives 128 bytes into the head of a packet, in which the headers of a tunnel over IPv4 and those of TCP with options over
/// IPv6 do not fit. No connection over IPv6 could begin through a tunnel.
#[test]
fn headers_of_a_guest_may_lie_behind_the_head_of_a_packet() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let mut segment = [0; 40];
    segment[..4].copy_from_slice(&[0x03, 0xE8, 0, 80]);
    // A header of 40 bytes, whose options are all without meaning.
    segment[12..14].copy_from_slice(&[0xA0, SYN]);
    segment[20..].fill(1);
    site.passes(1, 3, ip(&one, "fd00::3", 6, &segment));
    let mut whole = Vec::new();
    site.between[0].append_to(&mut whole);
    for head in [100, 110, 128, 140] {
        let received = Packet::of_bytes(&whole[..head]).with_tail(Tail::Bytes(whole[head..].into()));
        let told = site.arrive(1, received);
        let [Told::Given(3, given)] = &told[..] else { panic!("{head} bytes in the head: {told:?}") };
        let mut bytes = Vec::new();
        given.append_to(&mut bytes);
        assert!(bytes.ends_with(&segment[20..]), "every byte is there");
    }
}

#[test]
fn what_another_switch_of_this_computer_has_left_undone_in_a_frame_stays_so() {
    let mut site = Site::pair();
    let one = site.guest(1);
    site.passes(1, 3, tcp(&one, "10.0.1.3", [1000, 80], SYN, [1, 0]));
    site.between.clear();
    site.passes(1, 3, tcp(&one, "10.0.1.3", [1000, 80], ACK, [2, 1]));
    let plain = site.between[0].clone();
    let inner = 50 + 14 + 20;
    // The kernel's own tunnels leave the checksum and the cutting of the frame inside to whoever receives it, if that is a neighbour.
    let mut left = plain.clone();
    left.sidecar.checksum = ChecksumState::Partial { start: inner, offset: 16 };
    left.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::TcpIpv4, size: 1400, has_cwr: false });
    assert!(site.switches[1].takes_whole(&left));
    match &site.arrive(1, left)[..] {
        [Told::Given(3, given)] => {
            assert_eq!(given.sidecar.checksum, ChecksumState::Partial { start: inner - 50, offset: 16 });
            assert_eq!(given.sidecar.segmentation.map(|it| it.size), Some(1400));
        }
        other => panic!("{other:?}"),
    }
    // Where the outer checksum was left, the one inside is complete.
    let mut left = plain.clone();
    left.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 6 };
    match &site.arrive(1, left.clone())[..] {
        [Told::Given(3, given)] => assert_eq!(given.sidecar.checksum, ChecksumState::Unknown),
        other => panic!("{other:?}"),
    }
    // Several datagrams are several frames, which have to be cut before they are taken out of the tunnel.
    left.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::Udp, size: 100, has_cwr: false });
    assert!(!site.switches[1].takes_whole(&left));
}
