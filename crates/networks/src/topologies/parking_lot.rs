//! `parking-lot`: a chain of switches, each with hosts.

use netsim::topology::{CableProperties, ParkingLot, Topology, parking_lot};
use plans::Section;

use super::{Reading, TopologyKind, count, possible};

pub(super) struct ParkingLots;

impl TopologyKind for ParkingLots {
    fn name(&self) -> &'static str {
        "parking-lot"
    }

    fn read(&self, section: &Section<'_>, link: CableProperties, _: &mut Reading<'_>) -> Option<Topology> {
        let plan = ParkingLot {
            switches: count(section, "switches", 4),
            hosts: count(section, "hosts", 2),
            host_link: link,
            chain_link: link,
        };
        possible(section, parking_lot(&plan))
    }
}
