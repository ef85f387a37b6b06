//! The ideal flow completion time: that of the flow alone in the network. The slowdown of a flow is relative to it.

use basis::{Duration, Instant};
use netsim::switch::RoutingTable;
use netsim::topology::{CableProperties, Role, Topology};

use crate::transports::TransportPlan;

/// The greatest number of hops of a path; a longer one is taken for a routing loop.
const MOST_HOPS: usize = 64;

/// The paths of an otherwise empty network.
pub struct Ideal {
    /// The routing tables of switches, by station; `None` for hosts.
    tables: Vec<Option<RoutingTable>>,
    /// By station and port, the link that begins there and the station at its other end.
    cables: Vec<Vec<Option<(CableProperties, usize)>>>,
    addresses: Vec<u32>,
}

/// The way in which a transport cuts messages into packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The payload of a full packet, in bytes.
    pub payload: u64,
    /// The bytes of each packet that are not payload.
    pub headers: u64,
}

impl Cut {
    /// Returns how a transport cuts messages.
    pub fn of(plan: &dyn TransportPlan) -> Self {
        Self { payload: u64::from(plan.payload_bytes()), headers: u64::from(plan.header_bytes()) }
    }
}

impl Ideal {
    /// Makes the paths of a topology.
    pub fn new(topology: &Topology) -> Self {
        let mut cables: Vec<Vec<Option<(CableProperties, usize)>>> = vec![Vec::new(); topology.stations.len()];
        for cable in &topology.cables {
            for [(from, port), (to, _)] in cable.directions() {
                let ports = &mut cables[from];
                if ports.len() <= usize::from(port) {
                    ports.resize(usize::from(port) + 1, None);
                }
                ports[usize::from(port)] = Some((cable.link, to));
            }
        }
        let table = |role: &Role| match role {
            Role::Switch(plan) => Some(RoutingTable::new(&plan.routes)),
            Role::Host { .. } => None,
        };
        let address = |role: &Role| match role {
            Role::Host { address, .. } => Some(*address),
            Role::Switch(_) => None,
        };
        Self {
            tables: topology.stations.iter().map(|station| table(&station.role)).collect(),
            cables,
            addresses: topology.stations.iter().filter_map(|station| address(&station.role)).collect(),
        }
    }

    /// Returns the links of a path from one host to another, the first of several equal ones; `None` if there is no
    /// path.
    pub fn way(&self, from: usize, to: usize) -> Option<Vec<CableProperties>> {
        let destination = *self.addresses.get(to)?;
        let mut links = Vec::new();
        let (mut station, mut port) = (from, 0u16);
        while links.len() < MOST_HOPS {
            let (link, next) = (*self.cables.get(station)?.get(usize::from(port))?)?;
            links.push(link);
            if next == to {
                return Some(links);
            }
            port = *self.tables[next].as_ref()?.find(destination)?.1.first()?;
            station = next;
        }
        None
    }

    /// Returns the time that a message of `bytes` takes from one host to another if each packet is sent as soon as the
    /// link is free and there is no other traffic; `None` if there is no path.
    pub fn time(&self, from: usize, to: usize, bytes: u64, cut: Cut) -> Option<Duration> {
        Some(time(&self.way(from, to)?, bytes, cut))
    }
}

/// Packets of equal length pass a chain of links at the rate of the slowest; the last packet may be shorter but cannot
/// overtake them.
fn time(links: &[CableProperties], bytes: u64, cut: Cut) -> Duration {
    let payload = cut.payload.max(1);
    let packets = bytes.div_ceil(payload).max(1);
    let last = bytes - (packets - 1) * payload;
    // `free` is when the last but one packet, a full one, has left a link; `arrived` is when the last packet has
    // arrived.
    let (mut first, mut slowest, mut arrived) = (Instant::ZERO, Duration::ZERO, Instant::ZERO);
    for link in links {
        let time_of = |bytes: u64| link.rate.time_of(bytes + cut.headers + u64::from(link.framing));
        let full = time_of(payload);
        slowest = slowest.max(full);
        let mut free = Instant::ZERO;
        if packets > 1 {
            free = first + full + slowest.times(packets - 2);
            first = first + full + link.delay;
        }
        arrived = arrived.max(free) + time_of(last) + link.delay;
    }
    arrived.since(Instant::ZERO)
}

#[cfg(test)]
mod tests {
    use basis::Rate;

    use super::*;

    /// Computes the time packet by packet, link by link.
    fn counted_out(links: &[CableProperties], bytes: u64, cut: Cut) -> Duration {
        let mut free = vec![Instant::ZERO; links.len()];
        let (mut left, mut done) = (bytes, Instant::ZERO);
        while left > 0 {
            let payload = left.min(cut.payload);
            left -= payload;
            let mut at = Instant::ZERO;
            for (link, free) in links.iter().zip(&mut free) {
                *free = (*free).max(at) + link.rate.time_of(payload + cut.headers + u64::from(link.framing));
                at = *free + link.delay;
            }
            done = at;
        }
        done.since(Instant::ZERO)
    }

    #[test]
    fn the_formula_equals_a_computation_packet_by_packet() {
        let link = |gigabits, microseconds| CableProperties {
            rate: Rate::from_gigabits_per_second(gigabits),
            delay: Duration::from_microseconds(microseconds),
            framing: 24,
            mtu: 9216,
        };
        let cut = Cut { payload: 1436, headers: 64 };
        for links in [
            vec![link(100, 1)],
            vec![link(100, 1), link(100, 2), link(100, 1)],
            vec![link(100, 1), link(10, 1), link(40, 1)],
            vec![link(10, 1), link(100, 0), link(25, 3)],
        ] {
            for bytes in [1, 1435, 1436, 1437, 2872, 2900, 100_000, 450_000] {
                assert_eq!(time(&links, bytes, cut), counted_out(&links, bytes, cut), "{bytes} bytes");
            }
        }
    }
}
