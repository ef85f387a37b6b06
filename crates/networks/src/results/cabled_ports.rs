//! The ports of a network and the links that begin there, with the names that results use.

use std::sync::Arc;

use netsim::topology::Topology;
use netsim::{LinkId, Simulation};
use node::Port;

use plans::Pattern;

/// A port with a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CabledPort {
    /// The station of the port, by its number.
    pub station: u32,
    /// The number of the port.
    pub port: u16,
    /// The station at the other end.
    pub other: u32,
    /// The port at the other end.
    pub other_port: u16,
}

/// All ports of a network, by station and port.
#[derive(Clone, Debug)]
pub struct CabledPorts {
    /// The names of all stations.
    pub stations: Arc<[String]>,
    /// The ports.
    pub all: Vec<CabledPort>,
}

impl CabledPorts {
    /// Returns the ports of a topology.
    pub fn new(topology: &Topology) -> Self {
        let mut all = Vec::with_capacity(2 * topology.cables.len());
        for cable in &topology.cables {
            for [(station, port), (other, other_port)] in cable.directions() {
                all.push(CabledPort { station: station as u32, port, other: other as u32, other_port });
            }
        }
        all.sort_unstable_by_key(|port| (port.station, port.port));
        Self { stations: topology.stations.iter().map(|station| station.name.clone()).collect(), all }
    }

    /// Returns the name of a port: the name of its station, a colon and its number.
    pub fn name(&self, port: &CabledPort) -> String {
        format!("{}:{}", self.stations[port.station as usize], port.port)
    }

    /// Returns the ports that match one of the patterns.
    pub fn matching<'p>(&'p self, patterns: &'p [Pattern]) -> impl Iterator<Item = &'p CabledPort> {
        self.all.iter().filter(move |port| {
            patterns.iter().any(|pattern| pattern.matches_port(&self.stations[port.station as usize], port.port))
        })
    }
}

impl CabledPort {
    /// Returns the link that begins at this port.
    ///
    /// # Panics
    /// If the simulation has no link at this port, as when it is of another topology.
    pub fn link(&self, simulation: &Simulation) -> LinkId {
        simulation.link(self.station as usize, Port(self.port)).expect("a port with a cable has a link")
    }
}
