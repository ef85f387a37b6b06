//! The packets and bytes that links have carried, and their utilisation.

use std::sync::Arc;

use basis::{Duration, Rate};
use netsim::Simulation;
use netsim::topology::CableProperties;
use node::Port;

use super::cabled_ports::{CabledPort, CabledPorts};
use report::{Column, Columns};

/// A link, which is one direction of a cable, and what it has carried.
#[derive(Clone, Copy, Debug)]
pub struct LinkUse {
    /// The port where it begins, and the one where it ends.
    pub ends: CabledPort,
    /// The rate of the link, in bits per second.
    pub rate: u64,
    /// The number of packets that it has carried.
    pub packets: u64,
    /// Their bytes with framing.
    pub bytes: u64,
    /// For how long it has carried them.
    pub busy: Duration,
    /// The part of the time with traffic anywhere for which it has: neither what came before the first flow nor timers
    /// behind the last packet dilute it.
    pub utilisation: f64,
    /// The largest number of bytes with framing that waited for it at once; `None` if it does not begin at a queue.
    pub high_water: Option<u64>,
}

/// Returns the use of each link, in the order of ports.
pub(super) fn uses(ports: &CabledPorts, simulation: &Simulation) -> Vec<LinkUse> {
    let traffic = simulation.traffic().map(|(first, last)| last.since(first).picoseconds());
    let of_port = |port: &CabledPort| {
        let (plan, carried) = simulation.carried(port.link(simulation));
        let rate = plan.map_or(1, |plan: CableProperties| plan.rate.bits_per_second());
        let busy = Rate::from_bits_per_second(rate).time_of(carried.bytes);
        let utilisation = traffic.map_or(0.0, |traffic| busy.picoseconds() as f64 / traffic.max(1) as f64);
        let high_water = simulation.station(port.station as usize).high_water(Port(port.port));
        let (packets, bytes) = (carried.packets, carried.bytes);
        LinkUse { ends: *port, rate, packets, bytes, busy, utilisation, high_water }
    };
    ports.all.iter().map(of_port).collect()
}

/// Returns `links.csv`: a row for each link, which is one direction of a cable. Utilisation is relative to the time in
/// which there was traffic on any link, so that neither the time before the first flow nor timers after the last packet
/// lower it.
pub(super) fn table(ports: &CabledPorts, links: &[LinkUse]) -> Columns {
    let names = |of: fn(&CabledPort) -> u32| Column::Names {
        names: Arc::clone(&ports.stations),
        rows: links.iter().map(|link| of(&link.ends)).collect(),
    };
    let counts = |of: fn(&LinkUse) -> u64| Column::Counts(links.iter().map(of).collect());
    Columns {
        name: "links",
        columns: vec![
            ("from", names(|port| port.station)),
            ("from_port", counts(|link| link.ends.port.into())),
            ("to", names(|port| port.other)),
            ("to_port", counts(|link| link.ends.other_port.into())),
            ("rate_bits_per_second", counts(|link| link.rate)),
            ("packets", counts(|link| link.packets)),
            ("bytes_on_wire", counts(|link| link.bytes)),
            ("utilisation", Column::Numbers(links.iter().map(|link| link.utilisation).collect())),
            ("busy_ps", counts(|link| link.busy.picoseconds())),
            ("queue_high_water_bytes", Column::Optional(links.iter().map(|link| link.high_water).collect())),
        ],
    }
}
