//! The racks of a job: its workers, by the switch that they are below.

use std::collections::BTreeMap;

use super::{JobNetwork, Mistake};

/// The workers of a job by the switches to which their hosts are connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Racks {
    /// The ranks of the workers below each switch, by the index of the switch in the topology.
    pub by_switch: BTreeMap<usize, Vec<u16>>,
}

impl Racks {
    /// Returns the racks of these workers, which are hosts by rank.
    ///
    /// # Errors
    /// The hosts that are not connected to a switch.
    pub fn of(network: &JobNetwork<'_>, workers: &[usize]) -> Result<Self, Vec<Mistake>> {
        let mut by_switch: BTreeMap<usize, Vec<u16>> = BTreeMap::new();
        let mut mistakes = Vec::new();
        for (rank, &host) in (0..).zip(workers) {
            match edge_switch(network, host, "workers") {
                Ok(switch) => by_switch.entry(switch).or_default().push(rank),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        if mistakes.is_empty() { Ok(Self { by_switch }) } else { Err(mistakes) }
    }
}

/// Returns the switch that a host of a job is connected to, or the mistake at the entry that names the host.
pub fn edge_switch(network: &JobNetwork<'_>, host: usize, entry: &'static str) -> Result<usize, Mistake> {
    network.topology.edge_switch(host).map(|(switch, _)| switch).ok_or_else(|| {
        let message = format!("`{}` is not connected to a switch that could add up", network.name(host));
        Mistake::new(entry, message, "connect the host to a switch, or use a scheme without switches, such as ring")
    })
}
