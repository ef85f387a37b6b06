//! The construction of a topology, station by station.

use super::{Cable, CableProperties, Role, Route, StationPlan, SwitchPlan, Topology};

/// A topology under construction. Ports are numbered in the order in which cables are connected.
#[derive(Default)]
pub(super) struct Builder {
    topology: Topology,
    next_port: Vec<u16>,
}

impl Builder {
    /// Adds a host. All hosts must be added before the first switch.
    pub(super) fn host(&mut self, name: String, address: u32, paths: u32) -> usize {
        self.station(name, Role::Host { address, paths })
    }

    /// Adds a switch.
    pub(super) fn switch(&mut self, name: String, tier: u8, path_divisor: u32) -> usize {
        self.station(name, Role::Switch(SwitchPlan { tier, routes: Vec::new(), path_divisor }))
    }

    fn station(&mut self, name: String, role: Role) -> usize {
        self.topology.stations.push(StationPlan { name, role });
        self.next_port.push(0);
        self.next_port.len() - 1
    }

    /// Connects the next free ports of two stations by a cable. Returns the two ports.
    pub(super) fn connect(&mut self, from: usize, to: usize, link: CableProperties) -> [u16; 2] {
        let ports = [from, to].map(|station| {
            let port = self.next_port[station];
            self.next_port[station] += 1;
            port
        });
        self.topology.cables.push(Cable { ends: [(from, ports[0]), (to, ports[1])], link });
        ports
    }

    /// Adds a route to a switch.
    pub(super) fn route(&mut self, switch: usize, prefix: u32, length: u8, ports: Vec<u16>) {
        match &mut self.topology.stations[switch].role {
            Role::Switch(plan) => plan.routes.push(Route { prefix, length, ports }),
            Role::Host { .. } => unreachable!("hosts have no routes"),
        }
    }

    pub(super) fn finish(self) -> Topology {
        self.topology
    }
}

/// The network 10.0.0.0/8, from which all addresses are taken (RFC 1918).
pub(super) const NETWORK: u32 = 10 << 24;
