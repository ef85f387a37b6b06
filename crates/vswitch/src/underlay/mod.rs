//! The way of packets to the underlay: over which of several paths, and to which Ethernet address.

mod neighbours;
mod paths;

pub use neighbours::{Question, Waiting};
pub use paths::{PathChange, PathState, Paths};
