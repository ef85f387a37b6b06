//! Makes the entries of the router's tables.

use basis::Random;
use control::{ActionCall, Info, Request, TableRequest, Target};
use runtime::Bits;
use runtime::tables::FieldMatch;

use super::Tables;

/// The destination of a route: an IPv4 prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// The first address.
    pub network: u32,
    /// The number of bits that all addresses have in common.
    pub length: u32,
}

/// The number of next hops.
const NEXT_HOPS: u64 = 64;

/// Lengths of prefixes, each with its share in public BGP tables, in percent.
const LENGTHS: [(u32, u64); 8] = [(24, 60), (23, 10), (22, 11), (21, 5), (20, 5), (19, 4), (18, 2), (16, 3)];

/// Returns `count` different random prefixes in random order.
pub fn routes(count: usize, random: &mut Random) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::with_capacity(count);
    while routes.len() < count {
        let missing = count - routes.len();
        for _ in 0..missing {
            let mut draw = random.below(100);
            let length = LENGTHS.iter().find(|(_, share)| {
                let is_it = draw < *share;
                draw = draw.saturating_sub(*share);
                is_it
            });
            let length = length.map_or(24, |(length, _)| *length);
            // Unicast addresses: 1.0.0.0 to 223.255.255.255.
            let address = 0x0100_0000 + random.below(0xDF00_0000) as u32;
            routes.push(Route { network: address & (u32::MAX << (32 - length)), length });
        }
        routes.sort_unstable();
        routes.dedup();
    }
    random.shuffle(&mut routes);
    routes
}

/// Returns the requests that fill the tables.
pub(super) fn requests(info: &Info, tables: Tables, routes: &[Route], random: &mut Random) -> Vec<Request> {
    let insert = |table: &str, key: Vec<FieldMatch>, priority: Option<u32>, action: &str, data: Vec<Bits>| {
        let table = info.table_named(table).expect("a table of the router");
        let action = info.action_named(table, action).expect("an action of the router");
        let target = Target::Action(ActionCall { action, data });
        Request::Table(table, TableRequest::insert(key, priority, target))
    };
    let mut requests = Vec::with_capacity(routes.len() + tables.rules + NEXT_HOPS as usize);
    for route in routes {
        let key = FieldMatch::Prefix { value: Bits::from_u64(route.network.into(), 32), length: route.length };
        let next_hop = Bits::from_u64(random.below(NEXT_HOPS), 16);
        requests.push(insert("RouterIngress.routes", vec![key], None, "to_next_hop", vec![next_hop]));
    }
    for next_hop in 0..NEXT_HOPS {
        let key = vec![FieldMatch::Exact(Bits::from_u64(next_hop, 16))];
        let data = [(next_hop, 9), (0x0200_0000_0000 | next_hop, 48), (0x0200_0001_0000 | next_hop, 48)];
        let data = data.map(|(value, width)| Bits::from_u64(value, width)).to_vec();
        requests.push(insert("RouterIngress.next_hops", key, None, "forward", data));
    }
    for rule in 0..tables.rules {
        let key = rule_key(routes, random);
        let action = if random.chance(0.5) { "drop" } else { "permit" };
        requests.push(insert("RouterIngress.access_list", key, Some((tables.rules - rule) as u32), action, vec![]));
    }
    requests
}

/// Returns a random key of the access list, as in the rules of firewalls: prefixes of source and destination, protocol
/// and destination port.
pub fn rule_key(routes: &[Route], random: &mut Random) -> Vec<FieldMatch> {
    let mut network = |any: f64| {
        if random.chance(any) {
            return FieldMatch::Any;
        }
        let route = routes[random.below(routes.len() as u64) as usize];
        let length = route.length + random.below(u64::from(33 - route.length)) as u32;
        let mask = u32::MAX << (32 - length);
        let host = route.network | random.bits() as u32 & !(u32::MAX << (32 - route.length));
        let bits = |value: u32| Bits::from_u64(value.into(), 32);
        FieldMatch::Mask { value: bits(host & mask), mask: bits(mask) }
    };
    let (source, destination) = (network(0.2), network(0.1));
    let protocol = if random.chance(0.8) { 6 } else { 17 };
    let protocol = FieldMatch::Mask { value: Bits::from_u64(protocol, 8), mask: Bits::from_u64(0xFF, 8) };
    let range =
        |low: u64, high: u64| FieldMatch::Range { low: Bits::from_u64(low, 16), high: Bits::from_u64(high, 16) };
    let port = match random.below(4) {
        0 => FieldMatch::Any,
        1 => range(1024, 65535),
        _ => {
            let port = random.below(2048);
            range(port, port)
        }
    };
    vec![source, destination, protocol, FieldMatch::Any, port]
}
