//! Plans of labs: hosts, switches, and the links between them.
//!
//! A plan is a TOML file of ours or a JSON file of the P4 tutorials; both become one [`LabPlan`]. `docs/lab.md` describes
//! every field.

mod address;
mod check;
mod name;
mod program;
mod read;
mod toml;
mod tutorials;

use std::ops::Range;
use std::path::PathBuf;

use basis::{Duration, Rate};

pub use address::{Cidr, MacAddress};
pub(crate) use name::problem as name_problem;
pub use read::{Options, Read, read, read_source};

/// The packets that wait for a link with a rate, if the plan does not say: as many as BMv2's switch holds for a port.
pub const USUAL_QUEUE: u32 = 64;

/// The longest delay of a link, which is that of `polyplane live`.
pub const LONGEST_DELAY: Duration = Duration::from_microseconds(10_000_000);

/// A plan of a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabPlan {
    /// The name of the lab, which the names of its network namespaces begin with.
    pub name: String,
    /// The folder in which the commands of hosts run, and to which the files of the plan are relative.
    pub folder: PathBuf,
    /// The hosts, in order of the file.
    pub hosts: Vec<HostPlan>,
    /// The switches, in order of the file.
    pub switches: Vec<SwitchPlan>,
    /// The links, in order of the file.
    pub links: Vec<LinkPlan>,
}

/// A host: a network namespace with one interface, `eth0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPlan {
    /// The name, unique among hosts and switches.
    pub name: String,
    /// The address of `eth0`, with the length of its network's prefix.
    pub address: Option<Cidr>,
    /// The MAC address of `eth0`; `None` for whatever the kernel chooses.
    pub mac: Option<MacAddress>,
    /// The router for everything outside the network of `address`.
    pub gateway: Option<std::net::IpAddr>,
    /// The MAC address of the gateway, if the host does not ask for it.
    pub gateway_mac: Option<MacAddress>,
    /// The commands that the host runs when the lab starts, each a line for a shell.
    pub commands: Vec<String>,
    /// The place in the file.
    pub place: Range<usize>,
}

/// A switch: a program on live ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchPlan {
    /// The name, unique among hosts and switches.
    pub name: String,
    /// The file of the program.
    pub program: PathBuf,
    /// The machine that runs the program.
    pub machine: String,
    /// The files with requests that fill the tables.
    pub tables: Vec<PathBuf>,
    /// The port of the switch that leads to its controllers, if the plan names one.
    pub cpu_port: Option<u16>,
    /// The packets that wait at a port whose link has a rate.
    pub queue: u32,
    /// The place in the file.
    pub place: Range<usize>,
}

/// A link between a host and a switch, or between two switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPlan {
    /// The two ends. A host, if there is one, is the first.
    pub ends: [End; 2],
    /// The rate in each direction; `None` if the link is as fast as it can be.
    pub rate: Option<Rate>,
    /// The time that a packet takes in each direction.
    pub delay: Duration,
    /// The place in the file.
    pub place: Range<usize>,
}

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The interface of a host, by its position in [`LabPlan::hosts`].
    Host(usize),
    /// A port of a switch, by its position in [`LabPlan::switches`] and the number of the port.
    Switch(usize, u16),
}

impl LabPlan {
    /// Returns the name of an end as plans have it: `h1`, `s1-p2`.
    pub fn end_name(&self, end: End) -> String {
        match end {
            End::Host(host) => self.hosts[host].name.clone(),
            End::Switch(switch, port) => format!("{}-p{port}", self.switches[switch].name),
        }
    }

    /// Returns the links at a switch, each with the number of the port and the other end.
    pub fn ports(&self, switch: usize) -> Vec<(u16, &LinkPlan, End)> {
        let mut ports: Vec<_> = Vec::new();
        for link in &self.links {
            for (end, other) in [(link.ends[0], link.ends[1]), (link.ends[1], link.ends[0])] {
                match end {
                    End::Switch(at, port) if at == switch => ports.push((port, link, other)),
                    _ => {}
                }
            }
        }
        ports.sort_by_key(|(port, ..)| *port);
        ports
    }

    /// Returns the name of a link for commands: the names of its nodes, such as `s1-s2`; with ports, `s1-p2-s2-p2`, if
    /// several links connect these two nodes.
    pub fn link_name(&self, link: &LinkPlan) -> String {
        let nodes = |link: &LinkPlan| link.ends.map(|end| self.node_name(end));
        let same = |other: &&LinkPlan| {
            let (mut one, mut other) = (nodes(link), nodes(other));
            one.sort();
            other.sort();
            one == other
        };
        match self.links.iter().filter(same).count() {
            1 => nodes(link).join("-"),
            _ => link.ends.map(|end| self.end_name(end)).join("-"),
        }
    }

    fn node_name(&self, end: End) -> &str {
        match end {
            End::Host(host) => &self.hosts[host].name,
            End::Switch(switch, _) => &self.switches[switch].name,
        }
    }
}
