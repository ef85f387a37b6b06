//! The plain aggregator: a switch that routes IPv4 and adds up the values of packets on their way, by the rules of one
//! protocol, without a program.
//!
//! Programs for the same protocols are held against it: same packets, same verdicts, same state by the same names. The
//! [`Aggregator`] looks up routes and multicast groups and copies packets; a [`Protocol`] says what becomes of a packet
//! before that, and keeps the state. A protocol is a pure value without ports, so that anything that has packets can run it.

pub mod atp;
mod device;
mod gather;
mod info;
mod protocol;
pub mod reasons;
mod routes;
mod snapshot;
mod station;
pub mod switchml;
pub mod trio_ml;

pub use device::Aggregator;
pub use protocol::{Protocol, Verdict};
