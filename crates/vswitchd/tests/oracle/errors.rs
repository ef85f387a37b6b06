//! ICMP errors about packets that have passed, and about others.

use vswitch::configuration::{Direction, Nat, Peer, Route, RouteTarget, SecurityRule};
use wire::{Packet, protocol};

use crate::frames::{echo, ip, tcp, udp};
use crate::kernel::has_nftables;
use crate::namespace::within;
use crate::rules::chains;
use crate::site::{Guest, address, group, prefix};
use crate::{Pair, host, stranger};

/// Returns an error that a guest sends: a port or host is unreachable; `about` is the IP packet as the guest has seen it.
fn error(from: &Guest, to: &str, about: &Packet) -> Packet {
    let is_ipv4 = about.head.bytes()[14] >> 4 == 4;
    let kind: [u8; 8] = if is_ipv4 { [3, 3, 0, 0, 0, 0, 0, 0] } else { [1, 4, 0, 0, 0, 0, 0, 0] };
    let mut bytes = Vec::new();
    about.append_to(&mut bytes);
    let number = if is_ipv4 { protocol::ICMP } else { protocol::ICMPV6 };
    ip(from, to, number, &[&kind[..], &bytes[14..]].concat())
}

#[test]
fn errors_pass_if_they_are_about_what_has_passed() {
    within("errors::errors_pass_if_they_are_about_what_has_passed", || {
        if !has_nftables() {
            return;
        }
        let mut pair = Pair::new(host());
        // Guest 0 may be sent nothing that it has not asked for.
        let rules: [SecurityRule; 1] = [SecurityRule {
            direction: Direction::Out,
            protocol: None,
            ports: None,
            peer: Peer::Any,
            priority: 1,
            allows: true,
        }];
        let mut own = host();
        own.groups = vec![group(rules.to_vec())];
        own.vnics[0].groups = vec![0];
        pair.restart(own, &chains([Some(&rules), None]), "");
        let [one, two] = pair.guests.clone();
        for (to, back) in [("10.0.2.2", "10.0.1.1"), ("fd00:2::2", "fd00:1::1")] {
            let packets = [udp(&one, to, [1, 2], b"asks"), tcp(&one, to, [3, 4], 2, [9, 0]), echo(&one, to, true, 7)];
            for packet in packets {
                let [switch, kernel] = pair.sends(1, &error(&two, back, &packet));
                assert_eq!((switch.len(), &switch), (0, &kernel), "nothing has passed yet");
                let [switch, kernel] = pair.sends(0, &packet);
                assert_eq!((switch.len(), &switch), (1, &kernel));
                let [switch, kernel] = pair.sends(1, &error(&two, back, &packet));
                assert_eq!((switch.len(), &switch), (1, &kernel));
            }
        }
    });
}

#[test]
fn errors_from_the_world_are_translated_with_what_they_are_about() {
    within("errors::errors_from_the_world_are_translated_with_what_they_are_about", || {
        if !has_nftables() {
            return;
        }
        let mut own = host();
        own.nats =
            vec![Nat { name: "world".to_owned(), addresses: vec![address("198.51.100.1")], ports: 1024..=u16::MAX }];
        own.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target: RouteTarget::Nat(0), mtu: None });
        let mut pair = Pair::new(own.clone());
        pair.restart(own, &chains([None, None]), crate::translation::TRANSLATE);
        let [one, _] = pair.guests.clone();
        let (server, mut router) = (stranger(), stranger());
        router.addresses = vec![address("203.0.113.77")];
        let to = "203.0.113.9";
        for packet in
            [udp(&one, to, [2000, 53], b"asks"), tcp(&one, to, [2001, 80], 2, [9, 0]), echo(&one, to, true, 2002)]
        {
            let left = pair.kernel.send(0, packet.clone());
            let [(2, outside)] = &left[..] else { panic!("{left:?}") };
            assert_eq!(pair.through_switch(0, packet), [crate::shown(2, outside)]);
            for from in [&server, &router] {
                let [switch, kernel] = pair.sends(2, &error(from, "198.51.100.1", outside));
                assert_eq!((switch.len(), &switch), (1, &kernel));
            }
        }
    });
}
