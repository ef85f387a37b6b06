//! Events that the tenant of a vNIC may see.

use vswitch::configuration::{Nat, Route, RouteTarget};
use vswitch::session::SessionLimits;
use vswitch::{Event, EventKind, reasons};

use crate::frames::udp;
use crate::site::{Site, address, configuration, prefix};

fn events(site: &mut Site) -> Vec<(u32, EventKind, u64)> {
    site.switches[0].events().map(|Event { vnic, kind, count, .. }| (vnic, kind, count)).collect()
}

#[test]
fn spoofing_is_told_once_a_second() {
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    for _ in 0..5 {
        assert_eq!(site.is_dropped(2, udp(&one, "10.0.2.2", [1, 2], b"")), reasons::SPOOFED);
    }
    assert_eq!(events(&mut site), [(1, EventKind::Spoofed, 1)]);
    site.wait(1);
    site.wake(0);
    assert_eq!(events(&mut site), [(1, EventKind::Spoofed, 4)]);
}

#[test]
fn full_tables_and_pools_are_told_to_whom_they_concern() {
    let mut own = configuration(0);
    own.limits = SessionLimits { sessions: 5, per_vnic: 3 };
    own.nats = vec![Nat { name: "world".to_owned(), addresses: vec![address("198.51.100.1")], ports: 4000..=4000 }];
    own.vpcs[0].routes.push(Route { prefix: prefix("203.0.113.0/24"), target: RouteTarget::Nat(0), mtu: None });
    let mut site = Site::new(vec![own]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    for port in 1..=4 {
        site.passes(1, 2, udp(&one, "10.0.2.2", [port, 2], b""));
    }
    assert_eq!(events(&mut site), [(0, EventKind::VnicFull, 1)]);
    for port in 11..=13 {
        site.passes(2, 1, udp(&two, "10.0.1.1", [port, 2], b""));
    }
    assert_eq!(events(&mut site), [(1, EventKind::TableFull, 1)]);
    site.leave(1, udp(&one, "203.0.113.9", [1, 2], b""));
    assert_eq!(site.leave(1, udp(&one, "203.0.113.9", [2, 2], b"")).len(), 1, "it is dropped");
    site.wait(1);
    site.wake(0);
    assert!(events(&mut site).contains(&(0, EventKind::NoFreePort, 1)));
}
