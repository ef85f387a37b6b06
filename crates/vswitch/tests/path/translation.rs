//! Pools of addresses for the world outside (NAT), and load balancers.

use std::collections::BTreeMap;

use node::{Port, Reason};
use vswitch::configuration::{BackEnd, Configuration, LoadBalancer, Nat, Route, RouteTarget, SecurityRule};
use vswitch::configuration::{Direction, Peer};
use vswitch::reasons;
use wire::tcp::flag::{ACK, RST, SYN};
use wire::{ChecksumState, Packet, Tail, protocol};

use crate::frames::{described, echo, ip, tcp, udp};
use crate::site::{Guest, Site, Told, address, configuration, group, prefix};

/// The site of host 0 with a pool for the world outside, of these ports.
pub fn outside(ports: std::ops::RangeInclusive<u16>) -> Configuration {
    let mut configuration = configuration(0);
    configuration.nats = vec![Nat {
        name: "world".to_owned(),
        addresses: ["198.51.100.1", "2001:db8:100::1"].map(address).to_vec(),
        ports,
    }];
    for text in ["0.0.0.0/0", "::/0"] {
        configuration.vpcs[0].routes.push(Route { prefix: prefix(text), target: RouteTarget::Nat(0), mtu: None });
    }
    configuration
}

/// Somebody in the world outside, whose frames come from the underlay.
pub fn stranger(text: &str) -> Guest {
    Guest { host: 0, port: Port(100), mac: [2, 0, 0, 1, 0, 1], addresses: vec![address(text)] }
}

/// Lets a guest send a frame that leaves for the world, and returns it there.
fn leaves(site: &mut Site, number: usize, packet: Packet) -> Packet {
    let told = site.leave(number, packet);
    assert_eq!(told, [], "nothing else comes of it");
    site.between.pop().expect("a packet on the underlay")
}

#[test]
fn guests_speak_to_the_world_from_an_address_of_the_pool() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    let server = stranger("203.0.113.9");
    let out = leaves(&mut site, 1, udp(&one, "203.0.113.9", [5000, 53], b"question"));
    assert_eq!(described(&out), "00>01 198.51.100.1>203.0.113.9 17 5000>53 ttl 63 ok");
    let back = site.arrive(0, udp(&server, "198.51.100.1", [53, 5000], b"answer"));
    let [Told::Given(1, given)] = &back[..] else { panic!("{back:?}") };
    assert_eq!(described(given), "fe>01 203.0.113.9>10.0.1.1 17 53>5000 ttl 63 ok");
    let out = leaves(&mut site, 1, echo(&one, "203.0.113.9", true, 77));
    assert_eq!(described(&out), "00>01 198.51.100.1>203.0.113.9 1 ttl 63 ok");
    // The identifier is one of the pool's, as ports are.
    let identifier = u16::from_be_bytes([out.head.bytes()[38], out.head.bytes()[39]]);
    assert!(identifier >= 1024);
    let back = site.arrive(0, echo(&server, "198.51.100.1", false, identifier));
    let [Told::Given(1, given)] = &back[..] else { panic!("{back:?}") };
    assert_eq!(described(given), "fe>01 203.0.113.9>10.0.1.1 1 ttl 63 ok");
    assert_eq!(given.head.bytes()[38..40], [0, 77]);
    let out = leaves(&mut site, 1, tcp(&one, "2001:db8::9", [5000, 80], SYN, [1, 0]));
    assert_eq!(described(&out), "00>01 2001:db8:100::1>2001:db8::9 6 5000>80 ttl 63 ok");
    // What no guest has asked for does not come in.
    for packet in [
        udp(&server, "198.51.100.1", [53, 5001], b""),
        udp(&stranger("203.0.113.10"), "198.51.100.1", [53, 5000], b""),
        tcp(&server, "198.51.100.1", [80, 5000], SYN, [1, 0]),
        echo(&server, "198.51.100.1", true, 1),
    ] {
        assert_eq!(site.arrive(0, packet), [Told::Dropped(0, reasons::UNEXPECTED)]);
    }
}

