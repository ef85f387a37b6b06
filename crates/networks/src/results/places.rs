//! Ports of a network and the lines that begin there, with the names that results use.

use std::sync::Arc;

use netsim::topology::Topology;
use netsim::{LineId, Simulation};
use node::Port;

use plans::Pattern;

/// A port with a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose port.
    pub station: u32,
    /// Which.
    pub port: u16,
    /// Who is at the other end.
    pub other: u32,
    /// By which port.
    pub other_port: u16,
}

/// All ports of a network, by station and port.
#[derive(Clone, Debug)]
pub struct Places {
    /// Names of all stations.
    pub stations: Arc<[String]>,
    /// The ports.
    pub places: Vec<Place>,
}

impl Places {
    /// Those of a topology.
    pub fn new(topology: &Topology) -> Self {
        let mut places = Vec::with_capacity(2 * topology.cables.len());
        for cable in &topology.cables {
            for [(station, port), (other, other_port)] in cable.directions() {
                places.push(Place { station: station as u32, port, other: other as u32, other_port });
            }
        }
        places.sort_unstable_by_key(|place| (place.station, place.port));
        Self { stations: topology.stations.iter().map(|station| station.name.clone()).collect(), places }
    }

    /// What people call a port: its station, and the number behind a colon; hosts have one port.
    pub fn name(&self, place: &Place) -> String {
        format!("{}:{}", self.stations[place.station as usize], place.port)
    }

    /// The ports that one of the patterns names.
    pub fn matching<'p>(&'p self, patterns: &'p [Pattern]) -> impl Iterator<Item = &'p Place> {
        self.places.iter().filter(move |place| {
            patterns.iter().any(|pattern| pattern.matches_port(&self.stations[place.station as usize], place.port))
        })
    }
}

impl Place {
    /// The line that begins here.
    pub fn line(&self, simulation: &Simulation) -> LineId {
        simulation.line(self.station as usize, Port(self.port)).expect("a port with a cable has a line")
    }
}
