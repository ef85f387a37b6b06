//! `leaf-spine`: two levels of switches, each leaf connected to each spine.

use netsim::topology::{CableProperties, LeafSpine, Topology, leaf_spine};
use plans::Section;

use super::{Reading, TopologyKind, count, possible};

pub(super) struct LeafSpines;

impl TopologyKind for LeafSpines {
    fn name(&self) -> &'static str {
        "leaf-spine"
    }

    fn read(&self, section: &Section<'_>, link: CableProperties, _: &mut Reading<'_>) -> Option<Topology> {
        let plan = LeafSpine {
            leaves: count(section, "leaves", 4),
            spines: count(section, "spines", 4),
            hosts: count(section, "hosts", 4),
            uplinks: count(section, "uplinks", 1),
            host_link: link,
            spine_link: link,
        };
        possible(section, leaf_spine(&plan))
    }
}