/// Somebody else's RST in the window, which the guest only challenges (RFC 5961, section 3.2), ended the session after ten seconds of silence,
/// and what the server sent then was unexpected.
#[test]
fn a_reset_that_is_only_challenged_ends_no_session() {
    let server = stranger("203.0.113.9");
    for (sequence, challenges, silence, passes) in [
        (521, true, 13, true),
        (521, true, 250, true),
        (521, false, 13, true),
        (521, false, 250, false),
        (21, true, 13, false),
    ] {
        let mut site = Site::new(vec![outside(1024..=65_535)]);
        let one = site.guest(1);
        leaves(&mut site, 1, tcp(&one, "203.0.113.9", [5000, 80], SYN, [10, 0]));
        site.arrive(0, tcp(&server, "198.51.100.1", [80, 5000], SYN | ACK, [20, 11]));
        leaves(&mut site, 1, tcp(&one, "203.0.113.9", [5000, 80], ACK, [11, 21]));
        let told = site.arrive(0, tcp(&server, "198.51.100.1", [80, 5000], RST, [sequence, 0]));
        assert!(matches!(told[..], [Told::Given(1, _)]), "{told:?}");
        if challenges && sequence != 21 {
            leaves(&mut site, 1, tcp(&one, "203.0.113.9", [5000, 80], ACK, [11, 21]));
        }
        site.wait(silence);
        site.wake(0);
        let told = site.arrive(0, tcp(&server, "198.51.100.1", [80, 5000], ACK, [21, 11]));
        let is_given = matches!(told[..], [Told::Given(1, _)]);
        assert_eq!(is_given, passes, "RST {sequence}, {silence} s of silence: {told:?}");
    }
}

