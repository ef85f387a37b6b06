//! `graph`: stations and cables from a file.

use netsim::topology::{CableProperties, Topology, read_graph};
use plans::Section;

use super::{Reading, TopologyKind};

pub(super) struct Graphs;

impl TopologyKind for Graphs {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn first_entry(&self) -> &'static str {
        "file"
    }

    fn read(&self, section: &Section<'_>, _: CableProperties, reading: &mut Reading<'_>) -> Option<Topology> {
        if !section.require("file", "the file of the graph: file = \"network.txt\"") {
            return None;
        }
        let (file, span) = section.text("file")?;
        let (name, text) = reading.text(section, &file, &span)?;
        let id = reading.sources.add(name, text);
        read_graph(reading.sources, id).map_err(|found| reading.found.extend(found)).ok()
    }
}
