//! The busiest resources, which show whether hosts or the network limit a run.

use basis::Duration;
use netsim::Simulation;
use serde::Serialize;

use super::cabled_ports::CabledPorts;
use super::flows::Flow;

/// A resource, and the share of the time for which it was busy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Busy {
    /// The name of the resource, such as `a core of host-0`.
    pub what: String,
    /// The share of the time from the first start of a flow to the last end of one. It exceeds 1 if packets are
    /// processed after that.
    pub utilisation: f64,
}

/// The counters of hosts with processing costs, and the resources that they belong to.
const OF_HOSTS: [(&str, &str); 3] =
    [("busiest_core_busy_ps", "a core of"), ("pcie_in_busy_ps", "PCIe into"), ("pcie_out_busy_ps", "PCIe out of")];

/// Returns the busiest core, PCIe in each direction, and link, in order of utilisation. Empty if no host has processing
/// costs.
pub(super) fn busiest(ports: &CabledPorts, simulation: &Simulation, flows: &[Flow]) -> Vec<Busy> {
    let ends = |flow: &Flow| [flow.delivered, flow.completed, flow.abandoned].into_iter().flatten().max();
    let begin = flows.iter().map(|flow| flow.started).min().unwrap_or_default();
    let end = flows.iter().map(ends).max().flatten().unwrap_or(simulation.now());
    let lasted = end.since(begin).seconds();
    // The first of equal ones is taken.
    let mut hosts: [Option<(u64, usize)>; OF_HOSTS.len()] = [None; OF_HOSTS.len()];
    for station in 0..ports.stations.len() {
        simulation.station(station).counters(&mut |counter| {
            if let Some(kind) = OF_HOSTS.iter().position(|(name, _)| *name == counter.name)
                && hosts[kind].is_none_or(|(most, _)| counter.value > most)
            {
                hosts[kind] = Some((counter.value, station));
            }
        });
    }
    if hosts.iter().all(Option::is_none) || lasted <= 0.0 {
        return Vec::new();
    }
    let of_host = |(found, (_, words)): (&Option<(u64, usize)>, &(&str, &str))| {
        let (busy, station) = (*found)?;
        let what = format!("{words} {}", ports.stations[station]);
        Some(Busy { what, utilisation: Duration::from_picoseconds(busy).seconds() / lasted })
    };
    let mut all: Vec<Busy> = hosts.iter().zip(&OF_HOSTS).filter_map(of_host).collect();
    let of_link = |port: &super::CabledPort| {
        let (plan, carried) = simulation.carried(port.link(simulation));
        let busy = plan.map_or(Duration::ZERO, |plan| plan.rate.time_of(carried.bytes)).seconds();
        Busy { what: format!("the line from {}", ports.name(port)), utilisation: busy / lasted }
    };
    let links = ports.all.iter().map(of_link);
    all.extend(links.reduce(|most, link| if link.utilisation > most.utilisation { link } else { most }));
    all.retain(|busy| busy.utilisation > 0.0);
    all.sort_by(|one, other| other.utilisation.total_cmp(&one.utilisation));
    all
}
