//! Makes the entries of the router's tables, which have the same names on both architectures, and the rates of its meters.

use basis::Random;
use control::{ActionCall, ElementSelection, Info, MeterRequest, Request, TableRequest, Target};
use runtime::tables::FieldMatch;
use runtime::{Bits, MeterRates};

use crate::router::{Route, rule_key};

/// The number of next hops.
const NEXT_HOPS: u64 = 64;
/// The number of ports, each the first of four lanes.
pub(super) const PORTS: u64 = 16;
const LANES: u64 = 4;
/// One of so many rules denies; the others put packets into classes.
const DENIES_ONE_OF: usize = 16;

/// More than any packets need.
const FAST: MeterRates =
    MeterRates { committed_rate: 1 << 40, committed_burst: 1 << 40, peak_rate: 1 << 40, peak_burst: 1 << 40 };

/// Returns a port by its place among those that the router uses.
pub(super) fn port(place: u64) -> u16 {
    (place % PORTS * LANES) as u16
}

/// Returns the requests that fill the tables. No packet is above the rates of the meters.
pub(super) fn requests(info: &Info, routes: &[Route], rules: usize, random: &mut Random) -> Vec<Request> {
    let insert = |table: &str, key: Vec<FieldMatch>, priority: Option<u32>, action: &str, data: Vec<Bits>| {
        let table = info.table_named(table).expect("a table of the router");
        let action = info.action_named(table, action).expect("an action of the router");
        let target = Target::Action(ActionCall { action, data });
        Request::Table(table, TableRequest::insert(key, priority, target))
    };
    let mut requests = Vec::new();
    for route in routes {
        let key = FieldMatch::Prefix { value: Bits::from_u64(route.network.into(), 32), length: route.length };
        let next_hop = Bits::from_u64(random.below(NEXT_HOPS), 16);
        requests.push(insert("routes", vec![key], None, "to_next_hop", vec![next_hop]));
    }
    for next_hop in 0..NEXT_HOPS {
        let key = vec![FieldMatch::Exact(Bits::from_u64(next_hop, 16))];
        let data = [(port(next_hop).into(), 9), (0x0200_0001_0000 | next_hop, 48)];
        let data = data.map(|(value, width)| Bits::from_u64(value, width)).to_vec();
        requests.push(insert("next_hops", key, None, "forward", data));
    }
    for place in 0..PORTS {
        let key = vec![FieldMatch::Exact(Bits::from_u64(port(place).into(), 9))];
        requests.push(insert(
            "interfaces",
            key,
            None,
            "set_source",
            vec![Bits::from_u64(0x0200_0000_0000 | place, 48)],
        ));
    }
    for rule in 0..rules {
        let key = rule_key(routes, random);
        let (action, data) = match rule % DENIES_ONE_OF {
            0 => ("deny", vec![]),
            class => ("permit", vec![Bits::from_u64(class as u64, 8)]),
        };
        requests.push(insert("access_list", key, Some((rules - rule) as u32), action, data));
    }
    for meter in ["class_rates", "next_hop_rates"] {
        let meter = info.meter_named(meter).expect("a meter of the router");
        requests.push(Request::Meter(meter, MeterRequest::Set(ElementSelection::All, Some(FAST))));
    }
    requests
}
