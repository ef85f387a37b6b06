//! The switches of a network: routing or a program decides where a packet goes, and queues hold the packets that wait.
//!
//! A [`Router`] is a fixed-function switch: the longest prefix decides, then one of several equally good ports is
//! chosen. A [`ProgramSwitch`] is any machine that runs a program. Both queue packets at their outputs.

mod program;
mod router;
mod routing_table;
mod spread;

use basis::Rate;
use queues::{BufferPlan, DisciplinePlan, PortPlan};

use crate::topology::{Role, Topology};

pub use program::ProgramSwitch;
pub use router::Router;
pub use routing_table::RoutingTable;
pub use spread::Spread;

/// Returns the plans of the ports of every station of a topology, all with queues of the same discipline.
///
/// Ports without a cable are included, with a link of 1 b/s that nothing is routed to.
pub fn port_plans(topology: &Topology, discipline: &DisciplinePlan) -> Vec<Vec<PortPlan>> {
    let plan = |rate, framing, is_last_hop| PortPlan { rate, framing, is_last_hop, discipline: discipline.clone() };
    let mut stations = vec![Vec::new(); topology.stations.len()];
    for cable in &topology.cables {
        for [(from, port), (to, _)] in cable.directions() {
            let (ports, index) = (&mut stations[from], usize::from(port));
            while ports.len() <= index {
                ports.push(plan(Rate::from_bits_per_second(1), 0, false));
            }
            let is_last_hop = matches!(topology.stations[to].role, Role::Host { .. });
            ports[index] = plan(cable.link.rate, cable.link.framing, is_last_hop);
        }
    }
    stations
}

/// The parameters that all switches of a network have in common.
#[derive(Clone, Debug)]
pub struct SwitchParameters {
    /// The queue discipline of each port.
    pub discipline: DisciplinePlan,
    /// The memory that the ports share.
    pub buffer: BufferPlan,
    /// The way in which one of several equally good ports is chosen.
    pub spread: Spread,
    /// The seed of the run; each switch draws from streams of its own.
    pub seed: u64,
}
