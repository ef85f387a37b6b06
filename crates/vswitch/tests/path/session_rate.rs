//! How many sessions may begin for a vNIC.

use basis::Duration;
use measure::Interest;
use node::{Node, Outbox};
use vswitch::configuration::{BackEnd, Configuration, LoadBalancer, SessionRate};
use vswitch::session::SessionLimits;
use vswitch::{EventKind, reasons};
use wire::protocol;

use crate::frames::udp;
use crate::site::{Site, address, configuration};

/// The site of host 0, whose guests may begin two sessions per second, and three at once.
fn limited(change: impl FnOnce(&mut Configuration)) -> Site {
    let mut own = configuration(0);
    own.vnics.iter_mut().for_each(|vnic| vnic.session_rate = SessionRate { per_second: 2, burst: 3 });
    change(&mut own);
    Site::new(vec![own, configuration(1)])
}

#[test]
fn sessions_above_the_rate_do_not_begin_and_those_that_are_there_go_on() {
    let mut site = limited(|_| {});
    let [one, two] = [1, 2].map(|number| site.guest(number));
    let there = |port| udp(&one, "10.0.2.2", [port, 53], b"");
    (1..=3).for_each(|port| _ = site.passes(1, 2, there(port)));
    for _ in 0..5 {
        assert_eq!(site.is_dropped(1, there(4)), reasons::OVER_SESSION_RATE);
    }
    (1..=3).for_each(|port| _ = site.passes(1, 2, there(port)));
    site.passes(2, 1, udp(&two, "10.0.1.1", [53, 1], b""));
    // Another guest has a budget of its own.
    site.passes(2, 1, udp(&two, "10.0.1.1", [1000, 53], b""));
    let told: Vec<_> = site.switches[0].events().map(|event| (event.vnic, event.kind)).collect();
    assert_eq!(told, [(0, EventKind::OverSessionRate)]);
    site.now += Duration::from_microseconds(500_000);
    site.passes(1, 2, there(4));
    assert_eq!(site.is_dropped(1, there(5)), reasons::OVER_SESSION_RATE);
}

#[test]
fn whoever_floods_a_guest_from_afar_leaves_what_the_guest_may_begin() {
    let mut site = limited(|_| {});
    let [two, three] = [2, 3].map(|number| site.guest(number));
    let flood = |port| udp(&three, "10.0.2.2", [port, 53], b"");
    (1..=3).for_each(|port| _ = site.passes(3, 2, flood(port)));
    assert_eq!(site.is_dropped(3, flood(4)), reasons::OVER_SESSION_RATE);
    (1..=3).for_each(|port| _ = site.passes(2, 1, udp(&two, "10.0.1.1", [port, 53], b"")));
}

#[test]
fn sessions_from_afar_to_a_load_balancer_count_for_the_back_end() {
    let mut site = limited(|own| {
        own.balancers = vec![LoadBalancer {
            name: "web".to_owned(),
            vpc: 0,
            address: address("10.0.1.100"),
            protocol: protocol::UDP,
            port: 53,
            back_ends: vec![BackEnd { address: address("10.0.2.2"), port: 53, weight: 1 }],
        }];
    });
    let three = site.guest(3);
    let far = &mut site.switches[1];
    let mut next = configuration(1);
    next.vpcs[0].routes.push(vswitch::configuration::Route {
        prefix: crate::site::prefix("10.0.1.100/32"),
        target: vswitch::configuration::RouteTarget::Endpoint { address: address("192.0.2.1"), mac: None },
        mtu: None,
    });
    far.apply(next);
    let asked = |port| udp(&three, "10.0.1.100", [port, 53], b"");
    (1..=3).for_each(|port| _ = site.passes(3, 2, asked(port)));
    assert_eq!(site.is_dropped(3, asked(4)), reasons::OVER_SESSION_RATE);
}

#[test]
fn a_session_in_the_place_of_another_one_counts_for_three() {
    let mut site = limited(|own| {
        own.limits = SessionLimits { sessions: 100, per_vnic: 2 };
        own.vnics[0].session_rate = SessionRate { per_second: 6, burst: 3 };
    });
    let one = site.guest(1);
    let there = |port| udp(&one, "10.0.2.2", [port, 53], b"");
    (1..=2).for_each(|port| _ = site.passes(1, 2, there(port)));
    assert_eq!(site.is_dropped(1, there(3)), reasons::OVER_SESSION_RATE);
    site.now += Duration::from_microseconds(500_000);
    site.passes(1, 2, there(3));
}

#[test]
fn the_driver_is_told_what_a_burst_of_a_guest_costs() {
    let mut site = limited(|_| {});
    let [one, three] = [1, 3].map(|number| site.guest(number));
    let mut out = Outbox::new(Interest::default());
    let mut cost = |site: &mut Site, port| {
        let mut burst = vec![udp(&one, "10.0.2.2", [port, 53], b"")];
        site.switches[0].receive(site.now, one.port, &mut burst, &mut out);
        out.take_charge()
    };
    let [first, second] = [(); 2].map(|()| cost(&mut site, 1));
    assert!(first > 0 && second == 0, "{first} and {second}");
    // Behind the underlay are many tenants.
    let mut tunnelled = Vec::new();
    site.send(3, udp(&three, "10.0.2.2", [1, 53], b""));
    tunnelled.extend(site.between.pop());
    let mut out = Outbox::new(Interest::default());
    site.switches[0].receive(site.now, node::Port(100), &mut tunnelled, &mut out);
    assert_eq!(out.take_charge(), 0);
}
