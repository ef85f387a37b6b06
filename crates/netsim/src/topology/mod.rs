//! Topologies: which stations are connected by which cables, and the routes of the switches.

mod builder;
mod dumbbell;
mod fat_tree;
mod graph;
mod impossible;
mod leaf_spine;
mod parking_lot;
mod plan;
mod single_switch;
mod tree;
mod verify;
mod ways;

use basis::{Duration, Rate};
use demand::HostOf;
use node::Link;

pub use dumbbell::{Dumbbell, dumbbell};
pub use fat_tree::{FatTree, fat_tree};
pub use graph::{add_shortest_routes, read_graph};
pub use impossible::Impossible;
pub use leaf_spine::{LeafSpine, leaf_spine};
pub use parking_lot::{ParkingLot, parking_lot};
pub use plan::TopologyPlan;
pub use single_switch::{SingleSwitch, single_switch};
pub use tree::{Hop, Tree, TreeNode};

/// A network: stations, and the cables between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Topology {
    /// The stations; hosts first, in the order of their numbers.
    pub stations: Vec<StationPlan>,
    /// The cables; a port of a station has at most one.
    pub cables: Vec<Cable>,
}

/// The plan of a station.
#[derive(Clone, Debug, PartialEq)]
pub struct StationPlan {
    /// The name for users: `host-3`, `edge-0-1`.
    pub name: String,
    /// Whether the station is a host or a switch.
    pub role: Role,
}

/// The role of a station.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// A host with one port.
    Host {
        /// The host's IPv4 address, as a number.
        address: u32,
        /// The number of paths to the farthest host, for hosts that choose paths; at least 1.
        paths: u32,
    },
    /// A switch.
    Switch(SwitchPlan),
}

/// The plan of a switch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwitchPlan {
    /// The switch's distance above the hosts: 0 for switches that hosts are connected to.
    pub tier: u8,
    /// The routes of the switch; the longest prefix decides.
    pub routes: Vec<Route>,
    /// The divisor of path numbers. A path number that a host chose, divided by this and modulo the number of equally
    /// good ports, selects the port: 1 at the first tier, at the next the number of choices below it, and so on.
    pub path_divisor: u32,
}

/// The ports for packets to a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The prefix as a number; zero below its length.
    pub prefix: u32,
    /// The length of the prefix in bits, 0 to 32.
    pub length: u8,
    /// The equally good ports; not empty.
    pub ports: Vec<u16>,
}

/// A cable between two ports, which carries packets in both directions at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cable {
    /// The two ends: an index into [`Topology::stations`] and a port of that station.
    pub ends: [(usize, u16); 2],
    /// The properties of the cable.
    pub link: CableProperties,
}

impl Cable {
    /// Returns the two directions, each as the end that transmits and the end that receives.
    pub fn directions(&self) -> [[(usize, u16); 2]; 2] {
        let [one, other] = self.ends;
        [[one, other], [other, one]]
    }
}

/// The properties of a cable, which are the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CableProperties {
    /// The link rate.
    pub rate: Rate,
    /// The propagation delay.
    pub delay: Duration,
    /// The bytes that each packet takes on the link beside its own.
    pub framing: u32,
    /// The longest packet that the link carries, in bytes from the start of the Ethernet header, without frame check
    /// sequence.
    pub mtu: u32,
}

impl CableProperties {
    /// The default for the longest packet that a link carries: jumbo frames, as switches accept them.
    pub const MTU: u32 = 9216;

    /// Returns the plan of an Ethernet cable for jumbo frames.
    pub const fn ethernet(rate: Rate, delay: Duration) -> Self {
        Self { rate, delay, framing: Link::ETHERNET_FRAMING, mtu: Self::MTU }
    }
}

impl Topology {
    /// Returns the hosts in the order of their numbers. Hosts without a cable are left out, because they have no link
    /// to send on.
    pub fn hosts(&self) -> Vec<HostOf> {
        let host = |(station, link): (&StationPlan, Option<Link>)| match (&station.role, link) {
            (Role::Host { address, .. }, Some(link)) => Some(HostOf { address: *address, rate: link.rate() }),
            _ => None,
        };
        self.stations.iter().zip(self.host_links()).filter_map(host).collect()
    }

    /// Returns, for each station, the link on which it transmits if it is a host with a cable; `None` for all others.
    pub fn host_links(&self) -> Vec<Option<Link>> {
        let mut links = vec![None; self.stations.len()];
        for cable in &self.cables {
            for (station, _) in cable.ends {
                if let Role::Host { .. } = self.stations[station].role {
                    links[station] = Some(Link::new(cable.link.rate, cable.link.framing));
                }
            }
        }
        links
    }
}
