//! A packet-level simulator of networks.
//!
//! A [`Simulation`] connects stations (hosts and switches, any [`node::Station`]) by cables and advances virtual time.
//! Each direction of a cable is a link with a rate, a propagation delay and the longest packet that it carries. The
//! crate knows links and their faults, topologies, and the switches of a network. It never knows which program or
//! protocol runs in a station.
//!
//! Begin with [`topology::Topology`] for the network, [`Simulation::new`] and [`Simulation::run`] for a run, and
//! [`Recorder`] for watching it. The engine and its order of events are described in `docs/simulator/engine.md`.

pub mod event_queue;
pub mod faults;
pub mod reasons;
mod simulation;
pub mod switch;
pub mod topology;

pub use simulation::{
    Carried, Conservation, Ended, Hold, LineId, Passed, Recorder, Settings, Simulation, Threading, Unwatched,
};
