//! Switches that packets of jobs are addressed to.

use netsim::topology::Role;

use super::{JobNetwork, Mistake};
use crate::jobs::racks::edge_switch;

/// The addresses of switches begin behind this one; hosts of generated topologies are in 10.0.0.0/8 (RFC 1918).
const FIRST: u32 = 172 << 24 | 16 << 16;

/// Returns the IPv4 address of a switch, by its index in the topology: 172.16.0.1 for the station 0, and so on.
pub fn switch_address(switch: usize) -> u32 {
    FIRST + 1 + switch as u32
}

impl JobNetwork<'_> {
    /// Returns the switch of a name, or, if none is given, the one that the first worker is connected to.
    ///
    /// # Errors
    /// If there is no switch of this name, or the worker is connected to none.
    pub fn switch(&self, name: Option<&str>, workers: &[usize]) -> Result<usize, Vec<Mistake>> {
        let stations = &self.topology.stations;
        let Some(name) = name else {
            return edge_switch(self, workers[0], "workers").map_err(|mistake| vec![mistake]);
        };
        let is_it =
            |station: &netsim::topology::StationPlan| station.name == name && matches!(station.role, Role::Switch(_));
        stations.iter().position(is_it).ok_or_else(|| {
            let hint = "name the switch that adds up last, such as \"leaf-0\"";
            vec![Mistake::new("switch", format!("there is no switch called `{name}`"), hint)]
        })
    }

    /// Returns a switch as high above the hosts as paths between workers go: that in the middle of the path from the first
    /// worker to the last. Of equally good ports, `choice` selects one.
    pub fn highest_switch(&self, workers: &[usize], choice: u8) -> usize {
        let (first, last) = (workers[0], workers[workers.len() - 1]);
        let path = self.topology.path(first, last, choice.into()).unwrap_or_default();
        let tier = |station: usize| match &self.topology.stations[station].role {
            Role::Switch(plan) => Some((plan.tier, station)),
            Role::Host { .. } => None,
        };
        let highest = path.iter().filter_map(|hop| tier(hop.station)).max_by_key(|&(tier, _)| tier);
        highest.map_or(first, |(_, station)| station)
    }
}
