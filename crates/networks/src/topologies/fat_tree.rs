//! `fat-tree`: three levels of switches with k ports each.

use netsim::topology::{CableProperties, FatTree, Topology, fat_tree};
use plans::Section;

use super::{Reading, TopologyKind, count, possible};

pub(super) struct FatTrees;

impl TopologyKind for FatTrees {
    fn name(&self) -> &'static str {
        "fat-tree"
    }

    fn first_entry(&self) -> &'static str {
        "k"
    }

    fn read(&self, section: &Section<'_>, link: CableProperties, _: &mut Reading<'_>) -> Option<Topology> {
        let oversubscription = count(section, "oversubscription", 1);
        possible(section, fat_tree(&FatTree { oversubscription, ..FatTree::new(count(section, "k", 4), link) }))
    }
}
