//! Topologies in short notation: `fat-tree:k=8`, `leaf-spine:leaves=4,spines=2,hosts=16,line=100G/1us`.

use std::ops::Range;

use basis::{Duration, Rate};
use diagnostics::{Diagnostic, Diagnostics, Findings, SourceId, Sources, Span, did_you_mean};

use super::{
    CableProperties, Dumbbell, FatTree, Impossible, LeafSpine, ParkingLot, SingleSwitch, Topology, dumbbell, fat_tree,
    leaf_spine, parking_lot, single_switch,
};

/// The plan of a regular topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopologyPlan {
    /// Hosts around one switch.
    SingleSwitch(SingleSwitch),
    /// Two switches and a cable between them.
    Dumbbell(Dumbbell),
    /// Leaves and spines.
    LeafSpine(LeafSpine),
    /// A fat tree.
    FatTree(FatTree),
    /// A chain of switches.
    ParkingLot(ParkingLot),
}

/// The default link, 100 Gb/s and a microsecond, which the measurements of NDP's simulator use.
const LINE: CableProperties =
    CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::from_microseconds(1));

const KINDS: [(&str, &str); 5] = [
    ("single-switch", "hosts, line"),
    ("dumbbell", "left, right, line, bottleneck"),
    ("leaf-spine", "leaves, spines, hosts, uplinks, line, spine-line"),
    ("fat-tree", "k, oversubscription, line, edge-line, core-line"),
    ("parking-lot", "switches, hosts, line, chain-line"),
];

impl TopologyPlan {
    /// Parses a short notation: a kind, a colon, and options `name=value` separated by commas. A link is written
    /// `RATE/DELAY` or `RATE/DELAY/MTU`; `line` applies to all cables without an option of their own.
    ///
    /// # Errors
    ///
    /// Returns every mistake with its position.
    pub fn parse(text: &str) -> Result<Self, Findings> {
        let mut sources = Sources::new();
        let id = sources.add("--topology", text);
        Self::read(text, id).map_err(|found| (sources, found))
    }

    fn read(text: &str, id: SourceId) -> Result<Self, Diagnostics> {
        let (kind, options) = text.split_once(':').unwrap_or((text, ""));
        let mut reader = Reader { id, options: Vec::new(), found: Diagnostics::new() };
        let mut at = kind.len() + 1;
        for option in options.split(',').filter(|_| !options.is_empty()) {
            reader.add(option, at..at + option.len());
            at += option.len() + 1;
        }
        let plan = reader.plan(kind);
        let known = KINDS.iter().find(|(name, _)| *name == kind).map_or("", |(_, options)| options);
        if plan.is_none() {
            let names = KINDS.map(|(name, _)| name);
            let hint = did_you_mean(kind, names).unwrap_or_else(|| format!("there are {}", names.join(", ")));
            reader.error(0..kind.len(), format!("`{kind}` is not a topology"), hint);
        } else {
            for (name, at) in std::mem::take(&mut reader.options).into_iter().filter_map(Given::unused) {
                let hint = did_you_mean(name, known.split(", ")).unwrap_or_else(|| format!("there are {known}"));
                reader.error(at, format!("`{kind}` has no option `{name}`"), hint);
            }
        }
        match plan {
            Some(plan) => reader.found.into_result(plan),
            None => Err(reader.found),
        }
    }

    /// Builds the topology.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is out of its range.
    pub fn build(&self) -> Result<Topology, Impossible> {
        match self {
            Self::SingleSwitch(plan) => single_switch(plan),
            Self::Dumbbell(plan) => dumbbell(plan),
            Self::LeafSpine(plan) => leaf_spine(plan),
            Self::FatTree(plan) => fat_tree(plan),
            Self::ParkingLot(plan) => parking_lot(plan),
        }
    }
}

/// An option as it was given.
struct Given<'t> {
    name: &'t str,
    value: &'t str,
    at: Range<usize>,
    is_used: bool,
}

impl<'t> Given<'t> {
    fn unused(self) -> Option<(&'t str, Range<usize>)> {
        (!self.is_used).then(|| (self.name, self.at.start..self.at.start + self.name.len()))
    }
}

