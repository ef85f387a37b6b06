//! Another configuration in the place of one that packets pass by.

use basis::Duration;
use node::{Node, Outbox};
use vswitch::configuration::{Configuration, Direction, Peer, Prefix, SecurityRule};
use vswitch::reasons;
use wire::protocol;
use wire::tcp::flag::SYN;

use crate::frames::{tcp, udp};
use crate::site::{Site, Told, configuration, group};

/// Configuration 0 in which guest 2 accepts UDP to these ports.
fn accepting(ports: &[u16]) -> Configuration {
    let rule = |port: &u16| SecurityRule {
        direction: Direction::In,
        protocol: Some(protocol::UDP),
        ports: Some(*port..=*port),
        peer: Peer::Prefix(Prefix::ALL),
        priority: 100,
        allows: true,
    };
    let mut configuration = configuration(0);
    configuration.groups = vec![group(ports.iter().map(rule).collect())];
    configuration.vnics[1].groups = vec![0];
    configuration
}

/// Lets a switch do everything that it has to do by itself within a second.
fn rest(site: &mut Site) {
    let mut out = Outbox::new(Default::default());
    let end = site.now + Duration::from_microseconds(1_000_000);
    let mut now = site.now;
    loop {
        out.begin(now);
        site.switches[0].wake(now, &mut out);
        match out.take_deadline() {
            Some(next) if next <= end => now = next.max(now + Duration::from_microseconds(1)),
            _ => break,
        }
    }
    site.now = end;
}

#[test]
fn sessions_that_the_rules_still_allow_stay_and_all_others_end_without_a_packet() {
    let mut site = Site::new(vec![accepting(&[53, 54])]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    // More than one turn of the walk.
    for port in 1..=90 {
        site.passes(1, 2, udp(&one, "10.0.2.2", [port, 53], b""));
    }
    site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 54], b""));
    site.switches[0].apply(accepting(&[54]));
    assert!(site.switches[0].applied().is_walking);
    assert_eq!(site.is_dropped(1, udp(&one, "10.0.2.2", [1, 53], b"")), reasons::DENIED, "at once");
    rest(&mut site);
    let applied = site.switches[0].applied();
    assert_eq!((applied.ended, applied.is_walking, site.switches[0].sessions_count()), (90, false, 1));
    site.passes(2, 1, udp(&two, "10.0.1.1", [54, 1000], b""));
}

#[test]
fn a_vnic_that_goes_takes_its_sessions_along_and_its_place_is_used_again_later() {
    let mut site = Site::new(vec![configuration(0)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 80], SYN, [1, 0]));
    let mut without = configuration(0);
    without.vnics.remove(0);
    site.switches[0].apply(without);
    let policy = site.switches[0].policy().clone();
    assert!(policy.configuration().vnics[0].is_vacant() && policy.configuration().vnics[1].name == "guest-2");
    assert_eq!(policy.configuration().vnics[1].port, two.port, "its interface keeps its port");
    rest(&mut site);
    assert_eq!(site.switches[0].sessions_count(), 0);
    assert_eq!(site.is_dropped(2, udp(&two, "10.0.1.1", [1, 2], b"")), reasons::NO_ROUTE);
    // Another guest with the same addresses has the place, and nothing of the first one.
    let mut with_another = configuration(0);
    with_another.vnics[0].name = "another".to_owned();
    site.switches[0].apply(with_another);
    assert_eq!(site.switches[0].policy().configuration().vnics[0].name, "another");
    assert_eq!(site.switches[0].counts_of(0), Default::default());
    assert!(matches!(site.send(2, udp(&two, "10.0.1.1", [1, 2], b""))[..], [Told::Given(1, _)]));
}

#[test]
fn a_vnic_with_other_addresses_keeps_no_sessions_of_the_old_ones() {
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 80], b""));
    site.passes(1, 2, udp(&one, "fd00::2", [1000, 80], b""));
    let mut moved = configuration(0);
    moved.vnics[0].addresses.remove(0);
    site.switches[0].apply(moved);
    rest(&mut site);
    assert_eq!(site.switches[0].sessions_count(), 1);
    site.passes(1, 2, udp(&one, "fd00::2", [1000, 80], b""));
}

#[test]
fn the_order_in_the_file_does_not_matter() {
    let mut site = Site::new(vec![configuration(0)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, udp(&one, "10.0.2.2", [1000, 80], b""));
    let mut reversed = configuration(0);
    reversed.vnics.reverse();
    site.switches[0].apply(reversed);
    rest(&mut site);
    assert_eq!((site.switches[0].sessions_count(), site.switches[0].applied().ended), (1, 0));
    site.passes(2, 1, udp(&two, "10.0.1.1", [80, 1000], b""));
    assert_eq!(site.switches[0].counts_of(0).sent.packets, 1, "counts stay with their vNIC");
}
