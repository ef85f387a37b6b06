//! `[topology]`: what is connected with what.

use std::ops::Range;
use std::path::Path;

use diagnostics::{Diagnostics, Sources};
use netsim::topology::{self, Dumbbell, FatTree, Impossible, LeafSpine, ParkingLot, Role, Topology};

use super::LinkPlan;
use super::names::joins;
use super::section::Section;
use files::read_text;

#[derive(Clone, Copy)]
enum Kind {
    Single,
    Dumbbell,
    LeafSpine,
    FatTree,
    ParkingLot,
    Graph,
}

const KINDS: [(&str, Kind); 6] = [
    ("fat-tree", Kind::FatTree),
    ("leaf-spine", Kind::LeafSpine),
    ("single-switch", Kind::Single),
    ("dumbbell", Kind::Dumbbell),
    ("parking-lot", Kind::ParkingLot),
    ("graph", Kind::Graph),
];

/// What files are read with.
pub(super) struct Reading<'r> {
    /// Where files are looked for.
    pub folder: &'r Path,
    /// Texts that findings point into.
    pub sources: &'r mut Sources,
    /// What is wrong with files.
    pub found: &'r mut Diagnostics,
    /// What was read.
    pub inputs: &'r mut Vec<(String, String)>,
}

impl Reading<'_> {
    /// The text of a file that an entry names; says so if it cannot be read.
    pub fn text(&mut self, section: &Section<'_>, file: &str, span: &Range<usize>) -> Option<(String, String)> {
        let path = self.folder.join(file);
        let name = path.display().to_string();
        match read_text(&path) {
            Ok(text) => {
                self.inputs.push((name.clone(), text.clone()));
                Some((name, text))
            }
            Err(error) => {
                let hint = "files are looked for from the folder of the plan on";
                section.error(span, format!("`{name}` cannot be read: {error}"), hint);
                None
            }
        }
    }
}

/// Reads the section, which adds itself to `plan`: the network in words, and the network.
pub(super) fn topology(
    section: Section<'_>,
    link: &LinkPlan,
    reading: &mut Reading<'_>,
    plan: &mut String,
) -> Option<(String, Topology)> {
    if !section.is_given() {
        let hint = "add [topology] with `kind`, such as kind = \"fat-tree\" and k = 8";
        section.error(section.span(), "a network without a topology", hint);
        return None;
    }
    section.require("kind", "what is connected: kind = \"fat-tree\"");
    let kind = section.choice("kind", &KINDS, "single-switch");
    let topology = match kind {
        Kind::Graph => graph(&section, reading),
        _ => made(&section, kind, link),
    };
    let is_host = |role: &Role| matches!(role, Role::Host { .. });
    if let Some(topology) = &topology
        && topology.hosts().len() < topology.stations.iter().filter(|station| is_host(&station.role)).count()
    {
        section.error(section.span(), "a host without a cable", "connect every host, or leave it out");
    }
    section.end(plan);
    let mut topology = topology?;
    for at in 0..topology.cables.len() {
        for (patterns, line) in &link.between {
            if joins(patterns, &topology.cables[at], &topology) {
                topology.cables[at].line = *line;
            }
        }
    }
    Some((in_words(&topology), topology))
}

fn made(section: &Section<'_>, kind: Kind, link: &LinkPlan) -> Option<Topology> {
    let line = link.line;
    // What can be is the topology's business, which says so.
    let count = |name, default| section.count(name, 0..=u64::from(u32::MAX), default) as u32;
    let made = match kind {
        Kind::Single => topology::single_switch(&topology::SingleSwitch { hosts: count("hosts", 16), line }),
        Kind::Dumbbell => {
            let (left, right) = (count("left", 8), count("right", 8));
            topology::dumbbell(&Dumbbell { left, right, line, bottleneck: line })
        }
        Kind::LeafSpine => topology::leaf_spine(&LeafSpine {
            leaves: count("leaves", 4),
            spines: count("spines", 4),
            hosts: count("hosts", 4),
            uplinks: count("uplinks", 1),
            host_line: line,
            spine_line: line,
        }),
        Kind::FatTree => topology::fat_tree(&FatTree {
            oversubscription: count("oversubscription", 1),
            ..FatTree::new(count("k", 4), line)
        }),
        Kind::ParkingLot => topology::parking_lot(&ParkingLot {
            switches: count("switches", 4),
            hosts: count("hosts", 2),
            host_line: line,
            chain_line: line,
        }),
        Kind::Graph => return None,
    };
    made.map_err(|Impossible { field, message, hint }| section.error(&section.span_of(field), message, hint)).ok()
}

fn graph(section: &Section<'_>, reading: &mut Reading<'_>) -> Option<Topology> {
    if !section.require("file", "the file of the graph: file = \"network.txt\"") {
        return None;
    }
    let (file, span) = section.text("file")?;
    let (name, text) = reading.text(section, &file, &span)?;
    let id = reading.sources.add(name, text);
    topology::read_graph(reading.sources, id).map_err(|found| reading.found.extend(found)).ok()
}

fn in_words(topology: &Topology) -> String {
    let is_host = |role: &Role| matches!(role, Role::Host { .. });
    let hosts = topology.stations.iter().filter(|station| is_host(&station.role)).count();
    let switches = topology.stations.len() - hosts;
    let counted = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "{}, {}, {}",
        counted(hosts, "host", "hosts"),
        counted(switches, "switch", "switches"),
        counted(topology.cables.len(), "cable", "cables")
    )
}