struct Reader<'t> {
    id: SourceId,
    options: Vec<Given<'t>>,
    found: Diagnostics,
}

impl<'t> Reader<'t> {
    fn error(&mut self, at: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.found.push(Diagnostic::error(Span::new(self.id, at.start, at.end), message).hint(hint));
    }

    fn add(&mut self, option: &'t str, at: Range<usize>) {
        match option.split_once('=') {
            None => self.error(at, format!("`{option}` is not an option"), "options are written `name=value`"),
            Some((name, _)) if self.options.iter().any(|given| given.name == name) => {
                self.error(at, format!("`{name}` is given twice"), "give it once");
            }
            Some((name, value)) => self.options.push(Given { name, value, at, is_used: false }),
        }
    }

    fn plan(&mut self, kind: &str) -> Option<TopologyPlan> {
        Some(match kind {
            "single-switch" => {
                let (hosts, link) = (self.count("hosts", 2), self.link("line", LINE));
                TopologyPlan::SingleSwitch(SingleSwitch { hosts, link })
            }
            "dumbbell" => {
                let (left, right, link) = (self.count("left", 1), self.count("right", 1), self.link("line", LINE));
                TopologyPlan::Dumbbell(Dumbbell { left, right, link, bottleneck: self.link("bottleneck", link) })
            }
            "leaf-spine" => {
                let host_link = self.link("line", LINE);
                TopologyPlan::LeafSpine(LeafSpine {
                    leaves: self.count("leaves", 2),
                    spines: self.count("spines", 2),
                    hosts: self.count("hosts", 2),
                    uplinks: self.count("uplinks", 1),
                    host_link,
                    spine_link: self.link("spine-line", host_link),
                })
            }
            "fat-tree" => {
                let host_link = self.link("line", LINE);
                TopologyPlan::FatTree(FatTree {
                    k: self.count("k", 4),
                    oversubscription: self.count("oversubscription", 1),
                    host_link,
                    edge_link: self.link("edge-line", host_link),
                    core_link: self.link("core-line", host_link),
                })
            }
            "parking-lot" => {
                let host_link = self.link("line", LINE);
                TopologyPlan::ParkingLot(ParkingLot {
                    switches: self.count("switches", 2),
                    hosts: self.count("hosts", 2),
                    host_link,
                    chain_link: self.link("chain-line", host_link),
                })
            }
            _ => return None,
        })
    }

    fn take(&mut self, name: &str) -> Option<(&'t str, Range<usize>)> {
        let given = self.options.iter_mut().find(|given| given.name == name)?;
        given.is_used = true;
        Some((given.value, given.at.end - given.value.len()..given.at.end))
    }

    fn count(&mut self, name: &str, default: u32) -> u32 {
        let Some((value, at)) = self.take(name) else { return default };
        let count = units::count(value, 1, u16::MAX.into());
        let wrong = |hint| self.error(at, format!("`{value}` is not a valid value for `{name}`"), hint);
        count.map_err(wrong).map_or(default, |count| count as u32)
    }

    fn link(&mut self, name: &str, default: CableProperties) -> CableProperties {
        let Some((value, at)) = self.take(name) else { return default };
        // The slash of `Gb/s` does not separate parts.
        let parts: Vec<String> = value.replace("b/s", "").split('/').map(str::to_owned).collect();
        let read = || {
            let (rate, delay, mtu) = match &parts[..] {
                [rate, delay] => (rate, delay, None),
                [rate, delay, mtu] => (rate, delay, Some(mtu)),
                _ => return None,
            };
            let mtu =
                mtu.map_or(Some(CableProperties::MTU), |mtu| units::count(mtu, 64, 65_535).ok().map(|mtu| mtu as u32));
            Some(CableProperties {
                mtu: mtu?,
                ..CableProperties::ethernet(units::rate(rate).ok()?, units::duration(delay).ok()?)
            })
        };
        read().unwrap_or_else(|| {
            self.error(at, format!("`{value}` is not a valid link"), "such as `100G/1us` or `400G/500ns/9216`");
            default
        })
    }
}
