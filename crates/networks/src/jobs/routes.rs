//! The routes of switches that route by a table of their program.

use netsim::topology::{Role, Route, Topology};

use super::{Argument, Key, SwitchEntry};

/// The name of the table of routes.
pub const ROUTES: &str = "ipv4";

/// Returns the entry for packets to a prefix.
pub fn route(prefix: u32, length: u8, port: u16) -> SwitchEntry {
    let key = vec![Key::Prefix { value: prefix.into(), length: length.into() }];
    SwitchEntry::Table { table: ROUTES, key, action: "route", arguments: vec![Argument::Port(port)] }
}

/// Returns the routes of a switch to all hosts. Where several ports are equally good, the switch's own index and the
/// prefix select one, so that the routes of many switches and prefixes are spread over all of them.
pub fn base_routes(topology: &Topology, switch: usize) -> Vec<SwitchEntry> {
    let Role::Switch(plan) = &topology.stations[switch].role else { return Vec::new() };
    let mut entries: Vec<SwitchEntry> = Vec::new();
    // Of two routes with one prefix, the later one applies.
    for (at, own) in plan.routes.iter().enumerate() {
        let is_replaced =
            plan.routes[at + 1..].iter().any(|later| (later.prefix, later.length) == (own.prefix, own.length));
        if !is_replaced && !own.ports.is_empty() {
            entries.push(route(own.prefix, own.length, selected(switch, own)));
        }
    }
    entries
}

/// Returns the port of a route that [`base_routes`] selects. The route has ports.
fn selected(switch: usize, route: &Route) -> u16 {
    let spread = basis::mix(u64::from(route.prefix) ^ (switch as u64) << 40) as usize;
    route.ports[spread % route.ports.len()]
}

/// Returns the port by which a switch with [`base_routes`] sends packets to an address; `None` if it has no route.
pub fn base_port(topology: &Topology, switch: usize, address: u32) -> Option<u16> {
    let Role::Switch(plan) = &topology.stations[switch].role else { return None };
    let covers = |route: &&Route| {
        !route.ports.is_empty()
            && (route.length == 0 || (route.prefix ^ address) >> (32 - u32::from(route.length.min(32))) == 0)
    };
    // Of two routes with one prefix, the later one applies, and `max_by_key` returns the last.
    plan.routes.iter().filter(covers).max_by_key(|route| route.length).map(|route| selected(switch, route))
}
