//! A packet-level simulator of networks.
//!
//! A [`Simulation`] connects stations (hosts and switches, any [`node::Station`]) by cables and advances virtual time.
//! Each direction of a cable is a link with a rate, a propagation delay and the longest packet that it carries. The
//! crate knows links and their faults, topologies, and the switches of a network. It never knows which program or
//! protocol runs in a station.
//!
//! Begin with [`topology::Topology`] for the network, [`Simulation::new`] and [`Simulation::run`] for a run, and
//! [`Recorder`] for watching it. The engine and its order of events are described in `docs/simulator/engine.md`.
//!
//! # Example
//!
//! ```
//! use netsim::topology::TopologyPlan;
//!
//! let plan = TopologyPlan::parse("leaf-spine:leaves=4,spines=2,hosts=16").map_err(|_| "a valid plan").unwrap();
//! let topology = plan.build().unwrap();
//! assert!(topology.verify().is_empty());
//! assert_eq!(topology.hosts().len(), 64);
//! // Six switches, with a cable for each host and for each pair of leaf and spine.
//! assert_eq!((topology.stations.len(), topology.cables.len()), (64 + 6, 64 + 4 * 2));
//! ```

pub mod event_queue;
pub mod faults;
pub mod reasons;
mod simulation;
pub mod switch;
pub mod topology;

pub use simulation::{
    Carried, Conservation, Ended, Hold, LinkId, Passed, Recorder, Settings, Simulation, Threading, Unwatched,
};
