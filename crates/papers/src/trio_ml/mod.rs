//! Trio: "Using Trio: Juniper Networks' programmable chipset for emerging in-network applications" (Yang et al., SIGCOMM 2022): what
//! its aggregation Trio-ML takes (sections 6.2 and 6.3): recovery from stragglers (the method `recovery`), and the latency of an
//! aggregation on the chip (the method `latency`).
//!
//! The networks that experiments run are also plans of `polyplane sim`.

mod latency;
mod recovery;
mod shipped;
mod suite;

pub use suite::suite;

/// The headers before the gradients of a packet, in bytes: Ethernet, IPv4, UDP and that of Trio-ML.
const HEADERS: u64 = 54;