#[test]
fn guests_with_the_same_port_are_told_apart() {
    let mut site = Site::new(vec![outside(4000..=4003)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    let server = stranger("203.0.113.9");
    let mut ports = BTreeMap::new();
    for (number, guest, port) in [(1, &one, 4001), (2, &two, 4001), (1, &one, 9), (2, &two, 9)] {
        let out = leaves(&mut site, number, udp(guest, "203.0.113.9", [port, 53], b""));
        let seen = wire::FiveTuple::of(&out).and_then(|flow| flow.ports).expect("ports").0;
        assert!((4000..=4003).contains(&seen));
        assert_eq!(ports.insert(seen, (number, port)), None, "each session has a port of its own");
    }
    assert_eq!(ports[&4001], (1, 4001), "the guest's own port, if it is free");
    for (seen, (number, port)) in ports {
        let back = site.arrive(0, udp(&server, "198.51.100.1", [53, seen], b""));
        let [Told::Given(guest, given)] = &back[..] else { panic!("{back:?}") };
        let to = wire::FiveTuple::of(given).and_then(|flow| flow.ports).expect("ports").1;
        assert_eq!((*guest, to), (number, port));
    }
    assert_eq!(site.is_dropped(1, udp(&one, "203.0.113.9", [10, 53], b"")), reasons::NO_FREE_PORT);
    // Another server sees the same ports as others.
    leaves(&mut site, 1, udp(&one, "203.0.113.10", [10, 53], b""));
}

#[test]
fn a_source_port_of_zero_is_translated_into_one_of_the_pool() {
    let mut site = Site::new(vec![outside(4000..=4003)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    let server = stranger("203.0.113.9");
    let seen = [(1, &one), (2, &two)].map(|(number, guest)| {
        let out = leaves(&mut site, number, udp(guest, "203.0.113.9", [0, 514], b"log"));
        wire::FiveTuple::of(&out).and_then(|flow| flow.ports).expect("ports").0
    });
    assert!(seen.iter().all(|port| (4000..=4003).contains(port)) && seen[0] != seen[1], "{seen:?}");
    let back = site.arrive(0, udp(&server, "198.51.100.1", [514, seen[1]], b""));
    let [Told::Given(2, given)] = &back[..] else { panic!("{back:?}") };
    assert_eq!(wire::FiveTuple::of(given).and_then(|flow| flow.ports).expect("ports"), (514, 0));
    // Protocols without ports have an address alone, and keep it when the tables are others.
    const GRE: u8 = 47;
    leaves(&mut site, 1, ip(&one, "203.0.113.9", GRE, &[0; 8]));
    site.switches[0].apply(outside(4000..=4003));
    leaves(&mut site, 1, ip(&one, "203.0.113.9", GRE, &[0; 8]));
    assert_eq!(site.switches[0].applied().ended, 0);
}

#[test]
fn errors_from_outside_find_their_session() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    let out = leaves(&mut site, 1, udp(&one, "203.0.113.9", [5000, 53], b"question"));
    let router = stranger("192.0.2.77");
    let mut message = vec![3, 1, 0, 0, 0, 0, 0, 0];
    message.extend_from_slice(&out.head.bytes()[14..42]);
    let back = site.arrive(0, ip(&router, "198.51.100.1", protocol::ICMP, &message));
    let [Told::Given(1, given)] = &back[..] else { panic!("{back:?}") };
    assert_eq!(described(given), "fe>01 192.0.2.77>10.0.1.1 1 ttl 63 ok");
    // The packet in it is the one that the guest has sent, with its checksums.
    let about = &given.head.bytes()[42..];
    assert_eq!((&about[12..20], &about[20..24]), (&[10, 0, 1, 1, 203, 0, 113, 9][..], &[0x13, 0x88, 0, 53][..]));
    assert_eq!(wire::checksum::of(&about[..20]), 0);
}

/// RFC 5508, REQ-3.
#[test]
fn errors_with_wrong_checksums_pass_no_pool() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    for (to, router, pool, kind, number) in [
        ("203.0.113.9", "192.0.2.77", "198.51.100.1", 3, protocol::ICMP),
        ("2001:db8:5::9", "2001:db8:77::1", "2001:db8:100::1", 1, protocol::ICMPV6),
    ] {
        let out = leaves(&mut site, 1, udp(&one, to, [5000, 53], b"question"));
        let mut message = vec![kind, 1, 0, 0, 0, 0, 0, 0];
        message.extend_from_slice(&out.head.bytes()[14..]);
        let error = |message: &[u8]| ip(&stranger(router), pool, number, message);
        let malformed = [Told::Dropped(0, Reason::MALFORMED)];
        let mut damaged = error(&message);
        *damaged.head.bytes_mut().last_mut().expect("a byte") ^= 1;
        assert_eq!(site.arrive(0, damaged.clone()), malformed);
        let rest = damaged.head.bytes()[61..].to_vec();
        damaged.head.truncate(61);
        assert_eq!(site.arrive(0, damaged.with_tail(Tail::Bytes(rest.into()))), malformed, "in the tail");
        if number == protocol::ICMP {
            let mut of_wrong_header = message.clone();
            of_wrong_header[8 + 8] ^= 1;
            assert_eq!(site.arrive(0, error(&of_wrong_header)), malformed, "what the error is about");
        }
        assert!(matches!(site.arrive(0, error(&message))[..], [Told::Given(1, _)]));
    }
}

/// RFC 8200, section 8.1: on the way along a route, the checksum is about the last address, which is not that of the header.
#[test]
fn errors_behind_a_routing_header_are_not_taken_for_damaged() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    let out = leaves(&mut site, 1, udp(&one, "2001:db8:5::9", [5000, 53], b"question"));
    // A segment routing header (RFC 8754) with one segment left, 2001:db8:100::99.
    let mut message =
        vec![protocol::ICMPV6, 2, 4, 1, 0, 0, 0, 0, 0x20, 1, 0x0D, 0xB8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x99];
    message.extend([1, 1, 0xAB, 0xCD, 0, 0, 0, 0]);
    message.extend_from_slice(&out.head.bytes()[14..]);
    let error = ip(&stranger("2001:db8:77::1"), "2001:db8:100::1", 43, &message);
    assert_ne!(site.arrive(0, error), [Told::Dropped(0, Reason::MALFORMED)]);
}

#[test]
fn a_checksum_that_is_still_to_be_computed_stays_so() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    let whole = tcp(&one, "203.0.113.9", [5000, 80], SYN, [1, 0]);
    let mut partial = whole.clone();
    let mut sum = wire::checksum::Sum::default();
    sum.add(&partial.head.bytes()[26..34]);
    sum.add_word(6);
    sum.add_word(20);
    partial.head.bytes_mut()[50..52].copy_from_slice(&sum.folded().to_be_bytes());
    partial.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 16 };
    let mut out = leaves(&mut site, 1, partial);
    assert!(matches!(out.sidecar.checksum, ChecksumState::Partial { .. }));
    assert!(out.complete_checksum());
    assert_eq!(described(&out), "00>01 198.51.100.1>203.0.113.9 6 5000>80 ttl 63 ok");
}

/// Two back ends, of which the second is on the other host, behind 10.0.1.100:80.
fn balanced(ports: [u16; 2]) -> Site {
    let mut near = configuration(0);
    near.balancers = vec![LoadBalancer {
        name: "web".to_owned(),
        vpc: 0,
        address: address("10.0.1.100"),
        protocol: protocol::TCP,
        port: 80,
        back_ends: [("10.0.2.2", ports[0]), ("10.0.1.3", ports[1])]
            .map(|(text, port)| BackEnd { address: address(text), port, weight: 1 })
            .to_vec(),
    }];
    Site::new(vec![near, configuration(1)])
}

