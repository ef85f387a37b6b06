//! Packets between guests of one switch.

use vswitch::reasons;
use wire::tcp::flag::{ACK, RST, SYN};

use crate::frames::{described, echo, tcp, udp};
use crate::site::{Site, configuration, prefix, sessions};

#[test]
fn guests_reach_each_other_through_the_gateway() {
    let mut site = Site::pair();
    let [one, two] = [1, 2].map(|number| site.guest(number));
    // The two are in different subnets of IPv4, between which the switch is a router, and in one of IPv6.
    let given = site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 53], b"question"));
    assert_eq!(described(&given), "fe>02 10.0.1.1>10.0.2.2 17 1000>53 ttl 63 ok");
    let given = site.passes(2, 1, udp(&two, "10.0.1.1", [53, 1000], b"answer"));
    assert_eq!(described(&given), "fe>01 10.0.2.2>10.0.1.1 17 53>1000 ttl 63 ok");
    let given = site.passes(1, 2, tcp(&one, "fd00::2", [1000, 80], SYN, [1, 0]));
    assert_eq!(described(&given), "fe>02 fd00::1>fd00::2 6 1000>80 ttl 64 ok");
    let given = site.passes(2, 1, echo(&two, "fd00::1", true, 77));
    assert_eq!(described(&given), "fe>01 fd00::2>fd00::1 58 ttl 64 ok");
    let switch = &site.switches[0];
    assert_eq!((switch.sessions_count(), switch.slow_path_packets()), (3, 3));
    let counts: Vec<[u64; 2]> =
        sessions(switch).into_iter().map(|view| view.counts.map(|count| count.packets)).collect();
    assert_eq!(counts, [[1, 1], [1, 0], [1, 0]]);
    assert_eq!([0, 1].map(|vnic| switch.counts_of(vnic).received.packets), [2, 2]);
}

#[test]
fn packets_without_a_way_are_discarded_with_a_reason() {
    let mut site = Site::pair();
    let one = site.guest(1);
    assert_eq!(site.is_dropped(1, udp(&one, "203.0.113.1", [1, 2], b"")), reasons::NO_ROUTE);
    let mut damaged = udp(&one, "10.0.2.2", [1, 2], b"");
    damaged.head.bytes_mut()[14 + 8] = 63;
    assert_eq!(site.is_dropped(1, damaged), node::Reason::MALFORMED);
    let mut broadcast = udp(&one, "10.0.2.2", [1, 2], b"");
    broadcast.head.bytes_mut()[..6].fill(0xFF);
    assert_eq!(site.is_dropped(1, broadcast), reasons::NOT_UNICAST_IP);
    assert_eq!(site.is_dropped(1, udp(&one, "255.255.255.255", [68, 67], b"")), reasons::NOT_UNICAST_IP);
    assert_eq!(site.is_dropped(1, udp(&one, "ff02::1:2", [546, 547], b"")), reasons::NOT_UNICAST_IP);
    assert_eq!(site.switches[0].drops().total(), 5);
    assert_eq!(site.switches[0].counts_of(0).dropped.packets, 5);
}

#[test]
fn a_guest_sends_from_its_own_addresses_alone() {
    let mut site = Site::pair();
    let [one, two] = [1, 2].map(|number| site.guest(number));
    assert_eq!(site.is_dropped(1, udp(&two, "10.0.2.2", [1, 2], b"")), reasons::SPOOFED);
    let mut mixed = one.clone();
    mixed.addresses = two.addresses;
    assert_eq!(site.is_dropped(1, udp(&mixed, "10.0.2.2", [1, 2], b"")), reasons::SPOOFED);
    assert_eq!(site.is_dropped(1, udp(&mixed, "fd00::2", [1, 2], b"")), reasons::SPOOFED);
    assert_eq!(site.switches[0].sessions_count(), 0);
}

#[test]
fn a_reset_out_of_the_window_does_not_arrive() {
    let mut site = Site::pair();
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 80], SYN, [10, 0]));
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 1000], SYN | ACK, [20, 11]));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 80], ACK, [11, 21]));
    let wild = tcp(&two, "10.0.1.1", [80, 1000], RST, [5000, 0]);
    assert_eq!(site.is_dropped(2, wild), reasons::OUT_OF_WINDOW);
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 1000], RST, [21, 0]));
    // The next connection with the same ports is another session.
    let before = site.switches[0].slow_path_packets();
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 80], SYN, [900, 0]));
    assert_eq!(site.switches[0].slow_path_packets(), before + 1);
    assert_eq!(site.switches[0].sessions_count(), 1);
}

#[test]
fn sessions_end_when_nobody_uses_them() {
    let mut site = Site::pair();
    let one = site.guest(1);
    site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 53], b""));
    site.wait(200);
    site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 53], b""));
    site.wait(200);
    site.passes(1, 2, udp(&one, "10.0.2.2", [1001, 53], b""));
    assert_eq!(site.switches[0].sessions_count(), 2);
    site.wait(200);
    site.passes(1, 2, udp(&one, "10.0.2.2", [1002, 53], b""));
    assert_eq!(site.switches[0].sessions_count(), 2);
}

#[test]
fn a_guest_with_too_many_sessions_loses_its_oldest_half_open_ones() {
    let mut configuration = configuration(0);
    configuration.limits.per_vnic = 3;
    configuration.vpcs[0].routes.retain(|route| route.prefix != prefix("0.0.0.0/0"));
    let mut site = Site::new(vec![configuration]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    for port in 1..=3 {
        site.passes(1, 2, udp(&one, "10.0.2.2", [port, 53], b""));
    }
    site.passes(2, 1, udp(&two, "10.0.1.1", [53, 1], b""));
    site.passes(1, 2, udp(&one, "10.0.2.2", [4, 53], b""));
    let ports: Vec<u16> = sessions(&site.switches[0]).iter().map(|view| view.known.keys[0].ports()[0]).collect();
    assert_eq!(ports, [1, 4, 3]);
    for port in [3, 4] {
        site.passes(2, 1, udp(&two, "10.0.1.1", [53, port], b""));
    }
    assert_eq!(site.is_dropped(1, udp(&one, "10.0.2.2", [5, 53], b"")), reasons::TOO_MANY_SESSIONS);
}

/// With the same ports, it was dropped with `too many sessions`; with others, its guest was given it, and dropped it without a word.
#[test]
fn what_would_come_back_to_its_sender_is_dropped_with_a_reason() {
    let mut site = Site::pair();
    let one = site.guest(1);
    for packet in [
        udp(&one, "10.0.1.1", [7, 7], b""),
        udp(&one, "fd00::1", [7, 8], b""),
        tcp(&one, "10.0.1.1", [1000, 80], SYN, [1, 0]),
        crate::frames::echo(&one, "10.0.1.1", true, 1),
    ] {
        assert_eq!(site.is_dropped(1, packet), reasons::TO_SENDER);
    }
    assert_eq!(site.switches[0].sessions_count(), 0);
}
