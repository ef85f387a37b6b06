//! Security groups.

use vswitch::configuration::{Configuration, Direction, Peer, SecurityRule};
use vswitch::reasons;
use wire::protocol;
use wire::tcp::flag::{ACK, SYN};

use crate::frames::{echo, tcp, udp};
use crate::site::{Site, configuration, group, prefix};

fn allow(direction: Direction, protocol: u8, port: u16, peer: Peer) -> SecurityRule {
    SecurityRule { direction, protocol: Some(protocol), ports: Some(port..=port), peer, priority: 100, allows: true }
}

/// The site in which guest 2 is in a group with these rules.
fn guarded(rules: Vec<SecurityRule>) -> Site {
    let mut configuration: Configuration = configuration(0);
    configuration.groups = vec![group(rules)];
    configuration.vnics[1].groups = vec![0];
    Site::new(vec![configuration])
}

#[test]
fn replies_pass_because_requests_did() {
    let mut site = guarded(vec![
        allow(Direction::In, protocol::TCP, 80, Peer::Prefix(prefix("10.0.1.0/24"))),
        allow(Direction::Out, protocol::UDP, 53, Peer::Any),
    ]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 80], SYN, [1, 0]));
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 1000], SYN | ACK, [1, 2]));
    site.passes(2, 1, udp(&two, "10.0.1.1", [5000, 53], b""));
    site.passes(1, 2, udp(&one, "10.0.2.2", [53, 5000], b""));
    // What belongs to no session is judged by itself.
    assert_eq!(site.is_dropped(1, tcp(&one, "10.0.2.2", [1000, 81], SYN, [1, 0])), reasons::DENIED);
    assert_eq!(site.is_dropped(1, udp(&one, "10.0.2.2", [53, 5001], b"")), reasons::DENIED);
    assert_eq!(site.is_dropped(2, tcp(&two, "10.0.1.1", [80, 1001], SYN | ACK, [1, 2])), reasons::DENIED);
    assert_eq!(site.is_dropped(1, tcp(&one, "fd00::2", [1000, 80], SYN, [1, 0])), reasons::DENIED, "IPv4 alone");
    assert_eq!(site.is_dropped(1, echo(&one, "10.0.2.2", true, 1)), reasons::DENIED);
}

#[test]
fn the_rule_with_the_lowest_number_decides_and_a_denying_one_among_equals() {
    let rule = |priority: u16, allows: bool, peer: &str| SecurityRule {
        direction: Direction::In,
        protocol: None,
        ports: None,
        peer: Peer::Prefix(prefix(peer)),
        priority,
        allows,
    };
    let passes = |rules: Vec<SecurityRule>| {
        let mut site = guarded(rules);
        let one = site.guest(1);
        let given = site.send(1, udp(&one, "10.0.2.2", [1, 2], b""));
        matches!(given[..], [crate::site::Told::Given(2, _)])
    };
    assert!(passes(vec![rule(20, false, "10.0.0.0/8"), rule(10, true, "10.0.1.0/24")]));
    assert!(!passes(vec![rule(10, false, "10.0.0.0/8"), rule(20, true, "10.0.1.0/24")]));
    assert!(!passes(vec![rule(10, true, "10.0.1.1/32"), rule(10, false, "0.0.0.0/0")]));
    assert!(!passes(vec![]));
}

/// `::/0` contains the IPv4-mapped addresses as numbers, and let IPv4 in.
#[test]
fn a_prefix_of_one_version_means_nothing_of_the_other() {
    for (text, of_ipv4, of_ipv6) in [("::/0", false, true), ("::/64", false, false), ("0.0.0.0/0", true, false)] {
        let rule = allow(Direction::In, protocol::TCP, 80, Peer::Prefix(prefix(text)));
        let deny = SecurityRule { allows: false, ..rule.clone() };
        let all = SecurityRule { peer: Peer::Any, priority: 200, ..rule.clone() };
        for (rules, is_turned) in [(vec![rule], false), (vec![deny, all], true)] {
            let mut site = guarded(rules);
            let one = site.guest(1);
            for (to, is_meant) in [("10.0.2.2", of_ipv4), ("fd00::2", of_ipv6)] {
                let told = site.send(1, tcp(&one, to, [1000, 80], SYN, [1, 0]));
                let is_given = matches!(told[..], [crate::site::Told::Given(2, _)]);
                assert_eq!(is_given, is_meant != is_turned, "{text} and {to}");
            }
        }
    }
}

#[test]
fn a_group_stands_for_its_members() {
    let mut site = guarded(vec![]);
    let mut configuration = configuration(0);
    let of_group = |number| allow(Direction::In, protocol::UDP, 9, Peer::Group(number));
    configuration.groups = vec![group(vec![of_group(1)]), group(vec![])];
    configuration.vnics[1].groups = vec![0];
    let one = site.guest(1);
    let denied = |configuration: Configuration, packet: wire::Packet| {
        Site::new(vec![configuration]).send(1, packet) == [crate::site::Told::Dropped(0, reasons::DENIED)]
    };
    let packet = udp(&one, "10.0.2.2", [1, 9], b"");
    assert!(denied(configuration.clone(), packet.clone()));
    // A vNIC in the group, or addresses that belong to it.
    let mut with_members = configuration.clone();
    with_members.groups[1].members = vec![prefix("10.0.1.0/28")];
    assert!(!denied(with_members, packet.clone()));
    configuration.vnics[0].groups = vec![1];
    configuration.groups[1].rules = vec![allow(Direction::Out, protocol::UDP, 9, Peer::Any)];
    assert!(!denied(configuration, packet));
    site.wait(1);
}

/// Found by comparison with nftables: a query with the identifier of another one passed as the answer to it, although no rule
/// lets anybody ask the guest.
#[test]
fn a_query_does_not_pass_as_an_answer() {
    for (to, back) in [("10.0.2.2", "10.0.1.1"), ("fd00::2", "fd00::1")] {
        let mut own = configuration(0);
        own.groups = vec![group(vec![SecurityRule {
            direction: Direction::Out,
            protocol: None,
            ports: None,
            peer: Peer::Any,
            priority: 1,
            allows: true,
        }])];
        own.vnics[0].groups = vec![0];
        let mut site = Site::new(vec![own]);
        let [one, two] = [1, 2].map(|number| site.guest(number));
        assert_eq!(site.is_dropped(2, echo(&two, back, false, 7)), reasons::UNASKED);
        site.passes(1, 2, echo(&one, to, true, 7));
        assert_eq!(site.is_dropped(2, echo(&two, back, true, 7)), reasons::DENIED);
        site.passes(2, 1, echo(&two, back, false, 7));
        assert_eq!(site.is_dropped(2, echo(&two, back, false, 8)), reasons::UNASKED);
    }
}
