//! What is connected with what, and which way packets go.

mod builder;
mod dumbbell;
mod fat_tree;
mod graph;
mod impossible;
mod leaf_spine;
mod parking_lot;
mod plan;
mod single_switch;
mod verify;
mod ways;

use basis::{Duration, Rate};
use demand::HostOf;
use node::Line;

pub use dumbbell::{Dumbbell, dumbbell};
pub use fat_tree::{FatTree, fat_tree};
pub use graph::read_graph;
pub use impossible::Impossible;
pub use leaf_spine::{LeafSpine, leaf_spine};
pub use parking_lot::{ParkingLot, parking_lot};
pub use plan::TopologyPlan;
pub use single_switch::{SingleSwitch, single_switch};

/// A network: stations, and the cables between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// Stations; hosts first, in the order of their numbers.
    pub stations: Vec<StationPlan>,
    /// Cables; a port of a station has at most one.
    pub cables: Vec<Cable>,
}

/// A station before it is built.
#[derive(Clone, Debug, PartialEq)]
pub struct StationPlan {
    /// What people call it: `host-3`, `edge-0-1`.
    pub name: String,
    /// What it is.
    pub role: Role,
}

/// What a station is.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// A host with one port.
    Host {
        /// Its IPv4 address, as a number.
        address: u32,
        /// How many paths there are to the farthest host, for hosts that choose paths; at least 1.
        paths: u32,
    },
    /// A switch.
    Switch(SwitchPlan),
}

/// A switch before it is built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwitchPlan {
    /// How far it is above the hosts: 0 for those that hosts are connected to.
    pub tier: u8,
    /// Where it sends packets; the longest prefix decides.
    pub routes: Vec<Route>,
    /// A path number that a host chose, divided by this, says which of equally good ports a packet takes, modulo
    /// their number: 1 at the first tier, at the next the number of choices below it, and so on.
    pub path_divisor: u32,
}

/// Where packets to a prefix go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The prefix, as a number; zero below its length.
    pub prefix: u32,
    /// Its length in bits, 0 to 32.
    pub length: u8,
    /// Ports that are equally good; not empty.
    pub ports: Vec<u16>,
}

/// A cable between two ports; it carries packets both ways at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cable {
    /// Its ends: an index into [`Topology::stations`] and a port of that station.
    pub ends: [(usize, u16); 2],
    /// What it is like.
    pub line: LinePlan,
}

impl Cable {
    /// Its two directions: the end that sends, and the end where that arrives.
    pub fn directions(&self) -> [[(usize, u16); 2]; 2] {
        let [one, other] = self.ends;
        [[one, other], [other, one]]
    }
}

/// What a cable is like; the same both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePlan {
    /// How fast bits go on it.
    pub rate: Rate,
    /// How long a bit is under way.
    pub delay: Duration,
    /// What each packet takes on it beside its own bytes, in bytes.
    pub framing: u32,
    /// The longest packet that it carries, in bytes from the first of Ethernet's, without frame check sequence.
    pub mtu: u32,
}

impl LinePlan {
    /// The longest packet that a cable carries unless a plan says otherwise: jumbo frames, as switches take them.
    pub const MTU: u32 = 9216;

    /// A cable of Ethernet for jumbo frames.
    pub const fn ethernet(rate: Rate, delay: Duration) -> Self {
        Self { rate, delay, framing: Line::ETHERNET_FRAMING, mtu: Self::MTU }
    }
}

impl Topology {
    /// Its hosts, in the order of their numbers: the first stations. A host without a cable has none to send on, and
    /// is left out.
    pub fn hosts(&self) -> Vec<HostOf> {
        let host = |(station, line): (&StationPlan, Option<Line>)| match (&station.role, line) {
            (Role::Host { address, .. }, Some(line)) => Some(HostOf { address: *address, rate: line.rate() }),
            _ => None,
        };
        self.stations.iter().zip(self.host_lines()).filter_map(host).collect()
    }

    /// For each station, the line that it sends on if it is a host with a cable; `None` for the others.
    pub fn host_lines(&self) -> Vec<Option<Line>> {
        let mut lines = vec![None; self.stations.len()];
        for cable in &self.cables {
            for (station, _) in cable.ends {
                if let Role::Host { .. } = self.stations[station].role {
                    lines[station] = Some(Line::new(cable.line.rate, cable.line.framing));
                }
            }
        }
        lines
    }
}
