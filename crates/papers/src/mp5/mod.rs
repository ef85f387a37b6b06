//! MP5: "Stateful Multi-Pipelined Programmable Switches", SIGCOMM 2022.
//!
//! [`suite`] has the experiments of its evaluation, [`applications`] the programs on real traffic (section 4.4),
//! [`principles`] the microbenchmarks of its design principles (section 4.3.2), [`streams`] the published streams and
//! the designs that are compared on them, and [`bound`] an upper bound for every machine that keeps the order of
//! accesses.

pub mod applications;
pub mod bound;
mod demo;
pub mod principles;
pub mod streams;
pub mod suite;

pub use demo::{Demo, Measurement, demo};
