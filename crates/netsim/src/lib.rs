//! A packet-level simulator of networks.
//!
//! It connects stations by cables and advances virtual time. It knows links, queues, topologies and faults, and never
//! which program or protocol runs in a station.

pub mod event_queue;
pub mod faults;
pub mod reasons;
mod simulation;
pub mod switch;
pub mod topology;

pub use simulation::{
    Carried, Conservation, Ended, Hold, LineId, Passed, Recorder, Settings, Simulation, Threading, Unwatched,
};
