//! What the switch answers in the gateway's name.

use std::net::{IpAddr, Ipv6Addr};

use vswitch::reasons;
use wire::{Packet, protocol};

use crate::frames::{GATEWAY, described, echo, ip};
use crate::site::{Guest, Site, Told};
use crate::translation::outside;

fn arp(guest: &Guest, sender: [u8; 4], target: [u8; 4]) -> Packet {
    let mut frame = vec![0xFF; 6];
    frame.extend_from_slice(&guest.mac);
    frame.extend_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 1]);
    frame.extend_from_slice(&guest.mac);
    frame.extend_from_slice(&sender);
    frame.extend_from_slice(&[0; 6]);
    frame.extend_from_slice(&target);
    Packet::of_bytes(&frame)
}

/// The answer that a guest was given.
fn given(told: &[Told], number: usize) -> Option<&Packet> {
    match told {
        [] => None,
        [Told::Given(guest, packet)] if *guest == number => Some(packet),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_gateway_answers_for_every_address_with_a_route() {
    let mut site = Site::pair();
    let one = site.guest(1);
    // The gateway, a guest of the same switch, a guest of another one.
    for target in [[10, 0, 1, 254], [10, 0, 2, 2], [10, 0, 1, 3]] {
        let told = site.send(1, arp(&one, [10, 0, 1, 1], target));
        let reply = given(&told, 1).expect("an answer").head.bytes().to_vec();
        let expected =
            [&one.mac[..], &GATEWAY, &[8, 6, 0, 1, 8, 0, 6, 4, 0, 2], &GATEWAY, &target, &one.mac, &[10, 0, 1, 1]];
        assert_eq!(reply, expected.concat());
    }
    // Nobody has the address; the guest itself has it.
    for target in [[10, 0, 1, 77], [10, 0, 1, 1]] {
        assert_eq!(given(&site.send(1, arp(&one, [10, 0, 1, 1], target)), 1), None);
        assert_eq!(given(&site.send(1, arp(&one, [0; 4], target)), 1), None, "a probe");
    }
    let told = site.send(1, arp(&one, [0; 4], [10, 0, 2, 2]));
    assert!(given(&told, 1).is_some(), "the address that is probed is taken");
}

#[test]
fn requests_of_somebody_else_are_not_answered() {
    let mut site = Site::pair();
    let one = site.guest(1);
    assert_eq!(site.is_dropped(1, arp(&one, [10, 0, 1, 9], [10, 0, 1, 254])), reasons::SPOOFED);
    let mut other = arp(&one, [10, 0, 1, 1], [10, 0, 1, 254]);
    other.head.bytes_mut()[14 + 8 + 5] ^= 1;
    assert_eq!(site.is_dropped(1, other), reasons::SPOOFED);
    let mut short = arp(&one, [10, 0, 1, 1], [10, 0, 1, 254]);
    short.truncate(40);
    assert_eq!(site.is_dropped(1, short), node::Reason::MALFORMED);
}

/// Returns a solicitation from an address of the guest, or from none, for a target.
fn solicitation(guest: &Guest, source: Ipv6Addr, target: Ipv6Addr) -> Packet {
    let mut asks = guest.clone();
    asks.addresses = vec![IpAddr::V6(source)];
    let mut message = vec![135, 0, 0, 0, 0, 0, 0, 0];
    message.extend_from_slice(&target.octets());
    if !source.is_unspecified() {
        message.extend_from_slice(&[1, 1]);
        message.extend_from_slice(&guest.mac);
    }
    let [.., high, middle, low] = target.octets();
    let group = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 1, 0xFF00 | u16::from(high), u16::from(middle) << 8 | u16::from(low));
    let mut packet = ip(&asks, &group.to_string(), protocol::ICMPV6, &message);
    packet.head.bytes_mut()[..6].copy_from_slice(&[0x33, 0x33, 0xFF, high, middle, low]);
    packet.head.bytes_mut()[14 + 7] = 255;
    packet
}

#[test]
fn neighbours_are_advertised() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let own: Ipv6Addr = "fd00::1".parse().expect("an address");
    for (target, flags) in [("fd00::fe", 0xE0), ("fd00::2", 0x60), ("fd00::3", 0x60)] {
        let told = site.send(1, solicitation(&one, own, target.parse().expect("an address")));
        let reply = given(&told, 1).expect("an answer");
        assert_eq!(described(reply), format!("fe>01 {target}>fd00::1 58 ttl 255 ok"));
        let message = &reply.head.bytes()[54..];
        assert_eq!((message[0], message[4]), (136, flags), "{target}");
        assert_eq!(&message[24..], [&[2, 1][..], &GATEWAY].concat());
    }
    let told = site.send(1, solicitation(&one, Ipv6Addr::UNSPECIFIED, "fd00::2".parse().expect("an address")));
    let reply = given(&told, 1).expect("the address is taken");
    assert_eq!(described(reply), "fe>01 fd00::2>ff02::1 58 ttl 255 ok");
    assert_eq!(reply.head.bytes()[54 + 4], 0x20);
    assert_eq!(site.send(1, solicitation(&one, Ipv6Addr::UNSPECIFIED, own)), [], "the guest's own address");
    assert_eq!(site.send(1, solicitation(&one, own, "fd00::77".parse().expect("an address"))), []);
}

