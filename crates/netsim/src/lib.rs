//! A packet-level simulator of networks.
//!
//! It connects stations by cables and advances virtual time. It knows links, queues, topologies and faults, and never
//! which program or protocol runs in a station.

pub mod event_queue;
pub mod topology;
