//! The topologies that plans can name in `[topology]`.
//!
//! A topology is a [`TopologyKind`]: it has a name, and turns its section into the stations and cables of a network.
//! [`ALL`] lists those of Polyplane; a [`Registry`](crate::Registry) may have others.

mod dumbbell;
mod fat_tree;
mod graph;
mod lab;
mod leaf_spine;
mod parking_lot;
mod single_switch;

use std::ops::Range;
use std::path::Path;

use diagnostics::{Diagnostics, Sources};
use netsim::topology::{CableProperties, Impossible, Role, Topology};
use plans::Section;

use crate::plan::names::joins;
use crate::plan::{LinkPlan, ReadText};

/// Every topology of Polyplane.
pub static ALL: [&dyn TopologyKind; 7] = [
    &fat_tree::FatTrees,
    &leaf_spine::LeafSpines,
    &single_switch::SingleSwitches,
    &dumbbell::Dumbbells,
    &parking_lot::ParkingLots,
    &graph::Graphs,
    &lab::Labs,
];

/// The topology of a section without `kind`.
const USUAL: &str = "single-switch";

/// A topology that plans can name.
pub trait TopologyKind: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &'static str;

    /// Returns the name of the entry that stands first in the short form of the command line: `fat-tree:8` is
    /// `fat-tree:k=8`.
    fn first_entry(&self) -> &'static str {
        "hosts"
    }

    /// Reads the section and makes the topology, with cables whose links have the properties of `link` unless the
    /// section says otherwise. Returns `None` after reporting errors to the section or to `reading`.
    fn read(&self, section: &Section<'_>, link: CableProperties, reading: &mut Reading<'_>) -> Option<Topology>;
}

/// Reads a count without a limit; the topology itself refuses impossible counts.
fn count(section: &Section<'_>, name: &'static str, default: u64) -> u32 {
    section.count(name, 0..=u64::from(u32::MAX), default) as u32
}

/// Returns the topology, or `None` after reporting to the section why it is impossible.
fn possible(section: &Section<'_>, made: Result<Topology, Impossible>) -> Option<Topology> {
    made.map_err(|Impossible { field, message, hint }| section.error(&section.span_of(field), message, hint)).ok()
}

/// The context in which a topology reads files.
pub struct Reading<'r> {
    /// The folder to which file names are relative.
    pub folder: &'r Path,
    /// Reads the texts of files.
    pub files: &'r ReadText,
    /// The texts that diagnostics point into.
    pub sources: &'r mut Sources,
    /// The diagnostics about files.
    pub found: &'r mut Diagnostics,
    /// The names and texts of the files that were read.
    pub inputs: &'r mut Vec<(String, String)>,
}

impl Reading<'_> {
    /// Reads the file that an entry names and returns its name and text, or `None` after reporting that it cannot be
    /// read.
    pub fn text(&mut self, section: &Section<'_>, file: &str, span: &Range<usize>) -> Option<(String, String)> {
        let path = self.folder.join(file);
        let name = path.display().to_string();
        match (self.files)(&path) {
            Ok(text) => {
                self.inputs.push((name.clone(), text.clone()));
                Some((name, text))
            }
            Err(error) => {
                let hint = "file names are relative to the folder of the plan";
                section.error(span, format!("`{name}` cannot be read: {error}"), hint);
                None
            }
        }
    }
}

/// Reads the section, and appends its text to `plan`. Returns a description of the network in words, and the network.
pub(crate) fn topology(
    section: Section<'_>,
    kinds: &[&'static dyn TopologyKind],
    link: &LinkPlan,
    reading: &mut Reading<'_>,
    plan: &mut String,
) -> Option<(String, Topology)> {
    if !section.is_given() {
        let hint = "add [topology] with `kind`, such as kind = \"fat-tree\" and k = 8";
        section.error(section.span(), "a plan without a topology", hint);
        return None;
    }
    section.require("kind", "the kind of topology: kind = \"fat-tree\"");
    let named: Vec<(&str, &dyn TopologyKind)> = kinds.iter().map(|kind| (kind.name(), *kind)).collect();
    let topology = section.choice("kind", &named, USUAL).read(&section, link.line, reading);
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
                topology.cables[at].link = *line;
            }
        }
    }
    Some((in_words(&topology), topology))
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