#[test]
fn solicitations_must_be_valid() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let [own, target] = ["fd00::1", "fd00::2"].map(|text| text.parse::<Ipv6Addr>().expect("an address"));
    let mut routed = solicitation(&one, own, target);
    routed.head.bytes_mut()[14 + 7] = 254;
    assert_eq!(site.is_dropped(1, routed), node::Reason::MALFORMED);
    let mut damaged = solicitation(&one, own, target);
    damaged.head.bytes_mut()[54 + 2] ^= 1;
    assert_eq!(site.is_dropped(1, damaged), node::Reason::MALFORMED);
    let other = "fd00::9".parse().expect("an address");
    assert_eq!(site.is_dropped(1, solicitation(&one, other, target)), reasons::SPOOFED);
}

#[test]
fn the_gateway_answers_pings() {
    let mut site = Site::pair();
    let one = site.guest(1);
    let told = site.send(1, echo(&one, "10.0.1.254", true, 7));
    assert_eq!(described(given(&told, 1).expect("a reply")), "fe>01 10.0.1.254>10.0.1.1 1 ttl 64 ok");
    let told = site.send(1, echo(&one, "fd00::fe", true, 7));
    assert_eq!(described(given(&told, 1).expect("a reply")), "fe>01 fd00::fe>fd00::1 58 ttl 64 ok");
    assert_eq!(site.is_dropped(1, echo(&one, "10.0.1.254", false, 7)), reasons::UNASKED);
}

#[test]
fn the_gateway_does_not_answer_pings_that_were_damaged() {
    let mut site = Site::pair();
    let one = site.guest(1);
    for (to, checksum) in [("10.0.1.254", 14 + 20 + 2), ("fd00::fe", 14 + 40 + 2)] {
        let mut damaged = echo(&one, to, true, 7);
        damaged.head.bytes_mut()[checksum] ^= 1;
        assert_eq!(site.is_dropped(1, damaged), node::Reason::MALFORMED, "{to}");
    }
}

/// RFC 4862, section 5.4.5: a guest whose link-local address seemed to be taken would not use IPv6 at all.
#[test]
fn a_route_to_everywhere_takes_no_link_local_address() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    let own: Ipv6Addr = "fe80::ff:fe00:1".parse().expect("an address");
    let unspecified = Ipv6Addr::UNSPECIFIED;
    assert_eq!(given(&site.send(1, solicitation(&one, unspecified, own)), 1), None);
    assert_eq!(given(&site.send(1, arp(&one, [0; 4], [169, 254, 7, 7])), 1), None, "a probe of RFC 3927");
    // What is of the guest's own subnet and nobody's is not answered for either, for it goes through no pool.
    assert_eq!(given(&site.send(1, arp(&one, [10, 0, 1, 1], [10, 0, 1, 77])), 1), None);
    assert!(given(&site.send(1, arp(&one, [10, 0, 1, 1], [203, 0, 113, 9])), 1).is_some());
}
