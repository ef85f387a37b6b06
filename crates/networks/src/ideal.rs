//! How long a flow would take if it were alone: what its slowdown is measured against.

use basis::{Duration, Instant};
use netsim::switch::RoutingTable;
use netsim::topology::{LinePlan, Role, Topology};

use crate::transports::TransportPlan;

/// More hops than any sensible way has; a way that is longer goes round in circles.
const MOST_HOPS: usize = 64;

/// The ways of a network without anybody else on them.
pub struct Ideal {
    /// By station: the tables of switches.
    tables: Vec<Option<RoutingTable>>,
    /// By station and port: what the cable there is like, and whom it leads to.
    cables: Vec<Vec<Option<(LinePlan, usize)>>>,
    addresses: Vec<u32>,
}

/// How a transport cuts messages into packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Payload of a full packet, in bytes.
    pub payload: u64,
    /// What each packet has beside its payload, in bytes.
    pub headers: u64,
}

impl Cut {
    /// That of a transport.
    pub fn of(plan: &dyn TransportPlan) -> Self {
        Self { payload: u64::from(plan.payload_bytes()), headers: u64::from(plan.header_bytes()) }
    }
}

impl Ideal {
    /// Those of a topology.
    pub fn new(topology: &Topology) -> Self {
        let mut cables: Vec<Vec<Option<(LinePlan, usize)>>> = vec![Vec::new(); topology.stations.len()];
        for cable in &topology.cables {
            for [(from, port), (to, _)] in cable.directions() {
                let ports = &mut cables[from];
                if ports.len() <= usize::from(port) {
                    ports.resize(usize::from(port) + 1, None);
                }
                ports[usize::from(port)] = Some((cable.line, to));
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

    /// The lines of a way from one host to another: the first of equally good ones. `None` if no way leads there.
    pub fn way(&self, from: usize, to: usize) -> Option<Vec<LinePlan>> {
        let destination = *self.addresses.get(to)?;
        let mut lines = Vec::new();
        let (mut station, mut port) = (from, 0u16);
        while lines.len() < MOST_HOPS {
            let (line, next) = (*self.cables.get(station)?.get(usize::from(port))?)?;
            lines.push(line);
            if next == to {
                return Some(lines);
            }
            port = *self.tables[next].as_ref()?.find(destination)?.1.first()?;
            station = next;
        }
        None
    }

    /// How long so many bytes take from one host to another: every packet as soon as the line is free, with nothing
    /// else on any line.
    pub fn time(&self, from: usize, to: usize, bytes: u64, cut: Cut) -> Option<Duration> {
        Some(time(&self.way(from, to)?, bytes, cut))
    }
}

/// Packets of one length go through a chain of lines as fast as the slowest lets them; the last, which may be
/// shorter, cannot overtake them.
fn time(lines: &[LinePlan], bytes: u64, cut: Cut) -> Duration {
    let payload = cut.payload.max(1);
    let packets = bytes.div_ceil(payload).max(1);
    let last = bytes - (packets - 1) * payload;
    // When the last but one has left each line (it is a full one), and when the last has arrived behind it.
    let (mut first, mut slowest, mut arrived) = (Instant::ZERO, Duration::ZERO, Instant::ZERO);
    for line in lines {
        let time_of = |bytes: u64| line.rate.time_of(bytes + cut.headers + u64::from(line.framing));
        let full = time_of(payload);
        slowest = slowest.max(full);
        let mut free = Instant::ZERO;
        if packets > 1 {
            free = first + full + slowest.times(packets - 2);
            first = first + full + line.delay;
        }
        arrived = arrived.max(free) + time_of(last) + line.delay;
    }
    arrived.since(Instant::ZERO)
}

#[cfg(test)]
mod tests {
    use basis::Rate;

    use super::*;

    /// Every packet on every line, one after the other.
    fn counted_out(lines: &[LinePlan], bytes: u64, cut: Cut) -> Duration {
        let mut free = vec![Instant::ZERO; lines.len()];
        let (mut left, mut done) = (bytes, Instant::ZERO);
        while left > 0 {
            let payload = left.min(cut.payload);
            left -= payload;
            let mut at = Instant::ZERO;
            for (line, free) in lines.iter().zip(&mut free) {
                *free = (*free).max(at) + line.rate.time_of(payload + cut.headers + u64::from(line.framing));
                at = *free + line.delay;
            }
            done = at;
        }
        done.since(Instant::ZERO)
    }

    #[test]
    fn the_formula_is_what_counting_out_every_packet_gives() {
        let line = |gigabits, microseconds| LinePlan {
            rate: Rate::from_gigabits_per_second(gigabits),
            delay: Duration::from_microseconds(microseconds),
            framing: 24,
            mtu: 9216,
        };
        let cut = Cut { payload: 1436, headers: 64 };
        for lines in [
            vec![line(100, 1)],
            vec![line(100, 1), line(100, 2), line(100, 1)],
            vec![line(100, 1), line(10, 1), line(40, 1)],
            vec![line(10, 1), line(100, 0), line(25, 3)],
        ] {
            for bytes in [1, 1435, 1436, 1437, 2872, 2900, 100_000, 450_000] {
                assert_eq!(time(&lines, bytes, cut), counted_out(&lines, bytes, cut), "{bytes} bytes");
            }
        }
    }
}
