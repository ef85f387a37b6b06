//! The scenario in simulated time.

use netsim::{Ended, Settings, Simulation, Unwatched};
use node::Station;

use crate::scenario::{Built, Outcome, Scenario};

pub fn run(scenario: &Scenario) -> Outcome {
    let Built { topology, stations, logs, program } = scenario.build();
    let count = stations.len();
    let mut stations = stations.into_iter();
    let next = |_: usize| stations.next().expect("stations are made in order");
    let mut simulation = Simulation::new(&topology, Settings::default(), next);
    assert_eq!(simulation.run(&mut Unwatched), Ended::Idle);
    let stations: Vec<&dyn Station> = (0..count).map(|station| simulation.station(station)).collect();
    Outcome::of(simulation.now(), &stations, &logs, program.as_ref())
}
