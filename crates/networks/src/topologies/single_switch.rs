//! `single-switch`: all hosts on one switch.

use netsim::topology::{CableProperties, SingleSwitch, Topology, single_switch};
use plans::Section;

use super::{Reading, TopologyKind, count, possible};

pub(super) struct SingleSwitches;

impl TopologyKind for SingleSwitches {
    fn name(&self) -> &'static str {
        "single-switch"
    }

    fn read(&self, section: &Section<'_>, link: CableProperties, _: &mut Reading<'_>) -> Option<Topology> {
        possible(section, single_switch(&SingleSwitch { hosts: count(section, "hosts", 16), link }))
    }
}
