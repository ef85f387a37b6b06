//! `parking-lot`: a chain of switches, each with hosts.

use netsim::topology::{CableProperties, ParkingLot, Topology, parking_lot};
use plans::Section;

use super::{Reading, TopologyKind, count, possible};

pub(super) struct ParkingLots;

impl TopologyKind for ParkingLots {
    fn name(&self) -> &'static str {
        "parking-lot"
    }

    fn read(&self, section: &Section<'_>, line: CableProperties, _: &mut Reading<'_>) -> Option<Topology> {
        let plan = ParkingLot {
            switches: count(section, "switches", 4),
            hosts: count(section, "hosts", 2),
            host_line: line,
            chain_line: line,
        };
        possible(section, parking_lot(&plan))
    }
}
