//! Generated security groups.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use vswitch::configuration::{Direction, Peer, SecurityRule};
use wire::tcp::flag::SYN;
use wire::{Packet, protocol};

use crate::frames::{echo, tcp, udp};
use crate::kernel::has_nftables;
use crate::namespace::within;
use crate::rules::chains;
use crate::site::{Guest, group, prefix};
use crate::{Pair, host};

fn rule() -> impl Strategy<Value = SecurityRule> {
    let direction = prop::sample::select(vec![Direction::In, Direction::Out]);
    let number = prop::sample::select(vec![
        None,
        Some(protocol::TCP),
        Some(protocol::UDP),
        Some(protocol::ICMP),
        Some(protocol::ICMPV6),
    ]);
    let ports = prop_oneof![Just(None), (1..6u16, 0..4u16).prop_map(|(first, more)| Some(first..=first + more))];
    let peers =
        ["10.0.1.0/24", "10.0.2.2/32", "10.0.0.0/22", "fd00:1::/64", "fd00::/16", "192.0.2.0/24", "::/0", "0.0.0.0/0"];
    let peer =
        prop_oneof![Just(Peer::Any), prop::sample::select(peers.to_vec()).prop_map(|text| Peer::Prefix(prefix(text))),];
    (direction, number, ports, peer, 1..4u16, prop::bool::weighted(0.7)).prop_map(
        |(direction, number, ports, peer, priority, allows)| SecurityRule {
            direction,
            protocol: number,
            ports: ports.filter(|_| matches!(number, Some(protocol::TCP | protocol::UDP))),
            peer,
            priority,
            allows,
        },
    )
}

/// A packet: from guest 0 or 1, of a kind, of IPv4 or not, and its ports, or the identifier of a query.
#[derive(Clone, Debug)]
struct Sent {
    side: usize,
    kind: u8,
    is_ipv4: bool,
    ports: [u16; 2],
}

fn sent() -> impl Strategy<Value = Sent> {
    (0..2usize, 0..5u8, any::<bool>(), 1..8u16, 1..8u16).prop_map(|(side, kind, is_ipv4, from, to)| Sent {
        side,
        kind,
        is_ipv4,
        ports: [from, to],
    })
}

fn frame(guests: &[Guest; 2], sent: &Sent) -> Packet {
    let Sent { side, kind, is_ipv4, ports } = *sent;
    let from = &guests[side];
    let to = guests[1 - side].addresses.iter().find(|address| address.is_ipv4() == is_ipv4).expect("one of each");
    let to = to.to_string();
    match kind {
        0 => udp(from, &to, ports, b"data"),
        1 => tcp(from, &to, ports, SYN, [1, 0]),
        2 => echo(from, &to, true, ports[0] / 3),
        4 => echo(from, &to, false, ports[0] / 3),
        // The answer to a datagram, if there was one.
        _ => udp(from, &to, [ports[1], ports[0]], b"answer"),
    }
}

/// Two groups, and packets. A guest has no group in one of four cases.
type Case = ([Option<Vec<SecurityRule>>; 2], Vec<Sent>);

fn case() -> impl Strategy<Value = Case> {
    let own = || prop::option::weighted(0.75, prop::collection::vec(rule(), 0..6));
    ([own(), own()], prop::collection::vec(sent(), 1..25))
}

#[test]
fn generated_security_groups_pass_what_nftables_passes() {
    within("security::generated_security_groups_pass_what_nftables_passes", || {
        if !has_nftables() {
            return;
        }
        let pair = std::cell::RefCell::new(Pair::new(host()));
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(60) });
        let passed = std::cell::Cell::new([0; 2]);
        let result = runner.run(&case(), |(groups, packets)| {
            let mut pair = pair.borrow_mut();
            let mut own = host();
            for (number, rules) in groups.iter().enumerate() {
                let Some(rules) = rules else { continue };
                own.vnics[number].groups = vec![own.groups.len()];
                own.groups.push(group(rules.clone()));
            }
            pair.restart(own, &chains([0, 1].map(|number| groups[number].as_deref())), "");
            let guests = pair.guests.clone();
            for sent in &packets {
                let [switch, kernel] = pair.sends(sent.side, &frame(&guests, sent));
                let mut counts = passed.get();
                counts[usize::from(switch.is_empty())] += 1;
                passed.set(counts);
                prop_assert_eq!(switch, kernel, "{:?}", sent);
            }
            Ok(())
        });
        result.unwrap_or_else(|failure| panic!("{failure}"));
        let [passed, dropped] = passed.get();
        assert!(passed > 20 && dropped > 20, "the rules decide both ways: {passed} and {dropped}");
    });
}
