//! Measures the chip for programs of the Tofino Native Architecture beside the v1model switch, with the same router.
//!
//! The router has an access list, two meters and a register, and both switches have links of 100 Gb/s, so that a packet passes
//! ingress, a queue and egress. Packets come one by one in virtual time, as in a simulated network. Such a network is measured, too.

mod entries;
mod measure;
mod trimming;

pub use measure::{MeasuredChip, chips};
pub use trimming::{MeasuredTrimming, PLAN, trimming};

/// The source text of the router for v1model.
const FOR_V1MODEL: &str = concat!(include_str!("headers.p4"), include_str!("v1model.p4"));
/// The source text of the router for the Tofino Native Architecture.
const FOR_TNA: &str = concat!(include_str!("headers.p4"), include_str!("tna.p4"));
