//! `dumbbell`: hosts on both sides of one bottleneck link.

use netsim::topology::{CableProperties, Dumbbell, Topology, dumbbell};
use plans::Section;

use super::{Reading, TopologyKind, count, possible};

pub(super) struct Dumbbells;

impl TopologyKind for Dumbbells {
    fn name(&self) -> &'static str {
        "dumbbell"
    }

    fn read(&self, section: &Section<'_>, link: CableProperties, _: &mut Reading<'_>) -> Option<Topology> {
        let (left, right) = (count(section, "left", 8), count(section, "right", 8));
        possible(section, dumbbell(&Dumbbell { left, right, link, bottleneck: link }))
    }
}