#[test]
fn sessions_are_spread_over_back_ends_and_stay_there() {
    let mut site = balanced([8080, 8081]);
    let one = site.guest(1);
    let mut chosen = [0; 4];
    for port in 1..=64 {
        let packet = |flags| tcp(&one, "10.0.1.100", [port, 80], flags, [1, 0]);
        let told = site.send(1, packet(SYN));
        let [Told::Given(guest, given)] = &told[..] else { panic!("{told:?}") };
        chosen[guest - 1] += 1;
        let (to, reply_port) = if *guest == 2 { ("10.0.2.2", 8080) } else { ("10.0.1.3", 8081) };
        assert!(
            described(given).contains(&format!("10.0.1.1>{to} 6 {port}>{reply_port} ttl 63 ok")),
            "{}",
            described(given)
        );
        let (guest, back_end) = (*guest, site.guest(*guest));
        let back = site.send(guest, tcp(&back_end, "10.0.1.1", [reply_port, port], SYN | ACK, [1, 2]));
        let [Told::Given(1, given)] = &back[..] else { panic!("{back:?}") };
        assert!(
            described(given).starts_with(&format!("fe>01 10.0.1.100>10.0.1.1 6 80>{port} ")),
            "{}",
            described(given)
        );
        assert!(described(given).ends_with("ok"));
        assert!(matches!(site.send(1, packet(ACK))[..], [Told::Given(again, _)] if again == guest));
    }
    assert!(chosen[1] > 16 && chosen[2] > 16, "{chosen:?}");
    assert_eq!(site.is_dropped(1, tcp(&one, "10.0.1.100", [9, 81], SYN, [1, 0])), reasons::NO_ROUTE);
}

#[test]
fn sessions_of_a_back_end_that_stays_are_kept() {
    let mut site = balanced([8080, 8081]);
    let one = site.guest(1);
    let packet = |port, flags| tcp(&one, "10.0.1.100", [port, 80], flags, [1, 0]);
    let first: Vec<usize> = (1..=32)
        .map(|port| match site.send(1, packet(port, SYN))[..] {
            [Told::Given(guest, _)] => guest,
            ref other => panic!("{other:?}"),
        })
        .collect();
    let mut changed = site.switches[0].policy().configuration().clone();
    changed.balancers[0].back_ends.truncate(1);
    site.switches[0].apply(changed);
    for (port, guest) in (1..=32).zip(first) {
        let told = site.send(1, packet(port, ACK));
        match guest {
            2 => assert!(matches!(told[..], [Told::Given(2, _)])),
            // The session has ended, at this packet or before it; then the packet begins one with a back end that is there.
            _ => assert!(matches!(told[..], [Told::Dropped(0, _) | Told::Given(2, _)]), "{told:?}"),
        }
    }
}

#[test]
fn rules_are_about_back_ends() {
    let mut site = balanced([8080, 8080]);
    let mut guarded = site.switches[0].policy().configuration().clone();
    guarded.groups = vec![group(vec![SecurityRule {
        direction: Direction::In,
        protocol: Some(protocol::TCP),
        ports: Some(8080..=8080),
        peer: Peer::Any,
        priority: 1,
        allows: true,
    }])];
    guarded.vnics[1].groups = vec![0];
    site.switches[0].apply(guarded);
    let one = site.guest(1);
    for port in 1..=16 {
        assert!(matches!(site.send(1, tcp(&one, "10.0.1.100", [port, 80], SYN, [1, 0]))[..], [Told::Given(..)]));
    }
}

/// The guest was given its own connection, which its system drops.
#[test]
fn a_client_that_is_its_own_back_end_is_dropped_with_a_reason() {
    let mut own = configuration(0);
    own.balancers = vec![LoadBalancer {
        name: "web".to_owned(),
        vpc: 0,
        address: address("10.0.1.100"),
        protocol: protocol::TCP,
        port: 80,
        back_ends: vec![BackEnd { address: address("10.0.1.1"), port: 8080, weight: 1 }],
    }];
    let mut site = Site::new(vec![own]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    assert_eq!(site.is_dropped(1, tcp(&one, "10.0.1.100", [1000, 80], SYN, [1, 0])), reasons::TO_SENDER);
    let given = site.passes(2, 1, tcp(&two, "10.0.1.100", [1000, 80], SYN, [1, 0]));
    assert_eq!(wire::FiveTuple::of(&given).and_then(|flow| flow.ports), Some((1000, 8080)));
}
